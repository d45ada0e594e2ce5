"""Facts as who sees several sensitivities is told of them: out from words against them up to their own next ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psycopg.rows import DictRow

from memory.model.timeline import Instant
from memory.words.points import StatedTimes, out


def out_in_sight(row: Mapping[str, Any], as_of: Instant | None) -> tuple[Instant, str] | None:
    """From when on a fact is out on a day (None: today), or will be, and by which other; None if by no words in sight.

    `row["against"]` is what `against_known` has of it (migration 0013), or None.
    """
    told = row["against"]
    if told is None or told["against"] is None:
        return None
    against = ((each["fact_id"], _told(each), each["superseding"]) for each in told["against"])
    return out(_told(told["fact"]), against, as_of)


def as_seen(row: DictRow, as_of: Instant | None) -> DictRow:
    """A fact without `against`; what something of another sensitivity has followed is over since then, and by that."""
    seen = {name: value for name, value in row.items() if name != "against"}
    found = out_in_sight(row, as_of)
    ends = row["valid_to"]
    if found is None or row["status"] not in ("active", "superseded") or (ends is not None and ends <= found[0]):
        return seen
    over, by = found
    followed = row["superseded_by"] if by in row["superseded_by"] else sorted([*row["superseded_by"], by])
    return {**seen, "status": "superseded", "valid_to": max(over, row["valid_from"]), "superseded_by": followed}


def _told(row: Mapping[str, Any]) -> StatedTimes:
    return StatedTimes(row["predicate"], row["object"], row["polarity"], tuple(row["moments"]))
