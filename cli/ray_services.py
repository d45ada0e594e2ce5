"""Ray's own services - GCS, raylet, dashboard - as processes that are begun again one by one.

A new GCS finds what the old one knew in its store; a new raylet is a new node that takes the place of the old one.
What ran on the old node - gateway, shard, worker - goes on answering until its successors do (docs/decisions/0064).
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import subprocess
import threading
from dataclasses import asdict, dataclass
from pathlib import Path

from adapters.watched import RunningProcess, WatchedProcess
from cli.processes import PROC, arguments, ray_processes, title

NAMES = {"gcs": "gcs_server", "raylet": "raylet", "dashboard": "dashboard.py"}
"""Ray's services whose end is the end of this Ray -> what each calls itself."""
log = logging.getLogger("memoray.supervisor")
_NODE = "--node_id="
_SOCKETS = ("--raylet_socket_name=", "--store_socket_name=")


@dataclass(frozen=True)
class Begun:
    """How a service was begun."""

    pid: int
    arguments: list[str]
    environ: dict[str, str]


class Services:
    """The services of one Ray. They are remembered in a file, for the supervisor that takes over from a killed one."""

    def __init__(self, file: Path, log: Path) -> None:
        self._file, self._log = file, log
        self._remembering = threading.Lock()
        self._begun: dict[str, Begun] = {}
        self._running: dict[str, RunningProcess] = {}

    @property
    def complete(self) -> bool:
        """Whether it is known how each of them is begun."""
        return self._begun.keys() == NAMES.keys()

    @property
    def known(self) -> bool:
        """Whether an earlier supervisor has left word of them."""
        return self._file.exists()

    def pid(self, name: str) -> int | None:
        """Its process, dead or alive."""
        return self._running[name].pid if name in self._running else None

    def pids(self) -> dict[str, int]:
        """The process of each that lives."""
        return {name: one.pid for name, one in self._running.items() if one.poll() is None}

    def alive(self, name: str) -> bool:
        """Whether it runs."""
        return name in self._running and self._running[name].poll() is None

    def forget(self) -> None:
        """Know of none any more."""
        self._begun, self._running = {}, {}
        self._file.unlink(missing_ok=True)

    def find(self, folder: Path) -> None:
        """Know those that `ray start` has begun for the Ray of this folder."""
        titles = {title(pid): pid for pid in ray_processes(folder)}
        for name, called in NAMES.items():
            if called in titles:
                self._know(name, titles[called])
        self._remember()

    def adopt(self) -> bool:
        """Know those of the last supervisor again; whether there were any. One that has died since is not alive."""
        try:
            noted = json.loads(self._file.read_text())
            self._begun = {name: Begun(**begun) for name, begun in noted.items()}
        except (OSError, ValueError, TypeError):
            return False
        for name, begun in self._begun.items():
            if arguments(begun.pid) == begun.arguments:
                self._watch(name, begun.pid)
        return self.complete

    def revive(self, name: str) -> None:
        """Begin a service again. A raylet is a new node: its name and its sockets are its own."""
        if name == "raylet":
            self._renew_node()
        begun = self._begun[name]
        with self._log.open("ab") as log:
            child = subprocess.Popen(
                begun.arguments,
                env=begun.environ,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._running[name] = child
        self._begun[name] = Begun(child.pid, begun.arguments, begun.environ)
        self._remember()

    def _renew_node(self) -> None:
        begun = self._begun["raylet"]
        node = next(word for word in begun.arguments if word.startswith(_NODE)).removeprefix(_NODE)
        successor = secrets.token_hex(len(node) // 2)
        arguments = [word.replace(node, successor) for word in begun.arguments]
        for word in arguments:
            if word.startswith(_SOCKETS):
                Path(word.partition("=")[2]).unlink(missing_ok=True)
        self._begun["raylet"] = Begun(begun.pid, arguments, begun.environ)

    def _know(self, name: str, pid: int) -> None:
        self._begun[name] = Begun(pid, arguments(pid), _environ(pid))
        self._watch(name, pid)

    def _watch(self, name: str, pid: int) -> None:
        try:
            self._running[name] = WatchedProcess(pid)
        except ProcessLookupError:
            return

    def _remember(self) -> None:
        partial = self._file.with_suffix(".partial")
        try:
            with self._remembering, open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                json.dump({name: asdict(begun) for name, begun in self._begun.items()}, file)
                partial.replace(self._file)
        except OSError:  # a full disk costs the next supervisor its knowledge, not this one its Ray
            log.exception("Ray's services could not be noted")


def _environ(pid: int) -> dict[str, str]:
    words = (PROC / str(pid) / "environ").read_bytes().decode(errors="surrogateescape").split("\0")
    return dict(word.split("=", 1) for word in words if "=" in word)
