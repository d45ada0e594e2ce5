"""Settings to adapters: the only module that names concrete classes."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from adapters import build_models
from adapters.capture.captures import CommandFiles
from adapters.capture.erasure import SessionFiles
from adapters.capture.sound_cuts import SoundCuts
from adapters.capture.sound_forms import SoundForms
from adapters.capture.sound_keys import SoundKeys
from adapters.capture.sound_packing import SoundPacking
from adapters.capture.sound_sessions import SoundSessions
from adapters.capture.sound_survey import SoundSurvey, survey
from adapters.capture.sounds import SoundFolder
from adapters.clock import SystemClock
from adapters.embedding.absent import AbsentEmbedder
from adapters.emitting import Emitter
from adapters.hearing.opus_coder import OpusCoder
from adapters.night_parts import NightNumbers, NightReads, NightRunner, parts_over
from adapters.postgres.archive import PostgresArchive
from adapters.postgres.audit import PostgresAudit
from adapters.postgres.bounds import PoolTimeouts
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.causes import PostgresCauses
from adapters.postgres.communities import PostgresCommunities
from adapters.postgres.consolidations import PostgresConsolidationReads
from adapters.postgres.embedded import data_folders
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
from adapters.postgres.sweeping import PostgresSweeper
from adapters.postgres.tokens import PostgresTokens
from adapters.postgres.voices import PostgresVoices
from config.models import EncoderSettings
from config.settings import Database, Settings
from memory.errors import ConfigError
from memory.model.scopes import Sensitivity
from memory.model.tokens import Token
from memory.ports import Clock, Embedder, Index, LanguageModel, TraitSource
from memory.rules.decider import Rules
from memory.services.erasing import Erase, Eraser, MemoryEraser, Turn
from memory.services.night import NightParts


@dataclass(frozen=True)
class NextEncoder:
    """The configured encoder while another serves, and where its vectors are kept."""

    encoder: Embedder
    served: Served
    capture: PostgresCapture
    journal: PostgresJournal


@dataclass(frozen=True)
class Stores:
    """Everything that is kept, over one pool, with the vectors of the encoder that serves."""

    pool: Pool
    encoder: Embedder
    successor: NextEncoder | None
    serving: PostgresServing
    journal: PostgresJournal
    capture: PostgresCapture
    nights: PostgresNights
    night_words: PostgresNightWords
    storylines: PostgresStorylineReads
    summaries: PostgresSummaries
    causes: PostgresCauses
    communities: PostgresCommunities
    proofs: PostgresProofReads
    consolidations: PostgresConsolidationReads
    groups: PostgresGroupReads
    feed: PostgresFeed
    search: PostgresSearch
    tokens: PostgresTokens
    reads: PostgresReads
    entities: PostgresEntityReads
    facts: PostgresFactReads
    sources: PostgresSourceReads
    figures: PostgresFigures
    failures: PostgresFailures
    history: PostgresHistory
    forgetting: PostgresForgetting
    erasing: PostgresErasing
    archive: PostgresArchive
    commands: CommandFiles
    rebuild: PostgresRebuild
    surroundings: PostgresSurroundings
    audit: PostgresAudit
    heard: PostgresHeard
    voices: PostgresVoices
    events: Emitter

    async def close(self) -> None:
        """Give every connection back."""
        await self.events.close()
        await self.pool.close()


def attached(settings: Settings) -> Settings:
    """The settings of a program outside the cluster: it connects as the running system does."""
    told = _told(settings, "dsn")
    return settings if told is None else replace(settings, dsn=told)


def clock() -> Clock:
    """The machine's clock."""
    return SystemClock()


def rules(settings: Settings) -> Rules:
    """What deciding needs of the settings."""
    fulfilment = build_models.fulfilment(settings)
    return Rules(settings.gates, settings.revision, settings.reflection, life=settings.life, fulfilment=fulfilment)


CONNECTIONS = {"gateway": 6, "shard": 6, "worker": 4, "night": 2}
"""The most connections of each part of the product; adapters/postgres/roles.py says how many there may be in all."""
TELLING = 1
"""Connections of each part beside those, for events: as many as are told, nobody else waits for them."""


async def stores(settings: Settings, part: str = "gateway") -> Stores:
    """Connect to the database that the settings name (the supervisor fills in the embedded one), as a part does."""
    if settings.dsn is None:
        raise ConfigError("No database is known here: start Memoray with `memoray up`, or set MEMORAY_DSN.")
    pool = Pool(settings.dsn, max_size=CONNECTIONS[part], bounds=bounds(settings.database, part))
    await pool.open()
    telling = Pool(settings.dsn, max_size=TELLING, min_size=0, bounds=bounds(settings.database, part))
    await telling.open()
    return await stores_over(pool, settings, Emitter(PostgresEvents(telling), clock(), part=part))


def bounds(patience: Database, part: str) -> PoolTimeouts:
    """How long the database may take over what a part asks: seconds for questions, minutes in the background."""
    asked = patience.question_s if part in ("gateway", "shard") else patience.background_s
    return PoolTimeouts(asked, patience.lock_s, patience.idle_s, patience.background_s)


async def stores_over(pool: Pool, settings: Settings, events: Emitter | None = None) -> Stores:
    """The stores over an open pool, for the encoder that serves now; `events` go on as they were."""
    serving = PostgresServing(pool)
    encoder, successor = await _encoders(serving, pool, settings)
    name, capture, work = encoder.name, _capture(pool, encoder.name, settings), settings.extraction
    return Stores(
        pool,
        encoder,
        successor,
        serving,
        PostgresJournal(pool, name),
        capture,
        *_of_nights(pool, encoder),
        PostgresGroupReads(pool),
        PostgresFeed(pool, name),
        PostgresSearch(pool, name),
        PostgresTokens(pool),
        PostgresReads(pool),
        PostgresEntityReads(pool),
        PostgresFactReads(pool),
        PostgresSourceReads(pool, work.attempts, work.tries),
        PostgresFigures(pool, work.tries),
        PostgresFailures(pool),
        PostgresHistory(pool),
        PostgresForgetting(pool, capture),
        PostgresErasing(pool),
        PostgresArchive(pool),
        CommandFiles(settings.home / "commands", PostgresSnapshots(pool).write),
        PostgresRebuild(pool, name),
        PostgresSurroundings(pool),
        PostgresAudit(pool),
        PostgresHeard(pool),
        PostgresVoices(pool),
        events or Emitter(PostgresEvents(pool), clock()),
    )


def _of_nights(
    pool: Pool, encoder: Embedder
) -> tuple[
    PostgresNights,
    PostgresNightWords,
    PostgresStorylineReads,
    PostgresSummaries,
    PostgresCauses,
    PostgresCommunities,
    PostgresProofReads,
    PostgresConsolidationReads,
]:
    """What nights read and keep, in the order of `Stores`."""
    likeness = (pool, encoder.name, encoder.calibrate)
    return (
        PostgresNights(*likeness),
        PostgresNightWords(*likeness),
        PostgresStorylineReads(*likeness),
        PostgresSummaries(pool),
        PostgresCauses(pool),
        PostgresCommunities(pool),
        PostgresProofReads(pool),
        PostgresConsolidationReads(pool),
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


def session_files(kept: Stores, settings: Settings) -> SessionFiles:
    """The session files, as forgetting changes them."""
    root, default_user = settings.home / "transcripts", settings.auth.default_user
    return SessionFiles(root, default_user, kept.capture, kept.forgetting.drop_offset, sounds(settings))


def sounds(settings: Settings) -> SoundFolder:
    """The sound that is kept."""
    return SoundFolder(settings.home / "audio", settings.sound, sound_forms(settings))


def sound_sessions(settings: Settings) -> SoundSessions:
    """Its sessions, as they are swept."""
    return SoundSessions(settings.home / "audio", sound_forms(settings))


def sound_cuts(settings: Settings) -> SoundCuts:
    """Some seconds of it."""
    return SoundCuts(settings.home / "audio", sound_forms(settings))


def sound_forms(settings: Settings) -> SoundForms:
    """In which forms it lies on disk."""
    named = settings.sound.key_file
    return SoundForms(SoundKeys(settings.home / named if named else None), OpusCoder(settings.sound.kbit))


def sound_packing(settings: Settings) -> SoundPacking:
    """What brings it into its lasting form."""
    forms, after_sweeps = sound_forms(settings), settings.sound.sweeps and build_models.ear(settings).is_installed
    return SoundPacking(settings.home / "audio", sound_sessions(settings), forms, after_sweeps=after_sweeps)


def sound_survey(settings: Settings) -> SoundSurvey:
    """How much of it there is. Raises SoundSealed of a file of keys that cannot be used."""
    return survey(settings.home / "audio", sound_forms(settings))


def eraser(kept: Stores, settings: Settings, erase: Erase, leave: Callable[[str], Awaitable[None]]) -> Eraser:
    """What carries out the queue of erasures. `erase` reaches the shard of a user, `leave` all of them."""
    files = session_files(kept, settings)
    return Eraser(kept.erasing, erase, kept.forgetting, kept.commands, files, leave)


def memory_eraser(kept: Stores, turn: Turn) -> MemoryEraser:
    """What carries out a piece of it, in the shard."""
    return MemoryEraser(turn, kept.forgetting, kept.commands)


def sweeper(settings: Settings, kept: Stores) -> PostgresSweeper:
    """What sweeps the database's own files."""
    if settings.dsn is None:
        raise ConfigError("No database is known here.")
    owner = _told(settings, "owner_dsn")  # nobody else may write its tables anew
    return PostgresSweeper(kept.pool, owner or settings.dsn, settings.erasure.sweep_after_s)


def _told(settings: Settings, name: str) -> str | None:
    """What the running system tells of itself under this name, if it does."""
    runtime = settings.home / "run" / "runtime.json"
    told: dict[str, str] = json.loads(runtime.read_text()) if runtime.is_file() else {}
    return told.get(name) or None


def fallback_search(kept: Stores) -> tuple[tuple[Index, ...], TraitSource]:
    """PostgreSQL's own search, for when the shard does not answer."""
    encoder = kept.encoder
    return kept.search.serves, PostgresTraits(kept.pool, encoder.name, encoder.dimensions)


def administrator(user_id: str, clearance: Sensitivity) -> Token:
    """What the administrator's token grants."""
    return Token("administrator", user_id, (), "admin", clearance)


def folders(settings: Settings) -> tuple[Path, ...]:
    """Where a memory lies on this machine: the home, and its own server's data where they are elsewhere."""
    return (settings.home,) if settings.dsn else (settings.home, *data_folders(settings.home))


def night_parts(settings: Settings, stores: Stores, runner: NightRunner, model: LanguageModel | None) -> NightParts:
    """What a night is run with."""
    numbers = NightNumbers(
        settings.life,
        settings.night.hour,
        settings.night.proof_questions,
        settings.recall.hours_back,
        settings.communities_job.most_of_a_night,
        settings.night.proof_seconds,
    )
    reads = NightReads(
        stores.nights,
        stores.night_words,
        stores.storylines,
        stores.communities,
        stores.proofs,
        stores.summaries,
        stores.causes,
        stores.consolidations,
        stores.voices,
    )
    return parts_over(numbers, reads, runner, build_models.graph_engine(), model)
