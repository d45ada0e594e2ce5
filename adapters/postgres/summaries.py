"""Summaries of sources: what a night reads to write them, and what is shown of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from adapters.postgres import codec
from adapters.postgres.pool import Pool
from adapters.postgres.reads import seen_by
from adapters.postgres.sql import queries
from memory.model.groups import Group
from memory.model.heard import KeptSummary
from memory.model.scopes import Sensitivity, View
from memory.model.timeline import Instant
from memory.rules.parameters import SourceSummaries
from memory.services.source_summaries import SourceSegment, SourceTurns

Q = queries("summaries")


class PostgresSummaries:
    """See memory.services.night_sources.SourceReads; and what is shown through a view."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def grown(self, user_id: str, now: Instant, rules: SourceSummaries) -> list[SourceTurns]:
        """Sources that are long enough, of as many turns of persons as their summary is not of, the latest first.

        Those of a team are among them once they were read for this user.
        """
        key = {"user_id": user_id, "now": now, "turns": rules.turns, "chars": rules.chars, "most": rules.most}
        async with self._pool.transaction(consistent=True, long=True, user_id=user_id) as connection:
            rows = await (await connection.execute(Q["grown"], key, binary=True)).fetchall()
        return [SourceTurns(**{**row, "sensitivity": Sensitivity(row["sensitivity"])}) for row in rows]

    async def said(self, user_id: str, source_ids: Sequence[str]) -> list[list[SourceSegment]]:
        """What persons said in each of these, in order: nothing of an assistant or a tool, and nothing hidden."""
        found: list[list[SourceSegment]] = [[] for _ in source_ids]
        for row in await self._pool.rows(Q["said"], user_id=user_id, sources=list(source_ids)):
            told = SourceSegment(row["segment_key"], row["speaker"], row["text"], tuple(row["gone"]), row["revision"])
            found[row["place"] - 1].append(told)
        return found

    async def summaries(self, user_id: str, source_ids: Sequence[str]) -> list[Group]:
        """The summaries that stand of these."""
        rows = await self._pool.rows(Q["standing"], user_id=user_id, sources=list(source_ids))
        words = {row["summary"]: row["words"] for row in rows if row["words"] is not None}
        return [cast(Group, codec.decode("group", row, words)) for row in rows]

    async def shown(self, view: View, source_ids: Sequence[str]) -> Mapping[tuple[str, str], KeptSummary]:
        """(scope, source id) -> its summary."""
        rows = await self._pool.rows(Q["shown"], **seen_by(view), sources=list(source_ids))
        return {
            (row["scope"], row["source_id"]): KeptSummary(row["text"], tuple(row["quotes"]), tuple(row["segment_ids"]))
            for row in rows
        }

    async def tags(self, view: View, scope: str, source_id: str, most: int) -> list[str]:
        """The names of those in sight whom a source tells of most, the most often first."""
        rows = await self._pool.rows(Q["tags"], **seen_by(view), scope=scope, source_id=source_id, most=most)
        return [row["name"] for row in rows]
