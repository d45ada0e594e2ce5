"""The contract of the Index port, on every implementation.

An implementation joins by a name and a function in `INDEXES` that hears a `World` and gives the index of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from adapters.embedding.hashing import HashingEmbedder
from adapters.postgres.indexes import PostgresCalendar, PostgresGraph, PostgresText, PostgresVectors
from adapters.postgres.journal import PostgresJournal
from adapters.postgres.pool import Pool
from memory.model.changes import Change, ChangeSet
from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence, Fact
from memory.model.ids import fold
from memory.model.scopes import Sensitivity, View
from memory.model.timeline import Interval
from memory.model.working_set import WorkingSet
from memory.ports import Index
from memory.retrieval.batches import dense_text
from memory.retrieval.beliefs import Beliefs
from memory.retrieval.calendar_leg import MemoryCalendar
from memory.retrieval.candidates import Ranking
from memory.retrieval.graph_leg import MemoryGraph
from memory.retrieval.hot_leg import MemoryHot
from memory.retrieval.legs import MemoryText, MemoryVectors
from memory.retrieval.query import Probe
from memory.retrieval.registry import LEGS
from memory.retrieval.segment_index import SegmentIndex
from memory.words.time_named import NamedTimes, Stretch
from tests.unit.retrieval.rows import Row, batch

NOON = 1_683_500_000.0
QUESTION = "Does Beatrix play the violin?"


@dataclass(frozen=True)
class Heard:
    """One segment, whose it is and how private."""

    row: Row
    scope: str = "user:ann"
    sensitivity: Sensitivity = Sensitivity.OPEN


@dataclass(frozen=True)
class World:
    """What was heard, what of it was removed again, and what a user believes because of it."""

    heard: tuple[Heard, ...]
    removed: frozenset[int] = frozenset()

    @property
    def believed(self) -> WorkingSet:
        """Ann's memory: Beatrix is mentioned in every segment, and each is evidence that she plays the violin."""
        beatrix = Entity("e-1", "person", "Beatrix", 0.9, NOON)
        fact = Fact("f-1", 1, "e-1", "Beatrix plays the violin.", "factual", 5, 0.9, NOON, NOON)
        keys = [heard.row.key for heard in self.heard]
        return WorkingSet(
            "ann",
            1,
            entities={"e-1": beatrix},
            facts={"f-1": fact},
            mentions={"e-1": {key: Mention("e-1", "s", key, NOON, "Beatrix") for key in keys}},
            evidence={"f-1": tuple(Evidence("f-1", "s", key, "violin", NOON) for key in keys)},
            names={fold("Beatrix"): ("e-1",)},
            by_subject={"e-1": ("f-1",)},
        )


def index_of(world: World, rounded: bool = False) -> SegmentIndex:
    encoder = HashingEmbedder()
    segment_index = SegmentIndex(encoder.dimensions, rounded)
    for heard in world.heard:
        row = heard.row
        segment_index.put(heard.scope, heard.sensitivity, batch([row]))
        vector = encoder.embed([dense_text(row.speaker, row.date, row.text)])
        segment_index.put_vectors(heard.scope, np.array([row.key]), vector)
        if row.key in world.removed:
            segment_index.remove(heard.scope, np.array([row.key]))
    return segment_index


async def text(world: World) -> Index:
    return MemoryText(index_of(world))


async def vectors(world: World) -> Index:
    return MemoryVectors(index_of(world))


async def rounded_vectors(world: World) -> Index:
    return MemoryVectors(index_of(world, rounded=True))


async def graph(world: World) -> Index:
    return MemoryGraph(Beliefs(index_of(world), {"ann": world.believed}.get))


async def hot(world: World) -> Index:
    return MemoryHot(Beliefs(index_of(world), {"ann": world.believed}.get))


async def calendar(world: World) -> Index:
    return MemoryCalendar(Beliefs(index_of(world), {"ann": world.believed}.get))


INDEXES: dict[str, Callable[[World], Awaitable[Index]]] = {
    "memory-text": text,
    "memory-vectors": vectors,
    "memory-vectors-int8": rounded_vectors,
    "memory-graph": graph,
    "memory-hot": hot,
    "memory-calendar": calendar,
}

POSTGRES = {
    "postgres-text": PostgresText,
    "postgres-vectors": PostgresVectors,
    "postgres-graph": PostgresGraph,
    "postgres-calendar": PostgresCalendar,
}


async def tell(pool: Pool, world: World) -> None:
    """The world in an empty database: segments under their own keys, then what Ann believes."""
    for heard in world.heard:
        row, encoder = heard.row, HashingEmbedder()
        source = f"source-{heard.sensitivity.name}-{row.source}"
        vector = encoder.embed([dense_text(row.speaker, row.date, row.text)])[0]
        values = {
            "scope": heard.scope,
            "key": row.key,
            "source": source,
            "text": row.text,
            "order": row.order,
            "at": row.at,
            "known": row.known_from,
            "level": int(heard.sensitivity),
            "vector": vector,
            "encoder": encoder.name,
            "speaker": row.speaker,
        }
        for statement in SEGMENT:
            await pool.rows(statement, **values)
        if row.key in world.removed:
            await pool.rows("DELETE FROM segments WHERE segment_key = %(key)s", key=row.key)
    changes = [Change("told", None, row) for row in rows_of(world.believed)]
    base = WorkingSet("ann")
    journal = PostgresJournal(pool, "hashing")
    epoch = await journal.claim(base.user_id, "shard-0")
    await journal.commit(epoch, base, ChangeSet("c", "Told", "user", NOON, tuple(changes)), {})


def rows_of(believed: WorkingSet) -> list[Entity | Mention | Fact | Evidence]:
    mentions = [mention for of in believed.mentions.values() for mention in of.values()]
    evidence = [each for of in believed.evidence.values() for each in of]
    return [*believed.entities.values(), *mentions, *believed.facts.values(), *evidence]


SEGMENT = (
    """INSERT INTO sources (scope, source_id, session_id, kind, started_at, sensitivity)
    VALUES (%(scope)s, %(source)s, %(source)s, 'conversation', to_timestamp(%(at)s), %(level)s)
    ON CONFLICT DO NOTHING""",
    """INSERT INTO content (scope, content_id, owner, words, config)
    VALUES (%(scope)s, %(key)s, 'segment:' || %(key)s::text, %(text)s, 'english')""",
    """INSERT INTO segments (scope, segment_key, source_id, segment_id, speaker, role, content_id, at, ord, start_s,
    end_s, position, committed_at) VALUES (%(scope)s, %(key)s, %(source)s, %(key)s::text, %(speaker)s, 'other', %(key)s,
    to_timestamp(%(at)s), %(order)s, %(order)s, %(order)s, 1, to_timestamp(%(known)s))""",
    """INSERT INTO segment_vectors (scope, segment_key, encoder, revision, position, vector)
    VALUES (%(scope)s, %(key)s, %(encoder)s, 1, 1, %(vector)s::vector)""",
)

ANN = View("ann", ("choir",), Sensitivity.PRIVATE)
HEARD = (
    Heard(Row(1, "Beatrix plays the violin", order=0, at=NOON)),
    Heard(Row(2, "Beatrix bought a violin", order=1, at=NOON + 60, known_from=NOON + 1000)),
    Heard(Row(3, "Beatrix sold her old violin", order=2, at=NOON + 120)),
    Heard(Row(4, "Beatrix carries the violin", source=2, at=NOON + 180), scope="team:choir"),
    Heard(Row(5, "Beatrix's violin is broken", source=3, at=NOON), sensitivity=Sensitivity.PRIVATE),
    Heard(Row(6, "Beatrix hides a violin", source=4, at=NOON), sensitivity=Sensitivity.SENSITIVE),
    Heard(Row(7, "Beatrix loves the violin", source=5, at=NOON), scope="user:bob"),
    Heard(Row(8, "Beatrix tunes the violin", source=6, at=NOON), scope="team:other"),
)
WORLD = World(HEARD)
THAT_DAY = NamedTimes((Stretch(Interval(NOON, NOON + 86_400)),), "that day", (), over=True)
"""For the indexes that go by the time a question names."""


@pytest.fixture(params=[*INDEXES, *(pytest.param(kind, marks=pytest.mark.postgres) for kind in POSTGRES)])
def build(request) -> Callable[[World], Awaitable[Index]]:
    if request.param in INDEXES:
        return INDEXES[request.param]
    pool: Pool = request.getfixturevalue("own_pool")

    async def in_postgres(world: World) -> Index:
        await tell(pool, world)
        return POSTGRES[request.param](pool, HashingEmbedder().name)

    return in_postgres


def probe(**changes) -> Probe:
    vector = HashingEmbedder().embed([QUESTION])[0]
    return replace(Probe(QUESTION, vector, known_as_of=None, named=THAT_DAY), **changes)


def found(ranking: Ranking) -> set[int]:
    assert ranking.keys.dtype == np.int64
    assert len(ranking.keys) == len(ranking.scores) == len(set(ranking.keys.tolist()))
    assert (np.diff(ranking.scores) <= 0).all()
    return set(ranking.keys.tolist())


def test_every_leg_has_an_index_here_and_every_index_is_a_leg():
    names = {leg.name for leg in LEGS}
    assert {kind.removeprefix("memory-").removesuffix("-int8") for kind in INDEXES} == names - {"standing"}, (
        "wishes alone are told by their form: tests/unit/retrieval/test_standing.py"
    )
    assert {index.name for index in POSTGRES.values()} <= names


async def test_a_view_finds_its_own_scopes_up_to_its_clearance_and_nothing_else(build):
    index = await build(WORLD)
    ranking = await index.search(ANN, probe())
    assert ranking.leg == index.name
    assert found(ranking) == {1, 2, 3, 4, 5}
    assert found(await index.search(View("ann", (), Sensitivity.SENSITIVE), probe())) == {1, 2, 3, 5, 6}
    assert found(await index.search(View("ann", ("choir",), Sensitivity.OPEN), probe())) == {1, 2, 3, 4}


async def test_an_unknown_user_finds_nothing(build):
    assert found(await (await build(WORLD)).search(View("nobody"), probe())) == set()


async def test_the_window_is_half_open(build):
    index = await build(WORLD)
    assert found(await index.search(ANN, probe(window=Interval(NOON + 60, NOON + 120)))) == {2}
    assert found(await index.search(ANN, probe(window=Interval(NOON + 120, None)))) == {3, 4}
    assert found(await index.search(ANN, probe(window=Interval(None, NOON + 60)))) == {1, 5}


async def test_what_was_not_known_yet_is_not_found(build):
    assert found(await (await build(WORLD)).search(ANN, probe(known_as_of=NOON + 999))) == {1, 3, 4, 5}


async def test_only_restricts_to_keys(build):
    assert found(await (await build(WORLD)).search(ANN, probe(only=np.array([3, 6, 99])))) == {3}


async def test_at_most_limit_and_these_the_best(build):
    index = await build(WORLD)
    everything, two = await index.search(ANN, probe()), await index.search(ANN, probe(limit=2))
    assert two.keys.tolist() == everything.keys.tolist()[:2]


async def test_what_was_removed_is_gone(build):
    world = World(HEARD, frozenset({1, 4}))
    assert found(await (await build(world)).search(ANN, probe())) == {2, 3, 5}


async def test_a_world_without_segments_answers_with_nothing(build):
    assert found(await (await build(World(()))).search(ANN, probe())) == set()


async def test_the_same_question_twice_is_the_same_answer(build):
    index = await build(WORLD)
    first, second = await index.search(ANN, probe()), await index.search(ANN, probe())
    np.testing.assert_array_equal(first.keys, second.keys)
    np.testing.assert_array_equal(first.scores, second.scores)
