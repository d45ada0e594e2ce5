"""The application as the supervisor tends it: of two gateways only the one that serves is ended when it hangs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, cast

import pytest

from cli.application import HUNG_S, LOST_S, REDEPLOY_S, Application
from cli.parts import BoundedTask

SLEEPS = (sys.executable, "-c", "import time; time.sleep(600)")


class Unanswered:
    """An errand whose question nobody answers."""

    done = True
    error = OSError()


class Answered:
    """An errand whose question was answered."""

    done, error = True, None


class Gateways:
    """A Ray on which two gateways have the door."""

    pid = 1
    beats, alive = 0, False
    """How often who serves was seen alive, and whether it still is."""

    def __init__(self, serving: int | None, pids: set[int]) -> None:
        self._serving, self._pids = serving, pids

    def gateways(self) -> set[int]:
        return self._pids

    def serving(self) -> int | None:
        return self._serving

    def beat(self) -> int | None:
        self.beats += self.alive
        return self.beats


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    with ExitStack() as stack:
        both = [stack.enter_context(subprocess.Popen(SLEEPS)) for _ in range(2)]
        stack.callback(lambda: [each.kill() for each in both])
        yield both


def hang(ray: Gateways) -> None:
    """Look every second at an application that says nothing."""

    def unanswered(work: Callable[[], object]) -> BoundedTask:
        return Unanswered()

    application = Application(cast(Any, ray), (), lambda: True, unanswered)
    application._settle(0.0)
    for second in range(2 * int(HUNG_S)):
        assert application._hear(float(second))


def test_the_one_that_serves_is_ended_and_the_one_that_stands_by_is_not(
    processes: list[subprocess.Popen[bytes]],
) -> None:
    serving, standing_by = processes
    hang(Gateways(serving.pid, {serving.pid, standing_by.pid}))
    assert serving.wait(60) == -9
    assert standing_by.poll() is None


def test_where_nobody_knows_who_serves_all_are_ended(processes: list[subprocess.Popen[bytes]]) -> None:
    hang(Gateways(None, {each.pid for each in processes}))
    assert [each.wait(60) for each in processes] == [-9, -9]


def test_one_that_answers_nobody_in_time_and_is_alive_is_left_alone(processes: list[subprocess.Popen[bytes]]) -> None:
    serving, standing_by = processes
    ray = Gateways(serving.pid, {serving.pid, standing_by.pid})
    ray.alive = True
    hang(ray)
    assert [each.poll() for each in processes] == [None, None]


def test_where_only_the_spare_one_hangs_it_is_ended(processes: list[subprocess.Popen[bytes]]) -> None:
    spare, other = processes
    hang(Gateways(spare.pid, set()))
    assert spare.wait(60) == -9
    assert other.poll() is None


def test_a_spare_one_that_answers_for_long_is_no_reason_to_leave_serve_as_it_is() -> None:
    def answered(work: Callable[[], object]) -> BoundedTask:
        return Answered()

    application = Application(cast(Any, Gateways(7, set())), (), lambda: True, answered)
    application._heartbeat.silence = lambda now: 0.0  # type: ignore[method-assign]
    application._settle(0.0)
    assert application._hear(REDEPLOY_S - 1)
    assert application.part.error is None
    assert application._hear(REDEPLOY_S + 1)
    assert application.part.error is not None, "it is put again"
    assert not application._hear(LOST_S + 1), "and Ray is begun anew at last"


def test_who_takes_over_waits_for_serve_where_everything_was_up_before() -> None:
    for deployed, words in (
        (True, "Waiting for the application on the new raylet"),
        (False, "Deploying the application"),
    ):
        application = Application(cast(Any, Gateways(None, set())), (), lambda: True)
        application.adopt(0.0, deployed=deployed)
        assert application._steps()[0].words == words
