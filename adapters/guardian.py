"""A guardian: parent of a process, which it forks again when that is killed, and nothing else.

It has no thread, asks nobody and decides nothing, so there is little it could die of. What must outlive its child is
there before the first one begins, and each inherits it: the lock of the home, the front door and the reserved ports of
the supervisor's guardian, all that the spare gateway's has imported.
"""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable
from types import FrameType

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
QUICK_S = 5.0
PAUSE_S = 1.0
"""A child that was killed within QUICK_S is followed only after a pause."""

log = logging.getLogger("memoray.guardian")


class Guardian:
    """Runs one child after another. `run` is called in each child with its number, from 0, while the stop signals
    are held: it installs its own handlers and calls `release`. What it returns is the child's exit code. A child that
    exits is the end, whatever its code: it meant to. One that a signal ended is followed by the next, which finds what
    the last one has left; so also when everything was to stop, for the last one had not finished.
    """

    def __init__(self, run: Callable[[int], int]) -> None:
        self._run = run
        self._child: int | None = None
        self._asked: int | None = None

    def guard(self) -> int:
        """The exit code of the last child; in a child, its own."""
        for number in STOP_SIGNALS:
            signal.signal(number, self._pass_on)
        for succession in range(1_000_000_000):
            began = time.monotonic()
            signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)  # none is to fall between two processes
            self._child = os.fork() if succession == 0 else _forked()
            if self._child == 0:
                return self._run(succession)
            release()
            if self._asked is not None:
                os.kill(self._child, self._asked)
            code = self._ended(self._child)
            if code >= 0:
                return code
            log.error("the child was ended by signal %d; the next one takes over", -code)
            if time.monotonic() - began < QUICK_S:
                time.sleep(PAUSE_S)
        raise AssertionError

    def _ended(self, child: int) -> int:
        """Its exit code, or minus the signal that ended it. Whoever else dies is reaped; a stopped child goes on."""
        while True:
            pid, status = os.waitpid(-1, os.WUNTRACED)
            if pid != child:
                continue
            if os.WIFSTOPPED(status):
                os.kill(child, signal.SIGCONT)
                continue
            self._child = None
            return os.waitstatus_to_exitcode(status)

    def _pass_on(self, number: int, frame: FrameType | None) -> None:
        self._asked = number
        if self._child:
            os.kill(self._child, number)


def _forked() -> int:
    """Like `os.fork`, as soon as there is room: where memory ran out the last one may have been killed for it."""
    while True:
        try:
            return os.fork()
        except OSError as error:
            log.error("the next one cannot be begun: %s", error.strerror)
            time.sleep(PAUSE_S)


def release() -> None:
    """Let the stop signals that were held arrive."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
