"""The taught judge: a small model reads two statements together, and says what the later is to the earlier.

What the words show by rule stands. The model is asked of the other pairs that are alike, and of those alone that it is
sure of something is ended or linked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from adapters.judging.pair_encoder import RELATIONS, Floats, PairEncoder
from memory.model.verdicts import StatementPair, Verdict
from memory.rules.contradiction import SURE, UNSURE, judge
from memory.words.cleaning import harmless


@dataclass(frozen=True, slots=True)
class PairCuts:
    """Chances from which a relation is told, chosen on pairs as memories of worlds by authors left out meet them."""

    alike: float = 0.65
    """Least calibrated similarity of what is another value or a contradiction: below it nearly all told were wrong."""
    updates: float = 0.6
    """That the later takes the place of the earlier, which then ends."""
    contradicts: float = 0.8
    """That both cannot be so: they are linked, and neither ends."""
    fulfils: float = 0.8
    """That the later tells that what the earlier one promises was done."""


@dataclass(slots=True)
class TaughtJudge:
    """A Judge."""

    trusted: Collection[str] = ()
    asked_above: float | None = None
    cuts: PairCuts = field(default_factory=PairCuts)
    name: str = "memoray-pairs-1"
    _encoder: PairEncoder | None = None

    async def judge(self, pairs: Sequence[StatementPair]) -> Sequence[Verdict]:
        """One verdict a pair, off the event loop. Raises ConfigError if the model is not as it was packaged."""
        return await asyncio.to_thread(self._judged, pairs) if pairs else ()

    def chances(self, pairs: Sequence[StatementPair]) -> Floats:
        """[pairs, RELATIONS]"""
        if self._encoder is None:
            self._encoder = PairEncoder(self.trusted)
        return self._encoder.relations([(harmless(p.earlier.statement), harmless(p.later.statement)) for p in pairs])

    def _judged(self, pairs: Sequence[StatementPair]) -> tuple[Verdict, ...]:
        verdicts = list(map(judge, pairs))
        open_ = [place for place, verdict in enumerate(verdicts) if verdict.relation == "unrelated"]
        for place, chances in zip(open_, self.chances([pairs[place] for place in open_]), strict=True):
            verdicts[place] = self._told(pairs[place], dict(zip(RELATIONS, chances.tolist(), strict=True)))
        return tuple(verdicts)

    def _told(self, pair: StatementPair, chances: dict[str, float]) -> Verdict:
        cuts = self.cuts
        if chances["keeps"] >= cuts.fulfils:
            return Verdict("fulfils", SURE)
        if pair.similarity < cuts.alike:
            return Verdict()
        if chances["updates"] >= cuts.updates:
            return Verdict("updates", SURE)
        return Verdict("contradicts", UNSURE) if chances["contradicts"] >= cuts.contradicts else Verdict()
