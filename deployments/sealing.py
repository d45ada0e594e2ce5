"""Seals: what a client gets as one opaque word and gives back as it was, such as an id of several parts or a cursor."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TypeVar

import orjson
from pydantic import TypeAdapter

from memory.errors import DomainError, Invalid

MOST_SEALED = 4_000
"""Characters of what was sealed (chosen: an id of mem0's clients holds up to three of ours)."""
Kind = TypeVar("Kind")


def sealed(said: object) -> str:
    """What JSON can say, as one word that may stand in any URL. It hides nothing. Raises Invalid of anything else."""
    try:
        return urlsafe_b64encode(orjson.dumps(said)).decode().rstrip("=")
    except TypeError as error:
        raise Invalid("It must be JSON, and its whole numbers of 64 bits.") from error


def opened(given: str, kind: TypeAdapter[Kind], otherwise: DomainError) -> Kind:
    """What was sealed, if it is of this kind. Raises `otherwise` of anything else."""
    if len(given) > MOST_SEALED:
        raise otherwise
    try:
        return kind.validate_python(orjson.loads(urlsafe_b64decode(given + "=" * (-len(given) % 4))))
    except ValueError as error:  # of the alphabet, of JSON, or of the kind
        raise otherwise from error
