"""What a process does first that another one has begun, and may end at any moment."""

from __future__ import annotations

import ctypes
import signal
import sys
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def end_with_parent() -> None:
    """Where there is Linux the kernel ends this process with its parent; elsewhere it ends when it next listens."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def be_ended_first() -> None:
    """Where memory runs out, what can be begun anew is ended before anything else."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
