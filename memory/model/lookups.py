"""Look-ups: which rows hang on something, found without looking at them all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from memory.model.changes import Key, Row, key_of


class Lookup:
    """Rows of one noun by the ids they hang on, kept in step with a draft once they were first asked for."""

    def __init__(self, rows: Iterable[Row], ids_of: Callable[[Any], Iterable[str]]) -> None:
        self._ids_of = ids_of
        self._rows: defaultdict[str, dict[Key, Row]] = defaultdict(dict)
        for row in rows:
            self._add(row)

    def at(self, identity: str) -> list[Any]:
        """The rows that hang on it, by their keys."""
        return [row for _, row in sorted(self._rows.get(identity, {}).items())]

    def follow(self, before: Row | None, after: Row | None) -> None:
        """Take in one change of a row."""
        if before is not None:
            for each in self._ids_of(before):
                self._rows[each].pop(key_of(before), None)
        if after is not None:
            self._add(after)

    def _add(self, row: Row) -> None:
        for each in self._ids_of(row):
            self._rows[each][key_of(row)] = row
