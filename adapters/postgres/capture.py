"""Capture in PostgreSQL: what was heard, in one transaction a source, and the queue of work it asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from adapters.postgres.audit import PostgresAudit
from adapters.postgres.codec import decode_profile
from adapters.postgres.heard_rows import due_source, is_moved, segment_row, source_row, stored_segments, utterance_of
from adapters.postgres.pool import Connection, Pool
from adapters.postgres.sql import queries
from adapters.row_scope import everybody
from memory.errors import Forgotten
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity
from memory.model.sources import NEVER, ON_PURPOSE, Segment, SessionPart, Source, StoredSource, Telling
from memory.model.timeline import Instant
from memory.model.waiting import LATEST_FIRST, DueSource, QueueOrder, UnencodedSegment
from memory.ports import Unread
from memory.retrieval.pieces import Encoded
from memory.rules.sweep import changed_segments

Q = queries("capture")

CONTEXT_TURNS = 4
"""Read turns an extractor sees before the unread ones: as far back as pronouns reach (extraction study)."""
_STANDING = ("kind", "ttl_policy", "started_at", "offset_s")
"""What of a known source stands unless it is told anew."""
MOST_LISTENERS = 20
"""Speakers of a source who are looked for among its words (chosen: a large meeting); each is tried in each sentence."""


MOST_PARTS = 1_000
"""Parts of a session that are looked through for forgotten ones (chosen: each silence opens one, for ten days)."""


class PostgresCapture:
    """Sources and segments. `encoder` names whose vectors are kept; the back-off is in seconds."""

    def __init__(
        self,
        pool: Pool,
        encoder: str,
        *,
        base_s: float = 10.0,
        cap_s: float = 3600.0,
        attempts: int = 8,
        tries: int = 3,
    ) -> None:
        self._pool = pool
        self._encoder = encoder
        self._base_s, self._cap_s, self._attempts, self._tries = base_s, cap_s, attempts, tries

    async def store(self, source: Source, telling: Telling = ON_PURPOSE) -> StoredSource:
        """Upsert a source and its segments. Raises Forgotten."""
        scope = {"scope": source.scope, "source_id": source.source_id}
        async with self._pool.pipelined(scope=source.scope) as connection:
            position, known, rows = await _standing(connection, source, telling.revive)
            if known:
                kept = replace(source, **{name: known[name] for name in _STANDING})
                source = telling.over(source, replace(kept, sensitivity=Sensitivity(known["sensitivity"])))
            changed, replaced = changed_segments(stored_segments(rows), source.segments)
            moved = known is not None and is_moved(source, known)
            await connection.execute(Q["put_source"], source_row(source))
            if changed:
                places = _places(changed, rows, known["last_ord"] if known else -1)
                said = [
                    segment_row(source, each)
                    | {"ord": places[each.segment_id], "replaced_by": replaced.get(each.segment_id)}
                    for each in changed
                ]
                await _write(connection, scope, position, said)
            if moved:
                await connection.execute(
                    Q["move_segments"], {**scope, "started_at": source.started_at, "position": position}
                )
            if changed or moved:
                await self._want_work(connection, source, position, telling)
        segments = len(source.segments)
        return StoredSource(source.source_id, segments, changed=len(changed), sensitivity=source.sensitivity)

    async def _want_work(self, connection: Connection, source: Source, position: int, telling: Telling) -> None:
        kind, _, owner = source.scope.partition(":")
        if kind == "user":
            await connection.execute(Q["ensure_reader"], {"scope": source.scope, "user_id": owner})
        await connection.execute(
            Q["want_work"],
            {"scope": source.scope, "source_id": source.source_id, "position": position, "read": telling.read},
        )

    async def read_by(self, scope: str, user_id: str) -> None:
        """Note that a user reads a scope; what is in it will be extracted for them."""
        await self._pool.rows(Q["new_reader"], scope=scope, user_id=user_id)

    async def profile(self, user_id: str) -> Profile:
        """The profile, as the journal last committed it."""
        row = await self._pool.row(Q["profile"], user_id=user_id)
        return decode_profile(row["profile"]) if row else Profile()

    async def due(self, task: str, now: Instant, limit: int, order: QueueOrder = LATEST_FIRST) -> list[DueSource]:
        """Sources whose `task` (embed or read) is due, at most `limit`, in this order."""
        wanted = {"task": task, "now": now, "limit": limit, "longest": order.longest}
        turns = {"served": list(order.served), "besides": list(order.besides)}
        with everybody("the queue of work"):
            rows = await self._pool.rows(Q["due"], **wanted, **turns, attempts=self._attempts)
        return [due_source(row) for row in rows]

    async def unread(self, user_id: str, scope: str, source_id: str, limit: int) -> Unread:
        """What of a source was not read for this user yet, `limit` segments, with the turns before each as context."""
        source = {"scope": scope, "source_id": source_id}
        bounds = {"limit": limit, "context": CONTEXT_TURNS, "tries": self._tries}
        rows = await self._pool.rows(Q["to_read"], user_id=user_id, **source, **bounds)
        speakers = {each["speaker"] for each in await self._pool.rows(Q["speakers"], **source, limit=MOST_LISTENERS)}
        hidden = await self._pool.rows(Q["withdrawn"], user_id=user_id, **source)
        return Unread(
            utterances=tuple(utterance_of(row, source_id, speakers) for row in rows),
            withdrawn={row["segment_key"]: row["revision"] for row in hidden},
            tried=frozenset(row["segment_key"] for row in rows if row["tries"]),
        )

    async def stands(self, scope: str, source_id: str) -> bool:
        """Whether there is such a source: it may have been forgotten."""
        return await self._pool.row(Q["stands"], scope=scope, source_id=source_id) is not None

    async def try_reading(self, user_id: str, scope: str, keys: Sequence[int]) -> None:
        """Count that these segments are about to be read, before they are: whatever happens, it is known."""
        await self._pool.rows(Q["try_reading"], user_id=user_id, scope=scope, keys=list(keys))

    async def end_reading(self, user_id: str, scope: str, keys: Sequence[int], reason: str | None = None) -> None:
        """Take back the count of what was read; or note why it was not, and let it count."""
        which = {"user_id": user_id, "scope": scope, "keys": list(keys)}
        if reason is None:
            await self._pool.rows(Q["end_reading"], **which)
        else:
            await self._pool.rows(Q["blame_reading"], **which, reason=reason[:500])

    async def failed(self, task: DueSource, error: str, now: Instant) -> None:
        """Record a failed attempt at a piece of work; the next one is due after the back-off."""
        await self._pool.rows(
            Q["failed"], **_work_key(task), error=error[:500], now=now, base_s=self._base_s, cap_s=self._cap_s
        )

    async def retry(self, scope: str, source_id: str) -> None:
        """Let everything that is still to be done with a source be tried at once, what was set aside too."""
        async with self._pool.pipelined(scope=scope) as connection:
            for statement in (Q["retry"], Q["retry_set_aside"]):
                await connection.execute(statement, {"scope": scope, "source_id": source_id})

    async def read_again(self, user_id: str, scope: str, source_id: str) -> None:
        """Let what was read of a source for this user be read once more, for everybody who reads its scope."""
        source = {"scope": scope, "source_id": source_id}
        async with self._pool.pipelined(user_id=user_id, scope=scope) as connection:
            await connection.execute(Q["hold_scope"], {"scope": scope})
            await connection.execute(Q["count_again"], {**source, "user_id": user_id})
            for statement in (Q["want_reading"], Q["retry_set_aside"]):
                await connection.execute(statement, source)

    async def embed_again(self, scope: str, source_id: str) -> None:
        """Let the vectors of a source be made anew; until then they serve."""
        await self._pool.rows(Q["want_vectors"], scope=scope, source_id=source_id, encoder=self._encoder)

    async def finished(self, *tasks: DueSource) -> None:
        """Take pieces of work off the queue, but for those that were asked for again after `due` had named them."""
        if tasks:
            done = [{**_work_key(task), "asked": task.asked} for task in tasks]
            await self._pool.rows(Q["finish_work"], tasks=Jsonb(done), scopes=[task.scope for task in tasks])

    async def unembedded(self, sources: Sequence[tuple[str, str]], limit: int) -> list[UnencodedSegment]:
        """The first segments of these sources, as (scope, source_id), that have no current vector or are to be encoded
        anew, one source after another."""
        scopes, ids = [scope for scope, _ in sources], [source_id for _, source_id in sources]
        rows = await self._pool.rows(Q["to_embed"], scopes=scopes, ids=ids, limit=limit, encoder=self._encoder)
        return [UnencodedSegment(**row) for row in rows]

    async def renew_vectors(self, scope: str) -> None:
        """Let the vectors of a scope be made anew; until then they serve."""
        await self._pool.rows(Q["renew_vectors"], scope=scope, encoder=self._encoder)

    async def parts(self, scope: str, session_id: str) -> list[SessionPart]:
        """The sources one captured session has become so far."""
        rows = await self._pool.rows(Q["parts"], scope=scope, session_id=session_id)
        return [SessionPart(session_id, row["source_id"], row["started_at"], row["ended_at"]) for row in rows]

    async def forgotten_parts(self, scope: str, session_id: str, standing: Sequence[SessionPart]) -> list[SessionPart]:
        """The parts of a session that were forgotten, besides those that stand: their numbers are not given again.

        Where it is not known when one was told, it is told as of NEVER.
        """
        last = max((part.number for part in standing), default=0)
        rows = await self._pool.rows(Q["buried_parts"], scope=scope, session_id=session_id, last=last, most=MOST_PARTS)
        spans = [(row["source_id"], row["started_at"], row["ended_at"]) for row in rows]
        return [
            SessionPart(session_id, each, NEVER if began is None else began, NEVER if ended is None else ended)
            for each, began, ended in spans
        ]

    async def store_vectors(self, scope: str, keys: Sequence[int], revisions: Sequence[int], encoded: Encoded) -> None:
        """Store vectors and word pieces of segments whose words are still those that were encoded."""
        async with self._pool.pipelined(scope=scope) as connection:
            await connection.execute(Q["next_vector_position"], {"scope": scope})
            await connection.execute(
                Q["put_vectors"],
                {
                    "scope": scope,
                    "encoder": self._encoder,
                    "keys": list(keys),
                    "revisions": list(revisions),
                    "vectors": encoded.vectors,
                    "dimensions": encoded.vectors.shape[1],
                    "pieces": [encoded.pieces.to_bytes(text) for text in range(len(keys))],
                },
            )

    async def keys(self, scope: str, source_id: str) -> list[int]:
        """The keys of all segments of a source, hidden ones included."""
        rows = await self._pool.rows(Q["keys_of_source"], scope=scope, source_id=source_id)
        return [row["segment_key"] for row in rows]

    async def readers(self, scope: str) -> list[str]:
        """The users a scope is read for."""
        return [row["user_id"] for row in await self._pool.rows(Q["readers_of"], scope=scope)]

    async def forget(self, scope: str, source_id: str) -> int:
        """Erase a source with its words, leaving a tombstone; the number of segments that are gone."""
        async with self._pool.transaction(scope=scope) as connection:
            position = (await _one(connection, Q["next_position"], scope=scope))["position"]
            rows = await _all(connection, Q["keys_of_source"], scope=scope, source_id=source_id)
            keys = [row["segment_key"] for row in rows]
            await connection.execute(Q["bury"], {"scope": scope, "source_id": source_id})
            await connection.execute(Q["remove_keys"], {"scope": scope, "keys": keys, "position": position})
            await connection.execute(Q["delete_source"], {"scope": scope, "source_id": source_id})
            await connection.execute(Q["erase_words"], {"scope": scope, "owners": [f"segment:{key}" for key in keys]})
        await PostgresAudit(self._pool).forget_source(source_id)
        return len(keys)

    async def offset(self, path: str) -> int:
        """How far a captured file was read, in bytes."""
        row = await self._pool.row(Q["get_offset"], path=path)
        return int(row["byte_offset"]) if row else 0

    async def set_offset(self, path: str, byte_offset: int) -> None:
        """Remember how far a captured file was read."""
        await self._pool.rows(Q["set_offset"], path=path, byte_offset=byte_offset)

    async def reject(self, path: str, byte_offset: int, reason: str) -> None:
        """Set a malformed line aside, with its reason."""
        await self._pool.rows(Q["reject_line"], path=path, byte_offset=byte_offset, reason=reason)


async def _standing(
    connection: Connection, source: Source, revive: bool
) -> tuple[int, DictRow | None, Sequence[DictRow]]:
    """Take the next position, and with it the lock of the scope; what is known of the source and its segments so far.

    Raises Forgotten if the source was forgotten and is not to be revived.
    """
    scope = {"scope": source.scope, "source_id": source.source_id}
    key = {"scope": source.scope, "key": f"source:{source.source_id}"}
    swept = any(segment.is_sweep or segment.pinned for segment in source.segments)
    ids = [segment.segment_id for segment in source.segments]
    position = await connection.execute(Q["next_position"], {"scope": source.scope}, binary=True)
    buried = await connection.execute(Q["unbury" if revive else "is_forgotten"], key, binary=True)
    known = await connection.execute(Q["known_source"], scope, binary=True)
    rows = await connection.execute(Q["known_segments"], {**scope, "every": swept, "ids": ids}, binary=True)
    if not revive and await buried.fetchone():
        raise Forgotten(source_id=source.source_id)
    taken = await position.fetchone()
    assert taken is not None
    return taken["position"], await known.fetchone(), await rows.fetchall()


async def _one(connection: Connection, statement: str, **parameters: Any) -> DictRow:
    row = await _first(connection, statement, **parameters)
    assert row is not None
    return row


async def _first(connection: Connection, statement: str, **parameters: Any) -> DictRow | None:
    return await (await connection.execute(statement, parameters, binary=True)).fetchone()


async def _all(connection: Connection, statement: str, **parameters: Any) -> list[DictRow]:
    return await (await connection.execute(statement, parameters, binary=True)).fetchall()


def _work_key(task: DueSource) -> dict[str, Any]:
    return {name: getattr(task, name) for name in ("scope", "source_id", "task", "user_id")}


def _places(changed: Sequence[Segment], rows: Iterable[DictRow], last: int) -> dict[str, int]:
    """Segment id -> its place in the source: what is known keeps its own, what is new comes behind the `last`."""
    places = {row["segment_id"]: row["ord"] for row in rows}
    fresh = [segment.segment_id for segment in changed if segment.segment_id not in places]
    return places | {segment_id: last + number for number, segment_id in enumerate(fresh, start=1)}


async def _write(connection: Connection, source: dict[str, str], position: int, said: Sequence[dict[str, Any]]) -> None:
    """Write these rows of segments; `source` is its scope and id."""
    scope = source["scope"]
    await connection.execute(Q["put_segments"], {**source, "position": position, "segments": Jsonb(said)})
    await connection.execute(Q["unremove"], {"scope": scope, "keys": [row["segment_key"] for row in said]})
    if gone := [row["segment_key"] for row in said if not row["words"]]:
        await connection.execute(Q["forget_vectors"], {"scope": scope, "keys": gone})
