"""The turns of the memory that go with changes of a bank, and which of them another name of a voice takes back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

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
    after the present name was given follows the voice. Strangers follow from their numbers, so that nobody is moved who
    has got the name since that a stranger had before. People are not renamed because a voice turns out to be another's:
    what was read as theirs, before any voice had that name, stays theirs.
    """
    found = _Followers(bank, changes, [each for each in bank.voices if bank.root(each) == bank.root(voice.voice_id)])
    if _has_own_words(voice, changes):
        found.people[voice.voice_id] = voice.label
    found.since_named(voice, 0)
    ids = {each: None if each == voice.voice_id else each for each in found.people}
    moved = {turn_id(change_id, ids[each]): called for each, called in found.people.items()}
    return VoiceRenaming([turn for _, turn in sorted(found.turns, key=lambda each: -each[0])], moved)


@dataclass
class _Followers:
    """Who was moved to the name of a voice, and by which turns: each with the place of its change."""

    bank: VoiceBank
    changes: Sequence[BankChange]
    ids: Sequence[str]
    """Of the voice and of all that became one with it."""
    people: dict[str, str] = field(default_factory=dict)
    """Id of a voice -> what the person was called of whom its words were believed."""
    turns: list[tuple[int, str]] = field(default_factory=list)

    def since_named(self, voice: KnownVoice, first: int) -> None:
        """All that followed a voice, up to the change before place `first`, since it has the name it had then."""
        if not voice.name and is_numbered(voice.label):
            return  # what was merged into a number goes with the number
        given = naming(self.changes[first:], voice)
        for place, change in enumerate(self.changes[first:], first):
            lost = loser(change, voice.voice_id)
            if lost is not None:
                self._follow(lost, change, place)
            if change is given or lost is not None:
                self._add(change, place)
            if change is given:
                break

    def _follow(self, lost: KnownVoice, change: BankChange, place: int) -> None:
        """What became one with a voice by a change moves on with it."""
        called = lost.name or lost.label
        if _has_own_words(lost, self.changes[place + 1 :]):
            self.people[lost.voice_id] = lost.label
            if change.kind != "name":  # who gets the name that another has has lost an earlier one before
                self.since_named(lost, place + 1)
        elif self.bank.called(called) is not None:  # another voice has the name by now: strangers alone move on
            self.since_named(lost, place + 1)
        elif turn_id(change.change_id) in change.commands:
            self.people[lost.voice_id] = called

    def _add(self, change: BankChange, place: int) -> None:
        """The turns of a change. Who was moved along by it is moved again."""
        for of in (None, *self.ids):
            if (turn := turn_id(change.change_id, of)) in change.commands:
                self.turns.append((place, turn))
                if of is not None:
                    self.people.setdefault(of, self._called(of))

    def _called(self, of: str) -> str:
        lost = next(each for change in self.changes for each, _ in _losers(change) if each.voice_id == of)
        return lost.label if is_numbered(lost.label) else lost.name or lost.label


def _has_own_words(voice: KnownVoice, changes: Sequence[BankChange]) -> bool:
    """Whether what a voice said was believed of its number, before it got a name by one of these changes."""
    return is_numbered(voice.label) and (not voice.name or naming(changes, voice) is not None)


def naming(changes: Sequence[BankChange], voice: KnownVoice) -> BankChange | None:
    """The change that gave a voice the name it has, or gave it its label again, if it still stands."""
    for change in changes:
        if change.kind == "name" and any(_names(swap, voice) for swap in change.voices):
            return change
    return None


def _names(swap: VoiceSwap, voice: KnownVoice) -> bool:
    before, after = swap.before, swap.after
    is_so_now = after is not None and (after.voice_id, after.name) == (voice.voice_id, voice.name)
    return is_so_now and (before is None or before.name != voice.name)


def loser(change: BankChange, into: str) -> KnownVoice | None:
    """The voice that became one with another by a change, as it was before."""
    return next((before for before, root in _losers(change) if root == into), None)


def _losers(change: BankChange) -> Iterator[tuple[KnownVoice, str]]:
    """Voices that became one with another by a change, as they were before, and the ids of those others."""
    for before, after in ((each.before, each.after) for each in change.voices):
        if before is not None and after is not None and after.merged_into and not before.merged_into:
            yield before, after.merged_into
