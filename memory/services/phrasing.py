"""Phrases a fact for its owner: in the second person, and with yes or no if the question asks for it."""

from __future__ import annotations

import re

from memory.model.profile import Profile
from memory.words.languages import is_german
from memory.words.questions import spoken_in
from memory.words.stems import tokenise

_ADVERBS = r"(?:(?:also|always|never|often|now|still|usually|sometimes|already|once|only|just|currently|really) )*"
_IRREGULAR = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "goes": "go",
    "isn't": "aren't",
    "wasn't": "weren't",
    "hasn't": "haven't",
    "doesn't": "don't",
}
_UNNAMED = re.compile(rf"\A{Profile().label}(?![\w-])", re.IGNORECASE)
"""How a statement about an owner without a name begins. Within a sentence the word may mean somebody else."""
_BEGUN = "\ufffc"
"""Stands for that word. A statement that holds it anyway is told as it is."""
_NO_ENDING = re.compile(r"(?:ss|us|is)$")
"""Words that end in s without being a verb of the third person."""
_LONG_ENDING = re.compile(r"(?:ss|x|ch|sh|zz|o)es$")
_MY = re.compile(r"\b(?:my|mine|myself|our|ours|ourselves)\b", re.IGNORECASE)
_YOUR = {"their": "your", "theirs": "yours", "themselves": "yourself"}
_THEIR = re.compile(rf"\b(?:{'|'.join(_YOUR)})\b")
_YES_OR_NO = re.compile(
    r"\W*(?:so,? |and |wait,? )?(?:do|does|did|is|are|am|was|were|have|has|had|can|could|will|would|"
    r"bin|ist|sind|war|habe|hab|hat|hatte)(?:n['’]t)?\b",
    re.IGNORECASE,
)
_WHAT = re.compile(r"\W*was\b", re.IGNORECASE)
"""How a German question begins that is not for yes or no, with a word that begins such English ones."""


def asks_whether(question: str) -> bool:
    """Whether a question asks for yes or no: do I live in Halle, habe ich eine Katze."""
    if _WHAT.match(question) and spoken_in(question, "en") == "de":
        return False
    return _YES_OR_NO.match(question) is not None


def told_in_answer(statement: str, owner: str, question: str, said: str = "") -> str:
    """A statement as the answer to a question: the owner is "you", unless the question names them.

    `said` are the owner's words that the statement was read from, if they are at hand.
    """
    called = {word.removesuffix("'s") for word, _ in tokenise(question)}
    by_name = any(word in called for word, _ in tokenise(owner))
    return statement if by_name else to_owner(statement, owner, said)


def to_owner(statement: str, owner: str, said: str = "") -> str:
    """A statement addressed to its subject: "you live in Halle", of "Nina lives in Halle".

    Where a verb of the third person would be left behind, the statement stays as it is. A German one does, too: its
    verbs have other forms. "Their" is "your" where the owner said "my", and of nobody else that something is theirs.
    """
    if is_german(statement):
        return statement
    if not owner:
        begun = statement if _BEGUN in statement else _UNNAMED.sub(_BEGUN, statement)
        told = statement if begun == statement else to_owner(begun, _BEGUN, said)
        return statement if _BEGUN in told else told
    name = rf"{re.escape(owner)}(?![\w-])"
    told = re.sub(rf"(?<![\w-]){name}['’]s?(?!\w)", "your", statement)
    found = re.match(rf"{name} (?P<adverbs>{_ADVERBS})(?P<verb>[\w'’]+)", told)
    if found is not None:
        rest = told[found.end() :]
        rest = _THEIR.sub(lambda word: _YOUR[word[0]], rest) if _is_own(said) else rest
        told = f"you {found['adverbs']}{_second(found['verb'])}{rest}"
    told = re.sub(rf"(?<![\w-]){name} (is|was|has|does)\b", lambda verb: f"you {_IRREGULAR[verb[1]]}", told)
    if re.search(rf"(?<![\w-]){name} \w+s\b", told):
        return statement
    told = re.sub(rf"(?<![\w-]){name}", "you", told)
    return told[:1].upper() + told[1:]


def _is_own(said: str) -> bool:
    """Whether what is "their" in a statement can only be the own of who said these words."""
    return _MY.search(said) is not None and _THEIR.search(said.lower()) is None


def _second(verb: str) -> str:
    """A verb in the second person: live, of lives; a past form stays."""
    plain = verb.replace("’", "'").lower()
    if plain in _IRREGULAR:
        return _IRREGULAR[plain]
    if not plain.endswith("s") or _NO_ENDING.search(plain):
        return verb
    if plain.endswith("ies") and len(plain) > 4:
        return f"{verb[:-3]}y"
    return verb[:-2] if _LONG_ENDING.search(plain) else verb[:-1]
