"""Merging, splitting and undoing at their edges: rows that gave way, ends that lie before beginnings, names in use."""

from __future__ import annotations

import pytest

from memory.errors import NothingToUndo
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.claims import Sighting
from memory.model.entities import Entity
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says

OPEN, PRIVATE = 0, 1


def mention(
    memory: Memory, key: int, name: str, level: int = OPEN, sure: float = 0.9, type_: str = "person"
) -> ChangeSet:
    read = c.ReadSegment("user:u", f"s{key}", key, 1, NOON + key * DAY, "Maya", "user", level)
    seen = Sighting(type_, name, sure, name, key)
    return memory.turn(c.AcceptReading(command_id=f"hear-{key}", actor="extraction", read=(read,), sightings=(seen,)))


def called(memory: Memory, name: str) -> Entity:
    return next(each for each in memory.believed.entities.values() if each.name == name)


def undo(memory: Memory, done: ChangeSet) -> ChangeSet:
    return memory.turn(c.Undo(command_id=f"undo-{memory.now}", done=done))


# ---------------------------------------------------------------------------------------------------------- merging


@pytest.mark.conforms("model:merge")
@pytest.mark.parametrize("winner", ["Zoe", "Zora"])
def test_who_were_two_are_as_sure_as_the_surer(winner: str) -> None:
    memory = Memory()
    mention(memory, 1, "Zoe", sure=0.9)
    mention(memory, 2, "Zora", sure=0.7)
    stays, goes = (called(memory, each).entity_id for each in (winner, "Zora" if winner == "Zoe" else "Zoe"))
    memory.turn(c.MergeEntities(command_id="merge", winner_id=stays, loser_id=goes))
    assert memory.believed.entities[stays].confidence == 0.9


@pytest.mark.conforms("model:merge")
def test_what_is_said_of_the_loser_to_others_is_said_of_the_winner_and_nothing_else_is() -> None:
    memory = Memory()
    mention(memory, 1, "Zoe")
    mention(memory, 2, "Zora")
    memory.hear(3, says("Maya trusts Zora", 3, object="Zora"))
    memory.hear(4, says("Zora keeps bees", 4, subject="Zora"))
    zoe, zora = called(memory, "Zoe").entity_id, called(memory, "Zora").entity_id
    maya = memory.fact("Maya trusts Zora").subject_id
    memory.turn(c.MergeEntities(command_id="merge", winner_id=zoe, loser_id=zora))
    about = {(each.statement, each.subject_id, each.object_id) for each in memory.believed.facts.values()}
    assert about == {("Maya trusts Zora", maya, zoe), ("Zora keeps bees", zoe, None)}


# --------------------------------------------------------------------------------------------------------- splitting


@pytest.mark.conforms("model:split")
def test_a_split_by_its_own_name_leaves_the_row_of_the_old_one_alone() -> None:
    memory = Memory()
    mention(memory, 1, "Alex")
    mention(memory, 2, "Alex")
    known = called(memory, "Alex")
    done = memory.turn(
        c.SplitEntity(command_id="split", entity_id=known.entity_id, qualifier="cousin", segment_keys=(2,))
    )
    assert memory.believed.entities[known.entity_id] == known
    assert {each.reason for each in done.changes} == {"split off"}


@pytest.mark.conforms("model:split")
def test_a_name_that_something_of_another_type_has_is_free() -> None:
    memory = Memory()
    mention(memory, 1, "Alex")
    mention(memory, 2, "Alex")
    mention(memory, 3, "Atlas", type_="organization")
    known = called(memory, "Alex")
    memory.turn(c.SplitEntity(command_id="split", entity_id=known.entity_id, name="Atlas", segment_keys=(2,)))
    assert sorted(each.type for each in memory.believed.entities.values() if each.name == "Atlas") == [
        "organization",
        "person",
    ]


# ----------------------------------------------------------------------------------------------------------- undoing


@pytest.mark.conforms("model:undo", "model:withdrawn")
@pytest.mark.parametrize("erase", [False, True])
def test_words_that_were_withdrawn_do_not_come_back_by_an_undo_whether_erased_or_not(erase: bool) -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"))
    done = memory.turn(c.Withdraw(command_id="gone", segment_keys=(1,), erase=erase))
    with pytest.raises(NothingToUndo, match="erased"):
        undo(memory, done)


@pytest.mark.conforms("model:undo", "model:names")
def test_an_entity_that_was_forgotten_does_not_come_back_by_an_undo() -> None:
    memory = Memory()
    mention(memory, 1, "Zora")
    done = memory.turn(c.ForgetEntity(command_id="gone", entity_id=called(memory, "Zora").entity_id))
    assert "erased" in {each.reason for each in done.changes}
    with pytest.raises(NothingToUndo, match="erased"):
        undo(memory, done)


@pytest.mark.conforms("model:undo")
def test_recalls_are_undone_but_those_that_gave_way_to_open_words_stay_gone() -> None:
    memory = Memory()
    mention(memory, 1, "Zora", PRIVATE)
    zora = called(memory, "Zora")
    memory.turn(c.RecordAccess(command_id="recall", accessed=((zora.entity_id, 1),)))
    recalled, known = called(memory, "Zora"), memory.believed.accesses[zora.entity_id]
    heard = mention(memory, 2, "Zora")
    assert (called(memory, "Zora").sensitivity, dict(memory.believed.accesses)) == (OPEN, {})
    undo(memory, heard)
    assert (called(memory, "Zora"), dict(memory.believed.accesses)) == (recalled, {})
    again = memory.turn(c.RecordAccess(command_id="again", accessed=((zora.entity_id, 1),)))
    assert memory.believed.accesses[zora.entity_id].count == known.count == 1
    undo(memory, again)
    assert dict(memory.believed.accesses) == {}


@pytest.mark.conforms("model:undo")
def test_one_whom_other_open_words_name_by_now_stays_as_open_as_they_are() -> None:
    memory = Memory()
    mention(memory, 1, "Zora", PRIVATE)
    heard = mention(memory, 2, "Zora")
    mention(memory, 3, "Zora")
    before = called(memory, "Zora")
    undo(memory, heard)
    assert called(memory, "Zora") == before
    assert (before.sensitivity, set(memory.believed.mentions[before.entity_id])) == (OPEN, {1, 3})


@pytest.mark.conforms("model:undo")
def test_one_who_had_been_merged_away_in_confidence_is_so_again_when_the_open_words_are_undone() -> None:
    memory = Memory()
    mention(memory, 1, "Zora", PRIVATE)
    mention(memory, 2, "Zoe", PRIVATE)
    zora, zoe = called(memory, "Zora").entity_id, called(memory, "Zoe").entity_id
    memory.turn(c.MergeEntities(command_id="merge", winner_id=zoe, loser_id=zora))
    before = dict(memory.believed.entities)
    heard = mention(memory, 3, "Zora")
    assert memory.believed.entities[zora].merged_into is None
    undo(memory, heard)
    assert dict(memory.believed.entities) == before


@pytest.mark.conforms("model:undo")
def test_what_was_over_when_it_moved_comes_back_as_one_more_version() -> None:
    """Faro stands before Lisbon in the order of one moment, so that it holds for no time at all."""
    memory = Memory()
    memory.hear(1, lives("Porto", 1), at=NOON)
    memory.hear(2, lives("Faro", 2), at=NOON + 5 * DAY)
    memory.hear(3, lives("Lisbon", 3), at=NOON + 5 * DAY)
    over = [memory.fact(f"Maya lives in {place}") for place in ("Porto", "Faro")]
    assert over[1].valid_to == over[1].valid_from
    ids = tuple(each.fact_id for each in over)
    done = memory.turn(
        c.SplitEntity(command_id="split", entity_id=over[0].subject_id, name="Zora", qualifier="II", fact_ids=ids)
    )
    undo(memory, done)
    for known in over:
        now = memory.believed.facts[known.fact_id]
        assert (now.version, now.valid, now.status) == (known.version + 2, known.valid, known.status)
        assert now.subject_id == known.subject_id


@pytest.mark.conforms("model:undo")
def test_what_would_end_before_it_began_is_not_undone() -> None:
    """Later words made it begin earlier, and then it ended in between: the end is to be undone first."""
    memory = Memory()
    memory.hear(1, says("Maya likes chess", predicate="likes", object="chess"), at=NOON)
    earlier = says("Maya likes chess", 2, predicate="likes", object="chess")
    done = memory.hear(2, earlier, at=NOON - 10 * DAY)
    memory.hear(3, says("Maya gave up chess", 3, predicate="stopped", object="chess"), at=NOON - 5 * DAY)
    chess = memory.fact("Maya likes chess")
    assert (chess.valid_from, chess.valid_to) == (NOON - 10 * DAY, NOON - 5 * DAY)
    with pytest.raises(NothingToUndo) as refused:
        undo(memory, done)
    assert refused.value.ids == {"fact_id": chess.fact_id}
