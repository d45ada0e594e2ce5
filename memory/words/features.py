"""Features of any words: whether they speak of who speaks, place something in time, or hold a figure.

English and German: every text is looked at for the words of both.
"""

from __future__ import annotations

import re

from memory.words.calendar_names import MONTHS, WEEKDAYS
from memory.words.german_times import GERMAN_DAYS, GERMAN_MONTHS
from memory.words.vocabulary import listed, words

MYSELF = r"i|me|my|mine|myself"
_FIRST_PERSON = frozenset(MYSELF.split("|")) | words("we us our ours ourselves") | listed("myself", "de")
"""What is left out after an apostrophe needs no form of its own: "I'm" ends a word before it."""
_TIME_WORDS = (
    frozenset(name.lower() for name in (*WEEKDAYS, *MONTHS))
    | words("yesterday today tonight tomorrow ago last next recently since")
    | words("week weeks weekend weekends month months year years day days")
    | words("spring summer autumn fall winter morning evening night")
    | listed("time_words", "de")
    | GERMAN_MONTHS.keys()
    | {f"{day}{ending}" for day in GERMAN_DAYS for ending in ("", "s")}
)
_WORD, _YEAR, _DIGIT = re.compile(r"\w+"), re.compile(r"\b(?:19|20)\d\d\b"), re.compile(r"\d")


def first_person(text: str) -> bool:
    """Whether the text holds a first-person word: who says it speaks of what is theirs."""
    return not _FIRST_PERSON.isdisjoint(_WORD.findall(text.lower()))


def has_time(text: str) -> bool:
    """Whether the text holds a word that places something in time."""
    return not _TIME_WORDS.isdisjoint(_WORD.findall(text.lower())) or _YEAR.search(text) is not None


def has_digit(text: str) -> bool:
    """Whether the text holds a digit."""
    return _DIGIT.search(text) is not None
