"""Voices: whose they are, which of them are one person's, and what becomes of what they say."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.kinds import ShortText
from deployments.paging import PageParameters, cursor_of
from deployments.use_cases.voice_sounds import VoiceSound, clear_sounds
from memory.errors import Ambiguous, NotFound
from memory.model.timeline import iso
from memory.model.voices import KnownVoice, VoiceBank, VoicePrint, is_numbered
from memory.rules.voice_splits import labels_of
from memory.rules.voices import MOST_PROPOSALS, MergeProposal, proposals

VoiceName = Annotated[ShortText, AfterValidator(str.strip), Field(min_length=1, max_length=200)]
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
    """Two voices that sound like one person, where each was heard, and sounds to compare, as far as they are kept."""

    voice_id: str
    other_id: str
    names: tuple[str, str]
    similarity: float
    sources: tuple[list[str], list[str]]
    sounds: tuple[list[VoiceSound], list[VoiceSound]]


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


async def list_voices(app: AppContext, who: Caller, asked: VoiceParameters) -> VoiceList:
    """The voices in the caller's sight."""
    bank = await app.stores.sound.voices.bank(who.scope)
    seen = await in_sight(app, who, bank)
    mark = asked.place()
    after = [each for each in seen if not mark or (each.created_at, each.voice_id) > (mark["mark"], mark["key"])]
    page = after[: asked.limit]
    last = page[-1] if len(after) > len(page) else None
    found = await likely_pairs(app, who, bank, seen) if asked.proposals else None
    sources = await _sources(app, who, bank)
    return VoiceList(
        voices=[_shown(bank, each, sources) for each in page],
        total=len(seen),
        cursor=cursor_of((last.created_at, last.voice_id) if last else None),
        strangers=app.settings.sound.strangers,
        proposals=found,
    )


async def probably_one_person(app: AppContext, who: Caller, most: int) -> list[VoiceProposal]:
    """So many pairs of the voices in sight that are probably one person, the nearest first."""
    bank = await app.stores.sound.voices.bank(who.scope)
    return await likely_pairs(app, who, bank, await in_sight(app, who, bank), most) if len(bank.voices) > 1 else []


async def likely_pairs(
    app: AppContext, who: Caller, bank: VoiceBank, seen: Sequence[KnownVoice], most: int = MOST_PROPOSALS
) -> list[VoiceProposal]:
    """So many pairs of these voices that are probably one person, the nearest first."""
    found = proposals(bank, seen, await app.stores.sound.voices.told_apart(who.scope))[:most]
    compared = dict.fromkeys(of for each in found for of in (each.voice_id, each.other_id))
    sounds = await clear_sounds(app, who, {of: labels_of(bank, bank.voices[of]) for of in compared})
    sources = await _sources(app, who, bank)
    return [_proposal(bank, each, sources, sounds) for each in found]


async def in_sight(app: AppContext, who: Caller, bank: VoiceBank) -> list[KnownVoice]:
    """The standing voices that the caller may know of: those with a name for a label, and those heard in its sight."""
    groups = {each.voice_id: labels_of(bank, each) for each in bank.standing()}
    numbered = [label for labels in groups.values() for label in labels if is_numbered(label)]
    heard = await app.stores.sound.voices.strangers_in_sight(who.view, numbered) if numbered else set()
    return [
        each
        for each in bank.standing()
        if any(label in heard or not is_numbered(label) for label in groups[each.voice_id])
    ]


async def voice_meant(app: AppContext, who: Caller, given: str) -> tuple[VoiceBank, KnownVoice]:
    """The bank, and the voice that an id or its beginning means. Raises NotFound, Ambiguous."""
    bank = await app.stores.sound.voices.bank(who.scope)
    seen = await in_sight(app, who, bank)
    if given in bank.voices and not bank.voices[given].forgotten and bank.root(given) in seen:
        return bank, bank.root(given)
    found = [each for each in seen if each.voice_id.startswith(given)]
    if not found:
        raise NotFound("There is no such voice in this memory.", id=given)
    if len(found) > 1:
        raise Ambiguous("More than one voice has an id that begins like this; give more of it.", id=given)
    return bank, found[0]


async def shown_voice(app: AppContext, who: Caller, bank: VoiceBank, voice: KnownVoice) -> VoiceOut:
    """A voice as the caller may see it."""
    return _shown(bank, voice, await _sources(app, who, bank))


async def _sources(app: AppContext, who: Caller, bank: VoiceBank) -> set[str]:
    heard = {each.source_id for each in bank.prints.values() if each.source_id is not None}
    return await app.stores.sound.voices.sources_in_sight(who.view, sorted(heard)) if heard else set()


def _prints(bank: VoiceBank, of: str, sources: Collection[str]) -> list[VoicePrint]:
    return [each for each in bank.prints_of(of) if each.source_id is None or each.source_id in sources]


def _shown(bank: VoiceBank, voice: KnownVoice, sources: Collection[str]) -> VoiceOut:
    return VoiceOut(
        voice_id=voice.voice_id,
        label=voice.label,
        name=bank.shown(voice.voice_id),
        exclusion=voice.exclusion,
        created_at=iso(voice.created_at) or "",
        labels=labels_of(bank, voice),
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


def _proposal(
    bank: VoiceBank, found: MergeProposal, sources: Collection[str], sounds: Mapping[str, list[VoiceSound]]
) -> VoiceProposal:
    both = found.voice_id, found.other_id
    heard = [sorted({each.source_id for each in _prints(bank, of, sources) if each.source_id}) for of in both]
    return VoiceProposal(
        voice_id=found.voice_id,
        other_id=found.other_id,
        names=(bank.shown(both[0]), bank.shown(both[1])),
        similarity=found.similarity,
        sources=(heard[0], heard[1]),
        sounds=(sounds[both[0]], sounds[both[1]]),
    )


async def voice_named(app: AppContext, who: Caller, name: str) -> KnownVoice | None:
    """The voice in sight that is called so."""
    bank = await app.stores.sound.voices.bank(who.scope)
    found = bank.called(name)
    return found if found is None or found in await in_sight(app, who, bank) else None
