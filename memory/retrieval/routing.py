"""What a question is after, read off its words: the plan every later step follows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from memory.model.timeline import Clock, Instant, Interval
from memory.retrieval.intents import WHEN, by_words
from memory.words.features import first_person
from memory.words.questions import spoken_in
from memory.words.stems import tokenise
from memory.words.tense import is_over, is_past_in_german
from memory.words.time_named import NOTHING_NAMED, NamedTimes, named_times

RECENCY: tuple[tuple[re.Pattern[str], float], ...] = (
    (
        re.compile(
            r"\b(?:lately|recent(?:ly)?|current(?:ly)?|now|nowadays|these days|at the moment|latest|newest|"
            r"still|today|this (?:week|month)|jetzt|derzeit|zurzeit|aktuell|momentan|inzwischen|mittlerweile|"
            r"heutzutage|neulich|kürzlich|zuletzt|immer noch)\b",
            re.I,
        ),
        1.0,
    ),
    (
        re.compile(
            r"\b(?:when|first|originally|used to|before|ago|back then|in (?:19|20)\d\d|wann|zuerst|"
            r"ursprünglich|früher|damals)\b",
            re.I,
        ),
        0.0,
    ),
)
"""How much being recent should count, by the first cue that matches."""
DEFAULT_RECENCY = 0.1

_PRESENT = re.compile(r"\b(?:is|are|am|isn't|aren't|does|do|doesn't|don't)\b|\b(?:who|what|where)'s\b", re.I)
_EARLIER = re.compile(
    r"\b(?:been|before|previous|former|earlier|past|history|first|original(?:ly)?|until|chang(?:e|es|ed)|"
    r"in (?:19|20)\d\d)\b",
    re.I,
)
"""Words of a question about an earlier state of things, whatever its tense."""
_COUNT = re.compile(
    r"\b(?:how (?:many|much|often)|number of|in total|count|"
    r"wie ?(?:viele?n?|oft|hoch|teuer|lange?)|anzahl|insgesamt)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """How to weigh candidates for one question."""

    intent: str
    words: tuple[str, ...]
    """The question's tokens, folded, possessives cut."""
    asks_time: bool
    asks_count: bool
    first_person: bool
    recency: float
    """0 (age does not matter) to 1 (only the newest will do)."""
    present: bool = False
    """It asks how things stand: about now, or in the present tense, and not about what was."""
    named_times: NamedTimes = NOTHING_NAMED
    """The stretches of time the question names."""

    @property
    def days(self) -> tuple[Interval, ...]:
        """These stretches; an open end is None."""
        return tuple(stretch.extent for stretch in self.named_times.stretches)

    def named(self, speakers: Sequence[str]) -> frozenset[int]:
        """Which of these speakers the question names: by the whole label, or by a first name nobody else has."""
        return _named(self.words, tuple(speakers))


def route(text: str, now: Instant, clock: Clock = 0) -> QueryPlan:
    """The plan of a question asked at `now` by this clock."""
    return QueryPlan(
        intent=by_words(text),
        words=_words(text),
        asks_time=WHEN.search(text) is not None,
        asks_count=_COUNT.search(text) is not None,
        first_person=first_person(text),
        recency=next((strength for pattern, strength in RECENCY if pattern.search(text)), DEFAULT_RECENCY),
        present=_asks_present(text.replace("’", "'")),
        named_times=named_times(text, now, clock),
    )


def _asks_present(text: str) -> bool:
    """German marks its present by no word: a question without a sign of the past is about now."""
    german = spoken_in(text, "en") == "de"
    about_now = german or RECENCY[0][0].search(text) is not None or _PRESENT.search(text) is not None
    was = is_past_in_german(text) if german else is_over(text) or _EARLIER.search(text) is not None
    return about_now and not was and WHEN.search(text) is None


@lru_cache(maxsize=1024)  # the labels of speakers come back with every question
def _words(text: str) -> tuple[str, ...]:
    return tuple(word.removesuffix("'s") for word, _ in tokenise(text))


@lru_cache(maxsize=64)  # one question asks more than once
def _named(words: tuple[str, ...], speakers: tuple[str, ...]) -> frozenset[int]:
    labels = [_words(label) for label in speakers]
    firsts = [label[0] for label in labels if label]
    return frozenset(
        row
        for row, label in enumerate(labels)
        if label and (_within(label, words) or (label[0] in words and firsts.count(label[0]) == 1))
    )


def _within(label: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return any(words[at : at + len(label)] == label for at in range(len(words) - len(label) + 1))
