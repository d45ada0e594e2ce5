"""A sentence that the heads keep, as a claim: in the third person, with its time, of whom the heads say it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from adapters.extraction.rules_clauses import clauses
from adapters.extraction.rules_dating import Scene
from adapters.extraction.rules_model import Doc
from adapters.extraction.rules_schedules import sets_a_day
from adapters.extraction.rules_voice import Voice
from adapters.extraction.taught_features import Person
from memory.model.claims import Claim, Utterance
from memory.model.ids import fold
from memory.words.polarity import is_negated, is_negated_in_german
from memory.words.time_expressions import resolve
from memory.words.time_spans import TimeSpan, label

TENSES = {"event": "event", "plan": "plan", "promise": "plan"}
"""Kind of sentence -> tense of the claim; all others are states."""
_PRONOUNS = frozenset({"he", "she", "they", "him", "her", "his", "their", "them"})
_MOST_IMPORTANT = 8


@dataclass(frozen=True, slots=True)
class KeptSentence:
    """A sentence, what it holds, of whom, and how sure the heads are of both."""

    utterance: Utterance
    span: tuple[int, int]
    kind: str
    person: Person
    keep: float
    who: float

    @property
    def words(self) -> str:
        """The sentence."""
        return self.utterance.text[slice(*self.span)]


def claim_of(kept: KeptSentence, doc: Doc | None) -> Claim:
    """The claim; `doc` is the parse of the sentence, None where it is German: then its words stay as they are."""
    utterance = kept.utterance
    subject = kept.person.name or utterance.speaker
    statement = _third(kept, doc, subject) if doc is not None else kept.words.strip(" .")
    tense, spans = _when(kept, doc, statement)
    span = next((each for each in spans if each.kind != "recurrence"), None)
    for found in reversed(spans if tense != "state" else ()):  # of a state it is not known where its time lies
        if words := label(found, utterance.clock):
            end = found.at + len(found.text)
            statement = f"{statement[:end]} ({words}){statement[end:]}"
    if not _says(statement, subject):
        statement = f"{subject}: {statement}"
    claim = Claim(
        subject=subject,
        statement=statement,
        segment_key=utterance.segment_key,
        quote=kept.words,
        kind="preference" if kept.kind == "preference" else "factual",
        importance=min(_MOST_IMPORTANT, 4 + int(4 * kept.keep)),
        confidence=round(min(1.0, kept.keep * kept.who + 0.2), 2),
        polarity=not _denied(kept, doc),
        tense=tense,
        valid_from=utterance.at,
    )
    return _timed(claim, span, utterance)


def _when(kept: KeptSentence, doc: Doc | None, statement: str) -> tuple[str, Sequence[TimeSpan]]:
    """The tense, and the times of the statement; a day that a verb sets is the next one, as the rules date it."""
    utterance, tense = kept.utterance, TENSES.get(kept.kind, "state")
    setting = next((each for each in clauses(doc) if sets_a_day(each)), None) if doc is not None else None
    if setting is None:
        prefer = "future" if tense == "plan" else "past"
        return tense, resolve(statement, utterance.at, utterance.clock, prefer, nearest=True)
    spans = Scene(utterance, Voice(utterance.speaker)).spans_of(statement, setting)
    ahead = any(span.end is not None and span.end > utterance.at for span in spans)
    return "plan" if ahead else tense, spans


def _third(kept: KeptSentence, doc: Doc, subject: str) -> str:
    utterance = kept.utterance
    listener = utterance.listeners[0] if len(utterance.listeners) == 1 else None
    pronoun = next((token for token in doc if token.lower_ in _PRONOUNS), None)
    by_pronoun = kept.person.how in ("beside", "earlier", "listener") and pronoun is not None
    referents = {pronoun.i: subject} if by_pronoun and pronoun is not None else {}
    return Voice(utterance.speaker, listener, f"{utterance.speaker} and others", referents).say(list(doc))


def _timed(claim: Claim, span: TimeSpan | None, utterance: Utterance) -> Claim:
    if span is None or span.start is None:
        return claim
    if claim.tense == "plan":
        due = span.end - 1 if span.end is not None else span.start
        return replace(claim, due=due if due > utterance.at else None)
    if claim.tense == "event":
        return replace(claim, valid_from=span.start, valid_to=span.end)
    return replace(claim, valid_from=span.start) if span.end is None and span.start <= utterance.at else claim


def _denied(kept: KeptSentence, doc: Doc | None) -> bool:
    """Whether the sentence as a whole is denied: his blood pressure is high, no salt, is not."""
    if doc is None:
        return is_negated_in_german(kept.words)
    return is_negated(kept.words) and any(token.dep_ == "neg" and token.head.dep_ == "ROOT" for token in doc)


def _says(statement: str, subject: str) -> bool:
    first = fold(subject).split()
    return bool(first) and first[0] in fold(statement)


def says_as_much(known: Claim, claim: Claim) -> bool:
    """Whether a claim of the same turn holds every word of another, dates and the name before a sentence aside."""
    same = known.segment_key == claim.segment_key and known.polarity == claim.polarity
    return same and _words_of(claim) - _words_in(claim.subject) <= _words_of(known)


def _words_of(claim: Claim) -> frozenset[str]:
    return _words_in(_DATE.sub("", claim.statement))


def _words_in(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(fold(text)))


_DATE = re.compile(r"\([^)]*\)")
"""The day that was written behind a time, by either reader; what somebody said in brackets goes with it."""
_WORD = re.compile(r"\w+")
