"""Changes of a bank of voices: each says what was before, so that it can be taken back exactly."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from memory.errors import Conflict, Invalid, NotFound
from memory.model.ids import fold
from memory.model.sound import HeardVoice
from memory.model.timeline import Instant
from memory.model.voices import (
    DEFAULT_STYLE,
    DIFFER,
    DROP,
    ENROLLED,
    EXCLUSIONS,
    HEARD,
    LEARNT,
    SOMEBODY,
    BankChange,
    KnownVoice,
    PrintSwap,
    VoiceBank,
    VoicePrint,
    VoiceSwap,
    print_id,
    voice_id,
)
from memory.rules.voices import LIMITS, MOST_STYLES, MOST_VOICES, identify, may_learn, towards_strangers

Kept = TypeVar("Kept", KnownVoice, VoicePrint)


@dataclass(frozen=True, slots=True)
class HeardPlace:
    """Where voices were heard: the source, what its day is called, and the instant now."""

    scope: str
    source_id: str
    day: str
    at: Instant


@dataclass(frozen=True, slots=True)
class VoiceSample:
    """How somebody sounds, as a person says; one that was heard in a source goes with that."""

    name: str
    style: str
    heard: HeardVoice
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class Attribution:
    """Number of a voice -> who is told to speak, None if its sentences are not told; and how the bank changes."""

    speakers: Mapping[int, str | None]
    change: BankChange | None


def applied(bank: VoiceBank, change: BankChange) -> VoiceBank:
    """The bank after a change. Raises Conflict if something it changes is not as it was."""
    voices, prints = dict(bank.voices), dict(bank.prints)
    for swap in change.voices:
        row = swap.after or swap.before
        assert row is not None
        if voices.get(row.voice_id) != swap.before:
            raise Conflict("That voice has changed since; undo the later change first.", voice_id=row.voice_id)
        _put(voices, row.voice_id, swap.after)
    for each in change.prints:
        known = prints.get(each.print.print_id)
        if (known.voice_id if known else None) != each.before:
            raise Conflict("That voice has changed since; undo the later change first.", print_id=each.print.print_id)
        _put(prints, each.print.print_id, None if each.after is None else replace(each.print, voice_id=each.after))
    lost = {each.voice_id for each in prints.values()} - voices.keys()
    if lost:
        raise Conflict("That voice has been heard again since; undo that first.", voice_id=min(lost))
    return VoiceBank(voices, prints)


def _put(rows: dict[str, Kept], key: str, row: Kept | None) -> None:
    if row is None:
        rows.pop(key, None)
    else:
        rows[key] = row


def undoing(change: BankChange, change_id: str, at: Instant, actor: str = "user") -> BankChange:
    """The change that takes one back."""
    return BankChange(
        change_id,
        "undo",
        at,
        tuple(VoiceSwap(each.after, each.before) for each in reversed(change.voices)),
        tuple(PrintSwap(each.print, each.after, each.before) for each in reversed(change.prints)),
        actor=actor,
        undoes=change.change_id,
        apart=change.apart,
    )


def standing(bank: VoiceBank, of: str) -> KnownVoice:
    """The voice of an id, or what it was merged into. Raises NotFound."""
    if of not in bank.voices or bank.voices[of].forgotten:
        raise NotFound("There is no such voice in this memory.", id=of)
    return bank.root(of)


def enrolled(bank: VoiceBank, change_id: str, at: Instant, scope: str, sample: VoiceSample) -> BankChange:
    """Know somebody by a sample; the voice of that name gets its print, or a new one.

    Raises Conflict if there are too many. The same sound again changes nothing.
    """
    name, heard = sample.name, sample.heard
    known = bank.called(name)
    voices: tuple[VoiceSwap, ...] = ()
    if known is None:
        known = KnownVoice(voice_id(scope, name, at), free_label(bank, name), at)
        known = known if known.label == name else replace(known, name=name)
        has_room(bank)
        voices = (VoiceSwap(None, known),)
    elif sum(each.origin == ENROLLED for each in bank.prints_of(known.voice_id)) >= MOST_STYLES:
        raise Conflict(f"This voice is known by {MOST_STYLES} enrolled styles; remove one first.")
    identity = print_id(scope, ENROLLED, sample.source_id, sample.style, heard.embedding)
    if identity in bank.prints:
        return BankChange(change_id, "enrol", at)
    made = VoicePrint(
        identity,
        known.voice_id,
        ENROLLED,
        heard.model,
        heard.seconds,
        kept_print(heard),
        at,
        sample.style,
        sample.source_id,
    )
    return BankChange(change_id, "enrol", at, voices, (PrintSwap(made, None, known.voice_id),))


def named(bank: VoiceBank, change_id: str, at: Instant, of: str, name: str) -> BankChange:
    """Say whose a voice is. If another voice has that name the two become one. Raises NotFound."""
    voice, other = standing(bank, of), bank.called(name)
    if other is not None and other.voice_id != voice.voice_id:
        return replace(merged(bank, change_id, at, other.voice_id, voice.voice_id), kind="name")
    after = replace(voice, name="" if name == voice.label else name)
    return BankChange(change_id, "name", at, () if after == voice else (VoiceSwap(voice, after),))


def merged(bank: VoiceBank, change_id: str, at: Instant, kept: str, gone: str) -> BankChange:
    """Let two voices be one: the prints of the other move, and what it said is shown under the name of the first.

    Of the two exclusions the stricter one stays. Raises NotFound, and Invalid if they are one already.
    """
    winner, loser = standing(bank, kept), standing(bank, gone)
    if winner.voice_id == loser.voice_id:
        raise Invalid("These are one voice already.", voice_id=winner.voice_id)
    followers = [each for each in bank.voices.values() if each.merged_into == loser.voice_id]
    after = replace(winner, exclusion=stricter(winner.exclusion, loser.exclusion))
    swaps = [VoiceSwap(each, replace(each, merged_into=winner.voice_id)) for each in (loser, *followers)]
    swaps += [] if after == winner else [VoiceSwap(winner, after)]
    moved = (PrintSwap(each, loser.voice_id, winner.voice_id) for each in bank.prints_of(loser.voice_id))
    return BankChange(change_id, "merge", at, tuple(swaps), tuple(moved))


def stricter(one: str, other: str) -> str:
    """Of two exclusions the one that tells less."""
    return max(one, other, key=EXCLUSIONS.index)


def differing(bank: VoiceBank, change_id: str, at: Instant, one: str, other: str) -> BankChange:
    """Say that two voices are different people's, so that nobody is asked again. Raises NotFound, Invalid of one."""
    both = sorted({standing(bank, one).voice_id, standing(bank, other).voice_id})
    if len(both) < 2:
        raise Invalid("These are one voice already.", voice_id=both[0])
    return BankChange(change_id, DIFFER, at, apart=tuple(both))


def excluded(bank: VoiceBank, change_id: str, at: Instant, of: str, exclusion: str) -> BankChange:
    """Say what becomes of what a voice says from now on. Raises NotFound."""
    voice = standing(bank, of)
    after = replace(voice, exclusion=exclusion)
    return BankChange(change_id, "exclude", at, () if after == voice else (VoiceSwap(voice, after),))


def attributed(
    bank: VoiceBank, change_id: str, voices: Collection[HeardVoice], place: HeardPlace, strangers: str
) -> Attribution:
    """Who speaks in a recording, and what the bank learns by it; neither depends on the order of the voices.

    Everybody is compared with what was known before the recording. A stranger is told as the policy says, and where
    they are kept they get a label of their own, which no other voice of that day has had.
    """
    known, speakers = _known_prints(bank), dict[int, str | None]()
    swaps, prints = list[VoiceSwap](), list[PrintSwap]()
    for heard in sorted(voices, key=lambda each: each.number):
        found = identify(known, heard).voice_id
        if found is None:
            fresh = VoiceBank({**bank.voices, **{s.after.voice_id: s.after for s in swaps if s.after is not None}})
            policy = towards_strangers(bank, heard.model, strangers)
            speakers[heard.number] = _stranger(fresh, heard, place, policy, swaps, prints)
            continue
        voice = bank.voices[found]
        speakers[heard.number] = {"": voice.label, DROP: None}.get(voice.exclusion, SOMEBODY)
        if not voice.exclusion:
            _learn(voice, known, heard, place, prints)
    changed = BankChange(change_id, "listen", place.at, tuple(swaps), tuple(prints), actor="listening")
    return Attribution(speakers, changed if swaps or prints else None)


def _known_prints(bank: VoiceBank) -> list[VoicePrint]:
    living = {each.voice_id for each in bank.standing()}
    return [each for each in bank.prints.values() if each.voice_id in living]


def _stranger(
    bank: VoiceBank,
    heard: HeardVoice,
    place: HeardPlace,
    strangers: str,
    swaps: list[VoiceSwap],
    prints: list[PrintSwap],
) -> str | None:
    if strangers != "keep":
        return None if strangers == "drop" else SOMEBODY
    if len(bank.voices) >= MOST_VOICES:
        return SOMEBODY
    label = free_label(bank, "", place.day)
    fresh = KnownVoice(voice_id(place.scope, label, place.at), label, place.at)
    swaps.append(VoiceSwap(None, fresh))
    limits = LIMITS.get(heard.model)
    if limits is None or heard.seconds >= limits.seconds:  # a shorter one would be taken for somebody it is not
        prints.append(_swap(fresh.voice_id, HEARD, heard, place))
    return label


def _learn(
    voice: KnownVoice, known: Sequence[VoicePrint], heard: HeardVoice, place: HeardPlace, prints: list[PrintSwap]
) -> None:
    """Add what was heard to what is known of a voice that a person has vouched for, once in a recording."""
    vouched = voice.name or any(p.origin == ENROLLED for p in known if p.voice_id == voice.voice_id)
    once = all(each.after != voice.voice_id for each in prints)
    if vouched and once and may_learn(known, heard, voice.voice_id):
        prints.append(_swap(voice.voice_id, LEARNT, heard, place))


def _swap(of: str, origin: str, heard: HeardVoice, place: HeardPlace) -> PrintSwap:
    identity = print_id(place.scope, origin, place.source_id, str(heard.number), heard.embedding)
    made = VoicePrint(
        identity,
        of,
        origin,
        heard.model,
        heard.seconds,
        kept_print(heard),
        place.at,
        DEFAULT_STYLE,
        place.source_id,
    )
    return PrintSwap(made, None, of)


def kept_print(heard: HeardVoice) -> tuple[float, ...]:
    """A print in single precision, as it is kept."""
    return tuple(np.array(heard.embedding, np.float32).tolist())


def free_label(bank: VoiceBank, name: str, day: str = "") -> str:
    """A label nobody has had: the name itself if that is free, else a number of that day."""
    taken = {fold(each.label) for each in bank.voices.values()}
    if name and fold(name) not in taken:
        return name
    number = 1
    while fold(label := f"Speaker {number} of {day}" if day else f"{name} ({number + 1})") in taken:
        number += 1
    return label


def has_room(bank: VoiceBank) -> None:
    """Raise Conflict if there is no room for another voice."""
    if len(bank.voices) >= MOST_VOICES:
        raise Conflict(f"There are {MOST_VOICES:,} voices in this memory; forget some first.")
