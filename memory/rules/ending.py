"""Ending: which states an event puts an end to - who left a job works there no longer."""

from __future__ import annotations

from collections.abc import Callable

from memory.model.facts import Fact
from memory.model.timeline import Instant
from memory.model.working_set import Draft
from memory.rules.agreement import same_thing, tense_of, thing
from memory.rules.turn import Turn
from memory.rules.versions import link, revise
from memory.words.contrast import topic_of
from memory.words.diets import excludes
from memory.words.predicates import class_of, closers, closes, named, single_valued


def end_states(turn: Turn, fresh: Fact) -> tuple[str, ...]:
    """An event closes the states it ends, in whatever order they are heard: who gave up smoking smokes no longer.

    The values of a slot are settled with all that was said of it (`memory.rules.slots`).
    """
    if not fresh.polarity:
        return ()
    ended = tuple(end(turn, state, fresh) for state in _of(turn.draft, fresh, closes(fresh.predicate))
                  if state.believed and not _is_one_of_a_slot(state) and ends(fresh, state))  # fmt: skip
    end_by_event(turn, fresh)
    return ended


def _is_one_of_a_slot(state: Fact) -> bool:
    return bool(state.object) and single_valued(state.predicate, state.slot)


def end_by_event(turn: Turn, state: Fact, but: Fact | None = None) -> None:
    """End a state where an event that is known already, but for one that is taken back, puts an end to it."""
    known = _of(turn.draft, state, closers(state.predicate))
    later = [each for each in known if ends(each, state) and (but is None or each.fact_id != but.fact_id)]
    if later:
        end(turn, state, min(later, key=lambda each: (each.valid_from, each.fact_id)))


def end(turn: Turn, state: Fact, later: Fact) -> str:
    """Let a fact end where a later one begins; its id."""
    ends = later.valid_from if state.valid_to is None else min(state.valid_to, later.valid_from)
    revise(turn.draft, state, "superseded", turn.now, status="superseded", valid_to=max(ends, state.valid_from))
    link(turn.draft, "supersedes", later.fact_id, state.fact_id)
    return state.fact_id


def _of(draft: Draft, like: Fact, predicates: tuple[str, ...]) -> list[Fact]:
    """The facts of the same subject and sensitivity with one of these predicates."""
    found = (draft.facts[each] for name in predicates for each in draft.by_predicate.get((like.subject_id, name), ()))
    return [each for each in found if each.sensitivity == like.sensitivity]


def ends(event: Fact, state: Fact) -> bool:
    """Whether an event puts an end to a state that began before it."""
    over = state.valid_to is not None and state.valid_to <= event.valid_from
    began = state.valid_from, thing(state.object), state.polarity
    return not over and began < point_of(event) and concerns(event, state)


def point_of(event: Fact) -> tuple[Instant, tuple[str, ...], bool]:
    """Where an event stands among what is said to be so at its moment.

    Who leaves what they name has left it, and stands last; who moves or quits says nothing of what begins that moment.
    """
    row = named(event.predicate)
    last = row is not None and row.ends == "same" and _names_something(event)
    return event.valid_from, _LAST if last else (), last


_LAST = ("\U0010ffff",)
"""Comes after the stems of any object."""


def _names_something(event: Fact) -> bool:
    return event.object is not None and not topic_of(event.object) <= _WHATEVER


def concerns(event: Fact, state: Fact) -> bool:
    """Whether an event, whenever it was, speaks against a state. One that is to come ends nothing yet."""
    standing = event.status == "active" and event.polarity and state.polarity
    row, held = named(event.predicate), named(state.predicate)
    if not standing or row is None or held is None or tense_of(event.statement, event.predicate) == "ahead":
        return False
    if not _names_something(event):
        return row.ends == "all" or (held.single and not held.slotted)
    return _CONCERNED[row.ends](event, state)


_WHATEVER = topic_of("job work position")
"""Objects of an event that name nothing in particular: who quits a job quits the one they have."""
_CONCERNED: dict[str, Callable[[Fact, Fact], bool]] = {
    "same": lambda event, state: same_thing(event.object, state.object) or _is_its_deed(event, state),
    "other": lambda event, state: not same_thing(event.object, state.object),
    "kind": lambda event, state: _is_other_of_kind(event.object or "", state.object or ""),
    "all": lambda event, state: True,
    "diet": lambda event, state: event.predicate == "habit:eat" and excludes(state.object, event.object),
}
"""Which states an event of a predicate concerns, by its `ends`."""


def _is_its_deed(event: Fact, state: Fact) -> bool:
    """Whether what was given up is the deed that a state tells: playing tennis, of who plays it."""
    row = named(state.predicate)
    _, _, verb = (state.predicate or "").partition(":")
    cues = (verb,) if verb else row.cues if row is not None and state.object else ()
    return topic_of(event.object or "") in [topic_of(f"{cue} {state.object or ''}") for cue in cues]


def _is_other_of_kind(one: str, other: str) -> bool:
    return class_of(one) is not None and class_of(one) == class_of(other) and not same_thing(one, other)
