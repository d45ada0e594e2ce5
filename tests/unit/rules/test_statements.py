"""What is told on purpose: of whom it is, since when it is so, and what is asked of something that is not there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.errors import NotFound
from memory.model import commands as c
from memory.model.claims import Claim
from memory.model.entities import Entity
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says
from tests.unit.rules.test_naming import called, seen


def told_of(memory: Memory, name: str, type_: str | None = None) -> Entity | None:
    """Whom "Ravi trusts ..." is believed to be of, once it was told."""
    words = f"Ravi trusts {name}"
    memory.turn(c.Remember(command_id=words, claims=(says(words, subject="Ravi", object=name, object_type=type_),)))
    return memory.believed.entities.get(memory.fact(words).object_id or "")


@pytest.mark.conforms("model:commands")
@pytest.mark.parametrize(("name", "owner"), [("me", True), ("user", True), ("Maya", True), ("Elena", False)])
def test_what_is_told_of_the_owner_is_of_the_owner_however_they_are_called(name: str, owner: bool) -> None:
    memory = Memory()
    memory.hear(1, sightings=(seen("Elena"),))
    assert told_of(memory, name) == called(memory, "Maya" if owner else "Elena")


@pytest.mark.conforms("model:commands")
@pytest.mark.parametrize(
    ("known", "type_", "expected"),
    [
        (None, None, None),
        (None, "organization", "organization"),
        ("person", None, "person"),
        ("person", "person", "person"),
        ("person", "organization", "person"),
    ],
)
def test_what_is_told_may_be_the_first_word_of_whom_it_is_of_if_it_says_of_which_type(
    known: str | None, type_: str | None, expected: str | None
) -> None:
    """Who is known by that name is meant, whatever the type; an entity of no type is none."""
    memory = Memory()
    if known is not None:
        memory.hear(1, sightings=(seen("Acme", type_=known),))
    found = told_of(memory, "Acme", type_)
    assert (found and found.type) == expected
    named = [each.type for each in memory.believed.entities.values() if each.name == "Acme"]
    assert named == ([] if expected is None else [expected])


@pytest.mark.conforms("004:correct.supersedes", "model:commands")
@pytest.mark.parametrize(("since", "outcome"), [(None, "duplicate"), (NOON - 20 * DAY, "invalidated")])
def test_a_correction_in_the_same_words_is_one_only_if_it_says_since_when(since: float | None, outcome: str) -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    porto = memory.fact("Maya lives in Porto")
    corrected = replace(lives("porto "), valid_from=since, statement="Maya lives in  PORTO")
    told = memory.turn(c.CorrectFact(command_id="k", fact_id=porto.fact_id, claim=corrected))
    assert [each.outcome for each in told.outcomes] == [outcome]
    (stay,) = (each for each in memory.believed.facts.values() if each.status == "active")
    assert (stay.valid_from, bool(told.changes)) == ((NOON, False) if since is None else (since, True))


def moved(key: int = 1) -> tuple[Claim, Claim]:
    """What one sentence tells: a move, and the home it leads to."""
    quote = "I moved to Leipzig last week."
    move = says("Maya moved to Leipzig last week", key, predicate="moved_to", object="Leipzig", tense="event")
    return replace(move, quote=quote), replace(lives("Leipzig", key), quote=quote)


@pytest.mark.parametrize("wrong", ["Maya lives in Leipzig", "Maya moved to Leipzig last week"])
def test_a_correction_is_of_all_that_the_sentence_told_of_that_object_and_is_undone_as_one(wrong: str) -> None:
    memory = Memory()
    pet = says("Maya has a cat named Miso", predicate="has_pet", object="Miso")
    memory.hear(1, *moved(), replace(pet, quote=moved()[0].quote))
    before = memory.active()
    told = memory.turn(c.CorrectFact(command_id="k", fact_id=memory.fact(wrong).fact_id, claim=lives("Halle")))
    assert memory.active() == ["Maya has a cat named Miso", "Maya lives in Halle"]
    assert len(told.outcomes[0].rivals) == 2
    memory.turn(c.Undo(command_id="u", done=told))
    assert memory.active() == before


def test_what_only_shares_its_words_or_its_object_with_what_was_corrected_stays() -> None:
    memory = Memory()
    memory.hear(1, *moved())
    memory.hear(2, moved(2)[0])
    home = memory.fact("Maya lives in Leipzig")
    memory.turn(c.CorrectFact(command_id="k", fact_id=home.fact_id, claim=lives("Halle")))
    assert memory.active() == ["Maya lives in Halle", "Maya moved to Leipzig last week"], "another source says so, too"


def test_a_correction_that_names_the_same_object_leaves_what_else_is_told_of_it() -> None:
    memory = Memory()
    memory.hear(1, *moved())
    claim = says("Maya only visits Leipzig", predicate="visited", object="Leipzig")
    home = memory.fact("Maya lives in Leipzig")
    memory.turn(c.CorrectFact(command_id="k", fact_id=home.fact_id, claim=claim))
    assert memory.fact("Maya moved to Leipzig last week").status == "active"


@pytest.mark.conforms("model:commands")
@pytest.mark.parametrize(
    "command",
    [
        c.CorrectFact(command_id="k", fact_id="none", claim=lives("Porto")),
        c.ConfirmFact(command_id="k", fact_id="none"),
        c.ForgetFact(command_id="k", fact_id="none"),
        c.ProtectFact(command_id="k", fact_id="none"),
        c.RenameEntity(command_id="k", entity_id="none", name="Ravi"),
        c.ForgetEntity(command_id="k", entity_id="none"),
    ],
    ids=lambda command: type(command).__name__,
)
def test_what_is_not_there_is_not_found(command: c.Command) -> None:
    with pytest.raises(NotFound):
        Memory().turn(command)
