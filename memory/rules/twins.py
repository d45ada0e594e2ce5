"""Twins: two facts of one sentence, about the same: who moved to Leipzig moved there, and lives there."""

from __future__ import annotations

from memory.model.facts import Fact
from memory.model.ids import fold
from memory.model.working_set import Draft

Words = tuple[str, int | None, str]
"""Source, segment and folded sentence."""


def twins_of(draft: Draft, old: Fact, instead: str) -> list[Fact]:
    """What is believed of the subject and the object of a fact, by the words it rests on and by no others.

    None, if the statement that stands `instead` of it is of the same object: then the object was not what was wrong.
    """
    said = _words_of(draft, old)
    beside = (draft.facts[each] for each in draft.by_subject.get(old.subject_id, ()) if each != old.fact_id)
    return [
        twin
        for twin in beside
        if twin.status == "active"
        and twin.polarity == old.polarity
        and twin.sensitivity == old.sensitivity
        and _words_of(draft, twin) <= said
        and (thing := _shared(old, twin)) is not None
        and thing not in fold(instead)
    ]


def _words_of(draft: Draft, fact: Fact) -> frozenset[Words]:
    found = draft.evidence.get(fact.fact_id, ())
    return frozenset((each.source_id, each.segment_key, fold(each.quote)) for each in found)


def _shared(one: Fact, other: Fact) -> str | None:
    """The object of both; one of them may only name it in its words: who started at Siemens works at Siemens."""
    thing = fold(one.object or other.object or "")
    named = all(thing == fold(each.object) if each.object else thing in fold(each.statement) for each in (one, other))
    return thing if thing and named else None
