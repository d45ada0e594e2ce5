"""Erasing in PostgreSQL: words go first, in one transaction with the queue of what has to follow, and a receipt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from adapters.postgres.audit import strike_source
from adapters.postgres.capture import Q as CAPTURE
from adapters.postgres.erasing_rows import receipt_of, task_of, told_as
from adapters.postgres.forget import Q as FORGET
from adapters.postgres.pool import Connection, Pool
from adapters.postgres.sql import queries
from adapters.row_scope import as_named, everybody
from memory.errors import Conflict, NotFound
from memory.model.changes import SEGMENT
from memory.model.erasing import (
    ENTITY,
    FILES,
    MEMORY,
    WITHDRAW,
    CapturedSource,
    ErasureRequest,
    ErasureTask,
    KeptReceipt,
    ListedFiles,
    WithdrawnEntity,
    WithdrawnSegments,
)
from memory.model.ids import segment_named
from memory.model.scopes import user_scope
from memory.rules.withdrawal import taught_by

Q = queries("erasing")
LEASE_S = 60.0
"""Seconds for which whoever has taken a piece of the queue has it alone: twice what a turn may take."""
BASE_S, CAP_S = 5.0, 600.0
"""Seconds until a piece that failed is tried again, and the most that doubling makes of them."""

Taught = tuple[tuple[str, tuple[str, ...]], ...]
_QUEUE = "the queue of what is to be erased"


class PostgresErasing:
    """Receipts and the queue of one database."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def asked(self, user_id: str, key: str, what: str, identity: str) -> tuple[str, bool]:
        """The id of the receipt of a request, by its key, and whether there is one already.

        Raises Conflict if the key was used to forget something else; of an entity any beginning of its id will do.
        """
        row = await self._pool.row(Q["receipt_id"], user_id=user_id, key=key)
        assert row is not None
        known = await self.receipt(user_id, row["id"])
        if known is None:
            return str(row["id"]), False
        hashed = await self._pool.row(Q["hashed"], id=identity)
        assert hashed is not None
        if known.what != what or (what != "entity" and known.id != hashed[what]):
            raise Conflict("This Idempotency-Key was used for another request.", receipt_id=row["id"])
        return str(row["id"]), True

    async def receipt(self, user_id: str, receipt_id: str) -> KeptReceipt | None:
        """A receipt of this user with the state of its pieces; None if there is none."""
        rows = await self._rows("receipt", user_id=user_id, receipt_id=receipt_id)
        return receipt_of(rows[0]) if rows else None

    async def reached(self, user_id: str) -> tuple[int, float]:
        """How many erasures have reached a memory, of its team's words too, and when the last was asked for.

        The instant is in seconds since 1970, 0 without any. Another answer than before tells that there was another.
        """
        [row] = await self._rows("reached", user_id=user_id)
        return row["count"], row["latest"]

    async def source(self, asked: ErasureRequest, source: CapturedSource, segment_id: str | None = None) -> None:
        """Erase a source with its words, quotations of them included, and queue the rest: withdrawals and files.

        `segment_id` is what was asked for, if that was the last of its segments.

        A turn that was taking in these words either commits before, and is withdrawn, or finds them gone. Raises
        NotFound if another request was faster.
        """
        with everybody("words leave every memory that rests on them"):
            named = source.source_id if segment_id is None else segment_named(source.source_id, segment_id)
            await self._erase_source(asked, source, named)

    async def _erase_source(self, asked: ErasureRequest, source: CapturedSource, named: str) -> None:
        scope, source_id = source.scope, source.source_id
        async with self._pool.transaction(long=True) as connection:
            await _begin(connection, asked, "source", named)
            position = (await _all(connection, CAPTURE["next_position"], scope=scope))[0]["position"]
            rows = await _all(connection, CAPTURE["keys_of_source"], scope=scope, source_id=source_id)
            keys = [row["segment_key"] for row in rows]
            [vectors] = await _all(connection, Q["vectors"], scope=scope, keys=keys)
            await connection.execute(CAPTURE["bury"], {"scope": scope, "source_id": source_id})
            await connection.execute(CAPTURE["remove_keys"], {"scope": scope, "keys": keys, "position": position})
            deleted = await connection.execute(CAPTURE["delete_source"], {"scope": scope, "source_id": source_id})
            if not deleted.rowcount:
                raise NotFound("There is no such source in this memory any more.", id=source_id)
            content = await _withdrawn(connection, asked, source, keys, source_id)
            await strike_source(connection, source_id)
            counts = {"segments": len(keys), "vectors": vectors["count"], "content": content}
            await connection.execute(Q["count"], {"receipt_id": asked.receipt_id, "counts": Jsonb(counts)})

    async def segment(self, asked: ErasureRequest, source: CapturedSource, segment_id: str) -> None:
        """Erase one segment, with what it has replaced, and queue the withdrawals and its sound in the files.

        The rest of its source stays. Raises NotFound if another request was faster.
        """
        with everybody("words leave every memory that rests on them"):
            await self._erase_segment(asked, source, segment_id)

    async def _erase_segment(self, asked: ErasureRequest, source: CapturedSource, segment_id: str) -> None:
        scope, source_id = source.scope, source.source_id
        which = {"scope": scope, "source_id": source_id, "segment_id": segment_id}
        async with self._pool.transaction(long=True) as connection:
            await _begin(connection, asked, "source", segment_named(source_id, segment_id))
            position = (await _all(connection, CAPTURE["next_position"], scope=scope))[0]["position"]
            keys = [row["segment_key"] for row in await _all(connection, Q["with_replaced"], **which)]
            if not keys:
                raise NotFound("There is no such segment in this memory any more.", id=source_id)
            [vectors] = await _all(connection, Q["vectors"], scope=scope, keys=keys)
            await connection.execute(CAPTURE["remove_keys"], {"scope": scope, "keys": keys, "position": position})
            await connection.execute(Q["drop_segments"], {"scope": scope, "keys": keys})
            await connection.execute(Q["drop_wordings"], which)
            content = await _withdrawn(connection, asked, source, keys, None)
            counts = {"segments": len(keys), "vectors": vectors["count"], "content": content}
            await connection.execute(Q["count"], {"receipt_id": asked.receipt_id, "counts": Jsonb(counts)})

    async def entity(self, asked: ErasureRequest, entity: WithdrawnEntity) -> None:
        """Queue the forgetting of an entity."""
        async with self._pool.transaction(user_id=asked.user_id) as connection:
            await _begin(connection, asked, "entity", entity.entity_id)
            await _ask(connection, [ErasureTask(asked.receipt_id, ENTITY, asked.user_id, entity)])

    async def voice(self, asked: ErasureRequest, voice_id: str) -> None:
        """Begin to forget a voice: whoever erases its prints says so afterwards, by `settled`."""
        async with self._pool.transaction(user_id=asked.user_id) as connection:
            await _begin(connection, asked, "voice", voice_id)

    async def settled(self, receipt_id: str) -> None:
        """Nothing is left to be done for a receipt but to sweep the database's files."""
        await self._rows("settle", receipt_id=receipt_id)

    async def memory(self, asked: ErasureRequest, folders: Sequence[str], listed: ListedFiles) -> None:
        """Erase all that was heard by and is believed for a user, and queue what lies in the files.

        `folders` are where the offsets of the user's session files are kept under. Sources leave tombstones, so that
        no watcher brings them back; tokens stay.
        """
        with as_named():  # in all scopes that are read for the user, whoever asked
            await self._erase_memory(asked, folders, listed)

    async def _erase_memory(self, asked: ErasureRequest, folders: Sequence[str], listed: ListedFiles) -> None:
        user_id, scope = asked.user_id, user_scope(asked.user_id)
        key = {"user_id": user_id, "scope": scope, "folders": list(folders)}
        async with self._pool.transaction(long=True, user_id=user_id) as connection:
            await _begin(connection, asked, "memory", user_id)
            await connection.execute(Q["lock_user"], key)  # the order every turn locks in: user, scope, segments
            position = (await _all(connection, CAPTURE["next_position"], scope=scope))[0]["position"]
            [weighed] = await _all(connection, Q["weigh"], **key)
            for name in ("bury_all", "remove_all", "drop_sources", "drop_words", "drop_user"):
                await connection.execute(Q[name], {**key, "position": position})
            await _ask(connection, [ErasureTask(asked.receipt_id, MEMORY, user_id, listed)])
            await connection.execute(Q["count"], {"receipt_id": asked.receipt_id, "counts": Jsonb(weighed)})

    async def cancel(self, receipt_id: str) -> None:
        """Take back a request that turned out to be impossible."""
        await self._rows("cancel", receipt_id=receipt_id)

    async def tasks(self, receipt_id: str) -> list[ErasureTask]:
        """What is still to be done for a receipt."""
        return [task_of(row) for row in await self._rows("tasks_of", receipt_id=receipt_id)]

    async def claim(self, limit: int) -> list[ErasureTask]:
        """Pieces of the queue that are due, for the caller alone as long as its lease lasts."""
        return [task_of(row) for row in await self._rows("claim", limit=limit, lease_s=LEASE_S)]

    async def finished(self, task: ErasureTask, counts: Mapping[str, int]) -> None:
        """A piece is done and has erased so much; the last one settles its receipt. Done twice it counts once."""
        receipt = {"receipt_id": task.receipt_id}
        with everybody(_QUEUE):
            async with self._pool.transaction() as connection:
                if await _all(connection, Q["finish"], **_key(task)):
                    await connection.execute(Q["count"], {**receipt, "counts": Jsonb(dict(counts))})
                    await connection.execute(Q["settle"], receipt)

    async def failed(self, task: ErasureTask, error: str) -> None:
        """A piece has failed and is tried again after the back-off."""
        await self._rows("failed", **_key(task), error=error, base_s=BASE_S, cap_s=CAP_S)

    async def _rows(self, statement: str, /, **parameters: Any) -> list[DictRow]:
        """A statement over the queue: a receipt of one user has pieces in the memories of others."""
        with everybody(_QUEUE):
            return await self._pool.rows(Q[statement], **parameters)


async def _begin(connection: Connection, asked: ErasureRequest, what: str, identity: str) -> None:
    [hashed] = await _all(connection, Q["hashed"], id=identity)
    told = {"receipt_id": asked.receipt_id, "user_id": asked.user_id, "what": what, "id": hashed[what]}
    if not await _all(connection, Q["begin"], **told):
        raise Conflict("The same request is being carried out.", receipt_id=asked.receipt_id)


async def _withdrawn(
    connection: Connection, asked: ErasureRequest, source: CapturedSource, keys: Sequence[int], gone: str | None
) -> int:
    """Erase the words of segments, and queue what follows in every memory and in files; how many words those were.

    `gone` is the id of their source, if nothing else is left of it.
    """
    receipt_id, user_id = asked.receipt_id, asked.user_id
    users = await _readers(connection, user_id, source.scope, keys)
    taught = await _taught(connection, users, keys)
    tasks = [
        ErasureTask(
            receipt_id, WITHDRAW, user, WithdrawnSegments(tuple(keys), gone, taught.get(user, ()), user == user_id)
        )
        for user in users
    ]
    scopes, owners = [source.scope, *map(user_scope, users)], [f"{SEGMENT}{key}" for key in keys]
    words = await _all(connection, Q["erase_words"], scopes=list(set(scopes)), owners=owners)
    await _ask(connection, [*tasks, ErasureTask(receipt_id, FILES, user_id, source)])
    return len(words)


async def _ask(connection: Connection, tasks: Sequence[ErasureTask]) -> None:
    """Queue the pieces of one receipt."""
    rows = [{"task": task.task, "user_id": task.user_id, "told": told_as(task.told)} for task in tasks]
    asked = {"receipt_id": tasks[0].receipt_id, "tasks": Jsonb(rows), "lease_s": LEASE_S}
    await connection.execute(Q["ask"], asked)


async def _readers(connection: Connection, user_id: str, scope: str, keys: Sequence[int]) -> list[str]:
    """Everybody who may believe something of these segments; whoever asked comes first."""
    rows = await _all(connection, CAPTURE["readers_of"], scope=scope)
    rows += await _all(connection, FORGET["resting"], keys=list(keys))
    return list(dict.fromkeys([user_id, *sorted(row["user_id"] for row in rows)]))


async def _taught(connection: Connection, users: Sequence[str], keys: Sequence[int]) -> dict[str, Taught]:
    """user id -> (entity id, digests of the words by which these segments meant it)."""
    taught: dict[str, Taught] = {}
    for row in await _all(connection, Q["taught"], users=list(users), keys=list(keys)):
        user = row["user_id"]
        taught[user] = (*taught.get(user, ()), (row["entity_id"], taught_by(row["quotes"])))
    return taught


def _key(task: ErasureTask) -> dict[str, str]:
    return {name: getattr(task, name) for name in ("receipt_id", "task", "user_id")}


async def _all(connection: Connection, statement: str, **parameters: Any) -> list[DictRow]:
    return await (await connection.execute(statement, parameters, binary=True)).fetchall()
