"""What one view sees of the facts: which hold, since when not, and what answers in the place of what gave way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model.facts import Link
from memory.model.scopes import Sensitivity, View
from memory.retrieval.beliefs import LONGEST_CHAIN
from memory.retrieval.bm25 import Bm25Rules, bm25
from memory.retrieval.candidates import best_first
from memory.retrieval.columns import ScopeColumns
from memory.retrieval.query import Probe
from memory.words.stems import query_terms
from tests.unit.retrieval.rows import Row, batch
from tests.unit.retrieval.worlds import DAY, ENCODER, NOON, OPEN, Heard, World, fact, person

MOVED = NOON + 30 * DAY
LATER = NOON + 60 * DAY
ALL = View("ann", (), Sensitivity.SENSITIVE)

NORA = person("e-1", "Nora")
THERE = Row(1, "I live in Antwerp", speaker="Nora", role="user", at=NOON, known_from=NOON)
MOVES = Row(2, "I moved to Ghent", source=2, speaker="Nora", role="user", at=MOVED, known_from=MOVED)
ANTWERP = fact("f-antwerp", "Nora lives in Antwerp.", predicate="lives_in", object="Antwerp", valid_from=NOON)
CLOSED = replace(ANTWERP, version=2, status="superseded", valid_to=MOVED, system_from=MOVED)
GHENT = fact("f-ghent", "Nora moved to Ghent.", predicate="moved_to", valid_from=MOVED, system_from=MOVED)
AFTER = frozenset({Link("supersedes", "f-ghent", "f-antwerp")})


def nora(level: Sensitivity = Sensitivity.OPEN) -> World:
    """Nora lived in Antwerp and moved to Ghent; that she moved may be a secret."""
    return World(
        heard=(Heard(THERE, mentions=("e-1",)), Heard(MOVES, level, mentions=("e-1",))),
        entities=(NORA,),
        facts=(CLOSED, replace(GHENT, sensitivity=level)),
        grounds={"f-antwerp": [1], "f-ghent": [2]},
        links=AFTER,
    )


@pytest.mark.parametrize(
    "question", ["Where does Nora live now?", "Where does Nora live?", "Is Nora living in Antwerp?"]
)
async def test_asked_about_the_present_what_holds_comes_before_what_gave_way(question):
    found = await nora().ask(question, now=LATER)
    assert found.keys.tolist() == [2, 1]
    assert found.explained[1].contributions["overtaken"] < 0


@pytest.mark.parametrize(
    "question", ["Where did Nora live before?", "Where was Nora living?", "Nora living in Antwerp"]
)
async def test_asked_about_the_past_what_gave_way_is_not_held_back(question):
    found = await nora().ask(question, now=LATER)
    assert found.keys.tolist() == [1, 2]
    assert all("overtaken" not in one.contributions for one in found.explained)


async def test_at_an_earlier_moment_the_present_was_another():
    found = await nora().ask("Where does Nora live now?", now=LATER, as_of=MOVED - DAY)
    assert found.keys.tolist() == [1]
    assert "overtaken" not in found.explained[0].contributions


async def test_what_was_learnt_later_overtakes_nothing_known_by_then():
    found = await nora().ask("Where does Nora live now?", now=LATER, known_as_of=MOVED - DAY)
    assert found.keys.tolist() == [1]
    assert "overtaken" not in found.explained[0].contributions
    assert found.explained[0].ranks.keys() >= {"hot", "graph"}


async def test_who_does_not_see_that_she_moved_is_told_where_she_lived():
    found = await nora(Sensitivity.SENSITIVE).ask("Where does Nora live now?", now=LATER)
    assert found.keys.tolist() == [1]
    assert "overtaken" not in found.explained[0].contributions


async def test_a_segment_that_says_something_that_still_holds_is_not_overtaken():
    world = nora()
    tea = fact("f-tea", "Nora likes tea.")
    world = replace(world, facts=(*world.facts, tea), grounds={**world.grounds, "f-tea": [1]})
    found = await world.ask("Where does Nora live now?", now=LATER)
    assert all("overtaken" not in one.contributions for one in found.explained)


def outlook(world: World, view: View = OPEN, **changes):
    found = world.beliefs().outlook(view, **changes)
    assert found is not None
    return found


def test_since_when_nothing_holds():
    seen = outlook(nora())
    assert seen.over_since(np.array([2, 1, 77])).tolist() == [np.inf, MOVED, np.inf]
    blind = outlook(nora(Sensitivity.SENSITIVE))
    assert blind.over_since(np.array([1])).tolist() == [np.inf]


def test_heirs_follow_the_chain_as_far_as_it_had_come():
    world = nora()
    third = fact("f-rome", "Nora moved to Rome.", predicate="moved_to", valid_from=LATER)
    ghent = replace(GHENT, status="superseded", valid_to=LATER, version=2)
    links = AFTER | {Link("supersedes", "f-rome", "f-ghent")}
    seen = outlook(replace(world, facts=(CLOSED, ghent, third), links=links))
    number = seen.facts.table.number
    first = np.array([number["f-antwerp"]])
    ends = [seen.facts.table.ids[seen.heirs(first, moment)[0]] for moment in (NOON, MOVED, LATER)]
    assert ends == ["f-antwerp", "f-ghent", "f-rome"]


def test_heirs_follow_a_long_chain_to_its_end():
    towns, last = range(LONGEST_CHAIN), LONGEST_CHAIN - 1
    told = (fact(f"f-{n}", f"Nora moved to town {n}.", predicate="moved_to", valid_from=NOON + n * DAY) for n in towns)
    facts = [replace(each, status="superseded", valid_to=each.valid_from + DAY) for each in told]
    facts[last] = replace(facts[last], status="active", valid_to=None)
    links = frozenset(Link("supersedes", f"f-{n + 1}", f"f-{n}") for n in towns[:-1])
    seen = outlook(World(facts=tuple(facts), entities=(NORA,), links=links))
    number = seen.facts.table.number
    for days in (0, 3, last):
        assert seen.heirs(np.array([number["f-0"]]), NOON + days * DAY).tolist() == [number[f"f-{days}"]]


def test_a_circle_of_supersession_ends():
    one, other = (replace(fact(f"f-{n}", f"Word {n}."), status="superseded") for n in (1, 2))
    links = frozenset({Link("supersedes", "f-1", "f-2"), Link("supersedes", "f-2", "f-1")})
    seen = outlook(World(facts=(one, other), entities=(NORA,), links=links))
    assert sorted(seen.heirs(np.array([0, 1]), LATER).tolist()) == [0, 1]


def test_what_was_taken_back_bears_on_nothing_unless_what_spoke_against_it_is_out_of_sight():
    gone = replace(ANTWERP, status="invalidated", version=2)
    world = replace(nora(Sensitivity.SENSITIVE), facts=(gone, replace(GHENT, sensitivity=Sensitivity.SENSITIVE)))
    antwerp = world.beliefs().facts_of("ann").table.number["f-antwerp"]
    assert outlook(world).seen[antwerp]
    assert not outlook(world, ALL).seen[antwerp]
    assert not outlook(replace(world, links=frozenset())).seen[antwerp]


def test_a_fact_that_has_not_begun_is_not_valid_then():
    plan = fact("f-plan", "Nora starts at the museum.", valid_from=LATER)
    seen = outlook(World(facts=(plan,), entities=(NORA,)))
    assert seen.begun(None).tolist() == [True]
    assert seen.begun(MOVED).tolist() == [False]


def test_a_fact_is_known_from_its_first_version_or_from_the_words_it_rests_on():
    seen = outlook(nora(), known_as_of=MOVED - DAY)
    known = {fact_id for fact_id, row in seen.facts.table.number.items() if seen.seen[row]}
    assert known == {"f-antwerp"}  # revised since, but its words were there


def test_an_outlook_is_kept_until_facts_or_segments_change():
    beliefs = nora().beliefs()
    first = beliefs.outlook(OPEN)
    assert beliefs.outlook(OPEN) is first
    beliefs.segment_index.put("user:ann", Sensitivity.OPEN, batch([Row(3, "tea")]))
    assert beliefs.outlook(OPEN) is not first


words = st.lists(st.sampled_from(["nora", "ghent", "tea", "choir", "violin", "sings"]), min_size=1, max_size=5)


@settings(max_examples=60)
@given(st.lists(words.map(" ".join), min_size=1, max_size=12), st.data())
def test_matching_agrees_with_columns_that_hold_nothing_else(statements, data):
    """Leaving facts out by a mask gives the very scores of columns in which they never were."""
    facts = tuple(fact(f"f-{n}", text) for n, text in enumerate(statements))
    kept = data.draw(st.sets(st.sampled_from(facts), min_size=1))
    whole = World(facts=facts, entities=(NORA,)).beliefs().facts_of("ann")
    fewer = World(facts=tuple(one for one in facts if one in kept), entities=(NORA,)).beliefs().facts_of("ann")
    among = np.array([fact_id in {one.fact_id for one in kept} for fact_id in whole.table.ids])
    probe = Probe("Nora sings in the choir", ENCODER.embed(["Nora sings in the choir"])[0])
    mine, scores = whole.best(probe, among)
    theirs, others = fewer.best(probe, np.ones(len(kept), np.bool_))
    assert [whole.table.ids[row] for row in mine] == [fewer.table.ids[row] for row in theirs]
    assert scores.tobytes() == others.tobytes()


@settings(max_examples=60)
@given(st.lists(words.map(" ".join), min_size=1, max_size=12))
def test_matching_agrees_with_a_plain_reference(statements):
    """Reciprocal ranks of BM25 and of cosines, computed the long way."""
    text = "Nora sings in the choir"
    columns = ScopeColumns(ENCODER.dimensions)
    facts = [fact(f"f-{n}", words) for n, words in enumerate(statements)]
    held = World(facts=tuple(facts), entities=(NORA,)).beliefs().facts_of("ann")
    keys = {one.fact_id: int(held.table.keys[held.table.number[one.fact_id]]) for one in facts}
    columns.put(batch([Row(keys[one.fact_id], one.statement, keys[one.fact_id], speaker="", date="") for one in facts]))
    by_words = bm25([columns], query_terms(text, ("en",)), Bm25Rules(neighbours=False))[0]
    cosines = ENCODER.embed(statements) @ ENCODER.embed([text])[0]
    wanted: dict[int, float] = {}
    for some, values in (
        (columns["key"][by_words > 0], by_words[by_words > 0]),
        (np.array([keys[one.fact_id] for one in facts]), np.round(cosines, 6)),
    ):
        for rank, row in enumerate(best_first(some, values, 50), start=1):
            wanted[int(some[row])] = wanted.get(int(some[row]), 0) + 20 / (20 + rank)
    rows, scores = held.best(Probe(text, ENCODER.embed([text])[0]), np.ones(len(facts), np.bool_))
    found = dict(zip(held.table.keys[rows].tolist(), scores.tolist(), strict=True))
    assert found == pytest.approx(wanted)


LATE = Heard(Row(3, "Nora lives in Ghent", source=3, at=LATER, known_from=LATER), mentions=("e-1",))


@pytest.mark.parametrize("changes", [{"known_as_of": LATER - DAY}, {"as_of": LATER - DAY}])
async def test_no_leg_looks_past_the_moment_it_is_asked_about(changes):
    ghent = fact("f-late", "Nora lives in Ghent.", valid_from=LATER, system_from=LATER)
    world = nora()
    world = replace(
        world, heard=(*world.heard, LATE), facts=(*world.facts, ghent), grounds={**world.grounds, "f-late": [3]}
    )
    now = await world.ask("Where does Nora live?", now=LATER)
    assert {leg for one in now.explained if one.key == 3 for leg in one.ranks} == {"text", "vectors", "graph", "hot"}
    then = await world.ask("Where does Nora live?", now=LATER, **changes)
    before = await nora().ask("Where does Nora live?", now=LATER, **changes)
    assert then.keys.tolist() == before.keys.tolist()
    assert [(one.ranks.get("hot"), one.ranks.get("graph")) for one in then.explained] == [
        (one.ranks.get("hot"), one.ranks.get("graph")) for one in before.explained
    ]
