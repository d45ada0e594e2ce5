"""Effort: how far a question is worth looking - simple or complex (seed 004's adaptive complexity)."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """What a question may take where the asker does not say."""

    name: str
    depth: int
    """Steps along facts from the entities a question names."""
    results: int
    """Segments returned at most."""
    tokens: int
    """Budget of the assembled context."""


SIMPLE = Effort("simple", depth=2, results=5, tokens=1000)
COMPLEX = Effort("complex", depth=4, results=20, tokens=3000)
"""Both by seed 004."""

MANY_WORDS = 24
"""Words from which a question is complex whatever it says (chosen: the longest fortieth of LoCoMo's has 20)."""
_COMPLEX = re.compile(
    r"\b(?:why|how come|all (?:the|of|my|his|her|our|their)|every(?:thing|one|body)?|each|how (?:many|often)|list|"
    r"summari[sz]e|summary|overview|compare|comparison|difference|versus|vs|both|history|timeline|chang(?:e|es|ed)|"
    r"over (?:time|the (?:last|past))|throughout|in what order|before and after|step by step|relat(?:ed|ionship)|"
    r"warum|wieso|weshalb|alle[smnr]?|jede[smnr]?|wie (?:viele|oft)|liste|fasse|zusammenfassung|überblick|"
    r"vergleich\w*|unterschied\w*|beide[smnr]?|verlauf|geändert|verändert|reihenfolge)\b"
    r"|\?.*\?",
    re.I | re.S,
)
"""Cues for more than one piece of evidence: causes, lists, counts, comparisons, changes, two questions in one."""


def effort_of(text: str) -> Effort:
    """What a question is worth."""
    return COMPLEX if _COMPLEX.search(text) or len(text.split()) >= MANY_WORDS else SIMPLE
