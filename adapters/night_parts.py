"""What a night is run with, put together in one way for the product and for lives that are simulated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from memory.ports import GraphEngine, LanguageModel
from memory.rules.parameters import Life
from memory.services.consolidation import ConsolidationReads
from memory.services.night import NightParts, Nights, TurnRunner
from memory.services.night_causes import CausalReads
from memory.services.night_communities import Clustering, CommunityReads
from memory.services.night_sources import SourceReads
from memory.services.night_voices import VoiceReads
from memory.services.night_words import NightWords
from memory.services.proving import ASKED_S, MOST_QUESTIONS, ProofReads, ProofRecall, Proving, asking
from memory.services.storylines import StorylineReads
from memory.services.undoing_nights import Undoer


class NightRunner(TurnRunner, Undoer, ProofRecall, Protocol):
    """Who commits for a night, takes back what did harm, and answers what proves it."""


@dataclass(frozen=True)
class NightReads:
    """What a night reads of a memory, and where it is kept."""

    nights: Nights
    words: NightWords
    storylines: StorylineReads
    communities: CommunityReads
    proofs: ProofReads
    summaries: SourceReads
    causes: CausalReads
    consolidations: ConsolidationReads
    voices: VoiceReads | None = None


@dataclass(frozen=True)
class NightNumbers:
    """The numbers of a night; `hours_back` is how far questions look back, as they do by default in GET /v1/context."""

    life: Life
    hour: int = 3
    questions: int = MOST_QUESTIONS
    hours_back: float | None = None
    most_ties: int | None = None
    """Ties of a memory up to which its night finds communities; None = however many."""
    proof_seconds: float = ASKED_S
    """Seconds within which the questions of the proof are asked at first."""


def parts_over(
    numbers: NightNumbers, reads: NightReads, runner: NightRunner, engine: GraphEngine, model: LanguageModel | None
) -> NightParts:
    """All parts of a night, its second phase and its proof included."""
    return NightParts(
        numbers.life,
        reads.nights,
        runner,
        reads.words,
        model,
        numbers.hour,
        storylines=reads.storylines,
        clustering=Clustering(reads.communities, engine, numbers.most_ties),
        sources=reads.summaries,
        causes=reads.causes,
        consolidations=reads.consolidations,
        voices=reads.voices,
        proving=Proving(
            reads.proofs, asking(runner, numbers.hours_back), runner, numbers.questions, numbers.proof_seconds
        ),
    )
