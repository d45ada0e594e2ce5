"""What lies above a caller's clearance, or in a team that is not theirs, changes no bit of an answer."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model.facts import Link
from memory.model.scopes import Sensitivity, View
from tests.unit.retrieval.rows import Row
from tests.unit.retrieval.worlds import DAY, NOON, Heard, World, fact, person

WORDS = ("Nora", "Ghent", "Antwerp", "tea", "choir", "violin", "lives", "moved", "works", "Quinn")
QUESTIONS = ("Where does Nora live now?", "What did Nora Quinn play?", "Who sings in the choir in Ghent?")
SECRET = Sensitivity.SENSITIVE
PLACES = st.sampled_from([(SECRET, "user:ann"), (Sensitivity.OPEN, "team:band"), (Sensitivity.PRIVATE, "user:ann")])
"""Where an asker with open clearance and no team does not look."""

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
subjects = st.sampled_from(["e-1", "e-2"])
mentioned = st.sets(subjects, max_size=2).map(lambda found: tuple(sorted(found)))


@st.composite
def open_worlds(draw) -> World:
    count = draw(st.integers(1, 7))
    rows = [Row(n, draw(texts), source=n % 3, order=n, at=NOON - n * DAY) for n in range(1, count + 1)]
    heard = tuple(Heard(row, mentions=draw(mentioned)) for row in rows)
    facts = tuple(
        fact(f"f-{n}", draw(texts), draw(subjects), valid_from=NOON - n * DAY) for n in range(draw(st.integers(0, 5)))
    )
    keys = st.lists(st.sampled_from([None, *range(1, count + 1)]), max_size=3, unique=True)
    grounds = {one.fact_id: draw(keys) for one in facts}
    entities = (person("e-1", "Nora", is_owner=draw(st.booleans())), person("e-2", "Ghent"))
    return World(heard, entities, facts, grounds)


@st.composite
def with_secrets(draw, world: World) -> World:
    """The same world and more of it, out of sight: told last, or mixed in among the rest."""
    places = [draw(PLACES) for _ in range(draw(st.integers(1, 5)))]
    hidden = [
        Heard(Row(100 + n, draw(texts), source=50 + n), level, scope, (*draw(mentioned), "e-9"))
        for n, (level, scope) in enumerate(places)
    ]
    keys = [one.row.key for one in hidden]
    secret_facts = [
        fact(f"g-{n}", draw(texts), draw(st.sampled_from(["e-1", "e-2", "e-9"])), sensitivity=SECRET, valid_from=NOON)
        for n in range(draw(st.integers(1, 4)))
    ]
    grounds = {**world.grounds, **{one.fact_id: [draw(st.sampled_from(keys))] for one in secret_facts}}
    facts, links = [], set()
    for one in world.facts:
        if grounds[one.fact_id] and draw(st.booleans()):  # more words for it, out of sight
            grounds[one.fact_id] = [*grounds[one.fact_id], draw(st.sampled_from(keys))]
        fate = draw(st.sampled_from(["active", "superseded", "invalidated"]))
        if fate != "active":
            links.add(Link("supersedes", draw(st.sampled_from(secret_facts)).fact_id, one.fact_id))
        facts.append(one if fate == "active" else replace(one, status=fate, valid_to=NOON, version=2))
    namesake = person("e-9", draw(st.sampled_from(["Nora Quinn", "Choir", "Tea"])), sensitivity=SECRET)
    return World(
        heard=tuple(draw(st.permutations([*world.heard, *hidden]))) if draw(st.booleans()) else (*hidden, *world.heard),
        entities=(namesake, *world.entities),
        facts=(*secret_facts, *facts),
        grounds=grounds,
        links=frozenset(links),
    )


@settings(max_examples=150)
@given(st.data(), open_worlds(), st.sampled_from(QUESTIONS))
def test_what_is_out_of_sight_changes_no_bit_of_an_answer(data, world, question):
    more = data.draw(with_secrets(world))
    mine, theirs = (asyncio.run(each.ask(question)) for each in (world, more))
    assert mine.keys.tolist() == theirs.keys.tolist()
    assert mine.scores.tobytes() == theirs.scores.tobytes()
    assert mine.explained == theirs.explained
    assert (mine.candidates, mine.abstained, mine.degraded) == (theirs.candidates, theirs.abstained, {})


def test_a_name_that_only_secret_words_gave_leads_nowhere():
    told = Heard(Row(1, "Nora plays the violin"), mentions=("e-1",))
    whisper = Heard(Row(2, "Nora is called Nightingale at work", source=2), SECRET, mentions=("e-1",))
    world = World((told, whisper), (person("e-1", "Nora", aliases=("Nightingale",)),))
    without = World((told,), (person("e-1", "Nora"),))
    mine, theirs = (asyncio.run(each.ask("What does Nightingale play?")) for each in (without, world))
    assert (mine.keys.tolist(), mine.scores.tobytes()) == (theirs.keys.tolist(), theirs.scores.tobytes())
    assert [one.ranks for one in mine.explained] == [one.ranks for one in theirs.explained]


def test_the_secret_itself_is_found_by_whom_may_see_it():
    world = World((Heard(Row(2, "Nora moved to Ghent"), SECRET, mentions=("e-1",)),), (person("e-1", "Nora"),))
    assert asyncio.run(world.ask("Where did Nora move?")).keys.tolist() == []
    assert asyncio.run(world.ask("Where did Nora move?", View("ann", (), SECRET))).keys.tolist() == [2]
