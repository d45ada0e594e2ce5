"""When a claim holds: events at their time, states from theirs on, plans from now with a due time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from adapters.extraction.rules_clauses import Clause, clauses
from adapters.extraction.rules_endings import is_put_off
from adapters.extraction.rules_frames import Frame
from adapters.extraction.rules_model import Doc
from adapters.extraction.rules_schedules import days_set, done_on, is_called_off, sets_a_day
from adapters.extraction.rules_voice import Voice
from memory.model.claims import Claim, Utterance
from memory.model.timeline import DAY_S, Instant, to_datetime
from memory.words.normalise import UtterancePiece
from memory.words.predicates import single_valued
from memory.words.time_expressions import resolve
from memory.words.time_spans import Calendar, TimeSpan, label
from memory.words.vocabulary import words

_FRAME_GRAINS = frozenset({"day", "week", "weekend", "month"})
_HABITUAL = words("usually often regularly normally generally")
TAKEN = words("eat drink smoke")
"""Of what one takes in, the simple present tells a habit, denied or not: whether it is so can be told anew."""
_DO = words("do does")
_THIS = words("the this that poss")
"""Before what is eaten: one thing, not a sort of things."""
_UNTIL = re.compile(r"(?:(?:un)?till?|before)\b", re.I)
_WHOLE = re.compile(r"\b(?:to|until|till|through|and(?![ -]a\b))\b|\d\s?[-–—]", re.I)
"""In an interval: from one time to another ("2015 and 2018", "2015-2018"); "a year and a half ago" is one time."""
_ABSOLUTE = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class Scene:
    """What a piece is read against: the utterance, its voice, and what its earlier sentences have set."""

    utterance: Utterance
    voice: Voice
    frame: TimeSpan | None = None
    """The last past time of an earlier sentence of the turn ("Last night was great! We celebrated ...")."""
    plural: str | None = None
    """The last plural thing of the turn, for "them"."""
    kin: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """(owner, noun) to the name that was said: my sister is Jane."""
    common: frozenset[str] = frozenset()
    """Words the conversation writes small: no names, even where a sentence begins with them."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Folded name to person or place, for those whose uses in the conversation say so."""

    present: frozenset[str] = frozenset()
    """Who else takes part in the conversation."""

    vowed: bool = False
    """Whether "I promise" follows right after."""

    answering: bool = False
    """Whether it may answer a question: what only points is then kept, beside the question."""

    def spans(self, text: str, tense: str) -> list[TimeSpan]:
        """The time expressions of a text, bare names looking where its tense looks but for dates that are near."""
        prefer = "past" if tense in ("past", "perfect") else "future"
        return resolve(text, self.utterance.at, self.utterance.clock, prefer, nearest=True)

    def _strict(self, text: str, prefer: str) -> list[TimeSpan]:
        """The same, all bare names looking that way, however near a day is the other way."""
        return resolve(text, self.utterance.at, self.utterance.clock, prefer)

    def _is_length(self, span: TimeSpan, clause: Clause) -> bool:
        """Hasn't slept in a fortnight: how long it was not, and no time to come."""
        ahead = span.start is not None and span.start > self.utterance.at
        return ahead and clause.tense in ("past", "perfect") and span.text.lower().startswith("in ")

    def spans_of(self, text: str, clause: Clause) -> tuple[TimeSpan, ...]:
        """The time expressions beside a clause: bare names look where its tense looks, or ahead to a day it sets.

        What was done on a day was done on the last one, however near the next one is.
        """
        done = [each.lower() for each in done_on(clause)]
        past = {span.at: span for span in self._strict(text, "past")} if done else {}
        spans = [
            past.get(span.at, span) if any(span.text.lower() in each for each in done) else span
            for span in self.spans(text, clause.tense)
            if not (clause.negated and self._is_length(span, clause))
        ]
        return days_set(text, spans, self._strict(text, "future"), clause) if sets_a_day(clause) else tuple(spans)


@dataclass(frozen=True, slots=True)
class Dating:
    """The time expressions of a clause: its `own`, and the one `span` that dates it.

    Of a state that is `over`, "for two years" says how long it lasted, and not since when: nobody knows when it began.
    """

    own: tuple[TimeSpan, ...]
    span: TimeSpan | None
    habit: bool
    over: bool = False


def dating_of(clause: Clause, frame: Frame | None, statement: str, piece: UtterancePiece, scene: Scene) -> Dating:
    """Its own expression, else (a past event) that of its sentence, else of an earlier sentence of the turn."""
    if _is_any_years_day(clause, statement):
        return Dating((), None, habit=False)
    own = scene.spans_of(statement, clause)
    past = clause.tense == "past" and not is_put_off(clause)
    over = past and frame is not None and frame.row.tense == "state" and frame.row.single
    dates = (s for s in own if s.kind != "recurrence" and not (over and s.kind == "duration"))
    span = next(dates, None) or _outer_span(clause, piece, scene)
    if span is not None and span.start is not None and span.start > scene.utterance.at and is_called_off(clause):
        span = None
    return Dating(own, span, _is_habit(clause, own), over)


def _is_any_years_day(clause: Clause, statement: str) -> bool:
    """Born on 3 May: of which year is not said, and it is not this one."""
    return clause.head.lemma_ == "bear" and " on " in statement and not re.search(r"\b(?:\d{4}|year)\b", statement)


def _is_habit(clause: Clause, spans: Sequence[TimeSpan]) -> bool:
    if clause.tense == "present" and clause.modal is None and _takes(clause):
        return not any(s.kind in ("point", "interval") and s.end is not None for s in spans)
    if clause.tense not in ("present", "perfect") or clause.negated or clause.head.lemma_ in ("be", "have"):
        return False
    return any(s.kind == "recurrence" for s in spans) or any(c.lower_ in _HABITUAL for c in clause.head.children)


def _takes(clause: Clause) -> bool:
    """I eat fish again, I don't drink coffee, I smoke; but not: I'm eating fish, I eat the cake, I eat out."""
    head = clause.head
    if head.lemma_ not in TAKEN or head.tag_ not in ("VBP", "VBZ", "VB") or not set(clause.auxiliaries) <= _DO:
        return False
    taken = [c for c in head.children if c.dep_ == "dobj"]
    sort = any(not _THIS & {c.lower_ if c.dep_ == "det" else c.dep_ for c in each.children} for each in taken)
    return sort or (not taken and (clause.negated or head.lemma_ == "smoke"))


def _outer_span(clause: Clause, piece: UtterancePiece, scene: Scene) -> TimeSpan | None:
    if clause.tense != "past" or clause.head.lower_ == "used":
        return None
    within = [s for s in scene.spans_of(piece.text, clause) if s.kind in ("point", "interval") and s.end is not None]
    return within[0] if within else scene.frame


def next_frame(scene: Scene, doc: Doc) -> TimeSpan | None:
    """The time a piece sets for the past tense of the sentences after it; "I start on 1 April" sets none."""
    first = next(clauses(doc), None)
    told = scene.spans(doc.text, "past") if first is None else scene.spans_of(doc.text, first)
    spans = [s for s in told if s.grain in _FRAME_GRAINS and s.kind != "recurrence"]
    past = [s for s in spans if s.start is not None and s.end is not None and s.start < scene.utterance.at]
    return past[-1] if past else scene.frame


def dated(statement: str, dating: Dating, scene: Scene) -> str:
    """The statement with every relative time made absolute beside it, so that it can be read in another year."""
    clock = scene.utterance.clock
    for found in reversed(dating.own):
        words = label(found, clock)
        if words and not (dating.over and found.kind == "duration") and not _ABSOLUTE.search(found.text):
            end = found.at + len(found.text)
            statement = f"{statement[:end]} ({words}){statement[end:]}"
    span = dating.span
    if span is not None and span not in dating.own and label(span, clock):
        statement = f"{statement} ({label(span, clock)})"
    return statement


def timed(claim: Claim, frame: Frame | None, clause: Clause, dating: Dating, scene: Scene) -> Claim:
    """The claim with its tense, and when it holds or is due."""
    at, span = scene.utterance.at, dating.span
    tense = "state" if dating.habit else _tense(claim, frame, clause, span, at)
    if tense == "plan":
        due = due_of(span) if span is not None else None
        return replace(claim, tense=tense, valid_from=at, due=due if due is not None and due > at else None)
    if tense == "state" and dating.over and (stay := _stay(dating.own, scene.utterance)) is not None:
        return replace(claim, tense=tense, valid_from=stay[0], valid_to=stay[1])
    if span is None or span.start is None or (tense == "state" and not _since(span, clause, at)):
        return replace(claim, tense=tense, valid_from=at)
    return replace(claim, tense=tense, valid_from=span.start, valid_to=span.end if tense == "event" else None)


def _stay(spans: Sequence[TimeSpan], utterance: Utterance) -> tuple[Instant, Instant] | None:
    """From when to when a state held that is over: from 2012 to 2018, until or before 2020, for two years until 2015.

    Where only its end is told, both are that. An end is the beginning of the time that is named.
    """
    bounded = [(s, s.start, s.end) for s in spans if s.kind == "interval" and s.start is not None and s.end is not None]
    over = next((start for span, start, _ in bounded if _UNTIL.match(span.text)), None)
    if over is None:
        return next(((a, b) for span, a, b in bounded if _WHOLE.search(span.text) and b <= utterance.at), None)
    begun = next((s.start for s in spans if s.kind != "duration" and s.start is not None and s.start < over), None)
    since = next((s.start for s in spans if s.kind == "duration" and s.start is not None), utterance.at)
    today, first = (to_datetime(each, utterance.clock).date() for each in (utterance.at, since))
    length = (today - first).days * DAY_S
    return (Calendar(utterance.at, utterance.clock).later(over, -length) if begun is None else begun), over


def due_of(span: TimeSpan) -> Instant | None:
    """The last moment of a span, so that "by Friday" ends on Friday; a clock time is due when it strikes."""
    if span.grain in ("minute", "hour"):
        return span.start
    return None if span.end is None else span.end - 1


def _since(span: TimeSpan, clause: Clause, at: float) -> bool:
    """Whether a time beside a state says since when it holds."""
    return span.start is not None and span.start <= at and (span.end is None or clause.tense in ("past", "perfect"))


def _tense(claim: Claim, frame: Frame | None, clause: Clause, span: TimeSpan | None, at: float) -> str:
    frame = frame if claim.predicate else None
    if clause.tense == "future" or (frame is not None and frame.row.tense == "plan"):
        return "plan"
    ahead = span is not None and span.start is not None and span.end is not None and span.end > at
    if ahead and clause.tense == "present" and (frame is None or frame.row.tense == "event"):
        return "plan"  # I'm visiting Rome next week; the opening is tomorrow
    if ahead and sets_a_day(clause):
        return "plan"  # the deadline was moved to the 29th
    if clause.tense == "past":
        passing = frame is None or frame.row.tense == "event" or not single_valued(claim.predicate, claim.slot)
        return "event" if passing else "state"
    return frame.row.tense if frame is not None else "state"
