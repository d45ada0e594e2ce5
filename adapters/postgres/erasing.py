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
from memory.errors import Conflict, NotFound
from memory.model.accesses import SOURCE
from memory.model.changes import SEGMENT
from memory.model.scopes import user_scope
from memory.rules.withdrawal import taught_by

Q = queries("erasing")
LEASE_S = 60.0
"""Seconds for which whoever has taken a piece of the queue has it alone: twice what a turn may take."""
BASE_S, CAP_S = 5.0, 600.0
"""Seconds until a piece that failed is tried again, and the most that doubling makes of them."""


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
        return await self._pool.row(Q["receipt"], user_id=user_id, receipt_id=receipt_id)

    async def source(self, receipt_id: str, user_id: str, scope: str, source_id: str, files: Mapping[str, Any]) -> None:
        """Erase a source with its words, quotations of them included, and queue the rest: withdrawals and `files`.

        A turn that was taking in these words either commits before, and is withdrawn, or finds them gone. Raises
        NotFound if another request was faster.
        """
        async with self._pool.transaction() as connection:
            await _begin(connection, receipt_id, user_id, "source", source_id)
            position = (await _all(connection, CAPTURE["next_position"], scope=scope))[0]["position"]
            rows = await _all(connection, CAPTURE["keys_of_source"], scope=scope, source_id=source_id)
            keys = [row["segment_key"] for row in rows]
            [vectors] = await _all(connection, Q["vectors"], scope=scope, keys=keys)
            await connection.execute(CAPTURE["bury"], {"scope": scope, "key": f"{SOURCE}{source_id}"})
            await connection.execute(CAPTURE["remove_keys"], {"scope": scope, "keys": keys, "position": position})
            deleted = await connection.execute(CAPTURE["delete_source"], {"scope": scope, "source_id": source_id})
            if not deleted.rowcount:
                raise NotFound("There is no such source in this memory any more.", id=source_id)
            users = await _readers(connection, user_id, scope, keys)
            told = {"segment_keys": keys, "source_id": source_id}
            taught = await _taught(connection, users, keys)
            tasks = [
                ("withdraw", user, {**told, "taught": taught.get(user, []), "own": user == user_id}) for user in users
            ]
            scopes, owners = [scope, *map(user_scope, users)], [f"{SEGMENT}{key}" for key in keys]
            gone = await _all(connection, Q["erase_words"], scopes=list(set(scopes)), owners=owners)
            await _ask(connection, receipt_id, [*tasks, ("files", user_id, {**files, "source_id": source_id})])
            await strike_source(connection, source_id)
            counts = {"segments": len(keys), "vectors": vectors["count"], "content": len(gone)}
            await connection.execute(Q["count"], {"receipt_id": receipt_id, "counts": Jsonb(counts)})

    async def entity(self, receipt_id: str, user_id: str, entity_id: str, command_id: str) -> None:
        """Queue the forgetting of an entity."""
        async with self._pool.transaction() as connection:
            await _begin(connection, receipt_id, user_id, "entity", entity_id)
            told = {"entity_id": entity_id, "command_id": command_id}
            await _ask(connection, receipt_id, [("entity", user_id, told)])

    async def memory(self, receipt_id: str, user_id: str, folders: Sequence[str], files: Mapping[str, Any]) -> None:
        """Erase all that was heard by and is believed for a user, and queue what lies in `files`.

        `folders` are where the offsets of the user's session files are kept under. Sources leave tombstones, so that
        no watcher brings them back; tokens stay.
        """
        scope = user_scope(user_id)
        key = {"user_id": user_id, "scope": scope, "folders": list(folders)}
        async with self._pool.transaction() as connection:
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
        await self._pool.rows(Q["cancel"], receipt_id=receipt_id)

    async def tasks(self, receipt_id: str) -> list[DictRow]:
        """What is still to be done for a receipt."""
        return await self._pool.rows(Q["tasks_of"], receipt_id=receipt_id)

    async def claim(self, limit: int) -> list[DictRow]:
        """Pieces of the queue that are due, for the caller alone as long as its lease lasts."""
        return await self._pool.rows(Q["claim"], limit=limit, lease_s=LEASE_S)

    async def finished(self, task: Mapping[str, Any], counts: Mapping[str, int]) -> None:
        """A piece is done and has erased so much; the last one settles its receipt. Done twice it counts once."""
        async with self._pool.transaction() as connection:
            if await _all(connection, Q["finish"], **_key(task)):
                await connection.execute(Q["count"], {"receipt_id": task["receipt_id"], "counts": Jsonb(dict(counts))})
                await connection.execute(Q["settle"], {"receipt_id": task["receipt_id"]})

    async def failed(self, task: Mapping[str, Any], error: str) -> None:
        """A piece has failed and is tried again after the back-off."""
        await self._pool.rows(Q["failed"], **_key(task), error=error, base_s=BASE_S, cap_s=CAP_S)


async def _begin(connection: Connection, receipt_id: str, user_id: str, what: str, identity: str) -> None:
    [hashed] = await _all(connection, Q["hashed"], id=identity)
    told = {"receipt_id": receipt_id, "user_id": user_id, "what": what, "id": hashed[what]}
    if not await _all(connection, Q["begin"], **told):
        raise Conflict("The same request is being carried out.", receipt_id=receipt_id)


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
