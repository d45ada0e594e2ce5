"""The actor client without Ray: the same shards and the same extractor, in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

from actors.memory_shard import MemoryShard
from actors.placement import shard_name, shard_of
from actors.understanding import QuestionEncoding
from adapters import build, build_models
from adapters.row_scope import acting_for, back_to
from adapters.stores import ErasureStores, Stores
from config.settings import Settings
from memory.errors import Fenced
from memory.model.changes import ChangeSet
from memory.model.claims import Reading, Utterance
from memory.model.commands import AcceptReading, Command
from memory.model.erasing import ErasureTask
from memory.model.timeline import Instant
from memory.model.verdicts import StatementPair, Verdict
from memory.model.working_set import WorkingSet
from memory.ports import Extractor, Keys, Vector
from memory.retrieval.projected import ProjectionProgress
from memory.retrieval.query import Question
from memory.services.erasing import Eraser
from memory.services.extract import ReadingParts, encode, read_source
from memory.services.rebuild import RebuildResult
from memory.services.recall import Recollection
from memory.services.vectors import encode_heard
from tests.conftest import SHARDS

Act = TypeVar("Act", bound=Callable[..., Awaitable[Any]])


def elsewhere(act: Act) -> Act:
    """What happens in another process, which knows nothing of the request."""

    @wraps(act)
    async def there(*given: Any, **named: Any) -> Any:
        before = acting_for(None)
        try:
            return await act(*given, **named)
        finally:
            back_to(before)

    return cast(Act, there)


class LocalActorClient:
    """Shards and a worker as plain objects; `settle` does the worker's work until none is left."""

    def __init__(self, settings: Settings, extractor: Extractor | None = None, shards: int = SHARDS) -> None:
        self.settings = settings
        self.made: list[MemoryShard] = []
        self.place(shards)
        self.extractor = extractor or build_models.extractor(settings)

    def place(self, shards: int) -> None:
        """Let there be so many shards; those beyond them are asked by nobody."""
        names = map(shard_name, range(len(self.made), shards))
        self.made += [MemoryShard(name, self.settings) for name in names]
        self.shards = self.made[:shards]

    def shard_of(self, user_id: str) -> str:
        return shard_of(user_id, len(self.shards))

    def of(self, user_id: str) -> MemoryShard:
        """The shard a user lives in."""
        return next(shard for shard in self.shards if shard.name == self.shard_of(user_id))

    async def close(self) -> None:
        """Let go of the database."""
        for shard in self.made:
            if shard._stores is not None:
                await shard._stores.close()

    async def _asked(self, user_id: str, method: str, *asked: object) -> Any:
        """As the directory asks: once more where another had claimed the memory."""
        try:
            return await getattr(self.of(user_id), method)(*asked)
        except Fenced:
            return await getattr(self.of(user_id), method)(*asked)

    @elsewhere
    async def turn(self, user_id: str, command: Command, statements: Mapping[str, Vector]) -> ChangeSet:
        return cast(ChangeSet, await self._asked(user_id, "turn", user_id, command, statements))

    @elsewhere
    async def carry_out(self, user_id: str, command: Command) -> None:
        await self._asked(user_id, "carry_out", user_id, command)

    @elsewhere
    async def undo(
        self, user_id: str, command_id: str, undone_id: str | None, actor: str, *, partly: bool = False
    ) -> ChangeSet:
        return cast(ChangeSet, await self._asked(user_id, "undo", user_id, command_id, undone_id, actor, partly))

    @elsewhere
    async def recall(self, question: Question, only: Keys | None, understood: QuestionEncoding | None) -> Recollection:
        return await self.of(question.view.user_id).recall(question, only, understood)

    @elsewhere
    async def note_groups(self, user_id: str, group_ids: Sequence[str]) -> None:
        await self.of(user_id).note_groups(user_id, group_ids)

    @elsewhere
    async def read_text(self, utterances: tuple[Utterance, ...]) -> tuple[Reading, Mapping[str, Vector]]:
        reading = await self.extractor.read(utterances)
        stores = await self.shards[0]._open()
        return reading, await encode(stores.encoder, [claim.statement for claim in reading.claims])

    async def judge(self, pairs: Sequence[StatementPair]) -> Sequence[Verdict]:
        judge = build_models.judge(self.settings)
        return await judge.judge(pairs) if judge else ()

    @elsewhere
    async def believed(self, user_id: str) -> WorkingSet:
        return await self.of(user_id).believed(user_id)

    @elsewhere
    async def projected(self, user_id: str, scopes: Sequence[str]) -> Sequence[ProjectionProgress]:
        return await self.of(user_id).projected(scopes)

    async def wake(self) -> None:
        return None

    @elsewhere
    async def erase(self, task: ErasureTask) -> Mapping[str, int]:
        return cast(Mapping[str, int], await self._asked(task.user_id, "erase", task))

    @elsewhere
    async def forget_user(self, user_id: str) -> None:
        await asyncio.gather(*(shard.forget_user(user_id) for shard in self.shards))

    @elsewhere
    async def rebuild(self, user_id: str) -> RebuildResult:
        return await self.of(user_id).rebuild(user_id)

    async def settle(self, stores: Stores, now: Instant | None = None) -> None:
        """Encode and read everything that is due: by the database's clock, which no test drives."""
        capture, now = stores.intake.capture, build.clock().now() if now is None else now
        while tasks := await capture.due("embed", now, 100):
            await encode_heard(tasks, capture, stores.encoder)
        while tasks := await capture.due("read", now, 100):
            for task in tasks:
                if not await read_source(task, capture, self.reading_parts(stores)):
                    await capture.finished(task)
        while await self.eraser(stores.erasure).step():
            pass

    def reading_parts(self, stores: Stores) -> ReadingParts:
        """What sources are read with, as the worker does."""
        return ReadingParts(self.extractor, stores.encoder, self._submit, 16)

    def eraser(self, erasure: ErasureStores) -> Eraser:
        """What carries out the queue of erasures, as the worker does."""
        return build.eraser(erasure, self.settings, self.erase, self.forget_user)

    async def encode_facts(self, stores: Stores) -> None:
        """Encode the facts that wait for a vector."""
        journal = stores.memory.journal
        while facts := await journal.unencoded_facts(64):
            vectors = await encode(stores.encoder, [fact.statement for fact in facts])
            for fact in facts:
                await journal.put_fact_vectors(fact.user_id, {fact.fact_id: vectors[fact.statement]})
                await self.of(fact.user_id).relearn(fact.user_id)

    async def _submit(self, user_id: str, command: AcceptReading, vectors: Mapping[str, Vector]) -> object:
        return await self._asked(user_id, "turn", user_id, command, vectors)
