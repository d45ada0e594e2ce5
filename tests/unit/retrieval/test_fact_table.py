"""The table of facts follows a memory: after any turns it is what one made of the whole memory would be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model.changes import Change
from memory.model.facts import Evidence, Fact, Link
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity, View
from memory.model.working_set import WorkingSet, assemble, evolve
from memory.retrieval import columns as statement_columns
from memory.retrieval.beliefs import Beliefs, VisibleFacts
from memory.retrieval.fact_table import FactTable
from memory.retrieval.query import Probe
from memory.retrieval.segment_index import SegmentIndex
from tests.unit.retrieval.rows import Row, batch

NOON = 1_683_500_000.0
DAY = 86_400.0
FACTS, KEYS = 4, range(1, 5)
VIEWS = [View("ann", (), level) for level in Sensitivity]
STATUSES = ("active", "superseded", "invalidated", "pruned", "forgotten")


def fact(number: int, **changes: Any) -> Fact:
    first = Fact(f"f-{number}", 1, f"e-{number % 2}", f"Fact {number}.", "factual", 5, 0.9, NOON + number * DAY, NOON)
    return replace(first, **changes)


def heard() -> SegmentIndex:
    built = SegmentIndex(2)
    for key in KEYS:
        level = Sensitivity.PRIVATE if key == KEYS[-1] else Sensitivity.OPEN
        built.put("user:ann", level, batch([Row(key, f"words {key}", order=key)]))
    return built


class Life:
    """A memory that is changed turn by turn, and what follows it."""

    def __init__(self, now: WorkingSet) -> None:
        self.now = now
        self.beliefs = Beliefs(heard(), lambda _: self.now)

    def turn(self, *changes: Change) -> None:
        self.now = evolve(self.now, changes)

    def fact(self, number: int, **changed: Any) -> Change:
        known = self.now.facts.get(f"f-{number}")
        if known is None:
            return Change("stated", None, fact(number, **changed))
        return Change("revised", known, replace(known, version=known.version + 1, **changed))

    def evidence(self, number: int, key: int) -> Change:
        known = {each.segment_key: each for each in self.now.evidence.get(f"f-{number}", ())}
        if key in known:
            return Change("withdrawn", known[key], None)
        return Change("said", None, Evidence(f"f-{number}", "s", key, "so", NOON + key * DAY))

    def link(self, kind: str, later: int, earlier: int) -> Change:
        row = Link(kind, f"f-{later}", f"f-{earlier}")
        return Change("taken back", row, None) if row in self.now.links else Change("followed", None, row)


def shown(outlook: VisibleFacts) -> dict[str, Any]:
    """What is seen of each fact in sight, by its id; row numbers count nothing."""
    table = outlook.facts.table
    return {
        fact_id: (
            bool(outlook.hidden[row]),
            float(outlook.over[row]),
            table.ids[outlook.successor[row]],
            sorted(outlook.evidence(np.array([row]))[1].tolist()),
            bool(table.archived[row]),
            float(table.known_from[row]),
            {name for name, number in table.entities.items() if number in (table.subject[row], table.object[row])},
            int(outlook.facts.columns["key"][table.statement[row]]) == int(table.keys[row]),
            table.row_of[int(table.keys[row])] == row == table.number[fact_id],
        )
        for row, fact_id in enumerate(table.ids)
        if outlook.seen[row]
    }


def ended(outlook: VisibleFacts) -> Mapping[int, float]:
    return dict(zip(outlook.ended_keys.tolist(), outlook.ended.tolist(), strict=True))


def found(outlook: VisibleFacts, probe: Probe) -> list[str]:
    """The ids of the facts that are found, in the order of their ids: some are equally good."""
    rows, _ = outlook.facts.best(probe, outlook.begun(probe.as_of))
    return sorted(outlook.facts.table.ids[row] for row in rows)


def check(life: Life) -> None:
    """It is what somebody sees who reads the whole memory now."""
    fresh = Beliefs(life.beliefs.segment_index, lambda _: life.now)
    for view in VIEWS:
        for when in (None, NOON + 3 * DAY):
            one, other = life.beliefs.outlook(view, when, when), fresh.outlook(view, when, when)
            assert one is not None
            assert other is not None
            assert shown(one) == shown(other)
            assert ended(one) == ended(other)
            for probe in (Probe("fact"), Probe("fact", as_of=NOON + 3 * DAY)):
                assert found(one, probe) == found(other, probe)


NUMBER = st.integers(1, FACTS)
ACTS = st.one_of(
    st.tuples(st.just("status"), NUMBER, st.sampled_from(STATUSES)),
    st.tuples(st.just("state"), NUMBER, st.sampled_from(("candidate", "archived"))),
    st.tuples(st.just("sensitivity"), NUMBER, st.sampled_from(list(Sensitivity))),
    st.tuples(st.just("statement"), NUMBER, st.sampled_from(("Fact one.", "Another fact."))),
    st.tuples(st.just("valid_to"), NUMBER, st.sampled_from((None, NOON + 9 * DAY))),
    st.tuples(st.just("evidence"), NUMBER, st.sampled_from(list(KEYS))),
    st.tuples(st.sampled_from(("supersedes", "interrupts")), NUMBER, NUMBER),
    st.tuples(st.just("look"), NUMBER, NUMBER),
)


@settings(max_examples=60)
@given(st.lists(ACTS, max_size=14), st.booleans())
def test_after_any_turns_the_table_is_what_the_whole_memory_gives(acts: list[tuple[Any, ...]], looks: bool) -> None:
    life = Life(assemble("ann", 1, Profile(), [fact(1), fact(2), Evidence("f-1", "s", 1, "so", NOON)]))
    for what, number, value in acts:
        if what == "look":
            check(life)
        elif what == "evidence":
            life.turn(life.evidence(number, value))
        elif what in ("supersedes", "interrupts"):
            if number != value:
                life.turn(life.link(what, number, value))
        else:
            life.turn(life.fact(number, **{what: value}))
        if looks:
            check(life)
    check(life)


def test_what_is_gone_leaves_no_trace_once_statements_are_laid_out_anew(monkeypatch) -> None:
    monkeypatch.setattr(statement_columns, "SLACK_ROWS", 1)
    life = Life(assemble("ann", 1, Profile(), [fact(number) for number in range(1, FACTS + 1)]))
    check(life)
    for number in (2, 1):
        life.turn(life.fact(number, status="pruned"))
        check(life)
    assert table(life).ids == ("f-3", "f-4")
    life.turn(life.fact(2, status="active"))
    check(life)
    assert table(life).ids == ("f-3", "f-4", "f-2")


def test_words_that_are_read_later_are_evidence():
    life = grounded()
    assert grounds(life, 2) == [2]
    life.turn(life.evidence(2, 4))
    assert grounds(life, 2) == [2, 4]
    life.turn(life.evidence(2, 2), life.evidence(3, 3))
    assert (grounds(life, 1), grounds(life, 2), grounds(life, 3), grounds(life, 4)) == ([1], [4], [], [4])


def grounds(life: Life, number: int) -> list[int]:
    outlook = life.beliefs.outlook(VIEWS[-1])
    assert outlook is not None
    return sorted(outlook.evidence(np.array([table(life).number[f"f-{number}"]]))[1].tolist())


def test_what_is_gone_speaks_against_nothing_until_it_is_back():
    life = grounded()
    life.turn(life.fact(1, status="invalidated"), life.link("supersedes", 2, 1))
    check(life)
    life.turn(life.fact(2, status="pruned"))
    check(life)
    life.turn(life.fact(2, status="active"))
    check(life)


def test_what_is_back_takes_the_place_of_what_it_followed():
    life = grounded()
    life.turn(life.fact(3, status="superseded"), life.link("supersedes", 4, 3))
    check(life)
    for status in ("pruned", "active"):
        life.turn(life.fact(4, status=status))
        check(life)


def table(life: Life) -> FactTable:
    found = life.beliefs.outlook(VIEWS[-1])
    assert found is not None
    return found.facts.table


def grounded() -> Life:
    rows = [row for number in range(1, 5) for row in (fact(number), Evidence(f"f-{number}", "s", number, "so", NOON))]
    return Life(assemble("ann", 1, Profile(), rows))


def test_facts_that_are_archived_cost_nobody_a_new_look():
    life = grounded()
    before = life.beliefs.outlook(VIEWS[-1])
    life.turn(life.fact(2, state="archived", system_from=NOON + DAY))
    now = life.beliefs.outlook(VIEWS[-1])
    assert before is not None
    assert now is not None
    assert now.working_set is life.now
    assert table(life).archived[table(life).number["f-2"]]
    assert now.over is before.over
    assert now.grounds is before.grounds


def test_facts_that_are_pruned_leave_the_other_rows_where_they_are():
    life = grounded()
    before = table(life)
    life.turn(life.fact(2, status="pruned"))
    now = table(life)
    assert now.ids is before.ids
    assert now.grounds_key is before.grounds_key
    assert now.begun is not before.begun
    assert before.believed.all(), "whoever still reads the last one reads what it was"
