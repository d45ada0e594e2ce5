"""Facts as an answer states them: whether they hold, what replaced them, and since when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.model.shown import ShownFact
from memory.model.timeline import DAY_S, Clock, Instant, to_datetime
from memory.words.predicates import named
from memory.words.time_spans import TimeSpan, label

STEPS = 8
"""How many facts in turn are looked up after one whose place was taken (chosen: addresses of half a life)."""
_GAVE_WAY = ("superseded", "invalidated")
"""What was so and is no more, and what never was: of both it may be known what is so instead."""
_A_YEAR = re.compile(r"\b\d{4}\b")
_NAMED_DAYS = (1, 7, 28, 29, 30, 31, 365, 366)
"""How long a day, a week, a month and a year are; by the clocks an hour more or less."""


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact of a hit. `superseded_by` is the statement that replaced it; `confidence` is in [0, 1]."""

    fact_id: str
    statement: str
    valid_from: Instant | None
    valid_to: Instant | None = None
    status: str = "active"
    superseded_by: str | None = None
    predicate: str | None = None
    object: str | None = None
    polarity: bool = True
    confidence: float = 0.0
    source_id: str = ""
    """Where it was said last."""
    disputed: bool = False
    subject: str = ""
    """Its subject and object, as far as they are known."""
    told_at: Instant | None = None
    """When it was said last."""
    ahead: bool = False
    """Its end is still to come: it is due then, or holds until then."""


def known_fact(shown: ShownFact, now: Instant) -> KnownFact:
    """A fact as it was read from the stores, without what took its place."""
    last = shown.sources[-1] if shown.sources else None
    return KnownFact(
        fact_id=shown.fact_id,
        statement=shown.statement,
        valid_from=shown.valid_from,
        valid_to=shown.valid_to,
        status=shown.status,
        predicate=shown.predicate,
        object=shown.object,
        polarity=shown.polarity,
        confidence=shown.confidence,
        source_id=last.source_id if last else "",
        subject=shown.subject,
        told_at=last.at if last else None,
        ahead=is_ahead(shown.valid_to, now),
    )


def holds(fact: KnownFact, as_of: Instant | None = None) -> bool:
    """Whether it is true at a moment (None: now). What has happened stays true."""
    over = fact.valid_to is not None and not happened(fact)
    if as_of is None:
        return fact.status == "active" and (fact.ahead or not over)
    begun = fact.valid_from is None or fact.valid_from <= as_of
    ended = over and fact.valid_to is not None and fact.valid_to <= as_of
    return fact.status in ("active", "superseded") and begun and not ended


def is_ahead(valid_to: Instant | None, now: Instant) -> bool:
    """Whether the end of a fact is still to come."""
    return valid_to is not None and valid_to > now


def standing(fact: KnownFact, facts: Sequence[KnownFact], as_of: Instant | None = None) -> KnownFact | None:
    """This fact if it is true at a moment (None: now), else the fact that had replaced it, or None."""
    return fact if holds(fact, as_of) else _successor(fact, facts, as_of)


def replaced_by(fact: KnownFact, facts: Sequence[KnownFact]) -> list[KnownFact]:
    """The facts that this fact has replaced, the latest first."""
    earlier = [each for each in facts if each.status == "superseded" and each.superseded_by == fact.statement]
    return sorted(earlier, key=lambda each: (each.valid_from or 0.0, each.fact_id), reverse=True)


def with_change(fact: KnownFact, facts: Sequence[KnownFact], clock: Clock = 0) -> str:
    """Maya lives in Lisbon (since 3 March 2026; before: Porto). Without a change on record just the statement.

    Since when something unchanged has been so, nobody said: only when it was first heard. What happened says its time.
    """
    earlier = replaced_by(fact, facts)
    if not earlier or happened(fact):
        return fact.statement
    since = f"since {_date(fact.valid_from, clock)}; " if fact.valid_from is not None else ""
    return f"{fact.statement} ({since}before: {_difference(earlier[0].statement, fact.statement)})"


def with_day(fact: KnownFact, told: str, clock: Clock = 0) -> str:
    """The text of a fact, with its day if the statement has none: Maya sold the car (3 March 2026)."""
    if fact.valid_from is None or not (happened(fact) or _is_of_a_day(fact)) or _A_YEAR.search(told):
        return told
    return f"{told} ({_date(fact.valid_from, clock)})"


def with_end(fact: KnownFact, clock: Clock = 0) -> str:
    """Maya likes Nike (until March 2026): of a fact that is over and has no successor.

    Carla broke her leg on 3 January 2026: what a day or a year was named with did not end with it.
    """
    if _is_of_a_day(fact):
        return fact.statement
    over = "no longer so" if fact.valid_to is None else f"until {_date(fact.valid_to, clock)}"
    return f"{fact.statement} ({over})"


def happened(fact: KnownFact) -> bool:
    """Whether it is an event rather than a state."""
    row = named(fact.predicate)
    return row is not None and row.tense == "event"


def _is_of_a_day(fact: KnownFact) -> bool:
    """Whether it fills a day, a week, a month or a year and is no state that we know, which ends at some moment."""
    if fact.status != "active" or named(fact.predicate) or fact.valid_from is None or fact.valid_to is None:
        return False
    stretch = (fact.valid_to - fact.valid_from) / DAY_S
    return round(stretch) in _NAMED_DAYS and abs(stretch - round(stretch)) <= 1 / 24


def _successor(fact: KnownFact, facts: Sequence[KnownFact], as_of: Instant | None) -> KnownFact | None:
    """The facts that replaced a superseded fact, one after the other; their beginnings may be unknown here."""
    passed: set[str] = set()
    while fact.status in _GAVE_WAY and fact.superseded_by is not None and fact.superseded_by not in passed:
        passed.add(fact.superseded_by)
        known = [other for other in facts if other.statement == fact.superseded_by]
        if not known:
            return KnownFact("", fact.superseded_by, fact.valid_to) if as_of is None else None
        fact = max(known, key=lambda other: (holds(other, as_of), other.valid_from or 0.0))
        if holds(fact, as_of):
            return fact
    return None


def _difference(old: str, new: str) -> str:
    """The old statement without the words both begin with: Porto, of "Maya lives in Porto"."""
    words, others = old.split(), new.split()
    same = next((i for i, (a, b) in enumerate(zip(words, others, strict=False)) if a != b), 0)
    return " ".join(words[same:])


def _date(at: Instant, clock: Clock) -> str:
    """The local day; the first of a month or year at midnight is how a mere month or year was dated."""
    local = to_datetime(at, clock)
    midnight = (local.hour, local.minute, local.second) == (0, 0, 0)
    grain = "day" if not midnight or local.day > 1 else "month" if local.month > 1 else "year"
    return label(TimeSpan(at, at, grain, "point", False, ""), clock)
