"""Findings: what is wrong with what was sent, in words that say what to do, without the input that pydantic quotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from memory.errors import Invalid

Checked = TypeVar("Checked")

_SHOWN_ERRORS = 10
"""Places named in one answer to a malformed body."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What a place may be called by: a caller's own key may be a sentence, and pydantic's name for a check is no place."""
_CHECKS = re.compile(r"\.(?:constrained-)?(?:int|float|str|bool)$")
"""The end of a place that names the kind tried, where several would do."""
_SENDERS = re.compile(r"^(?:query|body|path|header|cookie)\.")
"""The beginning of a place that tells only how it was sent; `errors` keeps it."""
_FINDINGS = {
    "missing": "is required",
    "extra_forbidden": "is not known here",
    "json_invalid": "is not JSON",
    "model_attributes_type": "must be a JSON object",
    "date_parsing": "must be YYYY-MM-DD",
    "date_from_datetime_parsing": "must be YYYY-MM-DD",
}
"""Pydantic's name of a finding -> our words, where its own do not say what to do."""
_PREFIXES = (
    (re.compile(r"^Value error, "), ""),
    (re.compile(r"^(Value .*\d) items?"), r"\1 characters"),
    (re.compile(r"^(?:Input|String|Value|List|Number|Dictionary) should "), "must "),
    (re.compile(r"^must have at least 1 (?:item|character).*"), "must not be empty"),
    (re.compile(r" after validation, not (?:\d+|more)$"), ""),
)
"""Pydantic's phrases and ours, applied in this order."""


def invalid(found: Sequence[Mapping[str, Any]]) -> Invalid:
    """The refusal that tells of the first findings; its `errors` name each place and what is wrong there."""
    errors = [{"where": _place(each), "what": _finding(each)} for each in found[:_SHOWN_ERRORS]]
    detail = "; ".join(f"{_SENDERS.sub('', each['where'])}: {each['what']}" for each in errors)
    if len(found) > _SHOWN_ERRORS:
        detail += f"; and {len(found) - _SHOWN_ERRORS} more"
    return Invalid(detail, errors=errors)


def checked(check: Callable[[Any], Checked], given: object, *sender: str) -> Checked:
    """What a check of pydantic's makes of what was given. Raises Invalid.

    `sender` is how that was sent, where `errors` are to name it.
    """
    try:
        return check(given)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise invalid([{**each, "loc": (*sender, *each["loc"])} for each in found]) from None


def _place(error: Mapping[str, Any]) -> str:
    if error["type"] == "json_invalid":  # the rest is a position in the body, which reads like a field
        return str(error["loc"][0])
    return _CHECKS.sub("", ".".join(name for part in error["loc"] if _NAME.fullmatch(name := str(part))))


def _finding(error: Mapping[str, Any]) -> str:
    """What is wrong, in words that say what to do."""
    told: str = _FINDINGS.get(error["type"], error["msg"])
    for found, ours in _PREFIXES:
        told = found.sub(ours, told)
    return told
