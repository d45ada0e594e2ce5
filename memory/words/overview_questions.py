"""Overview questions: who asks for all of somebody, for what happened or what changed, and nothing else.

By form alone, in English and German: "What do you know about me?", "What happened this week?", "What has changed?".
Whoever asks for anything in particular is answered by what was said of that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.model.timeline import DAY_S, Instant, Interval
from memory.words.stems import tokenise
from memory.words.time_anchors import vague
from memory.words.time_named import named_times
from memory.words.vocabulary import words

_NAME = r"(?-i:[A-ZÄÖÜ][\w'’-]*(?: [A-ZÄÖÜ][\w'’-]*){0,2})"
_ABOUT = re.compile(
    r"\W*(?:(?:so|please|bitte|can you|could you),? )*"
    r"(?:what (?:else |all )?do you (?:know|remember) (?:about|of)|what can you tell me about|"
    r"tell me (?:all |everything |more |something )?(?:you know )?about|"
    r"was wei(?:ß|ss)t du (?:alles |noch )?(?:über|von)|erzähle? mir (?:alles |etwas |mehr )?(?:über|von))"
    rf" (?P<who>me|myself|mich|mir|{_NAME})\W*",
    re.I,
)
_OWN = frozenset({"me", "myself", "mich", "mir"})
_HAPPENED = re.compile(
    r"\W*(?:so |and |und )?"
    r"(?:what(?:['’]s| is| was| has| have)?(?: all)?(?: been)? (?:happened|happening|going on|new)|"
    r"what(?: all)? did (?:i|we) do|was (?:ist|war)\b.*\b(?:passiert|geschehen|los))\b",
    re.I,
)
_HAPPENS = words("happened happening going new passiert geschehen los alles")
"""What may be left of such a question without its time."""


_CHANGED = re.compile(
    r"\W*(?:so |and |und )?"
    r"(?:what(?:['’]s| has| is)?(?: all)? (?:changed|different)|was hat sich\b.*\bge(?:ä|ae)ndert)\b",
    re.I,
)
_CHANGES = words("changed different was hat sich geändert geaendert")
LATELY_S = 30 * DAY_S
"""Seconds of "what has changed?", which names no time (chosen: a month)."""


@dataclass(frozen=True, slots=True)
class OverviewQuestion:
    """About whom all is asked ("" for the owner), or the time of which it is asked what happened, or what changed."""

    about: str | None = None
    happened: Interval | None = None
    changed: Interval | None = None


def overview_question(question: str, now: Instant, offset_s: int = 0) -> OverviewQuestion | None:
    """What a question asked at `now`, where clocks are `offset_s` seconds ahead of UTC, asks all of; else None."""
    found = _ABOUT.fullmatch(question)
    if found is not None:
        return OverviewQuestion(about="" if found["who"].casefold() in _OWN else found["who"])
    if _HAPPENED.match(question) is not None:
        span = _span(question, now, offset_s, _HAPPENS)
        return None if span is None else OverviewQuestion(happened=span)
    if _CHANGED.match(question) is not None:
        span = _span(question, now, offset_s, _CHANGES, lately=Interval(now - LATELY_S, now))
        return None if span is None else OverviewQuestion(changed=span)
    return None


def _span(
    question: str, now: Instant, offset_s: int, form: frozenset[str], lately: Interval | None = None
) -> Interval | None:
    """The one time that a question names beside the words of its form, up to now; `lately` if it names none."""
    named = named_times(question, now, offset_s)
    left = set(named.left) if named.stretches else {word for word, _ in tokenise(question) if not vague(word)}
    if not left <= form or len(named.stretches) > 1:
        return None
    if not named.stretches:
        return lately
    extent = named.stretches[0].extent
    end = now if extent.end is None else min(extent.end, now)
    return Interval(extent.start, end) if extent.start is not None and extent.start < end else None
