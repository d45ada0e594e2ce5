"""Pairs as a memory meets them: each fact of a world beside the facts of its subject that it resembles.

Nearly all of them are unrelated, in words far from those that somebody writes who thinks of pairs. A judge that was
taught on written pairs alone finds another value in one of four. Facts whose turn tells a change are left out, for
nobody wrote down what they change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from adapters.embedding.minilm import TaughtMiniLmEmbedder
from adapters.extraction.rules import RuleExtractor
from adapters.judging.pair_encoder import RELATIONS
from bench.reading import ReadingModels, WorldMemory
from bench.reading_worlds import ReadingWorld
from config.models import JudgeModel
from memory.model.verdicts import StatementPair, Verdict
from training.pair_lessons import PairLesson


class Collecting:
    """A Judge that finds nothing, and keeps what it was asked."""

    name = "collecting"
    asked_above: float | None = JudgeModel(kind="taught").asked_above

    def __init__(self) -> None:
        self.pairs: list[StatementPair] = []

    async def judge(self, pairs: Sequence[StatementPair]) -> Sequence[Verdict]:
        """See memory.ports.Judge."""
        self.pairs += pairs
        return [Verdict()] * len(pairs)


def met(world: ReadingWorld, embedder: TaughtMiniLmEmbedder) -> Iterator[PairLesson]:
    """The pairs of a world by the rules, but for those whose later turn tells a change or an end."""
    judge = Collecting()
    asyncio.run(WorldMemory(world, ReadingModels(RuleExtractor(), embedder, judge)).lived())
    changing = {each.turn for each in world.claims if each.kind == "change" or each.time.ends is not None}
    told = [turn.text for key, turn in world.turns.items() if key in changing]
    for pair in judge.pairs:
        if not any(pair.later.context in text for text in told):
            yield PairLesson(pair.earlier.statement, pair.later.statement, "relation", RELATIONS.index("unrelated"))
