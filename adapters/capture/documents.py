"""Documents: Word's .docx and PDF with text, read by their own libraries in a process that can be ended."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import IO, Any

import orjson

from adapters.capture.bodies import STEP_S, UNKNOWN, Body, SourceStart, SpokenTurn, body_of_turns, name_of
from adapters.capture.dates import date_of_file, place
from adapters.capture.text import TextFile
from adapters.modules import module_command, same_imports
from memory.errors import Invalid
from memory.model.timeline import EARLIEST, LATEST

MOST_LINE = 20_000_000
"""Bytes of one paragraph as the process writes it."""
MOST_PARAGRAPHS = 20_000
"""As many as one source holds segments; what is longer is several sources."""
_NOBODY = frozenset({"", "python-docx", "unknown", "user", "microsoft office user"})
"""What programs write where nobody said who the author is."""


def sniff_docx(file: TextFile) -> bool:
    """A package of Word's."""
    return file.package is not None and "word/document.xml" in file.package.members


def sniff_pdf(file: TextFile) -> bool:
    """Begun by its mark, before which a few bytes may stand."""
    return b"%PDF-" in file.head[:1024]


def read_docx(file: TextFile) -> Iterator[Body]:
    """Paragraph by paragraph, told by its author."""
    if not sniff_docx(file):
        raise Invalid(f"{file.path.name}: is no document of Word (.docx).", file=file.path.name)
    return _read(file, "docx")


def read_pdf(file: TextFile) -> Iterator[Body]:
    """Paragraph by paragraph, told by its author."""
    return _read(file, "pdf")


def _read(file: TextFile, form: str) -> Iterator[Body]:
    """A document as sources; a PDF without text and a damaged one are refused with what is wrong. Raises Invalid.

    Its author speaks, as it says itself unless the importer does; else nobody knows who, and it is not the owner.
    """
    lines = _lines(file, form)
    about = next(lines, {})
    author = str(about.get("author") or "")
    speaker = name_of(file.author or ("" if author.strip().lower() in _NOBODY else author)) or UNKNOWN
    speaker, origin, turns = file.owner if file.is_me(speaker) else speaker, _origin(file, about), list[SpokenTurn]()
    for line in lines:
        if "left_out" in line:
            file.left_out(line["left_out"])
        elif text := str(line.get("text", "")).strip():
            at = round(len(turns) * STEP_S, 3)
            turns.append(SpokenTurn(speaker, text, at, at))
        if len(turns) >= MOST_PARAGRAPHS:
            yield body_of_turns(file, form, "document", origin, turns)
            turns = []
    if turns:
        yield body_of_turns(file, form, "document", origin, turns)


def _origin(file: TextFile, about: Mapping[str, Any]) -> SourceStart:
    try:
        at = place(datetime.fromisoformat(about.get("at") or ""), file.zone)
        if EARLIEST <= at.timestamp() <= LATEST:
            return SourceStart(at, "document")
    except (ValueError, OverflowError):
        pass
    return SourceStart(*date_of_file(file))


def _lines(file: TextFile, form: str) -> Iterator[dict[str, Any]]:
    """What the process writes, up to the mark that it is whole. Raises Invalid."""
    command = module_command("adapters.capture.document_text", form, str(file.path.absolute()))
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=same_imports(), cwd="/"
    ) as reading:
        try:
            assert reading.stdout is not None
            yield from _until_whole(file, reading.stdout)
        finally:
            reading.kill()


def _until_whole(file: TextFile, written: IO[bytes]) -> Iterator[dict[str, Any]]:
    while line := written.readline(MOST_LINE):
        if not line.endswith(b"\n"):
            raise Invalid(f"{file.path.name}: a paragraph is longer than {MOST_LINE:,} bytes.", file=file.path.name)
        said = orjson.loads(line)
        if said.get("whole"):
            return
        if "error" in said:
            raise Invalid(f"{file.path.name}: {said['error']}.", file=file.path.name)
        yield said
    raise Invalid(
        f"{file.path.name}: takes more memory or time to read than any document should; it may be made to.",
        file=file.path.name,
    )
