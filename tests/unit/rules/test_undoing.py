"""The law of undoing: after any history, a command and its undo leave the working set as it was.

Facts keep the versions that tell so, and a fact that the command created stays, forgotten (decision 0009).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.errors import DomainError, NothingToUndo
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.claims import Claim, Sighting
from memory.model.facts import Fact
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity
from memory.model.working_set import WorkingSet, evolve
from memory.rules.decider import Rules, decide
from tests.unit.rules.memory_in_miniature import DAY, NOON, says

WHO = ("Maya", "Val", "Valerie", "Elena")
SAYINGS: tuple[Callable[[str, int], Claim], ...] = (
    lambda who, key: says(f"{who} keeps bees", key, subject=who),
    lambda who, key: says(f"{who} lives in Porto", key, subject=who, predicate="lives_in", object="Porto"),
    lambda who, key: says(f"{who} lives in Faro", key, subject=who, predicate="lives_in", object="Faro"),
    lambda who, key: says(f"{who} likes opera", key, subject=who, predicate="likes", object="opera"),
    lambda who, key: says(f"{who} dislikes opera", key, subject=who, predicate="dislikes", object="opera"),
    lambda who, key: says(f"{who} trusts Elena", key, subject=who, object="Elena"),
)


class History:
    """A working set under commands, refused ones skipped."""

    def __init__(self) -> None:
        self.believed, self.now, self.count = WorkingSet("u"), NOON + 1000 * DAY, 0
        self.turn(c.SetProfile(command_id="profile", profile=Profile(name="Maya")))

    def turn(self, command: c.Command) -> ChangeSet | None:
        self.now += 1
        self.count += 1
        try:
            changes = decide(self.believed, replace(command, command_id=f"c{self.count}"), self.now, Rules())
        except DomainError:
            return None
        self.believed = evolve(self.believed, changes.changes)
        return changes


def some(pool: Any, pick: int) -> Any:
    """One of what there is, or what there is not."""
    every = sorted(pool)
    return every[pick % len(every)] if every else "nothing"


def hear(history: History, a: int, b: int) -> c.Command:
    key = a % 12 + 1
    who = WHO[b % len(WHO)]
    read = c.ReadSegment("user:u", f"s{key}", key, 1 + b % 2, NOON + a * DAY, "Maya", "user", b % 2)
    seen = Sighting("person", who, 0.9, who, key, aliases=("Val",) if a % 5 == 0 else ())
    claim = SAYINGS[(a + b) % len(SAYINGS)](who, key)
    return c.AcceptReading(command_id="", actor="extraction", read=(read,), claims=(claim,), sightings=(seen,))


def facts(history: History, a: int, count: int) -> tuple[str, ...]:
    ids = sorted(history.believed.facts)
    return tuple(ids[(a + step) % len(ids)] for step in range(min(count, len(ids))))


def synthesize(history: History, a: int, b: int) -> c.Command:
    subject = some(history.believed.by_subject, a)
    support = history.believed.by_subject.get(subject, ())[: 1 + b % 4]
    return c.Synthesize(command_id="", meta_facts=(c.MetaFact("In general", tuple(support), "extractive"),))


def prune(history: History, a: int, b: int) -> c.Command:
    chosen = facts(history, a, 1 + b % 3)
    return c.PruneFacts(command_id="", chosen=tuple((each, history.believed.facts[each].version) for each in chosen))


def split(history: History, a: int, b: int) -> c.Command:
    entity = some(history.believed.entities, a)
    keys = sorted(history.believed.mentions.get(entity, {}))
    return c.SplitEntity(command_id="", entity_id=entity, qualifier=f"q{b % 3}", segment_keys=tuple(keys[: 1 + b % 2]))


def describe(history: History, a: int, b: int) -> c.Command:
    entity = some(history.believed.entities, a)
    about = [
        each for each, fact in sorted(history.believed.facts.items()) if entity in (fact.subject_id, fact.object_id)
    ]
    return c.DescribeEntities(
        command_id="", actor="night", descriptions=(c.Description(entity, f"Text {b % 3}", tuple(about[: b % 4])),)
    )


COMMANDS: dict[str, Callable[[History, int, int], c.Command]] = {
    "hear": hear,
    "tell": lambda h, a, b: c.Remember(command_id="", claims=(SAYINGS[a % 6](WHO[b % 4], 0),)),
    "correct": lambda h, a, b: c.CorrectFact(
        command_id="", fact_id=some(h.believed.facts, a), claim=SAYINGS[b % 6]("Maya", 0)
    ),
    "confirm": lambda h, a, b: c.ConfirmFact(command_id="", fact_id=some(h.believed.facts, a)),
    "forget": lambda h, a, b: c.ForgetFact(command_id="", fact_id=some(h.believed.facts, a)),
    "protect": lambda h, a, b: c.ProtectFact(command_id="", fact_id=some(h.believed.facts, a), protected=bool(b % 2)),
    "merge facts": lambda h, a, b: c.MergeFacts(
        command_id="", clusters=(facts(h, a, 2 + b % 3),) if h.believed.facts else ()
    ),
    "synthesize": synthesize,
    "prune": prune,
    "backfill": lambda h, a, b: c.BackfillSubjects(
        command_id="", placements=tuple((each, some(h.believed.entities, b)) for each in facts(h, a, 2))
    ),
    "rename": lambda h, a, b: c.RenameEntity(
        command_id="", entity_id=some(h.believed.entities, a), name=f"{WHO[b % 4]} II"
    ),
    "alias": lambda h, a, b: c.AddAlias(command_id="", entity_id=some(h.believed.entities, a), alias=f"Nick{b % 3}"),
    "merge": lambda h, a, b: c.MergeEntities(
        command_id="", winner_id=some(h.believed.entities, a), loser_id=some(h.believed.entities, b)
    ),
    "split": split,
    "retype": lambda h, a, b: c.RetypeEntity(
        command_id="", entity_id=some(h.believed.entities, a), type=("topic", "person", "organization")[b % 3]
    ),
    "note": lambda h, a, b: c.WriteNote(command_id="", about_id=some(h.believed.entities, a), text=f"Remark {b}"),
    "edit note": lambda h, a, b: c.EditNote(
        command_id="", note_id=some(h.believed.notes, a), text="" if b % 2 else "Changed"
    ),
    "describe": describe,
    "profile": lambda h, a, b: c.SetProfile(command_id="", profile=Profile(name=WHO[b % 3])),
}
STEP = st.tuples(st.sampled_from(sorted(COMMANDS)), st.integers(0, 40), st.integers(0, 40))
PAST = st.lists(STEP, max_size=18)


def essence(believed: WorkingSet, created: set[str]) -> Any:
    """Everything that is believed, without the numbers of versions and without what a command created."""
    kept = {key: fact for key, fact in believed.facts.items() if key not in created}
    return (
        believed.profile,
        dict(believed.entities),
        dict(believed.mentions),
        {key: rows for key, rows in believed.evidence.items() if key in kept},
        believed.links,
        dict(believed.notes),
        {key: replace(fact, version=0, system_from=0.0, updated_at=fact.since) for key, fact in kept.items()},
    )


def born(done: ChangeSet) -> set[str]:
    return {each.row.fact_id for each in done.changes if each.before is None and isinstance(each.row, Fact)}


@pytest.mark.conforms("model:undo")
@settings(max_examples=400)
@example(past=[("hear", 33, 21)], last=("tell", 17, 29), partly=False)  # told of privately, then openly
@example(past=[("hear", 33, 21)], last=("tell", 17, 29), partly=True)
@example(past=[("hear", 33, 34), ("synthesize", 14, 25)], last=("split", 8, 21), partly=True)
@given(past=PAST, last=STEP, partly=st.booleans())
def test_a_command_and_its_undo_leave_the_working_set_as_it_was(past: list[Any], last: Any, partly: bool) -> None:
    history = History()
    for name, a, b in past:
        history.turn(COMMANDS[name](history, a, b))
    before = history.believed
    done = history.turn(COMMANDS[last[0]](history, last[1], last[2]))
    if done is None:
        return
    history.now += 1
    undone = decide(history.believed, c.Undo(command_id="undo", done=done, partly=partly), history.now, Rules())
    after = evolve(history.believed, undone.changes)
    created = born(done)
    left = {
        entity_id
        for fact_id in created
        for entity_id in (after.facts[fact_id].subject_id, after.facts[fact_id].object_id)
        if entity_id not in before.entities
    }
    assert essence(before, created) == essence(
        replace(after, entities={key: row for key, row in after.entities.items() if key not in left}), created
    )
    assert all(after.facts[each].status == "forgotten" for each in created)
    assert all(after.evidence.get(each) == history.believed.evidence.get(each) for each in created), (
        "the words of what is forgotten are known, so that they are not told again"
    )


@pytest.mark.conforms("model:undo")
def test_what_has_changed_since_refuses_to_be_undone_and_names_itself() -> None:
    history = History()
    history.turn(hear(history, 0, 0))
    (fact,) = history.believed.facts.values()
    done = history.turn(c.ConfirmFact(command_id="", fact_id=fact.fact_id))
    history.turn(c.ProtectFact(command_id="", fact_id=fact.fact_id, protected=False))
    with pytest.raises(NothingToUndo) as refused:
        decide(history.believed, c.Undo(command_id="u", done=done), history.now + 1, Rules())
    assert refused.value.ids == {"fact_id": fact.fact_id}


@pytest.mark.conforms("model:undo")
def test_what_others_did_to_the_same_fact_since_stays() -> None:
    history = History()
    history.turn(hear(history, 0, 0))
    (fact,) = history.believed.facts.values()
    done = history.turn(c.ProtectFact(command_id="", fact_id=fact.fact_id))
    history.turn(c.Remember(command_id="", claims=(SAYINGS[0]("Maya", 0),)))
    history.turn(c.Undo(command_id="", done=done))
    now = history.believed.facts[fact.fact_id]
    assert (now.protected, now.confidence) == (False, pytest.approx(0.7))


@pytest.mark.conforms("model:undo")
@pytest.mark.parametrize("partly", [False, True])
def test_what_others_say_openly_since_keeps_an_entity_open(partly: bool) -> None:
    """It was told of privately, then openly by a command that is undone; whoever else told of it needs it."""
    history = History()
    history.turn(hear(history, 33, 21))
    (val,) = (each.entity_id for each in history.believed.entities.values() if each.name == "Val")
    done = history.turn(COMMANDS["tell"](history, 17, 29))
    assert history.turn(COMMANDS["tell"](history, 0, 29)) is not None
    spoken = history.believed.entities[val]
    assert history.turn(c.Undo(command_id="", done=done, partly=partly)) is not None
    assert history.believed.entities[val] == spoken
    assert spoken.sensitivity is Sensitivity.OPEN


@pytest.mark.conforms("model:undo")
def test_a_note_rewritten_since_is_not_taken_away() -> None:
    history = History()
    history.turn(hear(history, 0, 0))
    done = history.turn(COMMANDS["note"](history, 0, 0))
    history.turn(COMMANDS["edit note"](history, 0, 0))
    with pytest.raises(NothingToUndo):
        decide(history.believed, c.Undo(command_id="u", done=done), history.now + 1, Rules())
