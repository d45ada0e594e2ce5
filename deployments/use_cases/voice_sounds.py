"""Sounds by which two voices can be compared: a few clear pieces of each, as far as they are kept and in view."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from urllib.parse import quote

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.use_cases.sounds import is_heard
from memory.model.heard import ClearSegment
from memory.model.timeline import iso

PIECES = 3
"""Pieces of a voice (chosen: one may be of a cough or a crowd)."""
CANDIDATES = 8
"""Segments of a voice of which sound is looked for (chosen: that of old ones is gone)."""
_SOUND = {
    "source_id": "lunch",
    "segment_id": "lunch-3",
    "at": "2026-05-03T12:00:00Z",
    "seconds": 5.2,
    "url": "/v1/segments/lunch/lunch-3/audio",
}


class VoiceSound(BaseModel, json_schema_extra={"examples": [_SOUND]}):
    """What a voice said in one go, and where its sound can be had."""

    source_id: str
    segment_id: str
    at: str
    seconds: float
    url: str


async def clear_sounds(
    app: AppContext, who: Caller, labels: Mapping[str, Sequence[str]]
) -> Mapping[str, list[VoiceSound]]:
    """Voice -> some clear pieces of what was said under its labels, the longest of a few seconds first."""
    if not labels or not await asyncio.to_thread(app.sounds.sessions, who.user_id):
        return {voice: [] for voice in labels}
    every = sorted({label for each in labels.values() for label in each})
    clear = await app.stores.sound.voices.clearest(who.view, every, CANDIDATES)
    return {voice: await _kept(app, who, clear, known) for voice, known in labels.items()}


async def _kept(
    app: AppContext, who: Caller, clear: Iterable[ClearSegment], labels: Collection[str]
) -> list[VoiceSound]:
    """Those of these labels whose sound is kept."""
    found: list[VoiceSound] = []
    for each in clear:
        if each.speaker not in labels or len(found) == PIECES:
            continue
        session, ended = each.session_id or each.source_id, each.at + each.seconds
        if await is_heard(app, who, session, each.at, ended):
            found.append(
                VoiceSound(
                    source_id=each.source_id,
                    segment_id=each.segment_id,
                    at=iso(each.at) or "",
                    seconds=round(each.seconds, 3),
                    url=f"/v1/segments/{quote(each.source_id)}/{quote(each.segment_id, safe='')}/audio",
                )
            )
    return found
