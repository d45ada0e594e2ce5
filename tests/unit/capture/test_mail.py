"""Mail: whose words are whose, and when they were written."""

import time
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.capture import mail
from adapters.capture.formats import files_under, read, recognise
from adapters.capture.html import words_of
from adapters.capture.jsonl import Rejected
from adapters.capture.mail import is_mail, letters
from adapters.capture.text import TextFile
from deployments.messages import MOST_S
from deployments.use_cases.telling import SourceIn, source_of
from memory.model.profile import Profile

PRIYA = """From: Priya Sharma <priya@x.org>
To: Felix <felix@y.org>
Subject: Sunday
Date: Tue, 3 Mar 2026 10:12:00 +0100

I moved to Lyon.

On Mon, Mar 2, 2026 at 6:01 PM Felix <felix@y.org>
wrote:
> Where do you live now?
> Still in Nice?

--
Priya Sharma, Head of Cheese
"""
OUTLOOK = """Von: Weber, Jörg <joerg@x.org>
Gesendet: 03.03.2026 10:12
An: Felix
Betreff: AW: Umzug

Ich wohne jetzt in Köln.

-----Ursprüngliche Nachricht-----
Von: felix.klein@y.org
Gesendet: 02.03.2026 18:01
Betreff: Umzug

Wo wohnst du?
"""
MULTIPART = """From: =?utf-8?q?J=C3=B6rg?= <j@x.org>
Date: Tue, 3 Mar 2026 10:12:00 +0100
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Sch=C3=B6n hier.
--b
Content-Type: text/html

<p>Sch&ouml;n hier.</p>
--b--
"""
PICTURE = "From: shop@x.org\nDate: Tue, 3 Mar 2026 10:12:00 +0100\nContent-Type: text/html\n\n<img src=buy.png>\n"
HTML = """From: Priya <priya@x.org>
Date: Tue, 3 Mar 2026 10:12:00 +0100
Content-Type: text/html; charset=utf-8

<html><head><title>Mail</title><style>p {color: red}</style></head><body>
<script>document.write("<p>Not a word</p>")</script>
<p>Sch&ouml;n
hier.</p><div>I moved<br>to <b>Lyon</b>.</div>
<blockquote><p>Where do you live?</p><blockquote>Old</blockquote>Older</blockquote></body></html>
"""


def said(bodies) -> list[tuple[str, str]]:
    return [(each["speaker"], each["text"]) for body in bodies for each in body["segments"]]


def file(folder: Path, name: str, text: str, rejected: list[Rejected] | None = None) -> TextFile:
    path = folder / name
    path.write_text(text)
    return TextFile(path, ZoneInfo("Europe/Berlin"), "me", ([] if rejected is None else rejected).append)


def test_the_sender_speaks_and_what_is_quoted_is_left_out(tmp_path):
    (body,) = read(file(tmp_path, "sunday.txt", PRIYA))
    assert said([body]) == [("Priya Sharma", "I moved to Lyon.")]
    assert (body["kind"], body["started_at"]) == ("email", "2026-03-03T10:12:00.000+01:00")


def test_a_pasted_exchange_gives_each_their_own(tmp_path):
    first, second = read(file(tmp_path, "umzug.md", OUTLOOK))
    assert said([first, second]) == [("Jörg Weber", "Ich wohne jetzt in Köln."), ("Felix Klein", "Wo wohnst du?")]
    assert second["started_at"] == "2026-03-02T18:01:00.000+01:00"


def test_a_mail_file_gives_its_own_words_alone(tmp_path):
    assert said(read(file(tmp_path, "umzug.eml", OUTLOOK))) == [("Jörg Weber", "Ich wohne jetzt in Köln.")]


def test_encoded_parts_and_names_are_read(tmp_path):
    assert said(read(file(tmp_path, "a.eml", MULTIPART))) == [("Jörg", "Schön hier.")]


def test_a_mailbox_gives_every_message_and_says_which_it_could_not_read(tmp_path):
    rejected: list[Rejected] = []
    mails = [PRIYA.replace("I moved", ">From here I moved"), PICTURE, MULTIPART]
    box = file(tmp_path, "all.mbox", "\n".join(f"From x Tue Mar  3\n{each}" for each in mails), rejected)
    assert said(read(box)) == [("Priya Sharma", "From here I moved to Lyon."), ("Jörg", "Schön hier.")]
    (aside,) = rejected
    assert box.path.read_text().splitlines()[aside.line_no - 1 : aside.line_no + 1] == [
        "From x Tue Mar  3",
        "From: shop@x.org",
    ]


def test_an_old_encoding_in_a_mailbox_spoils_no_other_message(tmp_path):
    box = tmp_path / "all.mbox"
    mails = [PRIYA.replace("Lyon", "Nîmes").encode(encoding) for encoding in ("utf-8", "latin-1")]
    box.write_bytes(b"\n".join(b"From x\n" + each for each in mails))
    assert {text for _, text in said(read(TextFile(box)))} == {"I moved to Nîmes."}


WINDOWS = "“Lyon” costs 5 €."


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("windows-1252", WINDOWS),
        ("koi8-r", "Я живу в Казани."),
        ("iso-8859-2", "Mieszkam w Łodzi."),
        ("iso-2022-jp", "京都に住んでいます。"),
        ("utf-8", WINDOWS),
    ],
)
@pytest.mark.parametrize("name", ["a.eml", "a.mbox"])
def test_a_mail_is_read_in_the_charset_it_names(charset, text, name, tmp_path):
    head = f"From: a@b.c\nSubject: x\nContent-Type: text/plain; charset={charset}\n\n"
    mail_file = tmp_path / name
    first = b"From x\n" if name == "a.mbox" else b""
    mail_file.write_bytes(first + head.encode() + text.encode(charset) + b"\n")
    assert said(read(TextFile(mail_file))) == [("A", text)]


@pytest.mark.parametrize(
    "named", ["", "Content-Type: text/plain; charset=us-ascii\n", "Content-Type: text/plain; charset=x\n"]
)
def test_a_mail_that_names_no_true_charset_is_read_as_windows_writes(named, tmp_path):
    (tmp_path / "a.eml").write_bytes(f"From: a@b.c\nSubject: x\n{named}\n{WINDOWS}\n".encode("cp1252"))
    assert said(read(TextFile(tmp_path / "a.eml"))) == [("A", WINDOWS)]


def test_pasted_text_has_been_decoded_whatever_charset_it_names():
    pasted = "From: a@b.c\nSubject: x\nContent-Type: text/plain; charset=koi8-r\n\nIch wohne in Köln."
    assert next(letters(pasted)).paragraphs == ("Ich wohne in Köln.",)


def test_mail_files_are_found_in_a_folder(tmp_path):
    for name in ("a.eml", "b.mbox", "c.png"):
        file(tmp_path, name, PRIYA)
    assert [path.name for path in files_under(tmp_path)] == ["a.eml", "b.mbox"]


@pytest.mark.parametrize(
    "text",
    [
        "Ana: hi\nBen: hi\nAna: bye",
        "From: the heart\n\nI love you.",
        "Subject: x\nDate: 2026-03-03\n\nhi",
        "I wrote this.\nFrom: Ana\nSubject: x",
    ],
)
def test_what_is_no_mail(text, tmp_path):
    assert not is_mail(text)
    assert recognise(file(tmp_path, "a.txt", text)).name != "mail"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('"Sharma, Priya" <p@x.org>', "Priya Sharma"),
        ("priya_sharma@x.org", "Priya Sharma"),
        ("<p@x.org>", "P"),
        ("Priya [mailto:p@x.org]", "Priya"),
        ("", "unknown"),
        ("=?utf-8?b?a?=", "=?utf-8?b?a?="),
    ],
)
def test_the_name_of_a_sender(written, name):
    assert next(letters(f"From: {written}\nSubject: x\n\nhi")).sender == name


def test_content_that_is_mail_is_told_by_its_senders_in_order():
    body = SourceIn(source_id="m", started_at="2026-03-09T08:00:00+01:00", content=OUTLOOK)
    source = source_of(body, "user:felix", Profile(name="Felix"))
    assert [(each.speaker, each.text) for each in source.segments] == [
        ("Felix Klein", "Wo wohnst du?"),
        ("Jörg Weber", "Ich wohne jetzt in Köln."),
    ]
    assert (source.kind, source.started_at) == ("email", datetime.fromisoformat("2026-03-02T18:01+01:00").timestamp())
    assert source.segments[1].start == (16 * 60 + 11) * 60


def test_mails_of_more_than_a_year_keep_the_dates_of_the_last_year_and_their_order():
    sent = ["2026-03-03T10:00", "2026-01-03T10:00", "2023-01-03T10:00", "2020-01-03T10:00"]
    mails = [
        f"From: {name}@x.org\nDate: {at}\nSubject: x\n\nI am {name}." for name, at in zip("dcba", sent, strict=True)
    ]
    body = SourceIn(source_id="m", started_at="2026-03-09T08:00Z", content="\n\n".join(mails))
    source = source_of(body, "user:felix", Profile(name="Felix"))
    assert [each.text for each in source.segments] == [f"I am {name}." for name in "abcd"]
    starts = [each.start for each in source.segments]
    assert starts == sorted(set(starts))
    assert max(starts) <= MOST_S
    now = [datetime.fromtimestamp(source.started_at + each, UTC) for each in starts[2:]]
    assert now == [datetime(2026, 1, 3, 10, tzinfo=UTC), datetime(2026, 3, 3, 10, tzinfo=UTC)]


def test_a_mail_of_more_paragraphs_than_a_source_holds_stays_as_it_is(monkeypatch):
    monkeypatch.setattr("deployments.use_cases.telling.MOST_SEGMENTS", 2)
    body = SourceIn(source_id="m", started_at=0, content="From: a@b.c\nSubject: x\n\none\n\ntwo\n\nthree")
    (segment,) = source_of(body, "user:felix", Profile(name="Felix")).segments
    assert segment.text == body.content


def test_content_that_is_no_mail_stays_as_it_is():
    body = SourceIn(source_id="m", started_at=0, content="Lyon is nice.")
    (segment,) = source_of(body, "user:felix", Profile(name="Felix")).segments
    assert (segment.segment_id, segment.speaker, segment.text) == ("content", "Felix", "Lyon is nice.")


@pytest.mark.parametrize(
    "rest",
    [
        "Content-Type: text/plain; name*=utf-8''a; name*0=b\nContent-Transfer-Encoding: quoted-printable\n\nhi",
        "Content-Type: message/rfc822\n\n" * 1200,
    ],
)
def test_content_that_is_a_damaged_mail_stays_as_it_is(rest):
    content = f"From: a@b.c\nSubject: x\n{rest}"
    body = SourceIn(source_id="m", started_at=0, content=content)
    (segment,) = source_of(body, "user:felix", Profile(name="Felix")).segments
    assert (segment.segment_id, segment.text) == ("content", content)


@given(
    st.lists(
        st.sampled_from(
            [
                *PRIYA.split("\n"),
                *OUTLOOK.split("\n"),
                *MULTIPART.split("\n"),
                "Date: 0",
                "\ud7ff",
                "Date: Tue, 3 Mar 0001 10:12:00 +2359",
                "Content-Type: text/plain; charset=hex",
                "From: " + "x" * 2000,
                "Content-Transfer-Encoding: base64",
            ]
        )
    )
)
def test_no_content_is_a_crash(lines):
    body = SourceIn(source_id="m", started_at=0, content="\n".join(["From: a@b.c", "Subject: x", *lines]))
    assert source_of(body, "user:felix", Profile()).segments


def test_a_mail_of_html_alone_is_read_as_it_is_seen(tmp_path):
    (body,) = read(file(tmp_path, "page.eml", HTML))
    assert said([body]) == [("Priya", "Schön hier."), ("Priya", "I moved\nto Lyon.")]


@pytest.mark.parametrize(
    ("page", "seen"),
    [
        ("<head><meta charset=utf-8><body>Hi", "Hi"),  # a head needs no end
        ("<!-- <p>old</p> -->a<!--> b", "a b"),
        ("<style><!-- p {} --></style><script>if (a<b) x = '</p>'</script>ok", "ok"),
        ("<blockquote>Old<blockquote>Older</blockquote>Old</blockquote>new", "new"),
        ("<ul><li>Anna<li>Kiel</ul>", "Anna\nKiel"),
        ("1 &lt; 2 a < b &nbsp;&euro;5", "1 < 2 a < b €5"),
        (f"a&#{'9' * 5000};b", "a b"),
        ("<script>never closed", ""),
    ],
)
def test_a_page_is_its_words(page, seen):
    assert words_of(page) == seen


@pytest.mark.parametrize("broken", ["<a ", "<a href='", "<!--", "<a x=", "</", "<blockquote>", "</svg>", "&#"])
def test_a_broken_page_takes_no_longer_than_it_is_long(broken):
    began = time.process_time()
    words_of("<blockquote>" * 5000 + broken * 20_000)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("I moved to Lyon.\n\nBest\nPriya", ["I moved to Lyon."]),
        ("I moved to Lyon.\n\nBest,\n\nPriya", ["I moved to Lyon."]),
        ("I moved to Lyon.\nViele Grüße\nPriya Sharma\nHead of Cheese\n+33 1 23", ["I moved to Lyon."]),
        ("I moved to Lyon.\n\nCheers, Priya\n\nP.S. Ben is here.", ["I moved to Lyon.", "P.S. Ben is here."]),
        ("I moved to Lyon.\n\n- Priya", ["I moved to Lyon."]),
        ("I moved.\n\nIt was Priya", ["I moved.", "It was Priya"]),
        ("Priya\nI moved to Lyon.", ["Priya\nI moved to Lyon."]),
        ("Is it Ben?\nPriya\nHe moved to Lyon.", ["Is it Ben?\nPriya\nHe moved to Lyon."]),
        ("I moved.\n\nSee you soon in Nice, Priya", ["I moved.", "See you soon in Nice, Priya"]),
        ("I moved to Lyon.\n\nThanks,\nBen", ["I moved to Lyon.", "Thanks,\nBen"]),
        ("Did I move?\nYes.\nPriya", ["Did I move?\nYes."]),
    ],
)
def test_a_closing_ends_with_the_name_of_the_sender(body, kept):
    (letter,) = letters(f"From: Priya Sharma <p@x.org>\nSubject: x\n\n{body}")
    assert list(letter.paragraphs) == kept


def test_ids_are_of_the_paragraph_with_its_closing(tmp_path, monkeypatch):
    """So cutting closings otherwise doubles nothing that was imported before."""
    long = "The boat needs paint. " * 400
    path = tmp_path / "a.eml"
    path.write_text(f"From: Priya Sharma <p@x.org>\nDate: 2024-05-01 10:00\nSubject: x\n\n{long}\nBest\nPriya\n")
    cut = list(read(TextFile(path)))
    monkeypatch.setattr(mail, "_is_name", lambda line, names: False)
    whole = list(read(TextFile(path)))
    (was,), (now,) = whole, cut
    assert now["source_id"] == was["source_id"]
    assert [each["segment_id"] for each in now["segments"]] == [each["segment_id"] for each in was["segments"]]
    assert [each["text"] for each in now["segments"]] != [each["text"] for each in was["segments"]]
    assert len(now["segments"]) == 3


BROKEN = [
    b"From: a@b.c\nSubject: x\nContent-Type: multipart/mixed; boundary=\n\n--\n",
    b"From: a@b.c\nSubject: x\nContent-Type: text/plain; charset=nonsense\nContent-Transfer-Encoding: base64\n\n!!!!\n",
    b"From: a@b.c\nSubject: =?utf-8?b?\xff?=\nDate: Tue, 99 Foo 2026\n\n" + b"\x00" * 50 + b"\n",
    b"From: a@b.c\nSubject: long\n\n" + b"x" * 1_500_000 + b"\n",
    b"From: a@b.c\nSubject: deep\n"
    + b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(2_000)),
    b"no headers at all\n\n\n",
    b"From: a@b.c\nSubject: x\nContent-Type: message/rfc822\n\nFrom: b@c.d\n\nInner\n",
]


def test_broken_mime_in_a_mailbox_stops_nothing_else(tmp_path):
    rejected: list[Rejected] = []
    box = tmp_path / "all.mbox"
    whole = PRIYA.replace("Lyon", "Nice").encode()
    box.write_bytes(b"\n".join(b"From x Tue Mar  3\n" + each for each in [PRIYA.encode(), *BROKEN, whole]))
    texts = [text for _, text in said(read(TextFile(box, set_aside=rejected.append)))]
    assert (texts[0], texts[-1]) == ("I moved to Lyon.", "I moved to Nice.")
    assert any("longer than 1,000,000 characters" in each.reason for each in rejected)


def test_a_mail_file_larger_than_any_mail_is_set_aside(tmp_path, monkeypatch):
    monkeypatch.setattr("adapters.capture.mail.MOST_CHARS", 1_000)
    rejected: list[Rejected] = []
    path = tmp_path / "a.eml"
    path.write_text(PRIYA + "x\n" * 600)
    assert not list(read(TextFile(path, set_aside=rejected.append)))
    assert [each.reason for each in rejected] == ["a mail of more than 1,000 characters"]


def test_a_mail_of_more_paragraphs_than_a_source_holds_becomes_several(tmp_path, monkeypatch):
    monkeypatch.setattr("adapters.capture.mail.MOST_PARAGRAPHS", 2)
    path = tmp_path / "a.eml"
    path.write_text("From: p@x.org\nDate: 2024-05-01 10:00\nSubject: x\n\none\n\ntwo\n\nthree\n")
    bodies = list(read(TextFile(path)))
    assert [[each["text"] for each in body["segments"]] for body in bodies] == [["one", "two"], ["three"]]
    assert len({body["source_id"] for body in bodies}) == 2


def test_a_mail_larger_than_any_server_takes_is_set_aside(tmp_path, monkeypatch):
    monkeypatch.setattr("adapters.capture.mail.MOST_CHARS", 1_000)
    rejected: list[Rejected] = []
    box = file(tmp_path, "all.mbox", "\n".join(f"From x\n{each}" for each in (PRIYA + "y\n" * 999, PRIYA)), rejected)
    assert said(read(box)) == [("Priya Sharma", "I moved to Lyon.")]
    assert [each.line_no for each in rejected] == [1]
