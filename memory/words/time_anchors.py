"""Times told by an event: during my trip to Lisbon, two weeks before the move, since I started at Acme.

By form, in English and German: which part of a question names an event, and where the time asked about lies from it.
Whether anything is known of the event is found out elsewhere (`memory.retrieval.calendar`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.words.event_words import BY_WORD, LIGHT, STAY, VAGUE, EventKind
from memory.words.stems import STOP_WORDS, tokenise
from memory.words.tense import is_done, may_be_past
from memory.words.time_expressions import resolve

_CUE = re.compile(
    r"\b(?:during|throughout|while|whilst|when|after|before|since|until|till|between|prior|following|in the middle|"
    r"on (?:my|our|his|her|their|the|\w+'s)|(?:the|that) (?:day|weekend|week|month)|"
    r"während|vor|nach|nachdem|bevor|seit|seitdem|bis|zwischen|als|"
    r"(?:auf|in|im|bei|am) (?:\w+ ){0,2}(?:reise|urlaub|ferien|flitterwochen|tag|abend|morgen|wochenende|woche))\b",
    re.I,
)
"""Tested before anything else: most questions hold none of these."""
_ORDERS = re.compile(r"\b(?:tell|list|show|name|summari[sz]e|describe|erzähl\w*|bin|bist|ist|sind)\b", re.I)
"""Orders to tell what was, and the auxiliaries of a German perfect."""
_LENGTH = re.compile(
    r"\s*(?:how (?:long|many (?:day|week|month|year)s?)|wie (?:lange|viele? (?:tage|wochen|monate)))\b", re.I
)
"""How long after the move ...: the distance itself is asked for."""
_LONGEST = 300
"""Characters of a question beyond which no event is looked for, as for lists."""

_COUNTS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
    "couple": 2,
    "few": 3,
    "several": 4,
    "ein": 1,
    "eine": 1,
    "einen": 1,
    "zwei": 2,
    "drei": 3,
    "vier": 4,
    "fünf": 5,
    "sechs": 6,
    "sieben": 7,
    "acht": 8,
    "neun": 9,
    "zehn": 10,
    "paar": 3,
    "einige": 3,
}
_UNITS = {
    "day": "day",
    "week": "week",
    "month": "month",
    "year": "year",
    "tag": "day",
    "woche": "week",
    "monat": "month",
    "jahr": "year",
    "weekend": "week",
    "wochenende": "week",
    "morning": "day",
    "evening": "day",
    "night": "day",
    "abend": "day",
    "morgen": "day",
}

_COUNT = rf"(?:(?:a |the )?(?:couple of|couple|few)|(?:ein )?paar|\d{{1,3}}|{'|'.join(_COUNTS)})"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_EINHEIT = r"(?P<unit>tag|woche|monat|jahr)(?:e|en|es|s|n)?"
_A = r"(?P<a>[^,;?]+?)"
_B = r"(?P<b>[^,;?]+?)"
_DET = r"(?:der|dem|den|des|die|das|(?:ein|mein|dein|sein|ihr|unser|euer)(?:e[mnrs]?)?|(?-i:[A-ZÄÖÜ])\w+s)"
_NOUN = r"(?-i:[A-ZÄÖÜ])[\wäöüß-]+"
_IN = r"(?:nach|in|im|an|am|auf|bei|von|vom|zu|zur|zum|mit)"
_NP = rf"{_DET} (?:[\wäöüß]+e[nmrs]? )?{_NOUN}(?: {_IN} (?:{_DET} )?{_NOUN})?"
_WER = r"(?:ich|wir|er|sie|es|(?-i:[A-ZÄÖÜ])\w+)"
_WHO = r"(?:i|we|he|she|they|it|you|(?-i:[A-Z])[\w-]+|(?:my|our|his|her|their) \w+)"

_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (relation, re.compile(rf"(?<![\w'-]){form}(?![\w'-])", re.I))
    for relation, form in (
        ("between", rf"between {_A} and {_B}(?=$|,)"),
        ("between", rf"zwischen (?P<a>{_NP}) und (?P<b>{_NP})"),
        (
            "beside",
            rf"(?:in |within |during |over |on )?the (?:first |last )?(?:(?P<count>{_COUNT}) )?{_UNIT}"
            rf" (?:right |just )?(?P<side>before|after|following|prior to|leading up to) {_A}(?=$|,)",
        ),
        ("beside", rf"within (?P<count>{_COUNT}) {_UNIT} (?P<side>before|after|of) {_A}(?=$|,)"),
        (
            "beside",
            rf"(?:in|an) (?:der|dem|den) (?:ersten |letzten )?(?:(?P<count>{_COUNT}) )?{_EINHEIT}"
            rf" (?P<side>vor|nach) (?P<a>{_NP})",
        ),
        ("beside", rf"am {_EINHEIT} (?P<side>vor|nach) (?P<a>{_NP})"),
        (
            "away",
            rf"(?:(?:about|around|roughly|some|almost) )?(?P<count>{_COUNT}) {_UNIT}"
            rf" (?P<side>before|after|following|prior to) {_A}(?=$|,)",
        ),
        ("away", rf"(?:(?:etwa|ungefähr|rund) )?(?P<count>{_COUNT}) {_EINHEIT} (?P<side>vor|nach) (?P<a>{_NP})"),
        (
            "away",
            rf"(?:(?:etwa|ungefähr|rund) )?(?P<count>{_COUNT}) {_EINHEIT}"
            rf",? (?P<side>bevor|nachdem) (?P<a>{_WER} [^,;?]+)",
        ),
        (
            "of",
            r"(?:on |in |at |over )?(?:the|that) (?P<unit>day|week|weekend|month|morning|evening|night)"
            rf" (?:of |when |that |(?={_WHO} ))(?!before\b|after\b){_A}(?=$|,)",
        ),
        ("of", rf"(?:am|an dem) (?P<unit>tag|abend|morgen|wochenende) (?P<a>{_NP})"),
        ("of", rf"in der (?P<unit>woche) (?P<a>(?:de[rs]|(?:mein|unser|ihr|sein)e[rs]) {_NOUN})"),
        ("during", rf"(?:during|throughout|in the middle of|in the midst of|in the course of|amid) {_A}(?=$|,)"),
        ("during", rf"(?:while|whilst) {_A}(?=$|,)"),
        ("during", rf"(?<=\S )when (?P<a>{_WHO} \w+[^,;?]*?)(?=$|,)"),
        (
            "during",
            rf"on (?P<a>(?:my|our|his|her|their|the|[\w-]+'s) (?:[\w-]+ )?(?:{'|'.join(sorted(STAY.asks))})"
            r"\b[^,;?]*?)(?=$|,)",
        ),
        ("during", rf"während (?P<a>{_NP})"),
        (
            "during",
            rf"(?:auf|in|bei|im) (?P<a>(?:{_DET} )?(?:[\wäöü]+e[nmrs]? )?(?:Reise|Urlaub|Ferien|Flitterwochen)"
            rf"(?: (?:nach|in|im|auf) (?:{_DET} )?{_NOUN})?)",
        ),
        ("during", rf"(?:während|als) (?P<a>{_WER} [^,;?]+)(?=$|,)"),
        ("before", rf"(?:(?P<soon>right|shortly|just|immediately) )?(?:before|prior to) {_A}(?=$|,)"),
        ("after", rf"(?:(?P<soon>right|shortly|soon|just|immediately|directly) )?(?:after|following) {_A}(?=$|,)"),
        ("since", rf"(?:ever )?since {_A}(?=$|,)"),
        ("until", rf"(?:until|till|up to) {_A}(?=$|,)"),
        ("after", rf"nachdem (?P<a>{_WER} [^,;?]+)"),
        ("before", rf"bevor (?P<a>{_WER} [^,;?]+)"),
        ("since", rf"seit(?:dem)? (?P<a>{_WER} [^,;?]+)"),
        ("before", rf"(?:(?P<soon>kurz|unmittelbar|direkt) )?vor (?P<a>{_NP})"),
        ("after", rf"(?:(?P<soon>kurz|unmittelbar|direkt|gleich) )?nach (?P<a>{_NP})"),
        ("since", rf"seit (?P<a>{_NP})"),
        ("until", rf"bis (?:zu |zum |zur )(?P<a>(?:{_DET} )?{_NOUN}(?: (?:nach|in) {_NOUN})?)"),
    )
)
"""Relation and form, the first that is found; the more a form says, the earlier it stands."""
_NO_TIME = re.compile(
    r"\b(?:look|looks|looked|looking|named|difference|distance|relation|connection|link|unterschied|abstand|choice|"
    r"choose|chose|decide|decided|compare|compared|which one\b.*)\s*$",
    re.I,
)
"""What "after" or "between" belongs to where it tells no time: who looked after the dog, which one was faster."""
_LEADING = re.compile(
    r"\s*(?P<head>(?:during|while|whilst|after|before|since|until|on|in|within|between|right|shortly|the|two|a|\d)\b.*?),?"
    r" (?P<main>(?:what|who|whom|where|which|how|did|was|were|had|have|has)\b.*)",
    re.I,
)
"""After the surgery who did I meet: put behind the rest, as if it had been asked so."""
_DETERMINED = re.compile(
    r"(?:my|our|his|her|their|its|the|that|this|your|[\w-]+'s?|(?:der|dem|den|des|die|das|(?:ein|mein|dein|sein|ihr|unser)"
    r"\w*|\w+s))\b",
    re.I,
)
_CLAUSE = re.compile(rf"(?:{_WHO}|{_WER}) ", re.I)
_OWN = re.compile(r"\b(?:i|i'm|i've|i'd|we|my|our|ich|wir|mein\w*|unser\w*)\b", re.I)
_OTHER = re.compile(r"\b(?:he|she|they|his|her|their|er|sie|sein\w*|ihr\w*)\b", re.I)
_NAME = re.compile(r"(?<!^)(?<![.?!] )\b[A-ZÄÖÜ][\w-]+")


@dataclass(frozen=True, slots=True)
class AnchorEvent:
    """An event as a question names it."""

    text: str
    needs: tuple[str, ...]
    """Words that tell of nothing but themselves (lisbon), folded; a statement must hold each."""
    kinds: tuple[EventKind, ...] = ()
    """What kinds its other words name; a statement must tell of each."""
    own: bool = False
    """It is the asker's."""
    over: bool = False
    """Its end is what is named: after she came back from Berlin."""
    names: tuple[str, ...] = ()
    """Whose it is where a pronoun says so: one of the names in the rest of the question."""


@dataclass(frozen=True, slots=True)
class Anchored:
    """A time told by one event, or between two.

    `relation`: during, before, after, since, until, between; away (`count` units from it, on its `side`), beside (so
    many units next to it), of (the day or week of it). `rest` is the question without it.
    """

    relation: str
    events: tuple[AnchorEvent, ...]
    """One, or the two it lies between."""
    rest: str
    said: str
    """The words that tell the time."""
    side: int = 0
    """-1 before, 1 after."""
    count: int = 1
    unit: str = "day"


def anchored(text: str) -> Anchored | None:
    """The time a question tells by an event, None for any other question. Takes a regular expression where it is."""
    if len(text) > _LONGEST or not _CUE.search(text) or _LENGTH.match(text):
        return None
    asked = _turned(" ".join(text.replace("’", "'").split()).rstrip(" ?.!"))
    for relation, form in _FORMS:
        found = form.search(asked)
        if found is None or _NO_TIME.search(asked[: found.start()]):
            continue
        rest = " ".join(f"{asked[: found.start()]} {asked[found.end() :]}".split()).strip(" ,")
        told = _read(relation, found, rest)
        if told is not None and asks_past(rest):
            return told
    return None


def asks_past(text: str) -> bool:
    """Whether a question is about what was, as a calendar holds it; "What do I eat after running?" asks for a habit."""
    return may_be_past(text) or is_done(text) or _ORDERS.search(text) is not None


def vague(word: str) -> bool:
    """Whether a folded word asks for whatever there is."""
    return word in VAGUE or word in STOP_WORDS["en"]


def _turned(asked: str) -> str:
    """What is asked before when it is asked for."""
    leading = _LEADING.fullmatch(asked)
    return f"{leading['main']} {leading['head']}" if leading else asked


def _read(relation: str, found: re.Match[str], rest: str) -> Anchored | None:
    parts = {name: words for name, words in found.groupdict().items() if words}
    named = [_event(parts[name], rest) for name in ("a", "b") if name in parts]
    events = tuple(event for event in named if event is not None)
    if len(events) < len(named):
        return None
    side = {"b": -1, "v": -1, "p": -1, "l": -1}.get(parts.get("side", "")[:1].lower(), 1) if "side" in parts else 0
    if "soon" in parts:
        relation, side, parts = "beside", {"before": -1, "after": 1}[relation], {**parts, "unit": "week"}
    return Anchored(
        relation,
        events,
        rest,
        found.group(),
        side,
        _count(parts.get("count", "")),
        _UNITS[parts.get("unit", "day").lower()],
    )


def _count(words: str) -> int:
    last = words.casefold().removesuffix(" of").split()[-1:]  # a long s matches an s, and is one only so
    return 1 if not last else int(last[0]) if last[0].isdigit() else _COUNTS[last[0]]


def _event(phrase: str, rest: str) -> AnchorEvent | None:
    """What a phrase names; None for words without weight, and where it tells its time itself: our trip last year."""
    if resolve(phrase, 0.0):
        return None
    told = [word.removesuffix("'s") for word, _ in tokenise(phrase)]
    kept = [word for word in told if word not in LIGHT and word not in STOP_WORDS["en"] and not word.isdigit()]
    kinds = tuple(dict.fromkeys(BY_WORD[word] for word in kept if word in BY_WORD))
    needs = tuple(word for word in kept if word not in BY_WORD)
    clause = _CLAUSE.match(phrase) is not None and _DETERMINED.match(phrase) is None
    if not kept or not (kinds or clause or _DETERMINED.match(phrase)):
        return None
    if clause and not kinds:
        kinds = (STAY,)  # while she was in Berlin
    own = _OWN.search(phrase) is not None
    names = () if own or not _OTHER.search(phrase) else tuple(name.casefold() for name in _NAME.findall(rest))
    over = any(word in kind.ends for kind in kinds for word in needs)
    if over:
        needs = tuple(word for word in needs if not any(word in kind.ends for kind in kinds))
    return AnchorEvent(phrase, needs, kinds, own, over, names)
