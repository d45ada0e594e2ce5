"""Calls of tools that a language model has written as if they were words, and its thoughts: both are taken out.

Small models leak them in the forms they were trained on (seed 001, ToolCallTextFilter). What only talks about tools
stays; a whole call in JSON goes, even where somebody asked to see one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

_TAGS = (
    "tool_calls?|tool_use|tool_code|tool_response|tool_result|function_calls?|function_response|invoke|think|thinking"
)
TAGGED = re.compile(rf"<({_TAGS})\b[^<>]{{0,200}}>.*?(?P<closed></\1>|\Z)", re.DOTALL | re.IGNORECASE)
"""From a tag to the one that closes it, or to the end."""
FUNCTION = re.compile(r"<function=[^<>]{0,200}>.*?(?P<closed></function>|\Z)", re.DOTALL | re.IGNORECASE)
MARK = re.compile(r"<\|python_tag\|>|\[TOOL_CALLS\]|<\|tool_calls?(?:_begin|_start)?\|>")
"""Marks behind which only calls come."""
_MARKED = re.compile(rf"(?:{MARK.pattern}).*\Z", re.DOTALL)
LEFT = re.compile(rf"</?(?:{_TAGS}|function)\b[^<>]{{0,200}}>|<\|[a-z_]{{1,40}}\|>", re.IGNORECASE)
"""Tags and marks that are left without a partner."""
FENCES = ("tool_code", "tool_call", "tool_calls", "tool_use")
_FENCED = re.compile(rf"```(?:{'|'.join(FENCES)})\b.*?(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_EMPTY_FENCE = re.compile(r"```(?:json)?\s*```")
BEGUN_OBJECT = re.compile(r"\{\s*\"(?:name|tool|tool_name|function|type|arguments|parameters|input)\"\s*:")
_NAMED = ("name", "tool", "tool_name", "function")
_GIVEN = ("arguments", "parameters", "input", "function")
MOST_OBJECTS = 100
"""Beginnings of calls in JSON that are looked at in one text (chosen: no answer has as many)."""
_DECODER = json.JSONDecoder()


def without_tool_calls(text: str, names: Collection[str] = ()) -> str:
    """The words alone. `names` are tools that may also be called as Python would: `name(...)`."""
    if not any(sign in text for sign in "<{[`("):
        return text
    for pattern in (TAGGED, FUNCTION, _FENCED, _MARKED):
        text = pattern.sub("", text)
    text = _EMPTY_FENCE.sub("", _without_objects(text))
    if names:
        written = "|".join(re.escape(name) for name in names)
        text = re.sub(rf"(?:print\()?\b(?:{written})\([^()\n]{{0,1000}}\)+", "", text)
    return LEFT.sub("", text)


def _without_objects(text: str) -> str:
    told: list[str] = []
    place = looked_at = 0
    for found in BEGUN_OBJECT.finditer(text):
        if looked_at == MOST_OBJECTS:
            break
        if found.start() < place:
            continue
        looked_at += 1
        end = _end_of_call(text, found.start())
        if end is not None:
            told.append(text[place : found.start()])
            place = end
    return "".join((*told, text[place:]))


def _end_of_call(text: str, start: int) -> int | None:
    """Where a call in JSON that begins here ends; None if it is none."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return end if _is_call(value) else None


def _is_call(value: Any) -> bool:
    return isinstance(value, dict) and any(key in value for key in _NAMED) and any(key in value for key in _GIVEN)
