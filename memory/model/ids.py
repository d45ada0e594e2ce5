"""Ids derived from natural keys: the same words heard again give the same ids, on any machine, in any order.

Text ids are 16 hex digits (64 bits) of BLAKE2b behind a one-letter prefix; a segment's key is the same 64 bits as a
signed integer, so that a column of a million of them costs eight megabytes.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_SEPARATOR = "\x1f"


def digest(*parts: object) -> bytes:
    """64 bits of BLAKE2b over the parts, joined by a separator no id may contain."""
    return hashlib.blake2b(_SEPARATOR.join(map(str, parts)).encode(), digest_size=8).digest()


@lru_cache(maxsize=65_536)
def fold(name: str) -> str:
    """A name as it is compared: NFKC, case-folded, inner white space collapsed."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def segment_key(scope: str, source_id: str, segment_id: str) -> int:
    """The signed 64-bit key of one segment within all scopes."""
    return int.from_bytes(digest("segment", scope, source_id, segment_id), "big", signed=True)


def segment_named(source_id: str, segment_id: str) -> str:
    """A segment in one word, as a receipt hashes it; no source is called so."""
    return f"{source_id}{_SEPARATOR}{segment_id}"


def entity_id(user_id: str, type_: str, name: str, qualifier: str = "") -> str:
    """Identity of an entity at birth: (user, type, folded name, qualifier). A rename keeps the id."""
    return "e-" + digest("entity", user_id, type_, fold(name), fold(qualifier)).hex()


def fact_id(user_id: str, origin: str, statement: str) -> str:
    """Identity of a fact: who believes it, where it was first said (a segment or a command) and its words."""
    return "f-" + digest("fact", user_id, origin, fold(statement)).hex()


def meta_id(user_id: str, support: Iterable[str]) -> str:
    """Identity of a meta fact: the facts it rests on, in whatever words it is put."""
    return "f-" + digest("meta", user_id, *sorted(support)).hex()


def community_id(user_id: str, level: int, members: Iterable[str], night: object) -> str:
    """Identity of a community at birth: who was in it, for whom it is to be seen, on which night. It is kept."""
    return "g-" + digest("community", user_id, level, night, *sorted(members)).hex()


def pattern_id(user_id: str, support: Iterable[object]) -> str:
    """Identity of a pattern: the facts or segments that it quotes, in whatever words it is put."""
    return "p-" + digest("pattern", user_id, *sorted(map(str, support))).hex()


def storyline_id(user_id: str, level: int, anchor_id: str, sources: Iterable[str]) -> str:
    """Identity of a storyline: whom it is about, for whom it is to be seen, and the sources that founded it."""
    return "s-" + digest("storyline", user_id, level, anchor_id, *sorted(sources)).hex()


def macro_id(user_id: str, level: int, anchor_id: str) -> str:
    """Identity of a macro: whom it is about, and for whom it is to be seen."""
    return "m-" + digest("macro", user_id, level, anchor_id).hex()


def summary_id(user_id: str, source_id: str) -> str:
    """Identity of the summary of a source."""
    return "u-" + digest("summary", user_id, source_id).hex()


def consolidation_id(user_id: str, level: int, anchor_id: str, sources: Iterable[str]) -> str:
    """Identity of a consolidation: whom it is about, for whom it is to be seen, and the sources that founded it."""
    return "k-" + digest("consolidation", user_id, level, anchor_id, *sorted(sources)).hex()


def note_id(user_id: str, command_id: str) -> str:
    """Identity of a note: the command that wrote it."""
    return "n-" + digest("note", user_id, command_id).hex()


def command_id(*parts: object) -> str:
    """A deterministic command id, so that a retry of background work is recognised."""
    return "c-" + digest("command", *parts).hex()
