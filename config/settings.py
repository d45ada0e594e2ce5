"""The one frozen tree of settings, read once at start and passed as values.

Later layers win: the defaults below, `config/memory.yaml`, the preset, `{home}/memory.yaml`, the environment
(`MEMORAY_<SECTION>__<KEY>`, for example `MEMORAY_HTTP__PORT=8001`), and what the program itself overrides. Unknown
keys, wrong types and impossible values raise ConfigError. `docs/howto/dgx-spark.md` and `config/presets` show uses.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

import config
from config.doors import Chat, Events, Sound
from config.jobs import CommunitiesJob, Erasure, Leasing, Night
from config.loading import Layer, compose, environment_layer, file_layer, nearest
from config.models import AnswerModel, ExtractionModel, JudgeModel, Models
from memory.errors import ConfigError
from memory.model.quantities import Count, Days, Port, Seconds, ShardCount
from memory.retrieval.parameters import Recall
from memory.rules.parameters import (
    CausalLinks,
    Communities,
    Consolidations,
    Decay,
    Descriptions,
    Gates,
    Life,
    Lifecycle,
    Reflection,
    Revision,
    SourceSummaries,
    Storylines,
    Strength,
    Tiers,
)

PREFIX = "MEMORAY_"
_SCALARS = ("dsn", "preset", "shards")
_ROOMS = ("memory", "config", "adapters", "actors", "deployments", "jobs")


@dataclass(frozen=True, slots=True)
class Http:
    """Where the front door listens."""

    host: str = "127.0.0.1"
    """Address to bind; loopback, since the transport is not encrypted."""
    port: Port = 8000
    """TCP port of the one front door."""
    hosts: str = ""
    """Names by which it may be called beside those of loopback and its own address: that of a proxy, or in a LAN;
    several with commas between."""
    connections: Count = 2_048
    """Connections open at once (a descriptor each; who comes beyond waits for one that ends, or has long been idle)."""
    connections_per_address: Count = 1_024
    """Connections open at once from one address; on one machine that is everybody."""
    requests: Count = 32
    """Requests worked on at once, three in four of them questions; the others wait, and none is begun whose caller has
    left. More do not make two cores answer more, and fewer let slow ones keep others waiting (chosen)."""
    rate: Count = 1_000
    """Requests a second of one token, on the average; beyond them it is told to wait (chosen: several times what two
    cores answer, so it stops a program that asks in a loop and nobody else)."""
    burst: Count = 10_000
    """Requests of one token that may come at once."""
    cors: str = ""
    """Origins of pages in a browser that may ask, such as https://example.com, several with commas between; * = every
    one. Empty = none: a browser then asks for nobody."""
    patience_s: Seconds = 10.0
    """Seconds a question waits for its shard to come back, where PostgreSQL has not answered it meanwhile (chosen: what
    the database is waited for, too)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may carry; beyond it the answer is 413. Limits of fields stand in deployments/kinds.py."""

    body_bytes: Count = 5_000_000
    """Bytes of one request body (chosen: a day of talk is below 1 MB)."""
    sound_bytes: Count = 1_000_000_000
    """Bytes of a sound that is sent to be heard (chosen: 90 minutes of 44,100 samples a second in stereo)."""


@dataclass(frozen=True, slots=True)
class StoreChoice:
    """Which store serves which projection; the journal is always PostgreSQL."""

    graph: Literal["postgres", "neo4j"] = "postgres"
    """Entities and their links; only postgres in this version."""
    vectors: Literal["postgres", "qdrant"] = "postgres"
    """Sentence vectors; only postgres in this version."""


@dataclass(frozen=True, slots=True)
class Database:
    """How long the database may take, by the kind of work; what takes longer is ended and answered with 503."""

    question_s: Seconds = 30.0
    """Seconds for one statement of a question or a turn (chosen: a hundred times what the slowest has taken)."""
    background_s: Seconds = 600.0
    """Seconds for one statement of reading, encoding and nights, and of work over a whole memory (chosen)."""
    lock_s: Seconds = 10.0
    """Seconds to wait for other work on the same memory (chosen: a turn takes milliseconds, a night's 0.2 s)."""
    idle_s: Seconds = 60.0
    """Seconds a transaction may stand open and ask nothing (chosen: whoever was stopped holds up others)."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The background reading of what was captured (decision 0061, 6)."""

    retry_base_s: Seconds = 10.0
    """Seconds before the second attempt; doubles with each further one."""
    retry_cap_s: Seconds = 3_600.0
    """Longest wait between two attempts, in seconds."""
    attempts: Count = 8
    """Attempts before a source is `failed` and listed."""
    batch: Count = 16
    """Segments read in one turn: few enough that a question waits 20 ms for it, not 200 (measured)."""
    deadline_s: Seconds = 60.0
    """Seconds reading 20,000 characters may take before it is ended: 30 times what talk takes (measured)."""
    tries: Count = 3
    """Times reading a segment may end with its process or its deadline before the segment is set aside (chosen)."""


@dataclass(frozen=True, slots=True)
class Auth:
    """Who comes in when nothing else is said."""

    token_file: str = "token"
    """The administrator's token, relative to home, mode 0600."""
    default_user: str = "me"
    """The user the administrator's own requests, and files in the root of the transcripts folder, belong to."""
    clearance: Literal["open", "private", "sensitive"] = "private"
    """The most sensitive thing a token sees unless it says otherwise (decision 0061, 17)."""
    audit_days: Days = 90.0
    """Days for which is kept who read or changed what."""
    audit_entries: Count = 100_000
    """Requests of one memory that are kept; the oldest go first (20 MB; a question a minute for two months)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. `home` is the folder of all data and is given, never written in a file."""

    home: Path
    """Where data, logs and runtime files live; --home, else MEMORAY_HOME, else `data` beside the packages."""
    dsn: str | None = field(default=None, repr=False)
    """A PostgreSQL server (15 or later, with pgvector) as a URL; null starts the embedded one."""
    preset: str = "default"
    """A named set of settings from config/presets, laid over config/memory.yaml."""
    shards: ShardCount = 1
    """Processes that memories live in, each user in one of them: 125 MB and 7 connections to the database each. One has
    the memories of a household; more use more processors (decision 0095)."""
    http: Http = field(default_factory=Http)
    """The front door."""
    limits: Limits = field(default_factory=Limits)
    """The size of requests."""
    stores: StoreChoice = field(default_factory=StoreChoice)
    """The projections."""
    database: Database = field(default_factory=Database)
    """The database's patience."""
    models: Models = field(default_factory=Models)
    """The models."""
    gates: Gates = field(default_factory=Gates)
    """What is sure enough to become an entity."""
    recall: Recall = field(default_factory=Recall)
    """Questions."""
    revision: Revision = field(default_factory=Revision)
    """Claims against rivals."""
    reflection: Reflection = field(default_factory=Reflection)
    """What a memory makes of its own facts."""
    strength: Strength = field(default_factory=Strength)
    """Which law of fading serves which noun."""
    decay: Decay = field(default_factory=Decay)
    """The laws of fading."""
    lifecycle: Lifecycle = field(default_factory=Lifecycle)
    """Candidate, active, core, archived, pruned."""
    tiers: Tiers = field(default_factory=Tiers)
    """Climbing."""
    descriptions: Descriptions = field(default_factory=Descriptions)
    """What is written of entities at night."""
    storylines: Storylines = field(default_factory=Storylines)
    """Storylines and macros."""
    summaries: SourceSummaries = field(default_factory=SourceSummaries)
    """Summaries of sources."""
    communities: Communities = field(default_factory=Communities)
    """Communities and patterns."""
    consolidations: Consolidations = field(default_factory=Consolidations)
    """What is gathered into one."""
    causes: CausalLinks = field(default_factory=CausalLinks)
    """Reasons that a language model proposes."""
    night: Night = field(default_factory=Night)
    """The nightly job."""
    communities_job: CommunitiesJob = field(default_factory=CommunitiesJob)
    """The job that finds communities by itself."""
    lease: Leasing = field(default_factory=Leasing)
    """Who may use the GPU at once."""
    extraction: Extraction = field(default_factory=Extraction)
    """Background reading."""
    auth: Auth = field(default_factory=Auth)
    """Identity."""
    erasure: Erasure = field(default_factory=Erasure)
    """Forgetting for good."""
    events: Events = field(default_factory=Events)
    """Watching."""
    sound: Sound = field(default_factory=Sound)
    """What is kept of sound."""
    chat: Chat = field(default_factory=Chat)
    """Talking with a memory."""

    @property
    def life(self) -> Life:
        """All the numbers of a lifetime in one."""
        return Life(*(getattr(self, each.name) for each in fields(Life)))

    @property
    def token_path(self) -> Path:
        """The administrator's token file."""
        return self.home / self.auth.token_file


def project_root() -> Path:
    """The folder that holds our packages side by side."""
    return Path(config.__file__ or "").resolve().parents[1]


def default_home(environ: Mapping[str, str] | None = None) -> Path:
    """Where data live unless said otherwise: MEMORAY_HOME, else `data` beside the packages."""
    named = (os.environ if environ is None else environ).get(f"{PREFIX}HOME")
    return Path(named).expanduser().resolve() if named else project_root() / "data"


def preset_names() -> tuple[str, ...]:
    """The presets that exist, `default` first."""
    return ("default", *sorted(path.stem for path in (project_root() / "config" / "presets").glob("*.yaml")))


def assert_own_packages() -> None:
    """Refuse to start when a foreign package of the same name (config, jobs, ...) stands before ours on the path."""
    root = project_root()
    for room in _ROOMS:
        spec = importlib.util.find_spec(room)
        if spec is None or spec.origin is None or Path(spec.origin).resolve().parents[1] != root:
            raise ConfigError(f"Python finds another package named {room} than the one in {root}: clean PYTHONPATH.")


def load(
    home: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Read the settings once. `overrides` has the tree's shape and wins. Raises ConfigError."""
    assert_own_packages()
    environ = os.environ if environ is None else environ
    home = Path(home).expanduser().resolve() if home else default_home(environ)
    base = file_layer(project_root() / "config" / "memory.yaml")
    above = (
        file_layer(home / "memory.yaml"),
        environment_layer(environ, PREFIX, _SCALARS),
        Layer("overrides", overrides or {}),
    )
    settings = compose(Settings, (base, *above), home=home)
    if settings.preset != "default":
        settings = compose(Settings, (base, _preset_layer(settings.preset), *above), home=home)
    _refuse_impossible(settings)
    return settings


def _preset_layer(name: str) -> Layer:
    if name not in preset_names():
        raise ConfigError(f"There is no preset of that name; {nearest(name, preset_names())}")
    return file_layer(project_root() / "config" / "presets" / f"{name}.yaml")


def _endpoint_unset(model: ExtractionModel | AnswerModel | JudgeModel) -> bool:
    return model.kind == "openai" and not (model.url and model.model)


_IMPOSSIBLE: tuple[tuple[Callable[[Settings], bool], str], ...] = (
    (lambda s: s.stores.graph != "postgres", "stores.graph: neo4j comes with a later version; use postgres."),
    (lambda s: s.stores.vectors != "postgres", "stores.vectors: qdrant comes with a later version; use postgres."),
    (lambda s: _endpoint_unset(s.models.extraction), "models.extraction: kind openai needs url and model."),
    (lambda s: _endpoint_unset(s.models.contradiction), "models.contradiction: kind openai needs url and model."),
    (lambda s: _endpoint_unset(s.models.language), "models.language: kind openai needs url and model."),
    (
        lambda s: not s.revision.relate_above <= s.revision.contradict_above <= s.revision.reinforce_above,
        "revision: relate_above <= contradict_above <= reinforce_above must hold.",
    ),
    (lambda s: s.tiers.l1_after_days > s.tiers.l2_after_days, "tiers: l1_after_days must not exceed l2_after_days."),
    (lambda s: s.lifecycle.active_at > s.lifecycle.core_at, "lifecycle: active_at must not exceed core_at."),
    (
        lambda s: s.decay.spaced.gradient_least > s.decay.spaced.gradient_most,
        "decay: spaced.gradient_least must not exceed spaced.gradient_most.",
    ),
    (
        lambda s: 0 in (s.decay.half_life_days, s.decay.stability.half_life_days, s.decay.stretched.scale),
        "decay: half_life_days and stretched.scale must be above 0.",
    ),
    (lambda s: s.recall.fusion.k == 0, "recall: fusion.k must be above 0."),
    (lambda s: s.recall.diversity.pool > s.recall.pool, "recall: diversity.pool must not exceed pool."),
    (
        lambda s: s.extraction.retry_base_s > s.extraction.retry_cap_s,
        "extraction: retry_base_s must not exceed retry_cap_s.",
    ),
    (lambda s: not s.lease.fits, "lease: what each user declares must not exceed memory_gb times share."),
)
"""What each value alone cannot show."""


def _refuse_impossible(settings: Settings) -> None:
    for broken, why in _IMPOSSIBLE:
        if broken(settings):
            raise ConfigError(why)
