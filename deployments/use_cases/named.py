"""Shows, changes and forgets what one id names, whether words that were heard or a fact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.findings import checked
from deployments.use_cases import facts, heard, remembering
from deployments.use_cases.facts import FactOut
from deployments.use_cases.heard import HeardSegment, Rewording
from memory.errors import Invalid
from memory.model.timeline import iso

Named = Sequence[str]
"""The ids of a source and of a segment in it, or the id of a fact alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedMemory:
    """Words that were heard, or a fact: of one that something took the place of, what holds now."""

    asked: Named
    """By which ids it was asked for."""
    named: Named
    """Its ids now."""
    at: str | None
    """When it was said, or began to be true."""
    changed_at: str | None
    wordings: Sequence[tuple[str, str | None]]
    """What it has said, the oldest first, and since when; the last is what it says now."""
    provenance: Mapping[str, Any]
    """That of the source of words. A fact has none: it may rest on many."""
    more: Mapping[str, str]
    """What else is told of it."""

    @property
    def text(self) -> str:
        """What it says now."""
        return self.wordings[-1][0]


def named_words(said: HeardSegment) -> NamedMemory:
    """Words as they are shown; each former wording was changed when the last was: only that is known."""
    at, changed_at = iso(said.at), iso(said.changed_at)
    return NamedMemory(
        asked=said.place,
        named=said.place,
        at=at,
        changed_at=changed_at,
        wordings=[(text, changed_at if number else at) for number, text in enumerate([*said.wordings, said.text])],
        provenance=said.provenance,
        more=said.model_dump(include={"role", "speaker", "source_id", "segment_id"}),
    )


def named_fact(versions: Sequence[FactOut]) -> NamedMemory:
    """A fact and what took its place since, the oldest first, as they are shown."""
    current = versions[-1]
    return NamedMemory(
        asked=[versions[0].fact_id],
        named=[current.fact_id],
        at=current.valid_from,
        changed_at=current.system_from,
        wordings=[(each.statement, each.system_from) for each in versions],
        provenance={},
        more=current.model_dump(include={"fact_id", "status"}),
    )


async def one_named(app: AppContext, who: Caller, named: Named) -> NamedMemory:
    """What ids name. Raises NotFound, also of a fact that is believed no more."""
    if len(named) == 1:
        return named_fact(await facts.versions(app, who, named[0]))
    return named_words(await heard.one_heard(app, who, (named[0], named[1])))


async def put_otherwise(app: AppContext, who: Caller, key: str, named: Named, new: Rewording) -> NamedMemory:
    """Put words into other words; correct a fact, of which nothing else can be changed.

    Raises Forbidden, NotFound, Conflict and Invalid.
    """
    writing(who)
    if len(named) != 1:
        return named_words(await heard.reword(app, who, (named[0], named[1]), new))
    current, correction = await _corrected(app, who, named, new)
    fresh = await remembering.correct(app, who, key, current.fact_id, correction)
    return named_fact([await facts.one(app, who, fresh.fact_id)])


async def can_be_put(app: AppContext, who: Caller, named: Named, new: Rewording) -> None:
    """Raises what `put_otherwise` raises of what is asked for, and changes nothing."""
    writing(who)
    if len(named) != 1:
        await heard.reworded(app, who, (named[0], named[1]), new)
    else:
        await _corrected(app, who, named, new)


async def _corrected(
    app: AppContext, who: Caller, named: Named, new: Rewording
) -> tuple[FactOut, remembering.Correction]:
    if new.text is None or not new.text.strip() or new.provenance or new.at is not None:
        raise Invalid("Of a fact the text alone can be changed, and must have words.")
    current = (await facts.versions(app, who, named[0]))[-1]
    return current, checked(remembering.Correction.model_validate, {"statement": new.text})


async def confirm_named(app: AppContext, who: Caller, key: str, named: Named) -> None:
    """Confirm a fact; of words there is nothing to confirm. Raises Forbidden and NotFound."""
    found = await one_named(app, writing(who), named)
    if len(named) == 1:
        await remembering.confirm(app, who, key, found.named[0])


async def forget_named(app: AppContext, who: Caller, key: str, named: Named, *, before: bool = False) -> None:
    """Forget words for good, or believe a fact no more; with `before` nor those whose place it took.

    Raises Forbidden, NotFound and Conflict.
    """
    writing(who)
    if len(named) != 1:
        await heard.forget_one_heard(app, who, key, (named[0], named[1]))
        return
    current = (await facts.versions(app, who, named[0]))[-1]
    for number, fact_id in enumerate([current.fact_id, *(current.supersedes if before else ())]):
        await remembering.forget(app, who, f"{key}-{number}", fact_id)
