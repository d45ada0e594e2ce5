"""Captured commands on disk: every one is there again, and only what was committed counts."""

from __future__ import annotations

import asyncio
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import IO

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.capture.captures import CommandFiles
from adapters.capture.commands import BLOCK, LONGEST_NAME, CommandFolder, folder_name, pack
from memory.errors import Conflict, Invalid, NotFound, Unavailable
from memory.model.captured import Captured

MARCH, APRIL = 1_772_600_000.0, 1_776_000_000.0


def line(version: int, epoch: int = 1, at: float = MARCH, **rest: object) -> Captured:
    return Captured(version, epoch, at, f"c-{version}-{epoch}", "ForgetFact", "user", {"fact_id": "f-1"}, **rest)  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> CommandFolder:
    return CommandFolder(tmp_path, "maya")


@pytest.fixture
def files(tmp_path: Path) -> CommandFiles:
    async def snapshot(user_id: str, file: IO[bytes]) -> int:
        file.write(b"what is believed")
        return int(user_id.partition("@")[2] or 0)

    return CommandFiles(tmp_path, snapshot)


def test_what_was_captured_is_there_again(folder: CommandFolder) -> None:
    captured = [line(1), line(2, encoder="minilm", decided="abc", erases=True), line(3, at=APRIL)]
    for each in captured:
        folder.append(each)
    assert sorted(path.name for path in folder.path.glob("*.jsonl")) == ["2026-03.jsonl", "2026-04.jsonl"]
    story = folder.story()
    assert list(story.lines()) == captured
    assert (story.base, story.base_version, story.version) == (None, 0, 3)
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in folder.path.glob("*.jsonl"))


def test_a_clock_that_goes_back_never_puts_a_line_before_another(folder: CommandFolder) -> None:
    for each in (line(1, at=APRIL), line(2, at=MARCH)):
        folder.append(each)
    assert [each.version for each in folder.story().lines()] == [1, 2]
    assert [path.name for path in folder.path.glob("*.jsonl")] == ["2026-04.jsonl"]


def test_a_torn_last_line_is_no_line_and_spoils_no_other(folder: CommandFolder) -> None:
    folder.append(line(1))
    path = next(folder.path.glob("*.jsonl"))
    with path.open("ab") as file:
        file.write(b'{"v":1,"version":2,"ep')
    assert folder.standing().version == 1
    folder.append(line(2, epoch=2))
    assert [each.epoch for each in folder.story().lines()] == [1, 2]


def test_of_two_lines_of_a_version_the_later_writers_counts_and_of_its_lines_the_last(folder: CommandFolder) -> None:
    for each in (line(1), line(2), line(2, at=MARCH + 1), line(2, epoch=2), line(2)):
        folder.append(each)
    assert [(each.version, each.epoch) for each in folder.story().lines()] == [(1, 1), (2, 2)]


def test_a_gap_is_refused_and_nothing_is_nothing(folder: CommandFolder) -> None:
    with pytest.raises(NotFound):
        folder.story()
    folder.append(line(4))
    with pytest.raises(Conflict, match="version 1 is missing"):
        folder.story()


def test_a_line_of_a_later_format_is_refused(folder: CommandFolder) -> None:
    folder.append(line(1))
    path = next(folder.path.glob("*.jsonl"))
    path.write_bytes(path.read_bytes().replace(b'"v":1', b'"v":2'))
    with pytest.raises(Invalid, match="later version"):
        folder.story()


def test_a_long_last_line_is_found(folder: CommandFolder) -> None:
    long = replace(line(2), command={"text": "x" * (5 * BLOCK)})
    folder.append(line(1))
    folder.append(long)
    assert folder.standing().line == long
    folder.drop_last(lambda each: each == long)
    assert folder.standing().line == line(1)


def test_only_the_line_that_is_meant_is_taken_back(folder: CommandFolder) -> None:
    folder.append(line(1))
    folder.append(line(2, epoch=2))
    folder.drop_last(lambda each: each == line(1))
    assert folder.standing().version == 2
    folder.drop_last(lambda each: each.epoch == 2)
    folder.drop_last(lambda each: True)
    assert list(folder.path.glob("*.jsonl")) == []


async def test_one_line_beyond_the_journal_was_not_committed(files: CommandFiles) -> None:
    for each in (line(1), line(2), line(3)):
        await files.write("maya", each)
    assert await files.resume("maya", 2, 2) == 2
    assert (await files.story("maya")).version == 2


async def test_of_turns_tried_in_vain_one_after_the_other_none_was_committed(files: CommandFiles) -> None:
    for each in (line(1), line(2), line(2, at=MARCH + 1), line(2, epoch=2)):
        await files.write("maya", each)
    assert await files.resume("maya", 3, 1) == 1
    assert (await files.story("maya")).version == 1


async def test_a_later_writers_line_is_left_alone(files: CommandFiles) -> None:
    await files.write("maya", line(1))
    await files.write("maya", line(2, epoch=7))
    assert await files.resume("maya", 6, 1) == 2, "whoever is fenced takes nothing back"


@pytest.mark.parametrize(("lines", "version"), [(4, 1), (2, 0)])
async def test_a_journal_that_has_lost_turns_finds_them_captured(files: CommandFiles, lines: int, version: int) -> None:
    for each in range(1, lines + 1):
        await files.write("maya", line(each))
    assert await files.resume("maya", 2, version) == lines
    assert (await files.story("maya")).version == lines


async def test_what_was_never_captured_makes_a_snapshot(files: CommandFiles) -> None:
    assert await files.resume("maya@5", 1, 5) == 5
    story = await files.story("maya@5")
    assert (story.base_version, story.version) == (5, 5)
    assert story.base is not None
    assert story.base.read_bytes() == b"what is believed"
    assert story.base.stat().st_mode & 0o777 == 0o600
    await files.write("maya@5", line(6))
    assert [each.version for each in (await files.story("maya@5")).lines()] == [6]


async def test_an_erasure_that_was_interrupted_is_finished(files: CommandFiles, tmp_path: Path) -> None:
    user = "maya@2"
    await files.write(user, line(1))
    await files.write(user, line(2, at=APRIL, erases=True))
    (tmp_path / folder_name(user) / ".2026-03.jsonl.tmp").write_text("a draft of old")
    assert await files.resume(user, 1, 2) == 2
    assert sorted(path.name for path in (tmp_path / folder_name(user)).iterdir()) == [
        ".commands.lock",
        ".snapshot.lock",
        "snapshot-000000000002.zip",
    ]
    await files.write(user, line(3))
    await files.condense(user)
    assert [each.version for each in (await files.story(user)).lines()] == [3], "what came after stays"
    assert await files.remove(user) == 2
    left = sorted(path.name for path in (tmp_path / folder_name(user)).iterdir())
    assert left == [".commands.lock", ".snapshot.lock"], "no capture; a turn may be about to write into the folder"


async def test_snapshots_are_written_one_after_another(tmp_path: Path) -> None:
    writing: list[int] = []

    async def slowly(user_id: str, file: IO[bytes]) -> int:
        writing.append(1)
        await asyncio.sleep(0.02)
        file.write(b"x" * sum(writing))
        assert sum(writing) == 1, "another snapshot is being written into the same draft"
        writing.remove(1)
        return 2

    files = CommandFiles(tmp_path, slowly)
    await files.write("maya", line(1))
    await asyncio.gather(*(files.condense("maya") for _ in range(3)))
    assert (tmp_path / "maya" / "snapshot-000000000002.zip").read_bytes() == b"x"


async def test_a_disk_that_takes_nothing_is_told(files: CommandFiles, tmp_path: Path) -> None:
    (tmp_path / "maya").write_text("a file where a folder should be")
    with pytest.raises(Unavailable):
        await files.write("maya", line(1))


async def test_everybodys_captures_are_packed_together(files: CommandFiles, tmp_path: Path) -> None:
    await files.write("maya", line(1))
    await files.resume("ravi@3", 1, 3)
    packed = tmp_path.parent / f"{tmp_path.name}.tar.gz"
    pack(tmp_path, packed)
    assert packed.stat().st_mode & 0o777 == 0o600
    with tarfile.open(packed) as archive:
        # Python 3.11 before 3.11.4 knows no filters
        archive.extractall(tmp_path / "there", **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    again = CommandFolder(tmp_path / "there" / tmp_path.name, "maya").story()
    assert list(again.lines()) == [line(1)]
    assert CommandFolder(tmp_path / "there" / tmp_path.name, "ravi@3").standing().version == 3


@given(st.lists(st.text(min_size=1, max_size=200), unique=True, max_size=20))
def test_every_user_has_a_folder_of_their_own(users: list[str]) -> None:
    names = [folder_name(user.encode(errors="replace").decode()) for user in users]
    assert all(len(name) < LONGEST_NAME + 20 and "/" not in name and not name.startswith(".") for name in names)
    distinct = {user.encode(errors="replace").decode() for user in users}
    assert len(set(names)) == len(distinct)


def test_a_line_is_readable_without_memoray(folder: CommandFolder) -> None:
    folder.append(line(1))
    written = orjson.loads(next(folder.path.glob("*.jsonl")).read_bytes())
    assert written["v"] == 1
    assert {"version", "epoch", "at", "command_id", "kind", "actor", "command"} <= written.keys()
