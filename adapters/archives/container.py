"""The file of an archive: a ZIP of which nothing is taken on trust, read in pieces that no member can make larger."""

from __future__ import annotations

import stat
import struct
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import IO

from memory.errors import Invalid

MOST_BYTES = 20_000_000_000
"""Bytes of an archive unpacked; a smaller file that claims more is a bomb."""
MOST_RATIO = 100
"""Bytes that one packed byte may become: lines of ids and words become 5 to 30, a bomb a thousand."""
SMALL = 1_000_000
"""Bytes unpacked of a member whose ratio does not matter."""
CHUNK = 65_536
"""Bytes unpacked at a time."""
MOST_DIRECTORY = 8_192
"""Bytes of the directory at the end of the file; that of an archive takes less than a thousand."""
_END = struct.Struct("<4s4H2LH")
_LOCATOR = b"PK\x06\x07"
_TORN = (zipfile.BadZipFile, EOFError, OSError, ValueError, RuntimeError, NotImplementedError, struct.error)
"""What reading a damaged file ends in; `zlib.error` is told apart by its name alone."""
DAMAGED = "This is not an archive of Memoray, or it is damaged."


class Container:
    """An archive's file, opened: exactly these members, each once, each a plain file; those `lacking` may be missing.

    Blocks: use it off the event loop. Raises Invalid wherever the file is not what it should be.
    """

    def __init__(self, file: IO[bytes], names: Collection[str], lacking: Collection[str] = ()) -> None:
        _look_at_end(file)
        with _damage():
            self._zip = zipfile.ZipFile(file)
        members = self._zip.infolist()
        if unknown := sum(each.filename not in names for each in members):
            raise Invalid(f"{unknown} of its files are no member of an archive of Memoray.")
        for each in members:
            _look_at(each)
        if len({each.filename for each in members}) != len(members):
            twice = sorted(name for name in names if sum(each.filename == name for each in members) > 1)
            raise Invalid(f"{twice[0]}: must be there once.")
        if missing := sorted(set(names) - set(lacking) - {each.filename for each in members}):
            raise Invalid(f"{missing[0]}: is missing.")
        if sum(each.file_size for each in members) > MOST_BYTES:
            raise Invalid(f"The archive would unpack to more than {MOST_BYTES:,} bytes.")

    def single(self, name: str, most: int) -> bytes:
        """A member that is one value."""
        with _damage(name), self._zip.open(name) as file:
            found = file.read(most + 1)
        if len(found) > most:
            raise Invalid(f"{name}: must have at most {most:,} bytes.")
        return found

    def lines(self, name: str, most: int) -> Iterator[tuple[int, bytearray]]:
        """(number, line) of a member, without line ends; each line is gone with the next. A missing one has none."""
        if name not in self._zip.namelist():
            return
        number, line = 1, bytearray()
        with _damage(name), self._zip.open(name) as file:
            while chunk := file.read(CHUNK):
                start = 0
                while (end := chunk.find(b"\n", start)) >= 0:
                    line += memoryview(chunk)[start:end]
                    _bounded(name, number, line, most)
                    yield number, line
                    number, line, start = number + 1, bytearray(), end + 1
                line += memoryview(chunk)[start:]
                _bounded(name, number, line, most)
        if line:
            yield number, line


def _bounded(name: str, number: int, line: bytearray, most: int) -> None:
    if len(line) > most:
        raise Invalid(f"{name} line {number}: must have at most {most:,} bytes.")


@contextmanager
def _damage(name: str = "") -> Iterator[None]:
    """Damage told as what it is. What is raised by whoever reads a line passes."""
    try:
        yield
    except _TORN as error:
        raise Invalid(f"{name}: is damaged." if name else DAMAGED) from error
    except Exception as error:
        if type(error).__module__ == "zlib":
            raise Invalid(f"{name}: is damaged.") from error
        raise


def _look_at_end(file: IO[bytes]) -> None:
    """The directory must be small before it is read: each of its entries would become a thousand bytes."""
    file.seek(0, 2)
    size = file.tell()
    if size < _END.size:
        raise Invalid(DAMAGED)
    file.seek(-_END.size, 2)
    mark, _, _, here, in_all, directory, _, comment = _END.unpack(file.read(_END.size))
    if mark != b"PK\x05\x06" or comment:
        raise Invalid(DAMAGED)
    if here != in_all or directory > MOST_DIRECTORY:
        raise Invalid("The archive has more members than an archive of Memoray, or is one of several parts.")
    file.seek(max(0, size - _END.size - 20))
    if file.read(4) == _LOCATOR:
        raise Invalid("The archive is larger than any that Memoray writes.")
    file.seek(0)


def _look_at(member: zipfile.ZipInfo) -> None:
    name = member.filename
    if member.flag_bits & 0x1:
        raise Invalid(f"{name}: must not have a password.")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Invalid(f"{name}: must be packed by deflate, or not at all.")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise Invalid(f"{name}: must be a plain file.")
    if member.file_size > SMALL and member.file_size > MOST_RATIO * member.compress_size:
        raise Invalid(f"{name}: would unpack to more than {MOST_RATIO} times its size.")
