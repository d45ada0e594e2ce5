"""The predicate of a language model's fact, believed where a word for it was said: small models pick any."""

from __future__ import annotations

import re

from adapters.extraction.model_answer import SaidFact
from adapters.extraction.model_grounds import Passage
from memory.model.ids import fold
from memory.words.list_words import root
from memory.words.names import is_pet, relation
from memory.words.predicates import TABLE, Predicate, named, tie
from memory.words.stems import stem, tokenise
from memory.words.vocabulary import CONDITIONS, FEELINGS, JOBS, KIN, STATUSES

_KIN = frozenset(KIN.values())
_CLASSES = {"JOB": JOBS, "STATUS": STATUSES, "CONDITION": CONDITIONS, "FEELING": FEELINGS}
_SAID_WITH = {row.name: re.compile(row.said_with, re.IGNORECASE) for row in TABLE if row.said_with}
"""Predicates that are known by other words than their cues."""
_FUNCTION_WORDS = frozenset(["be", "in", "at", "to", "on", "for", "of", "with", "about", "up", "out", "job"])
_ALSO = {"born": "bear", "dead": "die", "left": "leave", "felt": "feel", "held": "hold", "can't": "stand"}
"""Words of a clause that tell another verb, beside its irregular forms."""


def row_of(fact: SaidFact, passage: Passage) -> Predicate | None:
    """The row of the inventory that the model chose, or None: its statement then stands alone and closes nothing."""
    row = named(fold(fact.predicate).replace(" ", "_"))
    if row is None or fold(fact.object) == fold(fact.subject) or not _is_said(row, passage):
        return None
    return named(row.past) if row.past and passage.past else row


def _is_said(row: Predicate, passage: Passage) -> bool:
    """Whether its kin stands in the sentence, or in the clause a word of its own, its class, its cues or its end."""
    kin = row.name.removeprefix("has_")
    if kin in _KIN:
        return any(relation(word) == kin for word, _ in tokenise(passage.part))
    if row is tie("pet"):
        return any(is_pet(word) for word, _ in tokenise(passage.clause))
    if row.name in _SAID_WITH:
        return bool(_SAID_WITH[row.name].search(passage.clause))
    said = {word for word, _ in tokenise(passage.clause)}
    cues = {
        word
        for other in TABLE
        if other is row or row.name in other.closes
        for cue in other.cues
        for word in cue.split()
    }
    if any(said & set(_CLASSES[name]) for name in cues & _CLASSES.keys()):
        return True
    wanted = {stem(word, "en") for word in cues - _FUNCTION_WORDS if word.islower()}
    return bool(wanted & {root(_ALSO.get(word, word)) for word in said})
