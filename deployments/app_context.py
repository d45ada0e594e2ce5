"""The application context: what routes and use cases work with, built once for each replica."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from fastapi import Request

from actors.remote_ear import RemoteEar
from actors.understanding import QuestionEncoding
from adapters import build, build_models
from adapters.allocator import give_back
from adapters.capture.erasure import SessionFiles
from adapters.disk import is_full
from adapters.row_scope import as_named
from adapters.stores import AccessStores, Encoders, Stores, stores_over
from config.settings import Settings
from deployments.attempts import Attempts
from deployments.audit import AuditTrail
from deployments.chats import ChatSessions
from deployments.looks import Looks
from deployments.metrics import Metrics
from deployments.rates import Rates
from deployments.rings import Rings
from deployments.tickets import Tickets
from memory.errors import ConfigError, Unavailable
from memory.model.changes import ChangeSet
from memory.model.claims import Reading, Utterance
from memory.model.commands import Command
from memory.model.erasing import ErasureTask
from memory.model.profile import Profile
from memory.model.scopes import SENSITIVITY_NAMES, View
from memory.model.timeline import Instant
from memory.model.verdicts import StatementPair, Verdict
from memory.model.working_set import WorkingSet
from memory.ports import Clock, Embedder, Index, Keys, LanguageModel, Leases, Matrix, Statements, TraitSource, Vector
from memory.retrieval.pieces import EncodedQuestion
from memory.retrieval.projected import ProjectionProgress
from memory.retrieval.query import Question
from memory.retrieval.verdicts import VerdictWeights
from memory.rules.decider import Rules
from memory.services.ears import Ear, LiveEar, VoicesOfEar
from memory.services.erasing import Eraser
from memory.services.leasing import FreeLeases
from memory.services.night import NightParts
from memory.services.rebuild import RebuildResult
from memory.services.recall import Recollection
from memory.services.voices import VoiceListener
from memory.services.zones import offset_s

log = logging.getLogger("memoray.gateway")
SEARCHES = 4
"""Searches by PostgreSQL at once in the place of a shard (chosen: half of them wait for it, on two cores)."""
UPLOADS = 8
"""Sounds that come in at once (chosen: each may take the disk space of the longest)."""
RENEW_S = 1.0
"""Seconds between looks for the encoder that serves: one row, beside one request a second."""


class AsyncEncoder(Protocol):
    """The Embedder as the gateway waits for it, here or elsewhere."""

    async def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector a text."""

    async def ask(self, text: str) -> EncodedQuestion:
        """A question's vector and word pieces."""


class LocalEncoder:
    """An encoder in a thread of this process."""

    def __init__(self, own: Embedder) -> None:
        self._own = own

    async def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector a text."""
        return await asyncio.to_thread(self._own.embed, texts)

    async def ask(self, text: str) -> EncodedQuestion:
        """A question's vector and word pieces."""
        return await asyncio.to_thread(self._own.ask, text)


class Web(Protocol):
    """The web as a chat may reach it."""

    searches: bool
    """Whether there is a search engine."""
    fetches: bool
    """Whether pages may be read."""

    async def search(self, query: str) -> list[dict[str, str]]:
        """Title, address and some words of what is found. Raises DomainError."""

    async def fetch(self, url: str) -> str:
        """The words of a public page. Raises DomainError."""


class ActorClient(Protocol):
    """The living parts, wherever they run: the shards of the users, and the worker."""

    def shard_of(self, user_id: str) -> str:
        """The name of the shard a user lives in by now."""

    async def turn(self, user_id: str, command: Command, statements: Mapping[str, Vector]) -> ChangeSet:
        """One turn of a user's memory."""

    async def carry_out(self, user_id: str, command: Command) -> None:
        """One turn whose changes nobody asks for: those of a night."""

    async def undo(
        self, user_id: str, command_id: str, undone_id: str | None, actor: str, *, partly: bool = False
    ) -> ChangeSet:
        """Reverse a command; `partly` leaves what has changed since."""

    async def recall(self, question: Question, only: Keys | None, understood: QuestionEncoding | None) -> Recollection:
        """What answers a question; one that is not understood yet is encoded where it is answered."""

    async def note_groups(self, user_id: str, group_ids: Sequence[str]) -> None:
        """Count that somebody was shown these storylines or macros; by a shard that is away they are not counted."""

    async def read_text(self, utterances: tuple[Utterance, ...]) -> tuple[Reading, Mapping[str, Vector]]:
        """Read a few sentences at once."""

    async def judge(self, pairs: Sequence[StatementPair]) -> Sequence[Verdict]:
        """Judge pairs of statements."""

    async def believed(self, user_id: str) -> WorkingSet:
        """The working set of a user as it stands."""

    async def projected(self, user_id: str, scopes: Sequence[str]) -> Sequence[ProjectionProgress]:
        """How far the projections of a user's shard have come in these scopes; none if it does not answer soon."""

    async def wake(self) -> None:
        """Tell the worker that there is something to do."""

    async def erase(self, task: ErasureTask) -> Mapping[str, int]:
        """Carry out a piece of an erasure in its user's memory."""

    async def forget_user(self, user_id: str) -> None:
        """Drop what is held of a user."""

    async def rebuild(self, user_id: str) -> RebuildResult:
        """Write a user's history anew from captured commands."""


@dataclass
class AppContext:
    """Settings, stores, models and the actor client. `readers` remembers which teams' scopes were noted as read."""

    settings: Settings
    stores: Stores
    actors: ActorClient
    clock: Clock
    encoder: AsyncEncoder
    encodes: bool = False
    """Questions are encoded before they are sent to their shard: the encoder is a deployment that only this knows."""
    deployed: AsyncEncoder | None = None
    """That deployment; as long as another encoder serves than the configured one it is not asked."""
    looked: Instant = 0.0
    """When it was last looked which encoder serves."""
    looking: asyncio.Task[None] | None = None
    """The latest look, beside a request that does not wait for it."""
    model: LanguageModel | None = None
    readers: set[tuple[str, str]] = field(default_factory=set)
    underway: set[asyncio.Task[None]] = field(default_factory=set)
    """Work that goes on when the request that began it was answered."""
    searching: asyncio.Semaphore = field(default_factory=partial(asyncio.Semaphore, SEARCHES))
    """Held by whoever has PostgreSQL search in the place of a shard."""
    heard: dict[str, float] = field(default_factory=dict)
    """shard -> when it has last answered a question, by the loop's clock."""
    attempts: Attempts = field(default_factory=Attempts)
    """Tokens that were guessed."""
    tickets: Tickets = field(default_factory=Tickets)
    """Tickets of streams."""
    chats: ChatSessions = field(default_factory=ChatSessions)
    """Who talks with their memory now."""
    looks: Looks = field(default_factory=Looks)
    """What was just seen of all facts of a memory."""
    web: Web | None = None
    """What these may reach of the web, if the settings let them."""
    uploads: asyncio.Semaphore = field(default_factory=partial(asyncio.Semaphore, UPLOADS))
    """Held by whoever sends a sound."""
    live: Counter[str] = field(default_factory=Counter)
    """Live streams of each memory."""
    leases: Leases = field(default_factory=FreeLeases)
    """Who may use the GPU now."""
    voices: VoiceListener | None = None
    """What tells how voices sound, if the extra is installed."""
    speech: Any = None
    """The handle of the deployment that hears on a GPU, if there is one."""

    def __post_init__(self) -> None:
        """Rates, the audit trail, the metrics and the rings of events, over whatever stores there are."""
        self.rates = Rates(self.settings.http)
        self.trail = AuditTrail(self.stores.access.audit, self.settings.auth)
        self.metrics = Metrics()
        self.sounds = build.sounds(self.settings)
        self.sound_cuts = build.sound_cuts(self.settings)
        self.sound_sessions = build.sound_sessions(self.settings)
        heard_by = build_models.ear(self.settings, self.leases)
        self.ear: Ear = heard_by
        self.live_ear: LiveEar = heard_by
        if self.speech is not None:
            self.ear = RemoteEar(lambda: self.speech, self.ear, self.settings.models.speech.most_s)
        if self.voices is None and self.ear.is_installed:
            self.voices = VoicesOfEar(self.ear)
        self.rings = Rings(self.stores.events.store)
        self.stores.events.when_written(self.rings.wake)

    @property
    def tokens(self) -> Any:
        """The tokens."""
        return self.stores.access.tokens

    def look(self) -> None:
        """Begin to look which encoder serves, at most every `RENEW_S`."""
        if self.clock.now() - self.looked >= RENEW_S and (self.looking is None or self.looking.done()):
            self.looked, self.looking = self.clock.now(), asyncio.ensure_future(self._look())

    async def _look(self) -> None:
        try:
            await self.renew()
        except Unavailable:  # whoever needs the database will say so; the next look comes soon
            log.warning("which encoder serves is unknown for now")

    @property
    def rules(self) -> Rules:
        """What deciding needs of the settings."""
        return build.rules(self.settings)

    def night_parts(self) -> NightParts:
        """What a night is run with."""
        return build.night_parts(self.settings, self.stores.nights, self.actors, self.model)

    def session_files(self) -> SessionFiles:
        """The session files, as forgetting changes them."""
        return build.session_files(self.stores.erasure, self.settings)

    def eraser(self) -> Eraser:
        """What carries out the queue of erasures."""
        return build.eraser(self.stores.erasure, self.settings, self.actors.erase, self.actors.forget_user)

    def fallback_search(self) -> tuple[Sequence[Index], TraitSource]:
        """PostgreSQL's own search, for when the shard does not answer."""
        return self.stores.questions.search.serves, self.stores.questions.traits

    def verdict_weights(self, encoder: str) -> VerdictWeights | None:
        """What was taught beside the encoder of this name, None for one beside which nothing was."""
        return build_models.verdict_weights(encoder)

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin work of the memory it names, and not of who asked; it goes on when the request is over."""
        with as_named():
            begun = asyncio.ensure_future(work)
        self.underway.add(begun)
        begun.add_done_callback(self.underway.discard)
        return begun

    def has_room(self) -> bool:
        """Whether the disks that a memory lies on have room."""
        return not is_full(build.folders(self.settings))

    async def renew(self) -> None:
        """Take the encoder that serves now."""
        if await self.stores.encoders.serving.name() != self.stores.encoder.name:
            self.stores = await stores_over(self.stores.pool, self.settings, self.stores.events)
            self.encoder, self.encodes = _encoder(self.stores.encoders, self.deployed)

    async def note_reader(self, view: View) -> None:
        """The first time a user sees a team's scope, what is in it is to be extracted for them."""
        for scope in view.scopes[1:]:
            if (scope, view.user_id) not in self.readers:
                await self.stores.intake.capture.read_by(scope, view.user_id)
                self.readers.add((scope, view.user_id))
                await self.actors.wake()

    async def profile(self, user_id: str) -> Profile:
        """A user's profile."""
        return await self.stores.intake.capture.profile(user_id)

    async def ask(self, text: str) -> EncodedQuestion:
        """A question as the encoder understands it."""
        return await self.encoder.ask(text)

    async def warm(self) -> None:
        """Load the encoder before somebody waits for it."""
        try:
            await self.ask("warm")
        except Unavailable:  # its environment may take minutes: until then words alone answer, as `degraded` tells
            log.warning("the encoder is not there yet; questions are answered by words alone until it is")
        await asyncio.to_thread(give_back)

    async def encode_all(self, texts: Sequence[str]) -> Statements:
        """text -> its vector."""
        unique, name = list(dict.fromkeys(texts)), self.stores.encoder.name
        vectors = await self.encoder.embed(unique) if unique else ()
        return Statements(name, dict(zip(unique, vectors, strict=True)))

    def offset(self, profile: Profile, moment: Instant) -> int:
        """How far the user's clock is ahead of UTC, in seconds."""
        return offset_s(profile.time_zone, moment)


async def open_app_context(
    settings: Settings,
    actors: ActorClient,
    encoder: AsyncEncoder | None = None,
    model: LanguageModel | None = None,
    leases: Leases | None = None,
    speech: Any = None,
) -> AppContext:
    """Connect and let the administrator in. Raises ConfigError if nobody could come in at all.

    Without an encoder or a model from elsewhere, the ones the settings name work in this process.
    """
    stores = await build.stores(settings)
    await _let_administrator_in(settings, stores.access)
    model = model or build_models.language(settings)
    reached = build_models.web(settings)
    encodes = _encoder(stores.encoders, encoder)
    held: dict[str, Any] = {"model": model, "deployed": encoder, "web": reached, "speech": speech}
    shared = leases or FreeLeases()
    return AppContext(settings, stores, actors, build.clock(), *encodes, leases=shared, **held)


def _encoder(encoders: Encoders, deployed: AsyncEncoder | None) -> tuple[AsyncEncoder, bool]:
    """Who encodes, and whether that is the deployment: it holds the configured encoder, which may not serve yet."""
    if deployed is not None and encoders.successor is None:
        return deployed, True
    return LocalEncoder(encoders.encoder), False


async def _let_administrator_in(settings: Settings, access: AccessStores) -> None:
    path = settings.token_path
    if path.is_file() and (token := path.read_text().strip()):
        clearance = SENSITIVITY_NAMES[settings.auth.clearance]
        granted = build.administrator(settings.auth.default_user, clearance)
        await access.tokens.put(token, granted)
    elif not await access.tokens.all():
        raise ConfigError(f"There is no token: put one of at least 32 characters into {path.name} in the data folder.")


async def app_context_of(request: Request) -> AppContext:
    """The context of this replica; a coroutine, since FastAPI would call a plain function in a thread."""
    app: AppContext = request.app.state.context
    app.look()
    return app
