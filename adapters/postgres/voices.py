"""The bank of voices in PostgreSQL: each change in one transaction, with what it takes to take it back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import psycopg
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from adapters.postgres.capture import Q as CAPTURE
from adapters.postgres.pool import Connection, Pool
from adapters.postgres.sql import queries
from memory.errors import Stale
from memory.model.heard import ClearSegment
from memory.model.scopes import View, user_scope
from memory.model.voices import (
    DIFFER,
    SPLIT,
    BankChange,
    KnownVoice,
    PrintSwap,
    VoiceBank,
    VoicePrint,
    VoiceSwap,
    is_numbered,
)
from memory.rules.voice_bank import applied
from memory.rules.voice_splits import relabelled
from memory.services.voices import KnownChange

Q = queries("voices")
Place = tuple[str, str]
"""Ids of a source and of a segment in it."""
_APART = (DIFFER, SPLIT)
"""Kinds of changes whose first two voices touched are different people's."""


class PostgresVoices:
    """See memory.services.voices.VoiceStore."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def bank(self, scope: str) -> VoiceBank:
        """See memory.services.voices.VoiceStore."""
        async with self._pool.transaction(consistent=True, scope=scope) as connection:
            return await _bank(connection, scope)

    async def version(self, scope: str) -> str:
        """See memory.services.voices.VersionedBanks."""
        [row] = await self._pool.rows(Q["version"], scope=scope)
        return str(row["version"])

    async def commit(self, scope: str, change: BankChange) -> bool:
        """See memory.services.voices.VoiceStore."""
        try:
            async with self._pool.transaction(scope=scope) as connection:
                await connection.execute(Q["lock"], {"scope": scope})
                if not await _all(connection, "note", scope=scope, **_written(change)):
                    return False
                before = await _bank(connection, scope)
                await _put(connection, scope, before, applied(before, change))
                await _show(connection, scope, await _relabel(connection, scope, before, change))
        except psycopg.errors.UniqueViolation as error:
            raise Stale("Another voice has got that label meanwhile.") from error
        return True

    async def changes(self, scope: str, change_id: str | None = None, limit: int = 100) -> Sequence[KnownChange]:
        """See memory.services.voices.VoiceStore."""
        return await self._changes("changes", scope=scope, change_id=change_id, limit=limit)

    async def standing_changes(
        self, scope: str, voices: Sequence[str] | None = None, limit: int | None = None
    ) -> list[BankChange]:
        """Changes that a person asked for and nobody took back, the latest first; all of them, or those that concern
        one of these voices, or so many. What listening has taught is not among them, however much it is."""
        asked = {"scope": scope, "voices": None if voices is None else list(voices), "limit": limit}
        return [each.change for each in await self._changes("standing", **asked)]

    async def _changes(self, name: str, **asked: Any) -> list[KnownChange]:
        async with self._pool.transaction(consistent=True, scope=asked["scope"]) as connection:
            rows = await _all(connection, name, **asked)
            named = {each["print_id"] for row in rows for each in row["prints"]}
            found = await _all(connection, "prints", scope=asked["scope"]) if named else []
        kept = {row["print_id"]: _print(row) for row in found if row["print_id"] in named}
        return [KnownChange(_change(row, kept), row["undone"]) for row in rows]

    async def sources_in_sight(self, view: View, ids: Sequence[str]) -> set[str]:
        """Those of these sources of the user's own scope that are in the view."""
        asked = {"scope": user_scope(view.user_id), "clearance": int(view.clearance), "ids": list(ids)}
        return {row["source_id"] for row in await self._pool.rows(Q["sources_in_sight"], **asked)}

    async def days(self, scope: str, ids: Sequence[str]) -> dict[str, float]:
        """Source id -> when it began, in seconds of its own clock since the epoch."""
        return {
            row["source_id"]: row["day"] for row in await self._pool.rows(Q["heard_in"], scope=scope, ids=list(ids))
        }

    async def strangers_in_sight(self, view: View, labels: Sequence[str]) -> set[str]:
        """Those of these numbered labels that a segment in the view carries."""
        asked = {"scope": user_scope(view.user_id), "clearance": int(view.clearance), "labels": list(labels)}
        return {row["label"] for row in await self._pool.rows(Q["strangers_in_sight"], **asked)}

    async def told_apart(self, scope: str) -> set[tuple[str, str]]:
        """See memory.services.night_voices.VoiceReads."""
        rows = await self._pool.rows(Q["told_apart"], scope=scope, kinds=list(_APART))
        return {(row["touched"][0], row["touched"][1]) for row in rows}

    async def clearest(self, view: View, labels: Sequence[str], most: int) -> list[ClearSegment]:
        """Segments in view that are long enough to know a voice by, so many of each label, the longest first."""
        asked = {"scope": user_scope(view.user_id), "clearance": int(view.clearance), "labels": list(labels)}
        return [ClearSegment(**row) for row in await self._pool.rows(Q["clearest"], **asked, most=most)]

    async def said(self, view: View, labels: Sequence[str], limit: int) -> tuple[list[Place], int]:
        """What was said in the view under these labels, the latest first, so much of it, and how much there is."""
        asked = {"scope": user_scope(view.user_id), "clearance": int(view.clearance), "labels": list(labels)}
        rows = await self._pool.rows(Q["said"], **asked, limit=limit)
        return [(row["source_id"], row["segment_id"]) for row in rows], rows[0]["total"] if rows else 0

    async def keys_said(self, scope: str, labels: Sequence[str], sources: Sequence[str] | None) -> list[int]:
        """Keys of all segments that were said under these labels.

        In sources that are named it is only those that no person has pinned.
        """
        asked = {"scope": scope, "labels": list(labels), "sources": None if sources is None else list(sources)}
        [row] = await self._pool.rows(Q["keys_said"], **asked)
        return list(row["keys"])

    async def sources_said(self, scope: str, labels: Sequence[str]) -> set[str]:
        """Ids of the sources in which anything was said under these labels."""
        return {row["source_id"] for row in await self._pool.rows(Q["sources_said"], scope=scope, labels=list(labels))}

    async def erase(self, scope: str, voice_ids: Sequence[str] = (), print_ids: Sequence[str] = ()) -> int:
        """See memory.services.voices.VoiceStore."""
        async with self._pool.transaction(scope=scope) as connection:
            await connection.execute(Q["lock"], {"scope": scope})
            gone = len(await _all(connection, "drop_prints", scope=scope, ids=list(print_ids)))
            await connection.execute(Q["unlearn"], {"scope": scope, "ids": list(print_ids)})
            if voice_ids:
                key = {"scope": scope, "ids": list(voice_ids)}
                [counted] = await _all(connection, "prints_of", **key)
                await connection.execute(Q["forget"], key)
                await _show(connection, scope, await _labels(connection, scope, voice_ids))
                gone += counted["count"]
        return gone


async def _bank(connection: Connection, scope: str) -> VoiceBank:
    voices = [_voice(row) for row in await _all(connection, "voices", scope=scope)]
    prints = [_print(row) for row in await _all(connection, "prints", scope=scope)]
    return VoiceBank({each.voice_id: each for each in voices}, {each.print_id: each for each in prints})


async def _put(connection: Connection, scope: str, before: VoiceBank, after: VoiceBank) -> None:
    """Write what has changed: what is new or other, then what is gone."""
    voices = [asdict(row) for key, row in after.voices.items() if row != before.voices.get(key)]
    prints = [asdict(row) for key, row in after.prints.items() if row != before.prints.get(key)]
    await connection.execute(Q["put_voices"], {"scope": scope, "rows": Jsonb(voices)})
    await connection.execute(Q["put_prints"], {"scope": scope, "rows": Jsonb(prints)})
    for name, gone in (
        ("drop_prints", before.prints.keys() - after.prints.keys()),
        ("drop_voices", before.voices.keys() - after.voices.keys()),
    ):
        await connection.execute(Q[name], {"scope": scope, "ids": sorted(gone)})


async def _relabel(connection: Connection, scope: str, before: VoiceBank, change: BankChange) -> list[str]:
    """Let segments carry the label of a voice that was split off, or again the one they had; the new labels."""
    found = list(dict.fromkeys(relabelled(before, change)))
    for each in found:
        await connection.execute(Q["relabel"], {"scope": scope, **asdict(each)})
    return sorted({each.after for each in found})


async def _show(connection: Connection, scope: str, also: Sequence[str] = ()) -> None:
    """Show voices as they are called by now, and let whoever follows the scope see that."""
    labels = [row["label"] for row in await _all(connection, "show", scope=scope)]
    if labels := sorted({*labels, *also}):
        [row] = await _all_of(connection, CAPTURE["next_position"], scope=scope)
        key = {"scope": scope, "position": row["position"], "labels": labels}
        await connection.execute(Q["touch"], key)
        if not all(map(is_numbered, labels)):
            await connection.execute(Q["touch_named"], key)


async def _labels(connection: Connection, scope: str, ids: Collection[str]) -> list[str]:
    """Labels of these voices that are still there."""
    return [row["label"] for row in await _all(connection, "voices", scope=scope) if row["voice_id"] in ids]


def _written(change: BankChange) -> dict[str, Any]:
    """A change as its row. One that undoes another is never undone itself, and holds no words."""
    kept = change.undoes is None
    return {
        "change_id": change.change_id,
        "kind": change.kind,
        "actor": change.actor,
        "at": change.at,
        "undoes": change.undoes,
        "touched": [*change.apart, *sorted(change.touched - {*change.apart})],
        "commands": list(change.commands),
        "voices": Jsonb([asdict(each) for each in change.voices] if kept else []),
        "prints": Jsonb(
            [{"print_id": each.print.print_id, "before": each.before, "after": each.after} for each in change.prints]
            if kept
            else []
        ),
    }


def _change(row: DictRow, prints: Mapping[str, VoicePrint]) -> BankChange:
    """A change as it was noted, without prints that were erased since."""
    return BankChange(
        row["change_id"],
        row["kind"],
        row["at"],
        tuple(VoiceSwap(_told(each["before"]), _told(each["after"])) for each in row["voices"]),
        tuple(
            PrintSwap(prints[each["print_id"]], each["before"], each["after"])
            for each in row["prints"]
            if each["print_id"] in prints
        ),
        tuple(row["commands"]),
        row["actor"],
        row["undoes"],
        tuple(row["touched"][:2]) if row["kind"] in _APART else (),
    )


def _told(row: DictRow | None) -> KnownVoice | None:
    return None if row is None else _voice(row)


def _voice(row: DictRow) -> KnownVoice:
    return KnownVoice(**row)


def _print(row: DictRow) -> VoicePrint:
    return VoicePrint(**{**row, "embedding": tuple(row["embedding"])})


async def _all(connection: Connection, name: str, /, **parameters: Any) -> list[DictRow]:
    return await _all_of(connection, Q[name], **parameters)


async def _all_of(connection: Connection, statement: str, /, **parameters: Any) -> list[DictRow]:
    return await (await connection.execute(statement, parameters, binary=True)).fetchall()
