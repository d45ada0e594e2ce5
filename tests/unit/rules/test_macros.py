"""A macro is all storylines of one anchor, if they are two at least and last a month."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.model.scopes import Sensitivity
from memory.model.storylines import Storyline
from memory.model.timeline import DAY_S
from memory.rules.macros import MacroPlan, macros_refreshed, plan_macros
from memory.rules.parameters import Storylines

RULES = Storylines()
OPEN = Sensitivity.OPEN
NOW = 1_714_521_600.0


def line(identity: str, first: float, last: float, anchor: str = "a", sources: int = 5) -> Storyline:
    told = tuple(f"{identity}{each}" for each in range(sources))
    return Storyline(identity, anchor, OPEN, NOW, told, NOW + first * DAY_S, NOW + last * DAY_S)


def plan(
    lines: list[Storyline], before: MacroPlan = MacroPlan(), now: float = NOW, rules: Storylines = RULES
) -> MacroPlan:
    return plan_macros("u", lines, before.standing, OPEN, now, rules)


@pytest.mark.conforms("002:storylines", "002:macros.promotion")
def test_two_storylines_over_thirty_days_are_a_macro() -> None:
    [macro] = plan([line("s2", 20, 30, sources=7), line("s1", 0, 10)]).opened
    assert (macro.anchor_id, macro.storylines, macro.sources) == ("a", ("s1", "s2"), 12)
    assert (macro.first_at, macro.last_at, macro.dirty) == (NOW, NOW + 30 * DAY_S, True)


@pytest.mark.conforms("002:macros.promotion")
@pytest.mark.parametrize(
    "lines",
    [[line("s1", 0, 40)], [line("s1", 0, 10), line("s2", 12, 29.9)], [line("s1", 0, 10), line("s2", 20, 40, "b")], []],
    ids=["one", "less than thirty days", "of two anchors", "none"],
)
def test_less_than_that_is_none(lines: list[Storyline]) -> None:
    assert plan(lines) == MacroPlan()


@pytest.mark.conforms("002:macros.promotion")
def test_the_same_sunday_again_changes_nothing_and_opens_no_more() -> None:
    lines = [line(f"{who}{place}", 40 * place, 40 * place + 1, who) for who in "abc" for place in range(2)]
    lines.append(line("b2", 90, 91, "b"))
    one = replace(RULES, macros_opened=1)
    found = plan(lines, rules=one)
    assert [each.anchor_id for each in found.opened] == ["b"], "the one of the most storylines first"
    assert plan(lines, found, rules=one) == MacroPlan(kept=found.standing)
    assert [each.anchor_id for each in plan(lines, found, NOW + 7 * DAY_S, one).opened] == ["a"]


@pytest.mark.conforms("002:macros.refresh")
def test_what_comes_makes_it_dirty() -> None:
    lines = [line("s1", 0, 1), line("s2", 100, 101)]
    before = plan(lines)
    clean = MacroPlan(kept=(replace(before.opened[0], dirty=False, quotes=(1,)),))
    assert plan(lines, clean) == clean
    [grown] = plan([lines[0], line("s2", 100, 102, sources=6)], clean).changed
    assert (grown.dirty, grown.sources, grown.last_at, grown.quotes) == (True, 11, NOW + 102 * DAY_S, (1,))
    [longer] = plan([*lines, line("s3", 300, 301)], clean).changed
    assert (longer.storylines, longer.macro_id) == (("s1", "s2", "s3"), before.opened[0].macro_id)


@pytest.mark.conforms("002:macros.promotion")
def test_one_that_is_none_any_more_goes() -> None:
    before = plan([line("s1", 0, 1), line("s2", 100, 101)])
    assert plan([line("s1", 0, 1)], before).withdrawn == (before.opened[0].macro_id,)
    assert plan([], before).withdrawn == (before.opened[0].macro_id,)


@pytest.mark.conforms("002:macros.refresh")
def test_the_largest_that_have_changed_are_summed_up_first() -> None:
    lines = [line(f"{who}{place}", 40 * place, 41 * place, who, 5 + (who == "b")) for who in "ab" for place in range(2)]
    a, b = plan(lines).standing
    assert macros_refreshed((a, b), RULES) == [b, a]
    assert macros_refreshed((a, b), replace(RULES, macros_refreshed=1)) == [b]
    assert macros_refreshed((replace(a, dirty=False), b), RULES) == [b]
