"""Sounds: what a wearable sends of a stream is kept as it came, and the sound of a segment is given out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from memory.errors import Ambiguous, NotFound, Unavailable
from memory.model.timeline import Instant


async def keep_sound(app: AppContext, who: Caller, key: str | None, stream: str, rate: int, sound: bytes) -> bool:
    """Keep samples of 16 bits, little-endian, mono, that were heard up to now; whether they are kept.

    They are not if they came before under the same key, if the settings keep no sound, and if there is no room. Raises
    Forbidden, Invalid of a rate that no sound has, and Unavailable of a disk that does not take them.
    """
    user_id, now = writing(who).user_id, app.clock.now()
    try:
        return await asyncio.to_thread(app.sounds.keep, user_id, stream, rate, sound, now, key)
    except OSError as error:
        raise Unavailable("The disk takes no sound now.") from error


async def sound_of_segment(app: AppContext, who: Caller, source_id: str, segment_id: str) -> bytes:
    """The sound of a segment in view, as a WAV file. Ids may be shortened to a unique beginning.

    Raises NotFound, also where none is kept or some of it may be of a source out of view, Ambiguous, SoundSealed
    without its key, SoundDamaged, and Unavailable where Opus cannot be decoded.
    """
    place, spans = await _heard_in(app, who, source_id, segment_id)
    for span in spans:
        hidden = await app.stores.reads.sources.out_of_sight(who.view, *span)
        sound = await asyncio.to_thread(app.sound_cuts.cut, who.user_id, *span, hidden)
        if sound is not None:
            return sound
    raise NotFound("No sound of this segment is kept.", source_id=place[0], segment_id=place[1])


async def _heard_in(
    app: AppContext, who: Caller, source_id: str, segment_id: str
) -> tuple[tuple[str, str], list[tuple[str, float, float]]]:
    """The ids of a segment in view, and in which session it was heard, from when until when.

    Raises NotFound and Ambiguous.
    """
    scope, known = await app.stores.reads.sources.resolve(who.view, source_id, None)
    named = (await app.stores.reads.history.segment(who.view, scope, known, segment_id)).segment_id
    source = await app.stores.reads.sources.one(who.view, scope, known)
    said = await app.stores.reads.sources.segments(scope, known, ids=[named]) if scope == who.scope else []
    session_id = source.session_id or known
    return (known, named), [(session_id, each.at, each.ended_at) for each in said]


async def with_sound(app: AppContext, who: Caller, segments: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Of segments by source and id those whose sound is kept."""
    if not await asyncio.to_thread(app.sounds.sessions, who.user_id):
        return frozenset()
    return frozenset([each for each in segments if await _is_kept(app, who, *each)])


async def _is_kept(app: AppContext, who: Caller, source_id: str, segment_id: str) -> bool:
    try:
        _, spans = await _heard_in(app, who, source_id, segment_id)
    except (NotFound, Ambiguous):
        return False
    return any([await is_heard(app, who, *span) for span in spans])


async def is_heard(app: AppContext, who: Caller, session_id: str, began: Instant, ended: Instant) -> bool:
    """Whether a caller may hear anything of a session between two moments."""
    hidden = await app.stores.reads.sources.out_of_sight(who.view, session_id, began, ended)
    return await asyncio.to_thread(app.sound_cuts.holds, who.user_id, session_id, began, ended, hidden)
