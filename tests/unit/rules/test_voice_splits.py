"""Splits of a voice: what was merged comes apart by its label, what was taken for one by its print; undo is exact."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import Conflict, Invalid, NotFound
from memory.model.voices import DROP, SPLIT, BankChange, VoiceBank
from memory.rules import voice_bank as vb
from memory.rules.voice_splits import Relabelled, brought_by, labels_split, prints_split, relabelled
from memory.rules.voice_turns import turn_id
from memory.rules.voices import identify, proposals
from tests.unit.rules.test_voices import NOW, axis, beside, called, listen, voice

FIRST, SECOND, THIRD = (f"Speaker {number} of 3 May" for number in (1, 2, 3))


@pytest.fixture
def bank() -> VoiceBank:
    """Three strangers, each heard once."""
    heard = VoiceBank()
    for number in (0, 1, 2):
        heard = listen(heard, voice(axis(number)), source=f"s-{number}")
    return heard


def merged(bank: VoiceBank, *pairs: tuple[str, str]) -> tuple[VoiceBank, list[BankChange]]:
    """The bank after merges of one label into another, and these changes, the latest first."""
    changes = list[BankChange]()
    for number, (kept, gone) in enumerate(pairs):
        made = vb.merged(bank, f"m-{number}", NOW, called(bank, kept), called(bank, gone))
        changes.insert(0, replace(made, commands=(turn_id(made.change_id),)))
        bank = vb.applied(bank, made)
    return bank, changes


def out(bank: VoiceBank, changes: list[BankChange], of: str, *labels: str) -> BankChange:
    return labels_split(bank, "split", NOW, called(bank, of), labels, brought_by(bank, changes, labels)[0])


def test_what_became_one_comes_apart_with_its_prints(bank: VoiceBank) -> None:
    both, changes = merged(bank, (FIRST, SECOND))
    change = out(both, changes, FIRST, SECOND)
    after = vb.applied(both, change)
    assert (after.voices, after.prints) == (bank.voices, bank.prints)
    assert (change.kind, change.apart) == (SPLIT, (called(bank, FIRST), called(bank, SECOND)))
    assert vb.applied(after, vb.undoing(change, "u", NOW)) == both
    assert brought_by(both, changes, [SECOND])[1] == [turn_id("m-0")]


def test_several_labels_go_out_as_one_voice(bank: VoiceBank) -> None:
    three, changes = merged(bank, (FIRST, SECOND), (FIRST, THIRD))
    after = vb.applied(three, out(three, changes, FIRST, THIRD, SECOND))
    assert {each.label: after.root(each.voice_id).label for each in after.voices.values()} == {
        FIRST: FIRST,
        SECOND: SECOND,
        THIRD: SECOND,
    }
    assert len(after.prints_of(called(after, SECOND))) == 2


def test_one_of_a_chain_comes_out_alone(bank: VoiceBank) -> None:
    three, changes = merged(bank, (SECOND, THIRD), (FIRST, SECOND))
    assert brought_by(three, changes, [THIRD])[1] == [turn_id("m-0")], "the turn of the other concerned two voices"
    after = vb.applied(three, out(three, changes, FIRST, THIRD))
    assert [each.print_id for each in after.prints_of(called(after, THIRD))] == [
        each.print_id for each in bank.prints_of(called(bank, THIRD))
    ]
    assert len(after.prints_of(called(after, FIRST))) == 2


def test_a_name_comes_back_unless_another_has_it_and_wishes_are_kept(bank: VoiceBank) -> None:
    named = vb.applied(bank, vb.named(bank, "n", NOW, called(bank, SECOND), "Ravi"))
    both, changes = merged(named, (FIRST, "Ravi"))
    excluded = vb.applied(both, vb.excluded(both, "e", NOW, called(both, FIRST), DROP))
    after = vb.applied(excluded, out(excluded, changes, FIRST, SECOND))
    assert after.voices[called(bank, SECOND)].name == "Ravi"
    assert {each.exclusion for each in after.standing()} == {"", DROP}
    assert after.voices[called(bank, SECOND)].exclusion == DROP
    again = vb.applied(both, vb.named(both, "n2", NOW, called(both, FIRST), "Ravi"))
    assert vb.applied(again, out(again, changes, "Ravi", SECOND)).voices[called(bank, SECOND)].name == ""


def test_what_is_not_a_voices_or_its_own_does_not_go_out(bank: VoiceBank) -> None:
    both, changes = merged(bank, (FIRST, SECOND))
    with pytest.raises(Invalid):
        out(both, changes, FIRST, FIRST)
    for labels in ((THIRD,), (SECOND, "Nobody"), ()):
        with pytest.raises(NotFound):
            out(both, changes, FIRST, *labels)
    ids = [each.print_id for each in both.prints_of(called(both, FIRST))]
    of = called(both, FIRST)
    with pytest.raises(Conflict):
        prints_split(both, "p", NOW, "user:u", of, ids, "3 May")
    for wrong in ([], ["w-none"], [ids[0], "w-none"]):
        with pytest.raises(NotFound):
            prints_split(both, "p", NOW, "user:u", of, wrong, "3 May")


def test_a_print_goes_out_into_a_new_voice_that_is_known_by_it() -> None:
    bank = listen(VoiceBank(), voice(axis(0)), source="lunch")
    tom = called(bank, FIRST)
    bank = vb.applied(bank, vb.named(bank, "n", NOW, tom, "Tom"))
    other = voice(beside(axis(0), 0.78, 9))
    bank = listen(bank, other, source="walk")
    [learnt] = [each for each in bank.prints_of(tom) if each.source_id == "walk"]
    change = prints_split(bank, "p", NOW, "user:u", tom, [learnt.print_id], "4 May")
    after = vb.applied(bank, change)
    fresh = called(after, "Speaker 1 of 4 May")
    assert identify(list(after.prints.values()), other).voice_id == fresh
    assert list(relabelled(bank, change)) == [Relabelled("walk", FIRST, "Speaker 1 of 4 May")]
    back = vb.undoing(change, "u", NOW)
    assert list(relabelled(after, back)) == [Relabelled(None, "Speaker 1 of 4 May", FIRST)]
    assert vb.applied(after, back) == bank
    assert proposals(after, list(after.standing()), {(change.apart[0], change.apart[1])}) == []


def test_a_sample_given_by_hand_was_said_nowhere() -> None:
    bank = VoiceBank()
    for number, source in ((0, None), (1, "lunch")):
        sample = vb.VoiceSample("Tom", f"style-{number}", voice(axis(number)), source)
        bank = vb.applied(bank, vb.enrolled(bank, f"e-{number}", NOW, "user:u", sample))
    [by_hand] = [each for each in bank.prints.values() if each.source_id is None]
    with pytest.raises(Invalid):
        prints_split(bank, "p", NOW, "user:u", called(bank, "Tom"), [by_hand.print_id], "3 May")


def test_merges_and_enrolments_relabel_nothing(bank: VoiceBank) -> None:
    both, changes = merged(bank, (FIRST, SECOND))
    assert list(relabelled(bank, changes[0])) == []
    assert list(relabelled(both, vb.undoing(changes[0], "u", NOW))) == []
    sample = vb.VoiceSample("Tom", "default", voice(axis(8)), "lunch")
    enrolled = vb.enrolled(bank, "e", NOW, "user:u", sample)
    assert list(relabelled(bank, enrolled)) == []
    assert list(relabelled(vb.applied(bank, enrolled), vb.undoing(enrolled, "u", NOW))) == []


@given(
    pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=6),
    of=st.integers(0, 5),
    picks=st.sets(st.integers(0, 5), min_size=1, max_size=4),
)
def test_splitting_and_undoing_leaves_a_bank_as_it_was(pairs: Any, of: int, picks: set[int]) -> None:
    bank, changes = VoiceBank(), list[BankChange]()
    for number in range(6):
        bank = listen(bank, voice(axis(number)), source=f"s-{number}")
    ids = sorted(bank.voices)
    for number, (kept, gone) in enumerate(pairs):
        one, other = bank.root(ids[kept]), bank.root(ids[gone])
        if one != other:
            made = vb.merged(bank, f"m-{number}", NOW, one.voice_id, other.voice_id)
            bank, changes = vb.applied(bank, made), [made, *changes]
    root = bank.root(ids[of])
    own = {each.label for each in bank.voices.values() if each.merged_into == root.voice_id}
    labels = own & {bank.voices[ids[each]].label for each in picks}
    if not labels:
        return
    change = labels_split(bank, "s", NOW, root.voice_id, labels, brought_by(bank, changes, labels)[0])
    after = vb.applied(bank, change)
    assert vb.applied(after, vb.undoing(change, "u", NOW)) == bank
    for each in after.voices.values():
        assert not each.merged_into or not after.voices[each.merged_into].merged_into
        [heard] = [p for p in after.prints.values() if p.source_id == bank_source(bank, each.voice_id)]
        assert heard.voice_id == after.root(each.voice_id).voice_id, "a print goes with the label it was heard under"


def bank_source(bank: VoiceBank, of: str) -> str:
    return f"s-{int(bank.voices[of].label.split()[1]) - 1}"
