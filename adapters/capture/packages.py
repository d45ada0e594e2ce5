"""What comes as several files: a ZIP, or a folder. Nothing of it is taken on trust, and nothing is written to disk.

Names are looked up, never followed: a ZIP with a link, with a name that leads out of it or stands twice, or that is a
bomb is refused as a whole; links in a folder are not followed.
"""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, NoReturn

from memory.errors import Invalid

MOST_MEMBERS = 300_000
"""Files of one export: 500 channels over 10 years would be 200,000 (chosen)."""
MOST_DIRECTORY = 64_000_000
"""Bytes of a ZIP's directory, about 200 a member; each becomes 1,000 in memory."""
MOST_RATIO = 200
"""Bytes that one packed byte may become: JSON of messages becomes 5 to 30, a bomb a thousand."""
SMALL = 1_000_000
"""Bytes unpacked of a member whose ratio does not matter."""
MOST_RATIO_OF_ALL = 50
"""As much of a whole ZIP that unpacks to more than MOST_BYTES: small members are bounded by nothing else (chosen)."""
MOST_BYTES = 8_000_000_000
"""Bytes of one member unpacked (chosen: far more than anybody has written)."""

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What exports are packed with, and what is unpacked piece by piece: the others make any size of one piece."""
_TORN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, NotImplementedError, struct.error)
"""What reading a damaged ZIP ends in."""


@dataclass(frozen=True)
class Member:
    """One file of a package: its name, with `/` between folders, its bytes unpacked, and how it is opened."""

    name: str
    size: int
    changed: datetime | None
    open: Callable[[], BinaryIO]


@dataclass(frozen=True)
class Package:
    """The files of an export, by name, in order."""

    path: Path
    members: dict[str, Member]

    @cached_property
    def root(self) -> str:
        """The folder that holds everything, with its `/`: some programs pack one, others do not."""
        tops = {name.partition("/")[0] for name in self.members}
        top = next(iter(tops)) if len(tops) == 1 else ""
        return f"{top}/" if top and all("/" in name for name in self.members) else ""

    def find(self, name: str) -> Member | None:
        """The member of that name, below the folder that holds everything."""
        return self.members.get(self.root + name)

    def inside(self) -> Iterator[tuple[str, Member]]:
        """(name below the folder that holds everything, member), in order."""
        for name, member in self.members.items():
            yield name.removeprefix(self.root), member


def is_zip(path: Path) -> bool:
    """Whether a file begins like a ZIP."""
    with path.open("rb") as file:
        return file.read(4) in _ZIP


def zip_package(path: Path) -> Package:
    """The files of a ZIP. Raises Invalid wherever it is not what it should be."""
    with _damage(path.name):
        if not zipfile.is_zipfile(path):
            raise Invalid(f"{path.name}: the ZIP has no end: it was not packed or downloaded in full.", file=path.name)
        packed = zipfile.ZipFile(_Bearable(path))  # open as long as any member may be read: its directory is read once
    infos = [each for each in packed.infolist() if not each.is_dir()]
    members: dict[str, Member] = {}
    for each in infos:
        _look_at(each, path.name)
        if each.filename in members:
            _refuse(path.name, each.filename, "stands in it twice")
        members[each.filename] = Member(each.filename, each.file_size, _changed(each), _opener(packed, path.name, each))
    _whole_size(infos, path)
    return Package(path, {name: members[name] for name in sorted(members) if not _is_of_finder(name)})


def folder_package(path: Path, left_out: Callable[[str], None], shut: Callable[[OSError], None]) -> Package:
    """The files below a folder; links are left out, for they may lead anywhere, and `shut` hears of what cannot be
    opened. Raises Invalid for too many.
    """
    members: dict[str, Member] = {}
    for folder, folders, names in os.walk(path, onerror=shut, followlinks=False):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in names:
            file = Path(folder, name)
            if file.is_symlink() or not file.is_file():
                left_out("link")
                continue
            about = file.stat()
            inside = str(PurePosixPath(file.relative_to(path)))
            changed = datetime.fromtimestamp(about.st_mtime)
            members[inside] = Member(inside, about.st_size, changed, lambda file=file: file.open("rb"))  # type: ignore[misc]
            if len(members) > MOST_MEMBERS:
                raise Invalid(f"{path.name}: has more than {MOST_MEMBERS:,} files.", file=path.name)
    return Package(path, dict(sorted(members.items())))


class _Bearable(io.FileIO):
    """A ZIP's file that gives `zipfile` no directory of unbearable length.

    A directory says in several places how long it is. What `zipfile` asks for is what it believes.
    """

    def __del__(self) -> None:
        self.close()

    def read(self, size: int | None = -1, /) -> bytes:
        most = MOST_DIRECTORY + 1
        found = super().read(most if size is None or not 0 <= size <= most else size) or b""
        if len(found) == most or found.count(b"PK\x01\x02") > MOST_MEMBERS:
            name = Path(str(self.name)).name
            raise Invalid(f"{name}: has more than {MOST_MEMBERS:,} members.", file=name)
        return found


def _is_of_finder(name: str) -> bool:
    """Whether a Mac has added this file when it packed a folder: it tells of another one and holds no words."""
    return name.startswith("__MACOSX/") or name.rpartition("/")[2] == ".DS_Store"


def _whole_size(infos: list[zipfile.ZipInfo], path: Path) -> None:
    """What all members take must be what a program has packed. Raises Invalid."""
    size = path.stat().st_size
    if sum(each.compress_size for each in infos) > size:
        raise Invalid(f"{path.name}: its members overlap: this is no ZIP that a program has packed.", file=path.name)
    whole = sum(each.file_size for each in infos)
    if whole > MOST_BYTES and whole > MOST_RATIO_OF_ALL * size:
        raise Invalid(f"{path.name}: would unpack to {whole:,} bytes, as no export does.", file=path.name)


def _look_at(member: zipfile.ZipInfo, archive: str) -> None:
    name, kind = member.filename, stat.S_IFMT(member.external_attr >> 16)
    if name.startswith(("/", "\\")) or name[1:2] == ":" or ".." in name.replace("\\", "/").split("/"):
        _refuse(archive, name, "would lead out of the archive")
    if not name.isprintable():
        _refuse(archive, name, "has a name that cannot be shown")
    if stat.S_ISLNK(kind):
        _refuse(archive, name, "is a link")
    if kind not in (0, stat.S_IFREG):
        _refuse(archive, name, "is no plain file")
    if member.compress_type not in _METHODS:
        _refuse(archive, name, "is packed in a way that no export is")
    if member.file_size > MOST_BYTES or (
        member.file_size > SMALL and member.file_size > MOST_RATIO * member.compress_size
    ):
        _refuse(archive, name, f"would unpack to {member.file_size:,} bytes, as no export does")


def _refuse(archive: str, name: str, why: str) -> NoReturn:
    shown = "".join(each if each.isprintable() else "?" for each in name)[:200]
    raise Invalid(f"{archive}: its member {shown} {why}; nothing of it was read.", file=archive)


def _changed(member: zipfile.ZipInfo) -> datetime | None:
    try:
        return datetime(*member.date_time)
    except ValueError:
        return None


def _opener(packed: zipfile.ZipFile, archive: str, member: zipfile.ZipInfo) -> Callable[[], BinaryIO]:
    def opened() -> BinaryIO:
        if member.flag_bits & 0x1:
            raise Invalid(f"{archive}: {member.filename} has a password: pack it without one.", file=archive)
        with _damage(archive):
            return io.BufferedReader(_Unpacked(packed.open(member), member.file_size, f"{archive}, {member.filename}"))

    return opened


class _Unpacked(io.RawIOBase):
    """A member as it is unpacked, a piece at a time. Damage is told as Invalid."""

    def __init__(self, member: IO[bytes], size: int, name: str) -> None:
        self._member, self._size, self._name = member, size, name
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        with _damage(self._name):
            piece = self._member.read(len(view))
            self._given += len(piece)
            if self._given > self._size:
                raise ValueError("more than the directory says")
        view[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._member.close()
        super().close()


@contextmanager
def _damage(name: str) -> Iterator[None]:
    try:
        yield
    except Invalid:
        raise
    except FileNotFoundError:
        raise
    except _TORN as error:
        raise Invalid(f"{name}: is damaged: the ZIP cannot be unpacked.", file=name) from error
