"""A stream is cut where speech ends: every loud moment is in one piece, at its time, and no piece is long."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory.model.sound import RATE, HeardPiece, SpeechStretch, Waveform, pcm_of
from memory.services.diarising import VoiceModels
from memory.services.live_hearing import (
    LEAD_S,
    LONGEST_PIECE_S,
    LOOK_S,
    MOST_BEHIND_S,
    LiveCutter,
    LivePiece,
    LiveStreams,
)
from tests.fakes.hearing import (
    LOUD,
    KnownLevels,
    LevelEmbedder,
    LevelSegmenter,
    Loudness,
    Pcm,
    Teller,
    silence,
    tone,
    voice,
)


def cut(sound: np.ndarray, chunk: int) -> list[LivePiece]:
    cutter = LiveCutter(Loudness())
    pieces = [piece for place in range(0, len(sound), chunk) for piece in cutter.feed(sound[place : place + chunk])]
    return pieces + cutter.rest()


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(1, 130), st.integers(5, 60)), min_size=1, max_size=8), st.integers(160, 20_000))
def test_every_loud_sample_is_in_one_piece_at_its_time(turns: list[tuple[int, int]], chunk: int) -> None:
    sound = np.concatenate([part for loud, still in turns for part in (tone(loud / 10), silence(still / 10))])
    covered = np.zeros(len(sound), int)
    for piece in cut(sound, chunk):
        start = round(piece.start * RATE)
        assert np.array_equal(piece.sound, sound[start : start + len(piece.sound)])
        assert len(piece.sound) / RATE <= LONGEST_PIECE_S
        covered[start : start + len(piece.sound)] += 1
    assert covered.max() == 1
    assert not covered[np.abs(sound) <= LOUD].all()
    assert covered[np.abs(sound) > LOUD].all()


def test_a_piece_is_told_soon_after_its_speech_has_ended() -> None:
    cutter = LiveCutter(Loudness())
    cutter.feed(tone(2.0))
    said = None
    for tenth in range(10):
        if pieces := cutter.feed(silence(0.1)):
            said = (tenth + 1) / 10
            break
    assert said == pytest.approx(0.5, abs=LOOK_S)
    assert [(piece.start, piece.end) for piece in pieces] == [(0.0, 2.0)]


def test_silence_is_not_held() -> None:
    cutter = LiveCutter(Loudness())
    for _ in range(600):
        assert cutter.feed(silence(0.1)) == []
    assert len(cutter._held) <= (LEAD_S + LOOK_S) * RATE + RATE
    assert cutter.rest() == []


class Looking(Loudness):
    """Counts the seconds that it looks at."""

    seconds = 0.0

    def find(self, sound: Waveform) -> Sequence[SpeechStretch]:
        self.seconds += len(sound) / RATE
        return super().find(sound)


def test_silence_that_is_made_up_costs_no_look() -> None:
    cutter = LiveCutter(looking := Looking())
    for _ in range(10):
        assert cutter.feed(silence(60.0)) == []
    assert (cutter.rest(), looking.seconds) == ([], 0.0)


def test_who_speaks_without_a_pause_is_cut() -> None:
    pieces = cut(tone(12.0), 1_600)
    assert [round(piece.end - piece.start, 1) for piece in pieces] == [5.0, 5.0, 2.0]


def opened(*numbers: int) -> tuple[LiveStreams, Teller]:
    streams, teller = LiveStreams(Loudness()), Teller()
    for each in numbers:
        streams.open(each, Pcm(), teller)
    return streams, teller


def all_heard(streams: LiveStreams) -> list[HeardPiece | int]:
    heard = []
    while not streams.is_idle:
        heard.append(streams.next())
    return heard


def test_words_come_with_their_time_in_the_stream_and_an_end_after_them() -> None:
    streams, _ = opened(7)
    for part in (silence(3.0), tone(1.0), silence(1.0)):
        streams.feed(7, pcm_of(part))
    streams.end(7)
    piece, ended = all_heard(streams)
    assert isinstance(piece, HeardPiece)
    assert (piece.stream, piece.start, piece.end, ended) == (7, 3.0, 4.0, 7)
    assert [round(word.start, 1) for word in piece.words] == [round(3 + each / 10, 1) for each in range(10)]


def test_streams_are_heard_by_turns() -> None:
    streams, _ = opened(1, 2)
    for stream in (1, 1, 1, 2):
        streams.feed(stream, pcm_of(np.concatenate((tone(1.0), silence(1.0)))))
    assert [each.stream for each in all_heard(streams)] == [1, 2, 1, 1]


def test_what_waits_too_long_is_left_to_the_sweep_and_told() -> None:
    streams, teller = opened(1)
    for _ in range(30):
        streams.feed(1, pcm_of(np.concatenate((tone(4.0), silence(1.0)))))
    heard = all_heard(streams)
    assert heard[0].skipped_s == pytest.approx(120 - MOST_BEHIND_S, abs=4)
    assert sum(seconds for seconds, _ in teller.given) == pytest.approx(MOST_BEHIND_S, abs=4)
    assert {each.skipped_s for each in heard[1:]} == {0.0}


class Breaking(KnownLevels):
    """A model of voices that breaks the first time."""

    def __init__(self) -> None:
        self.has_broken = False

    def embed(self, sounds: Sequence[Waveform]) -> NDArray[np.float32]:
        if not self.has_broken:
            self.has_broken = True
            raise RuntimeError
        return super().embed(sounds)


@pytest.mark.parametrize("after", [2.5, 0.0])
def test_seconds_of_a_piece_that_broke_are_told_with_the_next_one_or_with_the_end(after: float) -> None:
    streams = LiveStreams(Loudness(), VoiceModels(LevelSegmenter(), Breaking()))
    streams.open(1, Pcm(), Teller())
    streams.ask_voices(1, True)
    streams.feed(1, pcm_of(np.concatenate((voice(2, 3.0), silence(1.0), voice(2, after)))))
    streams.end(1)
    with pytest.raises(RuntimeError):
        streams.next()
    assert streams.skipped_s(1) == pytest.approx(3.0, abs=0.2)
    piece, ended = all_heard(streams)
    assert isinstance(piece, HeardPiece)
    assert (piece.skipped_s, len(piece.words), ended) == (pytest.approx(3.0, abs=0.2), after * 10, 1)


def test_what_was_skipped_before_a_stream_was_opened_again_is_told() -> None:
    streams = LiveStreams(Loudness())
    streams.open(1, Pcm(), Teller(), began=RATE, skipped_s=4.5)
    streams.feed(1, pcm_of(np.concatenate((tone(1.0), silence(1.0)))))
    [piece] = all_heard(streams)
    assert isinstance(piece, HeardPiece)
    assert (piece.skipped_s, piece.start) == (4.5, 1.0)


def test_a_stream_that_was_left_is_heard_no_more() -> None:
    streams, teller = opened(1)
    streams.feed(1, pcm_of(np.concatenate((tone(1.0), silence(1.0)))))
    streams.drop(1)
    assert streams.is_idle
    assert teller.given == []


def with_voices(embedder: LevelEmbedder, *parts: np.ndarray, asks: bool = True) -> list[HeardPiece]:
    """The pieces of one stream whose voices can be told."""
    streams = LiveStreams(Loudness(), VoiceModels(LevelSegmenter(), embedder))
    streams.open(1, Pcm(), Teller())
    streams.ask_voices(1, asks)
    streams.feed(1, pcm_of(np.concatenate(parts)))
    streams.end(1)
    return [each for each in all_heard(streams) if isinstance(each, HeardPiece)]


def test_who_speaks_in_a_piece_is_told_where_that_is_asked_for() -> None:
    first, second = with_voices(KnownLevels(), silence(1.0), voice(2, 2.5), silence(1.0), voice(1, 2.2), voice(3, 2.0))
    assert [(each.number, each.model) for each in first.voices] == [(1, "campp")]
    assert first.voices[0].seconds == pytest.approx(2.5, abs=0.2)
    assert first.voices[0].embedding[2] == pytest.approx(1.0, abs=1e-3)
    assert list(first.said) == [1] * 25
    assert [each.embedding.index(max(each.embedding)) for each in second.voices] == [1, 3]
    assert list(second.said) == sorted(second.said)
    assert set(second.said) == {1, 2}


@pytest.mark.parametrize(
    ("embedder", "seconds", "asks"),
    [(KnownLevels(), 1.9, True), (KnownLevels(), 3.0, False), (LevelEmbedder(), 3.0, True)],
)
def test_nobody_is_told_of_what_is_short_or_not_asked_for_or_heard_by_a_model_that_knows_nobody(
    embedder: LevelEmbedder, seconds: float, asks: bool
) -> None:
    [piece] = with_voices(embedder, voice(2, seconds), asks=asks)
    assert (piece.voices, set(piece.said)) == ((), {None})
    assert len(piece.words) == seconds * 10
    LiveStreams(Loudness()).ask_voices(9, True)  # a stream that has ended


def test_a_stream_without_models_of_voices_has_none() -> None:
    streams, _ = opened(1)
    streams.ask_voices(1, True)
    streams.feed(1, pcm_of(np.concatenate((voice(2, 3.0), silence(1.0)))))
    [piece] = all_heard(streams)
    assert isinstance(piece, HeardPiece)
    assert piece.voices == ()
