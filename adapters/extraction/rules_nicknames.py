"""Nicknames: by which other name somebody goes, as they or others say it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from adapters.extraction.rules_model import Doc
from memory.model.claims import Sighting, Utterance
from memory.model.ids import fold
from memory.words.names import bare, is_name
from memory.words.normalise import Piece

_NICK = r"[\"“'‘]?(?P<nick>[A-Z][\w-]+)\b"
_NAME = r"(?P<name>[A-Z][\w-]+)"
_CALLERS = r"(?:everyone|everybody|people|friends|family|they|most people|folks|all)"
_OWN = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b[Mm]y nickname(?:'s| is| was|:) {_NICK}",
        rf"\b(?i:(?:my )?{_CALLERS}|my \w+) (?:\w+ )?(?:calls?|called) me {_NICK}",
        rf"(?:^|[,;.!] |\b(?i:please|just|you can|can|may|and|or) ){{1}}[Cc]all me {_NICK}",
        rf"\bI(?:'m| am)? (?:go by|known as|called) {_NICK}",
        rf"\b[Ii](?:'m| am) \w+(?: \w+)?,? (?:or |but )?{_NICK} for short\b",
    )
)
"""What somebody says of themselves."""
_OF_OTHERS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_NICK} is short for {_NAME}",
        rf"\b{_NAME}'s nickname is {_NICK}",
        rf"\b{_NAME},? (?:or |goes by |also known as |also called |known as |nicknamed ){_NICK}(?: for short)?\b",
        rf"\b(?i:we|i|{_CALLERS}) (?:\w+ )?calls? {_NAME} {_NICK}",
    )
)
"""What somebody says of another who is named."""
_STATED = 0.85
_CALLED = 0.8
_LETTERS = 3
"""A name is shortened to three letters at least (Mel, Pri), else it is anybody's."""


def nicknames(piece: Piece, utterance: Utterance, doc: Doc, others: Sequence[str]) -> Iterator[Sighting]:
    """Everybody who is said, or addressed, by another name than their own: a sighting with that name as an alias."""
    for name, nick, confidence in _found(piece.text, utterance.speaker, doc, others):
        if is_name(nick) and fold(nick) != fold(name):
            yield Sighting("person", name, confidence, piece.quote, utterance.segment_key, aliases=(nick,))


def _found(text: str, speaker: str, doc: Doc, others: Sequence[str]) -> Iterator[tuple[str, str, float]]:
    for pattern in _OWN:
        yield from ((speaker, match.group("nick"), _STATED) for match in pattern.finditer(text) if speaker)
    for pattern in _OF_OTHERS:
        yield from ((match.group("name"), match.group("nick"), _STATED) for match in pattern.finditer(text))
    for entity in doc.ents:
        short = bare(entity.text)
        whole = [name for name in others if _shortens(short, name)]
        if entity.label_ == "PERSON" and len(whole) == 1:
            yield whole[0], short, _CALLED


def _shortens(short: str, name: str) -> bool:
    """Mel is Melanie where Melanie is present."""
    nick, full = fold(short), fold(name).split()
    return bool(full) and len(nick) >= _LETTERS and nick != full[0] and full[0].startswith(nick)


def known_by(sightings: Sequence[Sighting]) -> Mapping[str, str]:
    """Folded nickname to the name that these sightings give it to."""
    return {fold(alias): s.name for s in sightings if s.type == "person" for alias in s.aliases}
