"""Turns of a language model that may call tools: one JSON object each, a call or an answer, read as it comes.

Whatever stands behind a model may not keep to the schema. Words that are no JSON are an answer, and of an object whose
keys come in another order the answer is known once all of it is there.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from deployments.use_cases.chatting import ENDLESS
from deployments.use_cases.tools import Tool
from memory.errors import Invalid, ModelFailed

_NONE = ("none", "", "answer", "null")
"""What models call no tool."""
_FENCE = re.compile(r"\A\s*```(?:json)?\s*(.*?)\s*```\s*\Z", re.DOTALL)
_MAYBE_JSON = re.compile(r"\s*(?:`{0,2}|```(?:j(?:s(?:on?)?)?)?\s*|(?:```(?:json)?\s*)?\{.*)\Z", re.DOTALL)
_ANSWER = re.compile(
    r"\s*(?:```(?:json)?\s*)?\{\s*\"tool\"\s*:\s*\"(?:none|answer|null)?\"\s*,\s*"
    r"(?:\"input\"\s*:\s*\{\s*\}\s*,\s*)?\"answer\"\s*:\s*\"",
    re.IGNORECASE,
)
"""How a turn begins that is an answer; what follows is its words."""
_OBJECT = re.compile(r"\s*(?:```(?:json)?\s*)?\{\s*\"")
"""How a JSON object begins; of one that cannot be read nothing is shown."""
_MOST_HEAD = 400
"""Characters in which an answer's words have begun, or they are shown together in the end."""
_CHARACTERS = re.compile(r"(?:[^\"\\]|\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4}))*")
_HALF = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
"""The first half of a character that JSON writes in two."""
_WRONG = re.compile(r"\\(?:[^\"\\/bfnrtu]|u.{0,3}[^0-9a-fA-F])", re.DOTALL)
"""An escape that JSON does not know."""


def schema_of(tools: Mapping[str, Tool]) -> dict[str, Any]:
    """What a turn of the model looks like: a call or an answer. The reader checks all the same."""
    return {
        "type": "object",
        "properties": {
            "tool": {"type": "string", "enum": ["none", *tools]},
            "input": {"type": "object"},
            "answer": {"type": "string"},
        },
        "required": ["tool", "input", "answer"],
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool as a model has called it, not checked yet."""

    name: str
    given: Mapping[str, Any]


def choice_of(words: str) -> ToolCall | str:
    """A turn of the model: a call, or the words of an answer. Plain words are one. Raises Invalid, also of a half."""
    fenced = _FENCE.match(words)
    value = _json(fenced[1] if fenced else words)
    if not isinstance(value, dict):
        if _OBJECT.match(words):
            raise Invalid("The JSON object cannot be read; send one whole object and nothing else.")
        return words
    name = next((value[key] for key in ("tool", "name", "function") if isinstance(value.get(key), str)), "none")
    if name.strip().casefold() in _NONE:
        answer = value.get("answer")
        if not isinstance(answer, str):
            raise Invalid("Neither a tool nor an answer was given.")
        return answer
    given: Any = next((value[key] for key in ("input", "arguments", "parameters") if key in value), {})
    given = _json(given) if isinstance(given, str) else given
    if not isinstance(given, dict):
        raise Invalid("The input of a tool is a JSON object.")
    return ToolCall(name.strip(), given)


def _json(text: str) -> Any:
    """The JSON that a text is; None if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class TurnReader:
    """A turn as it comes, of so many characters at most: the words of an answer at once, everything once it is over."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.words = ""
        """All of it so far."""
        self.is_answer = False
        """Whether it is known to be an answer, whose words have been given."""
        self._string: str | None = None
        """What is left to decode of an answer in JSON."""
        self._closed = False

    async def answer(self, pieces: AsyncGenerator[str]) -> AsyncGenerator[str]:
        """The words of the answer, as they come; none of a call, nor of what is not known to be one before its end.

        Raises ModelFailed of a turn that is too long, and of an answer in JSON that is over before it is closed.
        """
        async with aclosing(pieces):
            async for words in pieces:
                if told := self.put(words):
                    yield told
                if self._closed:
                    return
        if self._string is not None:
            raise ModelFailed("The language model stopped in the middle of its answer.")

    def put(self, words: str) -> str:
        """The next words of the answer. Raises ModelFailed of a turn that is too long."""
        before, self.words = self.words, self.words + words
        if len(self.words) > self._most:
            raise ModelFailed(ENDLESS)
        if self._string is not None:
            return self._decoded(words)
        if self.is_answer:
            return words
        if not _MAYBE_JSON.match(self.words):
            self.is_answer = True
            return self.words
        found = _ANSWER.match(self.words) if len(before) < _MOST_HEAD else None
        if found is None:
            return ""
        self.is_answer, self._string = True, ""
        return self._decoded(self.words[found.end() :])

    def _decoded(self, words: str) -> str:
        """What a JSON string says so far. An escape that JSON does not know stands for its own sign."""
        if self._closed:
            return ""
        held = f"{self._string}{words}"
        told = ""
        while True:
            found = _CHARACTERS.match(held)
            part = found[0] if found else ""
            waits = held[len(part) :].startswith("\\") or part == held
            half = _HALF.search(part) if waits and not _WRONG.match(held, len(part)) else None
            part = part[: half.start()] if half else part
            told += str(json.loads(f'"{part}"', strict=False))
            held = held[len(part) :]
            if not _WRONG.match(held):
                break
            told, held = told + held[1], held[2:]
        self._closed = held.startswith('"')
        self._string = held
        return told
