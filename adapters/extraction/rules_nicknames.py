"""Nicknames: by which other name somebody goes, as they or others say it, or as they are addressed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from adapters.extraction.rules_dating import Scene
from adapters.extraction.rules_model import Doc
from memory.model.claims import Sighting, Utterance
from memory.model.ids import fold
from memory.words.names import is_name
from memory.words.normalise import UtterancePiece
from memory.words.vocabulary import words

_NICK = r"[\"“'‘]?(?P<nick>[A-Z][\w-]+)\b"
_NAME = r"(?P<name>[A-Z][\w-]+)"
_CALLERS = r"(?i:everyone|everybody|people|they|we|folks|most people|(?:my )?(?:friends|family|\w+))"
_OWN = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b[Mm]y nickname(?:'s| is| was|:) {_NICK}",
        rf"\b{_CALLERS} (?:all |just |usually |always )?calls? me {_NICK}",
        rf"(?:^|[,;.!] |\b(?i:please|just|can|may|and|or) )[Cc]all me {_NICK}",
        rf"\bI(?:'m| am)? (?:also )?(?:go by|known as) {_NICK}",
        rf"\bI(?:'m| am) \w+(?: \w+)?,? (?:or |but )?{_NICK} for short\b",
    )
)
"""What somebody says of themselves."""
_OF_OTHERS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_NICK} is short for {_NAME}",
        rf"\b{_NAME}'s nickname is {_NICK}",
        rf"\b{_NAME},? (?:goes by|also known as|also called|nicknamed) {_NICK}",
        rf"\b{_NAME},? (?:or )?{_NICK} for short\b",
        rf"\b(?i:i|{_CALLERS}) (?:all |just |usually |always )?calls? {_NAME} {_NICK}",
    )
)
"""What somebody says of another by name."""
_OF_A_PRONOUN = re.compile(rf"\bcalls? (?:her|him) {_NICK}")
_DENIED = re.compile(r"(?:\bnot|\bnever|n't|\bnobody) (?:\w+ )?(?:calls?|go|goes)\b", re.IGNORECASE)
_ADDRESSED = re.compile(
    r"(?:^|[.!?,]\s+|\b(?:hey|hi|hello|thanks|thank you|congrats|wow|bye|morning)\s+)([A-Z]\w+)(?=\s*[,.!?]|$)",
    re.IGNORECASE,
)
_TIMES = words("monday tuesday wednesday thursday friday saturday sunday today tomorrow later tonight anytime maybe")
_STATED = 0.85
_CALLED = 0.8
_LETTERS = 3
"""A name is shortened to three letters at least (Val, Pri); less is anybody's."""


def nicknames(piece: UtterancePiece, doc: Doc, scene: Scene) -> Iterator[Sighting]:
    """Everybody of whom a sentence says that they have another name: seen, with that name as an alias."""
    if piece.question or _DENIED.search(piece.quote):
        return
    for name, nick in _stated(piece.quote, doc, scene):
        if is_name(nick) and fold(nick) not in _TIMES and fold(nick) != fold(name):
            yield Sighting("person", name, _STATED, piece.quote, scene.utterance.segment_key, aliases=(nick,))


def addressed(utterance: Utterance, others: Sequence[str]) -> Iterator[Sighting]:
    """Who is addressed by a shorter name: the Val of "Hey Val!" is the Valerie who is present."""
    for match in _ADDRESSED.finditer(utterance.text):
        short = match.group(1)
        whole = [name for name in others if _shortens(short, name)]
        if len(whole) == 1 and short[0].isupper() and is_name(short):
            quote = utterance.text[:200]
            yield Sighting("person", whole[0], _CALLED, quote, utterance.segment_key, aliases=(short,))


def _stated(text: str, doc: Doc, scene: Scene) -> Iterator[tuple[str, str]]:
    for pattern in _OWN:
        yield from ((scene.utterance.speaker, match.group("nick")) for match in pattern.finditer(text))
    for pattern in _OF_OTHERS:
        yield from ((match.group("name"), match.group("nick")) for match in pattern.finditer(text))
    who = next((scene.voice.referents[t.i] for t in doc if t.i in scene.voice.referents), None)
    if who is not None and is_name(who):
        yield from ((who, match.group("nick")) for match in _OF_A_PRONOUN.finditer(text))


def _shortens(short: str, name: str) -> bool:
    nick, full = fold(short), fold(name).split()
    return bool(full) and len(nick) >= _LETTERS and nick != full[0] and full[0].startswith(nick)
