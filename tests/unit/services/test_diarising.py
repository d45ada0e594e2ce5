"""Who speaks when: each word has a voice, voices are numbered as they come, and silence has none; in short sounds and
in long ones, with voices that are told apart by how loud they are."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model.sound import RATE, Diarisation, HeardWord, VoiceTurn
from memory.services.diarising import SHORT_S, Diariser, VoiceModels, attributed, renumbered
from memory.services.hearing import Ears, hear
from tests.fakes.hearing import (
    VOICES,
    LevelEmbedder,
    LevelSegmenter,
    Loudness,
    Teller,
    WaveDecoder,
    silence,
    tone,
    voice,
    wav,
)

MODELS = VoiceModels(LevelSegmenter(), LevelEmbedder())
NEAR_S = 0.06
"""Three frames."""


def diarised(sound: np.ndarray, block_s: float = 10.0) -> Diarisation:
    diariser = Diariser(MODELS)
    step = int(block_s * RATE)
    for place in range(0, len(sound), step):
        diariser.hear(sound[place : place + step])
    return diariser.finish()


talks = st.lists(
    st.tuples(st.integers(1, 3), st.integers(16, 60), st.integers(0, 30)), min_size=1, max_size=12
)  # who, and for how many tenths they speak and are silent


def sound_of(turns: list[tuple[int, int, int]], times: int = 1) -> tuple[np.ndarray, list[tuple[float, float, int]]]:
    """A talk, and who speaks when in it."""
    parts, expected, at = [], [], 0
    for who, says, still in turns * times:
        parts += [voice(who, says / 10), silence(still / 10)]
        if expected and expected[-1][2] == who and at / 10 - expected[-1][1] < 0.3:
            expected[-1] = (expected[-1][0], (at + says) / 10, who)
        else:
            expected.append((at / 10, (at + says) / 10, who))
        at += says + still
    return np.concatenate(parts), expected


@settings(max_examples=25)
@given(talks, st.booleans())
def test_every_moment_of_speech_has_the_voice_that_speaks(turns: list[tuple[int, int, int]], is_long: bool) -> None:
    """A long sound cuts a turn of less than two windows off a voice that speaks on: short ones alone are exact."""
    times = 1
    while is_long and sum(says + still for _, says, still in turns) * times <= SHORT_S * 10 * 1.2:
        times += 1
    sound, expected = sound_of(turns, times)
    found = diarised(sound)
    order = {who: number for number, who in enumerate(dict.fromkeys(who for *_, who in expected), start=1)}
    for start, end, who in expected:
        middle = (start + end) / 2
        speaking = [turn.voice for turn in found.turns if turn.start - NEAR_S <= middle <= turn.end + NEAR_S]
        assert speaking == [order[who]]
    assert [each.number for each in found.voices] == sorted(order.values())


@settings(max_examples=10)
@given(talks, st.integers(3, 300))
def test_it_does_not_matter_in_which_blocks_a_sound_comes(turns: list[tuple[int, int, int]], tenths: int) -> None:
    for times in (1, 8):
        sound, _ = sound_of(turns, times)
        one, other = diarised(sound), diarised(sound, tenths / 10)
        assert [each.number for each in one.voices] == [each.number for each in other.voices]
        seconds = [sum(turn.end - turn.start for turn in each.turns) for each in (one, other)]
        assert seconds[0] == pytest.approx(seconds[1], abs=0.5)


@pytest.mark.parametrize("seconds", [0.0, 0.05, 3.0, 59.0, 61.0, 200.0])
def test_silence_has_no_voices(seconds: float) -> None:
    found = diarised(silence(seconds))
    assert (list(found.turns), list(found.voices)) == ([], [])


def test_voices_are_numbered_in_the_order_in_which_they_speak_and_tell_how_long() -> None:
    found = diarised(np.concatenate((silence(1), voice(5, 4), silence(1), voice(2, 6), silence(1), voice(5, 3))))
    assert [turn.voice for turn in found.turns] == [1, 2, 1]
    assert [each.number for each in found.voices] == [1, 2]
    assert [each.seconds for each in found.voices] == pytest.approx([7, 6], abs=0.2)
    assert {each.model for each in found.voices} == {"levels"}
    for each, level in zip(found.voices, (5, 2), strict=True):
        assert len(each.embedding) == VOICES + 1
        assert int(np.argmax(each.embedding)) == level
        assert np.linalg.norm(each.embedding) == pytest.approx(1, abs=1e-5)


def test_of_a_long_sound_little_is_held() -> None:
    diariser = Diariser(MODELS)
    part = np.concatenate((voice(1, 6), silence(1), voice(2, 2), silence(1)))
    held = []
    for _ in range(60):
        diariser.hear(part)
        held.append(len(diariser._held) / RATE)
    assert max(held) <= SHORT_S + 10
    assert max(held[10:]) <= 40
    assert len(diariser.finish().voices) == 2
    endless = Diariser(MODELS)
    for _ in range(30):
        endless.hear(voice(1, 10))
    assert len(endless._held) / RATE <= 60
    assert [each.number for each in endless.finish().voices] == [1]


words = st.lists(st.tuples(st.floats(0, 60), st.floats(0, 2)), max_size=30).map(
    lambda many: [HeardWord(" hm", start, start + took, 1.0) for start, took in sorted(many)]
)
turned = st.lists(st.tuples(st.floats(0, 60), st.floats(0.2, 9), st.integers(1, 4)), max_size=12).map(
    lambda many: [VoiceTurn(start, start + took, who) for start, took, who in sorted(many)]
)


@settings(max_examples=150)
@given(words, turned)
def test_each_word_has_a_voice_that_speaks_then_or_next_to_it(said: list[HeardWord], turns: list[VoiceTurn]) -> None:
    found = attributed(said, turns)
    assert len(found) == len(said)
    if not turns:
        assert set(found) <= {None}
        return
    for word, who in zip(said, found, strict=True):
        end = max(word.end, word.start + 0.05)

        def overlap(voice: int, word: HeardWord = word, end: float = end) -> float:
            moments = np.linspace(word.start, end, 400)
            return float(np.mean([any(t.start <= m <= t.end for t in turns if t.voice == voice) for m in moments]))

        def gap(voice: int, word: HeardWord = word, end: float = end) -> float:
            return min(max(t.start - end, word.start - t.end, 0.0) for t in turns if t.voice == voice)

        others = {turn.voice for turn in turns}
        assert who in others
        assert overlap(who) >= max(map(overlap, others)) - 0.02
        if not any(map(overlap, others)):
            assert gap(who) <= min(map(gap, others)) + 1e-6


@settings(max_examples=60)
@given(words, turned, st.permutations((1, 2, 3, 4)))
def test_numbers_of_voices_are_names_alone(
    said: list[HeardWord], turns: list[VoiceTurn], order: tuple[int, ...]
) -> None:
    other = [replace(turn, voice=order[turn.voice - 1]) for turn in turns]
    assert renumbered(other, ()).turns == renumbered(turns, ()).turns
    numbered = renumbered(turns, ()).turns
    assert list(dict.fromkeys(turn.voice for turn in numbered)) == list(range(1, len({t.voice for t in turns}) + 1))
    assert attributed(said, renumbered(other, ()).turns) == attributed(said, numbered)


def heard(*parts: np.ndarray):
    ears = Ears(WaveDecoder(), Loudness(), Teller(), MODELS)
    return hear(ears, io.BytesIO(wav(np.concatenate(parts))), 3_600)


def test_sentences_end_where_another_voice_speaks() -> None:
    found = heard(voice(3, 4), voice(1, 3), silence(2), voice(3, 2))
    assert [(each.voice, round(each.start), round(each.end)) for each in found.sentences] == [
        (1, 0, 4),
        (2, 4, 7),
        (1, 9, 11),
    ]
    assert [each.number for each in found.voices] == [1, 2]


def test_a_voice_that_says_no_word_is_none() -> None:
    class Deaf(Teller):
        """Hears no word in the first five seconds."""

        def transcribe(self, sound, language=None):
            told = super().transcribe(sound, language)
            return replace(told, words=[word for word in told.words if len(self.given) > 1])

    ears = Ears(WaveDecoder(), Loudness(), Deaf(), MODELS)
    sound = np.concatenate((voice(1, 3), silence(3), voice(2, 3), silence(3), voice(3, 3)))
    found = hear(ears, io.BytesIO(wav(sound)), 60)
    assert [each.number for each in found.voices] == [1, 2]
    assert [int(np.argmax(each.embedding)) for each in found.voices] == [2, 3]
    assert {each.voice for each in found.sentences} == {1, 2}


def test_without_models_of_voices_nobody_is_told_apart() -> None:
    found = hear(Ears(WaveDecoder(), Loudness(), Teller()), io.BytesIO(wav(tone(3))), 60)
    assert list(found.voices) == []
    assert {each.voice for each in found.sentences} == {None}
