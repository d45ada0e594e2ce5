"""Sound on disk: appended safely, once, within its bounds, silenced and removed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.capture import sounds as kept
from adapters.capture.commands import folder_name
from adapters.capture.sound_cuts import SoundCuts
from adapters.capture.sound_spans import joined, without
from adapters.capture.sounds import MB, SoundFolder
from config.doors import Sound
from memory.model.sources import SessionPart

RATE = 8_000
SECOND = b"\x01\x02" * RATE
NOON = 1_772_366_400.0
SPANS = st.tuples(st.integers(0, 30), st.integers(0, 8))


def heard(folder: Path, user: str = "maya") -> list[bytes]:
    return [path.read_bytes() for path in sorted((folder / folder_name(user)).glob("*.pcm"))]


def test_pieces_are_appended_until_a_long_silence(tmp_path: Path) -> None:
    sounds = SoundFolder(tmp_path, Sound())
    assert all(sounds.keep("maya", "omi-a", RATE, SECOND, NOON + each, None) for each in (0, 5, 900, 1_900))
    assert heard(tmp_path) == [SECOND * 3, SECOND]
    assert sounds.keep("maya", "omi-b", RATE, SECOND, NOON, None)
    assert sounds.keep("maya", "omi-b", 16_000, SECOND, NOON, None), "at another rate it is another session"
    assert sounds.keep("maya", "omi", RATE, SECOND, NOON + 1, None), "one without a name is none of these"
    assert sounds.keep("../../etc", "omi-a", RATE, SECOND, NOON, None)
    folders = {path.parent for path in tmp_path.rglob("*.pcm")}
    assert folders == {tmp_path / folder_name(each) for each in ("maya", "../../etc")}
    assert (sounds.figures("maya").sessions, sounds.figures("maya").seconds) == (5, 6.5)
    assert sounds.figures("nobody").sessions == 0


def test_a_request_that_comes_again_is_kept_once(tmp_path: Path) -> None:
    sounds = SoundFolder(tmp_path, Sound())
    told = [sounds.keep("maya", "omi", RATE, SECOND, NOON + place, key) for place, key in enumerate("abaab")]
    assert told == [True, True, False, False, False]
    assert heard(tmp_path) == [SECOND * 2]


@pytest.mark.parametrize("torn", [b"", b"\x09", b'{"at": 17'])
def test_a_piece_whose_writer_died_is_written_over(tmp_path: Path, torn: bytes) -> None:
    sounds = SoundFolder(tmp_path, Sound())
    sounds.keep("maya", "omi", RATE, SECOND, NOON, None)
    [path] = tmp_path.rglob("*.pcm")
    with path.open("ab") as file:
        file.write(b"\x09" * 1_001)
    with path.with_suffix(".jsonl").open("ab") as file:
        file.write(torn)
    assert sounds.keep("maya", "omi", RATE, SECOND, NOON + 1, None)
    assert heard(tmp_path) == [SECOND * 2]
    assert sounds.keep("maya", "omi", RATE, SECOND, NOON + 2, None)
    assert heard(tmp_path) == [SECOND * 3]


def test_bounds_hold(tmp_path: Path) -> None:
    sounds = SoundFolder(tmp_path, Sound(session_mb=1, most_mb=3))
    piece = bytes(MB // 2 - 1_000)
    for place in range(6):
        assert sounds.keep("maya", "omi", RATE, piece, NOON + place, None)
    assert [len(each) for each in heard(tmp_path)] == [2 * len(piece)] * 3
    assert sounds.keep("maya", "omi", RATE, b"\x01" * len(piece), NOON + 9, None), "the oldest makes room"
    assert sum(map(len, heard(tmp_path))) <= 3 * MB
    assert any(b"\x01" in each for each in heard(tmp_path))
    sounds.keep("maya", "omi", RATE, piece, NOON + 10, None)
    assert not sounds.keep("ravi", "omi", RATE, bytes(MB), NOON + 10, None), "nobody makes room for somebody else"
    assert not SoundFolder(tmp_path / "never", Sound(days=0)).keep("maya", "omi", RATE, piece, NOON, None)
    assert not (tmp_path / "never").exists()


def test_a_stretch_of_time_is_silenced_and_all_else_stays(tmp_path: Path) -> None:
    sounds = SoundFolder(tmp_path, Sound())
    for second in range(1, 201):
        sounds.keep("maya", "omi-a", RATE, SECOND, NOON + second, None)
    assert sounds.silence("maya", "chat", NOON, NOON + 200) == 0
    assert sounds.silence("maya", "omi", NOON + 900, NOON + 950) == 0
    assert sounds.silence("maya", "omi", NOON + 100, NOON + 110) == 1
    [told] = heard(tmp_path)
    assert len(told) == 200 * len(SECOND)
    seconds = [told[place : place + len(SECOND)] for place in range(0, len(told), len(SECOND))]
    assert [place for place, each in enumerate(seconds) if each == bytes(len(SECOND))] == list(range(85, 140))
    assert seconds[:84] == [SECOND] * 84


def test_what_is_removed_while_it_is_looked_at_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sounds = SoundFolder(tmp_path, Sound(days=2))
    sounds.keep("maya", "omi", RATE, SECOND, NOON, None)
    listed = kept.sessions_in
    gone = tmp_path / folder_name("maya") / "omi-20200101T000000000000-8000.pcm"
    monkeypatch.setattr(kept, "sessions_in", lambda folder: [gone, *listed(folder)])
    assert (sounds.figures("maya").sessions, sounds.figures("maya").bytes) == (1, len(SECOND))
    assert sounds.keep("maya", "omi-b", RATE, SECOND, NOON, None)
    assert sounds.expire(NOON + 3 * 86_400) == 2


def test_lines_count_against_the_room_for_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MB", 10_000)
    sounds = SoundFolder(tmp_path, Sound(most_mb=1))
    for place in range(200):
        sounds.keep("maya", "omi", RATE, b"\x01\x02", NOON + place, None)
    assert 0 < sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) <= 10_000


def test_what_is_too_old_goes_and_what_is_removed_leaves_nothing(tmp_path: Path) -> None:
    sounds = SoundFolder(tmp_path, Sound(days=2))
    sounds.keep("maya", "omi", RATE, SECOND, NOON, None)
    sounds.keep("maya", "omi", RATE, SECOND, NOON + 86_400, None)
    assert sounds.expire(NOON + 86_400) == 0
    assert sounds.expire(NOON + 2.5 * 86_400) == 1
    [name] = sounds.sessions("maya")
    sounds.keep("maya", "omi-b", RATE, SECOND, NOON + 86_400, None)
    assert sounds.remove("maya", [name, "another.pcm"]) == 1
    assert sounds.remove("maya", sounds.sessions("maya")) == 1
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("began", "ended"), [(0, 1), (-20, -10), (8, 9), (8.6, 9.4), (5, 30), (100, 101)])
def test_whether_sound_is_held_is_told_as_it_would_be_cut(tmp_path: Path, began: float, ended: float) -> None:
    sounds, cuts = SoundFolder(tmp_path, Sound()), SoundCuts(tmp_path)
    for each in range(1, 11):
        assert sounds.keep("maya", "omi", RATE, SECOND, NOON + each, None)
    sounds.silence("maya", "omi", NOON + 8, NOON + 9)
    span = ("maya", "omi", NOON + began, NOON + ended)
    assert cuts.holds(*span) == (cuts.cut(*span) is not None)


def test_silence_is_not_held_however_little_of_it_is_read(tmp_path: Path) -> None:
    sounds, cuts = SoundFolder(tmp_path, Sound()), SoundCuts(tmp_path)
    assert sounds.keep("maya", "omi", RATE, bytes(len(SECOND)), NOON + 1, None)
    assert not cuts.holds("maya", "omi", NOON, NOON + 1)
    assert sounds.keep("maya", "omi", RATE, bytes(len(SECOND) - 2) + b"\1\0", NOON + 2, None)
    assert cuts.holds("maya", "omi", NOON + 1, NOON + 2)


@given(st.lists(SPANS), st.lists(SPANS))
def test_a_span_without_others_is_what_is_in_it_alone(
    some: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    def places(spans: list[tuple[int, int]]) -> set[int]:
        return {place for start, size in spans for place in range(start, start + size)}

    left = without(some, joined(others))
    assert places(left) == places(some) - places(others)
    assert places(joined(some)) == places(some)
    assert sum(size for _, size in joined(some)) == len(places(some)), "none over another"
    assert (left == some) == (not places(some) & places(others) and all(size for _, size in some))


def test_what_others_may_have_said_is_neither_cut_nor_silenced(tmp_path: Path) -> None:
    sounds, cuts = SoundFolder(tmp_path, Sound()), SoundCuts(tmp_path)
    for each in range(1, 101):
        assert sounds.keep("maya", "omi-a", RATE, SECOND, NOON + each, None)
    hidden = [SessionPart("omi-x", "walk", NOON + 50, NOON + 60)]
    for began, heard_there in ((20, True), (34, False), (55, False), (89, False), (91, True)):
        span = ("maya", "omi-b", NOON + began, NOON + began + 1)
        assert cuts.holds(*span)
        assert cuts.holds(*span, hidden) == heard_there
        assert (cuts.cut(*span, hidden) is not None) == heard_there
        assert cuts.holds(*span, [replace(hidden[0], session_id="chat-x")]), "it is of another device"
    assert sounds.silence("maya", "omi-b", NOON + 10, NOON + 80, hidden) == 1
    [told] = heard(tmp_path)
    seconds = [any(told[place : place + len(SECOND)]) for place in range(0, len(told), len(SECOND))]
    assert [place for place, each in enumerate(seconds) if each] == list(range(35, 91)), "and one sample"


def test_a_session_that_is_named_like_the_file_of_another_is_not_that_one(tmp_path: Path) -> None:
    sounds, cuts = SoundFolder(tmp_path, Sound()), SoundCuts(tmp_path)
    assert sounds.keep_of_session("maya", "walk", SECOND, NOON, "k", {"device_id": None, "speaker": None})
    for session_id, known in (("walk", True), ("session=walk-x", False), ("session=walk", False), ("session", False)):
        assert cuts.holds("maya", session_id, NOON - 1, NOON) == known


def test_sound_that_came_late_is_of_whoever_was_dated_by_it(tmp_path: Path) -> None:
    """What was held back comes at once, and its words are dated by that; later it is known when each was said."""
    sounds, cuts = SoundFolder(tmp_path, Sound()), SoundCuts(tmp_path)
    for place in range(30):
        assert sounds.keep("maya", "omi-a", RATE, SECOND * 10, NOON + place / 10, None)
    span, dated = ("maya", "omi-b", NOON + 200, NOON + 201), [SessionPart("omi-x", "walk", NOON + 1, NOON + 2)]
    assert cuts.holds(*span)
    assert not cuts.holds(*span, dated)
    before = heard(tmp_path)
    assert sounds.silence("maya", "omi-b", NOON + 200, NOON + 201, dated) == 0
    assert heard(tmp_path) == before
