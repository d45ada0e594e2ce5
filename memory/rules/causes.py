"""Causal links: a fact that was told as the reason of another one (seed 004, where a model compares two episodes).

They are read off words that tell a reason, so that each rests on words that can be shown. A language model may propose
others, in sentences that are read in the same way. A link stands while both facts rest on the words of one source.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memory.model.commands import LinkCauses
from memory.model.facts import Evidence, Fact, Link
from memory.model.working_set import Draft
from memory.rules.turn import TurnState
from memory.rules.versions import link
from memory.words.causes import causal_parts
from memory.words.list_words import roots
from memory.words.stems import STOP_WORDS

CAUSES = "causes"
"""The kind of a link from a cause to its effect."""
CONFIDENCE = 0.7
"""Weight of such a link (seed 004)."""
MOST_PAIRS = 50
"""Links that one night makes (seed 004)."""
LEAST_SHARE = 0.8
"""Share of the words of a fact that must stand in those of a cause or an effect (chosen: one of five may differ)."""
_STOPS = roots(" ".join(sorted(STOP_WORDS["en"] | STOP_WORDS["de"])))


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact that is believed, and whom it is about."""

    fact_id: str
    statement: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class QuotedFact:
    """A fact that is believed, and the words of a source from which it was read."""

    stated: StatedFact
    speaker: str
    quote: str


@dataclass(frozen=True, slots=True)
class CausalSegment:
    """Words that may tell a reason, the last ones of the same speaker before them, and the facts read from either."""

    text: str
    facts: tuple[StatedFact, ...]
    before: str = ""
    facts_before: tuple[StatedFact, ...] = ()


def causes_in(segment: CausalSegment) -> Iterator[tuple[str, str]]:
    """(cause, effect) by the ids of facts that these words tell as such: each said in one of the two parts alone."""
    for parts in causal_parts(segment.text):
        cause, told = (parts.cause, segment.facts) if parts.cause else (segment.before, segment.facts_before)
        for one in _said_in(cause, parts.effect, told):
            for other in _said_in(parts.effect, cause, segment.facts):
                if one != other:
                    yield one, other


def _said_in(part: str, other: str, facts: Sequence[StatedFact]) -> list[str]:
    """Ids of the facts whose words stand in one part and not in the other."""
    here, there = roots(part), roots(other)
    return [each.fact_id for each in facts if _share(each, here) >= LEAST_SHARE > _share(each, there)]


def _share(fact: StatedFact, words: frozenset[str]) -> float:
    own = roots(fact.statement) - roots(fact.subject) - _STOPS
    return len(own & words) / len(own) if own else 0.0


def link_causes(turn: TurnState, command: LinkCauses) -> None:
    """Link facts that are still believed and still rest on one source."""
    draft = turn.draft
    for cause, effect in command.pairs:
        if _stands(draft, cause, effect) and not any(each.kind == CAUSES for each in _between(draft, cause, effect)):
            link(draft, CAUSES, cause, effect, CONFIDENCE, command.judged_by)


def withdraw_causes(turn: TurnState) -> None:
    """Take back, at the end of a turn, links whose facts rest on no source together any more."""
    draft = turn.draft
    lost = {each.row.fact_id for each in draft.changes if isinstance(each.row, Evidence) and each.after is None}
    for fact_id in sorted(lost):
        for each in draft.links_of(fact_id):
            if each.kind == CAUSES and not _stands(draft, each.from_id, each.to_id):
                draft.put("support lost", each, None)


def _stands(draft: Draft, cause: str, effect: str) -> bool:
    facts = [draft.facts.get(each) for each in (cause, effect)]
    return all(map(_is_believed, facts)) and not _sources(draft, cause).isdisjoint(_sources(draft, effect))


def _is_believed(fact: Fact | None) -> bool:
    return fact is not None and fact.status in ("active", "superseded")


def _sources(draft: Draft, fact_id: str) -> frozenset[str]:
    return frozenset(each.source_id for each in draft.evidence.get(fact_id, ()))


def _between(draft: Draft, one: str, other: str) -> Iterable[Link]:
    return (each for each in draft.links_of(one) if other in (each.from_id, each.to_id))
