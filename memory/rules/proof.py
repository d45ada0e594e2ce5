"""Questions by which a night is proved: made of a user's own facts, with the segments that ought to answer them.

A question names the subject of a fact, its predicate and its slot, and leaves the object out. Nothing here is shown to
anybody: the words are made anew each time, and only ids and figures are kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import md5

from memory.model.commands import ArrangeGroups, CloseNight, Command, DescribeEntities, LinkCauses
from memory.model.timeline import Instant

DEPTH = 10
"""Results that are looked at: recall@10."""
TOLERANCE = 0.005
"""The share of recall a night may lose: half a point (chosen). Of 200 questions with one segment each, that is one."""


@dataclass(frozen=True, slots=True)
class ProofFact:
    """A fact as a question is made of it; `evidence` are the segments of every fact with these same three words."""

    fact_id: str
    subject: str
    predicate: str
    slot: str | None
    evidence: frozenset[int]


@dataclass(frozen=True, slots=True)
class ProofQuestion:
    """A question, the facts it was made of (their order is that of the sample), and the segments that answer it."""

    text: str
    fact_ids: tuple[str, ...]
    expected: frozenset[int]


def spread(aged: Iterable[tuple[Instant, str]], most: int, seed: str) -> list[str]:
    """At most `most` of these ids, one of each stretch of their ages, in the order of age; `seed` chooses which.

    A stretch holds as many ids as any other, or one more. The choice is that of queries/proofs.sql.
    """
    ids = [identity for _, identity in sorted(aged)]
    if most <= 0:
        return []
    size, larger = divmod(len(ids), most)
    chosen, start = [], 0
    for stretch in range(min(most, len(ids))):
        end = start + size + (stretch < larger)
        chosen.append(min(ids[start:end], key=lambda each: md5(f"{seed}/{each}".encode()).hexdigest()))
        start = end
    return chosen


def questions_of(facts: Iterable[ProofFact]) -> list[ProofQuestion]:
    """The questions of these facts; those of which the same would be asked share one."""
    found: dict[str, ProofQuestion] = {}
    for fact in facts:
        text = _asked(fact)
        other = found.get(text, ProofQuestion(text, (), frozenset()))
        found[text] = ProofQuestion(text, (*other.fact_ids, fact.fact_id), other.expected | fact.evidence)
    return [each for each in found.values() if each.expected]


def recalled(found: Sequence[int], expected: Collection[int]) -> float:
    """Recall@10 of one question in [0, 1]: of the segments that could be among the first ten, how many are."""
    return len(set(found[:DEPTH]) & set(expected)) / min(DEPTH, len(expected))


def lost(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether recall over the same questions, in the same order, has fallen by more than is tolerated."""
    return bool(before) and (sum(before) - sum(after)) / len(before) > TOLERANCE + 1e-9


def shuffled(questions: Iterable[ProofQuestion], seed: str) -> list[ProofQuestion]:
    """These questions in an order of no age: whoever stops early has asked of all ages."""

    def place(question: ProofQuestion) -> str:
        return md5(f"{seed}/{'/'.join(question.fact_ids)}".encode()).hexdigest()

    return sorted(questions, key=place)


def reaches(commands: Iterable[Command]) -> bool:
    """Whether any of these changes what a search reads: facts, what they rest on, and whom words mean.

    Tiers, states of anything but facts, groups, descriptions and causal links are read by no search.
    """
    return any(_reaches(each) for each in commands)


def _reaches(command: Command) -> bool:
    if isinstance(command, CloseNight):
        return any(each.noun == "fact" for each in command.crossings)
    return not isinstance(command, ArrangeGroups | DescribeEntities | LinkCauses)


def _asked(fact: ProofFact) -> str:
    words = (fact.subject, fact.predicate.replace("_", " "), fact.slot or "")
    return f"{' '.join(each for each in words if each)}?"
