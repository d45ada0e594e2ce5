"""Mail: what belongs to one message, and what is attached to it or stands below it."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.capture.formats import read
from adapters.capture.text import TextFile


def _said(path: Path, content: str) -> list[tuple[str, str]]:
    """(speaker, words) of what a file of mail says."""
    path.write_text(content)
    return [(each["speaker"], each["text"]) for body in read(TextFile(path)) for each in body["segments"]]


@pytest.mark.parametrize("disposition", ["", "Content-Disposition: inline\n", "Content-Disposition: attachment\n"])
def test_the_words_of_a_mail_that_is_attached_are_not_its_senders(tmp_path: Path, disposition: str) -> None:
    parts = [
        "Content-Type: text/html\n\n<p>Look what the landlord wants.</p>\n",
        f"Content-Type: message/rfc822\n{disposition}\nFrom: Igor <igor@x.org>\nSubject: Rent\n\nI raise the rent.\n",
    ]
    head = "From: Priya <p@x.org>\nSubject: Fwd: Rent\nDate: Mon, 4 May 2026 10:00:00 +0000\n"
    head += "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
    path = tmp_path / "rent.eml"
    path.write_text(head + "".join(f"--b\n{part}\n" for part in parts) + "--b--\n")
    (body,) = read(TextFile(path))
    assert [(each["speaker"], each["text"]) for each in body["segments"]] == [
        ("Priya", "Look what the landlord wants.")
    ]


def test_a_sentence_that_begins_with_from_opens_no_message(tmp_path: Path) -> None:
    head = "From x Tue Mar  3\nFrom: {}\nSubject: Work\nDate: Tue, 3 Mar 2026 10:12:00 +0100\n\n"
    box = (
        f"{head.format('Priya')}From Monday on I work in Porto.\nIt rains there.\n\n{head.format('Igor')}Schön hier.\n"
    )
    assert _said(tmp_path / "all.mbox", box) == [
        ("Priya", "From Monday on I work in Porto.\nIt rains there."),
        ("Igor", "Schön hier."),
    ]
