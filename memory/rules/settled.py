"""Settled: what a person said of a fact outlives the words that it was read from (decision 0035).

A claim that was corrected, forgotten or undone is heard when its words are read again, by a sweep, a retry or another
extractor, and not believed. What is said later, or in another source, is news; so is whatever a person states.
"""

from __future__ import annotations

from collections.abc import Iterator

from memory.model.changes import Outcome
from memory.model.claims import Claim
from memory.model.commands import AcceptReading, ReadSegment
from memory.model.facts import Evidence, Fact
from memory.model.ids import fact_id, fold
from memory.model.timeline import Interval
from memory.model.working_set import Draft
from memory.rules.agreement import agrees
from memory.rules.slots import contrary, slot_of

CORRECTED = "correction by "
"""Before the name of whoever corrected a fact, in the place of who had judged it."""
REFUSED = "settled by the user"


def is_settled(fact: Fact) -> bool:
    """Whether a person said of this fact that it is not so, or is not to be believed."""
    return fact.status == "forgotten" or _is_corrected(fact)


def is_final(fact: Fact) -> bool:
    """Whether a fact that was concluded is believed, or settled, or let go for good: it is not told again."""
    return fact.status in ("active", "pruned") or is_settled(fact)


def _is_corrected(fact: Fact) -> bool:
    return fact.status == "invalidated" and fact.judged_by.startswith(CORRECTED)


def refuse(draft: Draft, claim: Claim, subject_id: str, segment: ReadSegment, command: AcceptReading) -> Outcome | None:
    """Keep the words of a claim that a person has settled beside what was settled; None if it is news.

    `command` is the reading of which this segment is part.
    """
    near = [each for each in _near(draft, claim, subject_id) if is_settled(each) and segment.at < each.since]
    if not near or _stood_beside(draft, claim, subject_id, segment, command):
        return None
    told = (each for each in near if _told_here(draft, each, claim, segment, command))
    misheard = (each for each in near if _misheard(draft, each, claim, segment, command))
    fact = next(told, None) or next(misheard, None)
    if fact is None:
        return None
    if fact.sensitivity == segment.sensitivity:
        _hear(draft, fact, claim, segment, command)
    return Outcome(fact.fact_id, "settled")


def _near(draft: Draft, claim: Claim, subject_id: str) -> Iterator[Fact]:
    """The facts of its subject in its words or with its predicate."""
    in_words = draft.by_words.get((subject_id, fold(claim.statement)), ())
    alike = draft.by_predicate.get((subject_id, claim.predicate), ()) if claim.predicate else ()
    return (draft.facts[each] for each in dict.fromkeys((*in_words, *alike)))


def _told_here(draft: Draft, fact: Fact, claim: Claim, segment: ReadSegment, command: AcceptReading) -> bool:
    """Whether this is what the fact said, in the same source."""
    keys = (segment.segment_key, *command.withdrawn)
    born = (fact_id(draft.user_id, f"{segment.source_id}/{key}", fact.statement) for key in keys)
    known = any(each.source_id == segment.source_id for each in draft.evidence.get(fact.fact_id, ()))
    return (known or fact.fact_id in born) and _says_the_same(fact, claim)


def _misheard(draft: Draft, fact: Fact, claim: Claim, segment: ReadSegment, command: AcceptReading) -> bool:
    """Whether this is another value of a corrected slot, in the same words and for the same time."""
    if not (_is_corrected(fact) and slot_of(fact) is not None and slot_of(fact) == slot_of(claim)):
        return False
    evidence = draft.evidence.get(fact.fact_id, ())
    if not any(_are_words_of(each, segment, command) for each in evidence):
        return False
    held = Interval(segment.at if claim.valid_from is None else claim.valid_from, claim.valid_to)
    return any(contrary(claim, each) and held.overlaps(each.valid) for each in _put_in_place(draft, fact))


def _are_words_of(evidence: Evidence, segment: ReadSegment, command: AcceptReading) -> bool:
    """Whether a segment holds the words of this evidence, or of all that is read the nearest to those it replaces."""
    if evidence.segment_key not in command.withdrawn:
        return evidence.segment_key == segment.segment_key
    return segment == min(command.read, key=lambda each: (abs(each.at - evidence.at), each.segment_key))


def _stood_beside(draft: Draft, claim: Claim, subject_id: str, segment: ReadSegment, command: AcceptReading) -> bool:
    """Whether the same words had told this before and it was believed: the person has settled something else."""
    base, slot = draft.base, slot_of(claim)
    ids = dict.fromkeys(base.by_words.get((subject_id, fold(claim.statement)), ()))
    if slot is not None:
        ids |= dict.fromkeys(base.by_predicate.get((subject_id, slot[0]), ()))
    facts = (base.facts[each] for each in ids)
    same = (each for each in facts if each.believed and _says_the_same(each, claim))
    known = (each for fact in same for each in base.evidence.get(fact.fact_id, ()))
    return any(_are_words_of(each, segment, command) for each in known)


def _says_the_same(fact: Fact, claim: Claim) -> bool:
    if fold(fact.statement) == fold(claim.statement):
        return fact.polarity == claim.polarity
    named = claim.object and fact.object and (claim.predicate, claim.slot) == (fact.predicate, fact.slot)
    return bool(named) and agrees(claim, fact)


def _put_in_place(draft: Draft, fact: Fact) -> Iterator[Fact]:
    """What a person said instead, and stands; of what was corrected in turn, what was said instead of that."""
    ahead, passed = [fact.fact_id], {fact.fact_id}
    while ahead:
        here = ahead.pop()
        links = (each for each in draft.links_of(here) if each.kind == "supersedes" and each.to_id == here)
        for successor in (draft.facts[each.from_id] for each in links if each.from_id not in passed):
            passed.add(successor.fact_id)
            if _is_corrected(successor):
                ahead.append(successor.fact_id)
            elif successor.believed:
                yield successor


def _hear(draft: Draft, fact: Fact, claim: Claim, segment: ReadSegment, command: AcceptReading) -> None:
    """Let the words stand by the settled fact, in the place of those that they replace."""
    known = draft.evidence.get(fact.fact_id, ())
    here = (segment.source_id, segment.segment_key)
    before = next((each for each in known if (each.source_id, each.segment_key) == here), None)
    since = None if claim.valid_from in (None, segment.at) else claim.valid_from
    after = Evidence(fact.fact_id, *here, claim.quote, segment.at, segment.revision, since)
    if before is not None and before.revision == after.revision:
        after = after.telling((*before.moments, *after.moments))
    draft.put(REFUSED, before, after)
    for each in known:
        if each.segment_key in command.withdrawn and _are_words_of(each, segment, command):
            draft.put("withdrawn", each, None)
