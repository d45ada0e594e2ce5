"""Other accounts of this machine: a function is run as one of them, in a child process that has dropped everything."""

from __future__ import annotations

import json
import os
import pwd
import socket
import stat
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

only_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can act as another account")

STRANGER = "nobody"
PROBE = ".stranger"


def acting_as(account: str, deed: Callable[[], list[str]]) -> list[str]:
    """What `deed` returns in a process of this account, which has no group but its own and no privilege."""
    entry = pwd.getpwnam(account)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(entry, deed, writer)
    os.close(writer)
    with os.fdopen(reader) as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    told: list[str] = json.loads(answer)
    return told


def _answer(entry: pwd.struct_passwd, deed: Callable[[], list[str]], writer: int) -> None:
    try:
        os.setgroups([])
        os.setgid(entry.pw_gid)
        os.setuid(entry.pw_uid)
        told = deed()
    except BaseException:  # whatever it was, the parent is to see it, and no fixture of ours may end here
        told = [traceback.format_exc()]
    with os.fdopen(writer, "w") as stream:
        json.dump(told, stream)
    os._exit(0)


def below(*folders: Path) -> list[Path]:
    """These folders and everything in them that is no link, as root sees it."""
    found = [path for folder in folders for path in (folder, *folder.rglob("*"))]
    return [path for path in found if path.exists() and not path.is_symlink()]


def trespasses(places: Iterable[Path]) -> list[str]:
    """What whoever runs this can do there: `list`, `write into`, `rename`, `read`, `write` or `connect to` a place."""
    return [f"{name} {place}" for place in places for name, deed in _deeds(place) if _succeeds(deed)]


def _deeds(place: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    yield "rename", lambda: _rename(place)
    try:
        mode = place.lstat().st_mode
    except OSError:  # what cannot be seen may be anything
        mode = 0
    if stat.S_ISDIR(mode) or not mode:
        yield "list", lambda: os.listdir(place)
        yield "write into", lambda: _link(place / PROBE)
    if stat.S_ISSOCK(mode) or not mode:
        yield "connect to", lambda: _connect(place)
    if stat.S_ISREG(mode) or not mode:
        yield "read", lambda: os.close(os.open(place, os.O_RDONLY))
        yield "write", lambda: os.close(os.open(place, os.O_WRONLY))


def _succeeds(deed: Callable[[], object]) -> bool:
    try:
        deed()
    except OSError:
        return False
    return True


def _rename(place: Path) -> None:
    moved = place.with_name(f"{place.name}.moved")
    place.rename(moved)
    moved.rename(place)


def _link(place: Path) -> None:
    place.symlink_to("/etc/hostname")
    place.unlink()


def _connect(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(5.0)
        caller.connect(str(place))
