"""Changes of voices: named, merged, excluded; each goes with what it means for the memory, and can be taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import dropwhile
from typing import Literal

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.commands import turn
from deployments.kinds import Body, Id
from deployments.use_cases.speakers import Following, carried_out, taken_back, undoings
from deployments.use_cases.voices import VoiceName, VoiceOut, in_sight, shown_voice, voice_meant
from memory.errors import Conflict
from memory.model.commands import NameSpeaker
from memory.model.ids import fold
from memory.model.voices import DIFFER, BankChange, KnownVoice, VoiceBank
from memory.rules.voice_bank import differing, excluded, merged, named
from memory.rules.voice_turns import renaming, turn_id
from memory.services.voices import undo as undo_change

NOTHING = "There is no change of the voices that could be undone."


class VoiceNaming(Body):
    """Whose voice it is."""

    name: VoiceName

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"name": "Tom"}]}}


class VoiceMerging(Body):
    """Two voices; of a merge the one that stays, and the one that turned out to be the same."""

    voice_id: Id
    other_id: Id

    model_config = Body.model_config | {
        "json_schema_extra": {"examples": [{"voice_id": "v-0a1b2c3d4e5f6071", "other_id": "v-1122334455667788"}]}
    }


class VoiceExclusion(Body):
    """What becomes of what a voice says from now on: told as somebody's, not told at all, or (`none`) told again."""

    exclusion: Literal["none", "without_name", "drop"] = "drop"

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"exclusion": "drop"}]}}


class VoiceUndoing(Body):
    """Which change of the voices; by default the last one that somebody asked for."""

    change_id: Id | None = None


class VoiceChanged(BaseModel):
    """A change of the voices: its id, by which it can be undone, the voice, and the turns of the memory with it."""

    change_id: str
    voice: VoiceOut
    commands: list[str]


class VoiceUndone(BaseModel):
    """The change that was taken back, its kind, and the turns of the memory that were, too."""

    change_id: str
    undoes: str
    kind: str
    commands: list[str]


async def name_voice(app: AppContext, who: Caller, key: str, voice_id: str, body: VoiceNaming) -> VoiceChanged:
    """Say whose a voice is: all that it said, and all that was read from it, is that person's. Raises NotFound.

    A voice that has that name already becomes one with it. An earlier name is taken back first, with what came of it.
    """
    bank, voice = await voice_meant(app, writing(who), voice_id)
    known = await made_before(app, who, key, "name", voice)
    is_so = fold(bank.shown(voice.voice_id)) == fold(body.name)
    if known and not is_so:
        raise Conflict("This Idempotency-Key was used for another name.", change_id=key)
    if known:
        return await _again(app, who, bank, known, voice)
    change = named(bank, key, app.clock.now(), voice.voice_id, body.name)
    if is_so:
        return await changed_so(app, who, change, (), voice.voice_id)
    goes_with = renaming(bank, await standing_changes(app, who, bank, voice), voice, key)
    undone = await taken_back(app, who, goes_with.taken_back)
    return await changed_so(app, who, change, _moved(goes_with.moved, body.name), voice.voice_id, undone)


def _moved(people: Mapping[str, str], name: str) -> list[NameSpeaker]:
    """The turns, by their ids, in which whoever is called so becomes the person of a name."""
    others = {made: old for made, old in people.items() if fold(old) != fold(name)}
    return [NameSpeaker(command_id=made, label=old, name=name) for made, old in others.items()]


async def standing_changes(app: AppContext, who: Caller, bank: VoiceBank, voice: KnownVoice) -> list[BankChange]:
    """What a person has changed of a voice and of those that became one with it, the latest first."""
    one = [each.voice_id for each in bank.voices.values() if bank.root(each.voice_id) == voice]
    return await app.stores.sound.voices.standing_changes(who.scope, one)


async def merge_voices(app: AppContext, who: Caller, key: str, body: VoiceMerging) -> VoiceChanged:
    """Let two voices be one person's; the first one's name stays. Raises NotFound, and Invalid if they are one."""
    bank, kept = await voice_meant(app, writing(who), body.voice_id)
    _, gone = await voice_meant(app, who, body.other_id)
    if known := await made_before(app, who, key, "merge", kept):
        return await _again(app, who, bank, known, kept)
    change = merged(bank, key, app.clock.now(), kept.voice_id, gone.voice_id)
    commands = _moved({turn_id(key): bank.shown(gone.voice_id)}, bank.shown(kept.voice_id))
    return await changed_so(app, who, change, commands, kept.voice_id)


async def tell_apart(app: AppContext, who: Caller, key: str, body: VoiceMerging) -> VoiceChanged:
    """Say that two voices are different people's: they are proposed no more. Raises NotFound, and Invalid of one."""
    bank, one = await voice_meant(app, writing(who), body.voice_id)
    _, other = await voice_meant(app, who, body.other_id)
    if known := await made_before(app, who, key, DIFFER, one):
        return await _again(app, who, bank, known, one)
    change = differing(bank, key, app.clock.now(), one.voice_id, other.voice_id)
    return await changed_so(app, who, change, (), one.voice_id)


async def exclude_voice(app: AppContext, who: Caller, key: str, voice_id: str, body: VoiceExclusion) -> VoiceChanged:
    """Say what becomes of what a voice says from now on. Raises NotFound."""
    bank, voice = await voice_meant(app, writing(who), voice_id)
    known = await made_before(app, who, key, "exclude", voice)
    told = "" if body.exclusion == "none" else body.exclusion
    if known:
        return await _again(app, who, bank, known, voice)
    change = excluded(bank, key, app.clock.now(), voice.voice_id, told)
    return await changed_so(app, who, change, (), voice.voice_id)


async def _again(app: AppContext, who: Caller, bank: VoiceBank, known: BankChange, voice: KnownVoice) -> VoiceChanged:
    """A change that was asked for before: turns that it still lacks, as after a failure in between, are made up for."""
    first = known.voices[0].before if known.voices else None
    if first is not None:
        people: Mapping[str, str] = {turn_id(known.change_id): first.name or first.label}
        if known.kind == "name":
            changes = await standing_changes(app, who, bank, bank.root(first.voice_id))
            older = [*dropwhile(lambda each: each.change_id != known.change_id, changes)][1:]
            people = renaming(bank, older, first, known.change_id).moved
        for command in _moved(people, bank.shown(first.voice_id)):
            if command.command_id in known.commands:
                await turn(app, who, command)
    shown = await shown_voice(app, who, bank, voice)
    return VoiceChanged(change_id=known.change_id, voice=shown, commands=list(known.commands))


async def made_before(app: AppContext, who: Caller, key: str, kind: str, voice: KnownVoice) -> BankChange | None:
    """The change of this key, if it was asked for before. Raises Conflict if it was another one."""
    scope = writing(who).scope
    for known in await app.stores.sound.voices.changes(scope, key):
        if known.change.kind != kind or voice.voice_id not in known.change.touched:
            raise Conflict("This Idempotency-Key was used for another request.", change_id=key)
        return known.change
    return None


async def undo_voices(app: AppContext, who: Caller, key: str, body: VoiceUndoing) -> VoiceUndone:
    """Take back a change of the voices, with the turns of the memory that went with it.

    Raises Conflict if there is none in the caller's sight, if it was undone before, or if a later change rests on it.
    """
    change = await _undone_before(app, writing(who), key)
    if change is None:
        change_id = body.change_id or await _last(app, who)
        await _touching_what_is_seen(app, who, change_id)
        await _named_since(app, who, change_id)
        change = await undo_change(app.stores.sound.voices, who.scope, key, app.clock.now(), change_id)
        commands = await taken_back(app, who, change.commands)
    else:
        commands = await taken_back(app, who, change.commands) if await _is_last(app, who, key) else []
    return VoiceUndone(change_id=key, undoes=change.change_id, kind=change.kind, commands=commands)


async def _named_since(app: AppContext, who: Caller, change_id: str) -> None:
    """Raise Conflict if another name has taken turns of a change back, and done them in its own way."""
    for known in await app.stores.sound.voices.changes(who.scope, change_id):
        undone = {made for command in known.change.commands for _, made in undoings(command)}
        for later in await app.stores.sound.voices.standing_changes(who.scope):
            if later.change_id != change_id and undone & {*later.commands}:
                raise Conflict("That voice has got another name since; undo that first.", change_id=later.change_id)


async def _undone_before(app: AppContext, who: Caller, key: str) -> BankChange | None:
    """What the undoing of this key has taken back, if it was asked for before. Raises Conflict."""
    for known in await app.stores.sound.voices.changes(who.scope, key):
        if known.change.undoes is None:
            raise Conflict("This Idempotency-Key was used for another request.", change_id=key)
        for each in await app.stores.sound.voices.changes(who.scope, known.change.undoes):
            return each.change
    return None


async def _is_last(app: AppContext, who: Caller, change_id: str) -> bool:
    """Whether nothing was changed since: then what an undoing that broke off has left to do may be done."""
    latest = await app.stores.sound.voices.changes(who.scope, None, 1)
    return [each.change.change_id for each in latest] == [change_id]


async def _last(app: AppContext, who: Caller) -> str:
    """The last change of a person that stands. Raises Conflict."""
    for change in await app.stores.sound.voices.standing_changes(who.scope, limit=1):
        return change.change_id
    raise Conflict(NOTHING)


async def _touching_what_is_seen(app: AppContext, who: Caller, change_id: str) -> None:
    """Raise Conflict for a change of voices that the caller may not know of, as for one that there never was."""
    bank = await app.stores.sound.voices.bank(who.scope)
    seen = {each.voice_id for each in await in_sight(app, who, bank)}
    for known in await app.stores.sound.voices.changes(who.scope, change_id):
        if not {bank.root(each).voice_id for each in known.change.touched if each in bank.voices} <= seen:
            raise Conflict(NOTHING)


async def changed_so(
    app: AppContext,
    who: Caller,
    change: BankChange,
    commands: Sequence[Following],
    voice_id: str,
    before: Sequence[str] = (),
) -> VoiceChanged:
    """Carry out a change with its turns, `before` having gone before; the voice of that id as it is then."""
    ids = await carried_out(app, who, change, commands, before)
    bank = await app.stores.sound.voices.bank(who.scope)
    voice = await shown_voice(app, who, bank, bank.root(voice_id))
    return VoiceChanged(change_id=change.change_id, voice=voice, commands=ids)
