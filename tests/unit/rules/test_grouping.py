"""Groups stand while what they rest on stands, and lose in a turn what that turn takes from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from memory.model import commands as c
from memory.model.changes import WORDS_ERASED, ChangeSet
from memory.model.entities import Mention
from memory.model.facts import Evidence
from memory.model.groups import Group
from memory.model.scopes import Sensitivity
from memory.model.working_set import WorkingSet, evolve
from memory.rules.decider import Rules, decide
from memory.rules.grouping import group_stamp
from tests.unit.rules.lives_of_ties import MAY, entities, fact, memory

LINE = Group("s-1", "storyline", MAY, "a", "He sails. [1]\nHe swims. [2]", ("s1", "s2", "s3"), (1, 2), False, 3)
MACRO = Group("m-1", "macro", MAY, "a", "He sails. [1]", ("s-1",), (1,), False, 3)


class Remembering:
    """A memory of two people, of whom four sources tell, each in one segment."""

    def __init__(self, *groups: Group) -> None:
        told = [Mention("a", f"s{key}", key, MAY + key, "a") for key in range(1, 5)]
        others = [Mention("b", "s1", 1, MAY, "b"), fact("f", "a", None), Evidence("f", "s2", 2, "a swims", MAY)]
        self.believed = memory(entities("ab"), told, others)
        self.number = 0
        self.arrange(*groups)

    def turn(self, kind: Callable[..., c.Command], **fields: Any) -> ChangeSet:
        self.number += 1
        changes = decide(self.believed, kind(command_id=f"c-{self.number}", **fields), MAY + self.number, Rules())
        self.believed = evolve(self.believed, changes.changes)
        return changes

    def arrange(self, *groups: Group) -> ChangeSet:
        known = self.believed.groups
        stamps = {each.group_id: known.get(each.group_id) for each in groups}
        arranged = tuple(
            c.ArrangedGroup(each, None if (old := stamps[each.group_id]) is None else group_stamp(old))
            for each in groups
        )
        return self.turn(c.ArrangeGroups, actor="night", arranged=arranged)


@pytest.mark.conforms("model:groups")
def test_groups_are_put_and_the_same_again_changes_nothing() -> None:
    mind = Remembering(LINE, MACRO)
    assert mind.believed.groups == {"s-1": LINE, "m-1": MACRO}
    assert mind.arrange(LINE, MACRO).changes == ()


@pytest.mark.conforms("model:groups")
def test_a_row_that_has_changed_since_is_left() -> None:
    mind = Remembering(LINE)
    old = group_stamp(LINE)
    changed = replace(LINE, dirty=True)
    mind.arrange(changed)
    other = c.ArrangedGroup(replace(LINE, sources=9), old)
    assert mind.turn(c.ArrangeGroups, arranged=(other,), withdrawn=(("s-1", old), ("s-2", old))).changes == ()
    assert mind.turn(c.ArrangeGroups, arranged=(c.ArrangedGroup(LINE),)).changes == (), "it is not new"
    mind.turn(c.ArrangeGroups, withdrawn=(("s-1", group_stamp(changed)),))
    assert mind.believed.groups == {}


@pytest.mark.conforms("model:groups")
@pytest.mark.parametrize("anchor", ["e-none", None])
def test_a_group_of_nobody_is_not_put(anchor: str | None) -> None:
    assert Remembering(replace(LINE, anchor_id=anchor)).believed.groups == {}


@pytest.mark.conforms("model:groups")
def test_words_that_go_take_the_summaries_along_that_quote_them() -> None:
    mind = Remembering(LINE, MACRO)
    mind.turn(c.Withdraw, segment_keys=(2,))
    left = replace(LINE, summary=None, quotes=(), members=("s1", "s3"), dirty=True)
    assert mind.believed.groups == {"s-1": left, "m-1": MACRO}


@pytest.mark.conforms("model:groups")
def test_a_source_that_goes_leaves_a_summary_that_does_not_quote_it() -> None:
    mind = Remembering(LINE)
    mind.turn(c.Withdraw, segment_keys=(3,))
    assert mind.believed.groups["s-1"] == replace(LINE, members=("s1", "s2"), dirty=True)


@pytest.mark.conforms("model:groups")
def test_words_that_are_erased_take_every_summary_along_that_may_have_quoted_them() -> None:
    mind = Remembering(LINE)
    done = mind.turn(c.Withdraw, segment_keys=(3,), source_id="s3", erase=True)
    assert mind.believed.groups["s-1"] == replace(LINE, members=("s1", "s2"), summary=None, quotes=(), dirty=True)
    assert WORDS_ERASED in {each.reason for each in done.changes if isinstance(each.row, Group)}
    gone = mind.turn(c.Withdraw, segment_keys=(1, 2, 4), source_id="s1", erase=True)
    assert "s-1" in gone.erased
    assert mind.believed.groups == {}


@pytest.mark.conforms("model:groups")
def test_a_forgotten_fact_takes_the_summaries_along_that_quote_its_words() -> None:
    mind = Remembering(LINE, MACRO)
    mind.turn(c.ForgetFact, fact_id="f")
    assert mind.believed.groups == {"s-1": replace(LINE, summary=None, quotes=(), dirty=True), "m-1": MACRO}


SUMMED_UP = Group("u-1", "summary", MAY, None, "Extractive summary.\nHe sails. [1]", ("s1",), (1,), False, 4)
TRIVIAL = Group("u-2", "summary", MAY, None, None, ("s2",), (), False, 4)


@pytest.mark.conforms("model:groups")
def test_the_summary_of_a_source_goes_with_its_source_and_with_any_words_it_quotes() -> None:
    mind = Remembering(SUMMED_UP, TRIVIAL)
    mind.turn(c.Withdraw, segment_keys=(2,))
    assert mind.believed.groups.keys() == {"u-1", "u-2"}, "of a source that is there nothing is quoted"
    mind.turn(c.Withdraw, segment_keys=(2,), source_id="s2", erase=True)
    assert mind.believed.groups.keys() == {"u-1"}
    mind.turn(c.Withdraw, segment_keys=(1,))
    assert mind.believed.groups == {}


@pytest.mark.conforms("model:groups")
@pytest.mark.parametrize(("revision", "stands"), [(1, True), (2, False)])
def test_words_that_are_read_once_more_as_something_else_are_not_quoted_as_they_were(
    revision: int, stands: bool
) -> None:
    mind = Remembering(SUMMED_UP)
    mind.turn(c.AcceptReading, read=(c.ReadSegment("user:u", "s1", 1, revision, MAY, "a", "user", 0),))
    assert ("u-1" in mind.believed.groups) is stands


@pytest.mark.conforms("model:groups")
def test_a_change_says_whether_a_group_is_new() -> None:
    mind = Remembering()
    assert [each.reason for each in mind.arrange(LINE).changes] == ["opened"]
    assert [each.reason for each in mind.arrange(replace(LINE, sources=9)).changes] == ["arranged"]


@pytest.mark.conforms("model:groups")
def test_with_its_anchor_a_group_goes_and_a_macro_with_its_storylines() -> None:
    mind = Remembering(LINE, MACRO)
    assert {"s-1", "m-1"} <= set(mind.turn(c.ForgetEntity, entity_id="a").erased)
    mind = Remembering(LINE, MACRO)
    mind.turn(c.ArrangeGroups, withdrawn=(("s-1", group_stamp(LINE)),))
    assert mind.believed.groups == {}


@pytest.mark.conforms("model:groups")
def test_what_is_above_a_group_bears_nothing_of_it() -> None:
    mind = Remembering()
    row = mind.believed.mentions["a"][2]
    private = replace(row, sensitivity=Sensitivity.PRIVATE)
    mind.believed = replace(
        mind.believed,
        mentions={
            **mind.believed.mentions,
            "a": {
                **mind.believed.mentions["a"],
                2: private,
            },
        },
    )
    mind.arrange(LINE, replace(LINE, group_id="s-2", sensitivity=Sensitivity.PRIVATE))
    assert mind.believed.groups["s-1"].members == ("s1", "s3")
    assert mind.believed.groups["s-1"].summary is None
    assert mind.believed.groups["s-2"].members == LINE.members


@pytest.mark.conforms("model:groups")
def test_what_says_nothing_stays_clean() -> None:
    silent = replace(LINE, summary=None, quotes=())
    mind = Remembering(silent)
    mind.turn(c.Withdraw, segment_keys=(4,))
    assert mind.believed.groups["s-1"] == silent


@pytest.mark.conforms("model:groups")
def test_a_command_of_groups_is_undone_to_what_was() -> None:
    mind = Remembering(LINE)
    before = mind.believed
    grown = replace(LINE, members=(*LINE.members, "s4"), sources=4, summary="He rows. [1]", quotes=(4,))
    done = mind.turn(c.ArrangeGroups, arranged=(c.ArrangedGroup(grown, group_stamp(LINE)), c.ArrangedGroup(MACRO)))
    mind.turn(c.Undo, done=done, partly=True)
    assert mind.believed.groups == before.groups
    assert mind.believed == replace(before, version=mind.believed.version)


@pytest.mark.conforms("model:groups")
def test_undone_after_words_went_a_group_does_not_get_them_back() -> None:
    mind = Remembering(LINE)
    fewer = replace(LINE, members=("s1", "s3"), summary=None, quotes=())
    done = mind.turn(c.ArrangeGroups, arranged=(c.ArrangedGroup(fewer, group_stamp(LINE)),))
    mind.turn(c.Withdraw, segment_keys=(2,))
    mind.turn(c.Undo, done=done, partly=True)
    assert mind.believed.groups["s-1"] == replace(fewer, dirty=True)


def test_a_memory_without_groups_is_not_looked_through() -> None:
    assert Remembering().believed.groups == WorkingSet("u").groups


@pytest.mark.conforms("model:groups")
def test_a_command_is_undone_though_a_night_has_written_of_a_group_since() -> None:
    mind = Remembering(LINE, MACRO)
    done = mind.turn(c.ForgetFact, fact_id="f")
    left = mind.believed.groups["s-1"]
    assert (left.summary, left.dirty) == (None, True)
    written = replace(left, summary="He rows. [1]", quotes=(1,), dirty=False)
    mind.arrange(written)
    mind.turn(c.Undo, done=done)
    assert mind.believed.facts["f"].status == "active"
    assert mind.believed.groups["s-1"] == written, "what the night has written stands"
