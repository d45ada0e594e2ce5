"""The spare gateway (deployments/spare.py) as the supervisor tends it: a guardian that has ended is begun again."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from adapters.modules import module_command
from adapters.watched import RunningProcess, WatchedProcess
from cli.processes import arguments, end, process_table, title

MODULE = "deployments.spare"
TITLE = f"python -m {MODULE}"
"""How it calls itself."""


class Spare:
    """The guardian of the one that serves. `environment` tells what it is begun with, which follows from how the others
    were started.
    """

    def __init__(self, home: Path, log: Path, environment: Callable[[], Mapping[str, str]]) -> None:
        self._home, self._log, self._environment = home, log, environment
        self._running: RunningProcess | None = None

    def alive(self) -> bool:
        """Whether it runs."""
        return self._running is not None and self._running.poll() is None

    def launch(self) -> None:
        """Begin it; what a killed one has left is ended."""
        self.stop()
        command = module_command(MODULE, str(self._home))
        with self._log.open("ab") as log:
            self._running = subprocess.Popen(
                command,
                env=dict(self._environment()),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def adopt(self) -> bool:
        """Take over the one that a killed supervisor has left; whether there is one."""
        if (pid := guardian_of(self._home)) is not None:
            with suppress(ProcessLookupError):
                self._running = WatchedProcess(pid)
        return self.alive()

    def stop(self) -> None:
        """End it and its child; does nothing when there is none."""
        end(lambda: spares_of(self._home))


def spares_of(home: Path) -> set[int]:
    """The spare gateways of a home and their guardians, whoever is their parent now."""
    return {pid for pid in process_table() if title(pid) == TITLE and arguments(pid)[-1:] == [str(home)]}


def guardian_of(home: Path) -> int | None:
    """The guardian among them, which is no other one's child; None if there is none."""
    spares, table = spares_of(home), process_table()
    return next((pid for pid in spares if pid in table and table[pid].parent not in spares), None)
