"""Ending: which states an event puts an end to - who left a job works there no longer."""

from __future__ import annotations

from collections.abc import Callable

from memory.model.facts import Fact
from memory.rules.agreement import same_thing
from memory.words.contrast import topic_of
from memory.words.predicates import class_of, named


def ends(event: Fact, state: Fact) -> bool:
    """Whether an event puts an end to a state that began before it."""
    over = state.valid_to is not None and state.valid_to <= event.valid_from
    standing = event.status == "active" and event.polarity and state.polarity
    row, held = named(event.predicate), named(state.predicate)
    if over or not standing or row is None or held is None or state.valid_from >= event.valid_from:
        return False
    if event.object is None or topic_of(event.object) <= _WHATEVER:
        return row.ends == "all" or (held.single and not held.slotted)
    return _CONCERNED[row.ends](event, state)


_WHATEVER = topic_of("job work position")
"""Objects of an event that name nothing in particular: who quits a job quits the one they have."""
_CONCERNED: dict[str, Callable[[Fact, Fact], bool]] = {
    "same": lambda event, state: same_thing(event.object, state.object),
    "other": lambda event, state: not same_thing(event.object, state.object),
    "kind": lambda event, state: _is_other_of_kind(event.object or "", state.object or ""),
    "all": lambda event, state: True,
}
"""Which states an event of a predicate concerns, by its `ends`."""


def _is_other_of_kind(one: str, other: str) -> bool:
    return class_of(one) is not None and class_of(one) == class_of(other) and not same_thing(one, other)
