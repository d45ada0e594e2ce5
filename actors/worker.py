"""The worker: everything that happens in the background, at low priority and in one process.

It encodes and reads what was captured, watches the transcripts folder and starts the night. All progress lies in the
database, so it may be killed at any moment.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

from actors.background import Threads, come_last, step_back, take_turns
from actors.encoder_migration import EncoderMigration
from actors.erasing import erase, sweep_now_and_then
from actors.happenings import keep_events, watch_events
from actors.leases import OwnBook, leases_of, terms_of
from actors.names import TURN_S, Shards
from actors.reading import ReadingTask, Turns, attempt
from actors.scheduler import Scheduler
from actors.sound_sweeps import pack_sound, sweep_sound
from actors.transcripts import Transcripts
from adapters import build, build_models
from adapters.stores import Stores, stores_over
from config.settings import Settings
from memory.errors import Unavailable, is_away
from memory.model.claims import Reading, Utterance
from memory.model.commands import MeetRivals
from memory.model.events import ERROR
from memory.model.ids import command_id
from memory.model.scopes import Sensitivity
from memory.model.verdicts import StatementPair, Verdict
from memory.model.waiting import DueSource, QueueOrder, UnencodedFact
from memory.ports import Embedder, Judge, Vector
from memory.services.extract import encode
from memory.services.judging import Judgeable, RetrySchedule, ask_again, submit_judged
from memory.services.leasing import LeasedExtractor
from memory.services.told import kind_of
from memory.services.vectors import BATCH, encode_heard, let_meet
from memory.words.passages import BATCH_CHARS

log = logging.getLogger("memoray.worker")
IDLE_S = 1.0
"""Seconds between looks at the queue when nothing wakes the worker."""
LONGEST = 4
"""Every fourth batch that is encoded is one of what has waited longest, however much is heard meanwhile."""
FACTS_S = 60.0
"""Seconds between looks for facts to encode."""
MOST_UNJUDGED, AT_ONCE = 500, 16
"""Facts looked at for a judge that has failed, and of one user put to it at once."""
RENEW_S = 600.0
"""Seconds a shard may take to load its users' vectors by another encoder; a thousand users take some ten."""
RESTART_S = 5.0
"""Seconds before a task that broke is started again."""


class Worker:
    """An async Ray actor (wrapped late, in actors.directory)."""

    def __init__(self, settings: Settings) -> None:
        step_back()
        take_turns()
        self._settings, self._shards = settings, Shards(settings, TURN_S)
        self._stores: Stores | None = None
        self._opening = asyncio.Lock()
        self._migration: EncoderMigration | None = None
        self._book = OwnBook(terms_of(settings))
        self._leases = leases_of(settings, self._book)
        self._asked, last = build_models.readers(settings, self._encoder)
        """Reads what somebody waits for."""
        if settings.models.extraction.kind == "openai":  # a language model, which may share the GPU
            last = LeasedExtractor(last, self._leases)
        self._judge = build_models.judge(settings)
        self._clock = build.clock()
        self._woken = asyncio.Event()
        self._look_at_facts = 0.0
        self._encoding, self._reading = Turns(), ReadingTask(settings, last, self._clock, self._submit)
        self._refused = RetrySchedule(settings.extraction.retry_base_s, settings.extraction.retry_cap_s)
        """Users whose memory took no facts in."""
        # Ray builds an async actor inside its event loop: whoever restarts this process starts its work, too
        loop = asyncio.get_running_loop()
        loop.set_default_executor(Threads())
        self._life = loop.create_task(self._keep(self._live))

    async def wake(self) -> None:
        """Look at the queue now."""
        self._woken.set()

    async def leases(self, method: str, *given: object) -> Any:
        """What the book of leases tells, where no actor keeps it (actors/leases.py)."""
        return await self._book(method, *given)

    async def read_text(self, utterances: tuple[Utterance, ...]) -> tuple[Reading, Mapping[str, Vector]]:
        """Read a few sentences at once, for an explicit `remember`; with the vectors of what they state.

        Raises Unavailable, also where there is too much of them: somebody waits, and so does whoever comes after.
        """
        if sum(len(each.text) for each in utterances) > BATCH_CHARS:
            raise Unavailable(f"At most {BATCH_CHARS:,} characters are read while somebody waits.")
        reading = await self._asked.read(utterances)
        return reading, await encode((await self._open()).encoder, [claim.statement for claim in reading.claims])

    async def judge(self, pairs: tuple[StatementPair, ...]) -> Sequence[Verdict]:
        """Judge pairs for an explicit `remember`. Raises Unavailable where there is no judge, ModelFailed."""
        if self._judge is None:
            raise Unavailable("No judge is configured: set models.contradiction.")
        return await self._judge.judge(pairs)

    async def _live(self) -> None:
        """The background tasks, without end."""
        stores = await self._open()
        transcripts = Transcripts(self._settings.home / "transcripts", stores.intake, self._settings.auth.default_user)
        scheduler = Scheduler(self._settings, stores.nights, self._clock)
        tasks: list[Callable[[], Awaitable[None]]] = [
            self._encode_heard,
            self._read_heard,
            partial(erase, self._settings, stores.erasure),
            partial(sweep_now_and_then, self._settings, stores),
            partial(keep_events, self._settings, stores.events, self._clock),
            partial(watch_events, self._settings, stores.events, self._clock),
            transcripts.watch,
            scheduler.run,
            partial(sweep_sound, self._settings, stores.sound, self._clock, leases=self._leases),
            partial(pack_sound, self._settings, self._clock),
        ]
        if self._judge is not None:
            tasks.append(partial(self._judge_again, self._judge))
        await asyncio.gather(*(self._keep(task) for task in tasks))

    async def _keep(self, task: Callable[[], Awaitable[None]]) -> None:
        """Run a task for ever: what breaks it is logged, and whatever ended it, it starts again."""
        while True:
            try:
                await task()
            except Exception as error:
                log.exception("%s broke; it starts again in %s s", getattr(task, "__qualname__", task), RESTART_S)
                self._tell_of(error)
            await asyncio.sleep(RESTART_S)  # a task that ended at once, again and again, would starve the others

    def _tell_of(self, error: Exception) -> None:
        """The event that a task of everybody's broke, for whoever runs this."""
        if self._stores is not None:
            owner = self._settings.auth.default_user
            self._stores.events.tell(owner, "ingest-pipeline", ERROR, None, Sensitivity.PRIVATE, error=kind_of(error))

    async def _encode_heard(self) -> None:
        """Make words findable by meaning, with all processors: reading has what is left beside it (0055)."""
        await self._load()
        for look in count(1):
            at_hand = build_models.can_encode((await self._open()).encoder)
            if at_hand and await self._encode_next(longest=look % LONGEST == 0):
                continue
            if not await self._succeed():
                await self._rest()

    async def _load(self) -> None:
        """Have the encoder load its model before the first words wait for it."""
        encoder = (await self._open()).encoder
        if build_models.can_encode(encoder):
            try:
                await encode(encoder, ["warm"])
            except Exception:  # the words that wait for it will tell, each with its source
                log.warning("the encoder %s does not answer yet", encoder.name, exc_info=True)

    async def _succeed(self) -> bool:
        """When nothing that was heard waits: bring the configured encoder nearer to serving."""
        if self._migration is None:
            self._migration = EncoderMigration((await self._open()).encoders, self._renew)
        return await self._migration.step()

    async def _renew(self) -> None:
        """Take the encoder that serves now, here and in every shard."""
        kept = await self._open()
        self._stores, self._migration = await stores_over(kept.pool, self._settings, kept.events), None
        await self._shards.ask_all("renew", timeout_s=RENEW_S)

    async def _read_heard(self) -> None:
        """Find out what words say, with what is left of the processors while they are encoded (0053)."""
        come_last()
        while True:
            if not await self._reading.next((await self._open()).intake) and not await self._embed_facts():
                await self._rest()

    async def _judge_again(self, judge: Judge) -> None:
        """Ask a judge that has failed again, now and then: what the rules decided in its place stands until then."""
        patience = RetrySchedule(self._settings.extraction.retry_base_s, self._settings.extraction.retry_cap_s)
        while True:
            await asyncio.sleep(FACTS_S)
            facts = await (await self._open()).memory.journal.unjudged_facts(MOST_UNJUDGED)
            due = set(patience.due([fact.fact_id for fact in facts], self._clock.now()))
            for user_id in {fact.user_id for fact in facts}:
                mine = {fact.fact_id: fact.statement for fact in facts if fact.user_id == user_id}
                chosen = [each for each in mine if each in due][:AT_ONCE]
                patience.tried(chosen, self._clock.now())  # what is judged is not listed any more
                if chosen:
                    await self._ask_again(user_id, {each: mine[each] for each in chosen}, judge)

    async def _ask_again(self, user_id: str, statements: Mapping[str, str], judge: Judge) -> None:
        identity = command_id(user_id, "judged again", str(self._clock.now()), *statements)
        command = MeetRivals(command_id=identity, actor="extraction", fact_ids=tuple(statements))
        rounds = self._settings.revision.rounds
        try:
            vectors = await encode((await self._open()).encoder, list(statements.values()))
            await ask_again(command, partial(self._turn, user_id, vectors), judge, rounds)
        except Exception:  # whatever it is, the facts of others are asked about all the same
            log.exception("facts of %s wait for their judge", user_id)

    async def _rest(self) -> None:
        try:
            await asyncio.wait_for(self._woken.wait(), IDLE_S)
        except TimeoutError:
            return
        self._woken.clear()

    async def _encode_next(self, *, longest: bool) -> bool:
        """Encode the next batch; False if there is none."""
        intake, order = (await self._open()).intake, QueueOrder(longest, self._encoding.served)
        due = await intake.capture.due("embed", self._clock.now(), BATCH, order)
        try:
            await encode_heard(due, intake.capture, intake.encoder)
        except Exception as error:
            if is_away(error):
                raise
            for task in due:  # each by itself: what fails again has failed for its own words
                await attempt(task, self._embed, intake, self._clock)
        if due:
            self._encoding.had(due[0].scope)
        else:
            self._encoding.nobody_waits()
        return bool(due)

    async def _embed(self, task: DueSource) -> None:
        intake = (await self._open()).intake
        await encode_heard([task], intake.capture, intake.encoder)

    async def _embed_facts(self) -> bool:
        """Encode facts that wait for a vector, now and then: they are few, and looking for them is not free.

        Not those of a memory of which a night runs: each turn that lets them meet would hold it up.
        """
        now = self._clock.now()
        if now < self._look_at_facts:
            return False
        stores = await self._open()
        resting = [*self._refused.resting(now), *await stores.nights.kept.under_way()]
        facts = await stores.memory.journal.unencoded_facts(BATCH, resting)
        if not facts:
            self._look_at_facts = now + FACTS_S
            return False
        for user_id in sorted({fact.user_id for fact in facts}):
            try:
                await self._embed_facts_of(user_id, [fact for fact in facts if fact.user_id == user_id])
            except Exception as error:
                if is_away(error):
                    raise
                log.exception("facts of %s wait for their vectors", user_id)  # and those of others go on meanwhile
                self._refused.tried([user_id], now)
        return True

    async def _embed_facts_of(self, user_id: str, facts: Sequence[UnencodedFact]) -> None:
        """What has a vector to be made anew has met its rivals; what had none meets them now."""
        stores = await self._open()
        if anew := [fact for fact in facts if fact.anew]:
            vectors = await encode(stores.encoder, [fact.statement for fact in anew])
            own = {fact.fact_id: vectors[fact.statement] for fact in anew}
            await stores.memory.journal.put_fact_vectors(user_id, own)
            await self._shards.ask(user_id, "relearn", user_id)
        if unmet := [fact for fact in facts if not fact.anew]:
            await let_meet(user_id, unmet, stores.encoder, self._submit, self._clock.now())

    async def _submit(self, user_id: str, command: Judgeable, vectors: Mapping[str, Vector]) -> object:
        """Hand a command to the shard of its user, and judge what it meets while no turn waits."""
        rounds = self._settings.revision.rounds
        return await submit_judged(command, partial(self._turn, user_id, vectors), self._judge, rounds)

    async def _turn(self, user_id: str, vectors: Mapping[str, Vector], command: Judgeable) -> Any:
        return await self._shards.ask(user_id, "turn", user_id, command, vectors)

    async def _encoder(self) -> Embedder:
        """The encoder that serves now."""
        return (await self._open()).encoder

    async def _open(self) -> Stores:
        if self._stores is None:
            async with self._opening:  # else two who ask at once would each connect, and one's connections stay
                if self._stores is None:
                    self._stores = await build.stores(self._settings, "worker")
        return self._stores
