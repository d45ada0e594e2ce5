"""What the memory answers, as frozen dataclasses. A field that a newer server adds is passed over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import UTC, datetime
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from memoray_client.errors import ServerError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AddResponse:
    """What was stored: how many segments, and how many of them were new or differ from what stood there."""

    source_id: str
    segments: int
    changed: int


@dataclass(frozen=True, slots=True)
class Refuted:
    """A fact that was read from these words and is believed no more, and the statement in its place."""

    fact_id: str
    instead: str | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Words that answer: who said them, when, and in which source."""

    segment_id: str
    source_id: str
    text: str
    speaker: str
    timestamp: datetime
    relevance_score: float
    entities: tuple[str, ...] = ()
    fact_ids: tuple[str, ...] = ()
    refuted: tuple[Refuted, ...] = ()
    taken_back: str | None = None
    """What the speaker said next, if it takes these words back."""


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """What came to mind, the best first. `abstained`: nothing that is known answers this."""

    results: tuple[SearchResult, ...]
    intent: str
    abstained: bool
    degraded: tuple[str, ...]
    """Legs of the search that failed or were late."""
    context: str
    """The results and what is known as text within a budget, where one was given."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """Where something in an answer was said; `number` stands in brackets in an answer that a model wrote."""

    number: int
    source_id: str
    segment_id: str
    speaker: str
    timestamp: datetime
    text: str


@dataclass(frozen=True, slots=True)
class AskResponse:
    """An answer, what it rests on, and whether a language model wrote it (`generated`) or it is made of quotations."""

    answer: str
    generated: bool
    citations: tuple[Quoted, ...]
    results: tuple[SearchResult, ...]
    degraded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FactSource:
    """Words that a fact rests on; without a segment they were told on purpose."""

    source_id: str
    segment_id: str | None
    quote: str


@dataclass(frozen=True, slots=True)
class FactRecord:
    """One version of a fact. `valid_*` is when it was true, `system_*` when it was believed; None is open."""

    fact_id: str
    subject: str
    predicate: str | None
    object: str | None
    statement: str
    kind: str
    confidence: float
    importance: int
    strength: float
    status: str
    valid_from: datetime
    valid_to: datetime | None
    system_from: datetime
    system_to: datetime | None
    sources: tuple[FactSource, ...]


@dataclass(frozen=True, slots=True)
class FactsPage:
    """Facts, the latest valid first; `cursor` leads to the next page."""

    facts: tuple[FactRecord, ...]
    total: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a statement (`created`, `reinforced`, `superseded` ...) and the facts it stood against."""

    fact_id: str
    outcome: str
    rivals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RememberResponse:
    """What became of what was told; `facts` holds every statement where the words made several."""

    fact_id: str
    outcome: str
    rivals: tuple[str, ...]
    facts: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class PromiseRecord:
    """A promise: who made it to whom, by when, and whether it is open, kept, broken or expired."""

    entity_id: str
    text: str
    by: str | None
    to: str | None
    due: datetime | None
    state: str
    at: datetime
    quote: str


@dataclass(frozen=True, slots=True)
class PromisesPage:
    """Promises, the latest first; `cursor` leads to the next page."""

    promises: tuple[PromiseRecord, ...]
    total: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """Words when they were said (`segment`), or a fact when it began to be true (`fact`)."""

    kind: str
    at: datetime
    text: str
    speaker: str | None
    source_id: str | None
    segment_id: str | None
    fact_id: str | None
    subject: str | None
    until: datetime | None


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """Entries, the earliest first; `cursor` leads to the next page."""

    entries: tuple[TimelineEntry, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class DeletionReceipt:
    """What was erased for good. The server tells more of it, place by place, under its id."""

    receipt_id: str
    what: str
    at: datetime
    segments: int
    facts: int
    entities: int


def read(kind: type[T], raw: object) -> T:
    """A decoded JSON value as a dataclass. Raises ServerError where a field is missing or of another kind."""
    try:
        found: T = _value(kind, raw)
    except (KeyError, TypeError, ValueError) as error:
        raise ServerError(f"The server's answer is no {kind.__name__}; is it a Memoray of another version?") from error
    return found


def _value(kind: Any, raw: Any) -> Any:
    if isinstance(kind, UnionType):
        return None if raw is None else _value(next(each for each in get_args(kind) if each is not type(None)), raw)
    if get_origin(kind) is tuple:
        return tuple(_value(get_args(kind)[0], each) for each in raw or ())
    if kind is datetime:
        return _moment(raw)
    if kind is float:
        return float(raw)
    if kind in (str, int, bool):
        if not isinstance(raw, kind):
            raise TypeError(kind.__name__)
        return raw
    return _record(kind, raw)


def _record(kind: Any, raw: Mapping[str, Any]) -> Any:
    hints = _hints(kind)
    given = {each.name: each for each in fields(kind) if each.name in raw or each.default is MISSING}
    return kind(**{name: _value(hints[name], raw[name]) for name in given})


@cache
def _hints(kind: Any) -> Mapping[str, Any]:
    return get_type_hints(kind)


def _moment(raw: Any) -> datetime:
    """A time as the API sends it: seconds since 1970 or ISO 8601."""
    if isinstance(raw, int | float):
        return datetime.fromtimestamp(raw, UTC)
    return datetime.fromisoformat(raw)
