"""Times that a question names by the calendar - on Wednesday, last week, am 3. Mai - and what else it asks.

The words come first, in English and German; what lies there is found elsewhere (`memory.retrieval.calendar_leg`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.model.timeline import DAY_S, Clock, Instant, Interval
from memory.words.german_times import in_english
from memory.words.stems import tokenise
from memory.words.time_anchors import vague
from memory.words.time_expressions import resolve
from memory.words.time_retold import Retelling, of_feast, retellings
from memory.words.time_spans import TimeSpan

_OWN_UNIT = re.compile(r"\b(?:my|our) (?=(?:week|weekend|month|year)\b(?! (?:of|in|at|with|long)\b))", re.I)
"""Summarize my week: the one it is said in."""
_SIDE = re.compile(
    r"\b(?:(?P<before>before|prior to|vor)|(?P<until>until|till|by|bis)|(?P<after>after|following|nach))"
    r"(?: (?:the|dem|der|den|zum|zur))? ?$",
    re.I,
)
"""What stands before a time from which it lies to one side."""
_COUNTED = re.compile(r"\b(?:ago|back|earlier)\b", re.I)
_COUNTED_FROM_S = 7 * DAY_S
"""Days ago that are counted beyond a week are about so many."""
_SOMEBODY = re.compile(r"\b(?:who(?:['’]s| is| was)|did|does|has|will|would|can|with) (?:april|june|august)$", re.I)
"""Who is April? What did June say?"""


@dataclass(frozen=True, slots=True)
class Stretch:
    """One stretch of time."""

    extent: Interval
    """An open end is None."""
    about: bool = False
    """It was told only about."""
    retold: tuple[Retelling, ...] = ()
    """How it is called later."""


@dataclass(frozen=True, slots=True)
class NamedTimes:
    """The stretches of time a question names, and the question without them."""

    stretches: tuple[Stretch, ...] = ()
    said: str = ""
    """The words that tell them, put into English."""
    left: tuple[str, ...] = ()
    """The words of the rest that ask for anything in particular, folded."""
    over: bool = False
    """All of it lies behind: whatever is asked, it was."""

    @property
    def alone(self) -> bool:
        """Whether nothing but a time is asked for."""
        return bool(self.stretches) and not self.left

    @property
    def certain(self) -> bool:
        """Whether what is of then would be known: it lies behind, and is called by names that are looked for."""
        return self.over and all(stretch.retold for stretch in self.stretches)

    @property
    def share(self) -> float:
        """How much the time counts beside what is left: all of it alone, a quarter beside one word, a ninth beside two.

        Whoever says more is found by it, and may remember the day wrong. By the square, for the day counts as the
        feature `named_day` as well (docs/decisions/0051).
        """
        return 1 / (1 + len(self.left)) ** 2


NOTHING_NAMED = NamedTimes()
_MOST_NAMED = 20
"""Times of a question that are looked at (chosen: nobody asks for more at once); for each all before it is read."""


def named_times(text: str, now: Instant, clock: Clock = 0) -> NamedTimes:
    """What a question names that is asked at `now` by this clock."""
    plain = _OWN_UNIT.sub("this ", in_english(text))
    spans = [
        span
        for span in resolve(plain, now, clock)[:_MOST_NAMED]
        if span.kind in ("point", "interval")
        and span.start is not None
        and not _SOMEBODY.search(plain[: span.at + len(span.text)])
    ]
    if not spans:
        return NOTHING_NAMED
    extents = [_extent(span, plain) for span in spans]
    return NamedTimes(
        tuple(
            Stretch(extent, _about(span, now), retellings(extent, clock) + of_feast(span.text, extent))
            for span, extent in zip(spans, extents, strict=True)
        ),
        ", ".join(span.text for span in spans),
        tuple(word.removesuffix("'s") for word, _ in tokenise(_without(plain, spans)) if not vague(word)),
        all(extent.end is not None and extent.end <= now for extent in extents),
    )


def _extent(span: TimeSpan, text: str) -> Interval:
    """A span, or what lies before or after it if the words say so, which some spans hold themselves."""
    first = span.text.split(" ", 1)[0]
    side = _SIDE.search(text[: span.at]) or _SIDE.search(first)
    if side is None:
        return span.interval
    if side["after"]:
        return Interval(span.end, None)
    return Interval(None, span.start if side["before"] else span.end)


def _about(span: TimeSpan, now: Instant) -> bool:
    counted = span.start is not None and now - span.start > _COUNTED_FROM_S and _COUNTED.search(span.text) is not None
    return span.approximate or (counted and span.grain == "day")


def _without(text: str, spans: Sequence[TimeSpan]) -> str:
    """The text with these spans cut out, and the 's of Monday's; they lie in their order."""
    pieces, after = [], 0
    for span in spans:
        pieces.append(text[after : span.at])
        after = span.at + len(span.text)
        after += 2 * (text[after : after + 2] in ("'s", "’s"))
    return " ".join([*pieces, text[after:]])
