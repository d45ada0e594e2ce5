"""What the taught reader sees of a turn: vectors of its sentences in their context, and who may be meant.

Everything is taken from one pass of the packaged encoder over "speaker: text". Training and reading make features here
and nowhere else, so that they cannot differ. A change here needs heads that are taught anew (training/reader.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adapters.embedding.minilm import ReadPieces
from memory.model.claims import Utterance
from memory.model.ids import fold
from memory.words.languages import is_german
from memory.words.names import INTERJECTIONS
from memory.words.stems import STOP_WORDS
from memory.words.vocabulary import KIN

Floats = NDArray[np.float32]
DIMENSIONS = 384
LONGEST = 300
"""Characters of a sentence; what runs on without an end, as a recogniser writes it, is cut at a blank."""
MOST_SENTENCES = 60
"""Of a turn; the encoder sees no more than its first 256 word pieces anyway."""
MOST_PERSONS = 8
"""Candidates of one sentence for whom it is about, beside who speaks, who listens, and nobody."""
EARLIER = 3
"""Names of the turns before that may be meant by a pronoun."""
_END = re.compile(r"(?<=[.!?…])[\"')\]”’*]*\s+|\n+")
_ABBREVIATED = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|vs|prof|jr|sr|e\.g|i\.e|z\.B|d\.h|bzw|ca|[A-Z])|\d)\.$", re.IGNORECASE
)
_NAME = re.compile(r"\b[^\W\d_a-zà-ÿ][\w'’-]+(?: [^\W\d_a-zà-ÿ][\w'’-]+){0,2}")
_KIN = re.compile(
    rf"\b(?P<whose>my|our|mein\w*|unser\w*) (?P<kin>(?:\w+ )?(?:{'|'.join(sorted(KIN))}))\b", re.IGNORECASE
)
"""Somebody's somebody, whose: my brother, our elder sister."""
_NO_NAMES = STOP_WORDS["en"] | STOP_WORDS["de"] | INTERJECTIONS
_SPACED = re.compile(r"\s")
_HALF = re.compile(r"[\ud800-\udfff\x00]")
"""Halves of characters, which no tokenizer takes."""
_FIRST = re.compile(r"\b(?:i|my|me|we|our|ich|wir|mein\w*|mir|mich)\b", re.IGNORECASE)
_SECOND = re.compile(r"\b(?:you|your|du|dein\w*|dir|dich)\b", re.IGNORECASE)
_THIRD = re.compile(r"\b(?:he|she|his|her|they|er|sie|ihr\w*|sein\w*)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody a sentence may be about: the name, and how it comes up.

    `how` is speaker, listener, named (in the sentence), beside (elsewhere in the turn), earlier, or nobody. `span` are
    the characters of the name in the turn's line, None where it stands in no line at hand.
    """

    name: str
    how: str
    span: tuple[int, int] | None = None


HOWS = ("speaker", "listener", "named", "beside", "earlier", "nobody")
WHOLE = (0, 1_000_000)
"""Characters of a whole line."""
NOBODY = Person("", "nobody")


@dataclass(frozen=True, slots=True, eq=False)
class ReadTurn:
    """An utterance with its word pieces; `shift` is where its text begins in the line that was encoded."""

    utterance: Utterance
    pieces: ReadPieces
    shift: int

    def mean(self, span: tuple[int, int]) -> Floats:
        """[384] The mean of the pieces within characters of the line, of unit length; zeros where there are none."""
        within = self._within(span)
        return _unit(within.mean(0)) if len(within) else np.zeros(DIMENSIONS, np.float32)

    def most(self, span: tuple[int, int]) -> Floats:
        """[384] Of each dimension the greatest among these pieces."""
        within = self._within(span)
        return within.max(0) if len(within) else np.zeros(DIMENSIONS, np.float32)

    def rows(self, span: tuple[int, int]) -> NDArray[np.intp]:
        """Which of its pieces stand within these characters of the line."""
        return np.flatnonzero((self.pieces.spans[:, 0] < span[1]) & (self.pieces.spans[:, 1] > span[0]))

    def _within(self, span: tuple[int, int]) -> Floats:
        return self.pieces.hidden[self.rows(span)].astype(np.float32)

    @property
    def whole(self) -> Floats:
        """[384] The mean of all its pieces."""
        return self.mean(WHOLE)


def line_of(utterance: Utterance) -> tuple[str, int]:
    """What is encoded of an utterance, and where its text begins in that."""
    lead = f"{utterance.speaker}: " if utterance.speaker else ""
    return _HALF.sub(" ", lead + utterance.text), len(lead)


def sentences(text: str) -> list[tuple[int, int]]:
    """Characters from and to of each sentence; a shorter text than a word is none."""
    found: list[tuple[int, int]] = []
    start = 0
    for end, following in [*((m.start(), m.end()) for m in _END.finditer(text)), (len(text), len(text))]:
        if following < len(text) and _ABBREVIATED.search(text[max(start, end - 8) : end]):
            continue
        found.extend(_cut(text, start, end))
        start = following
    return [each for each in found if any(map(str.isalnum, text[slice(*each)]))][:MOST_SENTENCES]


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        blanks = [m.start() for m in _SPACED.finditer(text, start + LONGEST // 2, start + LONGEST)]
        stop = blanks[-1] if blanks else start + LONGEST
        yield start, stop
        start = stop
    if end > start:
        yield start, end


def context(turns: Sequence[ReadTurn]) -> Floats:
    """[turns, 1152] Each turn as a whole, with the one before it and the one after."""
    whole = np.stack([turn.whole for turn in turns])
    none = np.zeros((1, DIMENSIONS), np.float32)
    return np.hstack([whole, np.vstack([none, whole[:-1]]), np.vstack([whole[1:], none])])


def seen(turn: ReadTurn, around: Floats, span: tuple[int, int]) -> Floats:
    """[features] A stretch of a turn, characters of its text, with what stands around it (a row of `context`)."""
    placed = span[0] + turn.shift, span[1] + turn.shift
    return np.concatenate([turn.mean(placed), turn.most(placed), around, signs(turn.utterance, span)])


def signs(utterance: Utterance, span: tuple[int, int]) -> Floats:
    """[SIGNS] What is seen of a stretch without a model: marks, length, place, who speaks."""
    text, words = utterance.text, utterance.text[slice(*span)]
    rest = text[span[1] : span[1] + 2]
    return np.array(
        [
            "?" in words or rest.startswith("?"),
            "!" in words,
            any(map(str.isdigit, words)),
            '"' in words or "“" in words,
            len(words) / 100,
            len(text) / 400,
            span[0] / max(1, len(text)),
            span[1] >= len(text) - 1,
            span[0] == 0,
            utterance.role == "user",
            is_german(text, utterance.language),
            len(utterance.listeners) / 4,
        ],
        np.float32,
    )


SIGNS = 12
SEEN = 5 * DIMENSIONS + SIGNS
"""Features of a stretch: its mean, its greatest, the turn, the one before, the one after, and signs."""


def persons(turns: Sequence[ReadTurn], place: int, span: tuple[int, int]) -> list[Person]:
    """Whom a sentence of a turn may be about, nobody last; each name once, by how it comes up first."""
    turn = turns[place]
    utterance = turn.utterance
    found = [Person(utterance.speaker, "speaker", (0, max(1, len(utterance.speaker))))]
    found += [Person(name, "listener", None) for name in utterance.listeners[:EARLIER]]
    named = list(_named(utterance))
    inside = [each for each in named if each.span and span[0] <= each.span[0] < span[1]]
    outside = [each for each in named if each not in inside]
    shifted = [_shift(each, "named", turn.shift) for each in inside]
    shifted += [_shift(each, "beside", turn.shift) for each in outside]
    earlier = [
        Person(each.name, "earlier")
        for near in reversed(turns[max(0, place - EARLIER) : place])
        for each in reversed(list(_named(near.utterance)))
    ]
    once: dict[str, Person] = {}
    for each in (*found, *shifted[:MOST_PERSONS], *earlier):
        known = once.setdefault(fold(each.name), each)
        if each.how == "named" and known.how in ("listener", "speaker") and known.span is None:
            once[fold(each.name)] = Person(known.name, known.how, each.span)
    kept = [each for each in once.values() if each.how != "earlier"]
    kept += [each for each in once.values() if each.how == "earlier"][:EARLIER]
    return [*kept, NOBODY]


def _shift(person: Person, how: str, shift: int) -> Person:
    start, end = person.span or (0, 0)
    return Person(person.name, how, (start + shift, end + shift))


def _named(utterance: Utterance) -> Iterator[Person]:
    """Names and kin of a turn, in their order."""
    text = utterance.text
    starts = {start for start, _ in sentences(text)}
    small = {word.lower() for word in re.findall(r"\b[a-zà-ÿ][\w'’-]*", text)}
    for found in _NAME.finditer(text):
        name, start = re.sub(r"['’](?:s|m|re|ve|ll|d)$", "", found.group()), found.start()
        first, _, rest = name.partition(" ")
        if rest and first.lower() in _NO_NAMES:  # Then Theresa came
            name, start = rest, start + len(first) + 1
        if len(name) < 2 or (start in starts and (name.lower() in small or name.lower() in _NO_NAMES)):
            continue
        yield Person(name, "named", (start, start + len(name)))
    for found in _KIN.finditer(text):
        yield Person(f"{utterance.speaker}'s {found['kin']}", "named", found.span())


def beside(turns: Sequence[ReadTurn], place: int, span: tuple[int, int], person: Person, told: Floats) -> Floats:
    """[features] A person beside a sentence: the sentence, the name's own pieces, and how it comes up.

    `told` is the sentence as `seen` gives it.
    """
    own = turns[place].mean(person.span) if person.span else np.zeros(DIMENSIONS, np.float32)
    coming = ways(turns[place], span, person)
    return np.concatenate([told[:DIMENSIONS], told[2 * DIMENSIONS : 3 * DIMENSIONS], own, coming])


def is_of_another(words: str) -> bool:
    """Whether a sentence points at somebody else and says nothing of who speaks: She is paid as well."""
    return _THIRD.search(words) is not None and _FIRST.search(words) is None


def ways(turn: ReadTurn, span: tuple[int, int], person: Person) -> Floats:
    """[WAYS] How a person comes up beside a sentence, seen without a model."""
    hows = np.array([person.how == how for how in HOWS], np.float32)
    distance = 0.0 if person.span is None else (person.span[0] - span[0] - turn.shift) / 100
    words = turn.utterance.text[slice(*span)]
    first, second, third = (bool(pattern.search(words)) for pattern in (_FIRST, _SECOND, _THIRD))
    more = np.array([distance, first, second, third, "'s " in person.name, " " in person.name], np.float32)
    return np.concatenate([hows, more])


WAYS = len(HOWS) + 6
SIZED = 3 * DIMENSIONS + WAYS


def _unit(vector: Floats) -> Floats:
    unit: Floats = (vector / max(float(np.linalg.norm(vector)), 1e-9)).astype(np.float32)
    return unit
