"""The house: what the routes of the front door work with, built once a replica."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from fastapi import Request

from actors.understanding import Understood
from adapters import build
from config.settings import Settings
from memory.errors import ConfigError
from memory.model.changes import ChangeSet
from memory.model.claims import Reading, Utterance
from memory.model.commands import Command
from memory.model.profile import Profile
from memory.model.scopes import SENSITIVITY_NAMES, View
from memory.model.timeline import Instant
from memory.model.verdicts import Pair, Verdict
from memory.model.working_set import WorkingSet
from memory.ports import Clock, Embedder, Keys, LanguageModel, Matrix, Vector
from memory.retrieval.pieces import Asked
from memory.retrieval.query import Question
from memory.services.night import offset_s
from memory.services.rebuild import Rebuilt
from memory.services.recall import Recollection


class Encoder(Protocol):
    """The Embedder as the front door waits for it, here or elsewhere."""

    async def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector a text."""

    async def ask(self, text: str) -> Asked:
        """A question's vector and word pieces."""


class EncoderHere:
    """An encoder in a thread of this process."""

    def __init__(self, own: Embedder) -> None:
        self._own = own

    async def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector a text."""
        return await asyncio.to_thread(self._own.embed, texts)

    async def ask(self, text: str) -> Asked:
        """A question's vector and word pieces."""
        return await asyncio.to_thread(self._own.ask, text)


class Minds(Protocol):
    """The living parts, wherever they run: the shards of the users, and the worker."""

    async def turn(self, user_id: str, command: Command, statements: Mapping[str, Vector]) -> ChangeSet:
        """One turn of a user's memory."""

    async def undo(self, user_id: str, command_id: str, undone_id: str | None, actor: str) -> ChangeSet:
        """Reverse a command."""

    async def recall(self, question: Question, only: Keys | None, understood: Understood | None) -> Recollection:
        """What answers a question; one that is not understood yet is encoded where it is answered."""

    async def read_text(self, utterances: tuple[Utterance, ...]) -> tuple[Reading, Mapping[str, Vector]]:
        """Read a few sentences at once."""

    async def judge(self, pairs: Sequence[Pair]) -> Sequence[Verdict]:
        """Judge pairs of statements."""

    async def believed(self, user_id: str) -> WorkingSet:
        """The working set of a user as it stands."""

    async def wake(self) -> None:
        """Tell the worker that there is something to do."""

    async def forget_user(self, user_id: str) -> None:
        """Drop what is held of a user."""

    async def rebuild(self, user_id: str) -> Rebuilt:
        """Write a user's history anew from captured commands."""


@dataclass
class House:
    """Settings, stores, models and minds. `readers` remembers which teams' scopes were noted as read."""

    settings: Settings
    stores: build.Stores
    minds: Minds
    clock: Clock
    encoder: Encoder
    encodes: bool = False
    """Questions are encoded before they are sent to their shard: the encoder is a deployment that only this knows."""
    model: LanguageModel | None = None
    readers: set[tuple[str, str]] = field(default_factory=set)

    @property
    def tokens(self) -> Any:
        """The tokens."""
        return self.stores.tokens

    async def note_reader(self, view: View) -> None:
        """The first time a user sees a team's scope, what is in it is to be extracted for them."""
        for scope in view.scopes[1:]:
            if (scope, view.user_id) not in self.readers:
                await self.stores.capture.read_by(scope, view.user_id)
                self.readers.add((scope, view.user_id))
                await self.minds.wake()

    async def profile(self, user_id: str) -> Profile:
        """A user's profile."""
        return await self.stores.capture.profile(user_id)

    async def ask(self, text: str) -> Asked:
        """A question as the encoder understands it."""
        return await self.encoder.ask(text)

    async def encode_all(self, texts: Sequence[str]) -> dict[str, Vector]:
        """text -> its vector."""
        unique = list(dict.fromkeys(texts))
        return dict(zip(unique, await self.encoder.embed(unique), strict=True)) if unique else {}

    def offset(self, profile: Profile, moment: Instant) -> int:
        """How far the user's clock is ahead of UTC, in seconds."""
        return offset_s(profile.time_zone, moment)


async def open_house(
    settings: Settings, minds: Minds, encoder: Encoder | None = None, model: LanguageModel | None = None
) -> House:
    """Connect and let the administrator in. Raises ConfigError if nobody could come in at all.

    Without an encoder or a model from elsewhere, the ones the settings name work in this process.
    """
    stores = await build.stores(settings)
    await _let_administrator_in(settings, stores)
    here = EncoderHere(build.embedder(settings))
    model = model or build.language(settings)
    return House(settings, stores, minds, build.clock(), encoder or here, encoder is not None, model)


async def _let_administrator_in(settings: Settings, stores: build.Stores) -> None:
    path = settings.token_path
    if path.is_file() and (token := path.read_text().strip()):
        clearance = SENSITIVITY_NAMES[settings.auth.clearance]
        granted = build.administrator(settings.auth.default_user, clearance)
        await stores.tokens.put(token, granted)
    elif not await stores.tokens.all():
        raise ConfigError(f"There is no token: put one of at least 32 characters into {path.name} in the data folder.")


async def house_of(request: Request) -> House:
    """The house of this replica; a coroutine, for what is not would be called in a thread of its own."""
    house: House = request.app.state.house
    return house
