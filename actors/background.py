"""Background: a process steps behind everything else on the machine."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

NICENESS = 10
"""Within its session, a tenth of what a process of normal priority gets (sched(7): each step is a factor of 1.25)."""
OF_SESSION = 5
"""Among sessions, a third: enough to get on beside a build that takes all it can."""
AUTOGROUP = Path("/proc/self/autogroup")


def step_back() -> None:
    """Let whatever else wants a processor go first. Threads that are started afterwards by the caller do, too.

    Where Linux shares out among sessions before it looks at processes (autogroup, sched(7)), niceness counts within
    the caller's session alone; so it begins one of its own and makes that nice as a whole. Every connection of
    PostgreSQL is a session, and so is whoever asks. Where that is refused, niceness is all there is.
    """
    os.nice(NICENESS)
    if AUTOGROUP.exists():
        # a container may forbid each step, and Linux lets users other than root write ten times a second, all together
        with suppress(OSError):
            _lead_a_session()
            AUTOGROUP.write_text(str(OF_SESSION))


def _lead_a_session() -> None:
    """Raises OSError; then the session is still that of others."""
    own = os.getpid()
    if os.getsid(0) != own:
        if os.getpgrp() == own:  # the leader of a process group may not begin a session, a member may
            os.setpgid(0, os.getpgid(os.getppid()))
        os.setsid()
