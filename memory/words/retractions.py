"""Retractions: by which words somebody takes back what they have said - just kidding; scratch that; no, not lactose.

One list of what takes back, in English and German, and one of hesitations, which do so only in the breath of what they
follow: "let me see" in a line of its own is about what comes.
"""

from __future__ import annotations

import re

from memory.words.numerals import TEEN, TENS, TO_TWELVE

_LONGEST = 12
"""Words of a line beyond which it tells more than that something is taken back."""
_LAUGHTER = r"(?:lol|haha+)"
_JESTED = (
    r"kidding|joking",
    r"jk",
    r"as a joke",
    r"pulling your leg",
    r"messing with you",
    r"april fools?",
    r"i made that up",
    r"in my dreams",
)
"""Anywhere in a sentence."""
_JESTED_ALONE = (
    r"j/k",
    r"psych|sike",
    r"(?:it |that |this )?(?:was|is|'s)? ?(?:just |only |all )?a joke",
    r"(?:war |ist |das war |das ist )?(?:nur |bloß |doch nur )?(?:ein )?(?:spaß|spass|scherz|witz)",
)
"""Where nothing else is said: that's a joke shop."""
_TAKES_BACK = (
    r"(?:scratch|strike|forget|ignore) that",
    r"i take (?:that|it) back",
    r"no,? wait|wait,? no",
    r"(?:hang on|hold on|sorry),? no",
    r"nope,? sorry",
    r"correction",
    r"(?:streich|vergiss) das",
    r"(?:ach )?quatsch",
)
_EXCHANGES = (
    r"(?:no|nope|sorry|wait|oops|nein|nee),? (?:not|nicht|kein\w*) [^,;.]{1,40}(?:[,;.–-]+ ?| but | sondern )\w+"
)
_HESITATES = (
    r"make that",
    r"hold on|hang on",
    r"let me (?:see|think|rephrase)",
    r"sorry,? (?:i mean|not|that's wrong|wrong)",
    r"or rather",
    r"i mean(?! it)",
    r"i lied",
    r"that's (?:not (?:true|right)|wrong|a lie|nonsense)",
    r"no,? (?:sorry|that's|hang on|hold on|actually|not)",
    r"actually,? (?:no|scratch|wait|that's)",
    r"what am i saying",
    r"who am i kidding",
    r"nope,? (?:wrong|actually)",
    r"not really",
    r"wait,? (?:that's|it's|i mean)",
)
_HESITATES_IN_GERMAN = r"moment|stimmt nicht|stopp|falsch|vielmehr|besser gesagt"
_ASIDE = r"(?:(?:oh|um|uh|er|ah|hm+|well|and|but|ok(?:ay)?|nah|sorry|ach|ne|haha\w*|hehe|lol)[,.! ]+)*"
_ADVERBS = r"(?:just |only |was |i'?m |i am |i was |no |totally |obviously )*"
_COUNT = rf"(?:\d+|{TO_TWELVE}|{TEEN}|{TENS})"


def _any(*patterns: str) -> str:
    return f"(?:{'|'.join(patterns)})"


_JOKE = re.compile(
    rf"\b{_any(*_JESTED)}\b|^\W*{_ASIDE}{_any(*_JESTED_ALONE)}\W*$|^(?:psych|sike)\b|(?<!\w)/s\b|"
    rf"\b{_LAUGHTER}[,!. ]+(?:not really|no|as if|nope)\b|\bnot really[,!. ]+{_LAUGHTER}\b",
    re.IGNORECASE,
)
_NO_JOKE = re.compile(r"\b(?:not|n't|no) (?:kidding|joking)\b|\bkidding around\b|\bno joke\b", re.IGNORECASE)
_CORRECTS = re.compile(rf"{_ASIDE}{_any(*_TAKES_BACK, *_HESITATES)}\b", re.IGNORECASE)
_CORRECTS_IN_GERMAN = re.compile(rf"(?:ach |nein |nee )?{_any(*_TAKES_BACK, _HESITATES_IN_GERMAN)}\b", re.IGNORECASE)
_RETRACTS = re.compile(
    rf"\W*{_ASIDE}(?:{_ADVERBS}{_any(*_JESTED, *_JESTED_ALONE)}(?:[,.! ]+(?:lol|haha\w*|of course|obviously))?\W*$|"
    rf"{_any(*_TAKES_BACK, _EXCHANGES)}\b)",
    re.IGNORECASE,
)
_MENDS = re.compile(
    r"(?:[,;:.…–—-]+ ?|\b)(?:(?:er|um|uh|oh|ah|hm|ach|äh|nee)[, ]+)*"
    + _any(
        *_TAKES_BACK,
        r"what am i saying",
        r"let me (?:see|think)",
        r"or,? no\b",
        r"or rather\b",
        r"(?-i:sorry,? [A-Z]\w+)",
        r"sorry,? (?:i mean|not\b)",
        r"i mean,? (?-i:[A-Z]\w+|\d)",
        r"(?-i:[A-Z]\w+),? i mean\b",
        rf"well,? (?:no\b|{_COUNT}\b)",
        rf"no,? (?:{_COUNT}\b|sorry)",
        rf"i meant?,? {_COUNT}\b",
        r"make that\b",
        r"nein,? (?:moment|warte|stimmt)",
        r"i tell a lie\b",
    ),
    re.IGNORECASE,
)


def is_joke(sentence: str) -> bool:
    """Whether it takes back, as a joke, itself and what was said just before."""
    return bool(_JOKE.search(sentence)) and not _NO_JOKE.search(sentence)


def corrects(sentence: str) -> bool:
    """Whether it takes back what its speaker said just before, in one breath: no wait; scratch that; or rather."""
    return _CORRECTS.match(sentence) is not None


def corrects_in_german(clause: str) -> bool:
    """The same of a German clause: ach Quatsch, zehn sind's."""
    return _CORRECTS_IN_GERMAN.match(clause) is not None


def retracts(line: str) -> bool:
    """Whether a line takes back what its speaker said in the line before."""
    return len(line.split()) <= _LONGEST and _RETRACTS.match(line.replace("’", "'")) is not None


def slip(sentence: str) -> int | None:
    """Where a slip is mended in the same breath: what stands before it is not meant. None where there is none."""
    found = _MENDS.search(sentence)
    return found.start() if found is not None else None
