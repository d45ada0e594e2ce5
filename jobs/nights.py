"""The nights of all users, run from a job: counted and planned here, committed by the shards."""

from __future__ import annotations

from datetime import date
from typing import Any, cast

from actors.names import TURN_S, Shards
from adapters import build, build_models
from config.settings import Settings
from memory.model.changes import ChangeSet
from memory.model.commands import Command
from memory.ports import Keys
from memory.retrieval.query import Question
from memory.services.recall import Recollection
from memory.services.sleeping import STEP, NightTidings, run_nights


class ShardTurnRunner:
    """Where the commands of a night are committed and taken back, and what proves it is answered."""

    def __init__(self, shards: Shards) -> None:
        self._shards = shards

    async def carry_out(self, user_id: str, command: Command) -> None:
        """One turn in the shard of the user."""
        await self._shards.ask(user_id, "carry_out", user_id, command)

    async def undo(
        self, user_id: str, command_id: str, undone_id: str | None, actor: str, *, partly: bool = False
    ) -> ChangeSet:
        """Reverse a command in the shard of the user; `partly` leaves what has changed since."""
        return cast(ChangeSet, await self._shards.ask(user_id, "undo", user_id, command_id, undone_id, actor, partly))

    async def recall(self, question: Question, only: Keys | None, understood: None) -> Recollection:
        """What answers a question, encoded in the shard."""
        return cast(Recollection, await self._shards.ask(question.view.user_id, "recall", question, only, understood))


async def run(settings: Settings, user_id: str | None, night: date | None) -> list[dict[str, Any]]:
    """The nights that are due, or one named night; of one user or of all. A user's failure is told as their report."""
    stores = await build.stores(settings, "night")
    nights = stores.nights
    try:
        resting = await nights.failures.resting(STEP) if user_id is None else ()
        known = await nights.kept.sleepers()
        sleepers = [each for each in known if user_id in (None, each.user_id) and each.user_id not in resting]
        runner = ShardTurnRunner(Shards(settings, TURN_S))
        parts = build.night_parts(settings, nights, runner, build_models.language(settings))
        tidings = NightTidings(nights.failures, stores.events)
        return await run_nights(sleepers, night, build.clock().now(), parts, tidings)
    finally:
        await stores.close()
