"""The words of a chat completion as servers of the OpenAI protocol stream it: Server-Sent Events, one a chunk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from memory.errors import AnswerCut, ModelFailed

MOST_EVENT = 256_000
"""Bytes of one event (chosen: a chunk has some hundreds; a whole answer in one chunk fits)."""
NOT_THE_PROTOCOL = "The language model's server does not speak the OpenAI protocol; check its url."
OUT_OF_TOKENS = "length"
"""The `finish_reason` of an answer that used up its tokens."""
_OPENED, _CLOSED = "<think>", "</think>"


class ChunkReader:
    """Reads a stream whose bytes may be cut anywhere. Thoughts in front of an answer are left out."""

    def __init__(self) -> None:
        self.ended = False
        """Whether the server has said that the answer is over."""
        self._is_cut = False
        """Whether it was over because its tokens were used up."""
        self._held = b""
        self._told = False
        self._thoughts: str | None = ""
        """What stands at the beginning and may be a thought; None once the answer has begun."""

    def read(self, received: bytes) -> Iterator[str]:
        """The next words. Raises ModelFailed for what is no chunk, and for an error that the server tells."""
        *lines, self._held = (self._held + received).split(b"\n")
        if len(self._held) > MOST_EVENT:
            raise ModelFailed("The language model's server sends an event without an end.", bytes=len(self._held))
        for line in lines:
            words = "" if self.ended else self._answered(self._words(line.strip()))
            self._told = self._told or bool(words.strip())
            if words:
                yield words

    def finish(self) -> Iterator[str]:
        """What was held back, at the end of the stream. Raises ModelFailed if it came too early, or was empty, and
        AnswerCut if the answer was cut off.
        """
        if self._held and not self.ended:
            yield from self.read(b"\n")
        if not self.ended:
            raise ModelFailed("The language model's server broke off in the middle of its answer.")
        rest = "" if self._thoughts is None or _OPENED in self._thoughts else self._thoughts
        if not self._told and not rest.strip():
            raise ModelFailed("The language model's answer is empty.")
        if rest:
            yield rest
        if self._is_cut:
            raise AnswerCut()

    def _words(self, line: bytes) -> str:
        if not line.startswith(b"data:"):
            return ""  # a comment, a name, or the end of an event
        told = line.removeprefix(b"data:").strip()
        if told == b"[DONE]":
            self.ended = True
            return ""
        try:
            chunk = json.loads(told)
            if chunk.get("error"):
                raise ModelFailed("The language model's server reports an error in the middle of its answer.")
            choice: dict[str, Any] = chunk["choices"][0] if chunk["choices"] else {}
            words = (choice.get("delta") or {}).get("content") or ""
            ending = choice.get("finish_reason")
            self.ended, self._is_cut = self.ended or ending is not None, self._is_cut or ending == OUT_OF_TOKENS
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ModelFailed(NOT_THE_PROTOCOL) from error
        if not isinstance(words, str):
            raise ModelFailed(NOT_THE_PROTOCOL)
        return words

    def _answered(self, words: str) -> str:
        """Words behind a thought; empty while it may still be one."""
        if self._thoughts is None:
            return words
        self._thoughts += words
        begun = self._thoughts.lstrip()
        if begun.startswith(_OPENED):
            thought, closed, words = begun.partition(_CLOSED)
            if not closed:
                self._thoughts = _OPENED + thought[len(_OPENED) :][-len(_CLOSED) :]
                return ""
        elif _OPENED.startswith(begun):
            return ""
        else:
            words = self._thoughts
        self._thoughts = None
        return words
