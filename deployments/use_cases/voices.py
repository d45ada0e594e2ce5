"""Voices: whose they are, which of them are one person's, and what becomes of what they say."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, StringConstraints

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.commands import turn
from deployments.kinds import Body, Id, ShortText
from deployments.paging import PageParameters, cursor_of
from deployments.use_cases.speakers import carried_out, following, taken_back
from memory.errors import Ambiguous, Conflict, NotFound
from memory.model.commands import NameSpeaker
from memory.model.ids import fold
from memory.model.timeline import iso
from memory.model.voices import BankChange, Voice, VoiceBank, VoicePrint, is_numbered
from memory.rules.voice_bank import excluded, merged, named
from memory.rules.voices import MergeProposal, proposals
from memory.services.voices import undo as undo_change

VoiceName = Annotated[ShortText, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
_PRINT = {
    "print_id": "w-0a1b2c3d4e5f6071",
    "style": "default",
    "origin": "heard",
    "model": "campp",
    "seconds": 12.5,
    "source_id": "lunch",
    "at": "2026-05-03T12:00:00Z",
}
_VOICE = {
    "voice_id": "v-0a1b2c3d4e5f6071",
    "label": "Speaker 2 of 3 May",
    "name": "Tom",
    "exclusion": "",
    "created_at": "2026-05-03T12:00:00Z",
    "labels": ["Speaker 2 of 3 May"],
    "prints": [_PRINT],
}


class VoicePrintOut(BaseModel, json_schema_extra={"examples": [_PRINT]}):
    """How a voice sounded once: enrolled by hand, heard of a stranger first, or learnt by listening, from how much
    speech. `source_id` is where. The numbers themselves are in the archive alone."""

    print_id: str
    style: str
    origin: str
    model: str
    seconds: float
    source_id: str | None
    at: str


class VoiceOut(BaseModel, json_schema_extra={"examples": [_VOICE]}):
    """A voice. `label` is what it was called at first and `labels` all that segments carry of it; `name` is what it is
    called now. `exclusion` says what becomes of what it says: nothing (told), `without_name` or `drop`."""

    voice_id: str
    label: str
    name: str
    exclusion: str
    created_at: str
    labels: list[str]
    prints: list[VoicePrintOut]


class VoiceProposal(BaseModel):
    """Two voices that sound like one person, and where each was heard, to be compared."""

    voice_id: str
    other_id: str
    names: tuple[str, str]
    similarity: float
    sources: tuple[list[str], list[str]]


class VoiceList(BaseModel):
    """Voices, the earliest first; `strangers` is the policy for those that nobody has named."""

    voices: list[VoiceOut]
    total: int
    cursor: str | None
    strangers: str
    proposals: list[VoiceProposal] | None = None


class VoiceParameters(PageParameters):
    """What is listed."""

    proposals: bool = False
    """Also tell which voices are probably one person."""


class VoiceNaming(Body):
    """Whose voice it is."""

    name: VoiceName

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"name": "Tom"}]}}


class VoiceMerging(Body):
    """The voice that stays, and the one that turned out to be the same."""

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
    voice: VoiceOut | None
    commands: list[str]


class VoiceUndone(BaseModel):
    """The change that was taken back, its kind, and the turns of the memory that were, too."""

    change_id: str
    undoes: str
    kind: str
    commands: list[str]


async def list_voices(app: AppContext, who: Caller, asked: VoiceParameters) -> VoiceList:
    """The voices in the caller's sight."""
    bank = await app.stores.voices.bank(who.scope)
    seen = await in_sight(app, who, bank)
    mark = asked.place()
    after = [each for each in seen if not mark or (each.created_at, each.voice_id) > (mark["mark"], mark["key"])]
    page = after[: asked.limit]
    last = page[-1] if len(after) > len(page) else None
    found = proposals(bank, seen) if asked.proposals else None
    sources = await _sources(app, who, bank)
    return VoiceList(
        voices=[_shown(bank, each, sources) for each in page],
        total=len(seen),
        cursor=cursor_of((last.created_at, last.voice_id) if last else None),
        strangers=app.settings.sound.strangers,
        proposals=None if found is None else [_proposal(bank, each, sources) for each in found],
    )


async def name_voice(app: AppContext, who: Caller, key: str, voice_id: str, body: VoiceNaming) -> VoiceChanged:
    """Say whose a voice is: all that it said, and all that was read from it, is that person's. Raises NotFound.

    A voice that has that name already becomes one with it. An earlier name is taken back first, with what came of it.
    """
    bank, voice = await voice_meant(app, writing(who), voice_id)
    known = await _before(app, who, key, "name", voice)
    is_so = fold(bank.shown(voice.voice_id)) == fold(body.name)
    if known and not is_so:
        raise Conflict("This Idempotency-Key was used for another name.", change_id=key)
    if known:
        return await _again(app, who, bank, known, voice)
    change = named(bank, key, app.clock.now(), voice.voice_id, body.name)
    if is_so:
        return await _changed(app, who, change, (), voice.voice_id)
    earlier = await _naming(app, who, voice)
    undone = await taken_back(app, who, earlier.commands) if earlier else []
    believed_as = _believed_as(voice, earlier)
    commands = [] if believed_as is None else following(key, believed_as, body.name)
    return await _changed(app, who, change, commands, voice.voice_id, undone)


async def merge_voices(app: AppContext, who: Caller, key: str, body: VoiceMerging) -> VoiceChanged:
    """Let two voices be one person's; the first one's name stays. Raises NotFound, and Invalid if they are one."""
    bank, kept = await voice_meant(app, writing(who), body.voice_id)
    _, gone = await voice_meant(app, who, body.other_id)
    if known := await _before(app, who, key, "merge", kept):
        return await _again(app, who, bank, known, kept)
    change = merged(bank, key, app.clock.now(), kept.voice_id, gone.voice_id)
    commands = following(key, bank.shown(gone.voice_id), bank.shown(kept.voice_id))
    return await _changed(app, who, change, commands, kept.voice_id)


async def exclude_voice(app: AppContext, who: Caller, key: str, voice_id: str, body: VoiceExclusion) -> VoiceChanged:
    """Say what becomes of what a voice says from now on. Raises NotFound."""
    bank, voice = await voice_meant(app, writing(who), voice_id)
    known = await _before(app, who, key, "exclude", voice)
    told = "" if body.exclusion == "none" else body.exclusion
    if known:
        return await _again(app, who, bank, known, voice)
    change = excluded(bank, key, app.clock.now(), voice.voice_id, told)
    return await _changed(app, who, change, (), voice.voice_id)


async def _again(app: AppContext, who: Caller, bank: VoiceBank, known: BankChange, voice: Voice) -> VoiceChanged:
    """A change that was asked for before: turns that it still lacks, as after a failure in between, are made up for."""
    first = known.voices[0].before if known.voices else None
    if first is not None:
        old = first.label if known.kind == "name" else first.name or first.label
        for command in following(known.change_id, old, bank.shown(first.voice_id)):
            if command.command_id in known.commands:
                await turn(app, who, command)
    sources = await _sources(app, who, bank)
    shown = _shown(bank, voice, sources)
    return VoiceChanged(change_id=known.change_id, voice=shown, commands=list(known.commands))


async def _before(app: AppContext, who: Caller, key: str, kind: str, voice: Voice) -> BankChange | None:
    """The change of this key, if it was asked for before. Raises Conflict if it was another one."""
    for known in await app.stores.voices.changes(who.scope, key):
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
        change = await undo_change(app.stores.voices, who.scope, key, app.clock.now(), change_id)
        commands = await taken_back(app, who, change.commands)
    else:
        commands = await taken_back(app, who, change.commands) if await _is_last(app, who, key) else []
    return VoiceUndone(change_id=key, undoes=change.change_id, kind=change.kind, commands=commands)


async def _undone_before(app: AppContext, who: Caller, key: str) -> BankChange | None:
    """What the undoing of this key has taken back, if it was asked for before. Raises Conflict."""
    for known in await app.stores.voices.changes(who.scope, key):
        if known.change.undoes is None:
            raise Conflict("This Idempotency-Key was used for another request.", change_id=key)
        for each in await app.stores.voices.changes(who.scope, known.change.undoes):
            return each.change
    return None


async def _is_last(app: AppContext, who: Caller, change_id: str) -> bool:
    """Whether nothing was changed since: then what an undoing that broke off has left to do may be done."""
    latest = await app.stores.voices.changes(who.scope, None, 1)
    return [each.change.change_id for each in latest] == [change_id]


async def _last(app: AppContext, who: Caller) -> str:
    """The last change of a person that stands. Raises Conflict."""
    for known in await app.stores.voices.changes(who.scope, None, MOST_CHANGES):
        if not (known.undone or known.change.undoes or known.change.actor != "user"):
            return known.change.change_id
    raise Conflict(NOTHING)


async def _touching_what_is_seen(app: AppContext, who: Caller, change_id: str) -> None:
    """Raise Conflict for a change of voices that the caller may not know of, as for one that there never was."""
    bank = await app.stores.voices.bank(who.scope)
    seen = {each.voice_id for each in await in_sight(app, who, bank)}
    for known in await app.stores.voices.changes(who.scope, change_id):
        if not {bank.root(each).voice_id for each in known.change.touched if each in bank.voices} <= seen:
            raise Conflict(NOTHING)


NOTHING = "There is no change of the voices that could be undone."
MOST_CHANGES = 1_000
"""Changes of a bank that are looked through for the last of a person, or for the one that named a voice (chosen)."""


async def in_sight(app: AppContext, who: Caller, bank: VoiceBank) -> list[Voice]:
    """The standing voices that the caller may know of: those with a name for a label, and those heard in its sight."""
    groups = {each.voice_id: _labels(bank, each) for each in bank.standing()}
    numbered = [label for labels in groups.values() for label in labels if is_numbered(label)]
    heard = await app.stores.voices.strangers_in_sight(who.view, numbered) if numbered else set()
    return [
        each for each in bank.standing()
        if any(label in heard or not is_numbered(label) for label in groups[each.voice_id])
    ]  # fmt: skip


async def voice_meant(app: AppContext, who: Caller, given: str) -> tuple[VoiceBank, Voice]:
    """The bank, and the voice that an id or its beginning means. Raises NotFound, Ambiguous."""
    bank = await app.stores.voices.bank(who.scope)
    seen = await in_sight(app, who, bank)
    if given in bank.voices and not bank.voices[given].forgotten and bank.root(given) in seen:
        return bank, bank.root(given)
    found = [each for each in seen if each.voice_id.startswith(given)]
    if not found:
        raise NotFound("There is no such voice in this memory.", id=given)
    if len(found) > 1:
        raise Ambiguous("More than one voice has an id that begins like this; give more of it.", id=given)
    return bank, found[0]


async def _naming(app: AppContext, who: Caller, voice: Voice) -> BankChange | None:
    """The change that gave a voice the name it has, if it still stands."""
    if not voice.name:
        return None
    for known in await app.stores.voices.changes(who.scope, None, MOST_CHANGES):
        change = known.change
        given = (each.after.name for each in change.voices if each.after and each.after.voice_id == voice.voice_id)
        if not known.undone and change.kind == "name" and voice.name in given:
            return change
    return None


def _believed_as(voice: Voice, earlier: BankChange | None) -> str | None:
    """What a person is called of whom was believed what a voice said, before it got a name.

    None of a voice that was a person's from the first, or got its name by a change that is gone: people are not renamed
    because a voice turns out to be another's, and what was read as theirs stays theirs.
    """
    return None if not is_numbered(voice.label) or (voice.name and earlier is None) else voice.label


async def _changed(
    app: AppContext,
    who: Caller,
    change: BankChange,
    commands: Sequence[NameSpeaker],
    voice_id: str,
    before: Sequence[str] = (),
) -> VoiceChanged:
    ids = await carried_out(app, who, change, commands, before)
    bank = await app.stores.voices.bank(who.scope)
    sources = await _sources(app, who, bank)
    return VoiceChanged(change_id=change.change_id, voice=_shown(bank, bank.root(voice_id), sources), commands=ids)


def _labels(bank: VoiceBank, voice: Voice) -> list[str]:
    """All that segments carry of a voice: its own label first."""
    return [voice.label, *sorted(each.label for each in bank.voices.values() if each.merged_into == voice.voice_id)]


async def _sources(app: AppContext, who: Caller, bank: VoiceBank) -> set[str]:
    heard = {each.source_id for each in bank.prints.values() if each.source_id is not None}
    return await app.stores.voices.sources_in_sight(who.view, sorted(heard)) if heard else set()


def _prints(bank: VoiceBank, of: str, sources: Collection[str]) -> list[VoicePrint]:
    return [each for each in bank.prints_of(of) if each.source_id is None or each.source_id in sources]


def _shown(bank: VoiceBank, voice: Voice, sources: Collection[str]) -> VoiceOut:
    return VoiceOut(
        voice_id=voice.voice_id,
        label=voice.label,
        name=bank.shown(voice.voice_id),
        exclusion=voice.exclusion,
        created_at=iso(voice.created_at) or "",
        labels=_labels(bank, voice),
        prints=[print_shown(each) for each in _prints(bank, voice.voice_id, sources)],
    )


def print_shown(one: VoicePrint) -> VoicePrintOut:
    """A print without its numbers."""
    return VoicePrintOut(
        print_id=one.print_id,
        style=one.style,
        origin=one.origin,
        model=one.model,
        seconds=one.seconds,
        source_id=one.source_id,
        at=iso(one.at) or "",
    )


def _proposal(bank: VoiceBank, found: MergeProposal, sources: Collection[str]) -> VoiceProposal:
    both = found.voice_id, found.other_id
    heard = [sorted({each.source_id for each in _prints(bank, of, sources) if each.source_id}) for of in both]
    return VoiceProposal(
        voice_id=found.voice_id,
        other_id=found.other_id,
        names=(bank.shown(both[0]), bank.shown(both[1])),
        similarity=found.similarity,
        sources=(heard[0], heard[1]),
    )


async def voice_named(app: AppContext, who: Caller, name: str) -> Voice | None:
    """The voice in sight that is called so."""
    bank = await app.stores.voices.bank(who.scope)
    found = bank.called(name)
    return found if found is None or found in await in_sight(app, who, bank) else None
