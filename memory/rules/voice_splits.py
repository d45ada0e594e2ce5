"""Splits of a voice: what was taken for one person's is two people's, by labels of segments or by prints."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from memory.errors import Conflict, Invalid, NotFound
from memory.model.timeline import Instant
from memory.model.voices import (
    SPLIT,
    BankChange,
    KnownVoice,
    PrintSwap,
    VoiceBank,
    VoiceSwap,
    voice_id,
)
from memory.rules.voice_bank import free_label, has_room, standing, stricter
from memory.rules.voice_turns import turn_id


@dataclass(frozen=True, slots=True)
class Relabelled:
    """Segments that carry another label with a change: those of a source, None of all, and both labels."""

    source_id: str | None
    before: str
    after: str


def labels_split(
    bank: VoiceBank, change_id: str, at: Instant, of: str, labels: Collection[str], brought: Collection[str]
) -> BankChange:
    """Let what became one with a voice be a voice of its own again, all of these labels one; `brought` are the ids of
    the prints that came with them.

    It has the name it had, if nobody has that by now, and is told no more freely than the voice it leaves. Raises
    NotFound of a label that is not the voice's, Invalid of the one that it began with, which it keeps.
    """
    voice = standing(bank, of)
    merged = {each.label: each for each in bank.voices.values() if each.merged_into == voice.voice_id}
    if voice.label in labels:
        raise Invalid("The label that a voice began with stays with it; let the others out.", voice_id=voice.voice_id)
    if not labels or set(labels) - merged.keys():
        raise NotFound("This voice was not heard under such a label.", voice_id=voice.voice_id)
    first, *rest = sorted((merged[each] for each in labels), key=lambda each: (each.created_at, each.voice_id))
    taken = bank.called(first.name) if first.name else None
    fresh = replace(
        first,
        merged_into=None,
        name="" if taken is not None else first.name,
        exclusion=stricter(first.exclusion, voice.exclusion),
    )
    swaps = [VoiceSwap(first, fresh), *(VoiceSwap(each, replace(each, merged_into=fresh.voice_id)) for each in rest)]
    moved = [each for each in bank.prints_of(voice.voice_id) if each.print_id in brought]
    prints = tuple(PrintSwap(each, voice.voice_id, fresh.voice_id) for each in moved)
    return BankChange(change_id, SPLIT, at, tuple(swaps), prints, apart=(voice.voice_id, fresh.voice_id))


def prints_split(
    bank: VoiceBank, change_id: str, at: Instant, scope: str, of: str, ids: Collection[str], day: str
) -> BankChange:
    """Let prints of a voice be those of a new one, which gets a number of that day; what the voice said where they were
    heard becomes the new one's.

    Raises NotFound of a print that is not the voice's, Invalid of one that was not heard anywhere, Conflict if none
    would be left or if there are too many voices.
    """
    voice = standing(bank, of)
    own = bank.prints_of(voice.voice_id)
    moved = [each for each in own if each.print_id in ids]
    if not moved or len(moved) < len(set(ids)):
        raise NotFound("This voice is not known by such a print.", voice_id=voice.voice_id)
    if any(each.source_id is None for each in moved):
        raise Invalid("A print that was enrolled by hand was heard in no source; remove its style instead.")
    if len(moved) == len(own):
        raise Conflict("No print would be left of this voice; name it instead.", voice_id=voice.voice_id)
    has_room(bank)
    label = free_label(bank, "", day)
    fresh = KnownVoice(voice_id(scope, label, at), label, at, exclusion=voice.exclusion)
    prints = tuple(PrintSwap(each, voice.voice_id, fresh.voice_id) for each in moved)
    apart = voice.voice_id, fresh.voice_id
    return BankChange(change_id, SPLIT, at, (VoiceSwap(None, fresh),), prints, apart=apart)


def labels_of(bank: VoiceBank, voice: KnownVoice) -> list[str]:
    """All that segments carry of a voice: its own label first."""
    return [voice.label, *sorted(each.label for each in bank.voices.values() if each.merged_into == voice.voice_id)]


def brought_by(bank: VoiceBank, changes: Sequence[BankChange], labels: Collection[str]) -> tuple[set[str], list[str]]:
    """The prints that came when the voices of these labels became one with another, and the turns that went with that;
    the latest change first. Only turns that were about none but these voices count.

    A print is that of the voice which it first left by a merge, since it was last split off.
    """
    out = {each.voice_id for each in bank.voices.values() if each.label in labels}
    first, settled, turns = dict[str, str | None](), set[str](), list[str]()
    for change in changes:
        if change.kind == SPLIT:
            settled |= {each.print.print_id for each in change.prints}
            continue
        gone = {each.after.voice_id for each in change.voices if each.after is not None and each.after.merged_into}
        if change.undoes is None and gone:
            first |= {p.print.print_id: p.before for p in change.prints if p.print.print_id not in settled}
            turns += [turn_id(change.change_id)] if gone <= out else []
        turns += [turn_id(change.change_id, of) for of in out]  # a name that came later has moved them once more
    made = {each for change in changes for each in change.commands}
    return {each for each, voice in first.items() if voice in out}, [each for each in turns if each in made]


def relabelled(bank: VoiceBank, change: BankChange) -> Iterator[Relabelled]:
    """Which segments get another label as prints move to a voice that comes with a change, or from one that goes."""
    come = {each.after.voice_id: each.after.label for each in change.voices if not each.before and each.after}
    gone = {each.before.voice_id: each.before.label for each in change.voices if each.before and not each.after}
    for each in change.prints:
        if each.before is None or each.after is None:
            continue
        if each.before in bank.voices and each.after in come and each.print.source_id is not None:
            yield Relabelled(each.print.source_id, bank.voices[each.before].label, come[each.after])
        elif each.before in gone and each.after in bank.voices:
            yield Relabelled(None, gone[each.before], bank.voices[each.after].label)
