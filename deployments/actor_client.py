"""The living parts as the gateway reaches them: one actor call a request."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, cast

from ray.exceptions import RayActorError, RayError

from actors.directory import Directory
from actors.names import PIECE_S, TURN_S
from actors.understanding import QuestionEncoding
from config.settings import Settings
from memory.errors import Unavailable
from memory.model.changes import ChangeSet
from memory.model.claims import Reading, Utterance
from memory.model.commands import Command
from memory.model.erasing import ErasureTask
from memory.model.verdicts import StatementPair, Verdict
from memory.model.working_set import WorkingSet
from memory.ports import Keys, Vector
from memory.retrieval.projected import ProjectionProgress
from memory.retrieval.query import Question
from memory.services.rebuild import RebuildResult
from memory.services.recall import Recollection

log = logging.getLogger("memoray.gateway")
ASKED_AT_ONCE = 8
"""Questions that each shard is asked at once. Two cores answer no more of them by taking more: with the hundreds that
wait after an outage each would be late, and be answered a second time by PostgreSQL (measured)."""
LOOKED_S = 2.0
"""Seconds between looks whether there are as many shards as there are to be, all of them with their lines open."""
FIGURES_S = 1.0
"""Seconds that figures, and what is only counted, wait for a shard."""

REBUILD_S = 3_600.0
"""Seconds a rebuilding may take: all that was ever asked of a memory is decided again."""


class RayActorClient:
    """Shards and worker as Ray actors. Questions go through `retrieval`, where that is a deployment of its own."""

    def __init__(self, settings: Settings, retrieval: Any = None) -> None:
        self._retrieval = retrieval
        self._directory = Directory(settings)
        self._patience_s = settings.http.patience_s
        self._asked: defaultdict[str, asyncio.Semaphore] = defaultdict(partial(asyncio.Semaphore, ASKED_AT_ONCE))
        """By the name of their shard: those who wait for one that is silent keep the places of no other."""
        self._directory.ensure()

    async def turn(self, user_id: str, command: Command, statements: Mapping[str, Vector]) -> ChangeSet:
        """One turn of a user's memory."""
        return cast(ChangeSet, await self._asked_of(user_id, TURN_S, "turn", command, statements))

    async def carry_out(self, user_id: str, command: Command) -> None:
        """One turn of a night."""
        await self._asked_of(user_id, TURN_S, "carry_out", command)

    async def undo(
        self, user_id: str, command_id: str, undone_id: str | None, actor: str, *, partly: bool = False
    ) -> ChangeSet:
        """Reverse a command; `partly` leaves what has changed since."""
        return cast(ChangeSet, await self._asked_of(user_id, TURN_S, "undo", command_id, undone_id, actor, partly))

    async def recall(self, question: Question, only: Keys | None, understood: QuestionEncoding | None) -> Recollection:
        """What answers a question. Raises Unavailable if the shard is not back in time; whoever asks may long have had
        the stores answer.
        """
        if self._retrieval is not None:
            return cast(Recollection, await self._retrieval.recall.remote(question, only, understood))
        async with self._asked[self.shard_of(question.view.user_id)]:
            answer = self._directory.ask(question.view.user_id, "recall", question, only, understood)
            return cast(Recollection, await self._within(answer, self._patience_s))

    async def note_groups(self, user_id: str, group_ids: Sequence[str]) -> None:
        """Count that somebody was shown these; a shard that is away does not, which costs them a little strength."""
        with suppress(RayError, Unavailable):
            await self._asked_of(user_id, FIGURES_S, "note_groups", tuple(group_ids))

    async def read_text(self, utterances: tuple[Utterance, ...]) -> tuple[Reading, Mapping[str, Vector]]:
        """Read a few sentences at once."""
        answer = await self._within(self._directory.worker().read_text.remote(utterances), TURN_S)
        return cast(tuple[Reading, Mapping[str, Vector]], answer)

    async def judge(self, pairs: Sequence[StatementPair]) -> Sequence[Verdict]:
        """Judge pairs of statements. Raises Unavailable, also when the worker is away."""
        try:
            return cast(
                Sequence[Verdict], await self._within(self._directory.worker().judge.remote(tuple(pairs)), TURN_S)
            )
        except RayActorError as error:
            raise Unavailable("The judge is away for a moment.") from error

    async def believed(self, user_id: str) -> WorkingSet:
        """The working set of a user as it stands."""
        return cast(WorkingSet, await self._asked_of(user_id, TURN_S, "believed"))

    async def projected(self, user_id: str, scopes: Sequence[str]) -> Sequence[ProjectionProgress]:
        """How far the projections of a user's shard have come; none of a shard that is away, which nobody waits for."""
        with suppress(RayError, Unavailable):
            answer = self._directory.ask(user_id, "projected", tuple(scopes))
            return cast(Sequence[ProjectionProgress], await self._within(answer, FIGURES_S))
        return ()

    def shard_of(self, user_id: str) -> str:
        """The shard a user lives in by now."""
        return self._directory.shard_of(user_id)

    async def keep_shards(self) -> None:
        """Have as many shards as there are to be, and have them be asked past Ray: without its raylet a gateway cannot
        call them. What fails is tried again at the next look, for nobody else looks.
        """
        while True:
            try:
                await self._within(self._directory.look(), TURN_S)
            except (RayError, Unavailable):
                pass  # a part that is away comes back by itself
            except Exception as error:  # whatever it is: without this look shards stay away
                log.warning("the look for shards failed (%s); the next comes soon", type(error).__name__)
            await asyncio.sleep(LOOKED_S)

    async def wake(self) -> None:
        """Tell the worker that there is something to do; it finds out by itself within a second anyway."""
        with suppress(Unavailable):
            self._directory.worker().wake.remote()

    async def erase(self, task: ErasureTask) -> Mapping[str, int]:
        """Carry out a piece of an erasure in its user's memory."""
        answer = self._directory.ask(task.user_id, "erase", task)
        return cast(Mapping[str, int], await self._within(answer, PIECE_S))

    async def forget_user(self, user_id: str) -> None:
        """Drop what is held of a user, wherever it is."""
        await self._within(self._directory.ask_all("forget_user", user_id), TURN_S)

    async def rebuild(self, user_id: str) -> RebuildResult:
        """Write a user's history anew from captured commands."""
        return cast(RebuildResult, await self._asked_of(user_id, REBUILD_S, "rebuild"))

    async def _asked_of(self, user_id: str, seconds: float, method: str, *asked: object) -> Any:
        """What the shard of a user does for this user."""
        return await self._within(self._directory.ask(user_id, method, user_id, *asked), seconds)

    async def _within(self, reference: Any, seconds: float) -> Any:
        """The answer, if it comes in time. Raises Unavailable."""
        try:
            return await asyncio.wait_for(reference, seconds)
        except TimeoutError:
            raise Unavailable("A part of Memoray did not answer in time; try again.") from None
        except RayActorError:
            self._directory.forget()
            raise
