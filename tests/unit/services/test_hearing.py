"""A sound from beginning to end: nothing is cut, nothing heard twice, and times stay true across windows."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.errors import TooLarge
from memory.model.sound import RATE, HeardSentence, HeardSound, HeardWord, SoundFacts, SpeechStretch
from memory.model.voices import SOMEBODY
from memory.services.hearing import (
    LONGEST_GAP_S,
    LONGEST_S,
    Ears,
    hear,
    packed,
    segments_of,
    sentences_of,
    source_id_of,
)
from tests.fakes.hearing import Loudness, Teller, WaveDecoder, silence, tone, wav


def heard_of(*parts: np.ndarray, most_s: float = 3_600, language: str | None = None):
    teller = Teller()
    ears = Ears(WaveDecoder(), Loudness(), teller)
    return hear(ears, io.BytesIO(wav(np.concatenate(parts))), most_s, language), teller


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(1, 250), st.integers(3, 120)), min_size=1, max_size=12))
def test_every_loud_moment_is_heard_once_at_its_time(turns: list[tuple[int, int]]) -> None:
    parts = [part for loud, still in turns for part in (tone(loud / 10), silence(still / 10))]
    heard, teller = heard_of(*parts)
    words = [word for each in heard.sentences for word in each.words]
    expected, at = [], 0
    for loud, still in turns:
        expected += range(at, at + loud)
        at += loud + still
    assert len(expected) <= len(words) <= len(expected) + len(teller.given), "a tenth may lie across two pieces"
    places = [word.start * 10 for word in words]
    assert all(min(abs(place - each) for each in expected) <= 1 for place in places)
    assert all(min(abs(place - each) for place in places) <= 1 for each in expected)
    assert places == sorted(places)
    assert heard.seconds == pytest.approx(at / 10)


def test_silence_has_no_sentences() -> None:
    heard, teller = heard_of(silence(130))
    assert (list(heard.sentences), teller.given, heard.seconds) == ([], [], 130.0)


def test_no_piece_is_longer_than_a_model_bears() -> None:
    _, teller = heard_of(tone(100), silence(1), tone(100))
    assert max(seconds for seconds, _ in teller.given) <= LONGEST_S + 0.1


def test_what_the_first_words_are_in_the_rest_is_heard_in() -> None:
    assert [language for _, language in heard_of(tone(5), silence(5), tone(5))[1].given] == [None, "en"]
    assert [language for _, language in heard_of(tone(5), language="de")[1].given] == ["de"]


@pytest.mark.parametrize("tells", [True, False])
def test_a_sound_that_is_too_long_is_refused_whether_it_says_so_or_not(tells: bool) -> None:
    class Silent(WaveDecoder):
        def open(self, file):
            from dataclasses import replace

            decoded = super().open(file)
            return decoded if tells else replace(decoded, facts=replace(decoded.facts, seconds=None))

    ears = Ears(Silent(), Loudness(), Teller())
    with pytest.raises(TooLarge):
        hear(ears, io.BytesIO(wav(silence(70))), 60.0)


def test_close_stretches_are_transcribed_together() -> None:
    near, far = 4 + LONGEST_GAP_S - 0.1, 30.0
    found = packed([SpeechStretch(0, 4), SpeechStretch(near, 8), SpeechStretch(8.5, 16), SpeechStretch(far, 31)])
    assert found == [SpeechStretch(0, 8), SpeechStretch(8.5, 16), SpeechStretch(far, 31)]


def test_a_sentence_ends_with_its_sign_or_before_a_breath_and_not_after_a_title() -> None:
    said = [" Mr.", " Lund", " came.", " He", " left", " Then"]
    starts = [0.0, 0.4, 0.8, 1.2, 1.6, 4.0]
    words = [HeardWord(text, start, start + 0.3, 1.0) for text, start in zip(said, starts, strict=True)]
    found = sentences_of(words, "en")
    assert [(each.text, each.start, each.end) for each in found] == [
        ("Mr. Lund came.", 0.0, 1.1),
        ("He left", 1.2, 1.9),
        ("Then", 4.0, 4.3),
    ]


def test_the_same_bytes_are_the_same_source() -> None:
    one, other = io.BytesIO(wav(tone(1))), io.BytesIO(wav(tone(2)))
    one.seek(7)
    assert source_id_of(one) == source_id_of(io.BytesIO(wav(tone(1)))) != source_id_of(other)
    assert one.tell() == 0


def test_a_word_that_takes_no_time_lasts_long_enough_to_be_replaced_and_played() -> None:
    words = [HeardWord(" Hello.", 0.5, 0.5, 1.0), HeardWord(" Oh.", 2.9, 2.9, 1.0)]
    heard = HeardSound(SoundFacts(), 3.0, "teller", sentences_of(words, "en"))
    assert [(each["start"], each["end"]) for each in segments_of(heard, "Ana")] == [(0.5, 0.8), (2.9, 3.0)]


def test_segments_say_who_when_and_by_what() -> None:
    heard, _ = heard_of(tone(2), silence(3), tone(1))
    first, second = segments_of(heard, "unknown")
    assert (first["segment_id"], second["segment_id"], first["stt_engine"]) == ("1", "2", "teller")
    assert (first["start"], second["start"]) == pytest.approx((0.0, 5.0), abs=0.1)
    assert int(heard.seconds * RATE) == 6 * RATE


def test_who_is_not_to_be_told_is_left_out() -> None:
    said = [
        HeardSentence(text, 0.0, 1.0, "en", (), voice) for text, voice in (("Hello.", 1), ("Hi.", 2), ("Hm.", None))
    ]
    heard = HeardSound(SoundFacts(), 3.0, "teller", said)
    found = segments_of(heard, "me", {1: "Maya", 2: None}, SOMEBODY)
    assert [(each["text"], each["speaker"]) for each in found] == [("Hello.", "Maya"), ("Hm.", SOMEBODY)]
