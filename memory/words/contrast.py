"""Contrast: what a statement says that another may contradict - a denial, a figure, a date (English).

Similarity cannot see it: "never wrote a test" and "wrote tests" are nearly one vector, and so are 70 % and 90 %.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memory.words.stems import STOP_WORDS, stem, stemmed, tokenise
from memory.words.time_atoms import MONTH_NAME
from memory.words.vocabulary import listed, words

_I = re.IGNORECASE


VAGUE = stemmed(listed("vague_words"))
"""Stems that tell nothing about what a statement is about."""
_MOTION = stemmed(
    words(
        "improve increase reach complete achieve average around initial reduce extend raise spend only total hour "
        "minute second mile page"
    )
)
"""Stems that stand beside any figure."""
_DENIAL = re.compile(
    r"(?:\bnever(?: actually| ever| really| once| even| properly)?|\b(?:hasn't|haven't|have not|has not)"
    r"(?: yet| actually| ever| really)?|\bno longer|\bnot yet) (?P<verb>[a-z]+) (?P<things>[^.;:!?]+)",
    _I,
)
"""A denied deed and what follows it. Plain "not" is left to the polarity of claims: it denies moods more than deeds."""
_DENIED_END = re.compile(
    r",|\b(?:so|but|because|since|which|although|though|considering|and (?:I|user|he|she|they|we)|before|"
    r"especially|until|when|while|if|then|as)\b",
    _I,
)
_CLAUSE_END = re.compile(r"[,;:.!?](?:\s|$)|\b(?:and|but|which|while|because|since|so|considering|given that)\b", _I)
_CLAUSE_START = re.compile(
    r"(?:[;:.!?]|,(?! (?:which|who|now)\b))\s|\b(?:and|but|while|because|since|so|considering)\b", _I
)
"""As `_CLAUSE_END`, but a relative clause goes on about what stands before it."""
_MODIFIERS = re.compile(r"\b(?:related to|involving|of|on|in|with|for|about|from|to|at|into|outside|using)\b", _I)
_ALTERNATIVES = re.compile(r"\b(?:or|and|nor)\b", _I)
_DATE = re.compile(
    rf"\b(?:(?P<m1>{MONTH_NAME})\.? (?P<d1>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m2>{MONTH_NAME}))\b",
    _I,
)
_DATED = re.compile(
    r"\b(?:deadline|due|meeting|appointment|interview|launch|release|exam|flight|wedding|party|presentation|call|"
    r"session|conference|concert|visit|trip|surgery|checkup|delivery|workshop|class)\b",
    _I,
)
_PERCENT = re.compile(r"(?<![\w.-])(?P<value>\d+(?:\.\d+)?)\s?%")
_MONEY = re.compile(r"[$€£]\s?(?P<value>\d[\d,]*(?:\.\d+)?)(?P<scale>[km])?\b", _I)
_NUMBER = re.compile(
    r"(?<![\w.,$€£/:-])(?P<value>\d[\d,]*(?:\.\d+)?)(?P<unit>[a-z]{1,2})?(?![\w%/:]|\s?%|\.\d|-(?!\w))", _I
)
COUNT, REACHED = "#", "?"
COUNTS = frozenset((COUNT, REACHED))
"""Units of numbers without one: the count of what follows, and what a count of something said before has reached."""
_PLURAL = re.compile(r"\b[A-Za-z]{2,}[^sui\W]s\b")
_UNITS = {
    "ms": "ms",
    "millisecond": "ms",
    "s": "s",
    "second": "s",
    "sec": "s",
    "minute": "min",
    "min": "min",
    "h": "h",
    "hour": "h",
    "hr": "h",
    "km": "km",
    "kilometre": "km",
    "kilometer": "km",
    "mile": "mile",
    "kg": "kg",
    "kilo": "kg",
    "lb": "lb",
    "pound": "lb",
    "gb": "gb",
    "mb": "mb",
    "page": "page",
    "word": "word",
}
_YEAR = re.compile(r"(?:19|20)\d\d")
_NO_NOUN = words("has have had was were is are per out times time correct also more less")
_SIZES = stemmed(words("cm mm inch foot side angle degree version step item week day month year sprint question per"))
"""Counted words that number or measure rather than count: two of them are no two values of one thing."""
MOVES = f"(?:{'|'.join(sorted(listed('moves')))})"
"""Words by which a figure becomes another, as a pattern of whole ones."""
_REACHED = re.compile(
    rf"\b(?:reach(?:es|ed)|{MOVES} to|now at|"
    r"stands? at|total(?:s|ling)? (?:of )?) ?$",
    _I,
)
_FROM = re.compile(r"\bfrom (?:about |around |only )?[$€£]?\s?$|\b(?:by|over|nearly) (?:about )?$", _I)
"""What stood before a change, and the size of a step, are no values that hold."""
_AIM = re.compile(
    r"\b(?:goal|aim\w*|target\w*|at least|achieve|needs?|wants?|plans? to|will|would|should|more than|over|under|"
    r"below|less than|asking for|get to|hopes?|hoping|thinking of)\b[^,]*$",
    _I,
)


@dataclass(frozen=True, slots=True)
class Denial:
    """That something was never done: the verb's stem, the stems of each thing it was not done to, and of the rest."""

    verb: str
    things: tuple[frozenset[str], ...]
    rest: frozenset[str]


@dataclass(frozen=True, slots=True)
class Figure:
    """A value that holds, its unit, the stems of what it counts, and the stems of what stands near it.

    A bare number that something has reached counts one of the plurals before it.
    """

    value: str
    unit: str
    counted: tuple[str, ...]
    near: frozenset[str]


@lru_cache(maxsize=32_768)
def topic_of(text: str) -> frozenset[str]:
    """Stems of the words that tell what a text is about: no stop words, no vague ones, no numbers."""
    return frozenset(
        stemmed
        for word, _ in tokenise(text)
        if word not in STOP_WORDS["en"] and not word[0].isdigit() and (stemmed := stem(word, "en")) not in VAGUE
    )


@lru_cache(maxsize=16_384)
def denials(text: str) -> tuple[Denial, ...]:
    """What a text says was never done, or is done no longer."""
    found = []
    for match in _DENIAL.finditer(text):
        said = _DENIED_END.split(match["things"], maxsplit=1)[0].strip()
        parts = [part for part in _MODIFIERS.split(said) if topic_of(part)]
        if parts:
            things = tuple(stems for part in _ALTERNATIVES.split(parts[0]) if (stems := topic_of(part)))
            rest = frozenset().union(*map(topic_of, parts[1:]))
            found.append(Denial(stem(match["verb"].lower(), "en"), things, rest))
    return tuple(found)


@lru_cache(maxsize=16_384)
def figures(text: str) -> tuple[Figure, ...]:
    """The values a text says hold; none that is aimed at, that was left behind, or that is part of a date."""
    bare = _DATE.sub(lambda found: " " * len(found.group()), text)
    listed: list[tuple[int, Figure]] = []
    for unit, pattern in (("%", _PERCENT), ("$", _MONEY)):
        for match in pattern.finditer(bare):
            scale = (match.groupdict().get("scale") or "").lower()
            listed.append((match.start(), Figure(_plain(match["value"]) + scale, unit, (), _near(bare, match))))
    for match in _NUMBER.finditer(bare):
        measured = _unit(bare, match)
        if measured is not None:
            listed.append((match.start(), Figure(_plain(match["value"]), *measured, _near(bare, match))))
    return tuple(each for start, each in sorted(listed, key=lambda found: found[0]) if _holds(bare[:start]))


@lru_cache(maxsize=16_384)
def dates(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """(month and day, stems of the things with a date that are named), for each date of a text that names one."""
    things = frozenset(stem(word.lower(), "en") for word in _DATED.findall(text))
    if not things:
        return ()
    return tuple((_day(match), things) for match in _DATE.finditer(text))


def same_measure(one: Figure, other: Figure, about_one: frozenset[str], about_other: frozenset[str]) -> bool:
    """Whether both figures are of the same unit and, if they count, of the same things.

    What tells the counted things apart on one side (area problems) has to be spoken of on the other, too.
    """
    if COUNTS.issuperset((one.unit, other.unit)) and one.unit != other.unit:
        counted, bare = (one, other) if other.unit == REACHED else (other, one)
        return counted.counted[-1] not in _SIZES and counted.counted[-1] in bare.counted
    if one.unit != other.unit or one.unit not in COUNTS:
        return one.unit == other.unit and bool(one.near & other.near)
    if one.unit == REACHED:
        return bool(set(one.counted) & set(other.counted))
    heads = set(one.counted[-2:]) & set(other.counted[-2:])
    shared = one.counted[-1] if one.counted[-1] == other.counted[-1] else next(iter(heads - VAGUE), None)
    if shared is None or shared in _SIZES or (one.counted[-1] != other.counted[-1] and not _LIMITS & _ends(one, other)):
        return False
    rest_one, rest_other = (set(each.counted) - {shared} - VAGUE - _LIMITS for each in (one, other))
    return rest_one <= about_other and rest_other <= about_one


_LIMITS = stemmed(words("limit quota cap budget allowance total"))
"""What bounds a count: "a 1,000 call limit" counts calls."""


def _ends(one: Figure, other: Figure) -> set[str]:
    return {one.counted[-1], other.counted[-1]}


def _plain(value: str) -> str:
    return value.replace(",", "")


def _day(match: re.Match[str]) -> str:
    return f"{(match['m1'] or match['m2'])[:3].lower()} {int(match['d1'] or match['d2'])}"


def _holds(before: str) -> bool:
    """Whether the figure after these words is a value that holds."""
    ends = [match.end() for match in _CLAUSE_END.finditer(before)]
    return not (_FROM.search(before) or _AIM.search(before[ends[-1] if ends else 0 :]))


def _near(text: str, match: re.Match[str]) -> frozenset[str]:
    """Topic of the fourteen words before a figure and the five after it, within its clause unless that says little."""
    before, after = text[: match.start()], text[match.end() :]
    ends = [found.end() for found in _CLAUSE_START.finditer(before)]
    right = _CLAUSE_END.split(after, maxsplit=1)[0].split()[:5]
    within = topic_of(" ".join([*before[ends[-1] if ends else 0 :].split()[-14:], *right])) - _MOTION
    return within if len(within) > 1 else topic_of(" ".join([*before.split()[-14:], *right])) - _MOTION


def _unit(text: str, match: re.Match[str]) -> tuple[str, tuple[str, ...]] | None:
    """Unit and counted stems of a number; a bare number counts only if something reached it."""
    if match["unit"]:
        unit = _UNITS.get(match["unit"].lower())
        return (unit, ()) if unit else None
    if _YEAR.fullmatch(match["value"]):
        return None
    counted: list[str] = []
    following = re.match(r"(?:[ -]+[A-Za-z][\w'-]*)+", text[match.end() :])
    for word in following.group().replace("-", " ").lower().split()[:4] if following else ():
        if word in STOP_WORDS["en"] or word in _NO_NOUN:
            break
        if not counted and word.rstrip("s") in _UNITS:
            return _UNITS[word.rstrip("s")], ()
        counted.append(stem(word, "en"))
        if word.endswith("s") and not word.endswith(("ss", "us", "is")):
            break
    if counted:
        return COUNT, tuple(counted)
    before = text[: match.start()]
    plurals = [stem(word.lower(), "en") for word in _PLURAL.findall(before)[-3:]]
    return (REACHED, tuple(plurals)) if plurals and _REACHED.search(before) else None
