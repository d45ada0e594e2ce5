"""What storylines are made of, read from the tables: who is told of where, and what was said of a few of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from adapters.postgres import codec
from adapters.postgres.census import Calibration
from adapters.postgres.pool import Pool
from adapters.postgres.sql import queries
from adapters.postgres.vectors import matrix
from memory.model.groups import Group
from memory.model.storylines import Storyline
from memory.rules.appearances import Appearances
from memory.rules.reflection import Likeness
from memory.rules.ties import TIED_TYPES
from memory.services.summing_up import ToldSegment

Q = queries("storylines")


class PostgresStorylineReads:
    """See memory.services.storylines.StorylineReads; one consistent moment a call."""

    def __init__(self, pool: Pool, encoder: str, calibrate: Calibration) -> None:
        self._pool = pool
        self._encoder, self._calibrate = encoder, calibrate

    async def appearances(self, user_id: str, least: int) -> Appearances:
        """In which sources entities are told of, of those that as many sources at least tell of."""
        async with self._pool.transaction(consistent=True, long=True, user_id=user_id) as connection:
            key: dict[str, Any] = {"user_id": user_id, "tied": sorted(TIED_TYPES), "least": least}
            anchors = await (await connection.execute(Q["anchors"], key, binary=True)).fetchall()
            key["anchors"] = [each["entity_id"] for each in anchors]
            rows = await (await connection.execute(Q["rows"], key, binary=True)).fetchall()
        begun: dict[str, float] = {}
        for row in rows:
            begun[row["source_id"]] = min(row["at"], begun.get(row["source_id"], np.inf))
        return Appearances.of(
            ((each["entity_id"], each["state"], each["confidence"]) for each in anchors),
            begun.items(),
            ((row["entity_id"], row["source_id"], row["level"]) for row in rows),
        )

    async def likeness(self, user_id: str, sources: Sequence[str]) -> Likeness:
        """The directions of these sources, of those that have one."""
        if not sources:
            return Likeness({}, self._calibrate)
        rows = await self._pool.rows(Q["vectors"], user_id=user_id, sources=list(sources), encoder=self._encoder)
        summed = matrix([row["vector"] for row in rows])
        lengths = np.linalg.norm(summed, axis=1)
        known = zip((row["source_id"] for row in rows), summed, lengths, strict=True)
        return Likeness({source: vector / length for source, vector, length in known if length > 0}, self._calibrate)

    async def told(self, user_id: str, lines: Sequence[Storyline]) -> list[tuple[ToldSegment, ...]]:
        """What was said of the anchor of each of these in its sources, up to its level, in order."""
        found: list[list[ToldSegment]] = [[] for _ in lines]
        if asked := list(_asked(lines)):
            places, anchors, sources, levels = (list(each) for each in zip(*asked, strict=True))
            key = {"places": places, "anchors": anchors, "sources": sources, "levels": levels}
            for row in await self._pool.rows(Q["told"], user_id=user_id, **key):
                found[row["place"]].append(_segment(row))
        return [tuple(each) for each in found]

    async def standing(self, user_id: str) -> list[Group]:
        """Every storyline and macro that stands, of every level."""
        rows = await self._pool.rows(Q["standing"], user_id=user_id)
        words = {row["summary"]: row["words"] for row in rows if row["words"] is not None}
        return [cast(Group, codec.decode("group", row, words)) for row in rows]

    async def names(self, user_id: str, ids: Sequence[str]) -> dict[str, str]:
        """Entity id -> its name."""
        rows = await self._pool.rows(Q["names"], user_id=user_id, ids=list(ids))
        return {row["entity_id"]: row["name"] for row in rows}


def _asked(lines: Sequence[Storyline]) -> Iterator[tuple[int, str, str, int]]:
    for place, line in enumerate(lines):
        yield from ((place, line.anchor_id, source, int(line.level)) for source in line.sources)


def _segment(row: Mapping[str, Any]) -> ToldSegment:
    names = ("segment_key", "source_id", "at", "speaker", "text", "quote", "next_words", "revision")
    return ToldSegment(**{name: row[name] for name in names}, gone=tuple(row["gone"]))
