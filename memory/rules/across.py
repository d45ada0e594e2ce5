"""Across sensitivities: a fact is linked with the facts it follows, ends or denies at others, and changes none of them.

Who sees both takes for what holds whatever was asserted last (`memory.retrieval.beliefs`); who sees one sees it as if
it were alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from memory.model.changes import Change, key_of
from memory.model.facts import Evidence, Fact, Link
from memory.model.scopes import Sensitivity
from memory.model.working_set import Draft
from memory.rules.agreement import opposes, thing
from memory.rules.ending import ends, point_of
from memory.rules.slots import Point, chain_of, contrary, last_point, settle, slot_of
from memory.rules.turn import Meeting, Turn
from memory.rules.versions import link
from memory.words.predicates import closers, closes, opposite

Asserted = tuple[Point, str, Fact]
"""When a fact was asserted last, its id, and itself."""


def link_levels(turn: Turn, met: Meeting, fact: Fact, changes: Sequence[Change]) -> None:
    """Link a fact that was just heard, by these changes, with the facts of its subject at other sensitivities."""
    others = [each for each in _concerned(turn, fact) if each.sensitivity != fact.sensitivity]
    if not others:
        return
    _line_up(turn, fact)
    _follow_events(turn.draft, [fact.fact_id, *_changed(changes)])
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
    _follow_events(turn.draft, [*(each.fact_id for each in facts), *_changed(turn.draft.changes)])


def _changed(changes: Sequence[Change]) -> Iterator[str]:
    """The facts of which these changes are: heard, split, ended, resumed or vouched for by other words."""
    return (each.row.fact_id for each in changes if isinstance(each.row, Fact | Evidence))


def _follow_events(draft: Draft, fact_ids: Iterable[str]) -> None:
    """Link the events and states at other sensitivities with the facts that have changed."""
    for fact_id in dict.fromkeys(fact_ids):
        for event, state in _events(draft, draft.facts[fact_id]) if fact_id in draft.facts else ():
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
    wanted = {Link("supersedes", after, before) for after, before in _followers(draft, ours, theirs)}
    one, other = ({each.fact_id for each in chain} for chain in (ours, theirs))
    known = {each for identity in one for each in draft.links_of(identity) if each.kind == "supersedes"}
    for each in sorted(known - wanted, key=key_of):
        if {each.from_id, each.to_id} & other:
            draft.put("unlinked", each, None)
    for each in sorted(wanted - known, key=key_of):
        draft.put("linked", None, each)


def _followers(draft: Draft, ours: Sequence[Fact], theirs: Sequence[Fact]) -> Iterator[tuple[str, str]]:
    """(after, before), by id: each fact, and the next against it in the other chain, by when each was asserted last."""
    for chain, other in ((ours, theirs), (theirs, ours)):
        line = sorted(((last_point(draft, each), each.fact_id, each) for each in other), key=itemgetter(0, 1))
        # a denial speaks against the same value alone: hundreds of them are not compared with one another
        values, same = [each for each in line if each[2].polarity], defaultdict[tuple[str, ...], list[Asserted]](list)
        for each in line:
            same[thing(each[2].object)].append(each)
        for fact in chain:
            near = same[thing(fact.object)]
            since = last_point(draft, fact)
            found = [_next_against(fact, since, among) for among in ((values, near) if fact.polarity else (near,))]
            after = min((each for each in found if each is not None), key=itemgetter(0, 1), default=None)
            if after is not None:
                yield after[1], fact.fact_id


def _next_against(fact: Fact, since: Point, among: Sequence[Asserted]) -> Asserted | None:
    """The first of these, in their order, that speaks against a fact and was asserted after it."""
    first = bisect_right(among, since, key=itemgetter(0))
    later = (among[place] for place in range(first, len(among)))
    return next((each for each in later if contrary(fact, each[2])), None)
