"""Across sensitivities: a fact is linked with the facts it follows, ends or denies at others, and changes none of them.

Who sees both takes the later for what holds (`memory.retrieval.beliefs`); who sees one sees it as if it were alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory.model.facts import Fact
from memory.model.scopes import Sensitivity
from memory.rules.agreement import opposes, same_thing
from memory.rules.ending import ends
from memory.rules.slots import chain_of, order_of, slot_of
from memory.rules.turn import Meeting, Turn
from memory.rules.versions import link
from memory.words.predicates import closers, closes, opposite


def link_levels(turn: Turn, met: Meeting, fact: Fact) -> None:
    """Link a fact that was just heard with the facts of its subject at other sensitivities."""
    others = [each for each in _concerned(turn, fact) if each.sensitivity != fact.sensitivity]
    if not others or not fact.believed:
        return
    _unlink_overtaken(turn, fact)
    for older, newer in _succession(turn, fact, others):
        link(turn.draft, "supersedes", newer.fact_id, older.fact_id)
    for other in others:
        if other.status == "active" and opposes(met.claim, other):
            link(turn.draft, "disputes", fact.fact_id, other.fact_id)
            link(turn.draft, "disputes", other.fact_id, fact.fact_id)


def _concerned(turn: Turn, fact: Fact) -> Iterator[Fact]:
    """The facts of its subject, with its predicate or one that ends it, is ended by it or is its opposite."""
    if fact.predicate is None:
        return
    names = (fact.predicate, opposite(fact.predicate), *closes(fact.predicate), *closers(fact.predicate))
    for name in dict.fromkeys(each for each in names if each):
        yield from (turn.draft.facts[each] for each in turn.draft.by_predicate.get((fact.subject_id, name), ()))


def _succession(turn: Turn, fact: Fact, others: Sequence[Fact]) -> Iterator[tuple[Fact, Fact]]:
    """(older, newer), one of them this fact: the values next to it in a slot, and events and the states they end."""
    for level in Sensitivity:
        values = _values(turn, fact, level) if level != fact.sensitivity else []
        yield from ((each, fact) for each in [each for each in values if order_of(each) < order_of(fact)][-1:])
        yield from ((fact, each) for each in [each for each in values if order_of(each) > order_of(fact)][:1])
    for other in others:
        if other.predicate in closes(fact.predicate) and other.status == "active" and ends(fact, other):
            yield other, fact
        if other.predicate in closers(fact.predicate) and ends(other, fact):
            yield fact, other


def _values(turn: Turn, fact: Fact, level: Sensitivity) -> list[Fact]:
    """The other values that its slot has or had by words of a sensitivity, by valid time."""
    slot = slot_of(fact.predicate, fact.slot)
    if slot is None or not (fact.object and fact.polarity):
        return []
    chain = chain_of(turn.draft, fact.subject_id, slot, level)
    return [each for each in chain if not same_thing(each.object, fact.object)]


def _unlink_overtaken(turn: Turn, fact: Fact) -> None:
    """Older words may have let a fact begin before one that it was thought to follow."""
    draft = turn.draft
    for each in [
        each for each in draft.links if each.kind == "supersedes" and fact.fact_id in (each.from_id, each.to_id)
    ]:
        newer, older = draft.facts.get(each.from_id), draft.facts.get(each.to_id)
        if newer and older and newer.sensitivity != older.sensitivity and order_of(newer) < order_of(older):
            draft.put("unlinked", each, None)
