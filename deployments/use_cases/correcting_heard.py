"""A person corrects who said something, or what: it stays so, what was read from it follows, and the bank learns."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO, cast

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.use_cases.enrolling import one_voice, take_sample
from deployments.use_cases.heard import HeardSegment, Place, Rewording, reword
from deployments.use_cases.sounds import sound_of_segment
from deployments.use_cases.voices import voice_named
from memory.errors import Conflict, Invalid, ModelFailed, NotFound, Unavailable
from memory.rules.voice_bank import VoiceSample
from memory.rules.voices import LIMITS

STYLE = "corrected"
"""The style of what was learnt from a correction."""


@dataclass(frozen=True, slots=True)
class HeardCorrection:
    """What a person says instead; None of what was right."""

    speaker: str | None = None
    text: str | None = None
    emotion: Mapping[str, object] | None = None


class SegmentCorrected(BaseModel):
    """The segment as it is told now. `taught` is whether the voice of its speaker is known better by it."""

    segment: HeardSegment
    taught: bool


async def correct_heard(
    app: AppContext, who: Caller, key: str, place: Place, correction: HeardCorrection
) -> SegmentCorrected:
    """Correct a segment. No sweep takes it back, and what was read from it is read anew.

    Where its sound is kept, and one voice says at least two seconds of it, the bank knows its speaker by it from now
    on. Raises Forbidden, NotFound, and Invalid where nothing is corrected.
    """
    writing(who)
    if correction == HeardCorrection():
        raise Invalid("speaker, text or emotion: say what is right.")
    speaker = correction.speaker.strip() if correction.speaker is not None else None
    if speaker == "":
        raise Invalid("speaker: there is no name in it.")
    voice = await voice_named(app, who, speaker) if speaker is not None else None
    told = voice.label if voice is not None else speaker
    segment = await reword(app, who, place, Rewording(correction.text, told, correction.emotion))
    taught = speaker is not None and await _taught(app, who, key, place, speaker)
    return SegmentCorrected(segment=segment, taught=taught)


async def _taught(app: AppContext, who: Caller, key: str, place: Place, speaker: str) -> bool:
    """Let the bank know a voice by the sound of a segment, if there is enough of it."""
    if app.voices is None:
        return False
    try:
        sound = await sound_of_segment(app, who, *place)
        with cast(BinaryIO, tempfile.TemporaryFile()) as file:
            await asyncio.to_thread(file.write, sound)
            file.seek(0)
            heard = await one_voice(app.voices, file, least_s=0.0)
        if heard.seconds < LIMITS[heard.model].seconds:
            return False
        taken = await take_sample(app, who, f"{key}-voice", VoiceSample(speaker, STYLE, heard, place[0]))
    except (NotFound, Invalid, Conflict, ModelFailed, Unavailable):  # the correction stands all the same
        return False
    return taken.change_id is not None
