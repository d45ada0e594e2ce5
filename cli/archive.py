"""`memoray export`, `restore` and `backup`: a memory, or the whole database, as one file."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from adapters.capture.commands import pack
from adapters.postgres.binaries import find_binaries
from adapters.postgres.dumps import dump
from cli.client import connect
from cli.console import HomeOption, JsonOption, NotRunning, UserOption, err, places_of, show
from cli.runtime import read_runtime, supervised
from memory.errors import Invalid

ARCHIVE_S = 3_600.0
"""Seconds an archive may take: one of years is made before its first byte comes, and restored in one transaction."""


def export(
    target: Annotated[
        Path | None, typer.Argument(help="A file, or a folder for memoray-USER-DATE.zip; default: this folder.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Write over a file that is there.")] = False,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a whole memory into one archive: ZIP of JSON lines, readable without Memoray.

    A file that is there already stays as it is, unless --force is given.

    Example: memoray export me.zip
    """
    named = _within(target, f"memoray-{user or 'memory'}-{datetime.now(UTC):%Y-%m-%d}.zip", Path())
    if named.exists() and not force:
        raise Invalid(f"{named} is there already; --force writes over it.")
    with connect(home, user, timeout_s=ARCHIVE_S) as client, err.status("Exporting"):
        size = client.save("/v1/export", named)
    show({"file": str(named), "bytes": size}, as_json, f"{escape(str(named))}: {size:,} bytes.")


def restore(
    archive: Annotated[
        Path, typer.Argument(help="An archive that `memoray export` wrote.", exists=True, dir_okay=False)
    ],
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Restore an archive into an empty memory, exactly as it was.

    Example: memoray restore me.zip
    """
    with connect(home, user, timeout_s=ARCHIVE_S) as client, err.status("Restoring"), archive.open("rb") as file:
        answer = client.ask("POST", "/v1/import", content=file)
    counts = ", ".join(f"{count} {name}" for name, count in answer["counts"].items() if count)
    show(answer, as_json, f"{answer['status'].capitalize()}: {counts}.")


def backup(
    target: Annotated[
        Path | None, typer.Argument(help="A file, or a folder for DATE.dump; default: the backups folder of the home.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Dump the whole database with PostgreSQL's own pg_dump, and pack the captured commands beside it.

    Every user's memory is in both. What runs goes on running.

    Example: memoray backup
    """
    places = places_of(home)
    runtime = read_runtime(places)
    if runtime is None or not supervised(places):
        raise NotRunning
    named = _within(target, f"{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}.dump", places.backups)
    program = find_binaries(os.environ) / "pg_dump"
    if not program.exists():
        raise Invalid(f"There is no pg_dump in {program.parent}: install PostgreSQL's client programs.")
    with err.status("Dumping"):
        dump(runtime.owner_dsn or runtime.dsn, program, named)
    packed = named.with_name(f"{named.stem}.commands.tar.gz")
    pack(places.commands, packed)  # after the dump: they hold all that it does
    size, beside = named.stat().st_size, packed.stat().st_size
    shown = {"file": str(named), "bytes": size, "commands": {"file": str(packed), "bytes": beside}}
    show(shown, as_json, f"{escape(str(named))}: {size:,} bytes.\n{escape(str(packed))}: {beside:,} bytes.")


COMMANDS = (("export", export), ("restore", restore), ("backup", backup))


def _within(target: Path | None, name: str, usual: Path) -> Path:
    """Where to write: the file that was named, or one of this name in the folder named or in the usual one.

    Raises Invalid if there is no such folder: better than after minutes of work.
    """
    named = (target or usual).expanduser()
    if target is None or named.is_dir():
        named = named / name
    if not named.parent.is_dir():
        raise Invalid(f"There is no folder {named.parent}.")
    return named
