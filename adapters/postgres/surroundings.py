"""What lies around the hits of a question: what is known of them and whom they mention, what was said beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adapters.postgres.across import as_seen
from adapters.postgres.pool import Pool
from adapters.postgres.reads import seen_by, typed
from adapters.postgres.sql import queries
from memory.model.scopes import View
from memory.model.shown_times import NOW, FactAround, HitSurroundings, Then, TurnAround
from memory.services.known import STEPS

Q = queries("surroundings")
SUBJECTS, FACTS = 4, 6
"""Whom and what a context tells of, and how many facts of each beside those the hits carry (chosen: with 1,000 tokens
a quarter is 250, some ten lines)."""


class PostgresSurroundings:
    """One statement a question, where a context is to be assembled; two where it is of what was known earlier."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def around(self, view: View, keys: Sequence[int], ids: Sequence[str], then: Then = NOW) -> HitSurroundings:
        """What lies around the segments of these keys that carry these facts.

        Facts are as they were believed at `then.known`, and end as it is told on `then.as_of`; of what was believed in
        the past each also tells the `grounds` of it among the keys.
        """
        asked = {**seen_by(view), "keys": list(keys), "subjects": SUBJECTS, "facts": FACTS, "steps": STEPS}
        asked |= {"ids": [] if then.known is not None else list(ids), "as_of": then.as_of, "known": then.known}
        asked["follows"] = ["supersedes"] if then.as_of is None else ["supersedes", "interrupts"]
        row = await self._pool.row(Q["around"], **asked) or {"facts": (), "turns": ()}
        if then.known is not None:
            row |= await self._pool.row(Q["known_around"], **asked) or {}
        return HitSurroundings(
            facts=[_fact(as_seen(fact, then.as_of)) for fact in row["facts"]],
            turns=[typed(TurnAround, turn, text=turn["text"] or "") for turn in row["turns"]],
        )


def _fact(row: Mapping[str, Any]) -> FactAround:
    return typed(FactAround, row, grounds=row.get("grounds", ()))
