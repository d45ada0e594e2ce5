"""The judge that needs no model: what the words of two statements show."""

from __future__ import annotations

from collections.abc import Sequence

from memory.model.verdicts import StatementPair, Verdict
from memory.rules.contradiction import judge


class RuleJudge:
    """`memory.rules.contradiction` behind the port; within a turn the rules decide by it without being asked."""

    name = "rules"
    asked_above: float | None = None

    async def judge(self, pairs: Sequence[StatementPair]) -> Sequence[Verdict]:
        """One verdict a pair."""
        return tuple(map(judge, pairs))
