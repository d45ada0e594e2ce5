"""The shard: many users' memories in one process, each loaded from the journal when its user is first needed.

It claims a memory there with the first turn, and whoever had claimed it before commits nothing any more. Whoever is
asked looks first whether another has written since (docs/decisions/0095).
"""

from __future__ import annotations

import asyncio
import gc
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from actors.accesses import AccessCounter, credited
from actors.background import stand_before, take_turns
from actors.columns import ShardColumns
from actors.columns_follower import NO_KEYS, ColumnsFollower
from actors.legs import Legs
from actors.placement import line_of, shard_of
from actors.shard_socket import ShardServer
from actors.understanding import QuestionEncoding, understand
from adapters import build, build_models
from adapters.stores import Stores, stores_over
from config.settings import Settings
from memory.errors import Fenced
from memory.model.changes import ChangeSet
from memory.model.commands import CloseNight, Command
from memory.model.entities import EVERGREEN_TYPES
from memory.model.erasing import ErasureTask
from memory.model.scopes import user_scope
from memory.model.working_set import WorkingSet
from memory.ports import Keys, Vector
from memory.retrieval.fact_columns import FactColumns
from memory.retrieval.pieces import EncodedQuestion
from memory.retrieval.projected import ProjectionProgress
from memory.retrieval.query import Question
from memory.retrieval.segment_index import MemoryTraits
from memory.services.rebuild import RebuildResult, rebuild
from memory.services.recall import RecallContext, Recollection, at_hand, recall
from memory.services.remember import NO_VECTORS, UserMemory
from memory.services.told import tell_of_turn
from memory.services.tuning import tuned
from memory.services.zones import zone_of

YOUNG = (100_000, 20, 50)
"""Objects more than were freed until Python looks for cycles among the youngest (its own: 700, 10, 10), and so on.

Counting references frees nearly everything here at once. Looking at 700 meant to look at all 300,000 facts of a table
that a turn has just copied, twice a turn: half of what deciding 500 of them takes (decision 0039).
"""


class MemoryShard:
    """What a shard does, wherever it lives; `MemoryShardActor` lives in a process of its own."""

    def __init__(self, name: str, settings: Settings) -> None:
        gc.set_threshold(*YOUNG)
        take_turns()
        self.name = name
        self._settings = settings
        self._tuning = tuned(settings.recall, settings.decay)
        self._users: dict[str, UserMemory] = {}
        self._waking, self._opening = asyncio.Lock(), asyncio.Lock()
        self._forgotten: set[str] = set()
        """Whoever was forgotten since the last waking began."""
        self._among: int | None = None
        """Among how many shards whoever does not live here was let go of."""
        self._woken: set[str] = set()
        """Whoever woke since then."""
        self._erasing: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """user id -> who erases, alone, whichever gateway or worker it was asked by."""
        self._stores: Stores | None = None
        self._legs: Legs | None = None
        self._accesses = AccessCounter(secrets.token_hex(8), self.turn, self._working_set, self._sources_of)
        self._exchange = ShardServer(self._asked_for, line_of(settings.home, name))

    async def turn(self, user_id: str, command: Command, statements: Mapping[str, Vector] = NO_VECTORS) -> ChangeSet:
        """One turn of one user's memory."""
        return await self._write(user_id, lambda memory: memory.turn(command, statements))

    async def carry_out(self, user_id: str, command: Command) -> None:
        """One turn whose changes nobody waits for: those of a night are hundreds of rows, and cost as much to send.

        Nor are they shown: the night brings no vectors, and whoever asks next lets the columns of facts catch up.
        """
        if isinstance(command, CloseNight):
            await self._act(user_id, lambda memory: memory.next_turn(command))
        else:
            await self._act(user_id, lambda memory: memory.turn(command))

    async def undo(
        self, user_id: str, command_id: str, undone_id: str | None, actor: str, partly: bool = False
    ) -> ChangeSet:
        """Reverse a command, by default the owner's last one; `partly` leaves what has changed since."""
        return await self._write(user_id, lambda memory: memory.undo(command_id, undone_id, actor, partly=partly))

    async def recall(
        self, question: Question, only: Keys | None = None, understood: QuestionEncoding | None = None
    ) -> Recollection:
        """What answers a question: fan-out and arithmetic.

        Unless it was encoded elsewhere, a thread encodes it here while it is searched for by words.
        """
        legs = await self._fan()
        if understood is None or understood.encoder != legs.embedder.name:
            encoding = asyncio.ensure_future(legs.understand(question.text))
        else:
            encoding = asyncio.ensure_future(_known(understood))
        memory = await self._memory(question.view.user_id)
        memory, _ = await asyncio.gather(self._newest(memory), legs.follower.catch_up(question.view.scopes))
        found = await self._recalled(memory, legs, question, _asked(encoding), only)
        understood = encoding.result() if encoding.done() else QuestionEncoding(None)
        legs.encode_examples()
        if question.record_access:
            again = partial(self._asked_again, memory, legs, understood.asked, only)
            self._accesses.note(memory.user_id, credited(question, found.keys, legs.follower.segment_index, again))
        return understood.told(found)

    async def note_groups(self, user_id: str, group_ids: Sequence[str]) -> None:
        """Count that somebody was shown these storylines or macros."""
        self._accesses.note_groups(user_id, group_ids)

    async def open_socket(self) -> None:
        """Answer on the same machine past Ray, too (actors.shard_socket)."""
        await self._exchange.open()

    async def release_moved(self, shards: int) -> None:
        """Let go of whoever lives elsewhere among so many shards; of those looked at before, nobody is again.

        Somebody who learns late of another number may still ask here for a user who has moved, and wake them.
        """
        looked = self._users if shards != self._among else self._woken & self._users.keys()
        self._among, self._woken = None, set()  # if this fails all are looked at next time
        if moved := [user for user in looked if shard_of(user, shards) != self.name]:
            await self._accesses.commit()
            await asyncio.gather(*map(self.forget_user, moved))
        self._among = shards

    async def _asked_for(self, method: str, *asked: object) -> object:
        """What is asked over the line, as if it were called."""
        return await getattr(self, method)(*asked)

    async def _asked_again(
        self, memory: UserMemory, legs: Legs, asked: EncodedQuestion | None, only: Keys | None, question: Question
    ) -> Keys:
        """What another view would have had come to mind."""
        return (await self._recalled(memory, legs, question, at_hand(asked), only)).keys

    async def _recalled(
        self,
        memory: UserMemory,
        legs: Legs,
        question: Question,
        asked: Awaitable[EncodedQuestion | None],
        only: Keys | None,
    ) -> Recollection:
        profile = memory.believed.profile
        context = RecallContext(
            languages=profile.languages,
            clock=zone_of(profile.time_zone),
            only=only,
            evergreen=evergreen_keys(memory.believed) if self._tuning.order == "decayed" else NO_KEYS,
            exemplars=legs.examples_at_hand(),
        )
        return await recall(question, legs.indexes, legs.traits_of, asked, self._tuning, context)

    async def believed(self, user_id: str) -> WorkingSet:
        """The immutable working set as it stands, for whoever plans on it."""
        return (await self._newest(await self._memory(user_id))).believed

    async def rebuild(self, user_id: str) -> RebuildResult:
        """Write a user's history anew from captured commands. Raises NotFound, Conflict; then nothing changed."""
        memory, stores = await self._memory(user_id), await self._open()
        kept = stores.memory

        async def written(epoch: int) -> RebuildResult:
            story = await kept.commands.story(user_id)
            fresh = kept.rebuild.fresh(user_id, epoch, story.base)
            rules = build.rules(self._settings)
            return await rebuild(story.base_version, story.lines(), fresh, rules, stores.encoder)

        done = await memory.anew(written)
        (await self._fan()).beliefs.drop(user_id)
        await self._show(memory)
        return done

    async def relearn(self, user_id: str) -> None:
        """Load a user's vectors anew, between two turns: the worker has made some."""
        memory = self._users.get(user_id)
        if memory is not None:
            await memory.activate()
            await self._show(memory)

    async def renew(self) -> None:
        """Take the encoder that serves now.

        Questions under way keep the one they began with; what follows is read into new columns, and each user's turns
        go on with the new vectors once the last one is done.
        """
        stores = await self._open()
        if await stores.encoders.serving.name() != stores.encoder.name:
            stores = await stores_over(stores.pool, self._settings, stores.events)
            await understand(asyncio.to_thread(stores.encoder.ask, "warm"))  # its model is loaded before it is needed
            async with self._waking:
                self._stores, self._legs = stores, None
        for memory in tuple(self._users.values()):
            if memory.encoder != stores.encoder.name:
                await memory.take(stores.memory.journal, stores.encoder)
                await self._show(memory)

    async def erase(self, task: ErasureTask) -> Mapping[str, int]:
        """Carry out a piece of an erasure in its user's memory (memory/services/erasing.py); how much less there is."""
        async with self._erasing.setdefault(task.user_id, asyncio.Lock()):
            return await build.memory_eraser((await self._open()).erasure, self.turn).erase(task)

    async def forget_user(self, user_id: str) -> None:
        """Drop everything held of a user whose memory was deleted, or has moved."""
        self._users.pop(user_id, None)
        self._forgotten.add(user_id)
        self._accesses.forget(user_id)
        if self._legs is not None:
            await self._legs.follower.drop(user_scope(user_id))
            self._legs.beliefs.drop(user_id)

    async def status(self) -> dict[str, Any]:
        """For `memoray status` and health checks."""
        return {"name": self.name, "users": len(self._users)}

    async def projected(self, scopes: Sequence[str]) -> tuple[ProjectionProgress, ...]:
        """How far each projection of this shard has come in these scopes; nothing is read because of it."""
        columns = (await self._fan()).follower.columns
        return (ProjectionProgress(columns.name, columns.generation, await columns.positions(scopes)),)

    async def _write(self, user_id: str, act: Callable[[UserMemory], Awaitable[ChangeSet]]) -> ChangeSet:
        memory, changes = await self._act(user_id, act)
        await self._show(memory)
        return changes

    async def _act(
        self, user_id: str, act: Callable[[UserMemory], Awaitable[ChangeSet]]
    ) -> tuple[UserMemory, ChangeSet]:
        memory, begun = await self._memory(user_id), monotonic()
        try:
            changes = await act(memory)
        except Fenced:  # another has taken this memory over: what is held of it here may be old
            if self._users.get(user_id) is memory:
                del self._users[user_id]
            raise
        if self._stores is not None:
            tell_of_turn(self._stores.events, user_id, changes, monotonic() - begun)
        return memory, changes

    async def _memory(self, user_id: str) -> UserMemory:
        if (awake := self._users.get(user_id)) is not None:
            return awake  # and waits for nobody who wakes
        async with self._waking:
            while user_id not in self._users:
                self._forgotten.clear()
                memory = await self._wake(user_id)
                if user_id not in self._forgotten:  # else what was loaded may be gone, and its columns are
                    self._users[user_id] = memory
                    self._woken.add(user_id)
            return self._users[user_id]

    async def _newest(self, memory: UserMemory) -> UserMemory:
        """The memory as all that was committed until now has left it: loaded anew if another shard has written it."""
        if await memory.is_current():
            return memory
        if self._users.get(memory.user_id) is memory:
            del self._users[memory.user_id]
        return await self._memory(memory.user_id)

    async def _wake(self, user_id: str) -> UserMemory:
        stores = await self._open()
        kept, rules, clock = stores.memory, build.rules(self._settings), build.clock()
        memory = UserMemory(user_id, self.name, kept.journal, kept.commands, rules, clock, stores.encoder)
        await memory.activate()
        await self._show(memory, aside=True)
        return memory

    async def _show(self, memory: UserMemory, *, aside: bool = False) -> None:
        """Let questions see the facts as they now stand, with their vectors.

        `aside` is of who wakes, in a thread: for 100,000 facts it takes seconds, and others are answered meanwhile.
        Nobody else has these columns: a waking that was given up may still be writing into the last ones.
        """
        legs = await self._fan()
        if aside:
            legs.beliefs.drop(memory.user_id)
        elif self._users.get(memory.user_id) is not memory:
            return  # it was forgotten meanwhile, and may be waking anew
        # one of another encoder is about to take this one, and is shown with its vectors then
        fresh = memory.unshown_vectors() if memory.encoder == legs.embedder.name else NO_VECTORS
        facts = legs.beliefs.facts_of(memory.user_id)
        if aside:
            await asyncio.to_thread(_show, facts, memory.believed, fresh)
            await asyncio.to_thread(lambda: facts.table)  # else made when the first question asks for it
        else:
            _show(facts, memory.believed, fresh)

    async def _fan(self) -> Legs:
        stores = await self._open()
        if self._legs is None:
            rounded = self._settings.recall.precision == "int8"
            of, feed, legs = stores.encoder, stores.questions.feed, self._tuning.legs
            columns = ShardColumns(of.dimensions, rounded, generation=of.name, believed=self._working_set, legs=legs)
            traits_of = MemoryTraits(columns.segment_index, columns.beliefs)
            self._tuning = replace(self._tuning, verdicts=build_models.verdict_weights(of.name))
            self._legs = Legs(of, ColumnsFollower(feed, columns), columns.beliefs, columns.serves, traits_of)
        return self._legs

    def _working_set(self, user_id: str) -> WorkingSet | None:
        memory = self._users.get(user_id)
        return memory.believed if memory else None

    async def _sources_of(self, user_id: str, keys: Iterable[int]) -> Mapping[int, tuple[str, float]]:
        return await (await self._open()).memory.journal.sources_of(user_id, keys)

    async def _open(self) -> Stores:
        if self._stores is None:
            async with self._opening:
                if self._stores is None:
                    self._stores = await build.stores(self._settings, "shard")
        return self._stores


class MemoryShardActor(MemoryShard):
    """A shard as an async Ray actor (wrapped late, in actors.directory): everybody waits for its process.

    It opens its socket as it begins. So a gateway that waits for a shard that was killed finds the new one without Ray,
    which can be seconds late to tell that an actor is back.
    """

    def __init__(self, name: str, settings: Settings) -> None:
        stand_before()
        super().__init__(name, settings)
        self._begun = asyncio.get_running_loop().create_task(self.open_socket())


def _show(facts: FactColumns, believed: WorkingSet, fresh: Mapping[str, Vector]) -> None:
    facts.catch_up(believed)
    if fresh:
        facts.put_vectors(list(fresh), np.stack(list(fresh.values())))


async def _known(understood: QuestionEncoding) -> QuestionEncoding:
    return understood


async def _asked(encoding: asyncio.Future[QuestionEncoding]) -> EncodedQuestion | None:
    return (await asyncio.shield(encoding)).asked  # who gives it up for being late must not end the encoding


def evergreen_keys(believed: WorkingSet) -> Keys:
    """Segments that mention somebody, somewhere or a relationship: what keeps a floor of strength when it decays."""
    evergreen = (entity.entity_id for entity in believed.entities.values() if entity.type in EVERGREEN_TYPES)
    return np.array(sorted({key for each in evergreen for key in believed.mentions.get(each, ())}), np.int64)
