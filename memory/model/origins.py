"""Origins: where words come from, as the provenance of their source tells, and when they were said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memory.model.timeline import Instant

EXPIRES_ON = "expires_on"
"""Of a provenance: the last day, as YYYY-MM-DD, on which a list shows what its source says."""
WAS = "was."
"""How names in a provenance begin that keep what a segment said before it was put into other words."""


@dataclass(frozen=True, slots=True)
class ProvenanceFilter:
    """What must hold of words and of the provenance of their source, all of it. Nothing is asked by default."""

    says: Mapping[str, object] = field(default_factory=dict)
    """The provenance says this."""
    names: tuple[str, ...] = ()
    """The provenance has these names, whatever they say."""
    denies: tuple[Mapping[str, object], ...] = ()
    """The provenance says none of these."""
    after: Instant | None = None
    """Said then or later."""
    before: Instant | None = None
    """Said before that."""
    alive_on: str | None = None
    """Not expired before that day, as YYYY-MM-DD."""

    def __and__(self, other: ProvenanceFilter) -> ProvenanceFilter:
        """What meets both; nothing does if they say different things of one name."""
        clash = any(self.says.get(name, said) != said for name, said in other.says.items())
        starts = [each for each in (self.after, other.after) if each is not None]
        ends = [each for each in (self.before, other.before) if each is not None]
        days = [each for each in (self.alive_on, other.alive_on) if each is not None]
        return ProvenanceFilter(
            says={**self.says, **other.says},
            names=(*self.names, *other.names),
            denies=(*self.denies, *other.denies, *((other.says,) if clash else ())),  # both cannot be: nothing is meant
            after=max(starts, default=None),
            before=min(ends, default=None),
            alive_on=max(days, default=None),
        )


ANYWHERE = (ProvenanceFilter(),)
"""Alternatives of which one holds of all words."""
