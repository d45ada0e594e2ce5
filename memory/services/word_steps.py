"""The steps of the second phase of a night, in their order. To add one is a function and a line in WORD_STEPS."""

from __future__ import annotations

from collections.abc import Mapping

from memory.rules.night_steps import StepResult
from memory.services.consolidation import STEP as CONSOLIDATIONS
from memory.services.consolidation import Gathering, consolidations
from memory.services.night_causes import STEP as CAUSES
from memory.services.night_causes import link_causes
from memory.services.night_communities import STEP as COMMUNITIES
from memory.services.night_communities import communities
from memory.services.night_sources import STEP as SUMMARIES
from memory.services.night_sources import sum_up_sources
from memory.services.night_storylines import STEP as STORYLINES
from memory.services.night_storylines import storylines
from memory.services.night_voices import STEP as VOICES
from memory.services.night_voices import alike_voices
from memory.services.night_words import STEP as DESCRIPTIONS
from memory.services.night_words import WordSight, WordStep, descriptions
from memory.services.storylines import SummaryWriter


async def _causes(sight: WordSight) -> StepResult:
    return await link_causes(sight.of, sight.now, sight.causes, sight.model, sight.life.causes)


async def _summaries(sight: WordSight) -> StepResult:
    return await sum_up_sources(sight.of, sight.now, sight.sources, sight.model, sight.life.summaries)


async def _consolidations(sight: WordSight) -> StepResult:
    """Gather sources (seed 002); where nothing can be read of them, nothing is done."""
    if sight.storylines is None or sight.consolidations is None:
        return StepResult((), {})
    writer = SummaryWriter(sight.model)
    return await consolidations(
        Gathering(sight.of, sight.now, sight.life, sight.consolidations, sight.storylines, writer)
    )


async def _communities(sight: WordSight) -> StepResult:
    return await communities(sight.of, sight.now, sight.clustering, sight.life.communities)


async def _voices(sight: WordSight) -> StepResult:
    return await alike_voices(sight.of, sight.voices)


WORD_STEPS: Mapping[str, WordStep] = {
    DESCRIPTIONS: descriptions,
    CAUSES: _causes,
    SUMMARIES: _summaries,
    STORYLINES: storylines,
    CONSOLIDATIONS: _consolidations,
    COMMUNITIES: _communities,
    VOICES: _voices,
}
