"""Whose voices a recording holds: the speakers of its sentences, by a bank of voices and the owner's policy."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Generic, TypeVar

from memory.model.sound import HeardVoice
from memory.model.timeline import Instant
from memory.model.voices import DROP, ENROLLED, KEEP, SOMEBODY, VoiceBank
from memory.rules.voice_bank import HeardPlace, attributed
from memory.rules.voices import LIMITS, identify, towards_strangers
from memory.services.voices import Banks, VoiceStore, day_called, listen

Who = TypeVar("Who")
Speakers = Mapping[int, str | None]
"""Number of a voice -> who is told to speak; None if its sentences are not told. A number that is absent says nothing:
whoever else is known to speak is told."""
NOBODY: Speakers = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Recording:
    """Where voices were heard: the source, when it began, and how far its clock was ahead of UTC, in seconds."""

    scope: str
    source_id: str
    began: Instant
    offset_s: int

    def place(self, now: Instant) -> HeardPlace:
        """The same for a bank of voices."""
        return HeardPlace(self.scope, self.source_id, day_called(self.began, self.offset_s), now)


async def recognised(
    store: VoiceStore, voices: Collection[HeardVoice], where: Recording, now: Instant, strangers: str
) -> Speakers:
    """Who speaks in a whole recording; strangers get a label each, by which they are recognised.

    A voice that speaks alone says nothing in a memory that knows nobody's: it is whoever brought it. One that speaks
    too little to be recognised is somebody's. Raises Stale.
    """
    if not voices:
        return NOBODY
    bank = await store.bank(where.scope)
    if says_nothing(bank, voices):
        return NOBODY
    clear = [each for each in voices if each.seconds >= _least(each)]
    unclear = {each.number: SOMEBODY for each in voices if each.seconds < _least(each)}
    return unclear | dict(await listen(store, clear, where.place(now), strangers, bank))


async def known(
    store: Banks, voices: Collection[HeardVoice], where: Recording, now: Instant, strangers: str
) -> Speakers:
    """Who of those that are known is recognised in a piece of a recording. Nothing is learnt.

    Of strangers it says nothing, unless they are not to be told by name, or at all: the whole recording tells more.
    """
    if not voices:  # as in a live stream whose voices nobody asks for
        return NOBODY
    bank = await store.bank(where.scope)
    if says_nothing(bank, voices):
        return NOBODY
    found = attributed(bank, "", voices, where.place(now), strangers).speakers
    labels = {each.label for each in bank.voices.values()} | {SOMEBODY, None}
    return {number: label for number, label in found.items() if label in labels}


async def left_out(
    store: Banks, voices: Collection[HeardVoice], where: Recording, now: Instant, strangers: str
) -> Speakers:
    """Which voices are not told, or not by name, where somebody has said who speaks: that excludes nobody less.

    Strangers are dropped where they always are: whoever is to be told all the same has to be enrolled.
    """
    if not voices:
        return NOBODY
    bank, policy = await store.bank(where.scope), DROP if strangers == DROP else KEEP
    if says_nothing(bank, voices):
        return NOBODY
    found = attributed(bank, "", voices, where.place(now), policy).speakers
    return {number: label for number, label in found.items() if label in (None, SOMEBODY)}


async def shown_as(store: Banks, scope: str, speakers: Collection[str]) -> Mapping[str, str]:
    """What each of these labels of voices is called now; others are called as they are."""
    bank = await store.bank(scope)
    return {each.label: bank.shown(each.voice_id) for each in bank.voices.values() if each.label in speakers}


def says_nothing(bank: VoiceBank, voices: Collection[HeardVoice]) -> bool:
    """Whether voices tell nothing of who speaks: there is one alone, not of somebody who is left out, and nobody has
    said of any voice whose it is."""
    if len(voices) != 1 or _is_vouched(bank):
        return False
    guarded = any(towards_strangers(bank, each.model, KEEP) != KEEP for each in voices)
    return not guarded and not any(_is_excluded(bank, each) for each in voices)


def are_asked_for(bank: VoiceBank, strangers: str) -> bool:
    """Whether it matters whose voice is heard: somebody is known by it or left out, or strangers are not to be kept."""
    excluded = any(each.exclusion for each in bank.standing())
    return excluded or strangers != KEEP or _is_vouched(bank)


def _is_vouched(bank: VoiceBank) -> bool:
    """Whether somebody has said of any voice whose it is."""
    return any(each.origin == ENROLLED or bank.root(each.voice_id).name for each in bank.prints.values())


def _is_excluded(bank: VoiceBank, voice: HeardVoice) -> bool:
    """Whether a voice is that of somebody who is not to be told, or not by name."""
    found = identify(bank.prints.values(), voice).voice_id
    return found is not None and bool(bank.root(found).exclusion)


def taught_otherwise(bank: VoiceBank, voices: Collection[HeardVoice], source_id: str, strangers: str) -> bool:
    """Whether a bank knows voices of a source by prints of other models alone, so that it would take each for a
    stranger, and nobody is to be left out: whoever is not told cannot be told by what was."""
    of = {each.model for each in bank.prints.values() if each.source_id == source_id}
    all_told = all(towards_strangers(bank, each.model, strangers) == KEEP for each in voices)
    return bool(of) and bool(voices) and all_told and not of & {each.model for each in voices}


@dataclass(frozen=True, slots=True)
class SpokenSpan(Generic[Who]):
    """Somebody spoke from one instant to another."""

    start: Instant
    end: Instant
    who: Who


def carried(heard: Collection[SpokenSpan[int]], told: Collection[SpokenSpan[str]]) -> Speakers:
    """Who each voice was told to be before: whose sentences it shares most seconds with.

    A voice that shares none is somebody's.
    """
    ordered = sorted(told, key=lambda each: each.start)
    starts = [each.start for each in ordered]
    longest = max((each.end - each.start for each in ordered), default=0.0)
    shared: dict[int, dict[str, float]] = {each.who: {} for each in heard}
    for spoken in heard:
        for each in ordered[bisect_left(starts, spoken.start - longest) : bisect_left(starts, spoken.end)]:
            seconds = min(each.end, spoken.end) - max(each.start, spoken.start)
            if seconds > 0:
                shared[spoken.who][each.who] = shared[spoken.who].get(each.who, 0.0) + seconds
    return {voice: max(found, key=lambda who: found[who], default=SOMEBODY) for voice, found in shared.items()}


def _least(voice: HeardVoice) -> float:
    limits = LIMITS.get(voice.model)
    return limits.seconds if limits is not None else 0.0
