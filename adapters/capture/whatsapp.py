"""WhatsApp's exported chats, of Android and of iOS, in any of their locales' ways to write a date."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from adapters.capture.bodies import Body, Origin, Turn, body_of_turns, spoken_s
from adapters.capture.dates import clock_hour
from adapters.capture.text import TextFile
from memory.errors import Invalid

SILENCE = timedelta(hours=6)
"""A chat becomes one source a day, and another one after such a silence."""
YEARS = range(2000, 2200)

_STAMP = (
    r"(?P<a>\d{1,4})(?P<sep>[./-])(?P<b>\d{1,2})(?P=sep)(?P<c>\d{2,4})\.?,?\s+"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?(?:\s*(?P<half>[AaPp])\.?\s?[Mm]\.?)?"
)
_ANDROID = re.compile(rf"{_STAMP}\s+[-–]\s+(?P<rest>.*)", re.DOTALL)
_IOS = re.compile(rf"\[{_STAMP}\]\s+(?P<rest>.*)", re.DOTALL)
_SAID = re.compile(r"(?P<name>[^:\"“„]{1,80}):(?:\s(?P<text>.*))?", re.DOTALL)
_DONE = re.compile(r" (?:added|changed|created|joined|left|removed|pinned|deleted|started)\b")
"""In place of a name, these tell of a deed in the group, whose subject may hold a colon."""
_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_LEFT_TO_RIGHT = "\u200e"
_NOT_WORDS = re.compile(
    r"<[^<>\n]{1,60}[ :][^<>\n]{1,60}>"
    r"|^[^\n]+\.\w{2,5} \(file attached\)$"
    r"|^(?:image|video|audio|sticker|GIF|[^\n]*document|Contact card|video note) omitted$"
    r"|^(?:This message was deleted|You deleted this message|Missed (?:voice|video) call|null)\.?$",
    re.MULTILINE,
)
"""What stands for a picture, a call or a message taken back; Android brackets it in any language: <Media omitted>."""


@dataclass(frozen=True, slots=True)
class _Stamp:
    """Three numbers of a date in an order yet unknown, and a time."""

    fields: tuple[int, int, int]
    clock: tuple[int, int, int]
    american: bool
    """12 hours with a capital AM or PM and slashes, as phones in the United States write."""


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
    """A message's stamp in one of the first three lines."""
    return any(_match(line) for line in file.sample[:3])


def read(file: TextFile) -> Iterator[Body]:
    """A chat as one source a day or after six silent hours. Raises Invalid if no order fits all its dates."""
    order = _order(file)
    day: list[_Message] = []
    for message in _messages(file, order):
        if day and (message.at.date() != day[-1].at.date() or message.at - day[-1].at >= SILENCE):
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
        turns.append(Turn(message.speaker, message.text, start, start + spoken_s(message.text)))
    return body_of_turns(file, "whatsapp", "conversation", Origin(first), turns)


def _messages(file: TextFile, order: Order) -> Iterator[_Message]:
    """What people wrote. A line without a stamp (of a real date) continues what is before, be it a message or not."""
    at: datetime | None = None
    rest: list[str] = []
    for _, line in file.lines():
        found = _match(line)
        moment = _moment(_stamp(found), order) if found else None
        if found is None or moment is None:
            rest.append(line)
            continue
        yield from _message(at, rest)
        at, rest = moment, [found["rest"]]
    yield from _message(at, rest)


def _message(at: datetime | None, rest: list[str]) -> Iterator[_Message]:
    """The message of a stamp and the lines behind it; none if they are a notice or only stand for a picture."""
    said = _SAID.fullmatch("\n".join(rest))
    if at is None or said is None or _DONE.search(said["name"]):
        return
    marked = said["text"] or ""
    text = _MARKS.sub("", marked)
    words = _NOT_WORDS.sub("", text).strip()
    name = _MARKS.sub("", said["name"]).removeprefix("~").strip()
    notice = marked.startswith(_LEFT_TO_RIGHT) and words == text.strip()
    if name and words and not notice:
        yield _Message(at, name, words)


def _match(line: str) -> re.Match[str] | None:
    """A line that begins a message. iOS always writes the seconds; other transcripts in brackets do not."""
    bare = line.lstrip("\u200e\u200f\ufeff")
    ios = _IOS.fullmatch(bare)
    return ios if ios and ios["second"] else _ANDROID.fullmatch(bare)


def _stamp(found: re.Match[str]) -> _Stamp:
    half = found["half"]
    return _Stamp(
        (int(found["a"]), int(found["b"]), int(found["c"])),
        (clock_hour(int(found["hour"]), half), int(found["minute"]), int(found["second"] or 0)),
        bool(half and half.isupper() and found["sep"] == "/"),
    )


def _moment(stamp: _Stamp, order: Order) -> datetime | None:
    year, month, day = order(*stamp.fields)
    year += 2000 if year < 100 else 0
    try:
        return datetime(year, month, day, *stamp.clock) if year in YEARS else None
    except ValueError:
        return None


def _order(file: TextFile) -> Order:
    """The order in which most dates exist, then the chat runs forward, then it takes the shortest time."""
    days = list(_days(_stamp(found) for _, line in file.lines() if (found := _match(line))))
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
