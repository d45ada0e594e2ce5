"""What a segment looks like to a question, read off its text once, at ingest."""

from __future__ import annotations

import re

from memory.words.features import first_person, has_digit, has_time
from memory.words.names import INTERJECTIONS
from memory.words.stems import STOP_WORDS, tokenise
from memory.words.vocabulary import words

_SENTENCE = re.compile(r"[^.!?…]+[.!?…]*\s*")
TIME, DIGIT, FIRST_PERSON, TELLING = 1, 2, 4, 8
"""What `marks` adds up: `has_time`, `has_digit`, `first_person`, and not `bare`."""
_RESPONSES = (
    STOP_WORDS["en"]
    | INTERJECTIONS
    | words("alright er erm fine good hm kay mm mmm nay thank uh well yea")
    | words("ach ähm äh danke doch genau gut hallo ja jo klar mhm naja nein nö richtig stimmt tja")
)
"""Words with which people show that they listen, or find their words, in English and German."""


def question_share(text: str) -> float:
    """Share of the characters in sentences that end in "?" and hold no first-person word, in [0, 1].

    People state facts in sentences that end in "?" ("I moved to Pune, can you...?"), so only the others merely ask.
    """
    if "?" not in text:
        return 0.0
    plain = text.replace("’", "'")
    asking = sum(
        len(sentence)
        for sentence in _SENTENCE.findall(plain)
        if sentence.rstrip().endswith("?") and not first_person(sentence)
    )
    return min(1.0, asking / max(1, len(plain)))


def bare(text: str) -> bool:
    """Whether the text tells nothing by itself: "Yeah.", "Mm-hmm.", "So, um, that's it.", or nothing at all."""
    return all(word in _RESPONSES or (len(word) == 1 and word.isalpha()) for word, _ in tokenise(text))


def marks(text: str) -> int:
    """All of these at once, each true of a text if it is of anything between two spaces: of that it is remembered."""
    told = has_time(text), has_digit(text), first_person(text), not bare(text)
    return sum(mark for mark, true in zip((TIME, DIGIT, FIRST_PERSON, TELLING), told, strict=True) if true)
