"""Matters: what a wish is about, so that a later wish on the same matter, or words that take it back, end it.

"You can answer in English again" ends "From now on answer in German", and "stop using emojis" ends "Always use emojis".
By form, in English and German, and rather too seldom than too often: what is ended in error is missed in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from memory.words.stems import terms

Stems = frozenset[int]
Slot = tuple[str | Stems, Stems]
"""What can be wished in one way at a time, by its name or by its stems, and the occasion for which it is wished."""

LEAST_NAMED = 0.5
"""Part of a deed that words must name to take it back (chosen: "no more exclamation marks" names two thirds of "use
exclamation marks", and "no more recipes" a quarter of "print recipes with metric weights")."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One sentence that asks for something."""

    deed: Stems
    """What is to be done, or is not."""
    occasion: Stems
    """When I ask about this; empty = always."""
    positive: bool
    ways: Mapping[Slot, object]
    """Which way it is wished, by slot."""


@dataclass(frozen=True, slots=True)
class Lifting:
    """One sentence that takes wishes back."""

    named: Stems
    """What it says of them."""
    positive: bool | None = None
    """Which it ends: to do so, not to do so, or either. Either is meant where it speaks of wishes themselves."""
    ways: Mapping[Slot, object] = field(default_factory=dict)
    """What it allows again, by slot."""


@dataclass(frozen=True, slots=True)
class TurnMatters:
    """What a turn asks for and takes back."""

    wishes: tuple[Wish, ...]
    liftings: tuple[Lifting, ...]


_SENTENCE = re.compile(r"[^.!?;\n]+")
LONGEST = 400
"""Characters of a sentence that is looked at: patterns take the square of it (chosen: three times a long sentence)."""
_OCCASION = re.compile(r"\b(?:when(?:ever)?|each time|every time|if|wenn|falls) (?:i|ich)\b(?P<about>[^,]*)", re.I)
_NEGATIVE = re.compile(r"\b(?:never|don't|do not|nie(?:mals)?|nicht|kein\w*)\b", re.I)
_FORM = frozenset(
    terms(
        "always never please must just make sure kindly want like would prefer rather now going forward future ask "
        "request mention any anymore longer need needn't have stop forget can may say said tell told earlier wish "
        "instruction preference rule go return switch instead okay ok thing everything anything yes thanks "
        "bitte immer nie niemals nicht mehr wieder jetzt ab sofort du dich mir mich ich was über zu zum zur von "
        "vergiss gesagt habe kannst darfst musst brauchst hör auf mit wenn falls frage nach den die das der ein eine "
        "einen kein keine keinen doch und in im",
        "en",
    )[0]
)
"""Stems that wishes are made of whatever they are about."""
_LANGUAGES = {
    "english": "en",
    "englisch": "en",
    "german": "de",
    "deutsch": "de",
    "french": "fr",
    "französisch": "fr",
    "spanish": "es",
    "spanisch": "es",
    "italian": "it",
    "italienisch": "it",
    "portuguese": "pt",
    "dutch": "nl",
}
_ANSWER = r"\b(?:answer|repl|respon|writ|speak|talk|antwort|schreib|sprich|red)\w*\b[^.!?]{0,40}"
_WAYS: Mapping[str, Mapping[re.Pattern[str], str]] = {
    "language": {
        re.compile(
            rf"{_ANSWER} (?:in|auf) {name}\b|\b(?:in|auf) {name} {_ANSWER}|\b(?:back to|speak|sprich) {name}\b", re.I
        ): code
        for name, code in _LANGUAGES.items()
    },
    "units": {
        re.compile(r"\bmetric\b|\bcelsius\b|\bmetrisch", re.I): "metric",
        re.compile(r"\bimperial\b|\bfahrenheit\b", re.I): "imperial",
    },
    "length": {
        re.compile(rf"(?:{_ANSWER}|\b(?:keep|be)\b[^.!?]{{0,20}})\b(?:brief|short|concise|kurz|knapp)", re.I): "short",
        re.compile(rf"(?:{_ANSWER}|\bbe\b[^.!?]{{0,20}})\b(?:detail|long\b|thorough|ausführlich)", re.I): "long",
    },
}
"""Manners of which one holds at a time, and the words that tell them."""
_NAME = re.compile(r"\b(?:[Cc]all me|[Nn]enne? mich) ([A-Z]\w+)")

_OVER = r"(?: any ?more\b| any longer\b| from now on\b|$)"
_FORMS: tuple[tuple[str, str, bool | None], ...] = (
    (
        "forget |forget, |ignore |disregard |drop |vergiss",
        r"(?:^\W*|\b(?:please|just|you can|you may|and|but|so|bitte|dann) )(?:forget|ignore|disregard|drop|vergiss),? "
        r"(?:what i(?:'ve)? (?:said|told you|asked)|(?:my|the|that) (?:\w+ )?(?:wish|instruction|preference|rule)s?"
        r"|was ich)\b(.*)",
        None,
    ),
    (
        "you don't |you do not |you no longer |you need",
        rf"\byou (?:(?:don't|do not|no longer) (?:need|have) to|needn't|need not) (.+?){_OVER}",
        True,
    ),
    ("stop ", r"(?:^\W*|\b(?:please|you can|you may) )stop (\w+ing\b.*)", True),
    # "I don't want to answer that" is of what the owner does, not of what is done for them
    (
        "i don't |i do not |i no longer ",
        r"\bi (?:don't|do not|no longer) (?:prefer|(?:want|need)(?! to (?!(?:see|have|get|hear|read|be)\b))) "
        rf"(.+?){_OVER}",
        True,
    ),
    ("no more ", r"^\W*(?:please,? )?no more (.+)", True),
    (
        " mehr|hör",
        r"\bdu (?:musst|brauchst) (?:nicht mehr (.+)|(.+?) (?:nicht )?mehr\b)|\bhöre? auf,? (?:mit )?(.+)",
        True,
    ),
    (
        " again| as usual|back to | wieder",
        r"\byou (?:can|may) (.+?) (?:again|as usual)\b|\b(?:go|switch|change) back to (.+)"
        r"|\bdu (?:kannst|darfst) (.+?) wieder\b|\bdu (?:kannst|darfst) wieder (.+)",
        False,
    ),
)
"""Ways of taking back: words of which each holds one, its form and what that names, and whether it is a thing to do
that is over, one not to do, or either."""
_LIFTINGS = tuple((tuple(cues.split("|")), re.compile(form, re.I), positive) for cues, form, positive in _FORMS)
_CUES = tuple(dict.fromkeys(cue for cues, _, _ in _LIFTINGS for cue in cues))


def takes_back(plain: str) -> bool:
    """Whether any of this (with plain apostrophes) takes wishes back."""
    return any(_liftings(plain))


def spoken(plain: str, wishing: re.Pattern[str]) -> TurnMatters:
    """What a turn with plain apostrophes asks for, in the sentences that `wishing` is found in, and takes back."""
    wishes = tuple(_wish(each) for each in _sentences(plain) if wishing.search(each))
    return TurnMatters(wishes, tuple(_liftings(plain)))


def _sentences(plain: str) -> Iterator[str]:
    said = (found.group().strip() for found in _SENTENCE.finditer(plain))
    return (each for each in said if len(each) <= LONGEST)


def _wish(sentence: str) -> Wish:
    when = _OCCASION.search(sentence)
    occasion = _stems(when["about"]) if when else frozenset[int]()
    rest = sentence if when is None else sentence[: when.start()] + sentence[when.end() :]
    deed, positive = _stems(rest), _NEGATIVE.search(rest) is None
    ways = _ways(rest, occasion)
    return Wish(deed, occasion, positive, {**ways, (deed, occasion): positive} if deed else ways)


def _liftings(plain: str) -> Iterator[Lifting]:
    for sentence in _sentences(plain) if _holds(plain.lower(), _CUES) else ():
        folded = sentence.lower()
        forms = ((form.search(sentence), positive) for cues, form, positive in _LIFTINGS if _holds(folded, cues))
        found, positive = next(((found, positive) for found, positive in forms if found), (None, None))
        if found is not None:
            named = _stems(next(each for each in found.groups() if each is not None))
            yield Lifting(named, positive, _ways(sentence, frozenset()) if positive is False else {})


def _holds(folded: str, cues: Sequence[str]) -> bool:
    """Whether any of these is in the text: told in a part of the time that a pattern takes."""
    return any(cue in folded for cue in cues)


def _ways(words: str, occasion: Stems) -> dict[Slot, object]:
    found: dict[Slot, object] = {}
    for name, ways in _WAYS.items():
        meant = {way for pattern, way in ways.items() if pattern.search(words)}
        if len(meant) == 1:
            found[name, occasion] = meant.pop()
    if (called := _NAME.search(words)) is not None:
        found["name", frozenset()] = called[1]
    return found


def _stems(words: str) -> Stems:
    return frozenset(terms(words, "en")[0]) - _FORM


def ended(said: Sequence[tuple[int, TurnMatters]]) -> dict[int, int]:
    """Key of a turn whose wishes are all over -> of the later one that ended the last of them; turns as they came.

    What has ended is looked at no more, so that a thousand wishes of one matter take no longer than of many.
    """
    named = frozenset[int]().union(*(lifting.named for _, each in said for lifting in each.liftings))
    standing, left, over = _Standing(named), [len(each.wishes) for _, each in said], dict[int, int]()
    for place, (key, each) in enumerate(said):
        for made in standing.end(place, each):
            left[made.place] -= 1
            if not left[made.place]:
                over[said[made.place][0]] = key
        for wish in each.wishes:
            standing.add(_Made(place, wish))
    return over


@dataclass(frozen=True, eq=False, slots=True)
class _Made:
    """A wish that stands, and at which place among the turns it was made."""

    place: int
    wish: Wish


class _Standing:
    """The wishes that nothing has ended yet, by what may end them."""

    def __init__(self, named: Stems) -> None:
        """`named` are all stems that any turn names to take back."""
        self._named = named
        self._of_slot: dict[Slot, dict[object, dict[_Made, None]]] = {}
        self._of_stem: dict[tuple[int, bool], dict[_Made, None]] = {}
        self._tried: dict[tuple[Stems, bool | None], int] = {}

    def add(self, made: _Made) -> None:
        """Let a wish stand."""
        for among in self._among(made):
            among[made] = None

    def end(self, place: int, said: TurnMatters) -> list[_Made]:
        """The wishes that a turn at this place ends; they stand no longer."""
        found = [made for lifting in said.liftings for made in self._lifted(place, lifting)]
        told = [each.ways for each in said.wishes] + [each.ways for each in said.liftings]
        for slot, way in (pair for ways in told for pair in ways.items()):
            others = (known for other, known in self._of_slot.get(slot, {}).items() if other != way)
            found += [made for known in others for made in known]
        over = list(dict.fromkeys(found))
        for made in over:
            for among in self._among(made):
                del among[made]
        return over

    def _among(self, made: _Made) -> list[dict[_Made, None]]:
        wish = made.wish
        ways = [self._of_slot.setdefault(slot, {}).setdefault(way, {}) for slot, way in wish.ways.items()]
        stems = (wish.deed | wish.occasion) & self._named
        return ways + [self._of_stem.setdefault((stem, wish.positive), {}) for stem in stems]

    def _lifted(self, place: int, lifting: Lifting) -> Iterator[_Made]:
        """Those since the same was said last that hold all that it names: the rarest stem of it is looked up."""
        since = self._tried.get((lifting.named, lifting.positive), 0)
        self._tried[lifting.named, lifting.positive] = place
        for positive in (True, False) if lifting.positive is None else (lifting.positive,):
            holding = [self._of_stem.get((stem, positive), {}) for stem in lifting.named]
            rarest = min(holding, key=len, default=dict[_Made, None]())
            fresh = takewhile(lambda made: made.place >= since, reversed(rarest))
            yield from (made for made in fresh if _lifts(lifting, made.wish))


def _lifts(lifting: Lifting, wish: Wish) -> bool:
    if not lifting.named or lifting.positive not in (None, wish.positive):
        return False
    if lifting.positive is None:
        return lifting.named <= wish.deed | wish.occasion
    return lifting.named <= wish.deed and len(lifting.named) >= LEAST_NAMED * len(wish.deed)
