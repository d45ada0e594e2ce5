"""The guardian, in processes of its own: a killed child is followed, a stopped one woken, one that exits is the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from config.settings import project_root

RUN = """
import os, signal, sys, time
from pathlib import Path
from adapters import guardian
guardian.PAUSE_S = 0.0
folder = Path(sys.argv[1])

def stop(number, frame): raise SystemExit(7)

def run(number):
    signal.signal(signal.SIGTERM, stop)
    guardian.release()
    partial = folder / f"{number}.partial"
    partial.write_text(str(os.getpid()))
    partial.rename(folder / str(number))
    while not (folder / "enough").exists(): time.sleep(0.02)
    return 5

sys.exit(guardian.Guardian(run).guard())
"""
PATIENCE_S = 60.0


NO_ROOM = """
import errno, os
fork, asked = os.fork, []

def crowded():
    asked.append(1)
    if 1 < len(asked) < 4: raise BlockingIOError(errno.EAGAIN, "no room")
    return fork()

os.fork = crowded
"""


def guardian(folder: Path, before: str = "") -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", before + RUN, str(folder)], cwd=project_root())


def child(folder: Path, number: int) -> int:
    deadline = time.monotonic() + PATIENCE_S
    while not (folder / str(number)).exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return int((folder / str(number)).read_text())


def test_a_killed_child_is_followed_by_the_next(tmp_path: Path) -> None:
    running = guardian(tmp_path)
    for number in range(3):
        os.kill(child(tmp_path, number), signal.SIGKILL)
    child(tmp_path, 3)
    (tmp_path / "enough").touch()
    assert running.wait(PATIENCE_S) == 5, "one that exits meant to"


def test_where_there_is_no_room_for_the_next_one_it_is_begun_as_soon_as_there_is(tmp_path: Path) -> None:
    running = guardian(tmp_path, NO_ROOM)
    os.kill(child(tmp_path, 0), signal.SIGKILL)
    child(tmp_path, 1)
    (tmp_path / "enough").touch()
    assert running.wait(PATIENCE_S) == 5


def test_it_passes_on_that_all_is_to_end(tmp_path: Path) -> None:
    running = guardian(tmp_path)
    child(tmp_path, 0)
    running.terminate()
    assert running.wait(PATIENCE_S) == 7


def test_a_stopped_child_goes_on(tmp_path: Path) -> None:
    running = guardian(tmp_path)
    os.kill(child(tmp_path, 0), signal.SIGSTOP)
    (tmp_path / "enough").touch()
    assert running.wait(PATIENCE_S) == 5
