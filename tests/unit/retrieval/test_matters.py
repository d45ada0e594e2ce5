"""A later wish on the same matter, or words that take a wish back, end it; nothing else does."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model.scopes import Sensitivity, View
from memory.model.sources import ROLES
from memory.model.timeline import Interval
from memory.retrieval.explain import explain
from memory.retrieval.matters import ended
from memory.retrieval.query import Probe
from memory.retrieval.routing import route
from memory.retrieval.segment_index import SegmentIndex
from memory.retrieval.standing import MemoryStanding
from memory.retrieval.weighting import Case, Contributions
from memory.retrieval.wishes import LIFTING, spoken_in, wish
from tests.unit.retrieval.rows import Row, batch
from tests.unit.retrieval.test_weighting import traits

USER, OWNER = ROLES.index("user"), View("ann")
HOW = "How do I rename these files?"
NOON = 1_683_500_000.0


def over(*said: str) -> dict[int, int]:
    """Numbers of what is over, from 1, and of what ended it."""
    return ended([(key, spoken_in(text)) for key, text in enumerate(said, 1) if wish(text, USER)])


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("From now on, answer in German.", "You can answer in English again."),
        ("From now on, answer in German.", "Please forget what I said about German."),
        ("From now on, answer in German.", "Okay, let's switch back to English."),
        ("From now on, answer in German.", "You may speak English again."),
        ("Please always reply in German.", "From now on, write in French."),
        ("Always use emojis.", "Never use emojis."),
        ("Always use emojis.", "Please stop using emojis."),
        ("Always use emojis.", "I don't want emojis any more."),
        ("Always remind me to drink water.", "I don't want to be reminded to drink water any more."),
        ("Never use emojis.", "You can use emojis again."),
        ("Always give the tide times when I ask about beaches.", "You don’t need to give the tide times any more."),
        ("Always give the tide times when I ask about beaches.", "Ignore my earlier instruction about beaches."),
        ("Never use tables when I ask about costs.", "Always use tables when I ask about costs."),
        ("Always use metric units.", "From now on use imperial units."),
        ("From now on, keep it short.", "From now on, give detailed answers. Always answer in detail."),
        ("Please call me Sam.", "Please call me Alex."),
        ("Bitte immer auf Deutsch antworten.", "Du kannst wieder auf Englisch antworten."),
        ("Bitte immer auf Deutsch antworten.", "Vergiss, was ich über Deutsch gesagt habe."),
        ("Bitte immer Quellen angeben.", "Du brauchst nicht mehr Quellen angeben."),
        ("Bitte immer Quellen angeben.", "Du musst keine Quellen mehr angeben."),
        ("Bitte nie Emojis verwenden.", "Du kannst Emojis wieder verwenden."),
    ],
)
def test_what_ends_a_wish(earlier, later):
    assert over(earlier, later) == {1: 2}
    assert 1 not in over(earlier)
    assert over(later, earlier).get(2) is None


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("From now on, answer in German.", "Always answer in German."),
        ("From now on, answer in German.", "How do I say that in English again?"),
        ("From now on, answer in German.", "I forget what I said about German."),
        ("Always print recipes with metric weights.", "No more recipes today, please."),
        ("Always print recipes with metric weights.", "Please stop writing recipes."),
        ("Always use metric units when I ask about recipes.", "Always use imperial units when I ask about travel."),
        ("Always use emojis when I ask about birthdays.", "Never use emojis when I ask about work."),
        ("Always use emojis.", "You don't need to fret about emojis any more."),
        ("Always use emojis.", "Never mind."),
        ("Always use emojis.", "I don't need that."),
        ("Always answer in German.", "I don't want to answer that."),
        ("Always remind me to drink water.", "I don't need to drink water."),
        ("Always use emojis. Never use tables.", "Please stop using emojis."),
        ("I prefer tea.", "I prefer coffee."),
        ("Always use emojis.", "You can do that again."),
    ],
)
def test_what_ends_none(earlier, later):
    assert over(earlier, later) == {}


def test_only_what_came_before_is_over_and_by_the_first_that_ends_it():
    said = ["Stop using emojis.", "Always use emojis.", "Stop using emojis.", "No more emojis.", "Always use emojis."]
    assert over(*said) == {2: 3}
    assert over("Always use emojis. Never use tables.", "Stop using emojis.", "You can use tables again.") == {1: 3}


@pytest.mark.parametrize("text", ["Stop using emojis.", "You can answer in English again."])
def test_what_only_takes_back_is_no_wish(text):
    assert wish(text, USER) == LIFTING
    assert wish(text, ROLES.index("assistant")) == 0


@given(
    st.lists(
        st.sampled_from(
            [
                "Always use emojis.",
                "Never use emojis.",
                "Stop using emojis.",
                "You can use emojis again.",
                "Tea is warm.",
            ]
        ),
        max_size=12,
    )
)
def test_of_two_that_exclude_each_other_at_most_one_stands(said):
    gone = over(*said)
    standing = {text for key, text in enumerate(said, 1) if key not in gone and wish(text, USER) not in (0, LIFTING)}
    assert len(standing) <= 1
    assert all(key < by for key, by in gone.items())


@pytest.mark.parametrize("text", ["you don't need to ", "you can ", "i don't want ", "stop using ", "forget my "])
def test_long_sentences_take_no_longer_than_short_ones(text):
    began = time.perf_counter()
    spoken_in(text * 20_000)
    assert time.perf_counter() - began < 20, "quadratic, it would take minutes"


SAID = (
    "Always answer in German.",
    "You can answer in English again.",
    "Never use emojis.",
    "Always use emojis.",
    "Stop using emojis.",
    "You can use emojis again.",
    "Forget what I said about emojis.",
    "I prefer tables.",
    "No more tables.",
    "Always use tables when I ask about money.",
    "Please forget what I said about money.",
)


@given(st.lists(st.sampled_from(SAID), max_size=8))
def test_of_many_each_is_ended_by_the_first_that_would_end_it_alone(said: list[str]) -> None:
    turns = [(key, spoken_in(text)) for key, text in enumerate(said, 1)]
    alone = [(one, other[0]) for place, one in enumerate(turns) for other in turns[place + 1 :] if ended([one, other])]
    assert ended(turns) == {one[0]: key for one, key in reversed(alone)}


def segment_index(*said: str, key: int = 1) -> SegmentIndex:
    built = SegmentIndex(2)
    rows = [Row(each, text, order=each, at=NOON + 3600 * each, role="user") for each, text in enumerate(said, key)]
    built.put("user:ann", Sensitivity.OPEN, batch(rows))
    return built


async def test_what_is_over_is_not_brought_and_what_took_it_back_is_no_wish():
    said = segment_index("From now on, answer in German.", "Always be kind.", "You can answer in English again.")
    found = await MemoryStanding(said).search(OWNER, Probe(HOW))
    assert (found.keys.tolist(), found.over) == ([2], {1: 3})


async def test_as_it_stood_before_it_was_taken_back():
    said = segment_index("From now on, answer in German.", "You can answer in English again.")
    before = Probe(HOW, window=Interval(None, NOON + 7000))
    assert (await MemoryStanding(said).search(OWNER, before)).keys.tolist() == [1]


async def test_words_out_of_sight_end_nothing_and_forgotten_ones_no_longer():
    said = segment_index("From now on, answer in German.")
    back = Row(9, "You can answer in English again.", order=9, at=NOON + 90_000, role="user")
    said.put("user:ann", Sensitivity.SENSITIVE, batch([back]))
    assert (await MemoryStanding(said).search(OWNER, Probe(HOW))).keys.tolist() == [1]
    whole = View("ann", clearance=Sensitivity.SENSITIVE)
    assert (await MemoryStanding(said).search(whole, Probe(HOW))).keys.tolist() == []
    said.remove("user:ann", np.array([9]))
    assert (await MemoryStanding(said).search(whole, Probe(HOW))).keys.tolist() == [1]


async def test_what_a_team_takes_back_ends_no_wish_of_ones_own():
    said, team = segment_index("From now on, answer in German."), View("ann", ("band",))
    back = Row(9, "You can answer in English again.", order=9, at=NOON + 90_000, role="user")
    said.put("team:band", Sensitivity.OPEN, batch([back, Row(8, "Always use emojis.", order=8, at=NOON, role="user")]))
    assert sorted((await MemoryStanding(said).search(team, Probe(HOW))).keys.tolist()) == [1, 8]
    stop = Row(7, "Stop using emojis.", order=7, at=NOON + 90_000, role="user")
    said.put("user:ann", Sensitivity.OPEN, batch([stop]))
    found = await MemoryStanding(said).search(team, Probe(HOW))
    assert (found.keys.tolist(), found.over) == ([1], {8: 7})


async def test_an_explanation_says_what_ended_a_wish_and_which_one_was_ended():
    said = segment_index("From now on, answer in German.", "You can answer in English again.")
    standing = await MemoryStanding(said).search(OWNER, Probe(HOW))
    of = traits(2)
    case = Case(route(HOW, NOON), (standing,), of, None, NOON)
    first, second = explain(case, Contributions(("text",), np.ones((2, 1), np.float32)), np.array([0, 1]))
    assert (first.key, first.ended_by, first.ends, second.ended_by, second.ends) == (1, 2, (), None, (1,))
    assert first.why.endswith("its wish was ended by a later one, or taken back")
    assert second.why.endswith("it ended 1 earlier wish")
