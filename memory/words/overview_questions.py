"""Overview questions: who asks for all of somebody, for what happened or what changed, and nothing else.

By form alone, in English and German ("What's new?" and "lately" in English alone): "What do you know about me?", "What
happened this week?", "What has changed?".
Whoever asks for anything in particular is answered by what was said of that. When the event was that a time begins with
("since I moved"), and whether a memory knows a name that is written small, is found out elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.model.timeline import DAY_S, Clock, Instant, Interval
from memory.words.stems import tokenise
from memory.words.time_anchors import anchored, vague
from memory.words.time_named import named_times
from memory.words.vocabulary import words

_NAME = r"(?-i:[A-ZÄÖÜ][\w'’-]*+(?: [A-ZÄÖÜ][\w'’-]*+){0,2})"
_SMALL = r"(?-i:[a-zäöüß][\w'’-]*+(?: [a-zäöüß][\w'’-]*+){0,2})"
_ABOUT = re.compile(
    r"\W*(?:(?:so|please|bitte|can you|could you),? )*"
    r"(?:what (?:else |all )?do you (?:know|remember) (?:about|of)|what can you tell me about|"
    r"tell me (?:all |everything |more |something )?(?:you know )?about|"
    r"was wei(?:ß|ss)t du (?:alles |noch )?(?:über|von)|erzähle? mir (?:alles |etwas |mehr )?(?:über|von))"
    rf" (?P<who>me|myself|mich|mir|{_NAME}|(?P<small>{_SMALL}))\W*",
    re.I,
)
_OWN = frozenset({"me", "myself", "mich", "mir"})
_HAPPENED = re.compile(
    r"\W*(?:so |and |und )?"
    r"(?:what(?:['’]s| is| was| has| have)?(?: all)?(?: been)? (?:happened|happening|going on|new)|"
    r"what(?: all)? did (?:i|we) do|was (?:ist|war)\b.*\b(?:passiert|geschehen|los))\b",
    re.I,
)
_LATELY = words("lately recently")
_BARE = re.compile(r"(?: with me| in my life)?(?P<lately> (?:lately|recently))?\W*", re.I)
"""What may follow where no time is named: what's new with me, what's been going on lately."""
_HAPPENS = words("happened happening going new passiert geschehen los alles") | _LATELY
"""What may be left of such a question without its time."""


_CHANGED = re.compile(
    r"\W*(?:so |and |und )?"
    r"(?:what(?:['’]s| has| is)?(?: all)? (?:changed|different)|was hat sich\b.*\bge(?:ä|ae)ndert)\b",
    re.I,
)
_CHANGES = words("changed different was hat sich geändert geaendert") | _LATELY
LATELY_S = 14 * DAY_S
"""Seconds of "lately" and of "what's new?" (chosen: two weeks; what is older was told in between)."""
CHANGED_S = 30 * DAY_S
"""Seconds of "what has changed?", which names no time (chosen: a month)."""


@dataclass(frozen=True, slots=True)
class OverviewQuestion:
    """About whom all is asked ("" for the owner), or the time of which it is asked what happened, or what changed."""

    about: str | None = None
    happened: Interval | None = None
    changed: Interval | None = None
    small: bool = False
    """Whom it is about is written small, and is somebody only if the memory knows such a name."""
    anchored: bool = False
    """The time begins with an event; its start is open until it is known when that was."""


def asks_overview(question: str) -> bool:
    """Whether a question may be one of these, by how it begins."""
    return any((_ABOUT.fullmatch(question), _HAPPENED.match(question), _CHANGED.match(question)))


def overview_question(question: str, now: Instant, clock: Clock = 0) -> OverviewQuestion | None:
    """What a question asked at `now` by this clock asks all of; else None."""
    found = _ABOUT.fullmatch(question)
    if found is not None:
        own = found["who"].casefold() in _OWN
        return OverviewQuestion(about="" if own else found["who"], small=found["small"] is not None)
    begun = _HAPPENED.match(question)
    if begun is not None:
        untold = Interval(now - LATELY_S, now) if _is_of_lately(question, begun) else None
        span, by_event = _time(question, now, clock, _HAPPENS, untold)
        return None if span is None else OverviewQuestion(happened=span, anchored=by_event)
    if _CHANGED.match(question) is not None:
        lately = not _LATELY.isdisjoint(word for word, _ in tokenise(question))
        untold = Interval(now - (LATELY_S if lately else CHANGED_S), now)
        span, by_event = _time(question, now, clock, _CHANGES, untold)
        return None if span is None else OverviewQuestion(changed=span, anchored=by_event)
    return None


def _is_of_lately(question: str, begun: re.Match[str]) -> bool:
    """Whether "new" or "lately" tells the time of a question that has begun so."""
    left = _BARE.fullmatch(question, begun.end())
    return left is not None and (left["lately"] is not None or begun.group().casefold().endswith("new"))


def _time(
    question: str, now: Instant, clock: Clock, form: frozenset[str], untold: Interval | None
) -> tuple[Interval | None, bool]:
    """The time up to now that a question asks of, and whether an event begins it, whose time stays open."""
    span = _span(question, now, clock, form, untold)
    since = anchored(question) if span is None else None
    if since is None or since.relation != "since":
        return span, False
    asked = {word for word, _ in tokenise(since.rest) if not vague(word)}
    return (Interval(None, now), True) if asked <= form else (None, False)


def _span(question: str, now: Instant, clock: Clock, form: frozenset[str], untold: Interval | None) -> Interval | None:
    """The one time that a question names beside the words of its form, up to now; `untold` if it names none."""
    named = named_times(question, now, clock)
    left = set(named.left) if named.stretches else {word for word, _ in tokenise(question) if not vague(word)}
    if not left <= form or len(named.stretches) > 1:
        return None
    if not named.stretches:
        return untold
    extent = named.stretches[0].extent
    end = now if extent.end is None else min(extent.end, now)
    return Interval(extent.start, end) if extent.start is not None and extent.start < end else None
