"""Archives: a whole memory as one ZIP of JSON lines, and back, exactly as it was.

`manifest.json` says what it is; `profile.json`, `sources.jsonl` (each with its segments), `entities.jsonl`,
`mentions.jsonl`, `facts.jsonl` (every version), `evidence.jsonl`, `links.jsonl` and `notes.jsonl` are in plain words;
`journal.jsonl` is the history in ids, `content.jsonl` the words those ids mean; `nights.jsonl` and `accesses.jsonl`
are what happened to the memory. Vectors are not in it: the worker makes them anew in the background.
"""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import islice
from typing import IO, Any, cast

import orjson
import psycopg
from psycopg.types.json import Jsonb

from adapters.postgres import codec
from adapters.postgres.capture import CONFIGS
from adapters.postgres.capture import Q as CAPTURE
from adapters.postgres.journal import Q as JOURNAL
from adapters.postgres.journal import put_content
from adapters.postgres.pool import Connection, Pool
from adapters.postgres.rows import put_rows
from adapters.postgres.sql import queries
from memory.errors import Conflict, Invalid
from memory.model.changes import Row
from memory.model.ids import digest
from memory.model.scopes import Sensitivity, user_scope

Q = queries("archive")
FORMAT, FORMAT_VERSION = "memoray-archive", 1
BATCH = 200
"""Lines read or written before other requests get a turn."""
MOST_LINE = 50_000_000
"""Bytes of one line: a source of 20,000 segments, with room."""
MOST_BYTES = 20_000_000_000
"""Bytes of an archive unpacked; a smaller file that claims more is a bomb."""

BELIEVED = (
    ("entity", "entities"), ("mention", "mentions"), ("fact", "facts"), ("evidence", "evidence"), ("link", "links"),
    ("note", "notes"),
)  # fmt: skip
"""Noun -> member, in the order they are restored."""
RAW = ("journal", "nights", "accesses")
"""Tables whose rows travel as they are."""

Manifest = dict[str, Any]
_DAMAGED = (
    psycopg.DataError, psycopg.IntegrityError, psycopg.InternalError, psycopg.errors.CardinalityViolation,
    zipfile.BadZipFile, KeyError, TypeError, ValueError, OverflowError, AttributeError, NotImplementedError, EOFError,
    RuntimeError,
)  # fmt: skip
"""What reading a file that is no archive, or a damaged one, ends in."""


class PostgresArchive:
    """Whole memories, out and in."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def write(self, user_id: str, exported_at: str, file: IO[bytes]) -> Manifest:
        """Write the archive of one consistent moment into a file."""
        key = {"user_id": user_id, "scope": user_scope(user_id)}
        async with self._pool.transaction(consistent=True, long=True, user_id=user_id) as connection:
            user = await (await connection.execute(Q["user"], key)).fetchone() or {}
            rows = await (await connection.execute(JOURNAL["load_content"], key, binary=True)).fetchall()
            content = {row["content_id"]: row["words"] for row in rows}
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("profile.json", user.get("profile", "{}"))
                counts = {}
                for member in ("sources", "content", *RAW):
                    counts[member] = await _write(archive, member, _lines(connection, member, key))
                for noun, member in BELIEVED:
                    counts[member] = await _write(archive, member, _rows(connection, noun, member, key, content))
                manifest = _manifest(user_id, exported_at, user, counts)
                archive.writestr("manifest.json", orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
        return manifest

    async def restore(self, user_id: str, file: IO[bytes]) -> tuple[Manifest, bool]:
        """Restore an archive into an empty memory; False if this very archive was restored before.

        Raises Conflict if the memory holds something, or is another user's; Invalid if the file is no archive.
        """
        try:
            with zipfile.ZipFile(file) as archive:
                manifest = _checked(archive, user_id)
                async with self._pool.transaction(long=True, user_id=user_id) as connection:
                    fresh = await _is_fresh(connection, user_id, manifest["archive_id"])
                    if fresh:
                        await _restore(connection, archive, user_id, manifest)
            return manifest, fresh
        except _DAMAGED as error:
            raise Invalid("This is not an archive of Memoray, or it is damaged.") from error


async def _restore(connection: Connection, archive: zipfile.ZipFile, user_id: str, manifest: Manifest) -> None:
    key = {"user_id": user_id, "scope": user_scope(user_id)}
    await connection.execute(CAPTURE["ensure_reader"], key)
    position = (await (await connection.execute(CAPTURE["next_position"], key)).fetchone() or {})["position"]
    async for batch in _read(archive, "sources"):
        for source in batch:
            await _put_source(connection, key, source, position)
    async for batch in _read(archive, "content"):
        await connection.execute(Q["put_words"], {**key, "rows": Jsonb([{**row, "config": None} for row in batch])})
    for noun, member in BELIEVED:
        async for batch in _read(archive, member):
            await _put_rows(connection, user_id, noun, [_row(noun, values) for values in batch])
    for name in RAW:
        async for batch in _read(archive, name):
            rows_of_user = Jsonb([{**row, "user_id": user_id} for row in batch])
            await connection.execute(Q[f"put_{name}"], {"rows": rows_of_user})
            if name == "journal":
                await connection.execute(Q["put_touched"], {**key, "rows": rows_of_user})
    user = {"version": int(manifest["memory_version"]), "created_at": manifest["created_at"]}
    profile = archive.read("profile.json").decode()
    codec.decode_profile(orjson.loads(profile))
    await connection.execute(Q["put_user"], {**key, **user, "profile": profile, "archive_id": manifest["archive_id"]})


def _manifest(user_id: str, exported_at: str, user: Mapping[str, Any], counts: Mapping[str, int]) -> Manifest:
    version, born = user.get("version", 0), user.get("created_at") or exported_at
    moment = (user_id, born, version, user.get("position", 0), user.get("changed_at"))
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "archive_id": f"a-{digest('archive', *moment).hex()}",
        "user_id": user_id,
        "exported_at": exported_at,
        "created_at": born,
        "memory_version": version,
        "counts": dict(counts),
    }


async def _lines(connection: Connection, member: str, key: Mapping[str, Any]) -> AsyncIterator[bytes]:
    """The rows of a member whose statement makes lines."""
    async with connection.cursor(f"archive_{member}") as cursor:
        await cursor.execute(Q[member], key)
        async for row in cursor:
            yield row["line"].encode()


async def _rows(
    connection: Connection, noun: str, member: str, key: Mapping[str, Any], content: Mapping[int, str]
) -> AsyncIterator[bytes]:
    """The rows of a noun with their words put back."""
    async with connection.cursor(f"archive_{member}") as cursor:
        await cursor.execute(Q[member], key, binary=True)
        async for row in cursor:
            yield orjson.dumps(codec.decode(noun, row, content))


async def _write(archive: zipfile.ZipFile, member: str, lines: AsyncIterator[bytes]) -> int:
    """Write one member; the number of its lines."""
    count = 0
    with archive.open(f"{member}.jsonl", "w", force_zip64=True) as out:
        batch: list[bytes] = []
        async for line in lines:
            batch.append(line + b"\n")
            if len(batch) == BATCH:
                await asyncio.to_thread(out.write, b"".join(batch))
                batch.clear()
            count += 1
        await asyncio.to_thread(out.write, b"".join(batch))
    return count


def _checked(archive: zipfile.ZipFile, user_id: str) -> Manifest:
    if sum(member.file_size for member in archive.infolist()) > MOST_BYTES:
        raise Invalid(f"The archive would unpack to more than {MOST_BYTES:,} bytes.")
    manifest: Manifest = orjson.loads(archive.read("manifest.json"))
    if (manifest["format"], manifest["format_version"]) != (FORMAT, FORMAT_VERSION):
        raise Invalid(f"Only archives of format {FORMAT} {FORMAT_VERSION} can be restored here.")
    if manifest["user_id"] != user_id:
        raise Conflict(
            f"This is the memory of user {manifest['user_id']!r}, and its ids are derived from that name: "
            "act for that user to restore it."
        )
    if not (isinstance(manifest["archive_id"], str) and isinstance(manifest["created_at"], str)):
        raise Invalid("The manifest of the archive is damaged.")
    return manifest


async def _is_fresh(connection: Connection, user_id: str, archive_id: str) -> bool:
    """Whether there is nothing yet. Raises Conflict if something else is there."""
    key = {"user_id": user_id, "scope": user_scope(user_id)}
    await connection.execute(JOURNAL["ensure_user"], key)
    known = await (await connection.execute(Q["standing"], key)).fetchone()
    assert known is not None
    if known["archive_id"] == archive_id:
        return False
    if known["holds"]:
        raise Conflict("This memory is not empty; an archive can only be restored into an empty one.", user_id=user_id)
    return True


async def _read(archive: zipfile.ZipFile, member: str) -> AsyncIterator[list[dict[str, Any]]]:
    """The lines of a member, a batch at a time."""
    with archive.open(f"{member}.jsonl") as file:
        lines = _decoded(file)
        while batch := await asyncio.to_thread(lambda: list(islice(lines, BATCH))):
            yield batch


def _decoded(file: IO[bytes]) -> Iterator[dict[str, Any]]:
    while line := file.readline(MOST_LINE + 1):
        if len(line) > MOST_LINE:
            raise Invalid(f"A line of the archive is longer than {MOST_LINE:,} bytes.")
        yield orjson.loads(line)


def _row(noun: str, values: Mapping[str, Any]) -> Row:
    """A line as a row of the model; columns of later versions have their defaults."""
    shape = codec.NOUNS[noun].type
    given = {field.name: values[field.name] for field in fields(shape) if field.name in values}
    given |= {name: tuple(given[name]) for name in ("aliases", "earlier") if name in given}
    if "sensitivity" in given:
        given["sensitivity"] = Sensitivity(given["sensitivity"])
    return cast(Row, shape(**given))


async def _put_rows(connection: Connection, user_id: str, noun: str, rows: Sequence[Row]) -> None:
    async with connection.pipeline():
        await put_content(
            connection, user_scope(user_id), [words for row in rows for words in codec.encode(noun, row)[1]]
        )
        await put_rows(connection, user_id, noun, rows)


async def _put_source(connection: Connection, key: Mapping[str, Any], source: dict[str, Any], position: int) -> None:
    """One source as it was, to be encoded anew; what had been read of it stays read."""
    scope, source_id, segments = key["scope"], source["source_id"], source.pop("segments")
    key = {**key, "source_id": source_id, "position": position, "key": f"source:{source_id}"}
    words, rows = [], []
    for segment in segments:
        owner = f"segment:{segment['segment_key']}"
        kept = codec.content_id(owner, "text", "")
        config = CONFIGS.get(segment["language"] or "", "simple")
        words.append({"content_id": kept, "owner": owner, "words": segment.pop("text"), "config": config})
        rows.append({**segment, "scope": scope, "source_id": source_id, "content_id": kept, "position": position})
    async with connection.pipeline():
        await connection.execute(CAPTURE["unbury"], key)
        await connection.execute(Q["put_source"], {"row": Jsonb({**source, "scope": scope})})
        await connection.execute(Q["put_words"], {**key, "rows": Jsonb(words)})
        await connection.execute(Q["put_segments"], {"rows": Jsonb(rows)})
        await connection.execute(Q["put_read"], {**key, "rows": Jsonb(rows)})
        await connection.execute(CAPTURE["unremove"], {**key, "keys": [row["segment_key"] for row in rows]})
        await connection.execute(CAPTURE["want_work"], key)
