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


ANYWHERE = (ProvenanceFilter(),)
"""Alternatives of which one holds of all words."""
