"""Across sensitivities: a fact is linked with the facts it follows, ends or denies at others, and changes none of them.

Who sees both takes for what holds whatever was asserted last (`memory.retrieval.beliefs`); who sees one sees it as if
it were alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memory.model.facts import Fact, Link
from memory.model.scopes import Sensitivity
from memory.model.working_set import Draft
from memory.rules.agreement import opposes
from memory.rules.ending import ends, point_of
from memory.rules.slots import chain_of, contrary, last_point, settle, slot_of
from memory.rules.turn import Meeting, Turn
from memory.rules.versions import link
from memory.words.predicates import closers, closes, opposite


def link_levels(turn: Turn, met: Meeting, fact: Fact) -> None:
    """Link a fact that was just heard with the facts of its subject at other sensitivities."""
    others = [each for each in _concerned(turn, fact) if each.sensitivity != fact.sensitivity]
    if not others:
        return
    _line_up(turn, fact)
    _follow_events(turn, fact)
    for other in others:
        if other.status == "active" and opposes(met.claim, other) and slot_of(other) is None:
            link(turn.draft, "disputes", fact.fact_id, other.fact_id)
            link(turn.draft, "disputes", other.fact_id, fact.fact_id)


def settle_slots(turn: Turn, facts: Sequence[Fact]) -> None:
    """Settle the slots that facts belong to, or did: one value at a time, and in line with events and words of other
    sensitivities.

    The same value twice is no change and is left to the merging of duplicates.
    """
    for fact in {(each.subject_id, each.predicate, slot_of(each), each.sensitivity): each for each in facts}.values():
        settle(turn, fact)
        _line_up(turn, fact)
    for identity in dict.fromkeys(each.fact_id for each in facts):
        if (known := turn.draft.facts.get(identity)) is not None:
            _follow_events(turn, known)


def _follow_events(turn: Turn, fact: Fact) -> None:
    """Link the events and states at other sensitivities with a fact, and with what it may have changed at its own.

    These are the values of its slot, which may have been split, and the states that it ends, which may hold longer now.
    """
    draft, level = turn.draft, fact.sensitivity
    ended = (each for each in _told_by(draft, fact, closes(fact.predicate)) if each.sensitivity == level)
    chain = chain_of(draft, fact.subject_id, slot_of(fact), level)
    for near in {each.fact_id: each for each in (fact, *chain, *ended)}.values():
        for event, state in _events(draft, near):
            _succeed(draft, state, event)


def _concerned(turn: Turn, fact: Fact) -> Iterator[Fact]:
    """The facts of its subject, with its predicate or one that ends it, is ended by it or is its opposite."""
    if fact.predicate is None:
        return iter(())
    names = (fact.predicate, opposite(fact.predicate), *closes(fact.predicate), *closers(fact.predicate))
    return _told_by(turn.draft, fact, dict.fromkeys(each for each in names if each))


def _told_by(draft: Draft, fact: Fact, predicates: Iterable[str]) -> Iterator[Fact]:
    """The facts of its subject with one of these predicates."""
    return (draft.facts[each] for name in predicates for each in draft.by_predicate.get((fact.subject_id, name), ()))


def _events(draft: Draft, fact: Fact) -> Iterator[tuple[Fact, Fact]]:
    """(event, state), one of them this fact: events and states at other sensitivities that such an event may end."""
    for other in _told_by(draft, fact, closes(fact.predicate)):
        if other.sensitivity != fact.sensitivity:
            yield fact, other
    for other in _told_by(draft, fact, closers(fact.predicate)):
        if other.sensitivity != fact.sensitivity:
            yield other, fact


def _succeed(draft: Draft, state: Fact, event: Fact) -> None:
    """Let a state be over with an event that ends it, unless later words vouch for it again."""
    over = Link("supersedes", event.fact_id, state.fact_id)
    if ends(event, state) and last_point(draft, state) < point_of(event):
        link(draft, "supersedes", event.fact_id, state.fact_id)
    elif over in draft.links:
        draft.put("unlinked", over, None)


def _line_up(turn: Turn, fact: Fact) -> None:
    """Link everything in the slot of a fact with what was asserted next against it at each other sensitivity.

    Next is by the last words that vouch for each: a value that was affirmed again has outlived what was said between.
    """
    slot, draft = slot_of(fact), turn.draft
    ours = chain_of(draft, fact.subject_id, slot, fact.sensitivity)
    for level in Sensitivity:
        theirs = chain_of(draft, fact.subject_id, slot, level) if level != fact.sensitivity else []
        if ours and theirs:
            _link_chains(draft, ours, theirs)


def _link_chains(draft: Draft, ours: Sequence[Fact], theirs: Sequence[Fact]) -> None:
    """Let the links between two chains be those of what follows what, and no others."""
    wanted = {(after.fact_id, before.fact_id) for before, after in _followers(draft, [*ours, *theirs])}
    one, other = ({each.fact_id for each in chain} for chain in (ours, theirs))
    for each in [
        each for each in draft.links if each.kind == "supersedes" and (each.from_id, each.to_id) not in wanted
    ]:
        if (each.from_id in one and each.to_id in other) or (each.from_id in other and each.to_id in one):
            draft.put("unlinked", each, None)
    for after, before in sorted(wanted):
        link(draft, "supersedes", after, before)


def _followers(draft: Draft, facts: Sequence[Fact]) -> Iterator[tuple[Fact, Fact]]:
    """Facts, and the next against each at the other sensitivity, by the last time that each was asserted."""
    line = sorted(facts, key=lambda each: (last_point(draft, each), each.sensitivity, each.fact_id))
    for place, fact in enumerate(line):
        later = (line[each] for each in range(place + 1, len(line)))
        after = next((each for each in later if each.sensitivity != fact.sensitivity and contrary(fact, each)), None)
        if after is not None:
            yield fact, after
