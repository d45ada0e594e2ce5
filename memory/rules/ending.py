"""Ending: which states an event puts an end to - who left a job works there no longer."""

from __future__ import annotations

from collections.abc import Callable

from memory.model.facts import Fact
from memory.model.working_set import Draft
from memory.rules.agreement import same_thing, tense_of
from memory.rules.turn import TurnState
from memory.rules.versions import link, revise
from memory.words.contrast import topic_of
from memory.words.diets import excludes, keeps_in_part
from memory.words.points import Point, names_something, point_of, thing
from memory.words.predicates import Predicate, class_of, closers, closes, habit_of, named, single_valued
from memory.words.vocabulary import HOUSES


def end_states(turn: TurnState, fresh: Fact) -> tuple[str, ...]:
    """An event closes the states it ends, in whatever order they are heard: who gave up smoking smokes no longer.

    The values of a slot are settled with all that was said of it (`memory.rules.slots`).
    """
    if not fresh.polarity:
        return ()
    ended = tuple(
        end(turn, state, fresh)
        for state in _of(turn.draft, fresh, closes(fresh.predicate))
        if state.believed and not _is_one_of_a_slot(state) and ends(fresh, state)
    )
    if not _is_one_of_a_slot(fresh):
        end_by_event(turn, fresh)
    return ended


def _is_one_of_a_slot(state: Fact) -> bool:
    return bool(state.object) and single_valued(state.predicate, state.slot)


def end_by_event(turn: TurnState, state: Fact, but: Fact | None = None) -> None:
    """End a state where an event that is known already, but for one that is taken back, puts an end to it."""
    known = _of(turn.draft, state, closers(state.predicate))
    later = [each for each in known if ends(each, state) and (but is None or each.fact_id != but.fact_id)]
    if later:
        end(turn, state, min(later, key=lambda each: (each.valid_from, each.fact_id)))


def end(turn: TurnState, state: Fact, later: Fact) -> str:
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
    return not over and began < moment_of(event) and concerns(event, state)


def moment_of(event: Fact) -> Point:
    """Where an event stands among what is said to be so at its moment."""
    return point_of(event.valid_from, event.predicate, event.object)


def concerns(event: Fact, state: Fact) -> bool:
    """Whether an event, whenever it was, speaks against a state. One that is to come ends nothing yet."""
    standing = event.status == "active" and event.polarity and state.polarity
    row, held = named(event.predicate), named(state.predicate)
    if not standing or row is None or held is None or tense_of(event.statement, event.predicate) == "ahead":
        return False
    if not names_something(event.object):
        return _is_the_only_one(row, held)
    return _CONCERNED[row.ends](event, state)


def _is_the_only_one(row: Predicate, held: Predicate) -> bool:
    """Whether an event that names nothing means a state: who quits, the job they have; "we broke up", the partner."""
    if row.ends in ("all", "deed"):
        return row.ends == "all"
    return held.single and not held.slotted and (row.ends != "pair" or held.object_type == "person")


def _is_its_deed(event: Fact, state: Fact) -> bool:
    """Whether what was given up is the deed that a state tells: playing tennis, of who plays it."""
    row = named(state.predicate)
    _, _, verb = (state.predicate or "").partition(":")
    cues = (verb,) if verb else row.cues if row is not None and state.object else ()
    return topic_of(event.object or "") in [topic_of(f"{cue} {state.object or ''}") for cue in cues]


def _is_off_the_diet(eats: Fact, keeps: Fact) -> bool:
    """Whether who eats one thing keeps no such diet: whichever of the two is told later is so."""
    row = named(keeps.predicate)
    kept = row is not None and row.diet and not keeps_in_part(keeps.statement)
    return kept and eats.predicate == habit_of("eat") and excludes(keeps.object, eats.object)


_CONCERNED: dict[str, Callable[[Fact, Fact], bool]] = {
    "same": lambda event, state: same_thing(event.object, state.object) or _is_its_deed(event, state),
    "other": lambda event, state: not same_thing(event.object, state.object) and not _is_within(event, state),
    "kind": lambda event, state: _is_other_of_kind(event.object or "", state.object or ""),
    "all": lambda event, state: True,
    "deed": _is_its_deed,
    "pair": lambda event, state: topic_of(event.object or "") <= topic_of(state.object or ""),
    "diet": lambda event, state: _is_off_the_diet(event, state) or _is_off_the_diet(state, event),
}
"""Which states an event of a predicate concerns, by its `ends`."""


def _is_within(event: Fact, state: Fact) -> bool:
    """Whether who moves may stay in the town all the same: to a bigger flat, which is told without its town."""
    told = event.object or ""
    return (state.object or "")[:1].isupper() and told.islower() and not HOUSES.isdisjoint(told.split())


def _is_other_of_kind(one: str, other: str) -> bool:
    return class_of(one) is not None and class_of(one) == class_of(other) and not same_thing(one, other)
