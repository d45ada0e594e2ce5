"""The numbers of the rules: every constant with its unit and where it comes from. Settings compose these."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from memory.model.quantities import Count, Days, Share, Weight

Law = Literal["half_life", "spaced", "stability", "stretched"]
"""By which law strength fades; each is a function of `memory.rules.decay`."""


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
    """Every other type (decision 0061, 9)."""

    def of(self, entity_type: str) -> float:
        """The gate of a type; types without one of their own share `other`."""
        return float(getattr(self, entity_type if entity_type in self.__dataclass_fields__ else "other"))


@dataclass(frozen=True, slots=True)
class Revision:
    """How a claim meets its rivals. Similarities are calibrated ones, never raw cosines (seed 003, section 4)."""

    manner: Literal["meaning", "likeness"] = "meaning"
    """`likeness` lets the bands of similarity alone decide, as seed 003 does; `meaning` also slots and agreement."""
    reinforce_above: Share = 0.85
    """Calibrated similarity above which a rival says the same (seed 003)."""
    contradict_above: Share = 0.70
    """From here up to `reinforce_above` a contradiction is looked for (seed 003)."""
    relate_above: Share = 0.40
    """From here up to `reinforce_above` a new fact is linked `similar` (seed 003)."""
    rivals: Count = 5
    """Similar facts of the same subject that are looked at (seed 003)."""
    compared: Count = 60
    """Similar facts whose words are compared for denials and figures (chosen: parsed once, 60 take a millisecond)."""
    disputed: Count = 2
    """Rivals of a kind that one claim stands against at most (chosen: the third was wrong on dev data)."""
    sure_above: Share = 0.7
    """Score of a verdict from which it ends or weakens a rival; below, both are linked as disputed (decision 0019)."""
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
    """Judgements outside a turn before the rules alone decide (decision 0061, 12)."""


@dataclass(frozen=True, slots=True)
class Strength:
    """Which law serves which noun (decision 0061, 13)."""

    entity: Law = "half_life"
    """Entities fade since their last mention (seeds 000 and 001)."""
    fact: Law = "stability"
    """Facts fade since they were last judged (seed 003)."""
    source: Law = "spaced"
    """Sources fade since their last recall (seed 002)."""
    storyline: Law = "spaced"
    """Roll-ups of sources (seed 002)."""
    macro: Law = "spaced"
    """Roll-ups of storylines (seed 002)."""


@dataclass(frozen=True, slots=True)
class Spaced:
    """The law of spaced recall: `s0 * exp(-rate / (1 + count^gradient) * days)` (seed 002)."""

    first: Share = 0.5
    """Strength at birth (seed 002)."""
    rate: Weight = 0.02
    """Share lost a day by what was never recalled (seed 002)."""
    alpha: Share = 0.05
    """Strength gained with every recall, up to 1 (seed 002: 0.05 to 0.1)."""
    gradient: Weight = 1.0
    """Exponent of the number of recalls before any spacing is known (seed 002)."""
    gradient_up: Weight = 0.1
    """Added to the gradient when the interval between two recalls grew (seed 002)."""
    gradient_down: Weight = 0.05
    """Taken from it when the interval shrank (seed 002)."""
    gradient_least: Weight = 0.5
    """Where the gradient stops falling (decision 0061, 2: without bounds it can divide by zero)."""
    gradient_most: Weight = 3.0
    """Where the gradient stops rising (decision 0061, 2)."""
    sure: Share = 0.8
    """Confidence from which a candidate does not fade until its first recall (seed 002)."""
    doubt: Weight = 2.0
    """A less sure candidate fades `1 + doubt * (1 - confidence)` times as fast (seed 002)."""


@dataclass(frozen=True, slots=True)
class Stability:
    """The law of stability: `confidence * 0.5^(days / (half_life_days * stability))` (seed 003)."""

    half_life_days: Days = 30.0
    """Days until half is gone at stability 1 (seed 003)."""
    step: Share = 0.1
    """Stability gained with every recall (seed 003)."""
    most: Weight = 5.0
    """Stability that recalls lead to at most (seed 003)."""


@dataclass(frozen=True, slots=True)
class Stretched:
    """The law of the stretched exponential: `confidence * exp(-rate * days^power)` (seed 004)."""

    rate: Weight = 0.1
    """How fast it fades; a protected fact has 0 (seed 004)."""
    power: Share = 0.8
    """Below 1, the old fades slower than the young (seed 004)."""
    boost: Share = 0.05
    """Weight of what n recalls add in all, `boost * log(1 + n / scale)`, up to 1 (seed 004)."""
    scale: Weight = 20.0
    """Recalls that make one unit under the logarithm (seed 004)."""


@dataclass(frozen=True, slots=True)
class Decay:
    """The numbers of the four laws; the first two are those of `half_life`: 2^(-days / half_life_days)."""

    half_life_days: Days = 30.0
    """Days until half the strength of an entity is gone (seeds 000 and 001)."""
    evergreen_floor: Share = 0.3
    """Strength below which people, places and relationships never fall (seeds 000 and 001)."""
    low_salience: Share = 0.1
    """Strength below which an entity counts as fading (seed 000)."""
    spaced: Spaced = field(default_factory=Spaced)
    """Spaced recall (seed 002)."""
    stability: Stability = field(default_factory=Stability)
    """Stability (seed 003)."""
    stretched: Stretched = field(default_factory=Stretched)
    """The stretched exponential (seed 004)."""


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """When something becomes active, core, archived or pruned, and what never sinks (seeds 002 to 004)."""

    active_at: Count = 1
    """Recalls that make a candidate active (seed 002)."""
    core_at: Count = 10
    """Recalls that make it core (seed 002)."""
    archive_below: Share = 0.01
    """Strength below which it is archived; 0 = strength archives nothing (seed 002)."""
    grace_days: Days = 7.0
    """Days after a recall in which nothing is archived for its strength (seed 002: accessed recently is 7 days)."""
    ephemeral_source_days: Days = 30.0
    """Life of an ephemeral source (seed 002)."""
    ephemeral_days: Days = 90.0
    """Life of what is ephemeral and no source (seed 002)."""
    floor: Share = 0.3
    """Strength below which standing facts and open promises never fall; 0 = no floor (decision 0061, 14)."""
    floor_importance: Count = 7
    """Importance from which a fact keeps that floor (decision 0061, 14)."""
    prunes: bool = False
    """Whether the night prunes for good what has faded; the default only archives (decision 0061, 14)."""
    prune_below: Share = 0.05
    """Strength below which a fact is pruned (seeds 003 and 004)."""


@dataclass(frozen=True, slots=True)
class Tiers:
    """When an entity climbs from L0 to L1 to L2 (seed 000)."""

    l1_after_days: Days = 7.0
    """Age for L1, inclusive (seed 000; 001 excludes the seventh day, 000 wins)."""
    l1_sources: Count = 3
    """Distinct sessions for L1 (seed 000)."""
    l2_after_days: Days = 90.0
    """Age for L2, inclusive (seed 000)."""
    l2_sources: Count = 3
    """Distinct sessions for L2 (seed 000)."""
    l2_requires_community: bool = False
    """Whether L2 also needs membership in a community (seed 001 asks for it, 000 does not)."""


@dataclass(frozen=True, slots=True)
class Reflection:
    """What a memory makes of its own facts. Similarities are calibrated ones, never raw cosines (seed 003)."""

    duplicate_above: Share = 0.85
    """Similarity from which two facts that agree are one (seed 003)."""
    theme_above: Share = 0.60
    """Similarity from which facts belong together (seed 003)."""
    candidate_above: Share = 0.70
    """From here up to `duplicate_above` two facts may contradict each other (seed 003: 0.40; decision 0021)."""
    themes: Count = 5
    """Meta facts made at a time (seed 003)."""
    theme_size: Count = 3
    """Facts that make a theme (chosen: of two, a meta fact would be a paraphrase)."""
    meta_confidence: Share = 0.8
    """Confidence of a meta fact (seed 003)."""
    meta_stability: Weight = 3.0
    """Stability of a meta fact: a half-life of 90 days (seed 003)."""
    stale_below: Share = 0.10
    """Strength below which a fact is stale (seed 003)."""


@dataclass(frozen=True, slots=True)
class Descriptions:
    """What is written of an entity at night (seed 002)."""

    looked_within_days: Days = 7.0
    """Days within which somebody looked at an entity whose description is written (seed 002)."""
    most: Count = 100
    """Descriptions written in one night, those of what was looked at last first (chosen: as many as storylines)."""
    rests_on: Count = 5
    """Facts a description rests on (chosen: as many as a meta fact quotes)."""


@dataclass(frozen=True, slots=True)
class Communities:
    """Who and what belongs together, and which patterns of a life that shows (decision 0090)."""

    resolution: Weight = 1.0
    """The gamma of modularity: above 1 there are more communities, and smaller ones (modularity's own is 1)."""
    scale: Count = 1_000
    """Weight of all ties up to which that holds; beyond it grows with the weight (chosen: measured, decision 0090)."""
    most_named: Count = 20
    """Entities that one segment names at most if it is to tie them (chosen: more are a list, 190 pairs of it)."""
    half_life_days: Days = 180.0
    """Days after which a tie counts half (chosen: seed 000 looks at months; a friend of last year still is one)."""
    faintest: Share = 0.03125
    """What is left of an old tie at least (chosen: five half-lives, two and a half years)."""
    least_members: Count = 3
    """Members of a community (chosen: of two it is a relationship)."""
    named_by: Count = 3
    """Members after whom a community is called, those of the highest PageRank (chosen: as many as one remembers)."""
    same_above: Share = 0.3
    """Jaccard index from which a community is that of the night before (Greene, Doyle and Cunningham 2010)."""
    stays_by: Share = 0.05
    """Share of its ties by which a member must gain to leave the community of the night before (chosen: measured)."""
    worse_by: Share = 0.015
    """Modularity given up at most for communities that stay (chosen: measured; the bar is 0.02)."""
    pattern_facts: Count = 3
    """Active facts that make a pattern (decision 0090) ..."""
    pattern_mentions: Count = 5
    """... or segments that name two of its members."""
    pattern_sources: Count = 3
    """Sources that these come from."""
    pattern_days: Days = 30.0
    """Days between the first and the last of these."""
    quoted: Count = 5
    """Facts or segments that a pattern quotes at most (chosen: as much as is read at once)."""


@dataclass(frozen=True, slots=True)
class Storylines:
    """What has been going on: storylines of sources around an anchor, and macros of storylines (decision 0097)."""

    sources: Count = 5
    """Sources that tell of an anchor and make a storyline (seed 002)."""
    days: Count = 3
    """Different days that these sources are of (seed 002)."""
    age_days: Days = 3.0
    """Days since an anchor was first told of, exclusive, before it has a storyline (seed 002)."""
    sure: Share = 0.8
    """Confidence from which an anchor that nobody has recalled may have one (decision 0097)."""
    opened: Count = 100
    """Storylines that one night opens, those of the most sources first (seed 002)."""
    silent_days: Days = 90.0
    """Days without a source after which a storyline closes (decision 0097)."""
    summed_up: Count = 10
    """Sources, the latest, that a summary of a storyline is made of (seed 002)."""
    refreshed: Count = 100
    """Summaries of storylines that one night writes anew, those of the most sources first (seed 002)."""
    sentences: Count = 3
    """Sentences of the summary of a storyline (seed 002: two to three)."""
    macro_storylines: Count = 2
    """Storylines of one anchor that make a macro (seed 002)."""
    macro_days: Days = 30.0
    """Days from the first to the last source of these (seed 002)."""
    macros_opened: Count = 50
    """Macros that one Sunday opens, those of the most storylines first (seed 002)."""
    macros_refreshed: Count = 50
    """Summaries of macros that one Sunday writes anew, those of the most sources first (seed 002)."""
    macro_sentences: Count = 4
    """Sentences of the summary of a macro (seed 002: two to four)."""


@dataclass(frozen=True, slots=True)
class SourceSummaries:
    """Which sources a night sums up, and how (decision 0099)."""

    turns: Count = 4
    """Turns from which a source has a summary (seed 003)."""
    chars: Count = 1_000
    """Characters from which a source of fewer turns has one, such as a mail (chosen: half a page)."""
    renewed: Count = 5
    """Turns more, after which it is written anew (seed 003: every fifth)."""
    over_days: Days = 1.0
    """Days of silence after which a source is over, and whatever was added is summed up (decision 0099)."""
    sentences: Count = 5
    """Sentences of a summary (chosen)."""
    keywords: Count = 8
    """Words that a source is known by (chosen)."""
    most: Count = 500
    """Sources that one night sums up, the latest first (chosen: some seconds)."""


@dataclass(frozen=True, slots=True)
class CausalLinks:
    """Which reasons a language model is asked about (decision 0107); those that words tell have no numbers."""

    asked: Count = 20
    """Sources about which one night asks its model, those told last first (chosen: some minutes of a small model)."""
    shown: Count = 24
    """Facts of such a source that it is shown, the earliest first (chosen: as many lines as of a day)."""


@dataclass(frozen=True, slots=True)
class Consolidations:
    """Which sources a night gathers into one (seed 002: episodic to semantic; decision 0100)."""

    older_days: Days = 7.0
    """Days since a source was over before it is gathered (seed 002, there for the faded alone)."""
    faded_below: Share = 0.2
    """Strength below which a source is gathered (seed 002)."""
    overlapping: Count = 5
    """Sources that tell of the same two entities, and are gathered whatever their strength (seed 002)."""
    frequent: Count = 10
    """Recalls of a source that is gathered once it is below `frequent_below` (seed 002: as many as make it core)."""
    frequent_below: Share = 0.3
    """Strength below which a source of many recalls is gathered (chosen: half as much again as of any other)."""
    least: Count = 2
    """Sources that make a consolidation (chosen: of one there is nothing to gather)."""
    most_sources: Count = 20
    """Sources of a consolidation at most; then another is opened (chosen: as many as one page shows)."""
    apart_days: Days = 30.0
    """Days from one source to the next at most (chosen: seed 002 asks for nearness in time, without a number)."""
    written: Count = 100
    """Consolidations that one night writes, those of the most sources first (chosen: as many as storylines)."""
    sentences: Count = 4
    """Sentences of its summary (chosen: as many as of a macro)."""
    insights: Count = 5
    """Facts it names at most, those of the most sources first (chosen: as many as a description rests on)."""
    asked: Count = 20
    """Of how many a night asks its model for insights, if it has one (chosen: as of reasons)."""
    generated: Count = 2
    """Insights of a model that one of them names at most (chosen: what two sources share is little)."""


@dataclass(frozen=True, slots=True)
class Life:
    """All the numbers of a lifetime: which law serves which noun, the laws, the states and the tiers."""

    strength: Strength = field(default_factory=Strength)
    """Noun to law."""
    decay: Decay = field(default_factory=Decay)
    """The laws."""
    lifecycle: Lifecycle = field(default_factory=Lifecycle)
    """The states."""
    tiers: Tiers = field(default_factory=Tiers)
    """The tiers."""
    reflection: Reflection = field(default_factory=Reflection)
    """Duplicates."""
    descriptions: Descriptions = field(default_factory=Descriptions)
    """What is written of entities."""
    storylines: Storylines = field(default_factory=Storylines)
    """What has been going on."""
    summaries: SourceSummaries = field(default_factory=SourceSummaries)
    """What a night writes of a source."""
    communities: Communities = field(default_factory=Communities)
    """Who and what belongs together."""
    consolidations: Consolidations = field(default_factory=Consolidations)
    """What is gathered into one."""
    causes: CausalLinks = field(default_factory=CausalLinks)
    """What was told as the reason of what."""
