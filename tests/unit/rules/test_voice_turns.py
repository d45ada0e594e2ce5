"""Names and merges of voices in any order: the memory calls everybody as the bank does, and undo restores both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memory.errors import Invalid
from memory.model.voices import BankChange, KnownVoice, VoiceBank
from memory.rules import voice_bank as vb
from memory.rules.voice_splits import brought_by, labels_split
from memory.rules.voice_turns import renaming, turn_id

STRANGERS = tuple(f"Speaker {number} of 3 May" for number in range(1, 5))
LABELS = (*STRANGERS, "Eva")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("name"), st.sampled_from(LABELS), st.sampled_from(("Tom", "Ben", "Ann", "Eva"))),
        st.tuples(st.just("merge"), st.sampled_from(LABELS), st.sampled_from(LABELS)),
        st.tuples(st.just("split"), st.sampled_from(STRANGERS), st.just("")),
    ),
    max_size=12,
)


class Believed:
    """A memory that knows of each label who it is. What a turn has moved goes back with it, and comes again."""

    def __init__(self) -> None:
        self.people = {label: label for label in LABELS}
        self._moved: dict[str, tuple[str, dict[str, str]]] = {}
        self._undone: dict[str, list[str]] = {}

    def name(self, turn: str, old: str, new: str) -> None:
        self.move(turn, [label for label, who in self.people.items() if who == old], new)

    def move(self, turn: str, labels: Sequence[str], new: str) -> None:
        self._moved[turn] = new, {label: self.people[label] for label in labels}
        self.people |= dict.fromkeys(labels, new)

    def undo(self, turn: str) -> bool:
        """Take back a turn as far as it stands, or the taking back of one (`undo TURN`); False if that was before."""
        if turn.startswith("undo "):
            turn = turn.removeprefix("undo ")
            self.people |= dict.fromkeys(self._undone.pop(turn), self._moved[turn][0])
            return True
        if turn in self._undone:
            return False
        new, moved = self._moved[turn]
        back = {label: who for label, who in moved.items() if self.people[label] == new}
        self._undone[turn] = [*back]
        self.people |= back
        return True


class Voices:
    """Voices and what is believed of them, changed as the use cases change them."""

    def __init__(self) -> None:
        self.bank = VoiceBank({label: KnownVoice(label, label, float(n)) for n, label in enumerate(LABELS)})
        self.believed = Believed()
        self.changes: list[BankChange] = []
        """The latest first."""

    def step(self, kind: str, one: str, other: str) -> None:
        key, voice = f"k-{len(self.changes)}", self.bank.root(one)
        if kind == "name" and self.bank.shown(one) == other:
            return
        try:
            if kind == "split":
                if self._has_followers(one):  # who is left behind by them is moved by nothing but their words
                    return
                change = self._split(key, voice, one)
            else:
                change = self._named(key, voice, other) if kind == "name" else self._merged(key, voice, other)
        except Invalid:  # they are one already, or a voice began with that label
            return
        self.bank = vb.applied(self.bank, change)
        self.changes.insert(0, change)

    def _named(self, key: str, voice: KnownVoice, name: str) -> BankChange:
        change = vb.named(self.bank, key, 0.0, voice.voice_id, name)
        goes_with = renaming(self.bank, self._of(voice), voice, key)
        undone = [f"undo {each}" for each in reversed(goes_with.taken_back) if self.believed.undo(each)]
        for turn, old in goes_with.moved.items():
            self.believed.name(turn, old, name)
        return replace(change, commands=(*undone, *goes_with.moved))

    def _merged(self, key: str, kept: KnownVoice, gone: str) -> BankChange:
        change = vb.merged(self.bank, key, 0.0, kept.voice_id, self.bank.root(gone).voice_id)
        self.believed.name(turn_id(key), self.bank.shown(gone), self.bank.shown(kept.voice_id))
        return replace(change, commands=(turn_id(key),))

    def _split(self, key: str, voice: KnownVoice, label: str) -> BankChange:
        brought, turns = brought_by(self.bank, self._of(voice), [label])
        change = labels_split(self.bank, key, 0.0, voice.voice_id, [label], brought)
        undone = [f"undo {each}" for each in turns if self.believed.undo(each)]
        self.believed.move(turn_id(key), [label], vb.applied(self.bank, change).shown(label))
        return replace(change, commands=(*undone, turn_id(key)))

    def _has_followers(self, label: str) -> bool:
        befores = (each.before for change in self.changes for each in change.voices)
        return any(each is not None and each.merged_into == label for each in befores)

    def _of(self, voice: KnownVoice) -> list[BankChange]:
        one = {each for each in self.bank.voices if self.bank.root(each) == voice}
        return [each for each in self.changes if each.touched & one]

    def undo_last(self) -> None:
        change = self.changes.pop(0)
        self.bank = vb.applied(self.bank, vb.undoing(change, "undo", 0.0))
        for each in reversed(change.commands):
            self.believed.undo(each)


@given(STEPS)
def test_everybody_is_called_as_their_voice_is_and_undo_goes_back_step_by_step(
    steps: list[tuple[str, str, str]],
) -> None:
    voices, before = Voices(), list[dict[str, str]]()
    for step in steps:
        known, people = len(voices.changes), dict(voices.believed.people)
        voices.step(*step)
        before += [people] if len(voices.changes) > known else []
        called = {label: voices.bank.shown(label) for label in STRANGERS}
        assert voices.believed.people | called == voices.believed.people, "what was read as Eva's stays hers"
    while before:
        voices.undo_last()
        assert voices.believed.people == before.pop()
