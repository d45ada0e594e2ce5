"""Reflection: what a memory finds when it looks at its own facts (seed 003).

Duplicates, facts that belong together, what has grown stale, and what may contradict each other. Everything here only
looks; `memory.rules.upkeep` acts. Similarity is the encoder's calibrated one, and only facts of one subject are
compared: "keeps bees" of two people are two facts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from memory.model.claims import Claim
from memory.model.facts import Fact
from memory.model.ids import meta_id
from memory.model.timeline import Interval
from memory.model.working_set import Draft, WorkingSet
from memory.rules.agreement import agrees
from memory.rules.parameters import Reflection
from memory.rules.settled import is_final

Floats = NDArray[np.float32]
Places = NDArray[np.intp]
_Part = tuple[Places, Places, Floats]
_NO_PAIRS: _Part = np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0, np.float32)
_ROWS = 512
"""Facts compared with all others at once: 512 x 10,000 similarities are 20 MB (ours)."""
_STEPS = 2_001
"""Cosines that calibration is looked at for where it reaches a similarity: a thousandth from each other (ours)."""


@dataclass(frozen=True, slots=True)
class FactPair:
    """Two facts and their calibrated similarity, in [0, 1]; the older id first."""

    one: str
    other: str
    similarity: float


class Pairs(Sequence[FactPair]):
    """Pairs as columns, the most similar first: of tens of thousands only those that are shown become objects."""

    def __init__(self, ids: Sequence[str], one: Places, other: Places, similarity: Floats) -> None:
        """Places in `ids`, which are in order, and similarities; in any order."""
        order = np.lexsort((other, one, -similarity))
        self.ids = ids
        self.one, self.other, self.similarity = one[order], other[order], similarity[order]

    def __len__(self) -> int:
        return len(self.similarity)

    @overload
    def __getitem__(self, index: int) -> FactPair: ...

    @overload
    def __getitem__(self, index: slice) -> list[FactPair]: ...

    def __getitem__(self, index: int | slice) -> FactPair | list[FactPair]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        one, other = self.ids[self.one[index]], self.ids[self.other[index]]
        return FactPair(one, other, float(self.similarity[index]))

    def chosen(self, which: NDArray[np.bool_]) -> Pairs:
        """Those of them."""
        return Pairs(self.ids, self.one[which], self.other[which], self.similarity[which])

    def neighbours(self) -> dict[str, list[str]]:
        """id -> the ids it is paired with, the most similar first."""
        near: defaultdict[str, list[str]] = defaultdict(list)
        for one, other in zip(self.one.tolist(), self.other.tolist(), strict=True):
            near[self.ids[one]].append(self.ids[other])
            near[self.ids[other]].append(self.ids[one])
        return near


@dataclass(frozen=True)
class Likeness:
    """Unit vectors of facts by id, and the encoder's calibration."""

    vectors: Mapping[str, Floats]
    calibrate: Callable[[Floats], Floats]

    def pairs(self, facts: Iterable[Fact], at_least: float) -> Pairs:
        """Pairs of one subject and sensitivity that are at least this similar, most similar first.

        Facts without a vector have none.
        """
        known = sorted((fact for fact in facts if fact.fact_id in self.vectors), key=lambda fact: fact.fact_id)
        subjects: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
        for place, fact in enumerate(known):
            subjects[fact.subject_id, fact.sensitivity].append(place)
        ids, floor = [fact.fact_id for fact in known], self._cosine_of(at_least)
        found = [part for own in subjects.values() if len(own) > 1 for part in self._within(ids, own, at_least, floor)]
        one, other, similarity = (np.concatenate(each) for each in zip(_NO_PAIRS, *found, strict=True))
        return Pairs(ids, one, other, similarity)

    def _within(self, ids: Sequence[str], own: Sequence[int], at_least: float, floor: float) -> Iterator[_Part]:
        """The pairs of the facts at these places. Only what is above the floor is calibrated: few of 10,000,000."""
        places = np.array(own)
        matrix = np.stack([self.vectors[ids[each]] for each in own]).astype(np.float32, copy=False)
        for start in range(0, len(own), _ROWS):
            cosine = matrix[start : start + _ROWS] @ matrix[start:].T
            rows, columns = np.nonzero(cosine >= floor)
            rows, columns = rows[columns > rows], columns[columns > rows]
            similarity = self.calibrate(cosine[rows, columns])
            alike = similarity >= at_least
            yield places[rows[alike] + start], places[columns[alike] + start], similarity[alike]

    def _cosine_of(self, similarity: float) -> float:
        """A cosine below which no two facts are that similar: calibration never falls."""
        cosines = np.linspace(-1.0, 1.0, _STEPS, dtype=np.float32)
        below = int(np.searchsorted(self.calibrate(cosines), similarity)) - 1
        return float(cosines[below]) if below >= 0 else -np.inf


def as_claim(fact: Fact) -> Claim:
    """What a fact would say if it were heard again."""
    return Claim(
        subject="",
        statement=fact.statement,
        segment_key=0,
        quote="",
        predicate=fact.predicate,
        object=fact.object,
        slot=fact.slot,
        kind=fact.kind,
        polarity=fact.polarity,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
    )


def comparable(believed: WorkingSet | Draft, seen: Collection[str]) -> list[Fact]:
    """The facts in sight that reflection looks at: believed now, and not its own conclusions."""
    facts = (believed.facts[each] for each in sorted(seen) if each in believed.facts)
    return [fact for fact in facts if fact.status == "active" and fact.kind != "meta"]


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Clusters of facts that say the same, the one to keep first; and likenesses that differ in what matters."""

    clusters: tuple[tuple[str, ...], ...] = ()
    disagreeing: Sequence[FactPair] = ()


def duplicates(
    believed: WorkingSet, seen: Collection[str], likeness: Likeness, strength: Mapping[str, float], rules: Reflection
) -> Duplicates:
    """Facts as similar as duplicates are (seed 003: 0.85), clustered around the strongest if they agree with it.

    Polarity, figures, dates, tense, object and time must agree (decision 0061, 9); what is alike but does not is only
    reported. A protected fact is kept before a stronger one.
    """
    facts = comparable(believed, seen)
    return clustered(facts, likeness.pairs(facts, rules.duplicate_above), strength)


def clustered(facts: Iterable[Fact], pairs: Pairs, strength: Mapping[str, float]) -> Duplicates:
    """What these pairs of duplicates come to."""
    known = {fact.fact_id: fact for fact in facts}
    said = {fact_id: as_claim(known[fact_id]) for fact_id in map(pairs.ids.__getitem__, set(pairs.one.tolist()))}
    same = np.array([is_one(said[pair.one], known[pair.other]) for pair in pairs], np.bool_)
    near = pairs.chosen(same).neighbours()
    order = sorted(near, key=lambda each: (not known[each].protected, -strength.get(each, 0.0), each))
    return Duplicates(tuple(_clusters(order, near)), pairs.chosen(~same))


def is_one(said: Claim, fact: Fact) -> bool:
    """Whether a fact says what another says, of the same time: what was so, and is so again, is two facts."""
    began = fact.valid_from if said.valid_from is None else said.valid_from
    at_once = Interval(began, said.valid_to).overlaps(fact.valid) or began == fact.valid_from
    return at_once and agrees(said, fact)


def themes(believed: WorkingSet, pairs: Pairs, rules: Reflection) -> list[tuple[str, ...]]:
    """The clusters that may have a principle in common (seed 003: similarity of 0.60, five at a time), largest first.

    `pairs` are of facts that are so similar. A cluster is one fact and what resembles it. One that has its meta fact
    already is not told again, nor is one whose meta fact the owner has forgotten, corrected or let go.
    """
    near = pairs.neighbours()
    order = sorted(near, key=lambda each: (-len(near[each]), each))
    found = (tuple(sorted(each)) for each in _clusters(order, near) if len(each) >= rules.theme_size)
    fresh = [each for each in found if not _told(believed, each)]
    return sorted(fresh, key=lambda each: (-len(each), each))[: rules.themes]


def candidates(believed: WorkingSet, seen: Collection[str], likeness: Likeness, at_least: float, below: float) -> Pairs:
    """Pairs in the band where a contradiction is looked for that nobody has judged: no link ties them yet."""
    found = likeness.pairs(comparable(believed, seen), at_least)
    place = {fact_id: number for number, fact_id in enumerate(found.ids)}
    links = (each for each in believed.links if each.kind in JUDGED)
    ends = [sorted((place.get(each.from_id, -1), place.get(each.to_id, -1))) for each in links]
    judged = [one * len(place) + other for one, other in ends]
    pairs = found.one * len(place) + found.other
    return found.chosen((found.similarity <= below) & ~np.isin(pairs, judged))


JUDGED = ("disputes", "supersedes")
"""Links that say two facts were weighed against each other."""


def _clusters(order: Iterable[str], near: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Each id in turn with those of its neighbours that no earlier cluster has taken; nothing stands alone."""
    taken: set[str] = set()
    for centre in order:
        if centre in taken:
            continue
        cluster = (centre, *(each for each in near[centre] if each not in taken))
        if len(cluster) > 1:
            taken |= set(cluster)
            yield cluster


def _told(believed: WorkingSet, support: Collection[str]) -> bool:
    known = believed.facts.get(meta_id(believed.user_id, support))
    return known is not None and is_final(known)
