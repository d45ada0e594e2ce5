"""Sound that is over gets its lasting form: small, encrypted where a key is named, true in its times, never lost."""

from __future__ import annotations

import os
import wave
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.capture import sound_packing
from adapters.capture.sound_blocks import BLOCK_S, OPUS, SAMPLES, blocks_in, read_head
from adapters.capture.sound_forms import blocks_path, draft_path
from adapters.capture.sound_packing import SoundPacking
from adapters.capture.sound_sessions import KeptSession
from adapters.capture.sound_states import read_state
from adapters.capture.sounds import pieces_of
from memory.errors import SoundDamaged, Unavailable
from tests.fakes.coder import FakeCoder
from tests.unit.capture.sound_store import LATER, NOON, ONE, RATE, Store, said

FORMS = [(), (ONE,)]


@pytest.mark.parametrize("keys", FORMS)
def test_a_session_that_is_over_is_packed_and_reads_as_before(tmp_path: Path, keys: tuple[str, ...]) -> None:
    store, sound = Store(tmp_path / "audio", *keys), said(25.5)
    for place in range(0, len(sound), 2 * RATE):
        part = sound[place : place + 2 * RATE]
        store.keep(((place + len(part)) / 2 / RATE, part))
    before = store.sounds.figures("maya")
    assert store.samples() == sound
    assert not store.packing.next(NOON + 60), "it is not over"
    assert store.pack() == 1
    assert store.files() == {".blocks", ".jsonl", ".heard"}
    assert store.samples() == sound
    with blocks_path(store.the().path).open("rb") as file:
        assert read_head(file).codec == OPUS
        blocks, _ = blocks_in(file)
    assert [each.start for each in blocks] == [each * BLOCK_S * RATE for each in range(7)]
    after = store.sounds.figures("maya")
    assert (after.sessions, after.seconds) == (before.sessions, before.seconds)
    assert after.bytes < before.bytes
    assert store.heard(0.0, 25.5) == sound
    part = store.heard(7.25, 9.25)
    assert part is not None
    assert sound.find(part) == pytest.approx(7 * 2 * RATE, abs=4), "over two blocks, to the sample"
    assert len(part) == pytest.approx(2.5 * 2 * RATE, abs=6)
    assert store.cuts.holds("maya", "omi-a", NOON + 7, NOON + 9)
    assert not store.cuts.holds("maya", "omi-a", NOON + 700, NOON + 709)
    assert store.pack() == 0
    assert all(oct(path.stat().st_mode)[-2:] == "00" for path in store.root.rglob("omi-*"))


@settings(max_examples=25)
@given(st.lists(st.integers(1, 30_000), min_size=1, max_size=6), st.sampled_from(FORMS), st.booleans())
def test_any_pieces_read_the_same_in_any_form(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], keys: tuple[str, ...], coded: bool
) -> None:
    store = Store(tmp_path_factory.mktemp("home") / "audio", *keys, coder=FakeCoder(is_installed=coded))
    sound = said(sum(sizes) / RATE + 1)[: 2 * sum(sizes)]
    start = 0
    for size in sizes:
        store.keep((float((start + size) / RATE), sound[2 * start : 2 * (start + size)]))
        start += size
    assert store.samples() == sound
    assert store.pack() == (1 if keys or coded else 0)
    assert store.samples() == sound
    with store.forms.opened(store.the().path) as kept:
        for first in range(0, len(sound), max(2, len(sound) // 7 // 2 * 2)):
            assert kept.read(first, min(4_002, len(sound) - first)) == sound[first : first + 4_002]


def test_without_a_coder_or_a_key_it_stays_as_it_came(tmp_path: Path) -> None:
    store = Store(tmp_path / "audio", coder=FakeCoder(is_installed=False))
    store.keep((1.0, said(1.0)))
    assert store.pack() == 0
    assert store.files() == {".pcm", ".jsonl", ".heard"}
    sealed = Store(tmp_path / "audio", ONE, coder=FakeCoder(is_installed=False))
    assert sealed.pack() == 1
    assert sealed.samples() == said(1.0)
    assert sealed.files() == {".blocks", ".jsonl", ".heard"}


def test_opus_without_what_reads_it_is_told_and_left_alone(tmp_path: Path) -> None:
    store = Store(tmp_path / "audio")
    store.keep((1.0, said(1.0)))
    assert store.pack() == 1
    bare = Store(tmp_path / "audio", ONE, coder=FakeCoder(is_installed=False))
    with pytest.raises(Unavailable, match="the extra that reads it is missing"):
        bare.samples()
    assert bare.cuts.holds("maya", "omi-a", NOON, NOON + 1)
    bare.sounds.silence("maya", "omi", NOON, NOON + 1)
    assert bare.samples() == bytes(2 * RATE), "forgetting needs nothing that reads it"


def test_what_is_swept_first_is_packed_afterwards(tmp_path: Path) -> None:
    store = Store(tmp_path / "audio", after_sweeps=True)
    store.keep((1.0, said(1.0)))
    assert store.pack() == 0
    assert store.sessions.advance(store.the(), store.the().size)
    assert store.pack() == 1
    assert store.sessions.due(LATER) == []
    session = store.the()
    assert session.state.heard == session.size


def test_a_stretch_of_a_packed_session_is_that_of_its_samples(tmp_path: Path) -> None:
    store, sound = Store(tmp_path / "audio", ONE), said(30.0)
    store.keep((10.0, sound[: 20 * RATE]), (40.0, sound[20 * RATE :]))

    def stretch() -> tuple[bytes, float, float]:
        found = store.sessions.stretch(store.the(), store.the().size, 3_600.0)
        assert found is not None
        with found.file, wave.open(found.file, "rb") as reader:
            return reader.readframes(10**9), found.at(15.0), found.seconds

    before = stretch()
    assert store.pack() == 1
    assert stretch() == before


def test_a_piece_that_comes_after_all_begins_another_session(tmp_path: Path) -> None:
    store = Store(tmp_path / "audio")
    assert store.sounds.keep("maya", "omi-a", RATE, said(1.0), NOON, "k1")
    store.sessions.end(store.the())
    assert store.packing.next(NOON + 1)
    assert not store.sounds.keep("maya", "omi-a", RATE, said(1.0), NOON, "k1"), "it was kept before"
    assert store.sounds.keep("maya", "omi-a", RATE, said(2.0), NOON + 1, "k2")
    assert not store.sounds.keep("maya", "omi-a", RATE, said(1.0), NOON + 2, "k1")
    first, second = store.sessions.of("maya", "omi-a")
    assert first.name != second.name, "though both began at the same moment"
    with store.forms.opened(second.path) as kept:
        assert kept.read(0, second.size) == said(2.0)


@pytest.mark.parametrize("dies_in", ["_check", "_settle", "settle", "sync_folder"])
@pytest.mark.parametrize("keys", FORMS)
def test_whoever_dies_meanwhile_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dies_in: str, keys: tuple[str, ...]
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    store = Store(tmp_path / "audio", *keys)
    store.keep((9.0, said(9.0)))
    with monkeypatch.context() as patched:
        patched.setattr(SoundPacking if dies_in.startswith("_") else sound_packing, dies_in, killed)
        with pytest.raises(Killed):
            store.packing.next(LATER)
    assert store.samples() == said(9.0)
    assert [each.name for each in store.sessions.due(LATER)] == [store.the().name]
    if dies_in != "sync_folder":  # then all is done
        draft_path(store.the().path).write_bytes(b"what is left of a draft")
    store.pack()
    assert store.samples() == said(9.0)
    assert store.files() == {".blocks", ".jsonl", ".heard"}
    assert not draft_path(store.the().path).exists()


def test_both_forms_of_one_session_are_one_session(tmp_path: Path) -> None:
    store = Store(tmp_path / "audio")
    store.keep((9.0, said(9.0)))
    path = store.the().path
    store.pack()
    path.write_bytes(b"what somebody who died has left")
    assert store.samples() == said(9.0)
    store.sounds.silence("maya", "omi", NOON, NOON + 9)
    assert not path.exists(), "what is forgotten is left in no form"
    assert not any(store.samples())


def test_a_draft_that_does_not_read_back_leaves_the_session_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "audio")
    store.keep((9.0, said(9.0)))
    with monkeypatch.context() as patched:
        patched.setattr(store.forms.coder, "decode", lambda *_: b"\x01\x02", raising=False)
        assert store.pack() == 3, "it is tried three times"
    assert read_state(store.the().path).unpacked == 3
    assert store.samples() == said(9.0)
    assert not draft_path(store.the().path).exists()


@pytest.mark.parametrize("change", ["silence", "remove", "keep"])
def test_a_session_that_is_changed_while_it_is_packed_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    store = Store(tmp_path / "audio")
    store.keep((9.0, said(9.0)))
    store.sessions.end(store.the())
    checked = store.packing._check

    def meanwhile(session: KeptSession, total: int) -> None:
        checked(session, total)
        if change == "silence":
            store.sounds.silence("maya", "omi", NOON, NOON + 9)
        elif change == "remove":
            store.sounds.remove("maya", store.sounds.sessions("maya"))
        else:
            store.keep((10.0, said(1.0, seed=2)))

    monkeypatch.setattr(store.packing, "_check", meanwhile)
    assert store.packing.next(NOON + 10)
    assert not list(store.root.rglob("*.blocks*"))
    if change == "remove":
        assert os.listdir(store.root) == [sound_packing.PACKING]
    else:
        kept = {"silence": bytes(18 * RATE), "keep": said(9.0) + said(1.0, seed=2)}[change]
        assert store.samples() == kept


def test_silence_takes_whole_blocks_and_what_leads_into_the_next_one(tmp_path: Path) -> None:
    store, sound = Store(tmp_path / "audio", ONE), said(200.0)
    for second in range(200):
        store.keep((second + 1.0, sound[second * 2 * RATE : (second + 1) * 2 * RATE]))
    store.pack()
    assert store.sounds.silence("maya", "omi", NOON + 100, NOON + 110) == 1
    told = store.samples()
    quiet = [second for second in range(200) if not any(told[second * 2 * RATE : (second + 1) * 2 * RATE])]
    # 85 to 140 as meant; blocks of four seconds, and the one behind, for its lead holds the last of what is silenced
    assert quiet == list(range(84, 144))
    assert told[: 84 * 2 * RATE] == sound[: 84 * 2 * RATE]
    assert told[144 * 2 * RATE :] == sound[144 * 2 * RATE :]
    assert store.heard(100.5, 101.0) is None
    assert store.pack() == 0
    store.sounds.remove("maya", store.sounds.sessions("maya"))
    assert os.listdir(store.root) == [sound_packing.PACKING]


def test_what_is_silent_stays_silent_in_another_form(tmp_path: Path) -> None:
    store = Store(tmp_path / "audio")
    store.keep((200.0, said(200.0)))
    store.sounds.silence("maya", "omi", NOON + 100, NOON + 110)
    before = store.samples()
    store.pack()
    assert store.samples() == before
    assert store.heard(100.0, 101.0) is None


@pytest.mark.parametrize("torn", [b"", b"\x09" * 5, b"\x09" * 40_000])
def test_a_piece_whose_writer_died_is_written_over_in_blocks_as_well(tmp_path: Path, torn: bytes) -> None:
    store = Store(tmp_path / "audio", ONE)
    store.keep((9.0, said(9.0)))
    path = blocks_path(store.the().path)
    with path.open("ab") as file:
        file.write(torn)
    store.keep((10.0, said(1.0, seed=2)))
    assert store.samples() == said(9.0) + said(1.0, seed=2)
    with path.open("ab") as file:
        file.write(torn)
    assert store.samples() == said(9.0) + said(1.0, seed=2)
    assert [each.until for each in pieces_of(store.the().path)][-1] == path.stat().st_size - len(torn)
    assert store.pack() == 1
    assert store.samples() == said(9.0) + said(1.0, seed=2)


def test_a_piece_whose_line_was_not_written_is_packed_by_nobody(tmp_path: Path) -> None:
    store = Store(tmp_path / "audio", ONE, coder=FakeCoder(is_installed=False))
    store.keep((9.0, said(9.0)), (10.0, said(1.0, seed=2)))
    lines = store.the().path.with_suffix(".jsonl")
    lines.write_bytes(lines.read_bytes().splitlines(keepends=True)[0])
    assert store.pack() == 1
    assert store.samples() == said(9.0)


def test_a_full_disk_is_tried_again_and_leaves_the_session_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    store = Store(tmp_path / "audio")
    store.keep((9.0, said(9.0)))
    with monkeypatch.context() as patched:
        patched.setattr(sound_packing.os, "fsync", full)
        for _ in range(5):
            with pytest.raises(OSError, match="No space"):
                store.pack()
    assert store.samples() == said(9.0)
    assert store.pack() == 1


def test_a_running_session_that_was_cut_is_told(tmp_path: Path) -> None:
    store = Store(tmp_path / "audio", ONE)
    store.keep((9.0, said(9.0)))
    path = blocks_path(store.the().path)
    os.truncate(path, path.stat().st_size - 10)
    with pytest.raises(SoundDamaged):
        store.samples()
    with path.open("rb") as file:
        assert read_head(file).codec == SAMPLES
