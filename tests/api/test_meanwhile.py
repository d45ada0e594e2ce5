"""Words that change while they are read, or are told again after: nothing of the old is believed, all of the new."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from adapters.postgres.capture import PostgresCapture
from adapters.postgres.pool import Connection
from memory.errors import Stale
from memory.model.claims import Reading, Utterance
from memory.model.sources import Segment, Source, Telling
from memory.services.extract import ReadingParts, read_source
from tests.api.conftest import Door
from tests.api.test_reading import MONDAY, source, tell
from tests.fakes.extractor import ScriptedExtractor

WORDS = {
    "I live in Lisbon.": ("lives_in", "Lisbon", "lives in Lisbon"),
    "I live in Berlin.": ("lives_in", "Berlin", "lives in Berlin"),
    "I love tea.": ("likes", "tea", "loves tea"),
}
SETTLED_S = 30.0
LISBON = source("x", ("Maya", "I live in Lisbon."))
SWEEP = source("x", ("Maya", "I live in Berlin."), is_sweep=True)
SWEEP["segments"][0]["segment_id"] = "swept"


class Meanwhile(ScriptedExtractor):
    """Lets something happen once the first words are read."""

    def __init__(self, act: Callable[[], Awaitable[object]]) -> None:
        super().__init__(WORDS)
        self._act: Callable[[], Awaitable[object]] | None = act

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        reading = await super().read(utterances)
        act, self._act = self._act, None
        if act is not None:
            await act()
        return reading


class Held(PostgresCapture):
    """Stands still before it commits."""

    asked, released = asyncio.Event(), asyncio.Event()

    async def _want_work(self, connection: Connection, source: Source, position: int, telling: Telling) -> None:
        await super()._want_work(connection, source, position, telling)
        await (await connection.execute("SELECT 1")).fetchone()
        self.asked.set()
        await self.released.wait()


async def read_once(door: Door, extractor: ScriptedExtractor) -> None:
    """Read what is due of this user, as the worker does."""
    intake = door.app.stores.intake
    for task in await intake.capture.due("read", door.app.clock.now(), 100):
        if task.user_id == door.user:
            await read_source(task, intake.capture, ReadingParts(extractor, intake.encoder, door.actors._submit, 16))


async def believed(door: Door) -> list[str]:
    facts = (await door.actors.believed(door.user)).facts.values()
    return sorted(fact.statement for fact in facts if fact.status == "active")


async def settled(door: Door) -> list[str]:
    door.actors.extractor = ScriptedExtractor(WORDS)
    await asyncio.wait_for(door.settle(), SETTLED_S)
    return await believed(door)


async def test_what_was_forgotten_and_is_told_again_is_read_again(door: Door) -> None:
    door.actors.extractor = ScriptedExtractor(WORDS)
    await tell(door, LISBON)
    await door.client.delete("/v1/sources/x")
    assert await believed(door) == []
    await door.post("/v1/sources", LISBON, 202)
    assert await settled(door) == ["lives in Lisbon"]


async def test_what_was_hidden_and_is_shown_again_is_read_again(door: Door) -> None:
    door.actors.extractor = ScriptedExtractor(WORDS)
    await tell(door, LISBON)
    await tell(door, SWEEP)
    assert await believed(door) == ["lives in Berlin"]
    later = {**SWEEP, "segments": [{**SWEEP["segments"][0], "start": 100, "end": 104}]}
    await door.post("/v1/sources", later, 202)
    assert "lives in Lisbon" in await settled(door)


async def test_words_forgotten_while_they_are_read_do_not_come_back_with_those_told_in_their_place(door: Door) -> None:
    async def act() -> None:
        await door.client.delete("/v1/sources/x")
        await door.post("/v1/sources", source("x", ("Maya", "I love tea.")), 202)

    await door.post("/v1/sources", LISBON, 202)
    try:
        await read_once(door, Meanwhile(act))
    except Stale:
        await door.post("/v1/sources/x/retry", status=202)
    assert await settled(door) == ["loves tea"]


async def test_words_hidden_while_they_are_read_are_not_believed(door: Door) -> None:
    both = source("x", ("Maya", "I live in Lisbon."), ("Maya", "I love tea."))

    async def act() -> None:
        over = {**both["segments"][1], "start": 5, "end": 9}
        await door.post("/v1/sources", {**both, "segments": [over], "is_sweep": True}, 202)

    await door.post("/v1/sources", both, 202)
    try:
        await read_once(door, Meanwhile(act))
    except Stale:
        await door.post("/v1/sources/x/retry", status=202)
    assert await settled(door) == ["loves tea"]


async def test_what_a_source_grows_by_while_its_reading_ends_is_still_to_be_read(door: Door) -> None:
    stores, held = door.app.stores, Held(door.app.stores.pool, door.app.stores.encoder.name)
    words = [Segment(str(at), "Maya", text, at, at + 1.0) for at, text in enumerate(WORDS)]
    first = Source("x", f"user:{door.user}", "conversation", MONDAY, segments=tuple(words[:1]))
    await stores.intake.capture.store(first)
    await door.actors.believed(door.user)
    growing = asyncio.ensure_future(held.store(Source("x", first.scope, first.kind, MONDAY, segments=tuple(words[2:]))))
    await held.asked.wait()
    reading = asyncio.ensure_future(read_once(door, ScriptedExtractor(WORDS)))
    waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    while not await stores.pool.rows(waiting):
        await asyncio.sleep(0.05)
    held.released.set()
    await asyncio.gather(growing, reading)
    assert await settled(door) == ["lives in Lisbon", "loves tea"]
