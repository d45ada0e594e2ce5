"""Causal links: what they are read off, and which of them are in sight."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from adapters.postgres.pool import Pool
from adapters.postgres.reads import seen_by
from adapters.postgres.sql import queries
from memory.model.scopes import View
from memory.model.timeline import Instant
from memory.rules.causes import CausalSegment, QuotedFact, StatedFact
from memory.rules.parameters import CausalLinks
from memory.words.causes import CUES

Q = queries("causes")
MOST_SEGMENTS = 1_000
"""Segments that one night reads, the latest first (chosen: a day of talk has some hundred that tell a reason)."""


class PostgresCauses:
    """See memory.services.night_causes.CausalReads; and what is seen through a view."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def told(self, user_id: str, since: Instant) -> list[CausalSegment]:
        """What persons said that may tell a reason, of facts first believed then or later; the latest first."""
        key: dict[str, Any] = {"user_id": user_id, "since": since, "cues": CUES, "most": MOST_SEGMENTS}
        async with self._pool.transaction(consistent=True, long=True, user_id=user_id) as connection:
            rows = await (await connection.execute(Q["told"], key, binary=True)).fetchall()
            keys = list({row[name] for row in rows for name in ("segment_key", "before_key")} - {None})
            asked = {"user_id": user_id, "keys": keys}
            stated = await (await connection.execute(Q["stated"], asked, binary=True)).fetchall()
        facts: defaultdict[int | None, list[StatedFact]] = defaultdict(list)
        for row in stated:
            facts[row["segment_key"]].append(StatedFact(row["fact_id"], row["statement"], row["subject"]))
        return [
            CausalSegment(row["text"], tuple(facts[row["segment_key"]]), row["before"], tuple(facts[row["before_key"]]))
            for row in rows
        ]

    async def related(self, user_id: str, since: Instant, rules: CausalLinks) -> list[list[QuotedFact]]:
        """The facts of sources from which one was first believed then or later: two or more of each, in their order."""
        key: dict[str, Any] = {"user_id": user_id, "since": since, "asked": rules.asked, "shown": rules.shown}
        async with self._pool.transaction(consistent=True, long=True, user_id=user_id) as connection:
            rows = await (await connection.execute(Q["related"], key, binary=True)).fetchall()
        found: defaultdict[int, list[QuotedFact]] = defaultdict(list)
        for row in rows:
            stated = StatedFact(row["fact_id"], row["statement"], row["subject"])
            found[row["place"]].append(QuotedFact(stated, row["speaker"], row["quote"]))
        return [found[place] for place in sorted(found)]

    async def of(self, view: View, fact_id: str) -> dict[str, str]:
        """The facts in sight that are the reason of this one, the earliest first: id -> who says so."""
        rows = await self._pool.rows(Q["causes"], **seen_by(view), fact_id=fact_id)
        return {row["fact_id"]: row["judged_by"] for row in rows}
