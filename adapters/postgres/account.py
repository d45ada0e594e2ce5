"""The account that a PostgreSQL of ours runs under: it refuses to run as root, so root lends it one."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from memory.errors import ConfigError

ACCOUNTS = ("postgres", "nobody")
"""Who runs the server when we are root, the first that exists."""


@dataclass(frozen=True)
class Account:
    """Who the server runs as; `None` in its place means ourselves."""

    name: str
    uid: int
    gid: int

    def popen_arguments(self) -> dict[str, object]:
        """Arguments of subprocess that drop every privilege but this account's."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def reaches(self, path: Path) -> bool:
        """Whether it may enter this folder or run this file: asked of the kernel, so that ACLs count too."""
        asked = subprocess.run(["test", "-x", path], cwd="/", check=False, **self.popen_arguments())  # type: ignore[call-overload]
        return bool(asked.returncode == 0)


def lent_account(data: Iterable[Path]) -> Account | None:
    """Ourselves, or if we are root the owner of the first data folder that is there, or the first of ACCOUNTS."""
    if os.getuid() != 0:
        return None
    for place in data:
        if (place / "PG_VERSION").exists() and place.stat().st_uid != 0:
            owner = pwd.getpwuid(place.stat().st_uid)
            return Account(owner.pw_name, owner.pw_uid, owner.pw_gid)
    for name in ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise ConfigError(f"PostgreSQL does not run as root and none of these accounts exists: {', '.join(ACCOUNTS)}.")
