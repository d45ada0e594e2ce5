"""Voices: who is known by the sound of their voice, and what becomes of what they say."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

from deployments.callers import Who
from deployments.commands import Here, Key
from deployments.kinds import Id
from deployments.routers import json_router
from deployments.use_cases import forgetting_voices, voice_changes, voice_splitting, voices
from deployments.use_cases.forgetting_voices import VoiceForgotten
from deployments.use_cases.voice_changes import (
    VoiceChanged,
    VoiceExclusion,
    VoiceMerging,
    VoiceNaming,
    VoiceUndoing,
    VoiceUndone,
)
from deployments.use_cases.voice_splitting import VoiceSplitting
from deployments.use_cases.voices import VoiceList, VoiceParameters

router = json_router("/v1/voices", ["voices"])


@router.get("", response_model=VoiceList, response_model_exclude_none=True)
async def list_voices(asked: Annotated[VoiceParameters, Query()], who: Who, app: Here) -> Any:
    """The voices of a memory, the earliest first, with the prints by which they are known.

    With `proposals` also pairs that are probably one person, with up to three sounds of each to compare: merge them
    with `POST /v1/voices/merge`, or refuse with `POST /v1/voices/differ`. Nothing merges them by itself.

    Example: `GET /v1/voices?proposals=true`
    """
    return await voices.list_voices(app, who, asked)


@router.put("/{voice_id}", response_model=VoiceChanged)
async def name_voice(voice_id: Id, body: VoiceNaming, who: Who, app: Here, key: Key) -> Any:
    """Say whose a voice is. Its segments show that name from now on, and what was read from them is that person's: the
    entity "Speaker 2 of 3 May" gets the name, or becomes one with the person who has it. A voice of that name becomes
    one with it, too. `POST /v1/voices/undo` takes all of it back.

    Example: `PUT /v1/voices/v-0a1b2c` with `{"name": "Tom"}`
    """
    return await voice_changes.name_voice(app, who, key, voice_id, body)


@router.post("/merge", response_model=VoiceChanged)
async def merge_voices(body: VoiceMerging, who: Who, app: Here, key: Key) -> Any:
    """Let two voices be one person's: prints, segments and what was read from them become the first one's.

    Example: `POST /v1/voices/merge` with `{"voice_id": "v-0a1b2c", "other_id": "v-4d5e6f"}`
    """
    return await voice_changes.merge_voices(app, who, key, body)


@router.post("/differ", response_model=VoiceChanged)
async def tell_voices_apart(body: VoiceMerging, who: Who, app: Here, key: Key) -> Any:
    """Say that two voices that sound alike are different people's, so that they are proposed no more.

    `POST /v1/voices/undo` takes it back.

    Example: `POST /v1/voices/differ` with `{"voice_id": "v-0a1b2c", "other_id": "v-4d5e6f"}`
    """
    return await voice_changes.tell_apart(app, who, key, body)


@router.post("/undo", response_model=VoiceUndone)
async def undo_voices(who: Who, app: Here, key: Key, body: VoiceUndoing | None = None) -> Any:
    """Take back a change of the voices, by default the last one that somebody asked for, with what it changed of
    entities and facts. 409 if there is none, or if a later change rests on it.

    Example: `POST /v1/voices/undo` with `{"change_id": "c-0a1b2c3d4e5f6071"}`
    """
    return await voice_changes.undo_voices(app, who, key, body or VoiceUndoing())


@router.post("/{voice_id}/split", response_model=VoiceChanged)
async def split_voice(voice_id: Id, body: VoiceSplitting, who: Who, app: Here, key: Key) -> Any:
    """Say that a voice is two people's. Labels that became one with it go out as a voice of their own again, with their
    prints; or prints go out into a new voice, to whom belongs what was said where they were heard. Segments, facts and
    promises follow, and the two are not proposed as one. The answer is the voice that went out; name it next.

    `POST /v1/voices/undo` takes it back. 422 of both or neither, of the label that the voice began with, and of a print
    that was enrolled by hand; 409 if no print would be left.

    Example: `POST /v1/voices/v-0a1b2c/split` with `{"labels": ["Speaker 1 of 6 May"]}`
    """
    return await voice_splitting.split_voice(app, who, key, voice_id, body)


@router.post("/{voice_id}/exclude", response_model=VoiceChanged)
async def exclude_voice(voice_id: Id, who: Who, app: Here, key: Key, body: VoiceExclusion | None = None) -> Any:
    """Say what becomes of what a voice says from now on: it is dropped, told as that of `[somebody]`, or told again.

    What was told before stays; `DELETE /v1/voices/{voice_id}?words=true` forgets it.

    Example: `POST /v1/voices/v-0a1b2c/exclude` with `{"exclusion": "drop"}`
    """
    return await voice_changes.exclude_voice(app, who, key, voice_id, body or VoiceExclusion())


@router.delete("/{voice_id}", response_model=VoiceForgotten)
async def forget_voice(voice_id: Id, who: Who, app: Here, key: Key, words: bool = False) -> Any:
    """Erase a voice with its prints, for good. With `words` also what it said, with all that rests on it: repeat the
    request while segments are `left`.

    Example: `DELETE /v1/voices/v-0a1b2c?words=true`
    """
    return await forgetting_voices.forget_voice(app, who, key, voice_id, words)
