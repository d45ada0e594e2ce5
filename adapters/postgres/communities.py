"""Communities and patterns: what a night finds them with, and what the front door shows of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, cast

from adapters.postgres import codec
from adapters.postgres.pool import Pool
from adapters.postgres.reads import cited, meant, page_of, seen_by, typed
from adapters.postgres.sql import queries
from adapters.postgres.ties import take_ties
from memory.model.groups import Group
from memory.model.scopes import View
from memory.model.shown import Page, PatternQuote, SegmentWords, ShownCommunity, ShownPattern
from memory.rules.ties import Ties

Q = queries("communities")
_ANY = {"mark": None, "key": None, "id": None}


class PostgresCommunities:
    """See memory.services.night_communities.CommunityReads; and what is shown through a view."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def ties(self, user_id: str) -> Ties:
        """What ties the entities of a memory."""
        return await take_ties(self._pool, user_id)

    async def standing(self, user_id: str) -> list[Group]:
        """Every community and pattern that stands, of every level."""
        rows = await self._pool.rows(Q["standing"], user_id=user_id)
        return [cast(Group, codec.decode("group", row, {})) for row in rows]

    async def communities(self, view: View, limit: int, **place: Any) -> Page[ShownCommunity]:
        """Communities in sight, the largest first; `place` is mark and key of the last one shown."""
        rows = await self._pool.rows(Q["communities"], **seen_by(view), **{**_ANY, **place}, limit=limit + 1)
        return page_of(rows, limit, [typed(ShownCommunity, row) for row in rows])

    async def community(self, view: View, given: str) -> ShownCommunity:
        """One, by its id or the beginning of it. Raises NotFound, Ambiguous."""
        rows = await self._pool.rows(Q["communities"], **seen_by(view), **{**_ANY, "id": given}, limit=2)
        return typed(ShownCommunity, meant(rows, given, "community"))

    async def segments(self, view: View, ids: Sequence[str], limit: int) -> list[SegmentWords]:
        """Segments in sight that mention two of these entities, the latest first."""
        return list(map(cited, await self._pool.rows(Q["segments"], **seen_by(view), ids=list(ids), limit=limit)))

    async def patterns(self, view: View, limit: int, community: str | None = None, **place: Any) -> Page[ShownPattern]:
        """Patterns in sight, the latest first, of all communities or of one."""
        asked = {**_ANY, **place, "community": community}
        rows = await self._pool.rows(Q["patterns"], **seen_by(view), **asked, limit=limit + 1)
        return page_of(rows, limit, [typed(ShownPattern, row) for row in rows])

    async def pattern(self, view: View, given: str) -> ShownPattern:
        """One, by its id or the beginning of it. Raises NotFound, Ambiguous."""
        asked = {**_ANY, "id": given, "community": None}
        rows = await self._pool.rows(Q["patterns"], **seen_by(view), **asked, limit=2)
        return typed(ShownPattern, meant(rows, given, "pattern"))

    async def quoted(self, view: View, ids: Sequence[str]) -> Mapping[str, list[PatternQuote]]:
        """Pattern id -> the facts and segments it quotes, in order, of patterns in sight."""
        found: defaultdict[str, list[PatternQuote]] = defaultdict(list)
        for row in await self._pool.rows(Q["quoted"], **seen_by(view), ids=list(ids)) if ids else ():
            said = None if row["segment_id"] is None else cited(row)
            found[row["group_id"]].append(typed(PatternQuote, row, said=said))
        return found
