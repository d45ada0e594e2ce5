"""Mail: messages in .eml and .mbox files, and messages pasted as text, each told by its sender on its date.

Headers, quoted lines, signatures and the mark above a quotation are nobody's words here and are left out. A signature
is what stands below `-- `, and the closing lines that end with the name which the headers give for the sender.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from email import message_from_string
from email.errors import HeaderParseError, MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.policy import Compat32
from email.utils import parsedate_to_datetime
from itertools import islice

from adapters.capture.bodies import STEP_S, UNKNOWN, Body, SourceStart, SpokenTurn, body_of_turns, name_of, raw_of
from adapters.capture.dates import date_of_file, place, read_moment
from adapters.capture.html import words_of
from adapters.capture.jsonl import Rejected
from adapters.capture.text import TextFile
from memory.model.ids import fold

SUFFIXES = frozenset({".eml", ".mbox"})
HEAD_LINES = 10
"""Pasted text is mail if it names a sender, and a subject or a date, in as many lines."""

_NAMES = {"von": "from", "gesendet": "date", "datum": "date", "sent": "date", "betreff": "subject", "an": "to"}
"""How mail programs write headers for a reader to see: Outlook's `Sent`, and German."""
_HEADER = re.compile(r"\*{0,2}(?P<name>[A-Za-z][\w-]*)\s?:(?!//)\*{0,2}")
_SENDER = re.compile(r"\"?(?P<name>[^\"<>\[]*?)\"? ?(?:[<\[](?:mailto:)?(?P<address>[^<>\[\]]*)[>\]])?")
"""In a header, which has single blanks and none at its ends."""
_NO_CHARSETS = frozenset({"ascii", "punycode"})
"""Programs name the one whatever they write; no mail is in the other, and reading it takes the square of its length."""
_RULE = re.compile(r"[-_]{2,40}[^-_]{0,60}[-_]{2,40}\s*")
_ATTRIBUTION = re.compile(r"(?s)(?:On|Am) .{6,300}?(?:wrote|schrieb\b.{0,100}):\s*")
"""What a mail program writes above a quotation."""
BROKEN = (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError, MessageError)
"""What the parser of the standard library ends in where headers or parts are damaged."""
MOST_CHARS = 64_000_000
"""Of one message in a mailbox: what mail servers take, attachments included, is less (chosen)."""
HEADER_CHARS = 4_000
"""Of one header: what is read of one is a name, a date or a type, and the parser's time is the square of its length
(chosen)."""
MOST_PARAGRAPHS = 20_000
"""Of one source, as many as it may have segments; a longer mail becomes several."""
CLOSING_WORDS = 4
"""Before a name, at most, in a closing: Mit besten Grüßen aus Kiel has five, Best has one (chosen)."""
LABEL_CHARS = 60
SIGNED_LINES = 8
"""Below a name, in the same paragraph: a title, an address, a telephone (chosen)."""


class _ShortHeaders(Compat32):
    """Cuts what is too long to be read in time, in the head of the mail and of each of its parts."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:HEADER_CHARS]


_POLICY = _ShortHeaders()


@dataclass(frozen=True, slots=True)
class MailMessage:
    """One message: who sent it, when (naive if it does not say in which zone), the sender's own paragraphs, each as it
    was with its closing, and all of it as it came."""

    sender: str
    sent_at: date | datetime | None
    paragraphs: tuple[str, ...]
    written: tuple[str, ...]
    raw: str = ""

    def turns(self, start_s: float = 0.0) -> list[SpokenTurn]:
        """The paragraphs as turns of the sender, from `start_s` on; the first bears the mail as it came."""
        times = [round(start_s + number * STEP_S, 3) for number in range(len(self.paragraphs))]
        turns = [
            SpokenTurn(self.sender, text, at, at, written=written if written != text else None)
            for text, written, at in zip(self.paragraphs, self.written, times, strict=True)
        ]
        return [replace(turn, raw=self.raw or None) for turn in turns[:1]] + turns[1:]

    def moment(self, zone: tzinfo) -> datetime | None:
        """When it was sent, in that zone where it names none."""
        return None if self.sent_at is None else place(self.sent_at, zone)


def sniff(file: TextFile) -> bool:
    """A mail file by its suffix, or text, or a mailbox, that begins with the headers of a mail."""
    if file.suffix in SUFFIXES:
        return bool(file.head.strip())
    head = [line for _, line in islice(file.lines(), HEAD_LINES + 1)]
    return is_mail("\n".join(head[1:] if _opens_mailbox(head) else head))


def read(file: TextFile) -> Iterator[Body]:
    """One source a message; a message in a mailbox without text to read is set aside.

    A message in a mail file gives its own words alone, since those it answers have files or places of their own;
    pasted text gives every message that stands in it.
    """
    in_mailbox = _opens_mailbox([line for _, line in islice(file.lines(all_of_them=True), 1)])
    for number, text in _messages(file) if in_mailbox else _whole(file):
        try:
            found = letters(*_redecoded(file, text))
            told = list(islice(found, 1) if in_mailbox or file.suffix in SUFFIXES else found)
        except BROKEN as error:
            file.set_aside(Rejected(number, 0, f"a mail whose headers or parts are broken ({type(error).__name__})"))
            continue
        if told and not any(letter.paragraphs for letter in told):
            file.set_aside(Rejected(number, 0, "a mail without text of its sender's own"))
        for letter in told:
            sent_at = letter.moment(file.zone)
            origin = SourceStart(sent_at) if sent_at else SourceStart(*date_of_file(file))
            turns = letter.turns()
            for start in range(0, len(turns), MOST_PARAGRAPHS):
                yield body_of_turns(file, "mail", "email", origin, turns[start : start + MOST_PARAGRAPHS])


def is_mail(text: str) -> bool:
    """Whether a text begins with the headers of a mail."""
    return _is_head(text.lstrip("\ufeff\n\r ").split("\n", HEAD_LINES)[:HEAD_LINES])


def letters(text: str, of_bytes: bool = False) -> Iterator[MailMessage]:
    """The message a text is, and after it those that follow or stand below it under headers of their own.

    `of_bytes`: each of its characters is a byte, for the message itself to say what it means.
    """
    message = _parsed(text)
    lines = _plain_text(message, of_bytes).split("\n")
    starts = [at for at in range(len(lines)) if _stands_free(lines, at) and _is_head(lines[at : at + HEAD_LINES])]
    cuts = [*starts, len(lines)]
    yield _letter(message, lines[: cuts[0]], text)
    for begin, end in zip(starts, cuts[1:], strict=True):
        written = "\n".join(lines[begin:end])
        below = _parsed(written)
        yield _letter(below, _plain_text(below).split("\n"), written)


def said_within(sent: Sequence[tuple[datetime, MailMessage]], most_s: float) -> tuple[datetime, list[SpokenTurn]]:
    """When mails in order begin, and what is said in them, within so many seconds: those up to the last mail. What is
    older stands in order at their beginning."""
    paragraphs = sum(len(each.paragraphs) for _, each in sent)
    begun = max(sent[0][0], sent[-1][0] - timedelta(seconds=most_s - paragraphs * STEP_S))
    turns: list[SpokenTurn] = []
    for at, each in sent:
        after = turns[-1].end + STEP_S if turns else 0.0
        turns += each.turns(max(after, (at - begun).total_seconds()))
    return begun, turns


def _is_head(lines: Sequence[str]) -> bool:
    names: set[str] = set()
    for line in lines:
        found = _HEADER.match(line)
        if found is None and not (names and line[:1] in (" ", "\t") and line.strip()):
            break
        if found is not None:
            names.add(_NAMES.get(found["name"].lower(), found["name"].lower()))
    return "from" in names and bool(names & {"subject", "date"})


def _stands_free(lines: Sequence[str], at: int) -> bool:
    return at == 0 or not lines[at - 1].strip() or _RULE.fullmatch(lines[at - 1]) is not None


def _parsed(text: str) -> Message:
    """The message with the names of its headers as the standard has them."""
    lines = text.lstrip("\ufeff\n\r ").replace("\r\n", "\n").split("\n")
    body = next((at for at, line in enumerate(lines) if not line.strip()), len(lines))
    return message_from_string("\n".join([*map(_standard, lines[:body]), "", *lines[body + 1 :]]), policy=_POLICY)


def _standard(line: str) -> str:
    found = _HEADER.match(line)
    if found is None:
        return line
    return f"{_NAMES.get(found['name'].lower(), found['name'])}:{line[found.end() :]}"


def _letter(message: Message, lines: Sequence[str], raw: str) -> MailMessage:
    sender = name_of(_sender(_header(message, "from")))
    words = _own_words(lines, sender)
    kept, written = (tuple(each) for each in zip(*words, strict=True)) if words else ((), ())
    return MailMessage(sender, _sent_at(_header(message, "date")), kept, written, raw_of(raw))


def _header(message: Message, name: str) -> str:
    """A header as a person reads it; as it stands where it is not encoded as the standard asks."""
    written = " ".join(str(message.get(name, "")).split())
    try:
        return " ".join(str(make_header(decode_header(written))).split())
    except (HeaderParseError, LookupError, ValueError):
        return written


def _sender(written: str) -> str:
    """The name of a sender, else what the address says before its @: `priya.sharma@x.org` is Priya Sharma."""
    found = _SENDER.fullmatch(written)
    name = found["name"] if found else written
    if "@" in name or not name:
        address = name or (found["address"] if found else "") or ""
        return re.sub(r"[._+\s]+", " ", address.partition("@")[0]).strip().title()
    last, comma, first = name.partition(", ")
    return f"{first} {last}" if comma else name


def _sent_at(written: str) -> date | datetime | None:
    moment = read_moment(written)
    if moment is not None:
        return moment
    try:
        stamp = parsedate_to_datetime(written)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return stamp if 1900 <= stamp.year <= 2199 else None


def _plain_text(message: Message, of_bytes: bool = False) -> str:
    """The first part that is plain text and no attachment, else the words of the first of HTML; empty without both."""
    parts = list(_shown(message))
    for type_, words in (("text/plain", str), ("text/html", words_of)):
        part = next((part for part in parts if part.get_content_type() == type_), None)
        text = "" if part is None else words(_payload(part, of_bytes))
        if text.strip():
            return text
    return ""


def _shown(part: Message) -> Iterator[Message]:
    """What a reader sees of a mail: its parts without what is attached. A mail that is attached is another's words."""
    if part.get_content_disposition() == "attachment" or part.get_content_maintype() == "message":
        return
    yield part
    for each in part.get_payload() if part.is_multipart() else ():
        if isinstance(each, Message):
            yield from _shown(each)


def _payload(part: Message, of_bytes: bool) -> str:
    payload = part.get_payload()
    if str(part.get("content-transfer-encoding", "")).strip().lower() in ("base64", "quoted-printable"):
        raw = part.get_payload(decode=True)
        assert isinstance(raw, bytes)
        payload = _read_as(raw, part.get_content_charset("utf-8"))
    elif of_bytes:
        charset = part.get_content_charset("")
        payload = _read_as(str(payload).encode("latin-1", "replace"), "" if charset.startswith("utf") else charset)
    storable = str(payload).encode("utf-8", "replace").decode()
    return storable.replace("\r\n", "\n").replace("\x00", "")


def _read_as(raw: bytes, charset: str) -> str:
    """Bytes in their charset; without a true one as Windows writes, else as Latin-1, in which each is a character."""
    with suppress(LookupError, ValueError):
        if codecs.lookup(charset).name not in _NO_CHARSETS:
            return raw.decode(charset, "replace")
    try:
        return raw.decode("cp1252")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _own_words(lines: Sequence[str], sender: str) -> list[tuple[str, str]]:
    """(text, the same with its closing) of each paragraph of the sender: without quoted lines, what announces them,
    rules, and the signature."""
    signature = next((at for at, line in enumerate(lines) if line.rstrip() == "--"), len(lines))
    kept = [line.rstrip() for line in lines[:signature] if not line.lstrip().startswith(">")]
    kept = ["" if _RULE.fullmatch(line) else line for line in kept]
    paragraphs = [each.strip() for each in re.split(r"\n{2,}", "\n".join(kept))]
    return _unsigned([each for each in paragraphs if each and not _ATTRIBUTION.fullmatch(each)], sender)


def _unsigned(paragraphs: list[str], sender: str) -> list[tuple[str, str]]:
    """(text, paragraph it is of) without the closing: the last line that is nothing but the sender's name, a few words
    above it that end no sentence, and what stands right below it. The name is known from the headers, so this depends
    on no language."""
    names = {fold(sender), *map(fold, sender.split())} - {fold(UNKNOWN)}
    for at in range(len(paragraphs) - 1, max(-1, len(paragraphs) - 3), -1):
        lines = paragraphs[at].split("\n")
        signed = next((n for n, line in enumerate(lines) if _is_name(line, names)), None)
        below = [] if signed is None else lines[signed + 1 :]
        if signed is None or not (at or signed) or len(below) > SIGNED_LINES or not all(map(_is_label, below)):
            continue
        above, before = lines[:signed], paragraphs[:at]
        if above and _closes(above[-1]):
            above = above[:-1]
        elif not above and before and "\n" not in before[-1] and len(before) > 1 and _closes(before[-1]):
            before = before[:-1]
        cut = [("\n".join(above).strip(), paragraphs[at])] if "".join(above).strip() else []
        return [*((each, each) for each in before), *cut, *((each, each) for each in paragraphs[at + 1 :])]
    return [(each, each) for each in paragraphs]


def _is_name(line: str, names: set[str]) -> bool:
    """`Ben`, `- Ben`, `/ Ben Okri`, and `Cheers, Ben`."""
    before, comma, last = line.rpartition(",")
    alone = fold(last.strip(" -–—/~*.!"))
    return alone in names and (not comma or len(before.split()) <= CLOSING_WORDS - 1)


def _is_label(line: str) -> bool:
    """A title, an address or a number below a name, and no sentence."""
    return len(line) <= LABEL_CHARS and not line.rstrip().endswith((".", "!", "?", "…"))


def _closes(line: str) -> bool:
    return len(line.split()) <= CLOSING_WORDS and not line.rstrip().endswith((".", "?", ":", ";"))


def _opens_mailbox(lines: Sequence[str]) -> bool:
    return bool(lines) and lines[0].startswith("From ")


def _whole(file: TextFile) -> Iterator[tuple[int, str]]:
    """(1, all of it); set aside where it is larger than any mail."""
    held, size = list[str](), 0
    for _, line in file.lines():
        held.append(line)
        size += len(line) + 1
        if size > MOST_CHARS:
            file.set_aside(Rejected(1, 0, f"a mail of more than {MOST_CHARS:,} characters"))
            return
    yield 1, "\n".join(held)


def _messages(file: TextFile) -> Iterator[tuple[int, str]]:
    """(line number, text) of the messages of a mailbox, each under its `From ` line; what is too large is set aside."""
    begun: list[str] = []
    first, size = 1, 0
    for number, line, opens in _opening(file.lines(all_of_them=True)):
        if opens:
            if begun:
                yield first, "\n".join(begun)
            first, begun, size = number, [], 0
        elif size <= MOST_CHARS:
            size += len(line) + 1
            begun.append(re.sub(r"^>(>*From )", r"\1", line))
            if size > MOST_CHARS:
                file.set_aside(Rejected(first, 0, f"a mail of more than {MOST_CHARS:,} characters"))
                begun = []
    if begun:
        yield first, "\n".join(begun)


def _opening(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str, bool]]:
    """(number, line, whether it opens a message): it stands below a blank line and above a header. A sentence may
    begin with the same word, and not every program marks it.
    """
    before, known = "", next(lines, None)
    while known is not None:
        number, line = known
        known = next(lines, None)
        below = known[1] if known else ""
        is_above_header = bool(_HEADER.match(below)) or below.startswith(">From ")
        yield number, line, not before.strip() and line.startswith("From ") and is_above_header
        before = line


def _redecoded(file: TextFile, text: str) -> tuple[str, bool]:
    """(one message, whether its characters are bytes yet): one in an old encoding gives it to a whole mailbox; the
    others in it are UTF-8 nevertheless."""
    if file.encoding not in ("cp1252", "latin-1"):
        return text, text.isascii()
    raw = text.encode(file.encoding)
    try:
        return raw.decode("utf-8"), raw.isascii()
    except UnicodeDecodeError:
        return raw.decode("latin-1"), True
