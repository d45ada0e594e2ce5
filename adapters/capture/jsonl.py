"""Session files: one payload a line, written durably, never seen torn, read from where the reader left off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from adapters.capture.files import drop_lock, extend, locked, replace, seam_after
from adapters.capture.payloads import Payload, parse_payload
from memory.errors import Invalid, NotFound

REWRITE_BYTES = 1_000_000
"""Up to here a file is copied and renamed (seed 001); beyond, copying would be quadratic and a line is appended."""
READ_BYTES = 8_000_000
"""Most bytes taken in one read, and the longest line accepted."""
_BOM = b"\xef\xbb\xbf"


class Rejected(NamedTuple):
    """A line set aside: its number in the file (from 1), where it begins in bytes, and why."""

    line_no: int
    byte_offset: int
    reason: str


def append(path: Path, payload: Mapping[str, Any]) -> None:
    """Add one payload to a session file; on return it is on disk. Raises Invalid before anything is written."""
    try:
        line = orjson.dumps(dict(payload)) + b"\n"
    except TypeError as error:
        raise Invalid("The payload cannot be written as JSON: it holds something else, or a lone surrogate.") from error
    if len(line) > READ_BYTES:
        raise Invalid(f"The payload is longer than {READ_BYTES:,} bytes: send its segments in several.")
    parse_payload(orjson.loads(line))
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path):
        size = path.stat().st_size if path.exists() else 0
        write = extend if size and size + len(line) > REWRITE_BYTES else _rewrite
        write(path, line)


def read_from(
    path: Path, offset: int = 0, *, limit: int = READ_BYTES, closed: bool = False
) -> tuple[list[Payload], int, list[Rejected]]:
    """The payloads of complete lines from a byte offset on, the next offset, and the lines set aside.

    A torn last line waits for its end, unless the file is `closed`: nobody writes it any more. An offset that does not
    begin a line is not of this file, which has been replaced: reading starts anew, harmless because ids are natural.
    At most `limit` bytes are taken; call again until the offset stands still. Raises NotFound.
    """
    try:
        with path.open("rb") as file:
            start = offset if _begins_line(file, offset) else 0
            file.seek(start)
            block = file.read(limit)
            whole = closed and len(block) < limit
            end = len(block) if whole else block.rfind(b"\n") + 1
            if not end and len(block) == limit:
                return [], *_pass_long_line(file, start, closed)
            payloads, faults = _parse_lines(block[:end], start)
            before = _lines_before(file, start) if faults else 0
    except FileNotFoundError as error:
        raise NotFound("The session file is gone.") from error
    return payloads, start + end, [fault._replace(line_no=fault.line_no + before) for fault in faults]


def strike(path: Path, kept: Callable[[bytes], bytes], offset: int) -> int | None:
    """Rewrite a session file in one step and under its lock: `kept` gives what stays of a line, nothing to drop it.

    Returns where a reader that had come to `offset` now is; None if nothing was to strike. A file of which nothing
    stays is removed.
    """
    with locked(path):
        if not path.exists():
            return None
        lines = path.read_bytes().splitlines(keepends=True)
        staying = [kept(line) for line in lines]
        if staying == lines:
            return None
        begins, read = 0, 0
        for line, rest in zip(lines, staying, strict=True):
            read += len(rest) if begins < offset else 0
            begins += len(line)
        if any(staying):
            replace(path, b"".join(staying))
        else:
            path.unlink()
            drop_lock(path)
        return read


def cut(path: Path, size: int) -> bool:
    """Remove the first `size` bytes of a session file, and one of which nothing stays; False if it is gone."""
    if not path.exists():
        return False
    with locked(path):
        rest = path.read_bytes()[size:] if path.exists() else b""
        if rest:
            replace(path, rest)
        else:
            path.unlink(missing_ok=True)
            drop_lock(path)
    return True


def _parse_lines(block: bytes, start: int) -> tuple[list[Payload], list[Rejected]]:
    payloads: list[Payload] = []
    faults: list[Rejected] = []
    position = start
    for number, line in enumerate(block.removesuffix(b"\n").split(b"\n"), 1):
        content = (line.removeprefix(_BOM) if position == 0 else line).strip()
        try:
            if content:
                payloads.append(parse_payload(orjson.loads(content)))
        except orjson.JSONDecodeError as error:
            faults.append(Rejected(number, position, f"not JSON: {error.msg} at column {error.colno}"))
        except Invalid as error:
            faults.append(Rejected(number, position, error.detail))
        position += len(line) + 1
    return payloads, faults


def _begins_line(file: BinaryIO, offset: int) -> bool:
    if offset <= 0:
        return offset == 0
    file.seek(offset - 1)
    return file.read(1) == b"\n"


def _lines_before(file: BinaryIO, offset: int) -> int:
    file.seek(0)
    count, left = 0, offset
    while left and (block := file.read(min(left, READ_BYTES))):
        count += block.count(b"\n")
        left -= len(block)
    return count


def _pass_long_line(file: BinaryIO, start: int, closed: bool) -> tuple[int, list[Rejected]]:
    """Behind a line that exceeds the limit; unless it is still being written, which is to wait for."""
    end = file.tell()
    while block := file.read(READ_BYTES):
        if newline := block.find(b"\n") + 1:
            end, closed = end + newline, True
            break
        end += len(block)
    if not closed:
        return start, []
    return end, [Rejected(_lines_before(file, start) + 1, start, "longer than one read takes")]


def _rewrite(path: Path, line: bytes) -> None:
    written = path.read_bytes() if path.exists() else b""
    replace(path, written + seam_after(written[-1:]) + line)
