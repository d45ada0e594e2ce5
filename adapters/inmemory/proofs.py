"""What questions that prove a night are made of, of one memory without a database."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memory.model.facts import Fact
from memory.model.working_set import WorkingSet
from memory.rules.proof import ProofFact, spread


class InMemoryProofReads:
    """Reads one memory."""

    def __init__(self, believed: Callable[[], WorkingSet]) -> None:
        self._believed = believed

    async def sample(self, user_id: str, most: int, seed: str) -> Sequence[ProofFact]:
        """See memory.services.proving.ProofReads."""
        believed = self._believed()
        sure = (each for each in believed.facts.values() if each.status == "active" and each.predicate)
        aged = [(each.valid_from, each.fact_id) for each in sure if _segments(believed, each)]
        return await self.facts(user_id, spread(aged, most, seed))

    async def facts(self, user_id: str, fact_ids: Sequence[str]) -> Sequence[ProofFact]:
        """See memory.services.proving.ProofReads."""
        believed = self._believed()
        alike: dict[tuple[str, str | None, str | None], set[int]] = {}
        for fact in believed.facts.values():
            if fact.status != "forgotten":
                alike.setdefault(_place(fact), set()).update(_segments(believed, fact))
        known = [believed.facts[each] for each in fact_ids if each in believed.facts]
        return [
            ProofFact(
                fact.fact_id,
                believed.entities[fact.subject_id].name,
                fact.predicate,
                fact.slot,
                frozenset(alike[_place(fact)]),
            )
            for fact in known
            if fact.status != "forgotten" and fact.predicate
        ]


def _place(fact: Fact) -> tuple[str, str | None, str | None]:
    return fact.subject_id, fact.predicate, fact.slot


def _segments(believed: WorkingSet, fact: Fact) -> set[int]:
    return {each.segment_key for each in believed.evidence.get(fact.fact_id, ()) if each.segment_key}
