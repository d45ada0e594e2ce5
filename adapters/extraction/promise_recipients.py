"""To whom something is promised: whoever is likeliest among the listeners and the people named in the turn.

A listwise regression weighs what stands around a name, and how lately a listener spoke. Its weights are words, by which
anybody can read what it goes by. Training and reading take features from here alone.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from memory.errors import ConfigError
from memory.model.claims import Sighting, Utterance
from memory.model.ids import fold
from memory.words.stems import STOP_WORDS
from memory.words.vocabulary import words

MOST_CHARS = 3_000
"""Of a turn that is looked through for names."""
MOST_NAMED = 60
"""The most words of a turn that are weighed as names, the last ones before the end of the promise."""
BEFORE = 4
"""Turns before this one that tell who spoke lately."""
_WORD = re.compile(r"(?:mr|mrs|ms|dr|st)\.|[^\W\d_](?:[\w'’-]*\w)?|[.!?,:;]", re.IGNORECASE)
_OWN = words("my our mein meine meinem meinen meiner unser unsere unserem unseren unserer")
_ARTICLES = words("your the her his their deine deinem deinen deiner der die dem den das")
_ARTICLES |= words("ihre ihrem ihren ihrer seine seinem seinen seiner")
_TITLES = words("mr mrs ms miss mister dr prof frau herr herrn oma opa tante onkel uncle aunt auntie nan headteacher")
_TO_YOU = words("you your yours ya u yous dir dich euch deine dein deinen deinem deiner ihnen ihr eure euer euren")
_TO_THEM = words("him her them hers his their ihm ihn ihr ihnen")
_UNDERTAKES = words("i i'll i'd id ill ich will")
_NO_NAMES = STOP_WORDS["en"] | STOP_WORDS["de"] | _OWN | _ARTICLES | _TITLES | _TO_YOU | _TO_THEM
_NO_NAMES |= words("i'll i'd i've i'm it's that's promise promised")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody to whom it may be promised, "" for nobody, and the features by which they are weighed."""

    name: str
    features: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecipientWeights:
    """Feature -> log-odds, and the least probability with which somebody is told as the recipient."""

    weights: Mapping[str, float]
    cut: float

    def likeliest(self, candidates: Sequence[Candidate]) -> tuple[str, float]:
        """The likeliest of them, and how likely they are in [0, 1]."""
        odds = [sum(self.weights.get(each, 0.0) for each in one.features) for one in candidates]
        best = max(range(len(odds)), key=odds.__getitem__)
        return candidates[best].name, 1 / sum(math.exp(each - odds[best]) for each in odds)

    def recipient(self, utterance: Utterance, span: tuple[int, int], before: Sequence[Utterance]) -> str | None:
        """To whom the sentence `span` of an utterance promises something; None if that is not sure enough."""
        name, likely = self.likeliest(candidates(utterance, span, before))
        return name or None if likely >= self.cut else None


def load_recipients(path: Path) -> RecipientWeights:
    """The weights of a file whose digest has been checked. Raises ConfigError if it is of another shape."""
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        weights = {str(name): float(value) for name, value in read["weights"].items()}
        return RecipientWeights(weights, float(read["cut"]))
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise ConfigError(f"The weights of recipients {path} do not fit this version: train them anew.") from error


def addressed(
    seen: Sequence[Sighting], utterances: Sequence[Utterance], weights: RecipientWeights
) -> tuple[Sighting, ...]:
    """Sightings, promises with whom they were made to. A reminder, what somebody else
    promised, and who is named by rule stay as they are.
    """
    places = {each.segment_key: place for place, each in enumerate(utterances)}

    def made_to(promise: Sighting) -> Sighting:
        place = places[promise.segment_key]
        start = max(0, utterances[place].text.find(promise.quote))
        to = weights.recipient(utterances[place], (start, start + len(promise.quote)), utterances[:place])
        return replace(promise, properties={**promise.properties, "to": to})

    def is_settled(promise: Sighting) -> bool:
        """Whether it is somebody else's, or made to its maker, or to somebody whom its words name."""
        by, to = (fold(str(promise.properties.get(side) or "")) for side in ("by", "to"))
        own = by == fold(utterances[places[promise.segment_key]].speaker)
        return not own or (to != "" and (to == by or to.split()[-1] in fold(promise.quote)))

    return tuple(made_to(each) if each.type == "promise" and not is_settled(each) else each for each in seen)


def candidates(utterance: Utterance, span: tuple[int, int], before: Sequence[Utterance]) -> list[Candidate]:
    """Nobody, everybody who listens, and who is named in the turn up to the end of the sentence; `before` in order."""
    said = frozenset(fold(word) for word in _WORD.findall(utterance.text[slice(*span)]))
    scene = (
        f"{'you' if said & _TO_YOU else 'them' if said & _TO_THEM else '-'}",
        f"{min(len(utterance.listeners), 3)}",
    )
    found: dict[str, set[str]] = {"": _of_nobody(utterance, scene)}
    for name in utterance.listeners:
        found[name] = _of_listener(name, utterance, before, scene)
    for name, features in _named(utterance, span, scene):
        known = next((one for one in utterance.listeners if _meant(name, one)), None)
        present = features | {f"here {each}" for each in features if each.startswith(("prev", "place"))}
        found.setdefault(known or name, set()).update(present if known else features)
    return [Candidate(name, tuple(sorted(features))) for name, features in found.items()]


def _of_nobody(utterance: Utterance, scene: tuple[str, ...]) -> set[str]:
    return {"nobody", f"nobody {' '.join(scene)}", f"nobody {utterance.kind}"}


def _of_listener(name: str, utterance: Utterance, before: Sequence[Utterance], scene: tuple[str, ...]) -> set[str]:
    """How lately somebody spoke, what with, and how the promise speaks to them."""
    others = [each for each in before[-BEFORE:] if each.speaker != utterance.speaker]
    spoke = [each.speaker for each in reversed(others)]
    lately = list(dict.fromkeys(spoke)).index(name) if name in spoke else "not"
    asked = bool(others) and others[-1].speaker == name and "?" in others[-1].text
    at = " ".join(scene)
    told = {"listens", f"listens {at}", f"lately {lately}", f"lately {lately} {at}", f"asked {asked} {scene[0]}"}
    if lately == 0:
        last, opening = fold(others[-1].text), next(iter(_WORD.findall(fold(utterance.text))), "")
        to_them = bool(_TO_YOU & set(_WORD.findall(last)))
        told |= {f"answers {opening}", f"right before {before[-1].speaker == name}"}
        told.add(f"spoken to {to_them} {fold(utterance.speaker) in last}")
    return told


def _named(utterance: Utterance, span: tuple[int, int], scene: tuple[str, ...]) -> Iterator[tuple[str, set[str]]]:
    """Names, and what may be one, up to the end of the sentence: each with the words around it."""
    read = [(match[0], match.start()) for match in _WORD.finditer(utterance.text[: min(span[1], MOST_CHARS)])]
    plain = ["^", "^", *(fold(word).rstrip(".") or word for word, _ in read), "$"]
    opens = next((at for at, (word, start) in enumerate(read) if start >= span[0] and _undertakes(word)), len(read))
    for at in range(max(0, len(read) - MOST_NAMED), len(read)):
        word, start = read[at]
        if not word[0].isalpha() or plain[at + 2] in _NO_NAMES:
            continue
        determined = plain[at + 1] if plain[at + 1] in _OWN | _ARTICLES | _TITLES else ""
        lead = plain[at] if determined else plain[at + 1]
        further = (plain[at - 1] if at else "^") if determined else plain[at]
        place = "earlier" if start < span[0] else "first" if at < opens else "after"
        kind = f"{'large' if word[0].isupper() else 'small'}{' ' + _sort(determined) if determined else ''}"
        begins = plain[at + 1] in ("^", ".", "!", "?")
        yield (
            _called(word, determined, utterance.speaker),
            {
                f"named {kind}",
                f"prev {lead}",
                f"prev {further} {lead}",
                f"prev {lead} {kind}",
                f"next {plain[at + 3]}",
                f"place {place} {kind} {begins}",
                f"place {place} {scene[0]} {kind}",
                f"word {plain[at + 2]}",
                f"far {min(abs(at - opens), 6)} {place}",
            },
        )


def _undertakes(word: str) -> bool:
    return fold(word).replace("’", "'") in _UNDERTAKES


def _sort(determined: str) -> str:
    return "own" if determined in _OWN else "title" if determined in _TITLES else "other"


def _called(word: str, determined: str, speaker: str) -> str:
    """My sister is the speaker's sister; a title stays before its name."""
    name = re.sub(r"['’]s$", "", word)
    if determined in _OWN:
        return f"{speaker}'s {name}"
    return f"{determined.capitalize()} {name}" if determined in _TITLES else name


@lru_cache(maxsize=4096)
def _meant(name: str, listener: str) -> bool:
    """Whether a word names somebody who listens: by one of their names, or with their title."""
    said, known = fold(name).split(), fold(listener).split()
    return bool(said) and said[-1] in known
