"""The second phase of a night: steps that need words, vectors or a model. They come after what a census alone decides.

A step reads what `WordSight` holds and nothing else, and gives commands and figures, as a
memory.rules.night_steps.StepResult. All words it writes stand in commands, so that forgetting and undo reach them. To
add a step is a function and a line in memory.services.word_steps.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Protocol

from memory.errors import ModelFailed
from memory.model.commands import Command, DescribeEntities, Description
from memory.model.entities import Entity
from memory.model.facts import Fact
from memory.model.prompts import Prompt
from memory.model.timeline import DAY_S, Instant
from memory.ports import LanguageModel
from memory.retrieval.briefing import briefing
from memory.rules.describing import Surroundings, grounds, is_dirty, noted, notes_about, quoted, rests_on
from memory.rules.night_steps import ACTOR, NightName, StepResult
from memory.rules.parameters import Life
from memory.services.consolidation import ConsolidationReads
from memory.services.night_causes import CausalReads
from memory.services.night_communities import Clustering
from memory.services.night_sources import SourceReads
from memory.services.night_voices import VoiceReads
from memory.services.reflect import EXTRACTIVE
from memory.services.reviewing import sentences
from memory.services.storylines import StorylineReads
from memory.words.cleaning import harmless
from memory.words.invented import invented

STEP = "descriptions"
LOOKED_AT_ONCE = 200
"""Entities whose surroundings are read at once (chosen: some thousand facts)."""
MOST_LOOKED_AT = 4_000
"""Entities one night looks through, those recalled last (chosen: twenty reads; a week hardly recalls as many)."""
MOST_DESCRIBED = 40
"""Descriptions one commit writes: with their links at most 500 rows (decision 0061, 16)."""
MOST_TEXT = 400
"""Characters of a generated description; what is longer is not a few words (chosen: three sentences)."""
MOST_FAILURES = 3
"""Failures in a row after which a night asks its model no more: whoever is away would be waited for each time."""
_MAX_TOKENS = 160


class NightWords(Protocol):
    """What a step of the second phase may read of a memory."""

    async def looked_at(self, user_id: str, since: Instant, most: int) -> Sequence[str]:
        """The ids of living entities that were recalled at that instant or later, the latest first, `most` of them."""

    async def around(self, user_id: str, entity_ids: Sequence[str], now: Instant) -> Surroundings:
        """These entities, facts that may be told of each at `now` (the most important), notes, and what describes them.

        At one consistent moment; entities that are not there any more are left out.
        """


@dataclass(frozen=True)
class WordSight:
    """What a step of the second phase works with."""

    of: NightName
    now: Instant
    life: Life
    words: NightWords
    model: LanguageModel | None
    storylines: StorylineReads | None = None
    """What storylines are found in."""
    clustering: Clustering | None = None
    """What communities are found in, and with what."""
    sources: SourceReads | None = None
    """What summing up sources reads."""
    causes: CausalReads | None = None
    """What causal links are read off."""
    consolidations: ConsolidationReads | None = None
    """What sources are gathered from."""
    voices: VoiceReads | None = None
    """What voices are compared in."""


WordStep = Callable[[WordSight], Awaitable[StepResult]]


class _Writer:
    """Puts facts into words: by a model as long as it answers, else in quotations."""

    def __init__(self, model: LanguageModel | None) -> None:
        self.model = model
        self._failures = 0

    async def write(self, entity: Entity, facts: Sequence[Fact]) -> str:
        statements = [each.statement for each in facts]
        if self.model is not None:
            try:
                text = await put_into_words(entity.name, statements, self.model)
            except ModelFailed:
                self._failures += 1
                if self._failures == MOST_FAILURES:
                    self.model = None
            else:
                self._failures = 0
                return text or quoted(statements)
        return quoted(statements)


async def descriptions(sight: WordSight) -> StepResult:
    """Write anew what is told of entities that were looked at lately and of which other facts hold now (seed 002)."""
    rules, writer = sight.life.descriptions, _Writer(sight.model)
    since = sight.now - rules.looked_within_days * DAY_S
    looked = await sight.words.looked_at(sight.of.user_id, since, MOST_LOOKED_AT)
    told: list[Description] = []
    unchanged, more = 0, False
    async for entity, around in _entities(sight, looked):
        if more := len(told) == rules.most:
            break
        fresh = await _described(entity, around, sight, writer)
        unchanged += fresh is None
        told += [fresh] if fresh is not None else []
    figures = {
        "looked_at": len(looked),
        "written": [each.entity_id for each in told if each.text],
        "withdrawn": [each.entity_id for each in told if not each.text],
        "unchanged": unchanged,
        "more": more,
        "by": EXTRACTIVE if sight.model is None else sight.model.name,
        "model_failed": sight.model is not writer.model,
    }
    return StepResult(tuple(_in_commands(sight.of, told)), figures)


async def _entities(sight: WordSight, looked: Sequence[str]) -> AsyncIterator[tuple[Entity, Surroundings]]:
    """Each of these entities that is still there, in their order, with what is around it; read as asked for."""
    for start in range(0, len(looked), LOOKED_AT_ONCE):
        ids = looked[start : start + LOOKED_AT_ONCE]
        around = await sight.words.around(sight.of.user_id, ids, sight.now)
        for each in ids:
            if each in around.believed.entities:
                yield around.believed.entities[each], around


async def _described(entity: Entity, around: Surroundings, sight: WordSight, writer: _Writer) -> Description | None:
    """The new description of an entity, empty where nothing holds any more; None if the one it has still does."""
    facts, notes = grounds(around, entity, sight.now, sight.life), notes_about(around, entity, sight.now)
    if not is_dirty(around, entity, facts, notes, generated=writer.model is not None):
        return None
    support = tuple(each.fact_id for each in facts)
    told = await writer.write(entity, facts) if facts else ""
    text = " ".join(filter(None, (told, noted(notes))))
    same = (text or None) == entity.description and set(support) == rests_on(around.believed, entity.entity_id)
    quotes = tuple((each.note_id, each.text) for each in notes)
    return None if same else Description(entity.entity_id, text, support, quotes)


def _in_commands(of: NightName, told: Sequence[Description]) -> Iterator[Command]:
    """Each is known by what it describes and by which facts: planned anew after some were forgotten, it is another."""
    for start in range(0, len(told), MOST_DESCRIBED):
        some = tuple(told[start : start + MOST_DESCRIBED])
        place = [part for each in some for part in (each.entity_id, *each.support, *chain.from_iterable(each.notes))]
        yield DescribeEntities(command_id=of.identity(STEP, *place), actor=ACTOR, descriptions=some)


async def put_into_words(name: str, statements: Sequence[str], model: LanguageModel) -> str:
    """A few sentences of a model about what these statements are about; empty if none of its words can be used.

    A sentence that tells a name or a number of its own is left out. Raises ModelFailed.
    """
    prompt = f"About: {harmless(name)}\n{briefing([f'- {harmless(each)}' for each in statements])}"
    answer = harmless(await model.complete(Prompt(instructions(), prompt, max_tokens=_MAX_TOKENS))).strip()
    grounds = (name, *statements)
    kept = " ".join(each for each in sentences(answer) if not invented(each, grounds))
    return kept if len(answer) <= MOST_TEXT else ""


@cache
def instructions() -> str:
    """The system prompt."""
    return (files("memory.services") / "prompts" / "describe.md").read_text(encoding="utf-8").strip()
