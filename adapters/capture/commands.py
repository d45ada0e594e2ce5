"""Captured commands on disk: one JSON line a command, a file a month, a folder a user; snapshots where lines begin.

`{user}/{YYYY-MM}.jsonl` holds what was asked since `{user}/snapshot-{version}.zip`, or since the memory began. A
snapshot is written where lines alone would not do: when a memory older than its captures wakes, and when words were
erased. All that was captured before it goes, so that nothing on disk can bring an erased word back.
"""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import orjson

from adapters.capture.files import PRIVATE, drafted, extend, locked, replace, settle, sync_folder
from memory.errors import Conflict, Invalid, NotFound
from memory.model.captured import Captured
from memory.model.ids import digest
from memory.model.plain import reader

FORMAT = 1
"""Of a line; a later one is refused, never guessed at."""
LONGEST_NAME = 100
"""Characters of a folder's name that are the user's id; file systems end at 255 bytes."""
BLOCK = 65_536
"""Bytes read from the end of a file to find its last line; four times as many if that was not enough."""
LOCK = "commands"
"""What is locked in a user's folder, whichever of its files is written."""

_FIELDS = tuple(each.name for each in fields(Captured))
"""All of them are plain by themselves."""
_read = reader(Captured)


@dataclass(frozen=True, slots=True)
class CaptureProgress:
    """How far a user's captures reach: the last version, and the line that holds it unless a snapshot does."""

    version: int = 0
    line: Captured | None = None


@dataclass(frozen=True, slots=True)
class CapturedHistory:
    """All that is captured of a memory, without a gap: a snapshot or None, and where the lines after it are."""

    base: Path | None
    base_version: int
    places: tuple[tuple[Path, int], ...] = ()

    @property
    def version(self) -> int:
        """The version the memory comes to."""
        return self.base_version + len(self.places)

    def lines(self) -> Iterator[Captured]:
        """The commands in the order of their versions, read one by one."""
        for path, offset in self.places:
            with path.open("rb") as file:
                file.seek(offset)
                line = file.readline()
            captured = _parsed(line)
            assert captured is not None
            yield captured


class CommandFolder:
    """What is captured of one user. Every method works on the disk: call it off the event loop."""

    def __init__(self, root: Path, user_id: str) -> None:
        self.path = root / folder_name(user_id)

    def standing(self) -> CaptureProgress:
        """How far the captures reach."""
        for path in reversed(self._months()):
            if (found := _last(path)) is not None:
                return CaptureProgress(found[1].version, found[1])
        return CaptureProgress(max((version for version, _ in self._snapshots()), default=0))

    def append(self, captured: Captured) -> None:
        """Add a line; on return it is on disk. Raises Invalid if it holds what JSON cannot."""
        try:
            line = orjson.dumps({"v": FORMAT, **{name: getattr(captured, name) for name in _FIELDS}}) + b"\n"
        except TypeError as error:
            raise Invalid("The command holds text that is not valid Unicode, and cannot be kept.") from error
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._locked():
            path = self._month(captured)
            if not path.exists():
                path.touch(PRIVATE)
                sync_folder(self.path)
            extend(path, line)

    def drop_last(self, fits: Callable[[Captured], bool]) -> None:
        """Take the last line back, if it is the one that is meant."""
        if not self.path.exists():
            return
        with self._locked():
            for path in reversed(self._months()):
                if (found := _last(path)) is not None:
                    offset, captured = found
                    if fits(captured):
                        _cut(path, offset)
                    return

    def condensing(self) -> AbstractContextManager[None]:
        """Keep others who condense away, from the draft on, in whatever process."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return locked(self.path / "snapshot")

    def draft(self) -> Path:
        """Where a snapshot is written before it counts."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self.path / ".snapshot.tmp"
        draft.unlink(missing_ok=True)
        draft.touch(PRIVATE)
        return draft

    def condense(self, draft: Path, version: int) -> None:
        """Let a snapshot of this version stand for all that was captured up to it.

        The line that asked for it goes last: whoever is interrupted finds it there, and begins again.
        """
        with self._locked():
            snapshot = self.path / f"snapshot-{version:012d}.zip"
            settle(draft, snapshot)
            for _, path in self._snapshots():
                if path != snapshot:
                    path.unlink()
            for path in self._months():
                lines = [line for line in path.read_bytes().splitlines(keepends=True) if _after(line, version)]
                if lines:
                    replace(path, b"".join(lines))
                    path.chmod(PRIVATE)
                else:
                    path.unlink()
            for path in self.path.glob(".*.tmp"):
                path.unlink()
            sync_folder(self.path)

    def remove(self) -> int:
        """Remove all that was captured; how many files that were.

        The folder stays, with its locks: a turn may be about to write into it.
        """
        if not self.path.exists():
            return 0
        with self.condensing(), self._locked():
            count = self.count()
            for path in (*self._months(), *self.path.glob("snapshot-*.zip"), *self.path.glob(".*.tmp")):
                path.unlink(missing_ok=True)
            sync_folder(self.path)
        return count

    def count(self) -> int:
        """Files that hold captures."""
        return len(self._months()) + len(self._snapshots())

    def story(self) -> CapturedHistory:
        """All that is captured. Raises NotFound if that is nothing, Conflict if something is missing in between.

        For one version the line of the latest writer counts, and of its lines the last: the others' turns were never
        committed.
        """
        version, base = max(self._snapshots(), default=(0, None))
        best: dict[int, tuple[int, Path, int]] = {}
        for path in self._months():
            for offset, captured in _lines(path):
                known = best.get(captured.version)
                if captured.version > version and (known is None or known[0] <= captured.epoch):
                    best[captured.version] = (captured.epoch, path, offset)
        if base is None and not best:
            raise NotFound("No command of this memory was captured: there is nothing to rebuild it from.")
        missing = sorted(set(range(version + 1, max(best, default=version) + 1)) - best.keys())
        if missing:
            raise Conflict(
                f"The captured commands do not reach back: version {missing[0]} is missing"
                f" ({len(missing)} in all, of {max(best)}). Nothing was touched.",
                missing=missing[0],
            )
        return CapturedHistory(base, version, tuple(best[each][1:] for each in sorted(best)))

    def _locked(self) -> AbstractContextManager[None]:
        return locked(self.path / LOCK)

    def _months(self) -> list[Path]:
        return sorted(self.path.glob("[0-9]*.jsonl"))

    def _snapshots(self) -> list[tuple[int, Path]]:
        return sorted((int(path.stem.partition("-")[2]), path) for path in self.path.glob("snapshot-*.zip"))

    def _month(self, captured: Captured) -> Path:
        """The file of its month, but never one before the last: files in their order are lines in theirs."""
        named = self.path / f"{datetime.fromtimestamp(captured.at, UTC):%Y-%m}.jsonl"
        return max([named, *self._months()[-1:]])


def folder_name(user_id: str) -> str:
    """A name any file system takes, unlike that of any other user; ids may hold whatever can be printed."""
    name = quote(user_id, safe="").replace(".", "%2E")
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}~{digest('folder', user_id).hex()}"


def pack(root: Path, target: Path) -> None:
    """Everybody's captures in one `.tar.gz`, while commands go on being captured."""
    with drafted(target) as draft, tarfile.open(draft, "w:gz") as archive:
        for folder in sorted(path for path in root.glob("*") if path.is_dir()):
            with locked(folder / LOCK):
                for path in sorted(folder.glob("[!.]*")):
                    archive.add(path, str(path.relative_to(root.parent)))


def _parsed(line: bytes) -> Captured | None:
    """A line as a command; None if it is torn: then its turn was never committed. Raises Invalid for a later format."""
    try:
        values = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(values, dict) or values.pop("v", None) != FORMAT:
        raise Invalid("A captured command has a form that is not read here: a later version of Memoray wrote it.")
    captured: Captured = _read(values)
    return captured


def _after(line: bytes, version: int) -> bool:
    captured = _parsed(line)
    return captured is not None and captured.version > version


def _lines(path: Path) -> Iterator[tuple[int, Captured]]:
    """(offset, command) of every whole line of a file."""
    offset = 0
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n") and (captured := _parsed(line)) is not None:
                yield offset, captured
            offset += len(line)


def _last(path: Path) -> tuple[int, Captured] | None:
    """(offset, command) of the last whole line of a file; None where it holds none, or was erased meanwhile."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    with file:
        size, length = os.fstat(file.fileno()).st_size, BLOCK
        while True:
            start = max(0, size - length)
            file.seek(start)
            block = file.read(size - start)
            end = block.rfind(b"\n")
            while end > 0:
                begin = block.rfind(b"\n", 0, end) + 1
                if not begin and start:
                    break  # the line begins before the block
                if (captured := _parsed(block[begin:end])) is not None:
                    return start + begin, captured
                end = begin - 1
            if not start:
                return None
            length *= 4


def _cut(path: Path, offset: int) -> None:
    if not offset:
        path.unlink()
        sync_folder(path.parent)
        return
    with path.open("r+b") as file:
        file.truncate(offset)
        os.fsync(file.fileno())
