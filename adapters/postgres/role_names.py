"""How the product's roles are called - after their database, for roles are a whole server's - and how often they may
connect. Knows no driver.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.model.ids import digest

_LONGEST = 40
"""Bytes of a database's name that roles are named after; PostgreSQL cuts names at 63."""

OF_OTHERS, OF_SHARD = 69, 21
"""Connections of the product's role: three times the 22 and, for each shard, the 7 of all pools together
(adapters/build.py), for whoever is replaced goes only when its successor is there, which a second raylet's end may
delay; and some for tools."""


def connections(shards: int) -> int:
    """The most connections of the product's role, with so many shards. Shards that are added while it runs live on what
    is kept for replacements, until the next start.
    """
    return OF_OTHERS + OF_SHARD * shards


@dataclass(frozen=True, slots=True)
class Names:
    """The two roles of a database."""

    app: str
    """What the product logs in as."""
    everybody: str
    """What work over all users takes on for a transaction."""


def names_of(database: str) -> Names:
    """The roles named after a database."""
    named = database if len(database.encode()) <= _LONGEST else digest("database", database).hex()
    return Names(f"{named}_app", f"{named}_everybody")
