"""Schedules: verbs whose past tells of a day to come - moved to the 29th, postponed until May, booked for Friday.

A date without a year beside them is the next one. A weekday says so only after to, for, till and until: who booked on
Monday had done it by Tuesday. And who moved to Ghent in May had moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from adapters.extraction.rules_clauses import Clause
from adapters.extraction.rules_model import Token
from memory.words.calendar_names import WEEKDAY
from memory.words.time_spans import TimeSpan
from memory.words.vocabulary import words

_SET = words("postpone reschedule schedule book cancel")
"""Verbs that set a day, or do away with one that is to come."""
_SET_WITH = {
    "push": words("back out"),
    "put": words("back off"),
    "bring": words("forward"),
    "sign": words("up for"),
    "move": words("forward back up"),
}
"""The same with one of these words beside them."""
_DIRECTED = words("move push")
"""The same if what follows is where to: moved to the 29th, got pushed to June."""
_TOWARDS = re.compile(r"\b(?:to|for|till|until)\s+(?:the\s+)?$", re.IGNORECASE)
_WEEKDAY = re.compile(rf"(?:on )?(?:{WEEKDAY})$", re.IGNORECASE)


def sets_a_day(clause: Clause) -> bool:
    """Whether its verb, in the past, is of a day that was then to come."""
    return clause.tense in ("past", "perfect") and not clause.negated and _is_of_schedules(clause.head)


def _is_of_schedules(head: Token) -> bool:
    lemma = str(head.lemma_).lower()
    return lemma in _SET or lemma in _DIRECTED or _has_particle(head)


def _needs_direction(head: Token) -> bool:
    """Whether it sets a day only with where to: moved to Ghent on 3 October, and moved to 3 October."""
    return str(head.lemma_).lower() in _DIRECTED and not _has_particle(head)


def _has_particle(head: Token) -> bool:
    beside = {c.lower_ for c in head.subtree if c.i > head.i and c.i - head.i <= _NEAR}
    return not beside.isdisjoint(_SET_WITH.get(str(head.lemma_).lower(), frozenset()))


_NEAR = 6
"""Words after a verb within which its particle stands: brought the launch of the shop forward."""


def done_on(clause: Clause) -> Iterator[str]:
    """The times on or in which a plain past says that something was done: I ran it on 12 October, in May.

    The last ones are meant, also where the next are nearer, for what was done does not lie ahead.
    """
    if clause.head.tag_ == "VBD" and (not sets_a_day(clause) or _needs_direction(clause.head)):
        for token in clause.head.children:
            if token.dep_ == "prep" and token.lower_ in ("on", "in"):
                yield " ".join(each.text for each in token.subtree)


def days_set(text: str, past: Sequence[TimeSpan], ahead: Sequence[TimeSpan], clause: Clause) -> tuple[TimeSpan, ...]:
    """The times of a clause that sets a day: of each, as the past tells it or `ahead`, the one that is meant."""
    if [span.at for span in past] != [span.at for span in ahead]:
        return tuple(past)
    if is_called_off(clause):  # the gym was cancelled in March, the concert on the 12th
        return tuple(
            new if new.grain == "day" and not _WEEKDAY.match(new.text) else old
            for old, new in zip(past, ahead, strict=True)
        )
    directed = _needs_direction(clause.head)
    return tuple(later if _is_set(text, later, directed) else span for span, later in zip(past, ahead, strict=True))


def _is_set(text: str, span: TimeSpan, needs_direction: bool) -> bool:
    towards = _TOWARDS.search(text[: span.at]) is not None or re.match(r"(?:to|for|till|until)\b", span.text, re.I)
    return bool(towards) or not (needs_direction or _WEEKDAY.match(span.text))


def is_called_off(clause: Clause) -> bool:
    """Whether what was to be on a day is cancelled: that is so from now on, and not on that day."""
    return bool(clause.head.lemma_.lower() == "cancel")


def scheduled(clause: Clause) -> Token | None:
    """What has its day from a clause: the deadline that was moved, the appointment that the clinic moved."""
    moved = (c for c in clause.head.children if c.dep_ in ("dobj", "nsubjpass") and sets_a_day(clause))
    subject = () if clause.subject is None else (clause.subject,)
    return next((each for each in (*subject, *moved) if each.lemma_.lower() in DATED), None)


def day_cues(clause: Clause) -> Iterator[tuple[str, Token]]:
    """The cue of a day that a deadline, a meeting or an exam was moved to, with the word of that day."""
    if not sets_a_day(clause) or is_called_off(clause) or scheduled(clause) is None:
        return
    for token in clause.head.subtree:
        if token.dep_ == "pobj" and token.head.lower_ in ("to", "till", "until", "for") and token.ent_type_ == "DATE":
            yield "be DEADLINE", token


DATED = words(
    "deadline meeting sprint appointment exam interview launch release flight wedding surgery operation hearing "
    "viewing inspection delivery rehearsal concert race handover"
)
"""What has a day of its own, and one at a time."""
