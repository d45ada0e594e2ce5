"""Files that other programs make, made small: ZIPs, folders, documents of Word, PDFs."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path


def packed(files: Mapping[str, bytes | str]) -> bytes:
    """A ZIP of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, content in files.items():
            pack.writestr(name, content)
    return out.getvalue()


def unpacked(folder: Path, files: Mapping[str, bytes | str]) -> Path:
    """A folder of these files."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def docx(paragraphs: list[str], author: str = "Ana Silva") -> bytes:
    """A document of Word."""
    from datetime import datetime

    import docx as word

    document = word.Document()
    document.core_properties.author = author
    document.core_properties.created = document.core_properties.modified = datetime(2024, 5, 1, 10)
    document.add_heading("The boat", 1)
    for each in paragraphs:
        document.add_paragraph(each)
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Length", "9 m"
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def form_docx() -> bytes:
    """A document of Word with fields to fill in, a table of contents, and equal, spanning and inner cells."""
    import docx as word
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    def field(content: str, about: str = "") -> object:
        return parse_xml(
            f"<w:sdt {nsdecls('w')}><w:sdtPr>{about}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"
        )

    def line(text: str) -> str:
        return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"

    document = word.Document()
    body = document.element.body
    contents = '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>'
    body.insert(0, field(line("The boat 1"), contents))
    body.insert(
        1, field(line("I moved to Porto.") + "<w:customXml>" + line("The boat needs paint.") + "</w:customXml>")
    )
    table = document.add_table(rows=3, cols=3)
    for cell, text in zip(table.rows[0].cells, ("Anchors", "2", "2"), strict=True):
        cell.text = text
    table.rows[1].cells[0].merge(table.rows[1].cells[1]).text = "Sails"
    table.rows[1].cells[2].add_table(1, 1).cell(0, 0).text = "A red one"
    table.rows[2]._tr.append(field(f"<w:tc>{line('Ropes')}</w:tc>"))
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def pdf(lines: list[str], author: str = "Ana Silva") -> bytes:
    """A PDF of one page with these lines; of an empty page without any."""
    shown = "".join(f"({line}) Tj T* " for line in lines)
    content = f"BT /F1 12 Tf 14 TL 72 720 Td {shown}ET".encode("latin-1") if lines else b""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        f"<< /Author ({author}) /CreationDate (D:20240501100000Z) >>".encode(),
    ]
    out, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer << /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + trailer
