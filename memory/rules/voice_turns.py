"""The turns of the memory that go with changes of a bank, and which of them another name of a voice takes back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memory.model.ids import command_id
from memory.model.voices import BankChange, KnownVoice, VoiceBank, VoiceSwap, is_numbered


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
    after the present name was given follows the voice, each from what it was called before. People are not renamed
    because a voice turns out to be another's: what was read as theirs, before any voice had that name, stays theirs.
    """
    earlier = naming(changes, voice)
    is_first = not voice.name and is_numbered(voice.label)
    moved = {turn_id(change_id): voice.label} if is_numbered(voice.label) and (is_first or earlier) else {}
    if is_first:  # what was merged into a number follows the number
        return VoiceRenaming((), moved)
    called, taken_back = called_before(bank, changes, voice), list[str]()
    for change in changes:
        if change is earlier or loser(change, voice.voice_id):
            gone, turns = _turns(change, called, voice)
            taken_back += reversed(turns)
            moved |= {turn_id(change_id, each): called[each] for each in gone}
        if change is earlier:
            break
    return VoiceRenaming(taken_back[::-1], moved)


def _turns(change: BankChange, called: Mapping[str, str], voice: KnownVoice) -> tuple[list[str], list[str]]:
    """Who was moved to a voice's name by a change, by the ids of their voices, and the turns of it."""
    gone, lost = list[str](), loser(change, voice.voice_id)
    turns = [turn_id(change.change_id)] if turn_id(change.change_id) in change.commands else []
    if turns and lost is not None:
        gone.append(lost.voice_id)
    for each in called:
        if (followed := turn_id(change.change_id, each)) in change.commands:
            gone.append(each)
            turns.append(followed)
    return gone, turns


def naming(changes: Sequence[BankChange], voice: KnownVoice) -> BankChange | None:
    """The change that gave a voice the name it has, if it still stands."""
    for change in changes if voice.name else ():
        if change.kind == "name" and any(_names(swap, voice) for swap in change.voices):
            return change
    return None


def _names(swap: VoiceSwap, voice: KnownVoice) -> bool:
    before, after = swap.before, swap.after
    is_so_now = after is not None and (after.voice_id, after.name) == (voice.voice_id, voice.name)
    return is_so_now and (before is None or before.name != voice.name)


def called_before(bank: VoiceBank, changes: Sequence[BankChange], voice: KnownVoice) -> dict[str, str]:
    """Id of each voice that became one with this -> what the person was called of whom its words were believed."""
    called = dict[str, str]()
    for change in changes:
        for lost, _ in _losers(change):
            if bank.root(lost.voice_id) == voice:
                # who gets the name that another has loses an earlier one first
                name = lost.label if change.kind == "name" else lost.name or lost.label
                called.setdefault(lost.voice_id, name)
    return called


def loser(change: BankChange, into: str) -> KnownVoice | None:
    """The voice that became one with another by a change, as it was before."""
    return next((before for before, root in _losers(change) if root == into), None)


def _losers(change: BankChange) -> Iterator[tuple[KnownVoice, str]]:
    """Voices that became one with another by a change, as they were before, and the ids of those others."""
    for before, after in ((each.before, each.after) for each in change.voices):
        if before is not None and after is not None and after.merged_into and not before.merged_into:
            yield before, after.merged_into
