"""The turns of the memory that go with changes of a bank, and which of them another name of a voice takes back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memory.model.ids import command_id
from memory.model.voices import SPLIT, BankChange, KnownVoice, VoiceBank, VoiceSwap, is_numbered


@dataclass(frozen=True, slots=True)
class VoiceRenaming:
    """What goes with another name of a voice: turns to take back, the last one last, and who is moved to the name.

    `moved` has the ids of turns, each with what a person was called then of whom the words were believed.
    """

    taken_back: Sequence[str]
    moved: Mapping[str, str]


def turn_id(change_id: str, of: str | None = None) -> str:
    """The turn in which somebody gets the name of a voice; `of` is the id of a voice that had become one with it."""
    return command_id("voice", change_id) if of is None else command_id("voice", change_id, of)


def renaming(bank: VoiceBank, changes: Sequence[BankChange], voice: KnownVoice, change_id: str) -> VoiceRenaming:
    """What another name of a voice takes back and moves.

    `changes` are the standing ones of the voice and of all that became one with it, the latest first. What was merged
    into a stranger goes with their number. Once there was a name all goes back, and strangers follow from their numbers
    one by one, so that nobody is moved who has got the name since that a stranger had before. People are not renamed
    because a voice turns out to be another's: what was read as theirs, before any voice had that name, stays theirs.
    """
    called = _called_at_first(bank, changes, voice)
    own = {} if called is None else {turn_id(change_id): called}
    if not voice.name and is_numbered(voice.label):
        return VoiceRenaming((), own)
    ids = [each.voice_id for each in bank.voices.values() if bank.root(each.voice_id) == bank.root(voice.voice_id)]
    turns = _turns(changes, ids)
    moved = {turn_id(change_id, of): called for of, called in _merged(bank, changes, ids).items()}
    return VoiceRenaming(turns[::-1], own | moved)


def _turns(changes: Sequence[BankChange], ids: Collection[str]) -> list[str]:
    """The turns of these changes, the latest first, but for those of a voice before it was split off."""
    split, turns = {each: _split_at(changes, each) for each in ids}, list[str]()
    for place, change in enumerate(changes):
        concerned = [each.before.voice_id for each in change.voices if each.before is not None]
        # what became one with another is the first; those that had followed it may be here without it
        still = [each for each in concerned if place < split.get(each, 0)]
        gone = {turn_id(change.change_id, each) for each in ids if place < split[each]}
        if still and (still[0] == concerned[0] or concerned[0] not in ids):
            gone.add(turn_id(change.change_id))
        turns += [each for each in reversed(change.commands) if each in gone and change.kind != SPLIT]
    return turns


def _split_at(changes: Sequence[BankChange], of: str) -> int:
    """The place of the last change that split a voice off; their number without one."""
    return next((place for place, each in enumerate(changes) if _split_off(each, of) is not None), len(changes))


def _split_off(change: BankChange, of: str) -> KnownVoice | None:
    """A voice as a change has split it off."""
    after = (each.after for each in change.voices if change.kind == SPLIT)
    return next((each for each in after if each and each.voice_id == of and not each.merged_into), None)


def _merged(bank: VoiceBank, changes: Sequence[BankChange], ids: Collection[str]) -> dict[str, str]:
    """Ids of those voices that became one with another -> what the person was called of whom their words were believed.

    A person whose name another voice has by now is not moved again.
    """
    people = dict[str, str]()
    for place, change in enumerate(changes):
        for lost in _losers(change):
            if lost.voice_id not in ids or lost.voice_id in people:
                continue
            called = _called_at_first(bank, changes[place + 1 :], lost)
            if called is None and turn_id(change.change_id) in change.commands:
                called = _unless_taken(bank, lost.name or lost.label, lost)
            if called is not None:
                people[lost.voice_id] = called
    return people


def _called_at_first(bank: VoiceBank, changes: Sequence[BankChange], voice: KnownVoice) -> str | None:
    """What a person was called of whom a voice's words were believed, before these changes gave it its name.

    None where that was a person whom they told of, or where nobody knows what gave it its name.
    """
    for change in changes:
        if (split := _split_off(change, voice.voice_id)) is not None:
            return _unless_taken(bank, split.name or split.label, voice)
    is_known = not voice.name or _naming(changes, voice) is not None
    return voice.label if is_numbered(voice.label) and is_known else None


def _unless_taken(bank: VoiceBank, name: str, by: KnownVoice) -> str | None:
    """A name, if no other voice has it by now."""
    other = bank.called(name)
    return name if other is None or other == bank.root(by.voice_id) else None


def _naming(changes: Sequence[BankChange], voice: KnownVoice) -> BankChange | None:
    """The change that gave a voice the name it has, or gave it its label again, if it still stands."""
    for change in changes:
        if change.kind == "name" and any(_names(swap, voice) for swap in change.voices):
            return change
    return None


def _names(swap: VoiceSwap, voice: KnownVoice) -> bool:
    before, after = swap.before, swap.after
    is_so_now = after is not None and (after.voice_id, after.name) == (voice.voice_id, voice.name)
    return is_so_now and (before is None or before.name != voice.name)


def _losers(change: BankChange) -> Iterator[KnownVoice]:
    """Voices that became one with another by a change, as they were before."""
    for before, after in ((each.before, each.after) for each in change.voices):
        if before is not None and after is not None and after.merged_into and not before.merged_into:
            yield before
