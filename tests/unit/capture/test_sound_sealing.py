"""Encrypted sound: nobody reads it without its key, whoever changes it is found, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.capture.commands import folder_name
from adapters.capture.sound_blocks import BLOCK_S, OPUS, blocks_in, read_head
from adapters.capture.sound_forms import blocks_path
from memory.errors import SoundDamaged, SoundSealed
from tests.fakes.coder import FakeCoder
from tests.unit.capture.sound_store import NOON, ONE, OTHER, RATE, Store, said


def sealed(root: Path, *keys: str) -> Store:
    """A store with a packed session, and one that grows, of each of two users."""
    store = Store(root, *keys)
    for seed, user in enumerate(("maya", "ravi")):
        store.keep((40.0, said(40.0, seed=seed)), user=user)
    store.pack()
    for seed, user in enumerate(("maya", "ravi")):
        store.keep((9.0, said(9.0, seed=seed)), stream="omi-b", user=user)
    return store


def test_nothing_that_is_encrypted_is_readable(tmp_path: Path) -> None:
    store = sealed(tmp_path / "audio", ONE)
    everything = b"".join(path.read_bytes() for path in store.root.rglob("*") if path.is_file())
    for seed, seconds in ((0, 40.0), (1, 40.0), (0, 9.0), (1, 9.0)):
        sound = said(seconds, seed=seed)
        assert not any(sound[place : place + 32] in everything for place in range(0, len(sound) - 32, 4_000))
        coded = FakeCoder().encode(sound[: BLOCK_S * RATE * 2], RATE)
        assert coded[200:232] not in everything
    assert bytes.fromhex(ONE) not in everything


def flipped(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)


def swapped(path: Path) -> None:
    with path.open("rb") as file:
        blocks, _ = blocks_in(file)
    raw = path.read_bytes()
    one, two = (raw[each.place : each.place + 17 + each.size] for each in blocks[1:3])
    changed = one[:8], two[:8]
    path.write_bytes(raw[: blocks[1].place] + changed[0] + two[8:] + changed[1] + one[8:] + raw[blocks[3].place :])


def cut(path: Path) -> None:
    with path.open("rb") as file:
        blocks, _ = blocks_in(file)
    path.write_bytes(path.read_bytes()[: blocks[-2].place])


def shortened(path: Path) -> None:
    """Cut, and the head says so."""
    cut(path)
    raw = bytearray(path.read_bytes())
    with path.open("rb") as file:
        blocks, _ = blocks_in(file)
    raw[16:24] = blocks[-1].end.to_bytes(8, "little")
    path.write_bytes(raw)


def foreign(path: Path) -> None:
    other = path.parent.with_name(folder_name("ravi"))
    [theirs] = other.glob("omi-a*.blocks")
    path.write_bytes(theirs.read_bytes())


def muted(path: Path) -> None:
    """The sign of silence where there is sound."""
    with path.open("rb") as file:
        blocks, _ = blocks_in(file)
    raw = bytearray(path.read_bytes())
    raw[blocks[3].place + 16] = 0
    path.write_bytes(raw)


def beheaded(path: Path) -> None:
    path.write_bytes(path.read_bytes()[20:])


@pytest.mark.parametrize("attack", [flipped, swapped, cut, shortened, foreign, muted, beheaded])
def test_whoever_changes_what_is_encrypted_is_found(tmp_path: Path, attack: Callable[[Path], None]) -> None:
    store = sealed(tmp_path / "audio", ONE)
    session = store.the()
    attack(blocks_path(session.path))
    with pytest.raises(SoundDamaged):
        store.samples()
    with pytest.raises(SoundDamaged):
        store.cuts.cut("maya", "omi-a", NOON, NOON + 40)
    attacked = blocks_path(session.path).read_bytes()
    assert store.pack() == 2, "nothing is made of it, of the others all"
    assert blocks_path(session.path).read_bytes() == attacked
    assert store.samples("ravi") == said(40.0, seed=1), "others are played"
    store.sounds.silence("maya", "omi-a", NOON, NOON + 40)
    try:
        assert not any(store.samples())
    except (SoundDamaged, ValueError):  # nothing of it can be told apart, or nothing is left
        assert attack is not muted
    assert store.sounds.remove("maya", store.sounds.sessions("maya")) >= 1
    assert not list((store.root / folder_name("maya")).glob("*"))


def test_an_earlier_block_of_the_same_session_does_not_come_again(tmp_path: Path) -> None:
    store = sealed(tmp_path / "audio", ONE)
    path = store.the().path
    earlier = blocks_path(path).read_bytes()
    store.set_keys(OTHER, ONE)
    assert store.pack() > 0
    now = bytearray(blocks_path(path).read_bytes())
    now[-100:] = earlier[-100:]
    blocks_path(path).write_bytes(now)
    with pytest.raises(SoundDamaged):
        store.samples()


@pytest.mark.parametrize("keys", [(OTHER,), ()])
def test_without_its_key_nothing_is_played_and_nothing_is_lost(tmp_path: Path, keys: tuple[str, ...]) -> None:
    store = sealed(tmp_path / "audio", ONE)
    before = {path: path.read_bytes() for path in store.root.rglob("*.blocks")}
    other = Store(tmp_path / "audio", *keys)
    with pytest.raises(SoundSealed):
        other.samples()
    with pytest.raises(SoundSealed):
        other.sessions.stretch(other.the(), other.the().size, 60.0)
    assert not other.cuts.holds("maya", "omi-a", NOON, NOON + 40)
    assert other.pack() == 0
    assert {path: path.read_bytes() for path in store.root.rglob("*.blocks")} == before
    assert other.sounds.figures("maya").seconds == 49.0
    store.set_keys(ONE)
    assert store.samples() == said(40.0, seed=0)
    other.sounds.silence("maya", "omi-a", NOON, NOON + 40)
    store.set_keys(ONE)
    assert not any(store.samples()), "forgetting needs no key"


def test_sound_is_not_kept_plainly_where_its_key_is_missing(tmp_path: Path) -> None:
    store = Store(tmp_path / "audio", ONE)
    store.keep((1.0, said(1.0)))
    store.key_file.unlink()
    for stream in ("omi-a", "omi-b"):
        with pytest.raises(SoundSealed):
            store.sounds.keep("maya", stream, RATE, said(1.0), NOON + 2, None)
    assert not list(store.root.rglob("*.pcm"))
    store.set_keys(ONE)
    store.keep((3.0, said(1.0, seed=2)))
    assert store.samples() == said(1.0) + said(1.0, seed=2)


def test_a_key_is_changed_by_putting_another_one_first(tmp_path: Path) -> None:
    store = sealed(tmp_path / "audio", ONE)
    store.set_keys(OTHER, ONE)
    assert store.samples() == said(40.0, seed=0)
    store.keep((10.0, said(1.0, seed=9)), stream="omi-b")
    assert len(store.sessions.of("maya", "omi-b")) == 2, "what grows goes on under the new key"
    assert store.pack() == 5
    store.set_keys(OTHER)
    assert store.samples() == said(40.0, seed=0)
    assert store.samples("ravi") == said(40.0, seed=1)
    assert store.pack() == 0


def test_sound_of_before_a_key_was_named_is_encrypted_by_and_by(tmp_path: Path) -> None:
    plain = Store(tmp_path / "audio")
    plain.keep((9.0, said(9.0)))
    plain.pack()
    plain.keep((9.0, said(9.0, seed=2)), stream="omi-b")
    store = Store(tmp_path / "audio", ONE)
    assert store.samples() == said(9.0)
    assert store.pack() == 2
    assert not list(store.root.rglob("*.pcm"))
    assert store.samples() == said(9.0)
    with blocks_path(store.the(stream="omi-b").path).open("rb") as file:
        assert (read_head(file).codec, read_head(file).key_id is not None) == (OPUS, True)
