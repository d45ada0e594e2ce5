"""Settings to adapters: only this, `build_models` and `stores` name concrete classes."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from adapters import build_models
from adapters.capture.erasure import SessionFiles
from adapters.capture.sound_cuts import SoundCuts
from adapters.capture.sound_forms import SoundForms
from adapters.capture.sound_keys import SoundKeys
from adapters.capture.sound_packing import SoundPacking
from adapters.capture.sound_sessions import SoundSessions
from adapters.capture.sound_survey import SoundSurvey, survey
from adapters.capture.sounds import SoundFolder
from adapters.clock import SystemClock
from adapters.emitting import Emitter
from adapters.hearing.opus_coder import OpusCoder
from adapters.night_parts import NightNumbers, NightRunner, parts_over
from adapters.postgres.bounds import PoolTimeouts
from adapters.postgres.embedded import data_folders
from adapters.postgres.events import PostgresEvents
from adapters.postgres.pool import Pool
from adapters.postgres.sweeping import PostgresSweeper
from adapters.stores import ErasureStores, NightStores, Stores, stores_over
from config.settings import Database, Settings
from memory.errors import ConfigError
from memory.model.scopes import Sensitivity
from memory.model.tokens import Token
from memory.ports import Clock, LanguageModel
from memory.rules.decider import Rules
from memory.services.erasing import Erase, Eraser, MemoryEraser, Turn
from memory.services.night import NightParts


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


def session_files(erasure: ErasureStores, settings: Settings) -> SessionFiles:
    """The session files, as forgetting changes them."""
    root, default_user = settings.home / "transcripts", settings.auth.default_user
    return SessionFiles(root, default_user, erasure.capture, erasure.forgetting.drop_offset, sounds(settings))


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


def eraser(erasure: ErasureStores, settings: Settings, erase: Erase, leave: Callable[[str], Awaitable[None]]) -> Eraser:
    """What carries out the queue of erasures. `erase` reaches the shard of a user, `leave` all of them."""
    files = session_files(erasure, settings)
    return Eraser(erasure.receipts, erase, erasure.forgetting, erasure.commands, files, leave)


def memory_eraser(erasure: ErasureStores, turn: Turn) -> MemoryEraser:
    """What carries out a piece of it, in the shard."""
    return MemoryEraser(turn, erasure.forgetting, erasure.commands)


def sweeper(settings: Settings, pool: Pool) -> PostgresSweeper:
    """What sweeps the database's own files."""
    if settings.dsn is None:
        raise ConfigError("No database is known here.")
    owner = _told(settings, "owner_dsn")  # nobody else may write its tables anew
    return PostgresSweeper(pool, owner or settings.dsn, settings.erasure.sweep_after_s)


def _told(settings: Settings, name: str) -> str | None:
    """What the running system tells of itself under this name, if it does."""
    runtime = settings.home / "run" / "runtime.json"
    told: dict[str, str] = json.loads(runtime.read_text()) if runtime.is_file() else {}
    return told.get(name) or None


def administrator(user_id: str, clearance: Sensitivity) -> Token:
    """What the administrator's token grants."""
    return Token("administrator", user_id, (), "admin", clearance)


def folders(settings: Settings) -> tuple[Path, ...]:
    """Where a memory lies on this machine: the home, and its own server's data where they are elsewhere."""
    return (settings.home,) if settings.dsn else (settings.home, *data_folders(settings.home))


def night_parts(
    settings: Settings, nights: NightStores, runner: NightRunner, model: LanguageModel | None
) -> NightParts:
    """What a night is run with."""
    numbers = NightNumbers(
        settings.life,
        settings.night.hour,
        settings.night.proof_questions,
        settings.recall.hours_back,
        settings.communities_job.most_of_a_night,
        settings.night.proof_seconds,
    )
    return parts_over(numbers, nights.reads, runner, build_models.graph_engine(), model)
