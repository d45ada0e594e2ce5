"""What the settings ask of recall is what recall computes with."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from config.jobs import Night
from config.settings import load
from memory.retrieval.cut import cut, relevance
from memory.retrieval.parameters import Recall
from memory.rules.parameters import Decay, Reflection
from memory.services.recall import ANNIE, GRAPH_MEMORY, PERSONAL_AI, RecallSettings
from memory.services.tuning import tuned


def test_the_defaults_are_recall_s_own() -> None:
    assert tuned(Recall(), Decay()) == RecallSettings()


@pytest.mark.conforms("001:recall.order")
def test_the_preset_of_seed_001_is_seed_001_to_the_letter(tmp_path: Path) -> None:
    settings = load(tmp_path, {"preset": "annie"}, {})
    assert tuned(settings.recall, settings.decay) == ANNIE


@pytest.mark.conforms("003:recall.factors", "004:rrf", "004:complexity")
@pytest.mark.parametrize(("preset", "expected"), [("personal-ai", PERSONAL_AI), ("graph-memory", GRAPH_MEMORY)])
def test_the_presets_of_seeds_003_and_004_keep_their_orders(
    tmp_path: Path, preset: str, expected: RecallSettings
) -> None:
    settings = load(tmp_path, {"preset": preset}, {})
    assert replace(tuned(settings.recall, settings.decay), decay=Decay()) == expected
    assert settings.recall.adaptive is (preset == "graph-memory")


def test_every_setting_arrives(tmp_path: Path) -> None:
    asked = {
        "recall": {
            "fusion": {"k": 7, "weights": {"graph": 0.5}},
            "diversity": {"by": "words", "balance": 0.2, "pool": 5},
            "leg_limit": 11,
            "pool": 12,
            "leg_timeout_ms": 40,
        },
        "decay": {"half_life_days": 3},
    }
    settings = load(tmp_path, asked, {})
    rules = tuned(settings.recall, settings.decay)
    assert (rules.fusion.k, rules.fusion.weights) == (7.0, {"graph": 0.5})
    assert (rules.diversity.by, rules.diversity.balance, rules.diversity.pool) == ("words", 0.2, 5)
    assert (rules.leg_limit, rules.pool, rules.leg_timeout_s) == (11, 12, pytest.approx(0.04))
    assert rules.decay.half_life_days == 3.0


@pytest.mark.conforms("001:recall.order", "003:recall.factors", "004:rrf")
@pytest.mark.parametrize(
    ("order", "middle", "width"), [(ANNIE, 1.0, 0.5), (PERSONAL_AI, 0.5, 0.1), (GRAPH_MEMORY, 0.02, 0.01)]
)
def test_orders_of_the_seeds_read_nothing_closely_and_have_a_scale_of_their_own(
    order: RecallSettings, middle: float, width: float
) -> None:
    scores = np.array([middle + width, middle], np.float32)
    assert relevance(scores, scores, 0.0, order.cut) == pytest.approx([1 / (1 + np.exp(-1)), 0.5])
    assert cut(scores, "auto", order.cut) == 2
    assert order.closely == 0


@pytest.mark.conforms("001:preset")
def test_the_preset_of_seed_001_looks_a_week_back(tmp_path: Path) -> None:
    assert load(tmp_path, {"preset": "annie"}, {}).recall.hours_back == 168


@pytest.mark.conforms("002:preset")
def test_the_preset_of_seed_002_lets_in_what_is_sure_of_seven_in_ten_and_takes_what_is_alike(tmp_path: Path) -> None:
    settings = load(tmp_path, {"preset": "cosmo"}, {})
    assert {getattr(settings.gates, each.name) for each in fields(settings.gates)} == {0.7}
    assert settings.recall.diversity.balance == 1.0


@pytest.mark.conforms("003:preset")
def test_the_preset_of_seed_003_keeps_its_bands_and_steps_even_if_the_defaults_move(tmp_path: Path) -> None:
    settings = load(tmp_path, {"preset": "personal-ai"}, {})
    bands = {
        "manner": "likeness",
        "reinforce_above": 0.85,
        "contradict_above": 0.70,
        "relate_above": 0.40,
        "rivals": 5,
        "neighbours": 3,
        "reinforce_by": 0.1,
        "weaken_by": 0.2,
        "weakest": 0.1,
        "first_confidence": 0.6,
        "supports": 3,
    }
    assert {name: getattr(settings.revision, name) for name in bands} == bands
    looks = Reflection(
        duplicate_above=0.85,
        theme_above=0.60,
        candidate_above=0.40,
        themes=5,
        theme_size=2,
        meta_confidence=0.8,
        meta_stability=3.0,
        stale_below=0.10,
    )
    assert settings.reflection == looks


@pytest.mark.conforms("000:night.hour", "002:night.hour", "004:night.hour")
def test_the_night_is_at_three_unless_somebody_says_otherwise(tmp_path: Path) -> None:
    assert Night().hour == load(tmp_path, environ={}).night.hour == 3
