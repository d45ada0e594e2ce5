"""The journal told as a person reads it: what each change did, in whose sight."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.model.changes import Change, Row
from memory.model.entities import Entity
from memory.model.facts import Evidence, Fact, Link
from memory.model.scopes import Sensitivity
from memory.model.shown import SegmentWords
from memory.model.shown_changes import ChangeStep, JournalEntry, Visibility
from memory.rules.telling import line_of, steps

NOON = 1_772_452_800.0
PORTO = Fact("f-1", 1, "e-1", "Maya lives in Porto", "factual", 5, 0.6, NOON, NOON)
LISBON = replace(PORTO, fact_id="f-2", statement="Maya lives in Lisbon")
MAYA = Entity("e-1", "person", "Maya", 1.0, NOON)
SAID = SegmentWords("march", "1", "Maya", NOON, "I live in Lisbon now.")
SIGHT = Visibility(1, {"f-1": PORTO.statement, "f-2": LISBON.statement}, {"e-1": "Maya", "e-2": "May"}, {7: SAID})


def entry(*changes: Change, heard: tuple[int, ...] = (), command: str = "Remember") -> JournalEntry:
    return JournalEntry(NOON, "user", command, "c-3", None, changes, frozenset(heard))


def told(*changes: Change, sight: Visibility = SIGHT, heard: tuple[int, ...] = ()) -> list[ChangeStep]:
    return list(steps([entry(*changes, heard=heard)], sight))


def later(row: Fact, **fields: object) -> Fact:
    return replace(row, version=2, system_from=NOON + 1, **fields)  # type: ignore[arg-type]


@pytest.mark.conforms("model:told")
@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        (None, PORTO, "created"),
        (PORTO, later(PORTO, confidence=0.7), "reinforced"),
        (PORTO, later(PORTO, confidence=0.4), "weakened"),
        (PORTO, later(PORTO, status="superseded", valid_to=NOON + 5), "superseded"),
        (PORTO, later(PORTO, status="invalidated"), "invalidated"),
        (PORTO, later(PORTO, status="forgotten"), "forgotten"),
        (later(PORTO, status="forgotten"), later(PORTO), "restored"),
        (PORTO, later(PORTO, protected=True, confidence=1.0), "confirmed"),
        (later(PORTO, protected=True), later(PORTO), "released"),
        (PORTO, later(PORTO, subject_id="e-9"), "moved"),
        (replace(PORTO, state="active"), later(PORTO, state="archived"), "active to archived"),
        (PORTO, later(PORTO, valid_from=NOON - 5), "dated"),
        (None, MAYA, "created"),
        (MAYA, replace(MAYA, name="May"), "renamed"),
        (MAYA, replace(MAYA, type="topic"), "retyped"),
        (MAYA, replace(MAYA, tier="L1"), "L0 to L1"),
        (MAYA, replace(MAYA, state="archived"), "candidate to archived"),
        (MAYA, replace(MAYA, merged_into="e-2"), "merged"),
        (replace(MAYA, merged_into="e-2"), MAYA, "parted"),
        (MAYA, replace(MAYA, aliases=("M",)), "learnt"),
        (MAYA, None, "removed"),
    ],
)
def test_a_change_is_called_by_its_effect(before: Row | None, after: Row | None, what: str) -> None:
    assert [step.what for step in told(Change("a rule", before, after))] == [what]


@pytest.mark.conforms("model:told")
def test_what_took_the_place_is_named_and_cites_its_words() -> None:
    words = Evidence("f-2", "march", 7, "I live in Lisbon now.", NOON)
    gone = later(PORTO, status="superseded", valid_to=NOON)
    changes = (
        Change("created", None, LISBON),
        Change("supported", None, words),
        Change("superseded", PORTO, gone),
        Change("linked", None, Link("supersedes", "f-2", "f-1")),
    )
    created, supported, superseded = told(*changes, heard=(7,))
    assert (created.cited, supported.words) == ((SAID,), "I live in Lisbon now.")
    assert superseded.because == ("f-2",)
    assert superseded.changed["status"] == ("active", "superseded")
    line = line_of(superseded, SIGHT.facts)
    assert 'superseded: "Maya lives in Porto" (status active → superseded, valid_to open → ' in line
    assert 'because of "Maya lives in Lisbon", by user (Remember: superseded).' in line


@pytest.mark.conforms("model:told")
def test_a_dispute_is_told_from_a_loss_of_confidence() -> None:
    weaker = Change("weakened", PORTO, later(PORTO, confidence=0.4))
    assert told(weaker, Change("linked", None, Link("disputes", "f-2", "f-1")))[0].what == "disputed"


@pytest.mark.conforms("model:told")
def test_nothing_is_told_of_what_is_out_of_sight() -> None:
    unseen = Evidence("f-1", "diary", 8, "a secret", NOON)
    created = Change("created", None, PORTO)
    assert told(created, Change("supported", None, unseen), heard=(8,)) == []
    assert told(created, Change("supported", None, unseen), Change("supported", None, replace(unseen, segment_key=7)))
    assert told(Change("created", None, replace(PORTO, sensitivity=Sensitivity.SENSITIVE))) == []
    assert told(Change("created", None, replace(PORTO, fact_id="f-9"))) == []
    assert told(Change("first mentioned", None, MAYA), heard=(8,)) == []
    assert len(told(Change("first mentioned", None, MAYA), heard=(7, 8))) == 1
    assert told(Change("first mentioned", None, replace(MAYA, entity_id="e-9"))) == []
    hidden = told(
        Change("superseded", PORTO, later(PORTO, status="superseded")),
        Change("linked", None, Link("supersedes", "f-9", "f-1")),
    )
    assert hidden[0].because == ()


@pytest.mark.conforms("model:told")
def test_what_is_as_private_as_the_reader_may_see_is_told() -> None:
    for row in (replace(PORTO, sensitivity=Sensitivity.PRIVATE), replace(MAYA, sensitivity=Sensitivity.PRIVATE)):
        assert len(told(Change("created", None, row))) == 1


@pytest.mark.conforms("model:told")
def test_only_what_took_its_place_or_disputes_it_is_a_reason() -> None:
    weaker = Change("weakened", PORTO, later(PORTO, confidence=0.4))
    others = (Link("similar", "f-2", "f-1"), Link("disputes", "f-2", "f-3"))
    step = told(weaker, *(Change("linked", None, each) for each in others))[0]
    assert (step.what, step.because) == ("weakened", ())
