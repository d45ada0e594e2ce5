"""Tables of a working set: rows, or ids of rows, under the keys by which a turn looks them up."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable
from typing import Any

from memory.model.facts import Evidence, Fact
from memory.model.ids import fold
from memory.model.timeline import Instant

FACT_INDEXES: dict[str, Callable[[Fact], tuple[Any, ...]]] = {
    "by_subject": lambda fact: (fact.subject_id,),
    "by_words": lambda fact: ((fact.subject_id, fold(fact.statement)),),
    "by_predicate": lambda fact: tuple((fact.subject_id, name) for name in _named(fact.predicate)),
}
"""Where a claim finds the facts it meets without looking at all that is known of its subject."""


def _named(predicate: str | None) -> tuple[str, ...]:
    """A predicate, and what it is one of: habit:eat is a habit."""
    kind, colon, _ = (predicate or "").partition(":")
    return tuple(filter(None, (predicate, kind if colon else None)))


def reindex(table: dict[Any, Any], old: Iterable[Any], new: Iterable[Any], value: str) -> None:
    """List a value, in order, under its new keys and no longer under its old ones."""
    old, new = set(old), set(new)
    for word in old - new:
        keep(table, word, tuple(other for other in table.get(word, ()) if other != value))
    for word in new - old:
        known: tuple[str, ...] = table.get(word, ())
        place = bisect_left(known, value)
        if known[place : place + 1] != (value,):
            table[word] = (*known[:place], value, *known[place:])


def keep(table: dict[Any, Any], key: object, rows: Collection[Any]) -> None:
    """Store the rows of a key, or no key at all: a table never holds empty rows."""
    if rows:
        table[key] = rows
    else:
        table.pop(key, None)


def listed(pairs: Iterable[tuple[Any, Any]], order: Callable[[Any], Any] | None) -> dict[Any, tuple[Any, ...]]:
    """What belongs to each key, in order; most have one."""
    found: dict[Any, list[Any]] = {}
    for key, row in pairs:
        if (known := found.get(key)) is None:
            found[key] = [row]
        else:
            known.append(row)
    return {key: tuple(rows) if len(rows) == 1 else tuple(sorted(rows, key=order)) for key, rows in found.items()}


def when(evidence: Evidence) -> tuple[Instant, str, int]:
    """The order of evidence."""
    return evidence.at, evidence.source_id, evidence.segment_key or 0
