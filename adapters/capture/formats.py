"""Which format a file is in, and its contents as bodies for POST /v1/sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from adapters.capture import mail, notes, recordings, subtitles, transcripts, whatsapp
from adapters.capture.bodies import Body, pages
from adapters.capture.text import TextFile
from memory.errors import Invalid, NotFound


@dataclass(frozen=True, slots=True)
class Format:
    """One way in which words are kept in files."""

    name: str
    sniff: Callable[[TextFile], bool]
    read: Callable[[TextFile], Iterator[Body]]


FORMATS = (
    Format("jsonl", recordings.sniff, recordings.read),
    Format("vtt", subtitles.sniff_vtt, subtitles.read_vtt),
    Format("srt", subtitles.sniff_srt, subtitles.read_srt),
    Format("whatsapp", whatsapp.sniff, whatsapp.read),
    Format("mail", mail.sniff, mail.read),
    Format("transcript", transcripts.sniff, transcripts.read),
    Format("note", notes.sniff, notes.read),
)
"""From the most to the least particular: the first that recognises a file reads it."""
NAMES = tuple(form.name for form in FORMATS)
SUFFIXES = notes.SUFFIXES - {""} | mail.SUFFIXES | {".jsonl", ".vtt", ".srt"}
"""What is looked for in a folder; a file named outright may be called anything."""


def read(file: TextFile, name: str | None = None) -> Iterator[Body]:
    """The sources of a file, page by page, each body small enough for one request.

    The format is told from the file unless it is named. Raises Invalid with the file and the line, NotFound.
    """
    if not file.path.is_file():
        raise NotFound(f"There is no file {file.path}.")
    for body in recognise(file, name).read(file):
        yield from pages(body)


def recognise(file: TextFile, name: str | None = None) -> Format:
    """The format of that name, or the first that fits. Raises Invalid, also for a chat that none but a note fits."""
    for form in FORMATS:
        if form.name == name or (name is None and form.sniff(file)):
            if name is None and form.read is notes.read:
                whatsapp.refuse_unknown(file)
            return form
    if not file.path.stat().st_size:
        raise Invalid(f"{file.path.name}: is empty.", file=file.path.name)
    raise Invalid(f"{file.path.name}: not in a format that can be read ({', '.join(NAMES)}).", file=file.path.name)


def files_under(path: Path) -> Iterator[Path]:
    """The file itself, or all files below a folder that could be read, in order; hidden ones are left out."""
    if not path.is_dir():
        yield path
        return
    for each in sorted(path.rglob("*")):
        hidden = any(part.startswith(".") for part in each.relative_to(path).parts)
        if not hidden and each.suffix.lower() in SUFFIXES and each.is_file():
            yield each
