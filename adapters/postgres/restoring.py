"""Restoring: the rows of an archive that was found sound, written in the transaction of their memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from psycopg.types.json import Jsonb

from adapters.archives.reading import Archive, Batch
from adapters.archives.schema import NOUN_OF
from adapters.postgres import codec
from adapters.postgres.capture import Q as CAPTURE
from adapters.postgres.heard_rows import CONFIGS
from adapters.postgres.journal import put_content
from adapters.postgres.pool import Connection
from adapters.postgres.rows import put_rows
from adapters.postgres.sql import queries
from adapters.postgres.voices import Q as VOICES
from memory.model.changes import Row
from memory.model.scopes import user_scope

Q = queries("archive")


class Restoration:
    """One memory while it is restored."""

    def __init__(self, connection: Connection, user_id: str, position: int) -> None:
        self._connection, self._user_id = connection, user_id
        self._key: Mapping[str, Any] = {"user_id": user_id, "scope": user_scope(user_id), "position": position}

    @classmethod
    async def begin(cls, connection: Connection, user_id: str) -> Self:
        """Take the next position of the scope, and with it its lock."""
        key = {"user_id": user_id, "scope": user_scope(user_id)}
        await connection.execute(CAPTURE["ensure_reader"], key)
        row = await (await connection.execute(CAPTURE["next_position"], key)).fetchone()
        assert row is not None
        return cls(connection, user_id, row["position"])

    async def put(self, batch: Batch) -> None:
        """Write some rows of one member."""
        if noun := NOUN_OF.get(batch.member):
            await self._believed(noun, batch.rows)
        else:
            await getattr(self, f"_{batch.member}")(batch.rows)

    async def end(self, archive: Archive) -> None:
        """Let the memory be of the archive's version, and its owner who the archive says."""
        told = archive.manifest
        await self._connection.execute(
            Q["put_user"],
            {
                **self._key,
                "version": told["memory_version"],
                "created_at": told["created_at"],
                "profile": codec.encode_profile(archive.profile).decode(),
                "archive_id": told["archive_id"],
            },
        )

    async def _sources(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Sources as they were, to be encoded anew."""
        async with self._connection.pipeline():
            for row in rows:
                key = {**self._key, "source_id": row["source_id"], "key": f"source:{row['source_id']}"}
                await self._connection.execute(CAPTURE["unbury"], key)
                await self._connection.execute(Q["put_source"], {"row": Jsonb({**row, "scope": key["scope"]})})
                await self._connection.execute(CAPTURE["want_work"], {**key, "read": True})

    async def _segments(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Segments of a source; what had been read of it stays read."""
        words, segments = [], []
        for row in rows:
            owner = f"segment:{row['segment_key']}"
            kept = codec.content_id(owner, "text", "")
            config = CONFIGS.get(row["language"] or "", "simple")
            words.append({"content_id": kept, "owner": owner, "words": row["text"], "config": config})
            told = {name: value for name, value in row.items() if name != "text"}
            segments.append({**told, **self._key, "content_id": kept})
        async with self._connection.pipeline():
            await self._connection.execute(Q["put_words"], {**self._key, "rows": Jsonb(words)})
            await self._connection.execute(Q["put_segments"], {"rows": Jsonb(segments)})
            await self._connection.execute(Q["put_raws"], {**self._key, "rows": Jsonb(segments)})
            await self._connection.execute(Q["put_read"], {**self._key, "rows": Jsonb(segments)})
            await self._connection.execute(
                CAPTURE["unremove"], {**self._key, "keys": [row["segment_key"] for row in segments]}
            )

    async def _content(self, rows: Sequence[Mapping[str, Any]]) -> None:
        await self._connection.execute(Q["put_words"], {**self._key, "rows": Jsonb(rows)})

    async def _believed(self, noun: str, rows: Sequence[Row]) -> None:
        async with self._connection.pipeline():
            words = [each for row in rows for each in codec.encode(noun, row)[1]]
            await put_content(self._connection, user_scope(self._user_id), words)
            await put_rows(self._connection, self._user_id, noun, rows)

    async def _journal(self, rows: Sequence[Mapping[str, Any]]) -> None:
        of_user = Jsonb([{**row, "user_id": self._user_id} for row in rows])
        touched = Jsonb([{"version": row["version"], "touched": row["touched"]} for row in rows])
        await self._connection.execute(Q["put_journal"], {"rows": of_user})
        await self._connection.execute(Q["put_touched"], {**self._key, "rows": touched})

    async def _nights(self, rows: Sequence[Mapping[str, Any]]) -> None:
        await self._connection.execute(Q["put_nights"], {"rows": self._of_user(rows)})

    async def _accesses(self, rows: Sequence[Mapping[str, Any]]) -> None:
        await self._connection.execute(Q["put_accesses"], {"rows": self._of_user(rows)})

    async def _voices(self, rows: Sequence[Mapping[str, Any]]) -> None:
        shown = [{**row, "scope": self._key["scope"], "shown": row["label"]} for row in rows]
        await self._connection.execute(Q["put_voices"], {"rows": Jsonb(shown)})
        await self._connection.execute(VOICES["show"], self._key)

    async def _voice_prints(self, rows: Sequence[Mapping[str, Any]]) -> None:
        of_scope = [{**row, "scope": self._key["scope"]} for row in rows]
        await self._connection.execute(Q["put_voice_prints"], {"rows": Jsonb(of_scope)})

    def _of_user(self, rows: Sequence[Mapping[str, Any]]) -> Jsonb:
        return Jsonb([{**row, "user_id": self._user_id} for row in rows])
