"""Background: a process steps behind everything else on the machine, some of its threads behind the others; and one
that everybody waits for stands before them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

NICENESS = 10
"""Within its session, a tenth of what a process of normal priority gets (sched(7): each step is a factor of 1.25)."""
OF_SESSION = 5
"""Among sessions, a third: enough to get on beside a build that takes all it can."""
BEFORE = -10
"""Among sessions, nine times what another gets, as far as it is wanted: a gateway is one thread, and never takes both
processors."""
LAST = 19
"""Niceness of threads that come last, the most there is. Those of SCHED_IDLE would wait for ever on a machine that is
busy for ever, and with them all who want the interpreter they hold."""
AUTOGROUP = Path("/proc/self/autogroup")
SWITCH_S = 0.0005
"""Seconds a thread keeps the interpreter from another that needs it briefly, again and again. With Python's 5 ms 59
texts a second were encoded beside reading, with this 73, alone 75; and while a turn of a night is decided, one question
waits for it ten times."""


def step_back() -> None:
    """Let whatever else wants a processor go first. Threads that are started afterwards by the caller do, too.

    Where Linux shares out among sessions before it looks at processes (autogroup, sched(7)), niceness counts within
    the caller's session alone; so it begins one of its own and makes that nice as a whole. Every connection of
    PostgreSQL is a session, and so is whoever asks. Where that is refused, niceness is all there is.
    """
    os.nice(NICENESS)
    _count_among_sessions(OF_SESSION)


def take_turns() -> None:
    """Let the threads of this process have the interpreter by turns of `SWITCH_S`."""
    sys.setswitchinterval(SWITCH_S)


def stand_before() -> None:
    """Be given processors before others, for a process that everybody waits for.

    Ray's processes are one session, and each connection of PostgreSQL is one: where Linux shares out among sessions
    first, gateway and shard together would have the part of one connection, less what is being begun beside them. Only
    root may come before others; for everybody else the session is one of its own.
    """
    _count_among_sessions(BEFORE)


class Threads(ThreadPoolExecutor):
    """The threads of an event loop, and two for tasks that come last: to the others they leave the processors (0053).

    Two, because while one reads, the other encodes what was read before.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last = ThreadPoolExecutor(2, initializer=_step_last)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Do it in a thread, for a task that comes last in one of those."""
        return self._last.submit(fn, *args, **kwargs) if _LAST.get() else super().submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all threads."""
        self._last.shutdown(wait, cancel_futures=cancel_futures)
        super().shutdown(wait, cancel_futures=cancel_futures)


_LAST: ContextVar[bool] = ContextVar("last", default=False)


def come_last() -> None:
    """What the calling task does in threads is done with what the other threads of this process leave."""
    _LAST.set(True)


def _step_last() -> None:
    """Niceness is a thread's own on Linux alone; elsewhere it would be that of the whole process."""
    if sys.platform == "linux":
        os.nice(LAST)


def _count_among_sessions(niceness: int) -> None:
    """Be a session of one's own, as nice as that, where Linux shares out among sessions and lets us."""
    if AUTOGROUP.exists():
        # a container may forbid each step, and Linux lets users other than root write ten times a second, all together
        with suppress(OSError):
            _lead_a_session()
            AUTOGROUP.write_text(str(niceness))


def _lead_a_session() -> None:
    """Raises OSError; then the session is still that of others."""
    own = os.getpid()
    if os.getsid(0) != own:
        if os.getpgrp() == own:  # the leader of a process group may not begin a session, a member may
            os.setpgid(0, os.getpgid(os.getppid()))
        os.setsid()
