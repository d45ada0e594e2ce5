"""Reopening: when the words of a fact are taken back, so is what only that fact had ended."""

from __future__ import annotations

from dataclasses import replace

from memory.model.facts import Fact, Link
from memory.model.timeline import Instant
from memory.model.working_set import Draft
from memory.rules.ending import end_by_event, end_states
from memory.rules.slots import chain_of, order_of, says, slot_of, unfollow
from memory.rules.turn import TurnState
from memory.rules.versions import link, revise
from memory.words.predicates import closes

_ENDED = ("superseded", "invalidated")


def reopen(turn: TurnState, gone: Fact) -> list[Fact]:
    """Let the facts hold again that ended where this one began and for no other reason; they are returned.

    Where another fact had followed the one that is gone, it now follows them. What follows a value of a slot, which is
    settled afterwards, or a state that an event had ended, is found anew.
    """
    draft, now = turn.draft, turn.now
    about = [each for each in draft.links_of(gone.fact_id) if each.kind == "supersedes"]
    links = [each for each in about if _within(draft, each, gone)]
    after = sorted(each.from_id for each in links if each.to_id == gone.fact_id and _stands(draft, each.from_id))
    opened: list[Fact] = []
    for old_id in sorted(each.to_id for each in links if each.from_id == gone.fact_id):
        old = draft.facts.get(old_id)
        if old is None or old_id not in draft.evidence or not _ended_with(old, gone):
            continue
        if _followed(draft, old, gone, max(old.valid_from, gone.valid_from)):
            continue
        opened.append(old)
        if slot_of(old) is not None or old.predicate in closes(gone.predicate):
            resumed = _resumed(turn, old, gone)
            if slot_of(old) is None:
                end_by_event(turn, resumed, but=gone)
            continue
        ends = gone.valid_to
        if ends is not None and ends <= old.valid_from:  # what had ended it was over before it began
            ends = old.valid_from if after else None
        if not after:
            end_by_event(turn, revise(draft, old, "holds again", now, status="active", valid_to=ends), but=gone)
            continue
        revise(draft, old, "holds longer", now, status="superseded", valid_to=ends)
        for each in after:
            link(draft, "supersedes", each, old_id)
    return opened


def begin_later(turn: TurnState, fact: Fact) -> None:
    """Let a fact begin with the first of the words that are left, and what it had ended hold up to then.

    The values of a slot that an event had ended are settled afterwards.
    """
    draft, began = turn.draft, min(each.moments[0] for each in turn.draft.evidence[fact.fact_id])
    if began <= fact.valid_from or fact.status not in ("active", "superseded"):
        return
    ends = fact.valid_to if fact.valid_to is None else max(fact.valid_to, began)
    revise(draft, fact, "heard later", turn.now, valid_from=began, valid_to=ends)
    for old in _ended_by(draft, fact):
        if _is_settled_anew(old, fact):
            _resumed(turn, old, fact)
        elif not _followed(draft, old, fact, fact.valid_from):
            revise(draft, old, "holds longer", turn.now, valid_to=began)


def begin_earlier(turn: TurnState, event: Fact, before: Instant) -> None:
    """Let the states that an event had ended `before` end, or go on, according to when it is now known to have been."""
    for old in _ended_by(turn.draft, replace(event, valid_from=before)):
        if _is_settled_anew(old, event):
            _resumed(turn, old, event)
    for each in list(turn.draft.links_of(event.fact_id)):
        if (state := turn.draft.facts.get(each.to_id)) is not None and each.from_id == event.fact_id:
            unfollow(turn.draft, state)
    end_states(turn, event)


def _ended_by(draft: Draft, fact: Fact) -> list[Fact]:
    """The facts that ended where a fact of the same sensitivity began."""
    links = [
        each for each in draft.links_of(fact.fact_id) if each.kind == "supersedes" and each.from_id == fact.fact_id
    ]
    olds = (draft.facts.get(each.to_id) for each in links if _within(draft, each, fact))
    return [old for old in olds if old is not None and old.status == "superseded" and _ended_with(old, fact)]


def _is_settled_anew(state: Fact, event: Fact) -> bool:
    """Whether it is a value of a slot that an event had ended: settling finds what ends it."""
    return slot_of(state) is not None and state.predicate in closes(event.predicate)


def _followed(draft: Draft, old: Fact, but: Fact, by: Instant) -> bool:
    """Whether something else that stands had taken the place of a fact by then."""
    links = (each for each in draft.links_of(old.fact_id) if each.kind == "supersedes" and each.to_id == old.fact_id)
    others = (each.from_id for each in links if each.from_id != but.fact_id and _within(draft, each, but))
    return any(_stands(draft, each) and draft.facts[each].valid_from <= by for each in others)


def _resumed(turn: TurnState, old: Fact, gone: Fact) -> Fact:
    """A value that holds again, up to where words of another fact say the same; what is against it comes later."""
    chain = chain_of(turn.draft, old.subject_id, slot_of(old), old.sensitivity)
    later = (each for each in chain if order_of(each) > order_of(old) and each.fact_id != gone.fact_id)
    again = next((each for each in later if says(each, old)), None)
    if again is None:
        return revise(turn.draft, old, "holds again", turn.now, status="active", valid_to=None)
    link(turn.draft, "supersedes", again.fact_id, old.fact_id)
    return revise(turn.draft, old, "holds longer", turn.now, status="superseded", valid_to=again.valid_from)


def _ended_with(old: Fact, gone: Fact) -> bool:
    return old.status in _ENDED and old.valid_to == max(old.valid_from, gone.valid_from)


def _stands(draft: Draft, fact_id: str) -> bool:
    fact = draft.facts.get(fact_id)
    return fact is not None and fact.believed


def _within(draft: Draft, each: Link, fact: Fact) -> bool:
    """Whether both ends of a link are of the sensitivity of a fact: across it nothing is ended, only linked."""
    ends = (draft.facts.get(end) for end in (each.from_id, each.to_id))
    return all(end is None or end.sensitivity == fact.sensitivity for end in ends)
