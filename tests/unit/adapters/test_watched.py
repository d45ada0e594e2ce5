"""A process that somebody else began, seen by several threads at once."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from adapters.watched import WatchedProcess

PATIENCE_S = 60.0


def test_its_end_is_seen_by_everybody_who_waits_and_looks() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    seen = WatchedProcess(child.pid)
    ends: list[int] = []
    waiting = [threading.Thread(target=lambda: ends.append(seen.wait(PATIENCE_S))) for _ in range(4)]
    for each in waiting:
        each.start()
    assert [seen.poll() for _ in range(50)] == [None] * 50, "although others wait at the same time"
    with pytest.raises(subprocess.TimeoutExpired):
        seen.wait(0.01)
    child.kill()
    for each in waiting:
        each.join(PATIENCE_S)
    assert ends == [0] * 4
    assert seen.poll() == 0
    child.wait()
    seen.send_signal(15)


def test_one_that_has_gone_cannot_be_watched() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    with pytest.raises(ProcessLookupError):
        WatchedProcess(child.pid)
