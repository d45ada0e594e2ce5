"""Every constant of a lifetime stands where its founding design put it: moved by a tenth, a line of a table fails."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from config.settings import load
from memory.model.facts import NOTE_LIFETIME_DAYS
from memory.rules.parameters import Decay, Life, Lifecycle, Spaced, Stability, Strength, Stretched, Tiers

WRITTEN = {
    "strength.entity": "half_life",
    "strength.fact": "stability",
    "strength.source": "spaced",
    "strength.storyline": "spaced",
    "strength.macro": "spaced",
    "decay.half_life_days": 30.0,
    "decay.evergreen_floor": 0.3,
    "decay.low_salience": 0.1,
    "decay.spaced.first": 0.5,
    "decay.spaced.rate": 0.02,
    "decay.spaced.alpha": 0.05,
    "decay.spaced.gradient": 1.0,
    "decay.spaced.gradient_up": 0.1,
    "decay.spaced.gradient_down": 0.05,
    "decay.spaced.gradient_least": 0.5,
    "decay.spaced.gradient_most": 3.0,
    "decay.spaced.sure": 0.8,
    "decay.spaced.doubt": 2.0,
    "decay.stability.half_life_days": 30.0,
    "decay.stability.step": 0.1,
    "decay.stability.most": 5.0,
    "decay.stretched.rate": 0.1,
    "decay.stretched.power": 0.8,
    "decay.stretched.boost": 0.05,
    "decay.stretched.scale": 20.0,
    "lifecycle.active_at": 1,
    "lifecycle.core_at": 10,
    "lifecycle.archive_below": 0.01,
    "lifecycle.grace_days": 7.0,
    "lifecycle.ephemeral_source_days": 30.0,
    "lifecycle.ephemeral_days": 90.0,
    "lifecycle.floor": 0.3,
    "lifecycle.floor_importance": 7,
    "lifecycle.prunes": False,
    "lifecycle.prune_below": 0.05,
    "tiers.l1_after_days": 7.0,
    "tiers.l1_sources": 3,
    "tiers.l2_after_days": 90.0,
    "tiers.l2_sources": 3,
    "tiers.l2_requires_community": False,
    "descriptions.looked_within_days": 7.0,
    "descriptions.most": 100,
    "descriptions.rests_on": 5,
    "summaries.turns": 4,
    "summaries.chars": 1_000,
    "summaries.renewed": 5,
    "summaries.over_days": 1.0,
    "summaries.sentences": 5,
    "summaries.keywords": 8,
    "summaries.most": 500,
    "storylines.sources": 5,
    "storylines.days": 3,
    "storylines.age_days": 3.0,
    "storylines.sure": 0.8,
    "storylines.opened": 100,
    "storylines.silent_days": 90.0,
    "storylines.summed_up": 10,
    "storylines.refreshed": 100,
    "storylines.sentences": 3,
    "storylines.macro_storylines": 2,
    "storylines.macro_days": 30.0,
    "storylines.macros_opened": 50,
    "storylines.macros_refreshed": 50,
    "storylines.macro_sentences": 4,
    "consolidations.older_days": 7.0,
    "consolidations.faded_below": 0.2,
    "consolidations.overlapping": 5,
    "consolidations.frequent": 10,
    "consolidations.frequent_below": 0.3,
    "consolidations.least": 2,
    "consolidations.most_sources": 20,
    "consolidations.apart_days": 30.0,
    "consolidations.written": 100,
    "consolidations.sentences": 4,
    "consolidations.insights": 5,
    "consolidations.asked": 20,
    "consolidations.generated": 2,
    "causes.asked": 20,
    "causes.shown": 24,
}


def leaves(tree: Any, path: str = "") -> dict[str, Any]:
    """Every number and name of a tree of parameters, by its path."""
    found: dict[str, Any] = {}
    for each in fields(tree):
        value, place = getattr(tree, each.name), f"{path}{each.name}"
        found |= leaves(value, f"{place}.") if is_dataclass(value) else {place: value}
    return found


@pytest.mark.conforms(
    "000:constants",
    "001:constants.decay",
    "002:constants.decay",
    "003:constants.decay",
    "004:constants.decay",
    "model:descriptions",
    "002:storylines",
    "002:consolidation.sources",
    "004:causal_links",
)
def test_every_constant_is_the_one_that_was_written() -> None:
    found = leaves(Life())
    assert {name: found[name] for name in found if not name.startswith(("reflection.", "communities."))} == WRITTEN


@pytest.mark.conforms("002:notes.week", "002:notes.month", "002:notes.year", "002:notes.forever")
def test_lifetimes_of_notes() -> None:
    assert NOTE_LIFETIME_DAYS == {"week": 7, "month": 30, "year": 365, "forever": None}


SPACED = Strength("spaced", "spaced", "spaced", "spaced", "spaced")
HALF_LIFE = Strength("half_life", "half_life", "half_life", "half_life", "half_life")
PRESETS = {
    "default": Life(),
    "annie": Life(HALF_LIFE, Decay(), Lifecycle(archive_below=0.0, floor=0.0), Tiers(l2_requires_community=True)),
    "cosmo": Life(SPACED, Decay(spaced=Spaced()), Lifecycle(floor=0.0)),
    "personal-ai": Life(
        decay=Decay(stability=Stability()), lifecycle=Lifecycle(archive_below=0.0, floor=0.0, prunes=True)
    ),
    "graph-memory": Life(
        Strength(fact="stretched"),
        Decay(stretched=Stretched()),
        Lifecycle(archive_below=0.0, floor=0.0, prunes=True),
    ),
}


@pytest.mark.conforms(
    "000:preset",
    "001:preset",
    "002:preset",
    "003:preset",
    "004:preset",
    "model:descriptions",
    "002:storylines",
    "002:consolidation.sources",
    "003:consolidation.turns",
)
@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_gives_the_lifetime_of_its_seed(name: str, tmp_path: Path) -> None:
    life = load(tmp_path, {"preset": name}, {}).life
    assert replace(life, reflection=Life().reflection) == PRESETS[name]
