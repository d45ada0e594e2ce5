"""Firms: names in which nobody lives, though people move to them as to a town."""

from __future__ import annotations

import re

from adapters.extraction.rules_model import Token
from memory.words.vocabulary import NO_HOMES, listed, words

KNOWN = listed("firms", "names")
"""Employers that are known by one name, and of which hardly anybody would say that they live there."""
DEPARTMENTS = listed("departments")
_MIXED = re.compile(r"[a-z][A-Z]")
_CELTIC = re.compile(r"^(?:Mac|Mc|O'|De|La|Le|Du|Van)[A-Z]")
_LETTERS = re.compile(r"[A-Z&]{3,}|[A-Z]+\d+|[A-Z]&[A-Z]")
_PLACES = words("usa uae nyc cdmx drc ussr gdr eth")
_DOMAIN = re.compile(r"\w\.(?:com|io|ai|org|net|co|de)$", re.IGNORECASE)


def is_firm_or_department(token: Token) -> bool:
    """Whether a name, by itself or by how it is spelt, is of a firm or a department: Zalando, HelloFresh, KLM, HR."""
    if any(t.lower_ in NO_HOMES for t in token.subtree if t.i <= token.i):
        return True
    return token.lower_ in DEPARTMENTS or is_firm(token)


def is_firm(token: Token) -> bool:
    """Whether a name is known for, or spelt like, that of a firm."""
    return token.lower_ in KNOWN or is_spelt_like_a_firm(str(token.text))


def is_spelt_like_a_firm(name: str) -> bool:
    """HelloFresh, KLM, booking.com; but neither McAllen nor the USA."""
    if _DOMAIN.search(name):
        return True
    mixed = _MIXED.search(name) is not None and _CELTIC.match(name) is None
    return mixed or (_LETTERS.fullmatch(name) is not None and name.lower() not in _PLACES)
