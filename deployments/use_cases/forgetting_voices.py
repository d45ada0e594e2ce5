"""Forgetting a voice: its prints, how the bank came to them, and, if that is asked for, all that it said."""

from __future__ import annotations

from pydantic import BaseModel

from deployments import forgetting
from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.use_cases.voices import in_sight, voice_meant
from memory.errors import NotFound
from memory.model.ids import command_id, fold
from memory.model.voices import KnownVoice, VoiceBank

AT_ONCE = 200
"""Segments that one request forgets (chosen: each takes 20 ms); asked for again it goes on."""


class VoiceForgotten(BaseModel):
    """What was erased of a voice for good. While segments are `left` the voice stays: repeat the request."""

    voice_id: str
    prints: int
    segments: int
    left: int

    model_config = {
        "json_schema_extra": {"examples": [{"voice_id": "v-0a1b2c3d4e5f6071", "prints": 3, "segments": 12, "left": 0}]}
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
        rows = await app.stores.voices.said(who.scope, labels, AT_ONCE)
        for row in rows:
            made = command_id("voice words", key, row["source_id"], row["segment_id"])
            try:
                await forgetting.forget_segment(app, who, row["source_id"], row["segment_id"], made)
            except NotFound:  # it went with one of those before, or is out of the caller's sight
                continue
            segments += 1
        left = max(0, rows[0]["total"] - len(rows)) if rows else 0
    prints = 0 if left else len(bank.prints_of(voice.voice_id))  # those of sources that were forgotten are gone
    if not left:
        await app.stores.voices.erase(who.scope, [each.voice_id for each in members])
    return VoiceForgotten(voice_id=voice.voice_id, prints=prints, segments=segments, left=left)


async def forget_voices_of(app: AppContext, who: Caller, names: frozenset[str]) -> int:
    """Erase the voices that are called by one of these folded names, as those of a person who is forgotten."""
    bank = await app.stores.voices.bank(who.scope)
    found = [each for each in await in_sight(app, who, bank) if fold(bank.shown(each.voice_id)) in names]
    ids = [member.voice_id for each in found for member in _members(bank, each)]
    return await app.stores.voices.erase(who.scope, ids) if ids else 0


def _members(bank: VoiceBank, voice: KnownVoice) -> list[KnownVoice]:
    """A voice, and those that were merged into it."""
    return [voice, *(each for each in bank.voices.values() if each.merged_into == voice.voice_id)]
