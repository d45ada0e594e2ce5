"""A language model's words as they are shown, whole or while they still come.

What is shown cannot be taken back. So words are held as long as what follows may make them part of a tool call, a
thought or a picture, or change how they look; the rest is let through. What is let through in pieces is what `spoken`
and `without_tool_calls` leave of the whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from memory.words.cleaning import visible
from memory.words.tool_calls import (
    BEGUN_OBJECT,
    FENCES,
    FUNCTION,
    LEFT,
    MARK,
    TAGGED,
    without_tool_calls,
)

_PICTURES = re.compile(r"!(?=\[)|<(?=\s*img\b)", re.IGNORECASE)
"""What begins a picture: a page that shows one sends its address, and whatever was written there, to a stranger."""
_BREAK = re.compile(r"\s|(?<=[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uff60])")
"""Where words may be parted: at white space, and behind a sign of a script that writes none."""
_MOST_WORD = 64
"""Characters without a break that are held at most, if they can be parted between two letters (chosen: an address)."""
_INSIDE = re.compile(r"(?<=[A-Za-z0-9])(?=[A-Za-z0-9])")
_OPEN_TAG = re.compile(r"<(?:\s*(?:i(?:mg?)?)?|/?[a-z_|=][^<>]{0,220}|/)\Z", re.IGNORECASE)
"""What may still become a tag."""
_PICTURE_TAG = re.compile(r"<\s*img\b", re.IGNORECASE)
_OPEN_OBJECT = re.compile(r"\{\s*(?:\"[a-z_]{0,12}(?:\"\s*)?)?\Z")
_CALLS = "[TOOL_CALLS]"
_FENCE_END, _CALL_END, _ANYTHING = re.compile("```"), re.compile(r"[(\n]|\)[^)]"), re.compile(r"\S")
_MOST_OPENING = 300
"""Characters after which what has begun is looked at again only when it may be over."""
_MOST_CLOSING = 24
"""Characters of the longest sign that closes something."""
_FENCE = re.compile(r"```(\w*)\s*")
_OPEN_FENCE = re.compile(r"`{1,2}\Z|```\w{0,12}\s*\Z")


def spoken(words: str) -> str:
    """A model's words as they are shown: nothing in them is hidden, and none is a picture."""
    return _PICTURES.sub("", visible(words))


class Sieve:
    """Lets through what can be shown of words that come in pieces. `names` are tools that may be called in Python."""

    def __init__(self, names: Collection[str] = ()) -> None:
        self._names = names
        called = "|".join(map(re.escape, names))
        self._call = re.compile(rf"(?:print\()?\b(?:{called})\(") if names else None
        self._signs = re.compile(rf"{self._call.pattern}|[<{{\[`]" if self._call else r"[<{\[`]")
        self._held = ""
        self._more: list[str] = []
        """What is held behind that, in the pieces it came in."""
        self._blank = ""
        """White space that is shown in front of what follows."""
        self._begun = False
        self._opening: _Opening | None = None
        """What has begun and is not over, once it is long."""

    def put(self, words: str) -> str:
        """What can be shown now; perhaps nothing."""
        if self._opening is not None and not self._opening.may_end(words):
            self._more.append(words)
            return ""
        self._held, self._more = "".join((self._held, *self._more, words)), []
        place = self._settled()
        ready, self._held = self._held[:place], self._held[place:]
        return self._shown(ready)

    def end(self) -> str:
        """The rest, once nothing more comes."""
        rest, self._held, self._more = "".join((self._held, *self._more)), "", []
        return self._shown(rest)

    def _shown(self, words: str) -> str:
        told = self._blank + spoken(without_tool_calls(words, self._names))
        told, self._blank = told.rstrip(), told[len(told.rstrip()) :]
        if not told or self._begun:
            return told
        self._begun = True
        return told.lstrip()

    def _settled(self) -> int:
        """Up to where nothing that comes can change what is held."""
        place, self._opening = 0, None
        while (sign := self._signs.search(self._held, place)) is not None:
            end = self._end_of(sign)
            if end is None:
                if len(self._held) - sign.start() > _MOST_OPENING:
                    self._opening = _Opening(sign[0], self._held[sign.start() :])
                return self._break(place, sign.start())
            place = end
        return self._break(place, len(self._held))

    def _break(self, start: int, end: int) -> int:
        """The last place before `end` at which words may be parted."""
        places = [found.start() for found in _BREAK.finditer(self._held, start, end)]
        last = places[-1] if places else start
        if end == len(self._held) and end - last > _MOST_WORD:
            inside = [found.start() for found in _INSIDE.finditer(self._held, last, end - _MOST_WORD)]
            last = inside[-1] if inside else last
        return last

    def _end_of(self, sign: re.Match[str]) -> int | None:
        """Where what begins at a sign ends, behind the sign if nothing does; None while that is not known."""
        rest, begin = self._held[sign.start() :], sign.start()
        ends = {"<": _end_of_tag, "{": _end_of_object, "[": _end_of_mark, "`": _end_of_fence}
        length = ends[sign[0]](rest) if sign[0] in ends else _end_of_call(rest, len(sign[0]))
        return None if length is None else begin + length


class _Opening:
    """What has begun with a sign and is long: by what comes, read once, it tells whether it may be over."""

    def __init__(self, sign: str, begun: str) -> None:
        self._object = sign == "{" and BEGUN_OBJECT.match(begun) is not None
        self._closing = None if self._object else _closing_of(sign, begun)
        self._tail = begun[-_MOST_CLOSING:]
        self._depth, self._quoted, self._escaped, self._over = 0, False, False, False
        if self._object:
            self._over = self._is_closed(begun)

    def may_end(self, words: str) -> bool:
        """Whether it may be over with these words. An object that was closed and is no JSON never is."""
        if self._object:
            return not self._over and self._is_closed(words)
        text, self._tail = self._tail + words, (self._tail + words)[-_MOST_CLOSING:]
        return self._closing is not None and self._closing.search(text) is not None

    def _is_closed(self, words: str) -> bool:
        """Whether the first brace is closed within these words; those in strings of JSON do not count."""
        for sign in words:
            if self._escaped:
                self._escaped = False
            elif sign == '"':
                self._quoted = not self._quoted
            elif self._quoted:
                self._escaped = sign == "\\"
            elif sign in "{}":
                self._depth += 1 if sign == "{" else -1
                if self._depth == 0:
                    return True
        return False


def _closing_of(sign: str, begun: str) -> re.Pattern[str] | None:
    """What ends it at the earliest; None if nothing does."""
    if sign == "<":
        tag = TAGGED.match(begun)
        name = tag[1] if tag is not None else "function" if FUNCTION.match(begun) else None
        return re.compile(f"</{name}>", re.IGNORECASE) if name is not None else None
    if sign == "[":
        return None
    if sign == "`" and not _OPEN_FENCE.match(begun):
        return _FENCE_END
    return _ANYTHING if sign in "{`" else _CALL_END


def _end_of_tag(rest: str) -> int | None:
    for pattern in (TAGGED, FUNCTION):
        if (found := pattern.match(rest)) is not None:
            return found.end() if found["closed"] else None
    if MARK.match(rest) or _OPEN_TAG.match(rest):
        return None
    found = LEFT.match(rest) or _PICTURE_TAG.match(rest)
    return 1 if found is None else found.end()


def _end_of_object(rest: str) -> int | None:
    if _OPEN_OBJECT.match(rest):
        return None
    if not BEGUN_OBJECT.match(rest):
        return 1
    try:
        return json.JSONDecoder().raw_decode(rest)[1]
    except (ValueError, RecursionError):
        return None


def _end_of_mark(rest: str) -> int | None:
    return None if rest.startswith(_CALLS) or _CALLS.startswith(rest) else 1


def _end_of_fence(rest: str) -> int | None:
    if _OPEN_FENCE.match(rest):
        return None
    fence = _FENCE.match(rest)
    if fence is None:
        return 1
    if fence[1] not in FENCES and (fence[1] not in ("", "json") or rest[fence.end()] not in "{`"):
        return 3
    closing = rest.find("```", fence.end())
    return None if closing < 0 else closing + 3


def _end_of_call(rest: str, head: int) -> int | None:
    """Of a call as Python writes it, whose name and opening bracket are `head` characters."""
    found = re.compile(r"[^()\n]{0,1000}(\)*)").match(rest, head)
    if found is None or found.end() == len(rest):
        return None
    return found.end() if found[1] else head
