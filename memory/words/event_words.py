"""Words of events: by which words a kind of event is asked for, by which it is told, and by which its end.

English and German, as they are said: stems are taken later. What has no row here is known by its own words alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.words.stems import STOP_WORDS
from memory.words.vocabulary import listed, read, words


@dataclass(frozen=True, slots=True)
class EventKind:
    """One kind of event. A question that holds an `asks` is answered by statements that hold one of `asks` or `tells`.

    `places` tell it only before a word of the question's own (is in Lisbon, for a trip to Lisbon). `ends` tell that it
    is over. `days` is how long it lasts where nobody said: 1 for a moment, 0 for until its end is told.
    """

    asks: frozenset[str]
    tells: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()
    days: int = 1

    @property
    def alone(self) -> frozenset[str]:
        """Words that tell it by themselves."""
        return self.asks | self.tells


def _kind(rows: Sequence[Mapping[str, Any]]) -> EventKind:
    """A kind with its words of all languages; the first tells how long it lasts."""
    asks, tells, places, ends = (
        frozenset(word for row in rows for word in words(row.get(part, "")))
        for part in ("asks", "tells", "places", "ends")
    )
    return EventKind(asks, tells, places, ends, rows[0].get("days", 1))


_GERMAN = read("de")["events"]
_BY_NAME = {name: _kind((row, _GERMAN.get(name, {}))) for name, row in read("en")["events"].items()}
STAY = _BY_NAME["stay"]
KINDS = tuple(_BY_NAME.values())
"""Rows in which a word is looked for, the first that holds it."""

BY_WORD = {word: kind for kind in reversed(KINDS) for word in kind.asks}

LIGHT = listed("light_in_events", "en", "de") | STOP_WORDS["de"]
"""Words of an anchor that tell nothing of the event, beside stop words."""

VAGUE = listed("asks_for_whatever", "en", "de") | STOP_WORDS["de"]
"""Words of a question that ask for whatever there is."""
