"""What a command comes to beside the facts: what it read, what it erased for good, and the notes it wrote."""

from __future__ import annotations

import pytest

from memory.errors import Invalid, NotFound
from memory.model import commands as c
from memory.model.facts import Link, Note
from tests.unit.rules.memory_in_miniature import NOON, Memory, lives, says

HEARD = c.ReadSegment("user:u", "s1", 1, 3, NOON, "Maya", "user", 0)


@pytest.mark.conforms("model:commands")
@pytest.mark.parametrize(
    ("command", "read"),
    [
        (c.Remember(command_id="r", claims=(says("Maya keeps bees"),), heard=HEARD), ((1, 3),)),
        (c.Remember(command_id="r", claims=(says("Maya keeps bees"),)), ()),
        (c.AcceptReading(command_id="a", read=(HEARD,)), ((1, 3),)),
        (c.SetProfile(command_id="p"), ()),
    ],
    ids=["told and kept", "told", "read", "neither"],
)
def test_words_that_a_command_has_taken_in_are_read(command: c.Command, read: tuple[tuple[int, int], ...]) -> None:
    assert Memory().turn(command).read == read


@pytest.mark.conforms("model:commands")
@pytest.mark.parametrize("erase", [False, True])
def test_what_goes_for_good_is_named_and_nothing_else(erase: bool) -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    memory.hear(2, lives("Lisbon", 2), at=NOON + 5)
    lisbon = memory.fact("Maya lives in Lisbon").fact_id
    done = memory.turn(c.Withdraw(command_id="w", segment_keys=(2,), erase=erase))
    assert set(done.erased) == ({"segment:2", lisbon} if erase else set()), "and not the link to what it had followed"
    assert done.unread == ()
    assert memory.active("lives_in") == ["Maya lives in Porto"]


@pytest.mark.conforms("model:commands", "model:support")
def test_what_merely_loses_a_link_is_not_erased() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    done = memory.hear(2, lives("Lisbon", 2), at=NOON + 5)
    undone = memory.turn(c.Undo(command_id="u", done=done))
    lisbon = memory.fact("Maya lives in Lisbon")
    assert [each.before.from_id for each in undone.changes if isinstance(each.before, Link)] == [lisbon.fact_id]
    assert (lisbon.status, memory.active("lives_in")) == ("forgotten", ["Maya lives in Porto"])


@pytest.mark.conforms("model:commands")
def test_what_a_sweep_replaces_is_no_longer_read() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    swept = c.AcceptReading(
        command_id="a", read=(c.ReadSegment("user:u", "s1", 7, 1, NOON, "Maya", "user", 0),), withdrawn=(1,)
    )
    done = memory.turn(swept)
    assert (done.read, done.unread) == (((7, 1),), (1,))


def noted(memory: Memory) -> Note:
    (note,) = memory.believed.notes.values()
    return note


@pytest.mark.conforms("model:commands")
def test_a_note_is_about_something_says_something_and_is_edited_by_what_is_given() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"))
    about = memory.fact("Maya keeps bees").fact_id
    for wrong, kind in (
        (c.WriteNote(command_id="n", about_id="f-none", text="hm"), NotFound),
        (c.WriteNote(command_id="n", about_id=about, text=" \n"), Invalid),
        (c.WriteNote(command_id="n", about_id=about, text="hm", lifetime="decade"), Invalid),
        (c.EditNote(command_id="n", note_id="n-none", text="hm"), NotFound),
    ):
        with pytest.raises(kind):
            memory.turn(wrong)
    memory.turn(c.WriteNote(command_id="n", about_id=about, text=" two hives ", lifetime="year"))
    note = noted(memory)
    assert (note.text, note.lifetime, note.about_id, note.created_at) == ("two hives", "year", about, memory.now)
    memory.turn(c.EditNote(command_id="e", note_id=note.note_id, text=" three hives "))
    assert (noted(memory).text, noted(memory).lifetime) == ("three hives", "year")
    memory.turn(c.EditNote(command_id="l", note_id=note.note_id, text="three hives", lifetime="week"))
    assert noted(memory).lifetime == "week"
    with pytest.raises(Invalid):
        memory.turn(c.EditNote(command_id="m", note_id=note.note_id, text="three hives", lifetime="decade"))
    memory.turn(c.EditNote(command_id="g", note_id=note.note_id, text="  "))
    assert not memory.believed.notes


@pytest.mark.conforms("model:commands")
def test_an_entity_can_be_noted_too() -> None:
    memory = Memory()
    (owner,) = memory.believed.entities
    memory.turn(c.WriteNote(command_id="n", about_id=owner, text="it is me"))
    assert noted(memory).about_id == owner
