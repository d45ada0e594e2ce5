"""Overview questions: who asks for all that is known of somebody, or for what happened in a time, and for nothing else.

By form alone, in English and German: "What do you know about me?", "Tell me about Tom", "What happened this week?".
Whoever asks for anything in particular is answered by what was said of that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.model.timeline import Instant, Interval
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


@dataclass(frozen=True, slots=True)
class OverviewQuestion:
    """About whom all is asked ("" for the owner), or the time of which it is asked what happened; the other is None."""

    about: str | None = None
    span: Interval | None = None


def overview_question(question: str, now: Instant, offset_s: int = 0) -> OverviewQuestion | None:
    """What a question asked at `now`, where clocks are `offset_s` seconds ahead of UTC, asks all of; else None."""
    found = _ABOUT.fullmatch(question)
    if found is not None:
        return OverviewQuestion(about="" if found["who"].casefold() in _OWN else found["who"])
    if _HAPPENED.match(question) is None:
        return None
    named = named_times(question, now, offset_s)
    if len(named.stretches) != 1 or not set(named.left) <= _HAPPENS:
        return None
    extent = named.stretches[0].extent
    end = now if extent.end is None else min(extent.end, now)
    if extent.start is None or extent.start >= end:
        return None
    return OverviewQuestion(span=Interval(extent.start, end))
