"""docs/howto/add-a-leg.md, carried out: a module and a line, and nothing else knows the new leg by name."""

from __future__ import annotations

import re
import sys
from dataclasses import fields, replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from memory.model.scopes import View
from memory.retrieval import registry
from memory.retrieval.candidates import Ranking
from memory.retrieval.cut import CutRules, found_nothing
from memory.retrieval.fusion import FusionRules
from memory.retrieval.leg import Leg, Vote, whether_found
from memory.retrieval.parameters import LegWeights, Recall
from memory.retrieval.query import Probe, Question
from memory.retrieval.segment_index import MemoryTraits
from memory.rules.parameters import Decay
from memory.services import recall as recalling
from memory.services import tuning
from memory.services.recall import Recollection, at_hand, recall
from tests.unit.retrieval.rows import Row
from tests.unit.retrieval.worlds import ENCODER, NOON, OPEN, PATIENT, Heard, World

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "howto" / "add-a-leg.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"[\"'](?:text|graph|vectors|hot|standing|calendar)[\"']")
KNOWS_NONE = (
    "memory/services/recall.py",
    "memory/retrieval/cut.py",
    "memory/retrieval/weighting.py",
    "memory/retrieval/silence.py",
    "memory/retrieval/orders.py",
    "actors/legs.py",
    "actors/memory_shard.py",
    "actors/understanding.py",
)
WORLD = World(
    (
        Heard(Row(1, "The lake was cold.", order=0, at=NOON, speaker="Nora")),
        Heard(Row(2, "The lake was warm.", order=1, at=NOON + 60, speaker="Tom")),
        Heard(Row(3, "Dinner is ready.", source=2, order=0, at=NOON + 120, speaker="Nora")),
    )
)
ASKED = "What about the lake, Nora?"


@pytest.fixture
def legs(monkeypatch: pytest.MonkeyPatch) -> tuple[Leg, ...]:
    """The registry after the page's module was written and its line changed."""
    written, line = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    module = ModuleType("memory.retrieval.voices")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(written, str(PAGE), "exec"), module.__dict__)
    changed = dict(vars(registry))
    exec(compile(line, str(PAGE), "exec"), changed)
    found: tuple[Leg, ...] = changed["LEGS"]
    assert found[:-1] == registry.LEGS, "the page shows another registry than there is"
    return found


async def asked(legs: tuple[Leg, ...], text: str = ASKED, **changes: object) -> Recollection:
    beliefs, settings = WORLD.beliefs(), replace(PATIENT, legs=legs)
    question = replace(Question(text, OPEN, NOON + 600, limit=50, cut="none", explain=True), **changes)
    indexes, traits_of = tuple(leg.over(beliefs) for leg in legs), MemoryTraits(beliefs.segment_index, beliefs)
    return await recall(question, indexes, traits_of, at_hand(ENCODER.ask(text)), settings)


def told(found: Recollection, key: int) -> tuple[dict[str, int], dict[str, float]]:
    """The ranks and the contributions of a segment."""
    each = next(each for each in found.explained if each.key == key)
    return dict(each.ranks), dict(each.contributions)


async def test_a_new_leg_finds_and_is_weighed_by_the_worth_of_its_row(legs: tuple[Leg, ...]) -> None:
    found = await asked(legs)
    ranks, added = told(found, 3)
    assert (ranks["voices"], added["voices"]) == (2, pytest.approx(0.3))
    assert "voices" not in told(found, 2)[0]
    assert "voices (2)" in next(each.why for each in found.explained if each.key == 3)
    assert found.told is not None
    assert found.told.weights["voices"] == 0.3


async def test_without_it_everything_else_is_weighed_as_before(legs: tuple[Leg, ...]) -> None:
    with_it, without = await asked(legs), await asked(registry.LEGS)
    for key in (1, 2, 3):
        added = told(with_it, key)[1]
        added.pop("voices", None)
        assert added == pytest.approx(told(without, key)[1], abs=1e-5)


async def test_it_sees_what_a_view_and_a_window_may_see(legs: tuple[Leg, ...]) -> None:
    voices = legs[-1].over(WORLD.beliefs())
    assert (await voices.search(OPEN, Probe(ASKED))).keys.tolist() == [1, 3]
    assert (await voices.search(OPEN, Probe(ASKED, only=np.array([3])))).keys.tolist() == [3]
    assert (await voices.search(View("bob"), Probe(ASKED))).keys.tolist() == []


async def test_one_that_breaks_is_named_and_costs_nothing_else(
    legs: tuple[Leg, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(self: object, view: View, probe: Probe) -> Ranking:
        raise ConnectionError

    monkeypatch.setattr(legs[-1].over, "search", broken)
    found = await asked(legs)
    assert found.degraded == {"voices": "ConnectionError"}
    assert found.keys.tolist() == (await asked(registry.LEGS)).keys.tolist()


@pytest.mark.parametrize(("vote", "silent"), [(Vote.ALIKE, True), (Vote.KNOWN, False), (Vote.NAMED, False)])
def test_its_vote_tells_whether_anything_is_known(vote: Vote, silent: bool) -> None:
    row = Leg("voices", lambda beliefs: pytest.fail("not asked"), vote=vote, column=whether_found)
    faint = [Ranking(leg, np.array([1]), np.array([0.1], np.float32)) for leg in ("voices", "vectors")]
    assert found_nothing(faint, CutRules(), ["lake"], (*registry.LEGS, row)) is silent


def test_presets_of_founding_designs_ask_their_own_legs_alone(
    legs: tuple[Leg, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recalling, "LEGS", legs)
    own = {design: recalling._without_all_but(design) for design in ("001", "003", "004")}
    assert all(weights["voices"] == 0.0 for weights in own.values())
    assert own["003"].keys() == {"calendar", "standing", "voices"}
    assert own["001"].keys() == own["004"].keys() == {"calendar", "hot", "standing", "voices"}
    preset = replace(recalling.ANNIE, fusion=FusionRules(60, own["001"]))
    monkeypatch.setitem(tuning._FITTED, "decayed", preset)
    told_by_order = tuning.tuned(replace(Recall(), order="decayed"), Decay()).fusion.weights
    assert told_by_order == {"voices": 0.0}, "of what has a setting the setting counts"


def test_every_weight_of_the_settings_is_that_of_a_leg() -> None:
    assert {each.name for each in fields(LegWeights)} <= {leg.name for leg in registry.LEGS}
    assert len({leg.name for leg in registry.LEGS}) == len({leg.term for leg in registry.LEGS}) == len(registry.LEGS)


@pytest.mark.parametrize("path", KNOWS_NONE)
def test_nothing_knows_a_leg_by_its_name(path: str) -> None:
    assert NAMED.findall((ROOT / path).read_text(encoding="utf-8")) == []
