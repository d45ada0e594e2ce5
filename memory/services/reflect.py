"""Reflect: what an owner has done with all facts at once - merge, generalise, let go, put in their place (seed 003).

A caller sees and treats only the facts in its view. Each verb first finds what there is to do, and that is one command;
deciding it without committing is the dry run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from memory.errors import ModelFailed
from memory.model.commands import BackfillSubjects, MergeFacts, MetaFact, PruneFacts, Synthesize
from memory.model.prompts import Prompt
from memory.model.timeline import Instant
from memory.model.working_set import WorkingSet
from memory.ports import LanguageModel
from memory.retrieval.briefing import briefing
from memory.rules import reflection
from memory.rules.backfill import backfills
from memory.rules.census import fact_anchors, facts_of
from memory.rules.decay import strength_of
from memory.rules.decider import Rules
from memory.rules.reflection import Duplicates, FactPair, Likeness, Pairs
from memory.words.cleaning import harmless

EXTRACTIVE = "extractive"
"""Who has judged a meta fact that no language model has put into words."""
QUOTED = 5
"""Facts that an extractive meta fact quotes; of the others it tells the number (ours)."""
MOST_STATEMENT = 300
"""Characters of a generated meta fact; what is longer is no principle (ours)."""
_MAX_TOKENS = 96
_NO_PRINCIPLE = "NONE"


@dataclass(frozen=True)
class VisibleMemory:
    """A memory as one caller may look at it: the facts in sight, how alike they are, and the moment."""

    believed: WorkingSet
    seen: Collection[str]
    """Ids of the facts in sight."""
    likeness: Likeness
    now: Instant
    rules: Rules

    @cached_property
    def strength(self) -> Mapping[str, float]:
        """fact id -> strength now, of the believed facts in sight."""
        ids = sorted(each for each in self.seen if self._active(each))
        anchors = fact_anchors(facts_of(self.believed, ids), self.rules.life)
        return dict(zip(ids, strength_of("fact", anchors, self.now, self.rules.life).tolist(), strict=True))

    def _active(self, fact_id: str) -> bool:
        fact = self.believed.facts.get(fact_id)
        return fact is not None and fact.status == "active"

    @cached_property
    def _near(self) -> Pairs:
        """Facts that are as alike as those of a theme, for themes and duplicates: all are compared with all once."""
        rules = self.rules.reflection
        facts = reflection.comparable(self.believed, self.seen)
        return self.likeness.pairs(facts, min(rules.theme_above, rules.duplicate_above))

    @cached_property
    def duplicates(self) -> Duplicates:
        """Facts that say the same, and those that are alike but differ in what matters."""
        near = self._near
        same = near.chosen(near.similarity >= self.rules.reflection.duplicate_above)
        return reflection.clustered(reflection.comparable(self.believed, self.seen), same, self.strength)

    @cached_property
    def themes(self) -> Sequence[tuple[str, ...]]:
        """Clusters of facts that may have a principle in common."""
        rules, near = self.rules.reflection, self._near
        return reflection.themes(self.believed, near.chosen(near.similarity >= rules.theme_above), rules)

    @property
    def stale(self) -> list[str]:
        """Ids of the facts that have faded below the seed's mark, the weakest first; protected ones never do."""
        return self.weaker_than(self.rules.reflection.stale_below)

    @cached_property
    def candidates(self) -> Sequence[FactPair]:
        """Pairs that may contradict each other and that nobody has judged."""
        rules = self.rules.reflection
        return reflection.candidates(
            self.believed, self.seen, self.likeness, rules.candidate_above, rules.duplicate_above
        )

    def weaker_than(self, below: float) -> list[str]:
        """Ids of unprotected facts whose strength is below this, the weakest first."""
        weak = [
            each for each, left in self.strength.items() if left < below and not self.believed.facts[each].protected
        ]
        return sorted(weak, key=lambda each: (self.strength[each], each))

    def merging(self, command_id: str) -> MergeFacts:
        """The command that lets duplicates be one."""
        return MergeFacts(command_id=command_id, clusters=self.duplicates.clusters)

    def pruning(self, command_id: str, below: float) -> PruneFacts:
        """The command that lets go of what is weaker than this."""
        chosen = tuple((each, self.believed.facts[each].version) for each in self.weaker_than(below))
        return PruneFacts(command_id=command_id, chosen=chosen)

    def backfilling(self, command_id: str) -> BackfillSubjects:
        """The command that gives facts under a placeholder the entity they are about."""
        return BackfillSubjects(command_id=command_id, placements=tuple(backfills(self.believed, self.seen)))

    async def synthesizing(self, command_id: str, model: LanguageModel | None) -> Synthesize:
        """The command that believes what themes have in common, put into words by the model if there is one."""
        told = [await self._put(support, model) for support in self.themes]
        return Synthesize(command_id=command_id, meta_facts=tuple(each for each in told if each is not None))

    async def _put(self, support: tuple[str, ...], model: LanguageModel | None) -> MetaFact | None:
        facts = [self.believed.facts[each] for each in support]
        subject = self.believed.entities[facts[0].subject_id].name
        statements = [fact.statement for fact in sorted(facts, key=lambda each: (-each.importance, each.fact_id))]
        if model is not None:
            try:
                principle = await generalise(subject, statements, model)
            except ModelFailed:
                return MetaFact(quoted(subject, statements), support, EXTRACTIVE)
            return None if principle is None else MetaFact(principle, support, model.name)
        return MetaFact(quoted(subject, statements), support, EXTRACTIVE)


def quoted(subject: str, statements: Sequence[str]) -> str:
    """A meta fact without a language model: it quotes what belongs together, and says that it does no more."""
    shown = "; ".join(f"“{each}”" for each in statements[:QUOTED])
    left = len(statements) - QUOTED
    told = f"Quoted together about {subject}: {shown}" + (f"; and {left} more" if left > 0 else "")
    return " ".join(told.split())


async def generalise(subject: str, statements: Sequence[str], model: LanguageModel) -> str | None:
    """The principle a model sees in some facts, or None if it sees none. Raises ModelFailed for no usable sentence."""
    prompt = f"About: {harmless(subject)}\n{briefing([f'- {harmless(each)}' for each in statements])}"
    answer = harmless(await model.complete(Prompt(instructions(), prompt, max_tokens=_MAX_TOKENS)))
    if answer.strip(" .").upper() == _NO_PRINCIPLE:
        return None
    if not answer or len(answer) > MOST_STATEMENT:
        raise ModelFailed("The language model gave no sentence that could be a principle.")
    return answer


@cache
def instructions() -> str:
    """The system prompt."""
    return (files("memory.services") / "prompts" / "synthesize.md").read_text(encoding="utf-8").strip()
