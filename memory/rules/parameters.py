"""The numbers of the rules: every constant with its unit and where it comes from. Settings compose these."""

from __future__ import annotations

from dataclasses import dataclass

from memory.model.quantities import Count, Days, Share


@dataclass(frozen=True, slots=True)
class Gates:
    """The least confidence at which a sighting becomes an entity, by entity type (seed 001, layer 3)."""

    promise: Share = 0.7
    """A false promise becomes a false reminder."""
    decision: Share = 0.7
    """What was only weighed must not read as settled."""
    person: Share = 0.6
    """Names are mostly clear."""
    event: Share = 0.6
    """A wrong date is worse than none."""
    place: Share = 0.6
    """A wrong place is worse than none."""
    relationship: Share = 0.6
    """It ties two people together."""
    topic: Share = 0.5
    """A wide net does no harm."""
    emotion: Share = 0.5
    """Subjective anyway."""
    question: Share = 0.5
    """Curiosity is cheap to keep."""
    other: Share = 0.5
    """Every other type (memory-model: "any other 0.5")."""

    def of(self, entity_type: str) -> float:
        """The gate of a type; types without one of their own share `other`."""
        return float(getattr(self, entity_type if entity_type in self.__dataclass_fields__ else "other"))


@dataclass(frozen=True, slots=True)
class Revision:
    """How a claim meets its rivals. Similarities are calibrated ones, never raw cosines (seed 003, section 4)."""

    reinforce_above: Share = 0.85
    """Calibrated similarity above which a rival says the same (seed 003)."""
    contradict_above: Share = 0.70
    """From here up to `reinforce_above` a contradiction is looked for (seed 003)."""
    relate_above: Share = 0.40
    """From here up to `reinforce_above` a new fact is linked `similar` (seed 003)."""
    rivals: Count = 5
    """Similar facts of the same subject that are looked at (seed 003)."""
    neighbours: Count = 3
    """`similar` links a new fact gets at most (seed 003)."""
    reinforce_by: Share = 0.1
    """Confidence gained, once per fact and source, up to 1 (seed 003)."""
    weaken_by: Share = 0.2
    """Confidence a well-supported fact loses in a disagreement (seed 003)."""
    weakest: Share = 0.1
    """Weakening stops here (seed 003)."""
    first_confidence: Share = 0.6
    """Confidence of a claim that brings none of its own (seed 003)."""
    supports: Count = 3
    """Supporting sources from which a fact is weakened rather than invalidated (seed 003)."""
    rounds: Count = 3
    """Judgements outside a turn before the rules alone decide (memory-model, "Judging without blocking")."""


@dataclass(frozen=True, slots=True)
class Decay:
    """The half-life law of entities: 2^(-days / half_life_days) since the last mention (seeds 000 and 001)."""

    half_life_days: Days = 30.0
    """Days until half the strength is gone (seeds 000 and 001)."""
    evergreen_floor: Share = 0.3
    """Strength below which people, places and relationships never fall (seeds 000 and 001)."""


@dataclass(frozen=True, slots=True)
class Tiers:
    """When an entity climbs from L0 to L1 to L2 (seed 000)."""

    l1_after_days: Days = 7.0
    """Age for L1, inclusive (seed 000; 001 excludes the seventh day, 000 wins)."""
    l1_sources: Count = 3
    """Distinct sources for L1 (seed 000)."""
    l2_after_days: Days = 90.0
    """Age for L2, inclusive (seed 000)."""
    l2_sources: Count = 3
    """Distinct sources for L2 (seed 000)."""
    l2_requires_community: bool = False
    """Whether L2 also needs membership in a community (seed 001 asks for it, 000 does not)."""
