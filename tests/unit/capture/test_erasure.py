"""Session files of a memory that is deleted: what they held goes, names included; what has come since stays."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

from adapters.capture.erasure import SessionFiles
from adapters.capture.files import drop_lock, locked
from adapters.capture.jsonl import append
from adapters.capture.sounds import SoundFolder
from config.doors import Sound
from tests.api.test_forgetting import payload


class NoOffsets:
    async def offset(self, path: str) -> int:
        return 0

    async def set_offset(self, path: str, byte_offset: int) -> None:
        return None


def files(root: Path) -> SessionFiles:
    async def dropped(path: str) -> None:
        return None

    return SessionFiles(root, "me", NoOffsets(), dropped, SoundFolder(root.parent / "audio", Sound()))


async def test_all_files_go_with_their_locks_and_folder(tmp_path: Path) -> None:
    append(tmp_path / "maya" / "s1.jsonl", payload("s1", 0, "Zanzibar!"))
    append(tmp_path / "s2.jsonl", payload("s2", 0, "Zanzibar!"))
    for user in ("maya", "me"):
        listed = files(tmp_path).standing(user)
        assert await files(tmp_path).remove(listed) == 1
        assert await files(tmp_path).remove(listed) == 0, "a second time does nothing"
    assert list(tmp_path.iterdir()) == []


async def test_what_has_come_since_stays(tmp_path: Path) -> None:
    path = tmp_path / "maya" / "s1.jsonl"
    append(path, payload("s1", 0, "Zanzibar!"))
    listed = files(tmp_path).standing("maya")
    append(path, payload("s1", 60, "Porto!"))
    append(path.with_name("s2.jsonl"), payload("s2", 0, "Lisbon!"))
    assert await files(tmp_path).remove(listed) == 1
    assert "Zanzibar" not in path.read_text()
    assert "Porto" in path.read_text()
    assert path.with_name("s2.jsonl").exists()


def test_who_waited_for_a_lock_that_was_dropped_takes_the_new_one(tmp_path: Path) -> None:
    path, order = tmp_path / "s1.jsonl", list[str]()

    def wait() -> None:
        with locked(path):
            order.append("second")

    with locked(path):
        waiting = Thread(target=wait)
        waiting.start()
        drop_lock(path)
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]
    with locked(path):
        assert (tmp_path / ".s1.lock").exists()
