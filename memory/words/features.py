"""Features of any words: whether they speak of who speaks, place something in time, or hold a figure (English)."""

from __future__ import annotations

import re

from memory.words.calendar_names import MONTH, WEEKDAY

MYSELF = r"i|me|my|mine|myself"
_FIRST_PERSON = re.compile(rf"\b(?:{MYSELF}|we|us|our|ours|ourselves)\b", re.IGNORECASE)
"""What is left out after an apostrophe needs no form of its own: "I'm" ends a word before it."""
_TIME_WORD = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|week(?:s|end|ends)?|month(?:s)?|year(?:s)?|day(?:s)?|"
    rf"{WEEKDAY}|{MONTH}|spring|summer|autumn|fall|winter|morning|evening|night|recently|since|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")


def first_person(text: str) -> bool:
    """Whether the text holds a first-person word: who says it speaks of what is theirs."""
    return _FIRST_PERSON.search(text.replace("’", "'")) is not None


def has_time(text: str) -> bool:
    """Whether the text holds a word that places something in time."""
    return _TIME_WORD.search(text) is not None


def has_digit(text: str) -> bool:
    """Whether the text holds a digit."""
    return _DIGIT.search(text) is not None
