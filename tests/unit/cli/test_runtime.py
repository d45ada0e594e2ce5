"""The runtime file, the lock, the token and the logs of a home."""

import fcntl
import os
import stat
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from cli.runtime import (
    Places,
    Runtime,
    ensure_token,
    read_runtime,
    rotate,
    sole_supervisor,
    succeed,
    supervised,
    supervisor_pid,
)
from memory.errors import Conflict


@pytest.fixture
def places(tmp_path: Path) -> Places:
    found = Places(tmp_path / "home")
    found.prepare()
    return found


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_home_may_be_crossed_and_nothing_in_it_read(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        Places(tmp_path / "strict").prepare()
    finally:
        os.umask(before)
    assert mode(tmp_path / "strict") == 0o711
    assert {mode(folder) for folder in (tmp_path / "strict").iterdir()} == {0o700}


def test_a_home_that_exists_keeps_its_mode(tmp_path: Path) -> None:
    home = tmp_path / "mine"
    home.mkdir(mode=0o750)
    Places(home).prepare()
    assert mode(home) == 0o750


def test_what_is_written_is_read_and_only_by_us(places: Places) -> None:
    runtime = Runtime(home=str(places.home), state="ready", url="http://127.0.0.1:8000", pids={"ray": 7})
    assert read_runtime(places) is None
    replace(runtime, state="starting").write(places)
    runtime.write(places)
    assert read_runtime(places) == runtime
    assert mode(places.runtime) == 0o600
    assert [path.name for path in places.run.iterdir()] == ["runtime.json"]


@pytest.mark.parametrize("left", ["", '{"home": "/now', '{"home": "/nowhere", "of_another_version": 1}', "[]", "7"])
def test_a_file_that_the_power_cut_short_says_nothing(places: Places, left: str) -> None:
    places.runtime.write_text(left)
    assert read_runtime(places) is None


def test_one_supervisor_a_home(places: Places) -> None:
    assert not supervised(places)
    assert supervisor_pid(places) is None
    with sole_supervisor(places):
        assert supervised(places)
        assert supervisor_pid(places) == os.getpid()
        with pytest.raises(Conflict), sole_supervisor(places):
            pytest.fail("two supervisors")
    assert not supervised(places)
    assert supervisor_pid(places) is None


def test_who_only_looks_does_not_keep_a_supervisor_from_starting(places: Places) -> None:
    places.lock.touch()
    looking = places.lock.open("rb")
    fcntl.flock(looking, fcntl.LOCK_SH)
    threading.Timer(0.1, looking.close).start()
    with sole_supervisor(places):
        assert supervisor_pid(places) == os.getpid()


def test_once_its_guardian_was_killed_the_supervisor_itself_is_asked(places: Places) -> None:
    places.lock.write_text("4194304\n")
    assert succeed(places, os.getppid()) == os.getppid()
    assert places.lock.read_text() == "4194304\n"
    assert succeed(places, 4_194_304) is None
    assert places.lock.read_text() == f"{os.getpid()}\n"
    assert succeed(places, None) is None


def test_a_token_is_made_once_and_is_ours_alone(places: Places) -> None:
    path = places.home / "token"
    token = ensure_token(path)
    assert len(token) == 43
    assert token.replace("-", "").replace("_", "").isalnum()
    assert mode(path) == 0o600
    assert ensure_token(path) == token


def test_an_empty_token_file_is_no_token(places: Places) -> None:
    path = places.home / "token"
    path.write_text("\n")
    assert len(ensure_token(path)) == 43
    assert mode(path) == 0o600


def test_three_logs_of_earlier_runs_are_kept(places: Places) -> None:
    log = places.log("ray")
    for run in range(6):
        rotate(log)
        log.write_text(str(run))
    assert {path.name: path.read_text() for path in places.logs.iterdir()} == {
        "ray.log": "5",
        "ray.log.1": "4",
        "ray.log.2": "3",
        "ray.log.3": "2",
    }
