"""Holding back: what a night took back, because it did harm, is not done again until something about it has changed.

What was taken back stands in the report of the night, row by row: noun, id, the state or tier it was to have, and its
stamp (memory.rules.census) once it had been put back. As long as a later night finds the same with the same stamp, it
leaves that and tells so, and the night after it reads that. Sources are not held back: reports name none, and questions
do not look at their state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.model.commands import CloseNight, Command, Crossing

TAKEN_BACK, HELD_BACK = "taken_back", "held_back"
"""Where a report has what its proof took back, and what a step has left because an earlier night had."""
GATHERING = "consolidations"
"""The step that archives facts besides that of states."""
MOST_HELD = 2_000
"""Rows that a report remembers of a step (chosen: 200 KB; a step that crosses more is planned again)."""
_VERSIONS = {"fact": 2}
"""By how much the stamp of a row grows when it is changed and put back: of a fact by two versions."""
HeldRow = tuple[str, str, str]
"""Noun, id, and what it was to become."""
Held = Mapping[str, Mapping[HeldRow, int]]
"""Step -> row -> its stamp."""


def rows_of(commands: Iterable[Command]) -> list[list[Any]]:
    """What is remembered of the commands of a step that are taken back, `MOST_HELD` rows at most."""
    crossings = (each for command in commands if isinstance(command, CloseNight) for each in command.crossings)
    rows = [_row(each) for each in crossings if each.noun != "source" and each.stamp is not None]
    return rows if len(rows) <= MOST_HELD else []


def _row(crossing: Crossing) -> list[Any]:
    return [crossing.noun, crossing.id, crossing.after, (crossing.stamp or 0) + _VERSIONS.get(crossing.noun, 0)]


def held_of(report: Mapping[str, object]) -> Held:
    """What the report of the last night says is to be left; what it does not say in this form is not."""
    found: dict[str, dict[HeldRow, int]] = {}
    proof = report.get("proof")
    told: list[object] = [proof.get(TAKEN_BACK)] if isinstance(proof, Mapping) else []
    told.append({name: step.get(HELD_BACK) for name, step in report.items() if isinstance(step, Mapping)})
    for by_step in told:
        for step, rows in by_step.items() if isinstance(by_step, Mapping) else ():
            for row in rows if isinstance(rows, list) else ():
                match row:
                    case [str(noun), str(identity), str(after), int(stamp)]:
                        found.setdefault(step, {})[noun, identity, after] = stamp
    if gathered := found.get(GATHERING):  # what the gathering night did not archive, the step of states would
        found["states"] = {**gathered, **found.get("states", {})}
    return found


def held_back(
    held: Mapping[HeldRow, int],
    noun: str,
    names: Sequence[str],
    ids: NDArray[Any],
    change: tuple[NDArray[Any], NDArray[Any]],
    stamp: NDArray[Any],
) -> tuple[NDArray[Any], list[list[Any]]]:
    """What rows become (codes of `names`, before and after) without those that are held, and these as they are told."""
    before, after = change
    rows = []
    for place in np.flatnonzero(before != after).tolist() if held else ():
        row = noun, str(ids[place]), names[int(after[place])]
        if held.get(row) == int(stamp[place]):
            rows.append((place, [*row, held[row]]))
    if not rows:
        return after, []
    left = after.copy()
    places = [place for place, _ in rows]
    left[places] = before[places]
    return left, [row for _, row in rows]
