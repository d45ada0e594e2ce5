"""What is asked of one entity, one fact or one page reads what belongs to it, however large the memory is.

PostgreSQL counts the rows itself. What is looked up one by one may be read a few times, all of a memory may not.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest

from adapters.postgres.capture import PostgresCapture
from adapters.postgres.entity_reads import PostgresEntityReads
from adapters.postgres.fact_reads import PostgresFactReads
from adapters.postgres.figures import PostgresFigures
from adapters.postgres.history import TURNS, PostgresHistory
from adapters.postgres.journal import PostgresJournal
from adapters.postgres.pool import Pool
from memory.model.changes import Change, ChangeSet, Row
from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence, Fact
from memory.model.scopes import View, user_scope
from memory.model.shown_times import Then
from memory.model.sources import Segment, Source
from memory.model.working_set import WorkingSet, evolve
from tests.contract.test_plans import ALL_TIMES, NOW, fetched, plainly, single

__all__ = ["single"]
pytestmark = pytest.mark.postgres
MANY, TOLD = 4_000, 800
PAGE = 10
RARE, PROMISE, COMMON = "e-0000000000000007", "e-000000000000000a", "e-0000000000001000"
KNOWN = "segments, sources, content, mentions, entities, fact_versions, evidence, links, journal, touched"
"""What has statistics; of rows of the past there are none yet, or older ones, as after an import."""


def fact_id(number: int) -> str:
    return f"f-{number:016x}"


def entity_id(number: int) -> str:
    return f"e-{number:016x}"


def told(number: int) -> Entity:
    return Entity(entity_id(number), "topic", f"Name {number}", 0.5, NOW)


def rows_of(source: Source) -> list[Change]:
    """Eight hundred entities with five mentions and as many facts that name the next one; one that is everywhere."""
    entities = [Entity(entity_id(n), "promise" if n % 10 == 0 else "topic", f"Name {n}", 0.5, NOW) for n in range(TOLD)]
    entities.append(Entity(COMMON, "person", "Common", 0.5, NOW))
    seen, stated, said = list[Mention](), list[Fact](), list[Evidence]()
    for n, segment in enumerate(source.segments):
        key, at, about = source.key_of(segment), NOW + n, n % TOLD
        seen.append(Mention(entity_id(about), source.source_id, key, at, "name", 0.9))
        seen.append(Mention(COMMON, source.source_id, key, at, "name", 0.9))
        other = entity_id((about + 1) % TOLD)
        stated.append(
            Fact(fact_id(n), 1, entity_id(about), f"Fact {n}", "factual", 5, 0.9, at, NOW, "likes", "x", other)
        )
        said.append(Evidence(fact_id(n), source.source_id, key, "name", at))
    every: list[Row] = [*entities, *seen, *stated, *said]
    return [Change("created", None, each) for each in every]


@dataclass
class Large:
    """A memory of which all is known, and who counts."""

    pool: Pool
    view: View

    async def read(self, asked: Callable[[], Awaitable[object]], *tables: str) -> int:
        """Rows of these tables that were read for it, once it was planned before."""
        await asked()
        before = [await fetched(self.pool, table) for table in tables]
        await asked()
        return sum([await fetched(self.pool, table) for table in tables]) - sum(before)


async def keep(pool: Pool, user: str, count: int) -> None:
    """Let a user know all there is of so many segments."""
    said = tuple(Segment(str(n), "Ann", f"Name {n % TOLD} once more.", float(n), n + 1.0) for n in range(count))
    source = Source("s", user_scope(user), "conversation", NOW, segments=said)
    await PostgresCapture(pool, "hashing").store(source)
    journal = PostgresJournal(pool, "hashing")
    turn = ChangeSet("c", "Remember", "user", NOW, tuple(rows_of(source)))
    assert await journal.commit(await journal.claim(user, "shard-0"), WorkingSet(user), turn, {})


@pytest.fixture
async def older_statistics(single: Pool, own_pool: Pool, user: str) -> None:
    """Statistics of rows of the past that know somebody else alone."""
    await keep(single, f"{user}-before", 200)
    await plainly(own_pool, "VACUUM (ANALYZE) row_versions")


@pytest.fixture
async def large(single: Pool, own_pool: Pool, user: str) -> Large:
    await keep(single, user, MANY)
    await plainly(own_pool, f"VACUUM (ANALYZE) {KNOWN}")
    return Large(single, View(user))


HEARD = ("segments", "mentions")


async def test_one_entity_is_shown_by_its_own_mentions(large: Large) -> None:
    reads = PostgresEntityReads(large.pool)
    assert (await reads.one(large.view, RARE)).mention_count == MANY // TOLD
    assert await large.read(lambda: reads.one(large.view, RARE), "mentions") < 100
    named = await reads.page(large.view, PAGE, name="name 7")
    assert [each.entity.entity_id for each in named.shown] == [RARE]
    assert await large.read(lambda: reads.page(large.view, PAGE, name="Name 7"), "mentions") < 100


async def test_whether_an_entity_is_in_sight_is_asked_of_its_first_mention(large: Large) -> None:
    reads, history, figures = (
        PostgresEntityReads(large.pool),
        PostgresHistory(large.pool),
        PostgresFigures(large.pool),
    )
    assert await reads.resolve(large.view, COMMON) == (COMMON, COMMON)
    assert await large.read(lambda: reads.resolve(large.view, COMMON), *HEARD) < 20
    assert await history.names(large.view, [COMMON]) == {COMMON: "Common"}
    assert await large.read(lambda: history.names(large.view, [COMMON]), *HEARD) < 20
    assert await figures.named(large.view, "common") == [COMMON]
    assert await large.read(lambda: figures.named(large.view, "common"), *HEARD) < 20
    near = {each.entity_id for each in await reads.related(large.view, RARE)}
    assert near == {entity_id(6), entity_id(8), COMMON}
    assert await large.read(lambda: reads.related(large.view, RARE), "mentions") < 200


async def test_a_promise_is_shown_by_its_first_mention(large: Large) -> None:
    reads = PostgresEntityReads(large.pool)
    made = await reads.promised(large.view, [PROMISE])
    assert made[PROMISE].segment_id == "10"
    assert await large.read(lambda: reads.promised(large.view, [PROMISE]), "content", *HEARD) < MANY / 4


async def test_the_past_of_a_memory_is_read_once_for_a_page(older_statistics: None, large: Large) -> None:
    """The planner takes its rows for one, and read all of them for each entity."""
    reads, then = PostgresEntityReads(large.pool), Then(None, NOW + 1)
    page = await reads.page(large.view, PAGE, then)
    assert (len(page.shown), page.total) == (PAGE, TOLD + 1)
    assert await large.read(lambda: reads.page(large.view, PAGE, then), "row_versions") < 8 * MANY


async def test_a_fact_is_found_by_its_id_and_by_the_beginning_of_it(large: Large) -> None:
    reads = PostgresFactReads(large.pool)
    assert (await reads.one(large.view, fact_id(9))).statement == "Fact 9"
    assert await large.read(lambda: reads.one(large.view, fact_id(9)), "fact_versions", "evidence") < 100


async def test_the_first_part_of_the_change_log_reads_a_few_turns(single: Pool, user: str) -> None:
    journal, believed = PostgresJournal(single, "hashing"), WorkingSet(user)
    epoch = await journal.claim(user, "shard-0")
    for n in range(2 * TURNS):
        turn = ChangeSet(f"c-{n}", "Remember", "user", NOW + n, (Change("created", None, told(n)),))
        assert await journal.commit(epoch, believed, turn, {})
        believed = evolve(believed, turn.changes)
    history = PostgresHistory(single)
    before = await fetched(single, "journal")
    steps, more = await history.steps(View(user), limit=3)
    assert ([each.at for each in steps], more) == ([NOW, NOW + 1, NOW + 2], True)
    assert await fetched(single, "journal") - before < TURNS
    every, more = await history.steps(View(user), limit=3 * TURNS)
    assert (len(every), more) == (2 * TURNS, False)


async def test_the_timeline_reads_a_page_of_what_is_believed(large: Large) -> None:
    figures = PostgresFigures(large.pool)

    async def page() -> object:
        return await figures.timeline(large.view, PAGE, Then(), **ALL_TIMES)

    async def of_entity() -> object:
        return await figures.timeline(large.view, PAGE, Then(), **{**ALL_TIMES, "entities": [RARE]})

    assert await large.read(page, "fact_versions", "evidence", "segments") < MANY / 4
    assert await large.read(of_entity, "mentions", "segments") < 100
