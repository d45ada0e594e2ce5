"""A draft copies what a turn writes into, once, and leaves the working set it began with as it was."""

from __future__ import annotations

from memory.model.changes import Change
from memory.model.entities import Entity, Mention
from memory.model.profile import Profile
from memory.model.working_set import Draft, WorkingSet, assemble, evolve

NOON = 1_683_500_000.0
MANY = 500


def mention(key: int) -> Mention:
    return Mention("e-1", f"s-{key // 50}", key, NOON + key, "I")


def loaded(many: int = MANY) -> WorkingSet:
    owner = Entity("e-1", "person", "Ann", 1.0, NOON, is_owner=True)
    return assemble("ann", 1, Profile(), [owner, *map(mention, range(many))])


def test_the_mentions_of_an_entity_are_copied_once_a_turn_however_many_come_and_go():
    believed = loaded()
    draft = Draft(believed)
    draft.put("mentioned", None, mention(MANY))
    copied = draft.mentions["e-1"]
    for key in range(20):
        draft.put("mentioned", None, mention(MANY + 1 + key))
        draft.put("withdrawn", mention(key), None)
    assert draft.mentions["e-1"] is copied
    assert list(copied) == list(range(20, MANY + 21))
    assert believed.mentions == loaded().mentions, "whoever reads what was believed before finds it as it was"


def test_an_entity_of_which_nothing_is_said_any_more_has_no_mentions_and_may_get_some_again():
    believed = loaded(2)
    draft = Draft(believed)
    for key in range(2):
        draft.put("withdrawn", mention(key), None)
    assert "e-1" not in draft.mentions
    mark = len(draft.changes)
    draft.put("mentioned", None, mention(7))
    assert draft.mentions == {"e-1": {7: mention(7)}}
    draft.rewind(mark)
    assert "e-1" not in draft.mentions
    assert evolve(believed, [Change("mentioned", None, mention(7))]).mentions["e-1"].keys() == {0, 1, 7}
    assert believed.mentions["e-1"].keys() == {0, 1}
