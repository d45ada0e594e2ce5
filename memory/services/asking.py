"""Asking: what a question asks - about whom, in which form, of which class of things, of which time and sign."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.services.known import KnownFact
from memory.words.calendar_names import MONTH
from memory.words.classes import classes_in
from memory.words.everyday import GERMAN_NOUNS
from memory.words.names import same_name
from memory.words.predicates import TABLE
from memory.words.questions import Form, asks_what_was, form_of, is_denied, is_own
from memory.words.stems import telling, terms, tokenise
from memory.words.tense import may_be_past

TIMELESS = re.compile(
    r"\b(?:right now|now(?:adays)?|current(?:ly)?|these days|at the moment|any ?more|still|since when|always|how much|"
    r"going|formerly|previously|früher|vorher|davor|ehemals|nicht|nie|kein\w*|bisher|seit wann|eigentlich|gerade|"
    r"heute)\b",
    re.I,
)
"""Words of a question that say when, by what measure or of which sign, and nothing about what."""
_NAMING = re.compile(r"\b(?:names?|called|named|hei(?:ß|ss)\w*|genannt)\b", re.I)
"""Words that ask for a name."""
LARGE = r"[A-ZÀ-ÖØ-Þ][\w-]+"
NAME = re.compile(rf"(?<=\s){LARGE}(?:\s+{LARGE})*")
"""A name in full: words written large within a question."""
_GERMAN_NOUNS = GERMAN_NOUNS | frozenset(" ".join(row.asked_in_german for row in TABLE).casefold().split())
"""Words written large that say what is asked for, and name nobody."""
_AGE = re.compile(r"\b(?:how old|wie alt|ages?|old|alt|jahre)\b", re.I)
"""Words that ask for an age."""
_DOES = re.compile(r"\b(?:mach\w*|treib\w*)\b", re.I)
"""German verbs beside a class of things that say no more than that there is one: welchen Sport treibt Tom?"""
_OPEN = re.compile(r"\W*(?:what|which|where|was|welche[mnrs]?|wo|wen)\b", re.I)
_DONE = re.compile(r"\W*(?:did|have|has|hat|habe|hast)\b", re.I)
"""Words of a question about what has happened."""
_MONTH_NAMED = re.compile(rf"\d\.? (?:{MONTH})\b|\b(?:{MONTH}) \d|\b(?:in|since|until|of) (?:{MONTH})\b")
"""A month as a date has it: the 3rd of May is no short form of Maya."""


@dataclass(frozen=True, slots=True)
class QuestionFocus:
    """What a question asks: about whom, what else it must say (ids of stems), in which form, and whether of "me"."""

    names: tuple[str, ...]
    meant: frozenset[int]
    """Ids of the stems of the names."""
    content: frozenset[int]
    form: Form
    own: bool
    """Whether he who asks asks about himself, and not by name."""
    owner: str
    """Who that is; empty if nobody knows."""
    single: bool
    """Whether it is about one name and nothing else: who is Jonas?"""
    words: frozenset[str]
    """Its words, folded."""
    classes: Mapping[int, str]
    """Id of the stem of each word that names a class of things -> the class."""
    denied: bool
    """Whether it asks what is not so."""
    open: bool
    """Whether it asks for a what or a where, and not whether something is so."""
    formerly: bool
    """Whether it asks what was so and is no more."""
    behind: bool
    """Whether it may be about what has happened."""
    done: bool
    """Whether it asks if something was done."""


def asked_of(question: str, facts: Sequence[KnownFact], language: str, owner: str) -> QuestionFocus:
    """What is asked in a question of this language; `owner` is who "I" is, `facts` tell which words are names."""
    runs, own = _names_in(question, facts, language), is_own(question)
    form = form_of(question)
    unsaid = {"name": _NAMING, "age": _AGE}.get(form)
    content = content_of(question if unsaid is None else unsaid.sub(" ", question), language)
    kinds = {term: kind for word, kind in classes_in(question).items() for term in terms(word, language)[0]}
    if kinds:
        content -= set(terms(" ".join(_DOES.findall(question)), language)[0])
    alone = own and not runs and not content
    names = tuple((owner if alone else " ".join(runs)).split())
    meant = frozenset(terms(" ".join(names), language)[0])
    said = frozenset(word.removesuffix("'s") for word, _ in tokenise(question))
    return QuestionFocus(
        names=names,
        meant=meant,
        content=frozenset(content - meant),
        form=form,
        own=own,
        owner=owner,
        single=len(runs) + own < 2,
        words=said,
        classes={term: kinds[term] for term in kinds if term in content},
        denied=is_denied(question),
        open=_OPEN.match(question) is not None,
        formerly=asks_what_was(question),
        done=_DONE.match(question) is not None,
        behind=form in ("age", "when") or may_be_past(question),
    )


def _names_in(question: str, facts: Sequence[KnownFact], language: str) -> list[str]:
    """The names of a question. German writes every noun large: only those count that some fact has, too."""
    found = NAME.findall(question)
    if language != "de":
        return found
    words = [word for run in found for word in run.split() if word.casefold() not in _GERMAN_NOUNS]
    return [word for word in words if any(names_all([word], fact.statement) for fact in facts)]


def content_of(question: str, language: str) -> set[int]:
    """Ids of the stems of what a question asks about."""
    asked = TIMELESS.sub(" ", question)
    return set(terms(telling(asked, language), language)[0])


def names_all(names: Sequence[str], statement: str) -> bool:
    """Whether every one of these names is in the statement, perhaps in full (Pri, of Priyanka)."""
    words = _MONTH_NAMED.sub(" ", statement).replace("'s", "").split()
    return all(any(same_name(name, word) for word in words) for name in names)
