"""Archives: a whole memory as one ZIP of JSON lines, and back, exactly as it was.

`manifest.json` says what it is; `profile.json`, `sources.jsonl` (each with its segments, a long one in several lines),
`entities.jsonl`, `mentions.jsonl`, `facts.jsonl` (every version), `evidence.jsonl`, `links.jsonl`, `notes.jsonl` and
`groups.jsonl` are in plain words; `journal.jsonl` is the history in ids, `content.jsonl` the words those ids mean;
`nights.jsonl` and `accesses.jsonl` are what happened to the memory; `voices.jsonl` and `voice_prints.jsonl` are by what
sound people are known. Vectors are not in it: the worker makes them anew in the background.
"""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import IO, Any

import orjson
import psycopg

from adapters.archives.reading import Archive, Batch, Manifest
from adapters.archives.schema import FORMAT, FORMAT_VERSION, NOUN_OF
from adapters.postgres import codec
from adapters.postgres.journal import Q as JOURNAL
from adapters.postgres.pool import Connection, Pool
from adapters.postgres.restoring import Restoration
from adapters.postgres.sql import queries
from memory.errors import Conflict, Invalid
from memory.model.ids import digest
from memory.model.scopes import user_scope

Q = queries("archive")
BELIEVED = ("entities", "mentions", "facts", "evidence", "links", "notes", "groups")
"""Members of rows of the model."""
BESIDE = ("sources", "content", "journal", "nights", "accesses", "voices", "voice_prints")
"""Members whose lines the database makes."""
PART_CHARS = 4_000_000
"""Characters of a source in one line: escaped by JSON, each may take six bytes of the 64 MB that are read back."""
BESIDE_CHARS = 600
"""Characters a segment takes beside its words."""
BATCH = 200
"""Lines written before other requests get a turn."""
AT_ONCE = 1
"""Archives that are read at once: each takes up to a hundred megabytes for as long as its longest line is read."""


class PostgresArchive:
    """Whole memories, out and in."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def write(self, user_id: str, exported_at: str, file: IO[bytes]) -> Manifest:
        """Write the archive of one consistent moment into a file."""
        key: dict[str, Any] = {"user_id": user_id, "scope": user_scope(user_id)}
        async with self._pool.transaction(consistent=True, long=True, user_id=user_id) as connection:
            user = await (await connection.execute(Q["user"], key)).fetchone() or {}
            words = await (await connection.execute(JOURNAL["load_content"], key, binary=True)).fetchall()
            content = {row["content_id"]: row["words"] for row in words}
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("profile.json", user.get("profile", "{}"))
                counts = {}
                key |= {"chars": PART_CHARS, "beside": BESIDE_CHARS}
                for member in BESIDE:
                    counts[member] = await _write(archive, member, _lines(connection, member, key))
                for member in BELIEVED:
                    rows = _rows(connection, NOUN_OF[member], member, key, content)
                    counts[member] = await _write(archive, member, rows)
                manifest = _manifest(user_id, exported_at, user, counts)
                archive.writestr("manifest.json", orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
        return manifest

    async def restore(self, user_id: str, file: IO[bytes], teams: Sequence[str] = ()) -> tuple[Manifest, bool]:
        """Restore an archive into an empty memory; False if this very archive was restored before.

        All of it is read before anything is written, and what is refused leaves the memory as it was. `teams` are the
        scopes of teams that the user reads: what was believed on their words still rests on them.

        Raises Conflict if the memory holds something, or is another user's; Invalid if the file is no archive.
        """
        async with self._turns:
            archive = await asyncio.to_thread(Archive, user_id, file)
            strangers = await asyncio.to_thread(archive.strangers)
            shared = await self._shared(strangers, teams)
            try:
                async with self._pool.transaction(long=True, user_id=user_id) as connection:
                    fresh = await _is_fresh(connection, user_id, archive.manifest["archive_id"])
                    if fresh:
                        restoration = await Restoration.begin(connection, user_id)
                        async for batch in _stepped(archive, shared):
                            await restoration.put(batch)
                        await restoration.end(archive)
            except (psycopg.DataError, psycopg.IntegrityError, psycopg.InternalError) as error:
                raise Invalid("The archive contradicts itself in a way that only the database noticed.") from error
        return archive.manifest, fresh

    async def _shared(self, strangers: set[int], teams: Sequence[str]) -> set[int]:
        """Those of the keys that are of segments of these teams."""
        if not strangers or not teams:
            return set()
        rows = await self._pool.rows(Q["shared"], keys=list(strangers), scopes=list(teams))
        return {row["segment_key"] for row in rows}


async def _stepped(archive: Archive, shared: set[int]) -> AsyncIterator[Batch]:
    """The batches of an archive, each read in a thread while others are served."""
    batches = archive.batches(shared)
    while (batch := await asyncio.to_thread(next, batches, None)) is not None:
        yield batch


def _manifest(user_id: str, exported_at: str, user: Mapping[str, Any], counts: Mapping[str, int]) -> Manifest:
    version, born = user.get("version", 0), user.get("created_at") or exported_at
    moment: tuple[object, ...] = (user_id, born, version, user.get("position", 0), user.get("changed_at"))
    moment += (user["voices"],) if user.get("voices") else ()
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


async def _is_fresh(connection: Connection, user_id: str, archive_id: str) -> bool:
    """Whether there is nothing yet. Raises Conflict if something else is there."""
    key = {"user_id": user_id, "scope": user_scope(user_id)}
    await connection.execute(JOURNAL["ensure_user"], key)
    known = await (await connection.execute(Q["standing"], key)).fetchone()
    assert known is not None
    if known["archive_id"] == archive_id:
        return False
    if known["holds"]:
        raise Conflict(
            "This memory is not empty (a profile alone counts, too), and an archive is restored into an empty one. "
            "Export what is worth keeping; DELETE /v1/memory empties it.",
            user_id=user_id,
        )
    return True
