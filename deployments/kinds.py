"""Kinds of values a request may carry, checked where they come in: text, ids, times."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, AllowInfNan, BaseModel, BeforeValidator, ConfigDict, Strict, StringConstraints

from memory.words.cleaning import visible

MOST_TEXT = 500_000
"""Characters of one segment, note or statement (chosen: assistants write that much in one turn)."""
MOST_ID = 200
"""Characters of a caller's own id, as in POST /v1/sources."""
MOST_QUERY = 10_000
"""Characters of a question (chosen: encoders read the first few hundred words anyway)."""
MOST_INDEXED = 2_000
"""Bytes of what stands in an index: PostgreSQL takes 2,704 there, beside the id of its user."""
MOST_SEGMENTS = 20_000
"""Segments in one source (chosen: 16 hours of speech at a segment every 3 s)."""


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("must not contain NUL characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode (it contains a lone surrogate)") from None
    return text


def _identifier(text: str) -> str:
    if not _storable(text).isprintable() or visible(text) != text:
        raise ValueError("must be printable")
    if ".." in text.replace("\\", "/").split("/") or text.startswith("/"):
        raise ValueError("must not be a path")
    return text


def indexed(text: str) -> str:
    """The text, if an index can hold it. Raises ValueError."""
    if len(text.encode()) > MOST_INDEXED:
        raise ValueError(f"must have at most {MOST_INDEXED:,} bytes")
    return text


def _written(value: Any) -> Any:
    """A number as its digits; what is no time is told when the time is read."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Text = Annotated[str, StringConstraints(max_length=MOST_TEXT), AfterValidator(_storable)]
Words = Annotated[str, StringConstraints(min_length=1, max_length=MOST_TEXT), AfterValidator(_storable)]
ShortText = Annotated[str, StringConstraints(max_length=1_000), AfterValidator(_storable)]
IndexedText = Annotated[ShortText, StringConstraints(min_length=1), AfterValidator(indexed)]
"""Words by which the database looks something up."""
Id = Annotated[str, StringConstraints(min_length=1, max_length=MOST_ID), AfterValidator(_identifier)]
TokenName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@-]{0,99}$")]
"""What a token is called, by whoever gives it out."""
Number = Annotated[float, Strict(), AllowInfNan(False)]
"""A number that is one: no boolean, no text, nothing infinite."""
When = Annotated[ShortText, BeforeValidator(_written, json_schema_input_type=str | float)]
"""A time as it is written, to be read by `deployments.dates` where the user lives."""


class Body(BaseModel):
    """A request body: unknown keys are refused, or a typing error would silently lose something."""

    model_config = ConfigDict(extra="forbid", frozen=True)
