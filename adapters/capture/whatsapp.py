"""WhatsApp's exported chats, of Android and of iOS, in their locales' ways to write a date; KakaoTalk's alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from adapters.capture.bodies import Body, SourceStart, SpokenTurn, body_of_turns, spoken_s
from adapters.capture.dates import clock_hour, read_moment
from adapters.capture.jsonl import Rejected
from adapters.capture.text import TextFile
from memory.errors import Invalid
from memory.words.calendar_names import MONTHS

SILENCE = timedelta(hours=6)
"""A chat becomes one source a day, and another one after such a silence."""
MOST = 20_000
"""Messages of one source, as many as one may have segments, and lines of one message (chosen)."""
YEARS = range(2000, 2200)

_DATE = r"(?P<a>\d{1,4})(?P<sep>[./-]|[年년])\s?(?P<b>\d{1,2})(?:(?P=sep)|[月월])\s?(?P<c>\d{1,4})[日일]?"
_CLOCK = (
    r"(?P<hour>\d{1,2})(?:[:.]|\s?h\s?)(?P<minute>\d\d)(?:(?:[:.]|\s?min\s?)(?P<second>\d\d)(?:\s?s)?)?"
    r"(?P<after>\D{0,14})"
)
_STAMPS = (
    re.compile(rf"{_DATE}(?P<before>\D{{0,12}}\s\D{{0,12}}|(?<=[日일])\D{{0,12}}){_CLOCK}"),
    re.compile(rf"(?P<before>){_CLOCK}(?<=\s){_DATE}"),
)
"""Date and time with words around the time, or, as in Vietnam and in what the browser copies, the time first."""
_LINES = (
    re.compile(r"\[(?P<stamp>[^\[\]]{8,60})(?P<end>\])\s+(?P<rest>.*)", re.DOTALL),
    re.compile(r"(?P<stamp>\d.{7,59}?)(?P<end>[\s\u200e\u200f]+[-–]\s+|:\s+)(?P<rest>.*)", re.DOTALL),
    re.compile(r"(?P<stamp>\d{2,4}[年년][^,]{6,40})(?P<end>,\s+|$)(?P<rest>.*)", re.DOTALL),
)
"""iOS; Android, and iOS before 2018, with a colon; KakaoTalk, in which a stamp alone begins a day."""
_HALVES = {
    **dict.fromkeys(("am", "ص", "قظ", "πμ", "오전", "午前", "上午", "凌晨", "清晨", "早上", "午夜"), "a"),
    **dict.fromkeys(("परवहन", "pg", "eparadites"), "a"),
    **dict.fromkeys(("pm", "م", "بظ", "μμ", "오후", "午後", "下午", "中午", "傍晚", "晚上"), "p"),
    **dict.fromkeys(("अपरहन", "ptg", "epasdites"), "p"),
}
"""The halves of the day by their letters alone, as the Unicode locale data (CLDR) abbreviates them."""
_JOINING = re.compile("[a-z\u00df-\u024f\u0430-\u045f]{1,5}")
"""What may stand before a time: à, klo, kl., at, г."""
_HOUR_WORDS = frozenset({"", "ч", "h", "uhr"})
"""What may stand behind a time without telling its half of the day."""
_MONTH = "|".join(name[:3] for name in MONTHS)
_LIKE_A_STAMP = re.compile(
    rf"[\[(]?(?P<stamp>(?:(?:{_MONTH})[a-z]*\.?\s)?\d+(?:\D{{1,14}}\d+){{3,5}}\D{{0,14}}?)"
    r"(?:\s[-–—]\s|[\])]\s?|;\s|:\s|,\s(?=[^:,]{1,60}\s:\s))(?P<rest>.*)",
    re.IGNORECASE,
)
"""Day, year, hour and minute at least; a month may be a word."""
_LIKE_A_CLOCK = re.compile(r"\d\s?[:h時时点시]\s?\d")
_HEAD_LINES = 5
"""A title, when it was saved, a day and a notice may stand above the first message."""
_UNKNOWN = (
    "looks like a message of a chat, but its stamp is in no known form (a date of three numbers, such as 14/03/2026,"
    " 2026-03-14 or 2026年3月14日, then a time, then ` - ` or all of it in brackets, before `Name: text`)"
)
_SAID = re.compile(r"(?P<name>[^:\"“”„«「『]{1,80}):(?:\s(?P<text>.*))?", re.DOTALL)
_NAMED = re.compile(r"\D.*:(?:\s|$)")
"""A colon, but not that of `20:01 - 21:30: dinner`."""
_DONE = re.compile(r" (?:added|changed|created|joined|left|removed|pinned|deleted|started)\b")
"""In place of a name, these tell of a deed in the group, whose subject may hold a colon."""
_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_LEFT_TO_RIGHT = "\u200e"
_NOT_WORDS = re.compile(
    r"<(?! )[^<>\n]{1,60}[ :][^<>\n]{1,60}(?<! )> *$"
    r"|^[^\n]+\.\w{2,5} \(file attached\)$"
    r"|^[A-Z]{3}-\d{8}-WA\d+\.\w{2,5} \([^()\n]+\)$"
    r"|^(?:image|video|audio|sticker|GIF|[^\n]*document|Contact card|video note) omitted$"
    r"|^(?:This message was deleted|You deleted this message|Missed (?:voice|video) call|null)\.?$"
    r"|^(?:Diese Nachricht wurde gelöscht|Du hast diese Nachricht gelöscht|Verpasster (?:Sprach|Video)anruf)\.?$",
    re.MULTILINE,
)
"""What stands for a picture, a call or a message taken back; Android brackets it in any language,
at the end of a line: <Media omitted>."""


@dataclass(frozen=True, slots=True)
class _Stamp:
    """Three numbers of a date in an order yet unknown, and a time."""

    fields: tuple[int, int, int]
    clock: tuple[int, int, int]
    american: bool
    """12 hours with a capital AM or PM and slashes, as phones in the United States write."""
    to_the_second: bool


@dataclass(frozen=True, slots=True)
class _Message:
    at: datetime
    """Wall clock time."""
    speaker: str
    text: str


Order = Callable[[int, int, int], tuple[int, int, int]]
"""(a, b, c) as written, to (year, month, day)."""
_ORDERS: tuple[Order, ...] = (
    lambda a, b, c: (c, b, a),
    lambda a, b, c: (c, a, b),
    lambda a, b, c: (a, b, c),
)
"""Day first, month first, year first: the order of preference where the dates themselves leave it open."""


def sniff(file: TextFile) -> bool:
    """A message's stamp in one of the first three lines, and a name behind one: a diary's stamps have no speakers.

    Of a ZIP, in its one file of text.
    """
    if file.package is not None:
        chat = _chat_in(file)
        return chat is not None and sniff(chat)
    stamped = [found for line in file.sample if (found := _match(line))]
    return any(map(_match, file.sample[:3])) and any(_NAMED.match(rest) for _, rest in stamped)


def _chat_in(file: TextFile) -> TextFile | None:
    """The chat in a ZIP: `_chat.txt` of an iPhone, `WhatsApp Chat with Ben.txt` of Android, beside its media."""
    package = file.package
    texts = [] if package is None else [each for name, each in package.inside() if name.lower().endswith(".txt")]
    chats = [each for each in texts if "/" not in each.name] or texts
    named = [each for each in chats if each.name.endswith("_chat.txt") or "whatsapp" in each.name.lower()] or chats
    return file.inner(named[0]) if len(named) == 1 else None


def refuse_unknown(file: TextFile) -> None:
    """Raise Invalid, with the line, for a chat whose stamps are not known: as a note it would be told of its owner."""
    if not any(_like_a_stamp(line) for line in file.sample[:_HEAD_LINES]):
        return
    for number, line in file.lines():
        if _is_unknown(line):
            file.refuse(number, f"{_UNKNOWN}; --as note reads all of it as words of the owner")


def _is_unknown(line: str) -> bool:
    """Whether somebody speaks behind a stamp in no known form."""
    rest = _like_a_stamp(line.strip())
    said = _SAID.fullmatch(rest) if rest else None
    return bool(said and said["text"])


def _like_a_stamp(line: str) -> str | None:
    """What stands behind something like a date and a time at the head of a line."""
    found = _LIKE_A_STAMP.fullmatch(_MARKS.sub("", line))
    return found["rest"] if found and _LIKE_A_CLOCK.search(found["stamp"]) else None


def read(file: TextFile) -> Iterator[Body]:
    """A chat as one source a day or after six silent hours. Raises Invalid if no order fits all its dates."""
    if file.package is not None:
        chat = _chat_in(file)
        if chat is None:
            raise Invalid(f"{file.path.name}: there is no chat in it, or more than one.", file=file.path.name)
        yield from read(chat)
        return
    order = _order(file)
    day: list[_Message] = []
    for message in _messages(file, order):
        if day and (message.at.date() != day[-1].at.date() or message.at - day[-1].at >= SILENCE or len(day) >= MOST):
            yield _body(file, day)
            day = []
        day.append(message)
    if day:
        yield _body(file, day)


def _body(file: TextFile, messages: list[_Message]) -> Body:
    first = messages[0].at.replace(tzinfo=file.zone)
    turns = []
    for message in messages:
        start = max(0.0, message.at.replace(tzinfo=file.zone).timestamp() - first.timestamp())
        turns.append(SpokenTurn(message.speaker, message.text, start, start + spoken_s(message.text)))
    return body_of_turns(file, "whatsapp", "conversation", SourceStart(first), turns)


def _messages(file: TextFile, order: Order) -> Iterator[_Message]:
    """What people wrote. A line without a stamp (of a real date) continues what is before, be it a message or not.

    One with a stamp that is not understood is set aside: it is not of whoever spoke before.
    """
    at: datetime | None = None
    rest: list[str] = []
    for number, line in file.lines():
        found = _match(line)
        if found is None and _is_unknown(line):
            file.set_aside(Rejected(number, 0, _UNKNOWN))
            yield from _message(file, at, rest)
            at, rest = None, []
            continue
        moment = _moment(found[0], order) if found else None
        if found is None or moment is None:
            rest.append(line)
            if len(rest) > MOST:
                file.refuse(number, f"a message of more than {MOST:,} lines")
            continue
        yield from _message(file, at, rest)
        at, rest = moment, [found[1]]
    yield from _message(file, at, rest)


def _message(file: TextFile, at: datetime | None, rest: list[str]) -> Iterator[_Message]:
    """The message of a stamp and the lines behind it; none if they are a notice or only stand for a picture."""
    said = _SAID.fullmatch("\n".join(rest))
    if at is None or said is None or _DONE.search(said["name"]):
        if at is not None:
            file.left_out("notice")
        return
    marked = said["text"] or ""
    text = _MARKS.sub("", marked)
    words = _NOT_WORDS.sub("", text).strip()
    name = _MARKS.sub("", said["name"]).removeprefix("~").strip()
    notice = marked.startswith(_LEFT_TO_RIGHT) and words == text.strip()
    if name and words and not notice:
        yield _Message(at, name, words)
    else:
        file.left_out("notice" if notice else "file, call or deleted message")


def _match(line: str) -> tuple[_Stamp, str] | None:
    """The stamp and the rest of a line that begins a message.

    A date in brackets without seconds, in a form that a transcript can read, is a transcript's.
    """
    bare = line.lstrip("\u200e\u200f\ufeff")
    if not bare.startswith("[") and not bare[:1].isdecimal():
        return None
    for form in _LINES:
        found = form.fullmatch(bare)
        stamp = found and _stamp(_MARKS.sub("", found["stamp"]).strip())
        if not found or not stamp or (found["end"].startswith(":") and not stamp.to_the_second):
            continue
        if found["end"] != "]" or stamp.to_the_second or read_moment(found["stamp"]) is None:
            return stamp, found["rest"]
    return None


def _stamp(written: str) -> _Stamp | None:
    """A date and a time; None if what stands around the time is not understood, for it might be the afternoon."""
    found = next((found for form in _STAMPS if (found := form.fullmatch(written))), None)
    if found is None:
        return None
    words = [letters for word in found["before"].split() if (letters := _letters(word))]
    after = _letters(found["after"])
    half = _HALVES.get(after) or (_HALVES.get(words[-1]) if words else None)
    joining = [word for word in words if word not in _HALVES]
    if not (after in _HALVES or after in _HOUR_WORDS) or not all(map(_JOINING.fullmatch, joining)):
        return None
    marked = found["sep"] in "年년"
    first = int(found["a"])
    return _Stamp(
        (first + 2000 if marked and first < 100 else first, int(found["b"]), int(found["c"])),
        (clock_hour(int(found["hour"]), half), int(found["minute"]), int(found["second"] or 0)),
        after in ("am", "pm") and found["after"].isupper() and found["sep"] == "/",
        found["second"] is not None,
    )


def _letters(text: str) -> str:
    """The letters of a word, without dots, spaces and marks: the same however a phone abbreviates it."""
    return "".join(filter(str.isalpha, text)).casefold()


def _moment(stamp: _Stamp, order: Order) -> datetime | None:
    year, month, day = order(*stamp.fields)
    year += 2000 if year < 100 else 0
    try:
        return datetime(year, month, day, *stamp.clock) if year in YEARS else None
    except ValueError:
        return None


def _order(file: TextFile) -> Order:
    """The order in which most dates exist, then the chat runs forward, then it takes the shortest time."""
    days = list(_days(found[0] for _, line in file.lines() if (found := _match(line))))
    american = any(stamp.american for stamp in days)
    orders = (_ORDERS[1], _ORDERS[0], _ORDERS[2]) if american else _ORDERS
    best = min(orders, key=lambda order: _strangeness(days, order))
    if not any(_moment(stamp, best) for stamp in days):
        raise Invalid(f"{file.path.name}: its dates follow no order of day, month and year.", file=file.path.name)
    return best


def _days(stamps: Iterable[_Stamp]) -> Iterator[_Stamp]:
    """The first stamp of every day: enough to find the order of its numbers."""
    last: tuple[int, int, int] | None = None
    for stamp in stamps:
        if stamp.fields != last:
            last = stamp.fields
            yield stamp


def _strangeness(stamps: list[_Stamp], order: Order) -> tuple[int, int, int]:
    """(dates that do not exist, steps back in time, days from the first to the last)."""
    days = [moment.date() for stamp in stamps if (moment := _moment(stamp, order))]
    back = sum(later < earlier for earlier, later in pairwise(days))
    return len(stamps) - len(days), back, (max(days) - min(days)).days if days else 0
