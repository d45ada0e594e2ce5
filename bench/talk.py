"""Invented talk: as many segments as wanted, the same on every machine, about people, things and places.

It is made for measuring time, not quality: about 16 words a segment; one speaker tells something an extractor has to
work on (one or two claims), the other asks back; common words in many segments, and in each one a made-up word that
comes rarely.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

SEED = 20260301
BEGAN = datetime(2025, 1, 6, 9, tzinfo=UTC).timestamp()
SESSION = 50
"""Segments in a source, half a minute apart; one source a day."""
_DAY_S, _TURN_S = 86_400.0, 30.0
_VENUES = 997
"""Made-up words that the talk uses; the words of `rare_word` beyond it occur nowhere."""


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_PEOPLE = _listed("Amir Bea Carla Dmitri Elif Farid Greta Hugo Ines Jonas Katya Lucia Mehmet Nadia Oskar Priya")
_THINGS = _listed(
    "bicycle piano tent camera telescope canoe grinder bookshelf guitar bench raincoat cookbook lamp violin radio sofa"
)
_PLACES = _listed(
    "Lisbon Porto Krakow Ghent Turin Bergen Leipzig Utrecht Aarhus Seville Graz Tartu Cork Brno Nantes Malmo"
)
_DEEDS = (
    "I bought a {thing} from {person} in {place} last week.",
    "{person} moved to {place} because the new job starts in {month}.",
    "My cousin {person} wants to sell the old {thing} before {month}.",
    "We had dinner with {person} and talked about the trip to {place}.",
    "{person} promised to repair the {thing} by the end of {month}.",
    "I no longer like the {thing}, it was too heavy to carry to {place}.",
    "{person} is learning to build a {thing} with friends from {place}.",
    "In {month} {person} lost a {thing} on the train to {place}.",
)
_ASIDES = (
    "Do you remember the small shop called {venue}?",
    "Or did somebody at {venue} tell you about it on Sunday?",
    "Did I ever take you to {venue}, next to the station?",
    "Shall I ask again at {venue} when there is more time?",
)
_REPLIES = (
    "Really? And how was it at {venue} this time?",
    "Oh, was that before or after the evening at {venue}?",
    "Shall we ask somebody from {venue} about the other {thing}?",
    "Is that the {thing} you meant, or the one at {venue}?",
)
_QUESTIONS = (
    "Where did {person} go with the {thing}?",
    "What did {person} promise about the {thing}?",
    "When did {person} move to {place}?",
    "Who wanted to sell a {thing} in {month}?",
    "What happened on the train to {place}?",
    "Which shop in {place} has a {thing}?",
)
_TURNS = ((_DEEDS, _ASIDES), (_REPLIES,))
"""What the two speakers say in turn."""
_MONTHS = _listed("January February March April May June July August September October November December")
_CONSONANTS, _VOWELS = "bdfgklmnprtvz", "aeiou"


def rare_word(number: int) -> str:
    """A made-up word of its own for each number below 274,625; no stemmer shortens its ending."""
    word = ""
    for _ in range(3):
        number, place = divmod(number, len(_CONSONANTS) * len(_VOWELS))
        word += _CONSONANTS[place // len(_VOWELS)] + _VOWELS[place % len(_VOWELS)]
    return f"Qu{word}x"


def bodies(segments: int) -> Iterator[dict[str, Any]]:
    """Bodies of POST /v1/sources that hold this many segments."""
    dice = random.Random(SEED)
    for day, first in enumerate(range(0, segments, SESSION)):
        pair = dice.sample(_PEOPLE, 2)
        count = min(SESSION, segments - first)
        spoken = [_segment(place, pair[place % 2], _words(dice, *_TURNS[place % 2])) for place in range(count)]
        yield {"source_id": f"day-{day}", "started_at": BEGAN + _DAY_S * day, "segments": spoken}


def single(number: int, at: float) -> tuple[dict[str, Any], str]:
    """A body with one segment, and a word that occurs in it alone."""
    word = rare_word(_VENUES + number)
    text = f"The new place by the river is called {word}, and we should go there in spring."
    return {"source_id": f"single-{number}", "started_at": at, "segments": [_segment(0, "Amir", text)]}, word


def questions(count: int) -> list[str]:
    """Questions about the talk, hardly two alike."""
    dice = random.Random(SEED + 1)
    return [_words(dice, _QUESTIONS) for _ in range(count)]


def end_of(segments: int) -> float:
    """When the talk of so many segments is over, in epoch seconds."""
    return BEGAN + _DAY_S * (1 + segments // SESSION)


def _words(dice: random.Random, *kinds: tuple[str, ...]) -> str:
    filled = {
        "person": dice.choice(_PEOPLE),
        "thing": dice.choice(_THINGS),
        "place": dice.choice(_PLACES),
        "month": dice.choice(_MONTHS),
        "venue": rare_word(dice.randrange(_VENUES)),
    }
    return " ".join(dice.choice(kind).format(**filled) for kind in kinds)


def _segment(place: int, speaker: str, text: str) -> dict[str, Any]:
    start = _TURN_S * place
    return {"segment_id": str(place), "speaker": speaker, "text": text, "start": start, "end": start + 6.0}
