"""The taught judge: which chances become which verdict, and what the packaged weights make of plain pairs."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from adapters.judging.pair_encoder import RELATIONS
from adapters.judging.taught import PairCuts, TaughtJudge
from memory.errors import ConfigError
from memory.model.verdicts import ComparedStatement, StatementPair

CUTS = PairCuts()


def pair(earlier: str, later: str) -> StatementPair:
    return StatementPair(ComparedStatement(earlier, 0.0), ComparedStatement(later, 86_400.0), 0.7)


class Certain(TaughtJudge):
    """A judge whose model always says the same of a pair."""

    def __init__(self, relation: str, chance: float) -> None:
        super().__init__()
        self.row = np.full(len(RELATIONS), (1 - chance) / (len(RELATIONS) - 1), np.float32)
        self.row[RELATIONS.index(relation)] = chance
        self.seen: list[StatementPair] = []

    def chances(self, pairs):
        self.seen += pairs
        return np.tile(self.row, (len(pairs), 1))


@pytest.mark.parametrize(
    ("relation", "chance", "told"),
    [
        ("updates", CUTS.updates, "updates"),
        ("updates", CUTS.updates - 0.01, "unrelated"),
        ("contradicts", CUTS.contradicts, "contradicts"),
        ("contradicts", CUTS.contradicts - 0.01, "unrelated"),
        ("keeps", CUTS.fulfils, "fulfils"),
        ("keeps", CUTS.fulfils - 0.01, "unrelated"),
        ("same", 0.99, "unrelated"),
        ("narrows", 0.99, "unrelated"),
        ("drops", 0.99, "unrelated"),
        ("unrelated", 0.99, "unrelated"),
    ],
)
def test_a_chance_below_its_cut_tells_nothing(relation: str, chance: float, told: str) -> None:
    judge = Certain(relation, chance + 1e-6)
    (verdict,) = asyncio.run(judge.judge([pair("Ida has a bike", "Ida has a lock")]))
    assert verdict.relation == told


def test_what_is_little_alike_takes_nothings_place() -> None:
    far = replace(pair("Ida has a bike", "Ida has a lock"), similarity=CUTS.alike - 0.01)
    told = {name: asyncio.run(Certain(name, 0.99).judge([far]))[0].relation for name in RELATIONS}
    assert {name for name, each in told.items() if each != "unrelated"} == {"keeps"}


def test_what_the_words_show_is_not_asked() -> None:
    judge = Certain("unrelated", 0.99)
    shown, other = pair("Ida's rent is $900", "Ida's rent is $1,050"), pair("Ida has a bike", "Ida has a lock")
    verdicts = asyncio.run(judge.judge([shown, other]))
    assert [each.relation for each in verdicts] == ["updates", "unrelated"]
    assert judge.seen == [other]


@pytest.mark.parametrize(
    ("earlier", "later", "told"),
    [
        ("Ida works at the bakery", "Ida quit the bakery and drives a taxi", "updates"),
        ("Ida will bring the drill back to Tom", "Ida dropped the drill off at Tom's yesterday", "fulfils"),
        ("Ida has a cat called Moss", "Ida has a dog called Fern", "unrelated"),
        ("Ida went to Rome in 2019", "Ida went to Rome in 2023", "unrelated"),
        ("Ida likes the sea", "Ida works as a nurse", "unrelated"),
    ],
)
def test_the_packaged_weights_read_plain_pairs(earlier: str, later: str, told: str) -> None:
    (verdict,) = asyncio.run(TaughtJudge().judge([pair(earlier, later)]))
    assert verdict.relation == told


def test_weights_that_are_others_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from adapters.judging import pair_encoder

    monkeypatch.setattr(pair_encoder, "PAIRS", replace(pair_encoder.PAIRS, sha256="0" * 64))
    with pytest.raises(ConfigError, match="judge's weights"):
        asyncio.run(TaughtJudge().judge([pair("Ida has a bike", "Ida has a lock")]))
