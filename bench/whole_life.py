"""What nights have made of a simulated life: groups of every kind but summaries of sources, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.inmemory.proofs import InMemoryProofReads
from bench.living import USER, Living
from memory.model.entities import STATES
from memory.model.groups import COMMUNITY, CONSOLIDATION, GROUP_KINDS, MACRO, PATTERN, STORYLINE, SUMMARY, Group
from memory.rules.consolidation import tells_nothing
from memory.rules.proof import ProofQuestion, questions_of, recalled
from memory.services.proving import asking
from memory.services.quoting import day_of
from memory.services.summing_up import read_summary

MOST_QUOTES = 3
"""Segments shown of a community: those in which its members were last named together."""


@dataclass(frozen=True, slots=True)
class ToldGroup:
    """A group as it is shown; `quotes` name their source and segment."""

    kind: str
    group_id: str
    name: str
    told: str
    """How large it is, and from when to when it goes."""
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProvedNight:
    """How many questions a night was proved by, recall@10 before and after it in [0, 1], and what was taken back."""

    day: int
    questions: int
    before: float
    after: float
    undone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AfterLife:
    """Nights in which nothing more is told: recall@10 of questions made before them, asked after each."""

    questions: int
    first: float
    lowest: float
    last: float
    nights: int


@dataclass(frozen=True, slots=True)
class NearAtHand:
    """Characters: of all that was said, and of what lists, briefings, storylines and macros hold of it."""

    said: int
    held: int

    @property
    def share(self) -> float:
        """What is near at hand of what was said."""
        return self.held / self.said if self.said else 0.0


def told_groups(living: Living) -> Iterator[ToldGroup]:
    """Every group that stands but summaries of sources, by kind, the largest first."""
    standing = living.believed.groups.values()
    groups = [each for each in standing if each.kind in _TELLERS and not tells_nothing(each)]
    for each in sorted(groups, key=lambda each: (GROUP_KINDS.index(each.kind), -len(each.members), each.group_id)):
        yield ToldGroup(each.kind, each.group_id, *_TELLERS[each.kind](living, each))


def proved(day: int, report: Mapping[str, Any]) -> ProvedNight | None:
    """The proof in the report of a night; None if it was not asked."""
    found = report.get("proof", {})
    if not found.get("questions"):
        return None
    return ProvedNight(day, found["questions"], found["before"], found["after"], tuple(found["undone"]))


async def own_questions(living: Living) -> list[ProofQuestion]:
    """Questions made of what is believed now, as nights are proved by, from every fact that can be asked for."""
    reads = InMemoryProofReads(lambda: living.believed)
    return questions_of(await reads.sample(USER, len(living.believed.facts), ""))


async def recall_of(living: Living, questions: Sequence[ProofQuestion]) -> float:
    """Recall@10 over these, asked now; no access is recorded."""
    ask = asking(living)
    found = [recalled(await ask(USER, each.text, living.clock.now()) or (), each.expected) for each in questions]
    return round(sum(found) / len(found), 4) if found else 0.0


def near_at_hand(living: Living) -> NearAtHand:
    """Believed facts that are not archived, and summaries of more than one source, against every segment."""
    believed = living.believed
    facts = [each.statement for each in believed.facts.values() if each.status == "active" and each.state != "archived"]
    standing = [each for each in believed.groups.values() if each.state != "archived" and each.kind != SUMMARY]
    summaries = [each.summary or "" for each in standing]
    said = sum(len(segment.text) for _, segment in living.sources.segments.values())
    return NearAtHand(said, sum(map(len, (*facts, *summaries))))


def _rolled_up(living: Living, group: Group) -> tuple[str, str, tuple[str, ...]]:
    parts = "storylines" if group.kind == MACRO else "sources"
    name = _names(living, [group.anchor_id or ""])
    days = " to ".join(day_of(each, 0) for each in (group.first_at, group.last_at) if each is not None)
    gathered = "told by a storyline" if group.state == STATES[-1] else "gathered"
    standing = gathered if group.kind == CONSOLIDATION else "open" if group.closed_at is None else "closed"
    lines = read_summary(group.summary or "", group.quotes).lines
    quotes = tuple(f"{line.text} {' '.join(map(living.place, line.segments))}" for line in lines)
    return name, f"{len(group.members)} {parts}, {days}, {standing}", quotes


def _community(living: Living, group: Group) -> tuple[str, str, tuple[str, ...]]:
    named: dict[int, set[str]] = {}
    for member in group.members:
        for key in living.believed.mentions.get(member, {}):
            named.setdefault(key, set()).add(member)
    together = [key for key, who in named.items() if len(who) > 1]
    latest = sorted(together, key=lambda key: (-living.said_at(key), key))[:MOST_QUOTES]
    told = f"{len(group.members)} members: {_names(living, group.members)}"
    return _names(living, group.named_by), told, tuple(map(living.quote, latest))


def _pattern(living: Living, group: Group) -> tuple[str, str, tuple[str, ...]]:
    believed = living.believed
    facts = [
        f"{believed.facts[each].statement} {' '.join(_grounds(living, each))}"
        for each in group.facts
        if each in believed.facts
    ]
    [community] = group.members
    of = _names(living, believed.groups[community].named_by) if community in believed.groups else ""
    return _names(living, group.named_by), f"of {of}", (*facts, *map(living.quote, group.quotes))


def _grounds(living: Living, fact_id: str) -> Iterator[str]:
    return (living.place(each.segment_key) for each in living.believed.evidence.get(fact_id, ()) if each.segment_key)


def _names(living: Living, ids: Sequence[str]) -> str:
    entities = living.believed.entities
    return ", ".join(entities[each].name for each in ids if each in entities)


_TELLERS = {
    STORYLINE: _rolled_up,
    MACRO: _rolled_up,
    CONSOLIDATION: _rolled_up,
    COMMUNITY: _community,
    PATTERN: _pattern,
}
