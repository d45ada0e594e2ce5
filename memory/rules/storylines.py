"""Storylines: which sources around an anchor are one, as a plan for one night.

A night finds what would have been found had every source been heard on its own day. Sources that tell of an anchor
gather until there are enough of them on enough days; then they are a storyline, which goes on until it has been silent
for too long. What comes then gathers anew. So a year that is imported at once has the storylines of a year that was
lived, and a source that arrives late joins the storyline of its time, which may open it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memory.model.ids import storyline_id
from memory.model.scopes import Sensitivity
from memory.model.storylines import Storyline
from memory.model.timeline import DAY_S, Instant
from memory.rules.appearances import Appearances, places
from memory.rules.census import AT_HAND, CANDIDATE, CORE
from memory.rules.decay import Column
from memory.rules.parameters import Storylines
from memory.rules.reflection import Floats, Likeness

Rows = NDArray[np.intp]
LOOSE = -1
"""The storyline of a row that is in none."""


@dataclass(frozen=True)
class StorylinePlan:
    """What a night makes of the storylines of one level."""

    kept: tuple[Storyline, ...] = ()
    """Unchanged."""
    changed: tuple[Storyline, ...] = ()
    """With other sources, closed, or opened again."""
    opened: tuple[Storyline, ...] = ()
    """New ones. One whose sources ended long ago is closed already."""
    withdrawn: tuple[str, ...] = ()
    """Ids of those whose anchor is gone, or that have lost so many sources that they would not be one."""

    @property
    def standing(self) -> tuple[Storyline, ...]:
        """Every storyline there is now, by anchor and beginning."""
        return tuple(sorted((*self.kept, *self.changed, *self.opened), key=_order))


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """Storylines as columns, in the order of `_order`, and of which of them each row is."""

    anchor: NDArray[np.int64]
    """[lines] place of the anchor."""
    of: NDArray[np.int64]
    """[rows] place of the storyline, or LOOSE. It is written while a night is planned."""

    def spans(self, begun: Column) -> tuple[Column, Column]:
        """[lines] the first and the last beginning of a source, of beginnings [rows]."""
        first, last = np.full(len(self.anchor), np.inf), np.full(len(self.anchor), -np.inf)
        held = self.of != LOOSE
        np.minimum.at(first, self.of[held], begun[held])
        np.maximum.at(last, self.of[held], begun[held])
        return first, last


def contested(told: Appearances, standing: Sequence[Storyline], level: Sensitivity) -> tuple[str, ...]:
    """Ids of the sources whose vectors may decide to which of several storylines a source belongs, in order."""
    by_anchor: dict[str, list[Storyline]] = {}
    for each in standing:
        by_anchor.setdefault(each.anchor_id, []).append(each)
    several = {anchor: lines for anchor, lines in by_anchor.items() if len(lines) > 1}
    seen = told.seen(level)
    where = places(seen.anchors)
    found: set[str] = set()
    for anchor, lines in several.items():
        if anchor not in where:
            continue
        low, high = np.searchsorted(seen.anchor, [where[anchor], where[anchor] + 1])
        told_in = {seen.sources[place] for place in seen.source[low:high].tolist()}
        if told_in.difference(*(each.sources for each in lines)):
            found |= told_in
    return tuple(sorted(found))


def plan_storylines(
    user_id: str,
    told: Appearances,
    standing: Sequence[Storyline],
    level: Sensitivity,
    now: Instant,
    rules: Storylines,
    likeness: Likeness | None = None,
) -> StorylinePlan:
    """The storylines of one level after a night, of those that stand and what tells of whom.

    `likeness` holds vectors of sources (see `contested`); where there is none, nearness in time decides alone. The same
    night again, and a later one in which nothing was told and nothing closes, finds everything kept.
    """
    seen, before = told.seen(level), sorted(standing, key=_order)
    begun, loose_at = seen.at[seen.source], seen.at[seen.source] <= now
    lines, alive = _held(seen, before, rules)
    _attach(lines, seen, begun, loose_at, rules, likeness)
    most = rules.opened - sum(each.opened_at == now for each in alive)
    opened = list(_opened(lines, seen, begun, loose_at, now, rules, most))
    after = [_of(old, rows, seen, now, rules) for old, rows in zip(alive, _parts(lines.of, len(alive)), strict=True)]
    kept = tuple(each for each, old in zip(after, alive, strict=True) if each == old)
    changed = tuple(each for each, old in zip(after, alive, strict=True) if each != old)
    fresh = tuple(_new(user_id, seen, level, rows, now, rules) for rows in opened)
    withdrawn = {each.storyline_id for each in before} - {each.storyline_id for each in (*alive, *fresh)}
    return StorylinePlan(kept, changed, fresh, tuple(sorted(withdrawn)))


def refreshed(standing: Sequence[Storyline], now: Instant, rules: Storylines) -> list[Storyline]:
    """Those whose summary is to be written this night: what has changed lately, and what has none, the longest first.

    A storyline that closed long ago keeps the summary that it has.
    """
    since = now - rules.silent_days * DAY_S
    wanted = [each for each in standing if each.dirty and (not each.quotes or each.last_at > since)]
    wanted.sort(key=lambda each: (-len(each.sources), _order(each)))
    return wanted[: rules.refreshed]


def _order(line: Storyline) -> tuple[str, float, str]:
    return line.anchor_id, line.first_at, line.storyline_id


def _held(seen: Appearances, before: Sequence[Storyline], rules: Storylines) -> tuple[_Lines, list[Storyline]]:
    """The storylines that would still be one of what is told now, and which rows are theirs."""
    anchors, sources = places(seen.anchors), places(seen.sources)
    pairs = [
        (anchors[line.anchor_id], sources[each], number)
        for number, line in enumerate(before)
        if line.anchor_id in anchors
        for each in line.sources
        if each in sources
    ]
    of = np.full(len(seen.anchor), LOOSE, np.int64)
    if pairs and len(of):
        anchor, source, number = np.array(pairs, np.int64).T
        keys, wanted = seen.key(seen.anchor, seen.source), seen.key(anchor, source)
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        there = keys[place] == wanted
        of[place[there]] = number[there]
    enough = _enough(seen, of, len(before), rules)
    number = np.where(enough, np.cumsum(enough) - 1, LOOSE)
    of = np.where(of == LOOSE, LOOSE, number[of]) if len(before) else of
    alive = [each for each, stands in zip(before, enough.tolist(), strict=True) if stands]
    return _Lines(np.array([anchors[each.anchor_id] for each in alive], np.int64), of), alive


def _enough(seen: Appearances, of: NDArray[np.int64], lines: int, rules: Storylines) -> NDArray[np.bool_]:
    """[lines] whether the rows of each are of enough sources and days."""
    held = of != LOOSE
    days = np.unique(np.stack([of[held], _days(seen.at[seen.source[held]])]), axis=1)
    many: NDArray[np.bool_] = np.bincount(of[held], minlength=lines) >= rules.sources
    return many & (np.bincount(days[0].astype(np.int64), minlength=lines) >= rules.days)


def _days(at: Column) -> NDArray[np.int64]:
    """UTC days of instants."""
    return (at // DAY_S).astype(np.int64)


def _attach(
    lines: _Lines,
    seen: Appearances,
    begun: Column,
    timely: NDArray[np.bool_],
    rules: Storylines,
    likeness: Likeness | None,
) -> None:
    """Let every loose row that a storyline was open for join it: what has joined may let others join."""
    silent = rules.silent_days * DAY_S
    starts = np.searchsorted(lines.anchor, np.arange(len(seen.anchors) + 1))
    while True:
        loose = np.flatnonzero((lines.of == LOOSE) & timely)
        row, line = _pairs(loose, starts[seen.anchor[loose]], starts[seen.anchor[loose] + 1])
        first, last = lines.spans(begun)
        gap = np.maximum(np.maximum(first[line] - begun[row], begun[row] - last[line]), 0.0)
        row, line, near = row[gap < silent], line[gap < silent], 1.0 - gap[gap < silent] / silent
        if not len(row):
            return
        score = near + _alike(row, line, lines, seen, likeness)
        order = np.lexsort((line, -score, row))
        best = order[np.r_[True, np.diff(row[order]) != 0]]
        lines.of[row[best]] = line[best]


def _pairs(rows: Rows, low: NDArray[np.integer], high: NDArray[np.integer]) -> tuple[Rows, Rows]:
    """Each row with each place from its `low` up to its `high`."""
    counts = high - low
    row = np.repeat(rows, counts)
    within = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    return row, np.repeat(low, counts) + within


def _alike(row: Rows, line: Rows, lines: _Lines, seen: Appearances, likeness: Likeness | None) -> Column:
    """[pairs] how alike a source is to those of a storyline, calibrated; 0 where nothing has to be decided."""
    alike = np.zeros(len(row))
    _, place, counts = np.unique(row, return_inverse=True, return_counts=True)
    for pair in np.flatnonzero(counts[place] > 1).tolist() if likeness is not None else ():
        assert likeness is not None
        own = likeness.vectors.get(seen.sources[seen.source[row[pair]]])
        mean = _mean(np.flatnonzero(lines.of == line[pair]), seen, likeness.vectors)
        if own is not None and mean is not None:
            alike[pair] = float(likeness.calibrate(np.array([own @ mean], np.float32))[0])
    return alike


def _mean(rows: Rows, seen: Appearances, vectors: Mapping[str, Floats]) -> Floats | None:
    """The direction of the sources of these rows; None where none of them has a vector, or they cancel out."""
    known = [vectors[each] for each in (seen.sources[place] for place in seen.source[rows].tolist()) if each in vectors]
    total: Floats = np.sum(known or [np.zeros(1, np.float32)], axis=0, dtype=np.float32)
    length = np.linalg.norm(total)
    return (total / length).astype(np.float32) if length > 0 else None


def _opened(
    lines: _Lines,
    seen: Appearances,
    begun: Column,
    timely: NDArray[np.bool_],
    now: Instant,
    rules: Storylines,
    most: int,
) -> Iterator[Rows]:
    """The rows of each new storyline, of those anchors first of which most is loose; `most` at most."""
    loose = np.flatnonzero((lines.of == LOOSE) & timely)
    count = np.bincount(seen.anchor[loose], minlength=len(seen.anchors))
    since = np.full(len(seen.anchors), np.inf)
    np.minimum.at(since, seen.anchor, begun)
    known = (seen.state == AT_HAND) | (seen.state == CORE)
    known |= (seen.state == CANDIDATE) & (seen.confidence >= rules.sure)
    may = np.flatnonzero(known & (count >= rules.sources) & (now - since > rules.age_days * DAY_S))
    first, whose = lines.spans(begun)[0], seen.anchor[loose]
    for anchor in may[np.lexsort((may, -count[may]))].tolist():
        rows = loose[slice(*np.searchsorted(whose, [anchor, anchor + 1]))]
        other = first[slice(*np.searchsorted(lines.anchor, [anchor, anchor + 1]))]
        between = np.searchsorted(np.sort(other), begun[rows])
        for gathered in np.split(rows, np.flatnonzero(np.diff(between)) + 1):
            for start, end in _gathered(begun[gathered], rules):
                if most <= 0:
                    return
                most -= 1
                yield gathered[start:end]


def _gathered(begun: Column, rules: Storylines) -> Iterator[tuple[int, int]]:
    """From where to where sources in their order are storylines; what is left over is too little for one yet."""
    days, start = _days(begun), 0
    broken = np.append(np.flatnonzero(np.diff(begun) >= rules.silent_days * DAY_S) + 1, len(begun))
    while True:
        new_day = np.r_[True, np.diff(days[start:]) != 0] if start < len(days) else np.zeros(0, np.bool_)
        full = np.flatnonzero(np.cumsum(new_day) >= rules.days)
        least = max(int(full[0]) + 1, rules.sources) if len(full) else len(days) + 1
        if start + least > len(days):
            return
        end = int(broken[np.searchsorted(broken, start + least)])
        yield start, end
        start = end


def _parts(of: NDArray[np.int64], lines: int) -> list[Rows]:
    """The rows of each storyline, the earliest first."""
    order = np.flatnonzero(of != LOOSE)
    order = order[np.argsort(of[order], kind="stable")]
    bounds = np.searchsorted(of[order], np.arange(lines + 1))
    return [order[low:high] for low, high in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)]


def _of(line: Storyline, rows: Rows, seen: Appearances, now: Instant, rules: Storylines) -> Storyline:
    """A storyline of these rows, closed if it has been silent for too long."""
    sources = tuple(seen.sources[place] for place in seen.source[rows].tolist())
    first, last = (float(seen.at[seen.source[rows[end]]]) for end in (0, -1))
    silent_at = last + rules.silent_days * DAY_S
    return replace(
        line,
        sources=sources,
        first_at=first,
        last_at=last,
        closed_at=silent_at if silent_at <= now else None,
        dirty=line.dirty or sources != line.sources,
    )


def _new(user_id: str, seen: Appearances, level: Sensitivity, rows: Rows, now: Instant, rules: Storylines) -> Storyline:
    anchor = seen.anchors[seen.anchor[rows[0]]]
    identity = storyline_id(user_id, level, anchor, (seen.sources[place] for place in seen.source[rows].tolist()))
    return _of(Storyline(identity, anchor, level, now, (), now, now), rows, seen, now, rules)
