"""A file of somebody's words: its encoding, its lines, its name, and what the importer knows about it."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, NoReturn

from adapters.capture.jsonl import Rejected
from adapters.capture.packages import Member, Package, folder_package, is_zip, zip_package
from memory.errors import Invalid
from memory.model.ids import fold
from memory.model.sound import HeardSound

LINE_CHARS = 1_000_000
"""Longest line accepted: what is longer was not written by a person."""
SAMPLE_LINES = 200
"""Lines by which a format is told."""
MOST_CLAIMS = 10
"""Accounts under the owner's name that are told."""
_BLOCK_BYTES = 1 << 20
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_COPY = re.compile(r"( \(\d+\)| copy( \d+)?)$")


@dataclass(frozen=True)
class TextFile:
    """One file to import, or one member of a ZIP or folder (`member`), or the folder itself.

    `zone` is where its wall clock times were meant, `owner` the speaker of notes, `author` that of documents where the
    importer says so, `me` the names under which the owner speaks in chats, `labels` all that the memory takes for the
    owner. `set_aside` hears of each line that could
    not be read where the rest of the file could, `left_out` of each thing that holds no words, by its kind.
    """

    path: Path
    zone: tzinfo = UTC
    owner: str = "me"
    set_aside: Callable[[Rejected], None] = lambda rejected: None
    left_out: Callable[[str], None] = lambda kind: None
    author: str | None = None
    me: frozenset[str] = frozenset()
    member: Member | None = None
    labels: frozenset[str] = frozenset()
    hear: Callable[[BinaryIO], HeardSound] | None = None
    """Hears what is said in a file of sound; None = nobody can."""

    def is_me(self, *names: str | None) -> bool:
        """Whether the owner goes by one of these names."""
        return any(name and fold(name) in self.me for name in names)

    def other(self, name: str, account: str) -> str:
        """What somebody is called who is not the owner: with their account where the owner goes by the same name."""
        claimed = fold(name) in self.me | self.labels | {fold(self.owner)}
        return f"{name} ({account or 'unverified'})" if claimed else name

    def owning(self, accounts: Collection[str]) -> frozenset[str]:
        """Those of the accounts that bear the owner's name which are the owner's: the only one. Several are told.

        Whoever is in a chat may call themselves anything.
        """
        if len(accounts) > 1:
            named = ", ".join(sorted(accounts)[:MOST_CLAIMS])
            why = f"your name is borne by the accounts {named}: say which is yours with --me and its id"
            self.set_aside(Rejected(0, 0, why))
            return frozenset()
        return frozenset(accounts)

    @property
    def called(self) -> str:
        """What it is called, for a person: within a package, by the folder it lies in, too."""
        return self.member.name if self.member else self.path.name

    def inner(self, member: Member) -> TextFile:
        """A member as a file of its own; its path only tells where it is."""
        return replace(self, path=self.path / member.name, member=member)

    def open(self) -> BinaryIO:
        """Its bytes, from the beginning."""
        return self.member.open() if self.member else self.path.open("rb")

    @cached_property
    def package(self) -> Package | None:
        """Its members, if it is a folder or a ZIP. Raises Invalid for a ZIP that is damaged or hostile."""
        if self.member is None and self.path.is_dir():
            return folder_package(self.path, self.left_out, self._shut)
        return zip_package(self.path) if self.member is None and is_zip(self.path) else None

    def _shut(self, error: OSError) -> None:
        name = Path(str(error.filename)).name
        self.set_aside(Rejected(0, 0, f"what is in its folder {name} could not be read: {error.strerror}"))

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
        if self.member is not None:
            return (self.member.changed or datetime.fromtimestamp(0)).replace(tzinfo=self.zone)
        return datetime.fromtimestamp(self.path.stat().st_mtime, self.zone)

    @cached_property
    def head(self) -> bytes:
        """Its first 4,096 bytes."""
        with self.open() as file:
            return file.read(4096)

    @cached_property
    def head_encoding(self) -> str:
        """What its head says of its encoding; UTF-8 where that says nothing."""
        head = self.head
        for mark, encoding in _BOMS.items():
            if head.startswith(mark):
                return encoding
        zeros = head[0::2].count(0), head[1::2].count(0)
        if max(zeros) * 3 > len(head) and min(zeros) * 10 < max(zeros):
            return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
        return "utf-8"

    @cached_property
    def encoding(self) -> str:
        """UTF-8 or UTF-16 with or without a mark, else that of Windows, else Latin-1: every byte is a character."""
        if self.head_encoding != "utf-8":
            return self.head_encoding
        return next((each for each in ("utf-8", "cp1252") if self._is_in(each)), "latin-1")

    def lines(self, *, all_of_them: bool = False) -> Iterator[tuple[int, str]]:
        """(number from 1, text without its end) of every line. Raises Invalid where it is not text.

        With `all_of_them` one bad line stops no other: what is too long is cut, which is set aside, and NUL left out.
        """
        number = 0
        try:
            with io.TextIOWrapper(self.open(), encoding=self.encoding) as file:
                while line := file.readline(LINE_CHARS + 1):
                    number += 1
                    if len(line) > LINE_CHARS:
                        if not all_of_them:
                            self.refuse(number, f"longer than {LINE_CHARS:,} characters")
                        self._cut(file, number)
                    if "\x00" in line:
                        if not all_of_them:
                            self.refuse(number, "a NUL character: this is not a text file")
                        line = line.replace("\x00", "")
                    yield number, line.rstrip("\n")
        except UnicodeDecodeError:
            self.refuse(number + 1, f"not valid {self.encoding}")

    def _cut(self, file: io.TextIOWrapper, number: int) -> None:
        """Pass over the rest of a line."""
        self.set_aside(Rejected(number, 0, f"longer than {LINE_CHARS:,} characters: the rest of the line was left out"))
        while (rest := file.readline(LINE_CHARS)) and not rest.endswith("\n"):
            pass

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

    def _is_in(self, encoding: str) -> bool:
        decoder = codecs.getincrementaldecoder(encoding)()
        with self.open() as file:
            try:
                while block := file.read(_BLOCK_BYTES):
                    decoder.decode(block)
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                return False
        return True
