"""Insights of a language model: what several sources of a consolidation show together, in a sentence of its own.

A sentence counts if the lines that it names support it, and the facts that were read from these lines as well: those
it rests on, as a meta fact does. So it is withdrawn, forgotten and undone with them, and reinforces none of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from memory.model.commands import MetaFact
from memory.rules.consolidation import INSIGHT_SOURCES, GroundFact
from memory.services.proposing import Proposal, Proposer
from memory.services.summing_up import SummaryLine
from memory.words.invented import invented

PROMPT = "insights"
LEAST_FACTS = 2
"""Facts an insight rests on at least (chosen: of one it would be a paraphrase)."""
MOST_FACTS = 5
"""Facts it rests on at most, in the order of its lines (chosen: as many as a description)."""
Grounds = Mapping[int, Sequence[GroundFact]]
"""Segment key -> the facts that were read from it."""


async def insights_of(
    proposer: Proposer, name: str, lines: Sequence[SummaryLine], grounds: Grounds, most: int
) -> list[MetaFact]:
    """What a model sees in these lines, one of each source, about whom they tell of: `most` sentences at most."""
    found: dict[tuple[str, ...], MetaFact] = {}
    for proposal in await proposer.propose(name, [each.text for each in lines]):
        chosen = _chosen(proposal, lines, grounds)
        if not _holds(proposal, name, chosen):
            continue
        support = tuple(each.fact_id for each in chosen)
        found.setdefault(tuple(sorted(support)), MetaFact(proposal.text, support, proposer.name))
    kept = list(found.values())[:most]
    proposer.used(len(kept))
    return kept


def _chosen(proposal: Proposal, lines: Sequence[SummaryLine], grounds: Grounds) -> list[GroundFact]:
    """The facts of the lines that a sentence names, of that subject of whom most of these lines tell."""
    by_line = [[fact for key in lines[place].segments for fact in grounds.get(key, ())] for place in proposal.lines]
    told = Counter(subject for facts in by_line for subject in {each.subject_id for each in facts})
    subject = min(told, key=lambda each: (-told[each], each), default=None)
    if subject is None or told[subject] < INSIGHT_SOURCES:
        return []
    # a fact of each line in turn, so that no line is left without one
    queues = [[each for each in facts if each.subject_id == subject] for facts in by_line]
    turns = [each for turn in range(MOST_FACTS) for facts in queues for each in facts[turn : turn + 1]]
    return list(dict.fromkeys(turns))[:MOST_FACTS]


def _holds(proposal: Proposal, name: str, chosen: Sequence[GroundFact]) -> bool:
    """Whether enough facts are there, and the sentence tells no name or number of its own beside them."""
    stated = (name, *(each.statement for each in chosen))
    return len(chosen) >= LEAST_FACTS and not invented(proposal.text, stated)


def by_key(rows: Sequence[tuple[int, GroundFact]]) -> Grounds:
    """Facts by the segments they were read from."""
    found: defaultdict[int, list[GroundFact]] = defaultdict(list)
    for key, fact in rows:
        found[key].append(fact)
    return found
