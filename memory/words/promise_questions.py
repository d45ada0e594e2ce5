"""Promise questions: which questions ask what was promised, by whom and to whom, and whether it is still open."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from memory.model.ids import fold
from memory.words.deeds import told_as_returned
from memory.words.everyday import asked_in_german
from memory.words.list_words import root
from memory.words.questions import is_own
from memory.words.stems import STOP_WORDS, tokenise
from memory.words.vocabulary import listed

_PROMISED = re.compile(r"\b(?:promis\w+|verspr[aeio]ch\w*|zugesagt\w*)\b", re.I)
_NAME = r"(?-i:[A-ZÄÖÜ][\w-]+)"
_NOT_NAMES = "I|Did|Do|Does|Have|Has|What|Which|Who|Was|Wer|Hat|Habe|Ich|Versprechen|Versprochen"
_TO = re.compile(
    rf"\bpromised? (?:to )?(?P<to>me|us|{_NAME})\b|\b(?:to|for|an) (?P<towards>me|us|mich|{_NAME})\W*$|"
    rf"\b(?P<dative>mir|uns|{_NAME}) (?:noch |alles |etwas |was )*(?:versprochen|zugesagt)",
    re.I,
)
_BY = re.compile(
    rf"\b(?:did|has|have|hat|does|will)n?['’]?t? (?P<by>{_NAME})\b|^(?P<whose>{_NAME})['’]s? |\bby (?P<from>{_NAME})",
    re.I,
)
_OPEN = re.compile(
    r"\b(?:open|outstanding|pending|unkept|left|still|keep|remain\w*|offen\w*|noch|ausstehend\w*)\b", re.I
)
_OVERDUE = re.compile(r"\b(?:overdue|late|missed|broken|expired|behind|überfällig\w*|gebrochen\w*|verpasst\w*)\b", re.I)
_KEPT = re.compile(r"\b(?:kept|fulfilled|done|did \w+ keep|gehalten\w*|eingelöst\w*)\b", re.I)
_SAYS_NOTHING = listed("asks_of_promises", "en", "de")
_DID = re.compile(r"\W*(?:so |and )?(?:did|have|has) (?:i|we)\b(?P<deed>.+)", re.I)

PromiseState = Literal["open", "expired", "kept"]
"""Which promises are asked for; None in a question asks for all."""


@dataclass(frozen=True, slots=True)
class PromiseQuestion:
    """Whose promises to whom are asked for (None: anybody's, to anybody), in which state, and of what."""

    by: str | None
    to: str | None
    state: PromiseState | None
    deed: frozenset[str]
    """Roots of words that a promise must hold."""


def promise_question(question: str, owner: str) -> PromiseQuestion | None:
    """What a question asks of promises; None if it asks for none. `owner` is who "I" is."""
    if _PROMISED.search(question) is None:
        return None
    to = _named(_TO.search(question), owner)
    by = _named(_BY.search(question), owner)
    if by is None and to != owner and is_own(question):
        by = owner or None
    states: tuple[tuple[re.Pattern[str], PromiseState], ...] = (
        (_OVERDUE, "expired"),
        (_KEPT, "kept"),
        (_OPEN, "open"),
    )
    state = next((each for pattern, each in states if pattern.search(question)), None)
    return PromiseQuestion(by, to, state, _deed(question, (by, to)))


def deed_question(question: str) -> frozenset[str] | None:
    """The roots of what somebody asks whether they have done: did I return the drill? None for any other question."""
    found = _DID.match(question)
    deed = _deed(found["deed"], ()) if found is not None else frozenset[str]()
    return deed if len(deed) > 1 else None


def _named(found: re.Match[str] | None, owner: str) -> str | None:
    name = next(filter(None, found.groups()), None) if found is not None else None
    if name is None or re.fullmatch(_NOT_NAMES, name):
        return None
    return owner if fold(name) in ("me", "us", "mir", "uns", "mich") else name


def _deed(question: str, names: tuple[str | None, ...]) -> frozenset[str]:
    plain = _PROMISED.sub(" ", question)
    for pattern in (_OPEN, _OVERDUE, _KEPT):
        plain = pattern.sub(" ", plain) if names else plain
    called = {word for name in names if name for word in fold(name).split()}
    said = {word.removesuffix("'s") for word, _ in tokenise(plain)} - called
    german = STOP_WORDS["de"] if asked_in_german(question) else frozenset[str]()
    silent = frozenset(map(root, STOP_WORDS["en"] | german | _SAYS_NOTHING))
    return told_as_returned(frozenset(map(root, said))) - silent
