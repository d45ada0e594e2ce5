"""Communities: who is in them, what they are called, and which of the night before each of them is.

Everything here is decided by columns and by what a graph engine found; whoever runs the engine is
`memory.services.communities`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from memory.model.communities import Community
from memory.model.ids import community_id
from memory.model.scopes import Sensitivity
from memory.rules.parameters import Communities
from memory.rules.partitions import Labels
from memory.rules.settling import NEW


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """What an engine found in a graph, [nodes] each."""

    labels: Labels
    rank: NDArray[np.float64]
    """PageRank."""
    cores: NDArray[np.int32]
    """Core numbers within the communities: ties to others are not counted."""


@dataclass(frozen=True)
class CommunityPlan:
    """What a night makes of the communities of one level."""

    kept: tuple[Community, ...] = ()
    """Unchanged: the same support."""
    changed: tuple[Community, ...] = ()
    """The same community with other members."""
    opened: tuple[Community, ...] = ()
    closed: tuple[str, ...] = ()
    """Ids of those that nobody is in any more, or too few, or that another one has taken in."""
    ways: Mapping[str, int] = field(default_factory=dict)
    """Community id -> how many of its members were in it the night before; of those that go on."""

    @property
    def standing(self) -> tuple[Community, ...]:
        """Every community there is now, the largest first."""
        found = (*self.kept, *self.changed, *self.opened)
        return tuple(sorted(found, key=lambda each: (-len(each.members), each.community_id)))


def labels_before(ids: Sequence[str], before: Iterable[Community]) -> NDArray[np.int64]:
    """[nodes] in which community of the night before each of these is, by its place among them; NEW = in none."""
    place = {member: number for number, each in enumerate(before) for member in each.members}
    return np.array([place.get(each, NEW) for each in ids], np.int64)


def matched(before: Sequence[Iterable[str]], after: Sequence[Iterable[str]], least: float) -> list[int | None]:
    """Which of the sets `before` each of `after` is: the most alike first, each at most once.

    Likeness is the Jaccard index, the share of common members in all of both, of `least` at least (Greene, Doyle and
    Cunningham 2010); of equal ones the pair with more common members, then the earlier. Members are in one set each.
    """
    old = [frozenset(each) for each in before]
    where = {member: number for number, members in enumerate(old) for member in members}
    common: dict[tuple[int, int], int] = {}
    new = [frozenset(each) for each in after]
    for number, members in enumerate(new):
        for member in members:
            if (known := where.get(member)) is not None:
                common[known, number] = common.get((known, number), 0) + 1
    alike = {pair: shared / (len(old[pair[0]]) + len(new[pair[1]]) - shared) for pair, shared in common.items()}
    found: list[int | None] = [None] * len(new)
    taken: set[int] = set()
    for known, number in sorted(alike, key=lambda pair: (-alike[pair], -common[pair], pair)):
        if alike[known, number] >= least and known not in taken and found[number] is None:
            found[number] = known
            taken.add(known)
    return found


def plan_communities(
    user_id: str,
    ids: Sequence[str],
    clustered: Clustered,
    before: Sequence[Community],
    level: Sensitivity,
    night: str,
    rules: Communities,
) -> CommunityPlan:
    """The communities of tonight, each with the identity and the name of that of the night before which it is.

    `ids` [nodes] are entity ids, `before` the communities of this level that stand, `night` the day of the night, which
    tells communities apart that were born of the same members. Fewer members than `rules.least_members` are none.
    """
    before = sorted(before, key=lambda each: each.community_id)
    found = [_described(ids, clustered, members) for members in _members(clustered.labels, rules.least_members)]
    kept: list[Community] = []
    changed: list[Community] = []
    opened: list[Community] = []
    ways: dict[str, int] = {}
    same = matched([each.members for each in before], [members for members, _ in found], rules.same_above)
    for (members, core), known in zip(found, same, strict=True):
        if known is None:
            identity = community_id(user_id, level, members, night)
            opened.append(Community(identity, level, members, core, members[: rules.named_by]))
            continue
        old = before[known]
        now = replace(old, members=members, core=core, named_by=_named(old, members, rules.named_by))
        ways[old.community_id] = len(set(old.members) & set(members))
        if now.support == old.support:
            kept.append(old)
        else:
            changed.append(now)
    closed = tuple(each.community_id for number, each in enumerate(before) if number not in same)
    return CommunityPlan(tuple(kept), tuple(changed), tuple(opened), closed, ways)


def _members(labels: Labels, least: int) -> list[NDArray[np.intp]]:
    """The places of each community's members, the largest community first."""
    order = np.argsort(labels, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(order) else []
    return [part for part in parts if len(part) >= least]


def _described(
    ids: Sequence[str], clustered: Clustered, members: NDArray[np.intp]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of the members, the highest rank first, and those of its core: its highest core number."""
    by_id = sorted(members.tolist(), key=lambda each: (-clustered.rank[each], ids[each]))
    innermost = clustered.cores[members].max()
    return tuple(ids[each] for each in by_id), tuple(ids[each] for each in by_id if clustered.cores[each] == innermost)


def _named(old: Community, members: Sequence[str], most: int) -> tuple[str, ...]:
    """A name stays while all are members whom it names: ranks change with every night, and a name that does says
    nothing."""
    there = set(members)
    return old.named_by if old.named_by and there.issuperset(old.named_by) else tuple(members[:most])
