"""Across sensitivities: a fact is linked with the facts it follows, ends or denies at others, and changes none of them.

Who sees both takes for what holds on a day whatever was asserted last up to then (`memory.retrieval.beliefs`); who sees
one sees it as if it were alone. The first words against a fact after its own last supersede it; those between its own
interrupt it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from operator import itemgetter

from memory.model.changes import Change, key_of
from memory.model.facts import AGAINST, Evidence, Fact, Link
from memory.model.scopes import Sensitivity
from memory.model.working_set import Draft
from memory.rules.agreement import opposes
from memory.rules.ending import ends, moment_of
from memory.rules.slots import assertions_of, chain_of, contrary, points_of, settle, slot_of
from memory.rules.turn import Meeting, TurnState
from memory.rules.versions import link
from memory.words.points import Point, thing
from memory.words.predicates import closers, closes, opposite


def link_levels(turn: TurnState, met: Meeting, fact: Fact, changes: Sequence[Change]) -> None:
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


def settle_slots(turn: TurnState, facts: Sequence[Fact]) -> None:
    """Settle the slots that facts belong to, or did: one value at a time, and in line with events and words of other
    sensitivities.

    The same value twice is no change and is left to the merging of duplicates.
    """
    for fact in {(each.subject_id, each.predicate, slot_of(each), each.sensitivity): each for each in facts}.values():
        settle(turn, fact)
        _line_up(turn, fact)
    for fact in facts:
        _part(turn.draft, fact)
    _follow_events(turn.draft, [*(each.fact_id for each in facts), *_changed(turn.draft.changes)])


def _part(draft: Draft, fact: Fact) -> None:
    """Forget what other sensitivities had against a fact, or it against them, when it is of somebody else now."""
    for each in draft.links_of(fact.fact_id):
        other = draft.facts.get(each.from_id if each.to_id == fact.fact_id else each.to_id)
        across = other is not None and other.sensitivity != fact.sensitivity and other.subject_id != fact.subject_id
        if across and each.kind in AGAINST:
            draft.put("unlinked", each, None)


def _changed(changes: Sequence[Change]) -> Iterator[str]:
    """The facts of which these changes are: heard, split, ended, resumed or vouched for by other words."""
    return (each.row.fact_id for each in changes if isinstance(each.row, Fact | Evidence))


def _follow_events(draft: Draft, fact_ids: Iterable[str]) -> None:
    """Link the events and states at other sensitivities with the facts that have changed."""
    for fact_id in dict.fromkeys(fact_ids):
        for event, state in _events(draft, draft.facts[fact_id]) if fact_id in draft.facts else ():
            _succeed(draft, state, event)


def _concerned(turn: TurnState, fact: Fact) -> Iterator[Fact]:
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
    """Let a state be over with an event that ends it, unless later words vouch for it again: up to those."""
    wanted = set()
    if ends(event, state):
        kind = "supersedes" if points_of(draft, state)[-1] < moment_of(event) else "interrupts"
        wanted = {Link(kind, event.fact_id, state.fact_id)}
    both = {Link(kind, event.fact_id, state.fact_id) for kind in AGAINST}
    _relink(draft, both & draft.links, wanted)


def _line_up(turn: TurnState, fact: Fact) -> None:
    """Link everything in the slot of a fact with what was asserted next against it at each other sensitivity."""
    slot, draft = slot_of(fact), turn.draft
    ours = chain_of(draft, fact.subject_id, slot, fact.sensitivity)
    for level in Sensitivity:
        theirs = chain_of(draft, fact.subject_id, slot, level) if level != fact.sensitivity else []
        if ours and theirs:
            _link_chains(draft, ours, theirs)


def _link_chains(draft: Draft, ours: Sequence[Fact], theirs: Sequence[Fact]) -> None:
    """Let the links between two chains be those of what follows what, and no others."""
    one, other = ({each.fact_id for each in chain} for chain in (ours, theirs))
    known = {each for identity in one for each in draft.links_of(identity) if each.kind in AGAINST}
    between = {each for each in known if {each.from_id, each.to_id} & other}
    _relink(draft, between, {*_followers(draft, ours, theirs), *_followers(draft, theirs, ours)})


def _relink(draft: Draft, known: Set[Link], wanted: Set[Link]) -> None:
    for each in sorted(known - wanted, key=key_of):
        draft.put("unlinked", each, None)
    for each in sorted(wanted - known, key=key_of):
        draft.put("linked", None, each)


def _followers(draft: Draft, chain: Sequence[Fact], other: Sequence[Fact]) -> Iterator[Link]:
    """What speaks against each fact of a chain first after each of its own words, and before the next of them."""
    line = assertions_of(draft, other)
    # a denial speaks against the same value alone: hundreds of them are not compared with one another
    values, same = [each for each in line if each[1].polarity], defaultdict[tuple[str, ...], list[_Said]](list)
    for each in line:
        same[thing(each[1].object)].append(each)
    for fact in chain:
        near = same[thing(fact.object)]
        among = (values, near) if fact.polarity else (near,)
        own = points_of(draft, fact)
        for since, until in zip(own, (*own[1:], None), strict=True):
            found = [_next_against(fact, since, until, said) for said in among]
            after = min((each for each in found if each is not None), key=_order, default=None)
            if after is not None:
                yield Link("supersedes" if until is None else "interrupts", after[1].fact_id, fact.fact_id)


_Said = tuple[Point, Fact]


def _order(said: _Said) -> tuple[Point, str]:
    return said[0], said[1].fact_id


def _next_against(fact: Fact, since: Point, until: Point | None, among: Sequence[_Said]) -> _Said | None:
    """The first of these, in their order, that speaks against a fact between two of its assertions."""
    for place in range(bisect_right(among, since, key=itemgetter(0)), len(among)):
        if until is not None and among[place][0] > until:
            return None
        if contrary(fact, among[place][1]):
            return among[place]
    return None
