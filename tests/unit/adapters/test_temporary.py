"""The folders of /tmp: whose they are, that nobody's is taken away, and that none is left for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters import temporary
from adapters.path_lock import PathLock, lock_unused, occupants, remove_unused
from adapters.temporary import folders_of, found_folder, left, occupy, private_folder, short_folder, sweep, vacate
from config.settings import project_root
from memory.errors import Unavailable
from tests.rooms import room

OCCUPANT = """
import sys
from pathlib import Path
from adapters import temporary

temporary.ROOT = Path(sys.argv[1])
held = temporary.occupy(Path(sys.argv[2]))
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder in the place of /tmp."""
    with room() as place:
        monkeypatch.setattr(temporary, "ROOT", place)
        yield place


def test_a_folder_is_private_short_and_tells_its_home(root: Path, tmp_path: Path) -> None:
    folder = short_folder(tmp_path)
    assert folder == found_folder(tmp_path) == short_folder(tmp_path)
    assert temporary.home_of(folder) == str(tmp_path)
    private = private_folder(tmp_path)
    assert private == private_folder(tmp_path)
    assert [each.stat().st_mode & 0o777 for each in (folder, private)] == [0o700, 0o700]
    longest = "ray/session_2026-11-23_17-50-17_249909_4194303/sockets/dash_MetricsHead"
    assert len(str(Path("/tmp") / folder.name / private.name / longest)) <= 107


def test_what_was_left_is_removed_and_what_is_held_stays(root: Path, tmp_path: Path) -> None:
    ours, other = tmp_path / "ours", tmp_path / "other"
    (short_folder(other) / "ray").mkdir()
    lefts = folders_of(other)
    with occupy(ours):
        assert left() == lefts
        sweep()
        assert list(root.iterdir()) == folders_of(ours)
        vacate(ours)
        assert len(folders_of(ours)) == 1, "somebody is still in"
    vacate(ours)
    assert list(root.iterdir()) == []
    vacate(ours)


def test_whoever_is_killed_holds_nothing_any_more(root: Path, tmp_path: Path) -> None:
    occupant = subprocess.Popen(
        [sys.executable, "-c", OCCUPANT, root, tmp_path],
        cwd=project_root(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert occupant.stdout is not None
    assert occupant.stdout.readline() == "held\n"
    assert left() == []
    occupant.send_signal(signal.SIGKILL)
    occupant.wait(10)
    assert left() == folders_of(tmp_path)


@pytest.mark.parametrize("way", ["names it", "works in it", "runs from it"])
def test_what_a_killed_supervisor_has_left_running_keeps_its_folder(way: str, root: Path, tmp_path: Path) -> None:
    folder = short_folder(tmp_path)
    program, arguments, where = Path(sys.executable).resolve(), ["-c", "input()"], Path("/")
    if way == "names it":
        arguments.append(f"--temp-dir={folder}/ray")
    elif way == "works in it":
        where = folder
    else:
        (folder / "cat").write_bytes(Path("/bin/cat").read_bytes())
        (folder / "cat").chmod(0o700)
        program, arguments = folder / "cat", []
    orphan = subprocess.Popen([program, *arguments], cwd=where, stdin=subprocess.PIPE)
    try:
        assert occupants(folder) == [orphan.pid]
        sweep()
        assert folder.exists()
    finally:
        orphan.kill()
        orphan.wait()
    sweep()
    assert not folder.exists()


def test_only_folders_of_ours_are_looked_at(root: Path, tmp_path: Path) -> None:
    for name in ("memoray-backup", "memoray-0123456789abcd", "pymp-abc"):
        (root / name).mkdir()
    (root / "memoray-0123456789ab").symlink_to(tmp_path)
    (root / "memoray-111111111111").touch()
    (root / "memoray-222222222222").mkdir()  # does not tell its home, and was made just now
    before = set(root.iterdir())
    sweep()
    assert set(root.iterdir()) == before

    old = temporary.UNMARKED_S + 60
    made = (root / "memoray-222222222222").stat().st_mtime
    os.utime(root / "memoray-222222222222", (made - old, made - old))
    sweep()
    assert before - set(root.iterdir()) == {root / "memoray-222222222222"}


def test_a_removal_that_was_killed_is_finished(root: Path, tmp_path: Path) -> None:
    folder = short_folder(tmp_path)
    rest = folder.rename(folder.with_name(f"{folder.name}.42.removed"))
    with pytest.raises(Unavailable):
        found_folder(tmp_path)
    assert left() == [rest]
    sweep()
    assert list(root.iterdir()) == []


def test_whoever_sits_in_our_place_is_left_alone(root: Path, tmp_path: Path) -> None:
    digest = temporary.digest_of(tmp_path)
    link, theirs = root / f"memoray-{digest[:8]}-aaaaaaaa", root / f"memoray-{digest[:8]}-bbbbbbbb"
    link.symlink_to(tmp_path)
    theirs.mkdir(mode=0o777)
    if os.getuid() == 0:
        os.chown(theirs, 65534, 65534)
    else:
        theirs.rmdir()
    before = set(root.iterdir())
    with occupy(tmp_path):
        assert found_folder(tmp_path) not in before
    vacate(tmp_path)
    assert set(root.iterdir()) == before


def test_a_folder_that_was_removed_comes_back_under_another_name(root: Path, tmp_path: Path) -> None:
    first = short_folder(tmp_path)
    vacate(tmp_path)
    assert short_folder(tmp_path).name != first.name, "nobody can take the place beforehand"


def test_the_folder_of_an_earlier_version_is_not_used_again_but_removed(root: Path, tmp_path: Path) -> None:
    (root / f"memoray-{temporary.digest_of(tmp_path)}").mkdir(mode=0o711)
    with occupy(tmp_path):
        assert len(folders_of(tmp_path)) == 2
    vacate(tmp_path)
    assert list(root.iterdir()) == []


def test_whoever_waited_for_a_folder_that_was_removed_gets_a_new_one(root: Path, tmp_path: Path) -> None:
    first = occupy(tmp_path)
    found_folder(tmp_path).rename(root / "moved")
    second = occupy(tmp_path)
    assert second.is_of(found_folder(tmp_path))
    assert not first.is_of(found_folder(tmp_path))
    first.close()
    second.close()


def test_a_lock_alone_and_a_lock_with_others(tmp_path: Path) -> None:
    with PathLock(tmp_path), PathLock(tmp_path):
        with pytest.raises(BlockingIOError):
            PathLock(tmp_path, alone=True, wait=False)
        assert not remove_unused(tmp_path)
    with PathLock(tmp_path, alone=True):
        assert lock_unused(tmp_path) is None
    assert remove_unused(tmp_path)
    assert lock_unused(tmp_path) is None, "nothing is there"
