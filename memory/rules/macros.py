"""Macros: the storylines of one anchor as one, as a plan for one Sunday."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from memory.model.ids import macro_id
from memory.model.scopes import Sensitivity
from memory.model.storylines import Macro, Storyline
from memory.model.timeline import DAY_S, Instant
from memory.rules.parameters import Storylines


@dataclass(frozen=True)
class MacroPlan:
    """What a Sunday makes of the macros of one level."""

    kept: tuple[Macro, ...] = ()
    """Unchanged."""
    changed: tuple[Macro, ...] = ()
    """Of other storylines, or of other sources."""
    opened: tuple[Macro, ...] = ()
    withdrawn: tuple[str, ...] = ()
    """Ids of those that would not be one any more."""

    @property
    def standing(self) -> tuple[Macro, ...]:
        """Every macro there is now, by anchor."""
        return tuple(sorted((*self.kept, *self.changed, *self.opened), key=lambda each: each.anchor_id))


def plan_macros(
    user_id: str,
    storylines: Sequence[Storyline],
    standing: Sequence[Macro],
    level: Sensitivity,
    now: Instant,
    rules: Storylines,
) -> MacroPlan:
    """The macros of one level after a Sunday, of the storylines and the macros of that level that stand.

    An anchor has one macro at most, which may have come to it by a merge. It holds every storyline of the anchor, and
    is dirty when one of them has changed.
    """
    known = {each.macro_id: each for each in standing}
    of = {each.anchor_id: each for each in standing}
    found = [_macro(user_id, lines, level, now, of) for lines in _by_anchor(storylines) if _enough(lines, rules)]
    opened = [each for each in found if each.macro_id not in known]
    opened.sort(key=lambda each: (-len(each.storylines), each.anchor_id))
    most = rules.macros_opened - sum(each.opened_at == now for each in standing)
    gone = known.keys() - {each.macro_id for each in found}
    return MacroPlan(
        tuple(each for each in found if known.get(each.macro_id) == each),
        tuple(each for each in found if each.macro_id in known and known[each.macro_id] != each),
        tuple(opened[: max(most, 0)]),
        tuple(sorted(gone)),
    )


def macros_refreshed(standing: Sequence[Macro], rules: Storylines) -> list[Macro]:
    """Those whose summary is to be written this Sunday, those of the most sources first."""
    wanted = sorted((each for each in standing if each.dirty), key=lambda each: (-each.sources, each.anchor_id))
    return wanted[: rules.macros_refreshed]


def _by_anchor(storylines: Sequence[Storyline]) -> list[list[Storyline]]:
    """The storylines of each anchor, the earliest first."""
    ordered = sorted(storylines, key=lambda each: (each.anchor_id, each.first_at, each.storyline_id))
    return [list(lines) for _, lines in groupby(ordered, key=lambda each: each.anchor_id)]


def _enough(lines: Sequence[Storyline], rules: Storylines) -> bool:
    spanned = max(each.last_at for each in lines) - lines[0].first_at
    return len(lines) >= rules.macro_storylines and spanned >= rules.macro_days * DAY_S


def _macro(user_id: str, lines: Sequence[Storyline], level: Sensitivity, now: Instant, of: dict[str, Macro]) -> Macro:
    """The macro of these storylines: the one that is known, as it would be now, or a new one."""
    anchor = lines[0].anchor_id
    old = of.get(anchor) or Macro(macro_id(user_id, level, anchor), anchor, level, now, (), 0, now, now)
    fresh = replace(
        old,
        storylines=tuple(each.storyline_id for each in lines),
        sources=sum(len(each.sources) for each in lines),
        first_at=lines[0].first_at,
        last_at=max(each.last_at for each in lines),
    )
    return fresh if fresh == old else replace(fresh, dirty=True)
