"""The account that a PostgreSQL of ours runs under: it refuses to run as root, so root lends it one."""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path

from memory.errors import ConfigError

SERVICE = "memoray"
"""The account that is ours alone; `memoray up` makes it where root runs it (`cli/accounts.py`)."""
SHARED = ("postgres", "nobody")
"""Who runs the server of root where our own account is not to be had, the first that exists. Other programs run as
these, too: whatever runs as the same account reads the database."""


@dataclass(frozen=True)
class Account:
    """Who the server runs as; `None` in its place means ourselves."""

    name: str
    uid: int
    gid: int

    @property
    def shared(self) -> bool:
        """Whether other programs may run as it, too."""
        return self.name in SHARED

    def popen_arguments(self) -> dict[str, object]:
        """Arguments of subprocess that drop every privilege but this account's."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def reaches(self, path: Path) -> bool:
        """Whether it may enter this folder or run this file: asked of the kernel, so that ACLs count too."""
        asked = subprocess.run(["test", "-x", path], cwd="/", check=False, **self.popen_arguments())  # type: ignore[call-overload]
        return bool(asked.returncode == 0)


def lent_account(home: Path) -> Account | None:
    """Ourselves, or if we are root whoever owns the home, or for one of root's own SERVICE, or the first of SHARED."""
    if os.getuid() != 0:
        return None
    owner = home.stat().st_uid if home.exists() else 0
    if owner != 0 and (account := _account(owner)):
        return account
    for name in (SERVICE, *SHARED):
        if account := _account(name):
            return account
    raise ConfigError(f"PostgreSQL does not run as root and none of these accounts exists: {SERVICE}, {SHARED}.")


def _account(named: str | int) -> Account | None:
    try:
        entry = pwd.getpwnam(named) if isinstance(named, str) else pwd.getpwuid(named)
    except KeyError:
        return None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def hand_over(data: Path, account: Account) -> None:
    """Give the data of a server that does not run to this account; nothing is done where they are its own.

    The folder becomes root's first and the account's last: whom it belonged to enters it no more, and a run that was
    killed half way begins again. No link is followed: it may have been put there to have us give something else away.
    """
    if data.stat().st_uid == account.uid:
        return
    os.chown(data, 0, 0)
    data.chmod(0o700)  # which also ends what an access list may allow
    for _, folders, files, folder in os.fwalk(data, follow_symlinks=False):
        for name in (*folders, *files):
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if name in files and found.st_nlink > 1:
                raise ConfigError(f"A file in {data} has a second name elsewhere: look who has made it.")
            os.chown(name, account.uid, account.gid, dir_fd=folder, follow_symlinks=False)
    os.chown(data, account.uid, account.gid)
