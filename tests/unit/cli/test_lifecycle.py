"""The beginning and the end of a run, seen from a terminal: whoever is asked to stop stops, whatever was killed before,
and two who start it at once both see it start.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli import lifecycle
from cli.runtime import Places, Runtime, sole_supervisor, supervised, supervisor_pid
from config.settings import project_root

GUARDED = """
import os, signal, sys, time
from pathlib import Path
from adapters.guardian import Guardian, release
from cli.runtime import Places, sole_supervisor, succeed
places = Places(Path(sys.argv[1]))

def stop(number, frame): raise SystemExit(0)

def run(number):
    signal.signal(signal.SIGTERM, stop)
    release()
    guardian = os.getppid()
    (places.run / "begun").write_text(str(os.getpid()))
    while True:
        guardian = succeed(places, guardian)
        time.sleep(0.05)

with sole_supervisor(places):
    sys.exit(Guardian(run).guard())
"""
PATIENCE_S = 30.0


@pytest.fixture
def places(tmp_path: Path) -> Places:
    found = Places(tmp_path / "home")
    found.prepare()
    return found


def test_what_a_killed_guardian_has_left_is_asked_to_stop_and_stops(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "DOWN_TIMEOUT_S", PATIENCE_S)
    guardian = subprocess.Popen([sys.executable, "-c", GUARDED, str(places.home)], cwd=project_root())
    deadline = time.monotonic() + PATIENCE_S
    while not (begun := places.run / "begun").exists() or not begun.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert supervisor_pid(places) == guardian.pid
    guardian.kill()
    guardian.wait(PATIENCE_S)
    child = int(begun.read_text())
    assert supervised(places), "the supervisor goes on"
    try:
        lifecycle._stop_supervisor(places)
        assert not supervised(places)
    finally:
        if Path(f"/proc/{child}").exists():
            os.kill(child, signal.SIGKILL)


@contextmanager
def held(places: Places, seconds: float) -> Iterator[None]:
    """Another supervisor has the home for so long."""
    began, over = threading.Event(), threading.Event()

    def hold() -> None:
        with sole_supervisor(places):
            began.set()
            over.wait(seconds)

    thread = threading.Thread(target=hold)
    thread.start()
    began.wait(PATIENCE_S)
    yield
    over.set()
    thread.join()


def test_who_starts_it_second_follows_the_first_one_until_it_is_up(places: Places) -> None:
    refused = subprocess.Popen([sys.executable, "-c", "raise SystemExit(1)"])
    refused.wait(PATIENCE_S)
    with held(places, PATIENCE_S):
        ready = Runtime(home=str(places.home), state="ready")
        threading.Timer(0.5, lambda: ready.write(places)).start()
        assert lifecycle._follow(places, refused, quiet=True) == ready


def test_a_supervisor_that_has_ended_alone_is_not_waited_for(places: Places) -> None:
    ended = subprocess.Popen([sys.executable, "-c", "raise SystemExit(1)"])
    ended.wait(PATIENCE_S)
    assert lifecycle._follow(places, ended, quiet=True).state == "failed"


def test_who_starts_it_while_it_is_stopped_waits_for_its_end_and_starts_it_anew(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    spawned: list[bool] = []

    def spawn(places: Places) -> subprocess.Popen[bytes]:
        spawned.append(supervised(places))
        Runtime(home=str(places.home), state="ready", token_file=str(places.home / "token")).write(places)
        return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1)"])

    monkeypatch.setattr(lifecycle, "_spawn", spawn)
    monkeypatch.setattr(lifecycle, "provide_account", lambda home: False)
    Runtime(home=str(places.home), state="stopping").write(places)
    with held(places, 0.5):
        lifecycle.up(home=places.home, demo=False, as_json=True)
    assert spawned == [False], "nobody has the home any more"
