"""The text of a document, read in a process of its own with little memory and time: `python -m` this, KIND and PATH.

It writes lines of JSON: first what the document says of itself, then its paragraphs, at last a mark that it is whole;
or what is wrong with it. Documents are programs for whoever reads them, and one may ask for all memory and never end.
"""

from __future__ import annotations

import re
import resource
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import orjson

MOST_MEMORY = 1_500_000_000
"""Bytes of address space: the libraries take a third of it (measured)."""
MOST_CPU_S = 120
"""Seconds of work: a book of a thousand pages takes half of it (chosen)."""
MOST_PAGES = 20_000
_HEADING = re.compile(r"(?:heading|title)\b", re.IGNORECASE)
"""Styles of headings are called so in the file, whatever the language of Word is."""
_WORDS = './/*[(self::w:t or self::w:tab or self::w:br or self::w:cr) and not(ancestor::*[local-name()="Fallback"])]'
"""What is seen of a paragraph: what was inserted and is under review too, what was deleted not."""
_PARAGRAPHS = ".//w:p[not(ancestor::w:p)]"
"""Those of a cell, in tables within it, too; one in a drawing is read with what the drawing stands in."""
_GALLERY = "{*}sdtPr/{*}docPartObj/{*}docPartGallery"
_FRAMES = frozenset({"sdt", "sdtContent", "customXml"})
"""What may stand around paragraphs, rows and cells: fields to fill in, and marks of other programs."""
_ENDS = re.compile(r"[.!?:…。！？][\"'”’)\]]*$")

Paragraphs = Iterator[dict[str, Any]]


class UnreadableDocument(Exception):
    """What keeps it from being read, in words for a person."""


def main(kind: str, path: str) -> None:
    """Write what is in the document."""
    for limit, most in ((resource.RLIMIT_AS, MOST_MEMORY), (resource.RLIMIT_CPU, MOST_CPU_S)):
        resource.setrlimit(limit, (most, most))
    try:
        for line in READERS[kind](path):
            _write(line)
        _write({"whole": True})
    except UnreadableDocument as error:
        _write({"error": str(error)})
    except MemoryError:
        _write({"error": f"needs more than {MOST_MEMORY:,} bytes of memory to be read"})
    except Exception as error:  # a library has many ways to say that a document is broken
        _write({"error": f"is damaged ({type(error).__name__})"})


def _write(line: dict[str, Any]) -> None:
    sys.stdout.buffer.write(orjson.dumps(line) + b"\n")


def _sound(text: object) -> str:
    return str(text).encode("utf-8", "replace").decode().replace("\x00", "")


def read_docx(path: str) -> Paragraphs:
    """Paragraphs, headings above what follows them, the rows of tables as lines."""
    import docx
    from docx.table import Table
    from docx.text.paragraph import Paragraph

    document = docx.Document(path)
    core = document.core_properties
    at: datetime | None = core.modified or core.created
    yield {"author": _sound(core.author or ""), "at": at.isoformat() if at else None}
    headings: list[str] = []
    for block in _within(document.element.body, "p", "tbl"):
        if isinstance(block, str):
            yield {"left_out": block}
            continue
        if block.tag.endswith("}tbl"):
            yield from ({"text": line} for line in _rows(Table(block, document)))
            continue
        text, style = _sound(_seen(block)), Paragraph(block, document).style
        if not text.strip():
            continue
        if _HEADING.match(style.name or "" if style else ""):
            headings.append(text.strip())
        else:
            yield {"text": "\n".join([*headings, text.strip()])}
            headings = []
    if headings:
        yield {"text": "\n".join(headings)}


def _within(element: Any, *names: str) -> Iterator[Any]:
    """The children of these names, also those that stand in fields to fill in; instead of a table of contents, what
    that is called."""
    for each in element.iterchildren("{*}*"):
        name = each.tag.rpartition("}")[2]
        if name in names:
            yield each
        elif name == "sdt" and any("Table of Contents" in part.values() for part in each.iterfind(_GALLERY)):
            yield "table of contents"
        elif name in _FRAMES:
            yield from _within(each, *names)


def _rows(table: Any) -> Iterator[str]:
    """The rows of a table as lines; what is in a cell that spans several stands in a row once."""
    from docx.table import _Row

    for row in _within(table._tbl, "tr"):
        cells = list(_within(row, "tc"))
        if len(cells) == len(row.tc_lst):
            cells = list(dict.fromkeys(cell._tc for cell in _Row(row, table).cells))
        texts = ("\n".join(_seen(each) for each in cell.xpath(_PARAGRAPHS)) for cell in cells)
        if line := " | ".join(filter(None, (_sound(text).strip() for text in texts))):
            yield line


def _seen(paragraph: Any) -> str:
    return "".join(
        each.text or "" if each.tag.endswith("}t") else "\t" if each.tag.endswith("}tab") else "\n"
        for each in paragraph.xpath(_WORDS)
    )


def read_pdf(path: str) -> Paragraphs:
    """Paragraphs, page by page; pages without text are told."""
    from pypdf import PdfReader

    reader = PdfReader(path, strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnreadableDocument("has a password: save it without one")
    about = reader.metadata
    yield {"author": _sound(about.author or "" if about else ""), "at": _created(about)}
    if len(reader.pages) > MOST_PAGES:
        raise UnreadableDocument(f"has more than {MOST_PAGES:,} pages")
    found = False
    for page in reader.pages:
        text = _sound(page.extract_text() or "")
        if not text.strip():
            yield {"left_out": "textless page"}
        for paragraph in paragraphs_of(text):
            found = True
            yield {"text": paragraph}
    if not found:
        raise UnreadableDocument(
            "holds no text, only pictures of it: have the text recognised (OCR) and save it as a PDF with text"
        )


def _created(about: Any) -> str | None:
    try:
        at = (about.modification_date or about.creation_date) if about else None
    except ValueError:
        return None
    return at.isoformat() if at else None


def paragraphs_of(page: str) -> Iterator[str]:
    """Lines as they were set, put together to paragraphs: one ends with a blank line, or a short line that ends a
    sentence. A word that was parted at the end of a line is one again."""
    lines = [line.strip() for line in page.split("\n")]
    width = max(map(len, lines), default=0)
    held = ""
    for line in lines:
        if line and held.endswith("-") and held[-2:-1].isalpha() and line[:1].islower():
            held = held[:-1] + line
        elif line:
            held = f"{held} {line}".strip()
        if held and (not line or (len(line) < 0.8 * width and _ENDS.search(line))):
            yield held
            held = ""
    if held:
        yield held


READERS: dict[str, Callable[[str], Paragraphs]] = {"docx": read_docx, "pdf": read_pdf}

if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
