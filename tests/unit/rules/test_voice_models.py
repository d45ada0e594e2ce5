"""Voices that different models hear: what one knows says nothing to another, and caution wins."""

from __future__ import annotations

import pytest

from memory.model.voices import DROP, SOMEBODY, WITHOUT_NAME, VoiceBank
from memory.rules import voice_bank as vb
from memory.rules.voices import identify, towards_strangers
from tests.unit.rules.test_voices import NOW, axis, beside, enrol, listen, speakers, voice


@pytest.mark.parametrize(("exclusion", "told"), [("", "Speaker 1 of 3 May"), (WITHOUT_NAME, SOMEBODY), (DROP, None)])
def test_whoever_is_not_told_is_not_told_by_a_model_that_does_not_know_them(exclusion: str, told: str | None) -> None:
    bank = enrol(VoiceBank(), "Ravi", voice(axis(1)))
    ravi = next(iter(bank.voices))
    bank = vb.applied(bank, vb.excluded(bank, "x", NOW, ravi, exclusion))
    heard = voice(axis(1), model="community-1")
    assert speakers(bank, heard) == {1: told}
    assert speakers(bank, voice(axis(2))) == {1: "Speaker 1 of 3 May"}, "this model would know them"
    assert towards_strangers(bank, "community-1", "drop") == "drop"
    knows = enrol(bank, "Ravi", heard, "other")
    assert speakers(knows, voice(axis(3), model="community-1")) == {1: "Speaker 1 of 3 May"}


def test_vectors_of_another_model_are_never_compared_and_nothing_is_learnt_by_one_that_was_not_measured() -> None:
    bank = enrol(VoiceBank(), "Ravi", voice(axis(1), model="community-1"))
    assert identify(bank.prints.values(), voice(axis(1))).voice_id is None
    same = voice(beside(axis(1), 0.7, 9), model="community-1")
    assert identify(bank.prints.values(), same).voice_id is not None
    assert len(listen(bank, same).prints) == 1
