"""Kinds of values that an archive may hold, each bounded as the door is through which it once came in."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AllowInfNan, BaseModel, ConfigDict, FailFast, Field, StringConstraints

from adapters.capture.payloads import ID_CHARS, TEXT_CHARS
from memory.errors import Invalid
from memory.model.timeline import EARLIEST, LATEST
from memory.services.zones import zone_of

SHORT_CHARS = 1_000
"""Characters of a label, as in POST /v1/sources."""
INDEXED_BYTES = 2_000
"""Bytes of what stands in an index of PostgreSQL beside the id of its user: an entry of one holds 2,704."""
MOST_LISTED = 10_000
"""Names, participants or moments of one row: they add up over the years."""
MOST_DEEP = 8
"""How deep a night's report is nested; those that are written reach four."""
MOST_VALUES = 200_000
"""Values in a night's report: it lists the ids of what has changed."""
_INT4, _INT8 = 2**31 - 1, 2**63 - 1


class ArchiveLine(BaseModel):
    """One line of an archive, or a part of one: of these fields and types, and no others."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def storable(text: str) -> str:
    """The text, if PostgreSQL can hold it."""
    if "\x00" in text:
        raise ValueError("must not contain NUL characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode") from None
    return text


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("must be printable")
    return text


def _no_path(text: str) -> str:
    if ".." in text.replace("\\", "/").split("/") or text.startswith("/"):
        raise ValueError("must not be a path")
    return text


def _indexed(text: str) -> str:
    if len(text.encode()) > INDEXED_BYTES:
        raise ValueError(f"must have at most {INDEXED_BYTES:,} bytes")
    return text


def _moment(text: str) -> str:
    """A moment as PostgreSQL tells it, told again in the one way we write."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("must be a moment in ISO 8601") from None
    if moment.tzinfo is None or not EARLIEST <= moment.timestamp() <= LATEST:
        raise ValueError("must have a zone and lie between 1900 and 2200")
    return moment.isoformat()


def _zone(name: str) -> str:
    try:
        zone_of(name)
    except Invalid:
        raise ValueError("must be a time zone by its IANA name") from None
    return name


def tame(value: Any, deep: int = 0) -> int:
    """How many values JSON of any shape holds. Raises ValueError if a database or a reader could stumble over it."""
    if deep > MOST_DEEP:
        raise ValueError(f"must not be nested deeper than {MOST_DEEP}")
    if isinstance(value, str):
        storable(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("must hold finite numbers only")
    if isinstance(value, int) and not -_INT8 <= value <= _INT8:
        raise ValueError("must hold numbers of 64 bits only")
    inside = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    count = 1 + sum(tame(each, deep + 1) for each in inside)
    if count > MOST_VALUES:
        raise ValueError(f"must hold at most {MOST_VALUES:,} values")
    return count


def one_of(names: tuple[str, ...]) -> Any:
    """One of these words."""
    return Literal[names]


Text = Annotated[str, StringConstraints(max_length=TEXT_CHARS), AfterValidator(storable)]
Short = Annotated[str, StringConstraints(max_length=SHORT_CHARS), AfterValidator(storable)]
Indexed = Annotated[Short, AfterValidator(_indexed)]
Named = Annotated[
    str, StringConstraints(min_length=1, max_length=ID_CHARS), AfterValidator(storable), AfterValidator(_printable)
]
"""What a device or a caller has named: printable, as everywhere."""
CommandId = Annotated[Short, StringConstraints(min_length=1), AfterValidator(_printable)]
"""A key that a caller has named, and what is counted behind it where one request is several commands."""
Id = Annotated[Named, AfterValidator(_no_path)]
EntityId = Annotated[str, StringConstraints(pattern=r"^e-[0-9a-f]{16}$")]
FactId = Annotated[str, StringConstraints(pattern=r"^f-[0-9a-f]{16}$")]
NoteId = Annotated[str, StringConstraints(pattern=r"^n-[0-9a-f]{16}$")]
GroupId = Annotated[str, StringConstraints(pattern=r"^[gkmpsu]-[0-9a-f]{16}$")]
VoiceId = Annotated[str, StringConstraints(pattern=r"^v-[0-9a-f]{16}$")]
BelievedId = Annotated[str, StringConstraints(pattern=r"^[ef]-[0-9a-f]{16}$")]
ArchiveId = Annotated[str, StringConstraints(pattern=r"^a-[0-9a-f]{16}$")]
Owner = Annotated[
    str, StringConstraints(pattern=r"^((description:e|[efgkmnpsu])-[0-9a-f]{16}|segment:-?[0-9]{1,19}|profile)$")
]
Digits = Annotated[str, StringConstraints(pattern=r"^-?[0-9]{1,19}$")]
Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$", max_length=ID_CHARS)]
Zone = Annotated[Named, AfterValidator(_zone)]
Moment = Annotated[str, StringConstraints(max_length=40), AfterValidator(_moment)]
Instant = Annotated[float, Field(ge=EARLIEST, le=LATEST), AllowInfNan(False)]
Seconds = Annotated[float, Field(ge=0, le=LATEST), AllowInfNan(False)]
Share = Annotated[float, Field(ge=0, le=1), AllowInfNan(False)]
Cosine = Annotated[float, Field(ge=-1.001, le=1.001), AllowInfNan(False)]
Number = Annotated[float, Field(ge=-1e15, le=1e15), AllowInfNan(False)]
Finite = Annotated[float, AllowInfNan(False)]
"""Any number that a caller may have told: ids of messages and moments in nanoseconds are beyond a `Number`."""
Measure = Annotated[float, Field(ge=0, le=1e9), AllowInfNan(False)]
Key = Annotated[int, Field(ge=-(2**63), le=_INT8)]
Count = Annotated[int, Field(ge=0, le=2**53)]
Version = Annotated[int, Field(ge=1, le=_INT4)]
Order = Annotated[int, Field(ge=0, le=_INT4)]
Level = Annotated[int, Field(ge=0, le=2)]
Moments = Annotated[tuple[Instant, ...], FailFast(), Field(max_length=MOST_LISTED)]
Names = Annotated[tuple[Text, ...], FailFast(), Field(max_length=MOST_LISTED)]
