"""Twins: two facts of one sentence, about the same: who moved to Leipzig moved there, and lives there.

And facts that were found to be one: what a person says of it they say of all of them.
"""

from __future__ import annotations

from collections.abc import Set

from memory.model.facts import Evidence, Fact, Link
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


def merged_into(draft: Draft, kept: Fact) -> list[Fact]:
    """The duplicates that a fact stands for, those of its duplicates included: it rests on all that they rest on."""
    said = {_place(each) for each in draft.evidence.get(kept.fact_id, ())}
    found = [kept]
    for fact in found:
        links = (each for each in draft.links_of(fact.fact_id) if each.kind == "supersedes")
        ids = sorted(each.to_id for each in links if each.from_id == fact.fact_id)
        known = (draft.facts[each] for each in ids if each in draft.facts)
        found += [each for each in known if each not in found and _is_merged(draft, each, fact, said)]
    return found[1:]


def _is_merged(draft: Draft, fact: Fact, kept: Fact, said: Set[tuple[str, int | None]]) -> bool:
    """Whether one fact was found to be another, and not denied by it."""
    own = {_place(each) for each in draft.evidence.get(fact.fact_id, ())}
    never = fact.status == "invalidated" and fact.valid_to == fact.valid_from
    return never and bool(own) and own <= said and Link("disputes", kept.fact_id, fact.fact_id) not in draft.links


def unmerge(draft: Draft, kept: Fact, same: Fact) -> None:
    """Forget that a duplicate is one, so that it does not hold again when the fact that stands for it goes."""
    link = Link("supersedes", kept.fact_id, same.fact_id)
    if link in draft.links:
        draft.put("unlinked", link, None)


def _place(evidence: Evidence) -> tuple[str, int | None]:
    return evidence.source_id, evidence.segment_key


def _words_of(draft: Draft, fact: Fact) -> frozenset[Words]:
    found = draft.evidence.get(fact.fact_id, ())
    return frozenset((each.source_id, each.segment_key, fold(each.quote)) for each in found)


def _shared(one: Fact, other: Fact) -> str | None:
    """The object of both; one of them may only name it in its words: who started at Siemens works at Siemens."""
    thing = fold(one.object or other.object or "")
    named = all(thing == fold(each.object) if each.object else thing in fold(each.statement) for each in (one, other))
    return thing if thing and named else None
