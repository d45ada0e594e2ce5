"""The account that root lends to PostgreSQL: ours alone, made by the first `memoray up` of a machine."""

from __future__ import annotations

import os
import pwd
import subprocess
import time
from pathlib import Path

from adapters.postgres.account import SERVICE, lent_account

MAKE = (
    "useradd",
    "--system",
    "--user-group",
    "--no-create-home",
    "--home-dir",
    "/nonexistent",
    "--shell",
    "/usr/sbin/nologin",
    "--comment",
    "PostgreSQL of Memoray",
    SERVICE,
)
"""Without a password, a home and a shell. `userdel memoray` takes it back."""

SYSTEM_PATH = "/usr/sbin:/sbin"
"""Where `useradd` is, which the PATH of somebody who became root may lack."""

ATTEMPTS = 5
"""Another `useradd` may hold the lock of the table of accounts, also one that makes this very account."""
PAUSE_S = 1.0


def provide_account(home: Path) -> bool:
    """Make the account for PostgreSQL where we are root and it is wanted and missing; whether it was made.

    Where it cannot be made (no `useradd`, a table of accounts that cannot be written) one that others share is lent
    instead; `memoray doctor` says so.
    """
    environ = os.environ | {"PATH": os.pathsep.join((os.environ.get("PATH", ""), SYSTEM_PATH))}
    for _ in range(ATTEMPTS):
        account = lent_account(home)
        if account is None or not account.shared:
            return False
        try:
            done = subprocess.run(MAKE, cwd="/", env=environ, capture_output=True, check=False)
        except OSError:
            return False
        if done.returncode == 0:
            return True
        time.sleep(PAUSE_S)
    return False


def account_of(pid: int) -> str:
    """The account that a process runs as: its name, or its number if it has none; empty if the process has gone."""
    try:
        number = os.stat(f"/proc/{pid}").st_uid
    except FileNotFoundError:
        return ""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
