"""Forgetting a voice: its prints, how the bank came to them, and, if that is asked for, all that it said."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.use_cases.erasing import erase_segment, erase_voice
from deployments.use_cases.receipts import Receipt
from deployments.use_cases.voices import in_sight, voice_meant
from memory.errors import NotFound
from memory.model.ids import command_id, fold
from memory.model.voices import KnownVoice, VoiceBank

AT_ONCE = 200
"""Segments that one request forgets (chosen: each takes 20 ms); asked for again it goes on."""


class VoiceForgotten(BaseModel):
    """What was erased of a voice for good. While segments are `left` the voice stays: repeat the request.

    GET /v1/receipts/{receipt_id} tells when its prints have left the files of the database; null while some are left.
    """

    voice_id: str
    prints: int
    segments: int
    left: int
    receipt_id: str | None

    model_config = {
        "json_schema_extra": {
            "examples": [
                {
                    "voice_id": "v-0a1b2c3d4e5f6071",
                    "prints": 3,
                    "segments": 12,
                    "left": 0,
                    "receipt_id": "r-0a1b2c3d4e5f60718293a4b5c6d7e8f9",
                }
            ]
        }
    }


async def forget_voice(app: AppContext, who: Caller, key: str, voice_id: str, words: bool) -> VoiceForgotten:
    """Erase a voice, and with `words` the segments that carry it, with what rests on them. Raises NotFound.

    Without them its segments stay under the number that it had; no other voice gets that one.
    """
    bank, voice = await voice_meant(app, writing(who), voice_id)
    members = _members(bank, voice)
    segments, left = 0, 0
    if words:
        labels = [each.label for each in members]
        said, total = await app.stores.sound.voices.said(who.view, labels, AT_ONCE)
        for place in said:
            try:
                await erase_segment(app, who, command_id("voice words", key, *place), *place)
            except NotFound:  # it went with one of those before
                continue
            segments += 1
        left = total - len(said)
    if left:
        return VoiceForgotten(voice_id=voice.voice_id, prints=0, segments=segments, left=left, receipt_id=None)
    receipt = await _erased(app, who, key, [each.voice_id for each in members])
    prints = len(bank.prints_of(voice.voice_id))  # those of sources that were forgotten are gone already
    return VoiceForgotten(
        voice_id=voice.voice_id, prints=prints, segments=segments, left=0, receipt_id=receipt.receipt_id
    )


async def forget_voices_of(app: AppContext, who: Caller, key: str, names: frozenset[str]) -> None:
    """Erase the voices that are called by one of these folded names, as those of a person who is forgotten."""
    writing(who)
    bank = await app.stores.sound.voices.bank(who.scope)
    found = [each for each in await in_sight(app, who, bank) if fold(bank.shown(each.voice_id)) in names]
    ids = [member.voice_id for each in found for member in _members(bank, each)]
    if ids:
        await _erased(app, who, key, ids)


async def _erased(app: AppContext, who: Caller, key: str, voice_ids: Sequence[str]) -> Receipt:
    """Erase voices, the first of which the receipt names."""
    made = command_id("voice prints", key, *voice_ids)
    return await erase_voice(app, who, made, voice_ids[0], partial(app.stores.sound.voices.erase, who.scope, voice_ids))


def _members(bank: VoiceBank, voice: KnownVoice) -> list[KnownVoice]:
    """A voice, and those that were merged into it."""
    return [voice, *(each for each in bank.voices.values() if each.merged_into == voice.voice_id)]
