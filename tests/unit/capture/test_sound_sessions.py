"""Sessions of kept sound: what of them is due, as one sound with its times, and who sweeps one now."""

from __future__ import annotations

import wave
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.capture.sound_cuts import SoundCuts
from adapters.capture.sound_sessions import GAP_S, KeptSession, SoundSessions
from adapters.capture.sound_states import read_state, state_path
from adapters.capture.sounds import SoundFolder, SoundPiece, session_of, session_stream, spoken
from config.doors import Sound

RATE = 8_000
NOON = 1_772_366_400.0
LATER = NOON + 100_000


def ramp(seconds: float, first: int = 1) -> bytes:
    """Samples that tell which they are."""
    return (np.arange(int(seconds * RATE)) + first).astype("<i2").tobytes()


def kept(root: Path, *pieces: tuple[float, float], stream: str = "omi") -> SoundSessions:
    """Pieces by when their last sample was heard after noon, and how long they are."""
    sounds = SoundFolder(root, Sound())
    for at, seconds in pieces:
        assert sounds.keep("maya", stream, RATE, ramp(seconds), NOON + at, None)
    return SoundSessions(root)


def the(sessions: SoundSessions, stream: str = "omi") -> KeptSession:
    [session] = sessions.of("maya", stream)
    return session


def test_a_session_is_due_once_it_is_over_and_as_far_as_it_was_not_heard(tmp_path: Path) -> None:
    sessions = kept(tmp_path, (1.0, 1.0), (2.0, 1.0))
    session = the(sessions)
    assert (session.began, session.ended, session.seconds) == (NOON, NOON + 2, 2.0)
    assert sessions.due(NOON + 900) == []
    assert [each.name for each in sessions.due(NOON + 903)] == [session.name]
    sessions.end(session)
    assert [each.wanted(NOON + 3) for each in sessions.due(NOON + 3)] == [session.size]
    assert sessions.advance(the(sessions), session.size)
    assert sessions.due(LATER) == []
    kept(tmp_path, (5.0, 1.0))
    assert sessions.due(NOON + 6) == [], "it goes on"
    assert [each.state.heard for each in sessions.due(LATER)] == [session.size]


def test_what_fails_waits_and_what_is_asked_for_does_not(tmp_path: Path) -> None:
    sessions = kept(tmp_path, (1.0, 1.0))
    sessions.fail(the(sessions), LATER + 10)
    assert sessions.due(LATER) == []
    assert [each.state.tries for each in sessions.due(LATER + 10)] == [1]
    sessions.ask(the(sessions))
    assert [each.state.tries for each in sessions.due(NOON + 2)] == [0]


def test_a_stretch_is_one_sound_in_which_gaps_are_short_and_times_are_true(tmp_path: Path) -> None:
    sessions = kept(tmp_path, (1.0, 1.0), (2.5, 1.0), (100.0, 2.0))
    stretch = sessions.stretch(the(sessions), the(sessions).size, 3_600.0)
    assert stretch is not None
    assert stretch.is_last
    assert stretch.seconds == 4.0 + GAP_S
    with stretch.file, wave.open(stretch.file, "rb") as reader:
        assert (reader.getframerate(), reader.getnchannels()) == (RATE, 1)
        samples = np.frombuffer(reader.readframes(10**9), "<i2")
    assert len(samples) == int(stretch.seconds * RATE)
    assert not samples[2 * RATE : int((2 + GAP_S) * RATE)].any()
    assert stretch.at(0.5) == NOON + 0.5
    assert stretch.at(1.5) == NOON + 2.0
    assert stretch.at(2 + GAP_S + 0.5) == NOON + 98.5
    assert stretch.at(3.0) == NOON + 2.5, "within the gap nothing was said"
    assert stretch.byte_at(2 + GAP_S + 0.5) == 2 * int(2.5 * RATE)


def test_a_long_session_comes_in_stretches_that_make_it_whole(tmp_path: Path) -> None:
    sessions = kept(tmp_path, *((float(n), 1.0) for n in range(1, 11)))
    heard, ends = b"", []
    while due := sessions.due(LATER):
        stretch = sessions.stretch(due[0], due[0].size, 3.0)
        assert stretch is not None
        with stretch.file, wave.open(stretch.file, "rb") as reader:
            heard += reader.readframes(10**9)
        ends.append(stretch.end)
        assert stretch.is_last == (stretch.end == due[0].size)
        assert sessions.advance(due[0], stretch.end)
    assert ends == [2 * RATE * n for n in (3, 6, 9, 10)]
    assert heard == ramp(1.0) * 10


@given(st.floats(0, 3.99))
def test_a_stretch_goes_on_from_any_place(tmp_path_factory: pytest.TempPathFactory, second: float) -> None:
    sessions = kept(tmp_path_factory.mktemp("home"), (2.0, 2.0), (4.0, 2.0))
    session = the(sessions)
    begun = replace(session, state=replace(session.state, heard=int(second * RATE) * 2))
    stretch = sessions.stretch(begun, session.size, 3_600.0)
    assert stretch is not None
    stretch.file.close()
    assert stretch.at(0.0) == pytest.approx(NOON + second, abs=2e-3)
    assert stretch.byte_at(0.0) == begun.state.heard
    assert stretch.at(stretch.seconds) == pytest.approx(NOON + 4.0, abs=2e-3)


def test_only_one_sweeps_and_everybody_knows_what(tmp_path: Path) -> None:
    sessions = kept(tmp_path, (1.0, 1.0))
    assert sessions.swept_now("maya") is None
    with sessions.taken(the(sessions)) as mine:
        assert mine
        assert sessions.swept_now("maya") == the(sessions).name
        assert sessions.swept_now("ravi") is None
        with SoundSessions(tmp_path).taken(the(sessions)) as other:
            assert not other
    assert sessions.swept_now("maya") is None


def test_what_was_silenced_meanwhile_does_not_count_as_heard(tmp_path: Path) -> None:
    sessions = kept(tmp_path, (1.0, 1.0))
    session = the(sessions)
    assert sessions.is_same(session)
    SoundFolder(tmp_path, Sound()).silence("maya", "omi", NOON, NOON + 1)
    assert not sessions.is_same(session)
    assert not sessions.advance(session, session.size)
    assert sessions.advance(the(sessions), session.size)
    SoundFolder(tmp_path, Sound()).remove("maya", [session.path.name])
    assert not sessions.is_same(session)
    assert not sessions.advance(session, session.size)
    assert not state_path(session.path).exists()


def test_sound_that_was_kept_before_anything_was_noted_is_due_too(tmp_path: Path) -> None:
    sessions = kept(tmp_path, (1.0, 1.0))
    state_path(the(sessions).path).unlink()
    assert [(each.user_id, each.stream) for each in sessions.due(LATER)] == [("maya", "omi")]
    state_path(the(sessions).path).write_bytes(b"{torn")
    assert [each.user_id for each in sessions.due(LATER)] == ["maya"]


def test_a_session_that_a_caller_names_is_told_from_every_stream(tmp_path: Path) -> None:
    sounds = SoundFolder(tmp_path, Sound())
    told = {"device_id": "phone", "speaker": None}
    for session_id in ("omi", "omi-a", "session"):
        assert sounds.keep_of_session("maya", session_id, ramp(1.0), NOON, "k", told)
    assert sounds.keep("maya", "omi-a", RATE, ramp(1.0), NOON, None)
    sessions = SoundSessions(tmp_path)
    assert sessions.all_named("maya") == ["omi", "omi-a", "session"]
    [session] = sessions.named("maya", "omi-a")
    assert read_state(session.path).device_id == "phone"
    assert sessions.piece_at("maya", "omi-a", "k") == NOON
    assert sessions.piece_at("maya", "omi-a", "another") is None
    assert session_of(session_stream("omi-a")) == "omi-a"
    assert session_of("omi-a") is None
    assert sounds.silence("maya", "omi", NOON - 1, NOON) == 2
    assert oct(state_path(session.path).stat().st_mode)[-3:] == "600"


# --- sound that comes faster than it was spoken


def test_what_came_at_once_was_spoken_one_after_another_and_what_comes_last_says_when(tmp_path: Path) -> None:
    """A device was out of reach from 1 to 31: what it held back comes at 31, and it goes on."""
    sessions = kept(tmp_path, (1.0, 1.0), (30.9, 10.0), (31.0, 10.0), (31.1, 10.0), (32.0, 1.0))
    stretch = sessions.stretch(the(sessions), the(sessions).size, 3_600.0)
    assert stretch is not None
    stretch.file.close()
    assert stretch.seconds == 32.0, "no gap, and nothing twice"
    assert stretch.at(11.5) == pytest.approx(NOON + 11.5)
    assert stretch.at(31.5) == pytest.approx(NOON + 31.5)


def test_a_file_sent_as_fast_as_it_goes_begins_when_its_first_sound_came(tmp_path: Path) -> None:
    sessions = kept(tmp_path, *((1.0 + place / 10, 1.0) for place in range(60)))
    stretch = sessions.stretch(the(sessions), the(sessions).size, 3_600.0)
    assert stretch is not None
    stretch.file.close()
    assert stretch.at(59.5) == pytest.approx(NOON + 59.5)


def test_such_sound_is_cut_and_silenced_where_it_was_spoken(tmp_path: Path) -> None:
    kept(tmp_path, *((1.0 + place / 10, 1.0) for place in range(60)), stream="omi")
    cuts, sounds = SoundCuts(tmp_path), SoundFolder(tmp_path, Sound())
    assert cuts.holds("maya", "omi-walk", NOON + 40.0, NOON + 45.0)
    assert sounds.silence("maya", "omi", NOON + 30.0, NOON + 50.0)
    assert not cuts.holds("maya", "omi-walk", NOON + 40.0, NOON + 45.0)
    assert cuts.holds("maya", "omi-walk", NOON + 10.0, NOON + 20.0)


@given(st.lists(st.tuples(st.floats(0.0, 30.0), st.integers(1, 80_000)), min_size=1, max_size=30))
def test_pieces_are_spoken_in_order_and_never_two_at_once(came: list[tuple[float, int]]) -> None:
    pieces, at, start = list[SoundPiece](), NOON, 0
    for after, samples in came:
        at += after
        pieces.append(SoundPiece(at, start, samples * 2, None))
        start += samples * 2
    told = spoken(pieces, RATE)
    begins = [each.at - each.size / (2 * RATE) for each in told]
    assert all(later >= before.at - 1e-3 for before, later in zip(told, begins[1:], strict=False))
    assert begins[0] >= pieces[0].at - pieces[0].size / (2 * RATE) - 1e-3
    assert [(each.start, each.size) for each in told] == [(each.start, each.size) for each in pieces]
    if all(later.at - later.size / (2 * RATE) >= before.at for before, later in pairwise(pieces)):
        assert [each.at for each in told] == pytest.approx([each.at for each in pieces])


# --- two devices that send one session at once


def test_two_devices_at_once_are_kept_apart_each_in_its_order_and_at_its_times(tmp_path: Path) -> None:
    sounds, sessions = SoundFolder(tmp_path, Sound()), SoundSessions(tmp_path)
    pin, phone = ({"device_id": each, "speaker": None} for each in ("pin", "phone"))
    for place in range(30):
        now = NOON + 2.0 * (place + 1)
        assert sounds.keep_of_session("maya", "walk", ramp(4.0, 1), now, f"pin-{place}", pin)
        assert sounds.keep_of_session("maya", "walk", ramp(4.0, 2), now + 0.1, f"phone-{place}", phone)
        assert not sounds.keep_of_session("maya", "walk", ramp(4.0, 1), now + 0.2, f"pin-{place}", pin), "once more"
    both = sessions.named("maya", "walk")
    assert [each.state.device_id for each in both] == ["pin", "phone"]
    for session, first in zip(both, (1, 2), strict=True):
        stretch = sessions.stretch(session, session.size, 3_600.0)
        assert stretch is not None
        with stretch.file, wave.open(stretch.file, "rb") as reader:
            assert reader.readframes(10**9) == ramp(4.0, first) * 30
        assert stretch.at(stretch.seconds) <= NOON + 60.2, "nothing is said that was not heard yet"


def test_a_device_that_says_its_name_later_goes_on_with_its_session(tmp_path: Path) -> None:
    sounds, sessions = SoundFolder(tmp_path, Sound()), SoundSessions(tmp_path)
    for place, name in enumerate((None, "pin", None, "pin")):
        told = {"device_id": name, "speaker": None}
        assert sounds.keep_of_session("maya", "walk", ramp(2.0), NOON + place, f"k{place}", told)
    [session] = sessions.named("maya", "walk")
    assert (session.size, session.state.device_id) == (4 * len(ramp(2.0)), "pin")
