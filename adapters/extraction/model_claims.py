"""Facts of a language model as claims: grounded, typed, dated and weighed by rule.

A model's own confidence is no signal (it repeats the one of its examples), so none is asked for. By rule: 0.7 for a
typed fact, 0.6 (what an unweighed claim has) for any other, 0.2 less for hearsay and hedges. The rule extractor begins
at 0.65 to 0.85: of 100 facts read by hand 6 of its were wrong, and 33 of a model of 1.5B.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from adapters.extraction.model_answer import SaidFact
from adapters.extraction.model_grounds import Passage, UtteranceContext
from adapters.extraction.model_predicates import row_of
from adapters.extraction.rules_consequences import follows
from adapters.extraction.rules_dating import due_of
from memory.model.claims import Claim
from memory.model.ids import fold
from memory.words import polarity
from memory.words.features import first_person
from memory.words.names import is_name
from memory.words.predicates import HABIT, Predicate, class_of, habit_of, named
from memory.words.stems import tokenise
from memory.words.time_expressions import resolve
from memory.words.time_spans import TimeSpan, label

_FUTURE = re.compile(
    r"\b(?:will|won't|shall|going to|gonna|plan(?:s|ning)?|about to|looking forward|tomorrow|soon|"
    r"next (?:week|month|year|\w+day))\b|'ll\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SECOND_PERSON = re.compile(r"\byou(r?)s?\b", re.IGNORECASE)
_TYPED, _PLAIN, _SHAKY = 0.7, 0.6, 0.2


def claims_of(facts: Iterable[SaidFact], grounds: UtteranceContext) -> Iterator[Claim]:
    """The facts that the utterance carries, each once; the rest is dropped."""
    seen: set[object] = set()
    for fact in facts:
        for claim in _claims(fact, grounds):
            same = {
                fold(claim.statement),
                (claim.predicate, fold(claim.subject), fold(claim.object or claim.statement)),
            }
            if not same & seen:
                yield claim
            seen |= same


def _claims(fact: SaidFact, grounds: UtteranceContext) -> Iterator[Claim]:
    passage = grounds.passage(fact.evidence)
    if passage is None or not passage.asserted:
        return
    subject = grounds.subject(fact.subject, passage)
    if subject is None or not grounds.says(fact.object, passage):
        return
    row = row_of(fact, passage)
    if (
        subject == grounds.utterance.speaker
        and not (row and row.name.startswith("has_"))
        and grounds.is_of_kin(passage)
    ):
        return
    statement = _statement(fact, subject, row, grounds)
    if statement is None or not _agree(statement, passage, row):
        return
    claim = _weighed(
        _timed(_claim(fact, subject, statement, row, passage, grounds), row, passage, grounds), passage, grounds
    )
    yield claim
    moved = row is not None and row.sort == "new_home" and claim.polarity and claim.tense != "plan"
    if moved and is_name(claim.object or ""):
        yield follows(claim, f"{subject} lives in {claim.object}")


def _claim(
    fact: SaidFact, subject: str, statement: str, row: Predicate | None, passage: Passage, grounds: UtteranceContext
) -> Claim:
    predicate = None if row is None else habit_of(fold(fact.object)) if row.name == HABIT else row.name
    return Claim(
        subject=subject,
        statement=statement,
        segment_key=grounds.utterance.segment_key,
        quote=passage.quote,
        predicate=predicate,
        object=fact.object if row else None,
        object_type=row.object_type if row else None,
        slot=class_of(fact.object) if row is not None and row.slotted == "kind" else None,
        kind=row.kind if row else "factual",
        confidence=_confidence(row, passage),
        polarity=not polarity.is_negated(statement),
        change=polarity.has_change_cue(passage.part),
    )


def _statement(fact: SaidFact, subject: str, row: Predicate | None, grounds: UtteranceContext) -> str | None:
    """The model's sentence if it names its subject and is made of what was said; else one of the triple, else None."""
    words = _in_third_person(fact.statement.strip(" .!?\"'"), grounds)
    about = {word.removesuffix("'s") for word, _ in tokenise(subject)}
    if (
        about & {word.removesuffix("'s") for word, _ in tokenise(words)}
        and grounds.says(words.removeprefix(subject))
        and len(words.split()) > 2
    ):
        return words
    if row is None or row.name == HABIT or polarity.is_negated(fact.statement):
        return None
    return f"{subject} {row.name.replace('_', ' ')} {fact.object}"


def _in_third_person(words: str, grounds: UtteranceContext) -> str:
    """The sentence with the listener in the place of "you"; "" if it still says "I", or "you" to several."""
    if first_person(words):
        return ""
    if len(grounds.listeners) == 1:
        return _SECOND_PERSON.sub(lambda match: grounds.listeners[0] + ("'s" if match.group(1) else ""), words)
    return "" if _SECOND_PERSON.search(words) else words


def _agree(statement: str, passage: Passage, row: Predicate | None) -> bool:
    """Whether statement and words are both negated or both not: a lost "not" is a model's worst mistake."""
    negated = polarity.is_negated(passage.clause)
    return polarity.is_negated(statement) == negated or (row is not None and row.negative)


def _confidence(row: Predicate | None, passage: Passage) -> float:
    shaky = polarity.is_hearsay(passage.part) or polarity.is_hedged(passage.part)
    return round((_TYPED if row is not None else _PLAIN) - (_SHAKY if shaky else 0.0), 2)


def _timed(claim: Claim, row: Predicate | None, passage: Passage, grounds: UtteranceContext) -> Claim:
    """Events at their time, states from theirs on, plans from now with a due time; relative time is made absolute."""
    at, span = grounds.utterance.at, time_of(passage, grounds)
    words = label(span, grounds.utterance.clock) if span is not None else ""
    if words and not _YEAR.search(claim.statement):
        claim = replace(claim, statement=f"{claim.statement} ({words})")
    tense = _tense(row, span, passage, at)
    if tense == "plan":
        due = due_of(span) if span is not None else None
        return replace(claim, tense=tense, valid_from=at, due=due if due is not None and due > at else None)
    if span is None or span.start is None or span.start > at or (tense == "state" and not _since(span, passage)):
        return replace(claim, tense=tense, valid_from=at)
    return replace(claim, tense=tense, valid_from=span.start, valid_to=span.end if tense == "event" else None)


def time_of(passage: Passage, grounds: UtteranceContext) -> TimeSpan | None:
    """The first time named by the evidence, else by its clause, else (of what is past) by the part around it."""
    at, clock = grounds.utterance.at, grounds.utterance.clock
    texts = (passage.quote, passage.clause, passage.part if passage.past else "")
    prefer = "past" if passage.past else "future"
    spans = (span for text in texts for span in resolve(text, at, clock, prefer, nearest=True))
    return next((span for span in spans if span.kind != "recurrence"), None)


def _tense(row: Predicate | None, span: TimeSpan | None, passage: Passage, at: float) -> str:
    coming = span is not None and span.start is not None and span.start > at
    state = row is not None and row.tense == "state"
    if (
        _FUTURE.search(passage.clause)
        or (row is not None and row.tense == "plan")
        or (coming and not passage.past and not state)
    ):
        return "plan"
    if row is not None:
        return row.tense
    return "event" if span is not None and passage.past else "state"


def _since(span: TimeSpan, passage: Passage) -> bool:
    return span.end is None or passage.past


def _weighed(claim: Claim, passage: Passage, grounds: UtteranceContext) -> Claim:
    """Importance on the rules' scale: 3, the predicate's, 2 for a time, 1 each for a number and the speaker."""
    row = named(claim.predicate)
    points = (
        3
        + (row.weight if row else 0)
        + bool(_NUMBER.search(claim.quote))
        + (claim.subject == grounds.utterance.speaker)
    )
    points += 2 * (time_of(passage, grounds) is not None) - 2 * (claim.kind == "opinion")
    return replace(claim, importance=max(1, min(10, points)))
