"""Questions: in which form something is asked for - who, where, when, by which name - and whether of the asker."""

from __future__ import annotations

import re
from typing import Literal

from memory.words.languages import is_german
from memory.words.names import relation

Form = Literal["who", "where", "when", "name", "what"]
_FORMS: dict[Form, re.Pattern[str]] = {
    "name": re.compile(r"(?:what|wie|was)\b.*\b(?:names?|called|hei(?:ß|ss)\w*|genannt)\b", re.I),
    "where": re.compile(r"(?:where|wo|woher|wohin)\b", re.I),
    "when": re.compile(r"(?:when|wann)\b", re.I),
    "who": re.compile(r"(?:who|wer|what (?:is|about)|was ist)\b", re.I),
}
"""A question is of the first form that it begins like."""
_WHOSE = re.compile(r"(?:who|wer)(?:['’]s| is| are| was| were| ist| war)\b.*?(\w+)\W*", re.I)
_GERMAN = re.compile(r"(?:wo|wer|wen|wem|wann|wie|woher|wohin|welche[mnrs]?|warum|weshalb)\b", re.I)
"""How a question begins that can only be German."""
_OWN = re.compile(r"\b(?:i|i'm|me|my|mine|ich|mir|mich|mein\w*)\b", re.I)


def form_of(question: str) -> Form:
    """How something is asked for. Who somebody's mother is asks for a name as much as how she is called."""
    asked = question.strip()
    whose = _WHOSE.fullmatch(asked)
    if whose is not None and relation(whose.group(1)) is not None:
        return "name"
    return next((form for form, begins in _FORMS.items() if begins.match(asked)), "what")


def is_own(question: str) -> bool:
    """Whether the asker asks about himself: my dog, what did I promise."""
    return _OWN.search(question) is not None


def spoken_in(question: str, language: str) -> str:
    """The language of a question: German if its words are, else what the asker speaks first."""
    return "de" if _GERMAN.match(question.strip()) or is_german(question) else language
