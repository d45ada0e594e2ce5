"""The application as the supervisor tends it: of two gateways only the one that serves is ended when it hangs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, cast

import pytest

from cli.application import HUNG_S, Application
from cli.parts import Errand

SLEEPS = (sys.executable, "-c", "import time; time.sleep(600)")


class Unanswered:
    """An errand whose question nobody answers."""

    done = True
    error = OSError()


class Gateways:
    """A Ray on which two gateways have the door."""

    pid = 1

    def __init__(self, serving: int | None, pids: set[int]) -> None:
        self._serving, self._pids = serving, pids

    def gateways(self) -> set[int]:
        return self._pids

    def serving(self) -> int | None:
        return self._serving


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    with ExitStack() as stack:
        both = [stack.enter_context(subprocess.Popen(SLEEPS)) for _ in range(2)]
        stack.callback(lambda: [each.kill() for each in both])
        yield both


def hang(ray: Gateways) -> None:
    """Look every second at an application that says nothing."""

    def unanswered(work: Callable[[], object]) -> Errand:
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
