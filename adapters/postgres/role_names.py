"""How the product's roles are called: after their database, for roles are a whole server's. Knows no driver."""

from __future__ import annotations

from dataclasses import dataclass

from memory.model.ids import digest

_LONGEST = 40
"""Bytes of a database's name that roles are named after; PostgreSQL cuts names at 63."""


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
