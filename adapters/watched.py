"""A process that somebody else has begun, as `subprocess.Popen` shows one: for who takes over from a killed parent."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from typing import Protocol


class RunningProcess(Protocol):
    """What Popen and Watched have in common."""

    pid: int

    def poll(self) -> int | None:
        """None as long as it runs."""

    def send_signal(self, sig: int) -> None:
        """Send it a signal, if it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises subprocess.TimeoutExpired."""


class WatchedProcess:
    """A process by its descriptor, which never means another one of the same number. Raises ProcessLookupError."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._descriptor = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """None as long as it runs; 0 afterwards, for only a parent hears its exit code."""
        return 0 if self._ended(0) else None

    def send_signal(self, sig: int) -> None:
        """Send it a signal, if it runs."""
        try:
            signal.pidfd_send_signal(self._descriptor, sig)
        except ProcessLookupError:
            return

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises subprocess.TimeoutExpired."""
        if not self._ended(timeout):
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return 0

    def _ended(self, timeout: float | None) -> bool:
        end = select.poll()  # one for each caller: threads must not share it
        end.register(self._descriptor, select.POLLIN)
        return bool(end.poll(None if timeout is None else timeout * 1000))

    def __del__(self) -> None:
        if hasattr(self, "_descriptor"):
            os.close(self._descriptor)


WITHOUT_RAYLET = {"RAY_RAYLET_PID": "0"}
"""What a process is told that is to do without a raylet from the beginning."""


def orphaned() -> bool:
    """Whether the raylet that began this process has gone; never of one that no raylet began."""
    return os.environ.get("RAY_RAYLET_PID", parent := str(os.getppid())) != parent
