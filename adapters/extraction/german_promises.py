"""German promises: what a clause undertakes to do for another, and what it asks to be reminded of."""

from __future__ import annotations

import re

from adapters.extraction.rules_dating import due_of
from adapters.extraction.rules_promises import Promise, verdict_of, weighed
from memory.model.claims import Utterance
from memory.model.timeline import Instant
from memory.words.german_times import english_times
from memory.words.polarity import is_negated_in_german
from memory.words.time_expressions import resolve

_I = re.IGNORECASE
_VOWED = re.compile(
    r"(?:\b(?:verspreche|schwöre) ich|\bich (?:verspreche|versprech|schwöre))\b(?! mir)|"
    r"^(?:versprochen|ehrenwort)\b(?! ist)|"
    r"\b(?:hast|habt|haben sie) mein wort\b|\bmein wort drauf\b",
    _I,
)
_REMINDER = re.compile(
    r"(?:bitte |(?:kannst|könntest|würdest) du )?(?:erinner[et]? mich|mich (?:bitte )?(?:daran |an )|"
    r"lass mich (?:bitte )?nicht vergessen)\b",
    _I,
)
_UNMEANT = re.compile(
    r"\b(?:wenn|falls|sofern|sobald|ha(?:ha)+|hihi|scherz\w*|angeblich)\b|[\"„“”]|"
    r"\b(?!ich\b)\w+ (?:sagt|sagte|meint|meinte|schrieb|schreibt|behauptet\w*|versprach|fragte?|erzählte?)\b|"
    r"\b(?:sagt|sagte|meint|meinte|schrieb|behauptete?|versprach|fragte) (?!ich\b)\w",
    _I,
)
"""In the sentence of a promise: a condition, a joke, or somebody else's words."""
_DEED = (
    r"(?:schick|send|bring|hol|ruf|meld|mail|schreib|helf|leih|zeig|zahl|bezahl|überweis|geb|kauf|besorg|buch|koch|back|"
    r"reparier|prüf|frag|erinner|druck|bestell|stell|reservier|fahr|komm|erledig|kümmer|räum|liefer|mach)"
)
_OFFERED = re.compile(rf"\bich {_DEED}e?\b|\b{_DEED}e? ich\b", _I)
_WILL = re.compile(rf"\b(?:ich werd|werd)e? (?:ich )?.{{0,80}}{_DEED}e?n\b", _I)
_TO_LISTENER = re.compile(r"\b(?:dir|dich|euch|ihnen|dein\w*|eur\w*)\b", _I)
_BY = re.compile(r"\b(?:bis|vor|spätestens)\b", _I)
_HABITUAL = re.compile(r"\b(?:jede[nrs]?|immer|oft|manchmal|meistens|täglich|gerade|früher|gestern)\b", _I)


def is_reminder(sentence: str) -> bool:
    """Whether it asks to be reminded; not: erinnere mich nicht daran."""
    found = _REMINDER.match(sentence)
    return found is not None and not is_negated_in_german(sentence[found.end() + 1 :].partition(" ")[0])


def promise_of(clause: str, sentence: str, utterance: Utterance, listener: str | None = None) -> Promise | None:
    """The promise or reminder in an asserted clause, as sure as in English: vow 0.9, reminder 0.85, deed 0.78.

    German says the future in the present tense: a deed is promised if it is owed to the listener or by a time, and a
    future time or "werde" is said with it. What is done every day, or was, is none.
    """
    reminder = is_reminder(clause)
    due = _due(clause, utterance)
    meant = reminder or _UNMEANT.search(sentence) is None
    found = _confidence(clause, due) if meant else None
    confidence = 0.85 if reminder else weighed(found, verdict_of(sentence, utterance) if meant else False)
    if confidence is None:
        return None
    to = utterance.speaker if reminder else listener
    return Promise(utterance.speaker, to, clause.rstrip(".!? "), due, confidence)


def _confidence(clause: str, due: Instant | None) -> float | None:
    if is_negated_in_german(clause) or _HABITUAL.search(clause):
        return None
    if _VOWED.search(clause):
        return 0.9
    will = _WILL.search(clause) is not None
    ahead = due is not None and _OFFERED.search(clause) is not None
    owed = _TO_LISTENER.search(clause) is not None or (due is not None and _BY.search(clause) is not None)
    return 0.78 if (will or ahead) and owed else None


def _due(clause: str, utterance: Utterance) -> Instant | None:
    """The first time ahead that the clause names."""
    spans = resolve(english_times(clause), utterance.at, utterance.clock, "future")
    return next((due for span in spans if (due := due_of(span)) is not None and due > utterance.at), None)
