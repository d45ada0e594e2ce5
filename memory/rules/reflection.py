"""Reflection: what a memory finds when it looks at its own facts (seed 003).

Duplicates, facts that belong together, what has grown stale, and what may contradict each other. Everything here only
looks; `memory.rules.upkeep` acts. Similarity is the encoder's calibrated one, and only facts of one subject are
compared: "keeps bees" of two people are two facts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.model.claims import Claim
from memory.model.facts import Fact
from memory.model.ids import meta_id
from memory.model.working_set import Draft, WorkingSet
from memory.rules.agreement import agrees
from memory.rules.parameters import Reflection

Floats = NDArray[np.float32]
_ROWS = 512
"""Facts compared with all others at once: 512 x 10,000 similarities are 20 MB (ours)."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two facts and their calibrated similarity, in [0, 1]; the older id first."""

    one: str
    other: str
    similarity: float


@dataclass(frozen=True)
class Likeness:
    """Unit vectors of facts by id, and the encoder's calibration."""

    vectors: Mapping[str, Floats]
    calibrate: Callable[[Floats], Floats]

    def pairs(self, facts: Iterable[Fact], at_least: float) -> list[Pair]:
        """Pairs of one subject and sensitivity that are at least this similar, most similar first.

        Facts without a vector have none.
        """
        subjects: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        for fact in facts:
            if fact.fact_id in self.vectors:
                subjects[fact.subject_id, fact.sensitivity].append(fact.fact_id)
        found = [pair for ids in subjects.values() for pair in self._within(sorted(ids), at_least)]
        return sorted(found, key=lambda pair: (-pair.similarity, pair.one, pair.other))

    def _within(self, ids: Sequence[str], at_least: float) -> Iterator[Pair]:
        matrix = np.stack([np.asarray(self.vectors[each], np.float32) for each in ids])
        for start in range(0, len(ids), _ROWS):
            cosine = matrix[start : start + _ROWS] @ matrix[start:].T
            similarity = self.calibrate(cosine.astype(np.float32))
            for row, column in np.argwhere(np.triu(similarity >= at_least, k=1)).tolist():
                yield Pair(ids[start + row], ids[start + column], float(similarity[row, column]))


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
    disagreeing: tuple[Pair, ...] = ()


def duplicates(
    believed: WorkingSet, seen: Collection[str], likeness: Likeness, strength: Mapping[str, float], rules: Reflection
) -> Duplicates:
    """Facts as similar as duplicates are (seed 003: 0.85), clustered around the strongest if they agree with it.

    Polarity, figures, dates, tense and object must agree (memory-model, step 3); what is alike but does not is only
    reported. A protected fact is kept before a stronger one.
    """
    facts = {fact.fact_id: fact for fact in comparable(believed, seen)}
    near, disagreeing = defaultdict(list), []
    for pair in likeness.pairs(facts.values(), rules.duplicate_above):
        if agrees(as_claim(facts[pair.one]), facts[pair.other]):
            near[pair.one].append(pair.other)
            near[pair.other].append(pair.one)
        else:
            disagreeing.append(pair)
    order = sorted(near, key=lambda each: (not facts[each].protected, -strength.get(each, 0.0), each))
    return Duplicates(tuple(_clusters(order, near)), tuple(disagreeing))


def themes(believed: WorkingSet, seen: Collection[str], likeness: Likeness, rules: Reflection) -> list[tuple[str, ...]]:
    """The clusters that may have a principle in common (seed 003: similarity of 0.60, five at a time), largest first.

    A cluster is one fact and what resembles it. One that has its meta fact already is not told again, nor is one whose
    meta fact the owner has forgotten.
    """
    near: defaultdict[str, list[str]] = defaultdict(list)
    for pair in likeness.pairs(comparable(believed, seen), rules.theme_above):
        near[pair.one].append(pair.other)
        near[pair.other].append(pair.one)
    order = sorted(near, key=lambda each: (-len(near[each]), each))
    found = (tuple(sorted(each)) for each in _clusters(order, near) if len(each) >= rules.theme_size)
    fresh = [each for each in found if not _told(believed, each)]
    return sorted(fresh, key=lambda each: (-len(each), each))[: rules.themes]


def candidates(
    believed: WorkingSet, seen: Collection[str], likeness: Likeness, at_least: float, below: float
) -> list[Pair]:
    """Pairs in the band where a contradiction is looked for that nobody has judged: no link ties them yet."""
    judged = {frozenset((each.from_id, each.to_id)) for each in believed.links if each.kind in JUDGED}
    found = likeness.pairs(comparable(believed, seen), at_least)
    return [pair for pair in found if pair.similarity <= below and frozenset((pair.one, pair.other)) not in judged]


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
    return known is not None and known.status in ("active", "forgotten")
