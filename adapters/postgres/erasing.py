"""Erasing in PostgreSQL: words go first, in one transaction with the queue of what has to follow, and a receipt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from adapters.postgres.audit import strike_source
from adapters.postgres.capture import Q as CAPTURE
from adapters.postgres.forget import Q as FORGET
from adapters.postgres.pool import Connection, Pool
from adapters.postgres.sql import queries
from adapters.row_scope import as_named, everybody
from memory.errors import Conflict, NotFound
from memory.model.accesses import SOURCE
from memory.model.changes import SEGMENT
from memory.model.ids import segment_named
from memory.model.scopes import user_scope
from memory.rules.withdrawal import taught_by

Q = queries("erasing")
LEASE_S = 60.0
"""Seconds for which whoever has taken a piece of the queue has it alone: twice what a turn may take."""
BASE_S, CAP_S = 5.0, 600.0
"""Seconds until a piece that failed is tried again, and the most that doubling makes of them."""

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
        if known["what"] != what or (what != "entity" and known["id"] != hashed[what]):
            raise Conflict("This Idempotency-Key was used for another request.", receipt_id=row["id"])
        return str(row["id"]), True

    async def receipt(self, user_id: str, receipt_id: str) -> DictRow | None:
        """A receipt of this user with the state of its pieces; None if there is none."""
        rows = await self._rows("receipt", user_id=user_id, receipt_id=receipt_id)
        return rows[0] if rows else None

    async def reached(self, user_id: str) -> tuple[int, float]:
        """How many erasures have reached a memory, of its team's words too, and when the last was asked for.

        The instant is in seconds since 1970, 0 without any. Another answer than before tells that there was another.
        """
        [row] = await self._rows("reached", user_id=user_id)
        return row["count"], row["latest"]

    async def source(
        self,
        receipt_id: str,
        user_id: str,
        scope: str,
        source_id: str,
        files: Mapping[str, Any],
        segment_id: str | None = None,
    ) -> None:
        """Erase a source with its words, quotations of them included, and queue the rest: withdrawals and `files`.

        `segment_id` is what was asked for, if that was the last of its segments.

        A turn that was taking in these words either commits before, and is withdrawn, or finds them gone. Raises
        NotFound if another request was faster.
        """
        with everybody("words leave every memory that rests on them"):
            named = source_id if segment_id is None else segment_named(source_id, segment_id)
            await self._erase_source(receipt_id, user_id, scope, source_id, files, named)

    async def _erase_source(
        self, receipt_id: str, user_id: str, scope: str, source_id: str, files: Mapping[str, Any], named: str
    ) -> None:
        async with self._pool.transaction(long=True) as connection:
            await _begin(connection, receipt_id, user_id, "source", named)
            position = (await _all(connection, CAPTURE["next_position"], scope=scope))[0]["position"]
            rows = await _all(connection, CAPTURE["keys_of_source"], scope=scope, source_id=source_id)
            keys = [row["segment_key"] for row in rows]
            [vectors] = await _all(connection, Q["vectors"], scope=scope, keys=keys)
            await connection.execute(CAPTURE["bury"], {"scope": scope, "key": f"{SOURCE}{source_id}"})
            await connection.execute(CAPTURE["remove_keys"], {"scope": scope, "keys": keys, "position": position})
            deleted = await connection.execute(CAPTURE["delete_source"], {"scope": scope, "source_id": source_id})
            if not deleted.rowcount:
                raise NotFound("There is no such source in this memory any more.", id=source_id)
            follow = {"source_id": source_id}
            content = await _withdrawn(connection, receipt_id, user_id, scope, keys, follow, {**files, **follow})
            await strike_source(connection, source_id)
            counts = {"segments": len(keys), "vectors": vectors["count"], "content": content}
            await connection.execute(Q["count"], {"receipt_id": receipt_id, "counts": Jsonb(counts)})

    async def segment(
        self, receipt_id: str, user_id: str, scope: str, source_id: str, segment_id: str, files: Mapping[str, Any]
    ) -> None:
        """Erase one segment, with what it has replaced, and queue the withdrawals and its sound in `files`.

        The rest of its source stays. Raises NotFound if another request was faster.
        """
        with everybody("words leave every memory that rests on them"):
            await self._erase_segment(receipt_id, user_id, scope, source_id, segment_id, files)

    async def _erase_segment(
        self, receipt_id: str, user_id: str, scope: str, source_id: str, segment_id: str, files: Mapping[str, Any]
    ) -> None:
        which = {"scope": scope, "source_id": source_id, "segment_id": segment_id}
        async with self._pool.transaction(long=True) as connection:
            await _begin(connection, receipt_id, user_id, "source", segment_named(source_id, segment_id))
            position = (await _all(connection, CAPTURE["next_position"], scope=scope))[0]["position"]
            keys = [row["segment_key"] for row in await _all(connection, Q["with_replaced"], **which)]
            if not keys:
                raise NotFound("There is no such segment in this memory any more.", id=source_id)
            [vectors] = await _all(connection, Q["vectors"], scope=scope, keys=keys)
            await connection.execute(CAPTURE["remove_keys"], {"scope": scope, "keys": keys, "position": position})
            await connection.execute(Q["drop_segments"], {"scope": scope, "keys": keys})
            await connection.execute(Q["drop_wordings"], which)
            heard = {**files, "source_id": source_id}
            content = await _withdrawn(connection, receipt_id, user_id, scope, keys, {"source_id": None}, heard)
            counts = {"segments": len(keys), "vectors": vectors["count"], "content": content}
            await connection.execute(Q["count"], {"receipt_id": receipt_id, "counts": Jsonb(counts)})

    async def entity(self, receipt_id: str, user_id: str, entity_id: str, command_id: str) -> None:
        """Queue the forgetting of an entity."""
        async with self._pool.transaction(user_id=user_id) as connection:
            await _begin(connection, receipt_id, user_id, "entity", entity_id)
            told = {"entity_id": entity_id, "command_id": command_id}
            await _ask(connection, receipt_id, [("entity", user_id, told)])

    async def voice(self, receipt_id: str, user_id: str, voice_id: str) -> None:
        """Begin to forget a voice: whoever erases its prints says so afterwards, by `settled`."""
        async with self._pool.transaction(user_id=user_id) as connection:
            await _begin(connection, receipt_id, user_id, "voice", voice_id)

    async def settled(self, receipt_id: str) -> None:
        """Nothing is left to be done for a receipt but to sweep the database's files."""
        await self._rows("settle", receipt_id=receipt_id)

    async def memory(self, receipt_id: str, user_id: str, folders: Sequence[str], files: Mapping[str, Any]) -> None:
        """Erase all that was heard by and is believed for a user, and queue what lies in `files`.

        `folders` are where the offsets of the user's session files are kept under. Sources leave tombstones, so that
        no watcher brings them back; tokens stay.
        """
        scope = user_scope(user_id)
        key = {"user_id": user_id, "scope": scope, "folders": list(folders)}
        with as_named():  # in all scopes that are read for the user, whoever asked
            await self._erase_memory(receipt_id, key, files)

    async def _erase_memory(self, receipt_id: str, key: Mapping[str, Any], files: Mapping[str, Any]) -> None:
        user_id, scope = key["user_id"], key["scope"]
        async with self._pool.transaction(long=True, user_id=user_id) as connection:
            await _begin(connection, receipt_id, user_id, "memory", user_id)
            await connection.execute(Q["lock_user"], key)  # the order every turn locks in: user, scope, segments
            position = (await _all(connection, CAPTURE["next_position"], scope=scope))[0]["position"]
            [weighed] = await _all(connection, Q["weigh"], **key)
            for name in ("bury_all", "remove_all", "drop_sources", "drop_words", "drop_user"):
                await connection.execute(Q[name], {**key, "position": position})
            await _ask(connection, receipt_id, [("memory", user_id, dict(files))])
            await connection.execute(Q["count"], {"receipt_id": receipt_id, "counts": Jsonb(weighed)})

    async def cancel(self, receipt_id: str) -> None:
        """Take back a request that turned out to be impossible."""
        await self._rows("cancel", receipt_id=receipt_id)

    async def tasks(self, receipt_id: str) -> list[DictRow]:
        """What is still to be done for a receipt."""
        return await self._rows("tasks_of", receipt_id=receipt_id)

    async def claim(self, limit: int) -> list[DictRow]:
        """Pieces of the queue that are due, for the caller alone as long as its lease lasts."""
        return await self._rows("claim", limit=limit, lease_s=LEASE_S)

    async def finished(self, task: Mapping[str, Any], counts: Mapping[str, int]) -> None:
        """A piece is done and has erased so much; the last one settles its receipt. Done twice it counts once."""
        receipt = {"receipt_id": task["receipt_id"]}
        with everybody(_QUEUE):
            async with self._pool.transaction() as connection:
                if await _all(connection, Q["finish"], **_key(task)):
                    await connection.execute(Q["count"], {**receipt, "counts": Jsonb(dict(counts))})
                    await connection.execute(Q["settle"], receipt)

    async def failed(self, task: Mapping[str, Any], error: str) -> None:
        """A piece has failed and is tried again after the back-off."""
        await self._rows("failed", **_key(task), error=error, base_s=BASE_S, cap_s=CAP_S)

    async def _rows(self, statement: str, /, **parameters: Any) -> list[DictRow]:
        """A statement over the queue: a receipt of one user has pieces in the memories of others."""
        with everybody(_QUEUE):
            return await self._pool.rows(Q[statement], **parameters)


async def _begin(connection: Connection, receipt_id: str, user_id: str, what: str, identity: str) -> None:
    [hashed] = await _all(connection, Q["hashed"], id=identity)
    told = {"receipt_id": receipt_id, "user_id": user_id, "what": what, "id": hashed[what]}
    if not await _all(connection, Q["begin"], **told):
        raise Conflict("The same request is being carried out.", receipt_id=receipt_id)


async def _withdrawn(
    connection: Connection,
    receipt_id: str,
    user_id: str,
    scope: str,
    keys: Sequence[int],
    told: Mapping[str, Any],
    files: Mapping[str, Any],
) -> int:
    """Erase the words of segments, and queue what follows in every memory and in `files`; how many words those were."""
    users = await _readers(connection, user_id, scope, keys)
    taught = await _taught(connection, users, keys)
    tasks: list[tuple[str, str, Mapping[str, Any]]] = [
        ("withdraw", user, {"segment_keys": keys, **told, "taught": taught.get(user, []), "own": user == user_id})
        for user in users
    ]
    scopes, owners = [scope, *map(user_scope, users)], [f"{SEGMENT}{key}" for key in keys]
    gone = await _all(connection, Q["erase_words"], scopes=list(set(scopes)), owners=owners)
    await _ask(connection, receipt_id, [*tasks, ("files", user_id, files)])
    return len(gone)


async def _ask(connection: Connection, receipt_id: str, tasks: Sequence[tuple[str, str, Mapping[str, Any]]]) -> None:
    rows = [{"task": task, "user_id": user_id, "told": told} for task, user_id, told in tasks]
    await connection.execute(Q["ask"], {"receipt_id": receipt_id, "tasks": Jsonb(rows), "lease_s": LEASE_S})


async def _readers(connection: Connection, user_id: str, scope: str, keys: Sequence[int]) -> list[str]:
    """Everybody who may believe something of these segments; whoever asked comes first."""
    rows = await _all(connection, CAPTURE["readers_of"], scope=scope)
    rows += await _all(connection, FORGET["resting"], keys=list(keys))
    return list(dict.fromkeys([user_id, *sorted(row["user_id"] for row in rows)]))


async def _taught(connection: Connection, users: Sequence[str], keys: Sequence[int]) -> dict[str, list[Any]]:
    """user id -> (entity id, digests of the words by which these segments meant it)."""
    taught: dict[str, list[Any]] = {}
    for row in await _all(connection, Q["taught"], users=list(users), keys=list(keys)):
        taught.setdefault(row["user_id"], []).append((row["entity_id"], taught_by(row["quotes"])))
    return taught


def _key(task: Mapping[str, Any]) -> dict[str, Any]:
    return {name: task[name] for name in ("receipt_id", "task", "user_id")}


async def _all(connection: Connection, statement: str, **parameters: Any) -> list[DictRow]:
    return await (await connection.execute(statement, parameters, binary=True)).fetchall()
