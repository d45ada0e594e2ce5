"""Processes: found by descent and by folder, and really ended."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli import processes
from memory.errors import Unavailable

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('on', flush=True); time.sleep(60)"
NESTED = (
    "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
    "print(p.pid, flush=True); p.wait()"
)


def spawn(code: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_descendants_are_children_and_their_children() -> None:
    child = spawn(NESTED)
    grandchild = int(said(child))
    try:
        assert {child.pid, grandchild} <= processes.descendants(os.getpid())
        assert processes.descendants(grandchild) == set()
    finally:
        os.kill(grandchild, signal.SIGKILL)
        child.wait()


def test_a_zombie_is_seen_as_one_and_reaped_once_nobody_else_has_waited_for_it() -> None:
    child = spawn("pass")
    deadline = time.monotonic() + 10
    while not processes.process_table()[child.pid].zombie and time.monotonic() < deadline:
        time.sleep(0.01)
    assert processes.process_table()[child.pid].zombie
    reaper = processes.Reaper()
    reaper.look()
    assert child.pid in processes.process_table(), "whoever began it has a second to ask how it ended"
    reaper.look()
    assert child.pid not in processes.process_table()


def test_who_was_stopped_goes_on() -> None:
    child = spawn("import time; time.sleep(60)")
    try:
        child.send_signal(signal.SIGSTOP)
        deadline = time.monotonic() + 10
        while not processes.process_table()[child.pid].stopped and time.monotonic() < deadline:
            time.sleep(0.01)
        assert processes.wake_stopped({child.pid, os.getpid()}) == [child.pid]
        while processes.process_table()[child.pid].stopped and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not processes.process_table()[child.pid].stopped
    finally:
        child.kill()
        child.wait()


def test_the_end_of_a_process_ends_a_sleep_beside_it() -> None:
    child = spawn("import sys; sys.stdin.read()")
    began = time.monotonic()
    child.kill()
    processes.sleep_beside([child.pid], 600.0)
    assert time.monotonic() - began < 300
    child.wait()


def test_end_insists_when_asking_does_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "END_SIGNALS", ((signal.SIGTERM, 0.2), (signal.SIGKILL, 5.0)))
    child = spawn(STUBBORN)
    assert said(child) == "on"
    processes.end(lambda: {child.pid} if child.poll() is None else set())
    assert child.returncode == -signal.SIGKILL


def test_end_says_what_it_could_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "END_SIGNALS", ((signal.SIGCONT, 0.05),))
    with pytest.raises(Unavailable) as caught:
        processes.end(lambda: {os.getpid()})
    assert caught.value.ids == {"pids": [os.getpid()]}


def test_a_ray_is_known_by_its_folder_and_somebodys_tail_of_its_log_is_not(tmp_path: Path) -> None:
    log = tmp_path / "raylet.out"
    log.touch()
    sleep = "import time; print('on', flush=True); time.sleep(60)"
    service = subprocess.Popen(
        [sys.executable, "-c", sleep, f"--temp-dir={tmp_path}"], stdout=subprocess.PIPE, text=True
    )
    reader = subprocess.Popen(["tail", "-f", str(log)])
    other = spawn(sleep)
    try:
        assert said(service) == "on"
        assert processes.ray_processes(tmp_path) == {service.pid}
    finally:
        for process in (service, reader, other):
            process.kill()
            process.wait()


def test_the_cost_of_a_process_is_counted_and_nothing_costs_nothing() -> None:
    assert 2_000_000 < processes.pss_bytes(os.getpid()) < 4_000_000_000
    assert processes.pss_bytes(2**30) == 0


def test_a_title_never_shows_an_argument(tmp_path: Path) -> None:
    script = tmp_path / "secretive.py"
    script.write_text("print('on', flush=True); import time; time.sleep(60)")
    process = subprocess.Popen([sys.executable, str(script), "--dsn=secret"], stdout=subprocess.PIPE, text=True)
    try:
        assert said(process) == "on"
        assert processes.title(process.pid) == "secretive.py"
    finally:
        process.kill()
        process.wait()
