"""Backups: whole or not there, nobody else's to read, and made by a program whose arguments hold no password."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from adapters.capture.commands import pack
from adapters.postgres.dumps import dump
from memory.errors import Unavailable


def _program(folder: Path, does: str) -> Path:
    """A pg_dump that does this with `$file`, the file it is told to write."""
    program = folder / "pg_dump"
    program.write_text(
        f'#!/bin/sh\nfor each; do case "$each" in --file=*) file="${{each#--file=}}";; esac; done\n{does}\n'
    )
    program.chmod(0o755)
    return program


def test_a_dump_that_fails_leaves_the_one_before_it_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "whole.dump"
    target.write_text("of yesterday")
    failing = _program(tmp_path, 'echo half > "$file"; echo "pg_dump: error: No space left on device" >&2; exit 1')
    with pytest.raises(Unavailable, match="No space left on device"):
        dump("postgresql://", failing, target)
    assert target.read_text() == "of yesterday"
    assert {each.name for each in tmp_path.iterdir()} == {"pg_dump", "whole.dump"}


def test_a_dump_is_its_owners_alone_while_it_is_written(tmp_path: Path) -> None:
    target = tmp_path / "whole.dump"
    dump("postgresql://", _program(tmp_path, 'stat -c %a "$file" > "$file"'), target)
    assert target.read_text() == "600\n"
    assert target.stat().st_mode & 0o777 == 0o600


def test_commands_that_cannot_be_packed_leave_what_was_packed_before(tmp_path: Path) -> None:
    root, target = tmp_path / "commands", tmp_path / "a.commands.tar.gz"
    (root / "ravi").mkdir(parents=True)
    (root / "ravi" / "2026-03.jsonl").write_text("{}\n")
    pack(root, target)
    (root / "zoe").mkdir()
    (root / "zoe" / ".commands.lock").mkdir()  # as if the disk were at fault
    with pytest.raises(IsADirectoryError):
        pack(root, target)
    with tarfile.open(target) as packed:
        assert packed.getnames() == ["commands/ravi/2026-03.jsonl"]
    assert {each.name for each in tmp_path.iterdir()} == {"commands", target.name}


@pytest.mark.parametrize(
    "dsn",
    ["postgresql://owner:hush%20hush@nowhere:5433/kept", "host=nowhere user=owner password='hush hush' dbname=kept"],
)
def test_a_password_stands_in_no_argument(tmp_path: Path, dsn: str) -> None:
    program = _program(tmp_path, """printf '%s|' "$@" "$PGPASSWORD" > "$file" """)
    dump(dsn, program, tmp_path / "made")
    *arguments, password, _ = (tmp_path / "made").read_text().split("|")
    assert password == "hush hush"
    assert not any("hush" in word for word in arguments)
    assert {"host=nowhere", "user=owner", "dbname=kept"} <= set(arguments[-1].split())
