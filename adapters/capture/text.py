"""A file of somebody's words: its encoding, its lines, its name, and what the importer knows about it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import NoReturn

from adapters.capture.jsonl import Rejected
from memory.errors import Invalid

LINE_CHARS = 1_000_000
"""Longest line accepted: what is longer was not written by a person."""
SAMPLE_LINES = 200
"""Lines by which a format is told."""
_BLOCK_BYTES = 1 << 20
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_COPY = re.compile(r"( \(\d+\)| copy( \d+)?)$")


@dataclass(frozen=True)
class TextFile:
    """One file to import.

    `zone` is where its wall clock times were meant, `owner` the speaker of notes, `set_aside` hears of each line that
    could not be read where the rest of the file could.
    """

    path: Path
    zone: tzinfo = UTC
    owner: str = "me"
    set_aside: Callable[[Rejected], None] = lambda rejected: None

    @property
    def name(self) -> str:
        """The file's name, without the mark of a second download: it is part of the identity of what is inside."""
        return _COPY.sub("", self.path.stem) + self.path.suffix

    @property
    def suffix(self) -> str:
        """The suffix in lower case, with its dot."""
        return self.path.suffix.lower()

    @cached_property
    def modified(self) -> datetime:
        """When the file was last written."""
        return datetime.fromtimestamp(self.path.stat().st_mtime, self.zone)

    @cached_property
    def encoding(self) -> str:
        """UTF-8 or UTF-16 with or without a mark, else Latin-1, in which every byte is a character."""
        with self.path.open("rb") as file:
            head = file.read(4096)
        for mark, encoding in _BOMS.items():
            if head.startswith(mark):
                return encoding
        zeros = head[0::2].count(0), head[1::2].count(0)
        if max(zeros) * 3 > len(head) and min(zeros) * 10 < max(zeros):
            return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
        return "utf-8" if _is_utf8(self.path) else "latin-1"

    def lines(self) -> Iterator[tuple[int, str]]:
        """(number from 1, text without its end) of every line. Raises Invalid where it is not text."""
        number = 0
        try:
            with self.path.open(encoding=self.encoding) as file:
                while line := file.readline(LINE_CHARS + 1):
                    number += 1
                    if len(line) > LINE_CHARS:
                        self.refuse(number, f"longer than {LINE_CHARS:,} characters")
                    if "\x00" in line:
                        self.refuse(number, "a NUL character: this is not a text file")
                    yield number, line.rstrip("\n")
        except UnicodeDecodeError:
            self.refuse(number + 1, f"not valid {self.encoding}")

    @cached_property
    def sample(self) -> tuple[str, ...]:
        """The first lines that are not blank, stripped."""
        head: list[str] = []
        for _, line in self.lines():
            if line.strip():
                head.append(line.strip())
            if len(head) == SAMPLE_LINES:
                break
        return tuple(head)

    def refuse(self, number: int, why: str) -> NoReturn:
        """Raise Invalid, naming file and line."""
        raise Invalid(f"{self.path.name}, line {number}: {why}.", file=self.path.name, line=number)


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        try:
            while block := file.read(_BLOCK_BYTES):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True
