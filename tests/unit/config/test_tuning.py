"""What the settings ask of recall is what recall computes with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from config.settings import load
from memory.retrieval.parameters import Recall
from memory.rules.parameters import Decay
from memory.services.recall import ANNIE, GRAPH_MEMORY, PERSONAL_AI, RecallSettings
from memory.services.tuning import tuned


def test_the_defaults_are_recall_s_own() -> None:
    assert tuned(Recall(), Decay()) == RecallSettings()


@pytest.mark.conforms("001:recall.order")
def test_the_preset_of_seed_001_is_seed_001_to_the_letter(tmp_path: Path) -> None:
    settings = load(tmp_path, {"preset": "annie"}, {})
    assert tuned(settings.recall, settings.decay) == ANNIE


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
