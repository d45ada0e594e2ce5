"""The journal in PostgreSQL: claim a memory, load it, commit a turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import psycopg
from psycopg.rows import DictRow, tuple_row
from psycopg.types.json import Jsonb

from adapters.postgres import codec
from adapters.postgres.codec import Written
from adapters.postgres.pool import Connection, Pool, send_instants_raw
from adapters.postgres.rows import write_rows
from adapters.postgres.sql import queries
from adapters.postgres.turn_checks import check_quoted, check_read, check_summed_up
from adapters.postgres.vectors import matrix
from adapters.row_scope import everybody
from memory.errors import Fenced, Forgotten, NameTaken, Stale
from memory.model.accesses import SOURCE
from memory.model.changes import SEGMENT, WORDS_ERASED, ChangeSet, Outcome, Row, key_of
from memory.model.commands import ArrangeGroups
from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence, Fact, Note
from memory.model.scopes import user_scope
from memory.model.waiting import UnencodedFact, WaitingFact
from memory.model.working_set import WorkingSet, assemble
from memory.ports import Ownership, Vector

Q = queries("journal")


class PostgresJournal:
    """The truth about what is believed. `encoder` names the encoder whose fact vectors it keeps."""

    def __init__(self, pool: Pool, encoder: str) -> None:
        self._pool = pool
        self._encoder = encoder
        self._prepared: tuple[ChangeSet, Sequence[Written]] | None = None
        self._encoded: dict[str, int] = {}
        """Users all of whose facts had a vector, and the last transaction that had changed their row before."""

    async def claim(self, user_id: str, shard: str) -> int:
        """A new epoch for this memory."""
        while (row := await self._pool.row(Q["claim"], user_id=user_id, shard=shard)) is None:
            continue  # somebody who had taken a later number was faster
        return int(row["epoch"])

    async def ownership(self, user_id: str) -> Ownership:
        """Who may commit now, and the version of what is believed."""
        row = await self._pool.row(Q["ownership"], user_id=user_id)
        assert row is not None
        return Ownership(**row)

    async def load(self, user_id: str) -> WorkingSet:
        """Everything believed now, in one consistent snapshot."""
        async with self._pool.transaction(consistent=True, user_id=user_id) as connection:
            return await load_believed(connection, user_id)

    async def fact_vectors(self, user_id: str) -> dict[str, Vector]:
        """fact id -> its vector by this journal's encoder."""
        kept: dict[str, Vector] = {}
        async for rows in self._pool.slices(Q["fact_vectors"], _BATCH, user_id=user_id, encoder=self._encoder):
            kept.update(zip([row["fact_id"] for row in rows], matrix([row["vector"] for row in rows]), strict=True))
        return kept

    async def sources_of(self, user_id: str, keys: Iterable[int]) -> dict[int, tuple[str, float]]:
        """segment key -> id and beginning of its source, for those of the user's own scope."""
        rows = await self._pool.rows(Q["sources_of"], scope=user_scope(user_id), keys=list(keys))
        return {row["segment_key"]: (row["source_id"], row["started_at"]) for row in rows}

    async def unencoded_facts(self, limit: int, besides: Sequence[str] = ()) -> list[UnencodedFact]:
        """Facts that stand without a vector, or with one to be made anew.

        None of the users `besides`. Who lacked none is not looked through again until their memory has moved: among
        300,000 facts a look takes a second.
        """
        with everybody("facts without a vector"):
            return await self._unencoded(limit, besides)

    async def _unencoded(self, limit: int, besides: Sequence[str]) -> list[UnencodedFact]:
        now = {row["user_id"]: row["moved"] for row in await self._pool.rows(Q["moved_users"])}
        self._encoded = {user: moved for user, moved in self._encoded.items() if now.get(user) == moved}
        users = [user for user in now if user not in self._encoded and user not in besides]
        if not users:
            return []
        rows = await self._pool.rows(Q["unencoded_facts"], encoder=self._encoder, limit=limit, users=users)
        facts = [UnencodedFact(**row) for row in rows]
        if len(facts) < limit:
            lacking = {fact.user_id for fact in facts}
            self._encoded |= {user: now[user] for user in users if user not in lacking}
        return facts

    async def unjudged_facts(self, limit: int) -> list[WaitingFact]:
        """Believed facts that the rules have decided in place of a judge."""
        with everybody("facts without a judge"):
            return [WaitingFact(**row) for row in await self._pool.rows(Q["unjudged_facts"], limit=limit)]

    async def put_fact_vectors(self, user_id: str, vectors: Mapping[str, Vector]) -> None:
        """Store vectors of facts that were made anew."""
        async with self._pool.transaction(user_id=user_id) as connection:
            await put_fact_vectors(connection, user_id, self._encoder, vectors)

    async def renew_fact_vectors(self, user_id: str) -> None:
        """Let the vectors of a user's facts be made anew; until then they serve."""
        await self._pool.rows(Q["renew_fact_vectors"], user_id=user_id, encoder=self._encoder)

    def prepare(self, changes: ChangeSet) -> None:
        """Encode what is to be committed next. Only the last that was prepared is kept."""
        self._prepared = (changes, codec.encode_changes(changes))

    async def commit(self, epoch: int, base: WorkingSet, changes: ChangeSet, vectors: Mapping[str, Vector]) -> bool:
        """One turn, one transaction. See the port for what it raises."""
        prepared = self._prepared
        if prepared and prepared[0] is changes:
            written, self._prepared = prepared[1], None  # no longer held than needed: words may be erased
        else:
            written = codec.encode_changes(changes)
        try:
            async with self._pool.transaction(user_id=base.user_id) as connection:
                return await self._commit(connection, epoch, base, changes, written, vectors)
        except psycopg.errors.UniqueViolation as error:
            if error.diag.constraint_name == "entities_name":
                raise NameTaken() from error
            raise Stale() from error

    async def _commit(
        self,
        connection: Connection,
        epoch: int,
        base: WorkingSet,
        changes: ChangeSet,
        written: Sequence[Written],
        vectors: Mapping[str, Vector],
    ) -> bool:
        user_id = base.user_id
        of = {"epoch": epoch, "user_id": user_id, "version": base.version}
        turn = await _one(connection, Q["take_turn"], **of, command_id=changes.command_id)
        assert turn is not None
        if turn["outcome"] == "fenced":
            raise Fenced(user_id=user_id)
        if turn["outcome"] == "known":
            return False
        if turn["outcome"] == "stale":
            raise Stale(user_id=user_id)
        if not base.version and changes.actor == "night" and not await _one(connection, Q["sleeps"], user_id=user_id):
            raise Forgotten("This memory was deleted while its night went on.")
        if changes.read:
            await check_read(connection, user_id, changes)
        if changes.kind == ArrangeGroups.__name__:
            await check_summed_up(connection, user_id, changes)
        if changes.quoted:
            await check_quoted(connection, user_id, changes)
        await write_turn(connection, user_id, self._encoder, base.version + 1, changes, written, vectors)
        return True

    async def committed(self, user_id: str, command_id: str | None = None) -> ChangeSet | None:
        """What a command changed, words put back; None without one, if it was undone, or a name it took is erased."""
        async with self._pool.transaction(user_id=user_id) as connection:
            return await load_committed(connection, user_id, command_id)


_LOADS = (
    ("entity", "load_entities"),
    ("mention", "load_mentions"),
    ("fact", "load_facts"),
    ("evidence", "load_evidence"),
    ("link", "load_links"),
    ("note", "load_notes"),
    ("group", "load_groups"),
    ("access", "load_accesses"),
)


_BATCH = 2_000
"""Rows decoded at a time: all at once would take three times the memory, and hold up whatever else is to be done."""


async def load_believed(connection: Connection, user_id: str) -> WorkingSet:
    """Everything that is believed as this connection sees it."""
    user = await _one(connection, Q["load_user"], user_id=user_id)
    if user is None:
        return WorkingSet(user_id)
    content: dict[int, str] = {}
    async for _, batch in _batches(connection, "load_content", scope=user_scope(user_id)):
        content.update(batch)
    decoder, rows = codec.Decoder(content), list[Row]()
    for noun, name in _LOADS:
        async for names, batch in _batches(connection, name, user_id=user_id):
            rows += decoder.rows(noun, names, batch)
    profile = codec.decode_profile(user["profile"])
    return await asyncio.to_thread(assemble, user_id, user["version"], profile, rows)  # seconds, for 100,000 facts


async def _batches(
    connection: Connection, name: str, **parameters: Any
) -> AsyncIterator[tuple[list[str], list[tuple[Any, ...]]]]:
    """The names of the columns, and rows that `codec.Decoder` reads, for as long as there are more."""
    async with connection.cursor(name, row_factory=tuple_row) as cursor:
        send_instants_raw(cursor)
        await cursor.execute(Q[name], parameters, binary=True)
        while batch := await cursor.fetchmany(_BATCH):
            yield [column.name for column in cursor.description or ()], batch


async def load_committed(connection: Connection, user_id: str, command_id: str | None) -> ChangeSet | None:
    """What a command changed, as this connection sees it."""
    name = "last_command" if command_id is None else "one_command"
    row = await _one(connection, Q[name], user_id=user_id, command_id=command_id)
    if row is None or row.get("undone"):
        return None
    ids = list(content_ids(row["changes"]))
    words = await _all(connection, Q["content_of"], scope=user_scope(user_id), ids=ids)
    content = {entry["content_id"]: entry["words"] for entry in words}
    if any(_lost(sides, content) for sides in row["changes"]):
        return None
    return ChangeSet(
        command_id=row["command_id"],
        kind=row["kind"],
        actor=row["actor"],
        at=row["at"],
        changes=tuple(codec.decode_change(sides, content) for sides in row["changes"]),
        outcomes=tuple(
            Outcome(entry["fact_id"], entry["outcome"], tuple(entry["rivals"])) for entry in row["outcomes"]
        ),
        undoes=row["undoes"],
    )


def _lost(sides: Mapping[str, Any], content: Mapping[int, str]) -> bool:
    """Whether a change took from an entity a name that was erased since: nobody can be called so again."""
    before, after = sides.get("before"), sides.get("after")
    if sides["noun"] != "entity" or before is None or before["name"] in content:
        return False
    return after is None or bool(after["name"] != before["name"])


async def write_turn(
    connection: Connection,
    user_id: str,
    encoder: str,
    version: int,
    changes: ChangeSet,
    written: Sequence[Written],
    vectors: Mapping[str, Vector],
) -> None:
    """Write all that a turn changes, encoded as `written`, inside the transaction it is committed in."""
    async with connection.pipeline():
        await put_content(connection, user_scope(user_id), [words for each in written for words in each.words])
        await write_rows(connection, user_id, written)
        await put_fact_vectors(connection, user_id, encoder, vectors)
        if changes.read or changes.unread:
            await _put_reading(connection, user_id, changes)
        # recalls are no part of the history: they are kept as they stand, and can be counted anew from what was asked
        entries = [each.entry for each in written if each.noun != "access"]
        await _put_entry(connection, user_id, version, changes, entries)
        await _erase(connection, user_id, changes)


async def put_fact_vectors(connection: Connection, user_id: str, encoder: str, vectors: Mapping[str, Vector]) -> None:
    """Keep the vectors of facts, for one encoder."""
    for fact_id, vector in vectors.items():
        row = {"user_id": user_id, "fact_id": fact_id, "encoder": encoder, "vector": np.asarray(vector)}
        await connection.execute(Q["put_fact_vector"], row)


async def _one(connection: Connection, statement: str, **parameters: Any) -> DictRow | None:
    return await (await connection.execute(statement, parameters, binary=True)).fetchone()


async def _all(connection: Connection, statement: str, **parameters: Any) -> list[DictRow]:
    return await (await connection.execute(statement, parameters, binary=True)).fetchall()


def content_ids(changes: Iterable[Mapping[str, Any]]) -> Iterable[int]:
    """Every content id a journal entry refers to."""
    for sides in changes:
        shape = codec.NOUNS.get(sides["noun"])
        names = (*shape.words, *shape.json_words) if shape else ("profile",)
        for side in ("before", "after"):
            for name in names:
                if (value := (sides.get(side) or {}).get(name)) is not None:
                    yield value


async def put_content(connection: Connection, scope: str, words: Iterable[codec.ContentRow]) -> None:
    """Keep words that are not searched; the same words of the same owner are kept once."""
    entries = list({entry.content_id: entry for entry in words}.values())
    if entries:
        await connection.execute(
            Q["put_content"],
            {
                "scope": scope,
                "content_ids": [entry.content_id for entry in entries],
                "owners": [entry.owner for entry in entries],
                "words": [entry.words for entry in entries],
            },
        )


async def _erase(connection: Connection, user_id: str, changes: ChangeSet) -> None:
    """Erase words for good: those of whatever was erased, and the older words of what was cleaned of them."""
    whose = {"scope": user_scope(user_id), "user_id": user_id}
    if changes.erased:
        erased = list(changes.erased)
        await connection.execute(Q["erase_content"], {**whose, "owners": [*erased, *_described(changes)]})
        await connection.execute(Q["erase_predicates"], {**whose, "ids": erased})
        await connection.execute(Q["erase_quoting"], {**whose, "keys": _keys(erased)})
        await forget_history(connection, user_id, erased)
    if outdated := [key_of(each.row)[0] for each in changes.changes if each.reason == WORDS_ERASED]:
        await connection.execute(Q["erase_outdated"], {**whose, "ids": outdated})


def _described(changes: ChangeSet) -> Iterator[str]:
    """Who owns what was ever written of the erased entities, and of those that erased facts were about."""
    for change in changes.changes:
        if change.reason == "erased" and change.after is None:
            row = change.row
            about = (row.subject_id, row.object_id) if isinstance(row, Fact) else ()
            ids = (row.entity_id,) if isinstance(row, Entity) else about
            yield from (codec.description_owner(each) for each in ids if each is not None)


async def forget_history(connection: Connection, user_id: str, erased: Sequence[str]) -> None:
    """Put keyed hashes in the place of what was erased: ids, `source:` ids of sources, `segment:` keys of segments."""
    sources = [each.removeprefix(SOURCE) for each in erased if each.startswith(SOURCE)]
    keys = _keys(erased)
    ids = [each for each in erased if not each.startswith((SOURCE, SEGMENT))]
    await connection.execute(Q["forget_history"], {"user_id": user_id, "sources": sources, "ids": ids, "keys": keys})


def _keys(erased: Sequence[str]) -> list[int]:
    """The keys of segments among what was erased."""
    return [int(each.removeprefix(SEGMENT)) for each in erased if each.startswith(SEGMENT)]


async def _put_reading(connection: Connection, user_id: str, changes: ChangeSet) -> None:
    keys = [key for key, _ in changes.read]
    if changes.unread:
        await connection.execute(Q["unmark_extracted"], {"user_id": user_id, "keys": list(changes.unread)})
    await connection.execute(
        Q["mark_extracted"], {"user_id": user_id, "keys": keys, "revisions": [revision for _, revision in changes.read]}
    )
    for name in ("hold_reading", "finish_reading"):
        await connection.execute(Q[name], {"user_id": user_id, "keys": [*keys, *changes.unread]})


async def _put_entry(
    connection: Connection, user_id: str, version: int, changes: ChangeSet, encoded: list[dict[str, Any]]
) -> None:
    await connection.execute(
        Q["write_journal"],
        {
            "user_id": user_id,
            "version": version,
            "command_id": changes.command_id,
            "kind": changes.kind,
            "actor": changes.actor,
            "at": changes.at,
            "changes": Jsonb(encoded),
            "outcomes": Jsonb(
                [
                    {"fact_id": each.fact_id, "outcome": each.outcome, "rivals": list(each.rivals)}
                    for each in changes.outcomes
                ]
            ),
            "undoes": changes.undoes,
        },
    )
    ids = {_touched_id(change.row) for change in changes.changes} - {None}
    if ids:
        touched = Jsonb(sorted(map(str, ids)))
        await connection.execute(Q["touch"], {"user_id": user_id, "ids": touched, "version": version})


def _touched_id(row: Row) -> str | None:
    """The entity or fact a row is about, for explaining it later; mentions are too many to list."""
    match row:
        case Entity():
            return row.entity_id
        case Fact() | Evidence():
            return row.fact_id
        case Note():
            return row.about_id
        case Mention():
            return None
    return None
