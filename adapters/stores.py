"""What is kept, over one pool: stores that are used together, and who builds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from adapters import build_models
from adapters.capture.captures import CommandFiles
from adapters.clock import SystemClock
from adapters.embedding.absent import AbsentEmbedder
from adapters.emitting import Emitter
from adapters.night_parts import NightReads
from adapters.postgres.archive import PostgresArchive
from adapters.postgres.audit import PostgresAudit
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.causes import PostgresCauses
from adapters.postgres.communities import PostgresCommunities
from adapters.postgres.consolidations import PostgresConsolidationReads
from adapters.postgres.entity_reads import PostgresEntityReads
from adapters.postgres.erasing import PostgresErasing
from adapters.postgres.events import PostgresEvents
from adapters.postgres.fact_reads import PostgresFactReads
from adapters.postgres.failures import PostgresFailures
from adapters.postgres.feed import PostgresFeed, PostgresTraits
from adapters.postgres.figures import PostgresFigures
from adapters.postgres.forget import PostgresForgetting
from adapters.postgres.group_reads import PostgresGroupReads
from adapters.postgres.heard import PostgresHeard
from adapters.postgres.history import PostgresHistory
from adapters.postgres.journal import PostgresJournal
from adapters.postgres.night_words import PostgresNightWords
from adapters.postgres.nights import PostgresNights
from adapters.postgres.pool import Pool
from adapters.postgres.proofs import PostgresProofReads
from adapters.postgres.reads import PostgresReads
from adapters.postgres.rebuild import PostgresRebuild
from adapters.postgres.search import PostgresSearch
from adapters.postgres.serving import PostgresServing, Served
from adapters.postgres.snapshot import PostgresSnapshots
from adapters.postgres.source_reads import PostgresSourceReads
from adapters.postgres.storylines import PostgresStorylineReads
from adapters.postgres.summaries import PostgresSummaries
from adapters.postgres.surroundings import PostgresSurroundings
from adapters.postgres.tokens import PostgresTokens
from adapters.postgres.voices import PostgresVoices
from config.models import EncoderSettings
from config.settings import Settings
from memory.errors import ConfigError
from memory.ports import Embedder


@dataclass(frozen=True)
class NextEncoder:
    """The configured encoder while another serves, and where its vectors are kept."""

    encoder: Embedder
    served: Served
    capture: PostgresCapture
    journal: PostgresJournal


@dataclass(frozen=True)
class Encoders:
    """The encoder that serves, the row that says so, and the configured one if that is another."""

    encoder: Embedder
    serving: PostgresServing
    successor: NextEncoder | None


@dataclass(frozen=True)
class Intake:
    """The way in: words are kept, encoded and read, and each step is told of."""

    capture: PostgresCapture
    encoder: Embedder
    events: Emitter


@dataclass(frozen=True)
class SoundStores:
    """Whose voices are heard, and where what they say belongs."""

    voices: PostgresVoices
    sources: PostgresSourceReads
    intake: Intake


@dataclass(frozen=True)
class MemoryStores:
    """A memory as its shard writes it and, as a whole, builds it anew or exchanges it with archives."""

    journal: PostgresJournal
    commands: CommandFiles
    rebuild: PostgresRebuild
    archive: PostgresArchive


@dataclass(frozen=True)
class ViewReads:
    """What was heard and what is believed of it, as a caller may see it."""

    sources: PostgresSourceReads
    heard: PostgresHeard
    entities: PostgresEntityReads
    facts: PostgresFactReads
    history: PostgresHistory
    figures: PostgresFigures


@dataclass(frozen=True)
class QuestionStores:
    """What questions are answered from: columns for the shards, a search without them, and what is shown of hits."""

    feed: PostgresFeed
    search: PostgresSearch
    traits: PostgresTraits
    segments: PostgresReads
    surroundings: PostgresSurroundings


@dataclass(frozen=True)
class NightStores:
    """For whom nights are due, what they read, and what they have made, as a caller may see it."""

    kept: PostgresNights
    failures: PostgresFailures
    reads: NightReads
    groups: PostgresGroupReads
    communities: PostgresCommunities
    summaries: PostgresSummaries
    causes: PostgresCauses


@dataclass(frozen=True)
class ErasureStores:
    """What an erasure is asked of, and where it has to reach."""

    receipts: PostgresErasing
    forgetting: PostgresForgetting
    capture: PostgresCapture
    commands: CommandFiles


@dataclass(frozen=True)
class AccessStores:
    """Who may come in, and what they did."""

    tokens: PostgresTokens
    audit: PostgresAudit


@dataclass(frozen=True)
class Stores:
    """Everything that is kept, over one pool, with the vectors of the encoder that serves.

    Whoever uses one part asks for that part. What several parts use is one and the same in all of them.
    """

    pool: Pool
    encoder: Embedder
    events: Emitter
    encoders: Encoders
    intake: Intake
    sound: SoundStores
    memory: MemoryStores
    reads: ViewReads
    questions: QuestionStores
    nights: NightStores
    erasure: ErasureStores
    access: AccessStores

    async def close(self) -> None:
        """Give every connection back."""
        await self.events.close()
        await self.pool.close()


async def stores_over(pool: Pool, settings: Settings, events: Emitter | None = None) -> Stores:
    """The stores over an open pool, for the encoder that serves now; `events` go on as they were."""
    serving = PostgresServing(pool)
    encoder, successor = await _encoders(serving, pool, settings)
    events = events or Emitter(PostgresEvents(pool), SystemClock())
    capture, voices = _capture(pool, encoder.name, settings), PostgresVoices(pool)
    intake = Intake(capture=capture, encoder=encoder, events=events)
    reads, memory = _reads(pool, settings), _memory(pool, encoder.name, settings)
    return Stores(
        pool=pool,
        encoder=encoder,
        events=events,
        encoders=Encoders(encoder=encoder, serving=serving, successor=successor),
        intake=intake,
        sound=SoundStores(voices=voices, sources=reads.sources, intake=intake),
        memory=memory,
        reads=reads,
        questions=_questions(pool, encoder),
        nights=_nights(pool, encoder, voices),
        erasure=ErasureStores(
            receipts=PostgresErasing(pool),
            forgetting=PostgresForgetting(pool, capture),
            capture=capture,
            commands=memory.commands,
        ),
        access=AccessStores(tokens=PostgresTokens(pool), audit=PostgresAudit(pool)),
    )


def _memory(pool: Pool, encoder: str, settings: Settings) -> MemoryStores:
    return MemoryStores(
        journal=PostgresJournal(pool, encoder),
        commands=CommandFiles(settings.home / "commands", PostgresSnapshots(pool).write),
        rebuild=PostgresRebuild(pool, encoder),
        archive=PostgresArchive(pool),
    )


def _reads(pool: Pool, settings: Settings) -> ViewReads:
    work = settings.extraction
    return ViewReads(
        sources=PostgresSourceReads(pool, work.attempts, work.tries),
        heard=PostgresHeard(pool),
        entities=PostgresEntityReads(pool),
        facts=PostgresFactReads(pool),
        history=PostgresHistory(pool),
        figures=PostgresFigures(pool, work.tries),
    )


def _questions(pool: Pool, encoder: Embedder) -> QuestionStores:
    return QuestionStores(
        feed=PostgresFeed(pool, encoder.name),
        search=PostgresSearch(pool, encoder.name),
        traits=PostgresTraits(pool, encoder.name, encoder.dimensions),
        segments=PostgresReads(pool),
        surroundings=PostgresSurroundings(pool),
    )


def _nights(pool: Pool, encoder: Embedder, voices: PostgresVoices) -> NightStores:
    likeness = (pool, encoder.name, encoder.calibrate)
    kept, communities = PostgresNights(*likeness), PostgresCommunities(pool)
    summaries, causes = PostgresSummaries(pool), PostgresCauses(pool)
    reads = NightReads(
        nights=kept,
        words=PostgresNightWords(*likeness),
        storylines=PostgresStorylineReads(*likeness),
        communities=communities,
        proofs=PostgresProofReads(pool),
        summaries=summaries,
        causes=causes,
        consolidations=PostgresConsolidationReads(pool),
        voices=voices,
    )
    return NightStores(
        kept=kept,
        failures=PostgresFailures(pool),
        reads=reads,
        groups=PostgresGroupReads(pool),
        communities=communities,
        summaries=summaries,
        causes=causes,
    )


async def _encoders(serving: PostgresServing, pool: Pool, settings: Settings) -> tuple[Embedder, NextEncoder | None]:
    """The encoder that serves, and the configured one if that is another."""
    configured = build_models.embedder(settings)
    own = Served(configured.name, configured.dimensions, _written(settings.models.encoder))
    served = await serving.begin(own)
    if served.encoder == configured.name:
        return configured, None
    capture, journal = _capture(pool, configured.name, settings), PostgresJournal(pool, configured.name)
    return _serving_embedder(served, settings), NextEncoder(configured, own, capture, journal)


def _serving_embedder(served: Served, settings: Settings) -> Embedder:
    """Build the encoder that served before the settings named another; words alone serve if that cannot be."""
    try:
        models = replace(settings.models, encoder=_read(served.settings))
        built = build_models.embedder(replace(settings, models=models))
    except (ConfigError, TypeError, KeyError) as error:
        reason = error.detail if isinstance(error, ConfigError) else "this version does not know its kind."
        return AbsentEmbedder(served.encoder, served.dimensions, reason)
    if built.name != served.encoder:
        return AbsentEmbedder(served.encoder, served.dimensions, f"what is installed is {built.name}.")
    return built


def _written(encoder: EncoderSettings) -> dict[str, Any]:
    return asdict(encoder) | {"path": str(encoder.path) if encoder.path else None}


def _read(written: Mapping[str, Any]) -> EncoderSettings:
    path = written.get("path")
    return EncoderSettings(**{**written, "path": Path(path) if path else None})


def _capture(pool: Pool, encoder: str, settings: Settings) -> PostgresCapture:
    work = settings.extraction
    return PostgresCapture(
        pool, encoder, base_s=work.retry_base_s, cap_s=work.retry_cap_s, attempts=work.attempts, tries=work.tries
    )
