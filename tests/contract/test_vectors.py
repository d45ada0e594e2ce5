"""Vectors and word pieces through the database: stored with what they were made of, fed by position, made anew."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import psycopg
import pytest

from adapters.clock import SystemClock
from adapters.embedding.hashing import HashingEmbedder
from adapters.inmemory.captures import InMemoryCaptures
from adapters.inmemory.journal import InMemoryJournal
from adapters.postgres import feed as feeding
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.capture import Q as CAPTURE
from adapters.postgres.feed import PostgresFeed, PostgresTraits
from adapters.postgres.journal import PostgresJournal
from adapters.postgres.pool import Pool
from adapters.postgres.vectors import matrix
from memory.model.changes import ChangeSet
from memory.model.claims import Claim
from memory.model.commands import MeetRivals, Remember
from memory.model.scopes import Sensitivity, View
from memory.model.sources import Segment, Source
from memory.model.waiting import DueSource, QueueOrder, UnencodedFact, UnencodedSegment
from memory.model.working_set import WorkingSet
from memory.ports import Statements, Vector
from memory.retrieval.batches import dense_text, local_date
from memory.retrieval.candidates import Traits
from memory.retrieval.pieces import Encoded, Pieces
from memory.retrieval.query import Probe
from memory.retrieval.segment_index import MemoryTraits, SegmentIndex
from memory.rules.decider import Rules
from memory.services.remember import UserMemory
from memory.services.vectors import BATCH, encode_heard, let_meet

pytestmark = pytest.mark.postgres

NOON = 1_700_000_000.0
ENCODER = HashingEmbedder()
ALL = np.zeros(0, np.int64)
WORDS = ("We bought a violin.", "It sounds warm!", "Play it tomorrow.", "", "The bridge broke.", "Who repairs it?")


def told(scope: str, source_id: str = "s", words: Sequence[str] = WORDS, **rest: object) -> Source:
    segments = tuple(Segment(f"l{n}", "Ann", text, 10.0 * n, 10.0 * n + 9) for n, text in enumerate(words))
    return Source(source_id, scope, "conversation", NOON, segments=segments, **rest)  # type: ignore[arg-type]


class Capturing:
    """A capture, its feed, and a worker in miniature, for one scope."""

    def __init__(self, pool: Pool, scope: str, encoder: str = ENCODER.name) -> None:
        self.scope = scope
        self.pool = pool
        self.capture, self.feed = PostgresCapture(pool, encoder), PostgresFeed(pool, encoder)

    async def due(self, source_id: str = "s") -> list[str]:
        return [segment.text for segment in await self.capture.unembedded([(self.scope, source_id)], 100)]

    async def encode(self, source_id: str = "s", *, pieces: bool = True) -> None:
        segments = await self.capture.unembedded([(self.scope, source_id)], 100)
        encoded = ENCODER.encode([segment.text for segment in segments])
        if not pieces:
            encoded = replace(encoded, pieces=Pieces.none(len(segments), ENCODER.dimensions))
        await self.store(segments, encoded)

    async def store(self, segments: Sequence[UnencodedSegment], encoded: Encoded) -> None:
        keys, revisions = [each.segment_key for each in segments], [each.revision for each in segments]
        await self.capture.store_vectors(self.scope, keys, revisions, encoded)

    async def fed(self, since: int = 0, keys: Sequence[int] = ()) -> dict[int, tuple[bytes, bytes]]:
        """segment key -> the bytes of its vector and of its pieces."""
        found: dict[int, tuple[bytes, bytes]] = {}
        async for there, encoded in self.feed.changed_vectors(self.scope, since, np.array(keys, np.int64)):
            assert len(there) == len(encoded.vectors) == len(encoded.pieces) > 0
            for row, key in enumerate(there.tolist()):
                found[key] = (encoded.vectors[row].tobytes(), encoded.pieces.to_bytes(row))
        return found

    async def position(self) -> int:
        return (await self.feed.positions([self.scope]))[self.scope][1]


@pytest.fixture
def mind(pool: Pool, user: str) -> Capturing:
    return Capturing(pool, f"user:{user}")


def expected(source: Source) -> dict[int, tuple[bytes, bytes]]:
    encoded = ENCODER.encode([segment.text for segment in source.segments])
    keys = [source.key_of(segment) for segment in source.segments]
    return {key: (encoded.vectors[n].tobytes(), encoded.pieces.to_bytes(n)) for n, key in enumerate(keys)}


async def test_what_was_stored_is_fed_to_the_bit(mind: Capturing) -> None:
    source = told(mind.scope)
    await mind.capture.store(source)
    await mind.encode()
    assert await mind.fed() == expected(source)
    assert await mind.due() == []


@pytest.mark.parametrize("size", [1, 4, 5])
async def test_slices_lose_and_repeat_nothing(mind: Capturing, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(feeding, "FIRST_SLICE", size)
    one, other = told(mind.scope), told(mind.scope, "t", [f"words {n}" for n in range(4)])
    for source in (one, other):
        await mind.capture.store(source)
        await mind.encode(source.source_id)
    sizes = [len(keys) async for keys, _ in mind.feed.changed_vectors(mind.scope, 0, ALL)]
    assert (max(sizes), sum(sizes)) == (size, 10)
    words = [batch.texts async for _, batch in mind.feed.changed(mind.scope, 0)]
    assert (max(map(len, words)), sorted(sum(words, ()))) == (size, sorted((*WORDS, *(f"words {n}" for n in range(4)))))
    assert await mind.fed() == expected(one) | expected(other)
    assert await mind.fed(await mind.position() - 1) == expected(other)
    both = expected(one) | expected(other)
    assert await mind.fed(await mind.position(), list(both)) == both


async def test_a_connection_that_was_cut_is_replaced(own_pool: Pool) -> None:
    mind, source = Capturing(own_pool, "user:cut"), told("user:cut")
    await mind.capture.store(source)
    await mind.encode()
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
    async with own_pool.connection() as connection:
        name, dsn = connection.info.dbname, connection.info.dsn
    async with await psycopg.AsyncConnection.connect(dsn, dbname="postgres", autocommit=True) as other:
        await other.execute(others, [name])
    assert await mind.fed() == expected(source)


async def test_vectors_of_earlier_words_are_neither_stored_nor_fed(mind: Capturing) -> None:
    await mind.capture.store(told(mind.scope, words=("It is red.", "It is blue.")))
    early = await mind.capture.unembedded([(mind.scope, "s")], 100)
    later = told(mind.scope, words=("It is green.", "It is blue."))
    await mind.capture.store(later)
    await mind.store(early, ENCODER.encode([segment.text for segment in early]))
    red, blue = expected(later)
    assert set(await mind.fed()) == {blue}
    assert await mind.due() == ["It is green."]
    await mind.encode()
    assert await mind.fed() == expected(later)
    await mind.capture.store(told(mind.scope, words=("It is green.", "It is white.")))
    assert set(await mind.fed()) == {red}


async def test_an_encoder_without_pieces_is_not_asked_again(mind: Capturing) -> None:
    source = told(mind.scope)
    await mind.capture.store(source)
    await mind.encode(pieces=False)
    assert await mind.due() == []
    assert await mind.fed() == {key: (vector, b"") for key, (vector, _) in expected(source).items()}


async def test_vectors_serve_until_their_successors_are_there(mind: Capturing) -> None:
    source = told(mind.scope)
    await mind.capture.store(source)
    await mind.encode()
    [task] = await tasks(mind, "embed")
    await mind.capture.finished(task)
    before, position = await mind.fed(), await mind.position()
    await mind.capture.renew_vectors(mind.scope)
    assert await mind.due() == list(WORDS)
    assert len(await tasks(mind, "embed")) == 1
    assert await mind.fed() == before
    rows = await mind.capture.unembedded([(mind.scope, "s")], 100)
    other = ENCODER.encode([f"Anew: {row.text}" for row in rows])
    await mind.store(rows, other)
    after = await mind.fed(position)
    assert {key: vector for key, (vector, _) in after.items()} == {
        row.segment_key: other.vectors[n].tobytes() for n, row in enumerate(rows)
    }
    assert await mind.due() == []


async def test_what_was_just_heard_goes_before_what_is_made_anew(mind: Capturing) -> None:
    await mind.capture.store(told(mind.scope))
    [task] = await tasks(mind, "embed")
    await mind.capture.finished(task)
    await mind.capture.renew_vectors(mind.scope)
    await mind.capture.store(told(mind.scope, "t"))
    assert [task.source_id for task in await tasks(mind, "embed")] == ["t", "s"]


async def test_what_is_asked_for_while_a_source_is_finished_is_not_lost(mind: Capturing) -> None:
    """The worker has seen that nothing is left; before it says so, the vectors are to be made anew."""
    await mind.capture.store(told(mind.scope))
    await mind.encode()
    [task] = await tasks(mind, "embed")
    assert await mind.due() == []
    await mind.capture.renew_vectors(mind.scope)
    await mind.capture.finished(task)
    [again] = await tasks(mind, "embed")
    assert await mind.due() == list(WORDS)
    await mind.encode()
    await mind.capture.finished(again)
    assert await tasks(mind, "embed") == []


async def test_one_transaction_decides_between_asking_and_finishing(mind: Capturing) -> None:
    """Who finishes waits for who is just asking, and then finds that it was asked for again."""
    await mind.capture.store(told(mind.scope))
    await mind.encode()
    [task] = await tasks(mind, "embed")
    async with mind.pool.transaction() as asking:
        await asking.execute(CAPTURE["renew_vectors"], {"scope": mind.scope, "encoder": ENCODER.name})
        finishing = asyncio.create_task(mind.capture.finished(task))
        await asyncio.sleep(0.1)
        assert not finishing.done()
    await finishing
    assert len(await tasks(mind, "embed")) == 1


async def test_the_latest_is_encoded_first_and_what_waits_longest_has_its_turn(mind: Capturing) -> None:
    for name in ("old", "made anew"):
        await mind.capture.store(told(mind.scope, name))
    for task in await tasks(mind, "embed"):
        await mind.capture.finished(task)
    await mind.capture.renew_vectors(mind.scope)
    for name in ("heard", "just heard"):
        await mind.capture.store(told(mind.scope, name))
    latest = [task.source_id for task in await tasks(mind, "embed")]
    assert latest[:2] == ["just heard", "heard"]
    assert {*latest[2:]} == {"old", "made anew"}
    longest = [task.source_id for task in await tasks(mind, "embed", longest=True)]
    assert longest[2:] == ["heard", "just heard"]
    read = [task.source_id for task in await tasks(mind, "read")]
    assert read == ["old", "made anew", "heard", "just heard"]


async def test_a_long_source_is_encoded_a_batch_at_a_time(mind: Capturing) -> None:
    await mind.capture.store(told(mind.scope, "long", [f"Word {n}." for n in range(BATCH + 1)]))
    [task] = await tasks(mind, "embed")
    await encode_heard([task], mind.capture, ENCODER)
    assert await mind.due("long") == [f"Word {BATCH}."]
    await mind.capture.store(told(mind.scope, "fresh", ["Rain again."]))
    assert [each.source_id for each in await tasks(mind, "embed")] == ["fresh", "long"]
    for task in await tasks(mind, "embed"):
        await encode_heard([task], mind.capture, ENCODER)
    assert await tasks(mind, "embed") == []
    assert len(await mind.fed()) == BATCH + 2


async def test_short_sources_share_a_batch_and_the_work_of_those_it_holds_is_done(mind: Capturing, user: str) -> None:
    said = {"a": ["It rains.", "It pours."], "b": [f"Word {n}." for n in range(BATCH)], "c": ["It snows."]}
    for name, words in said.items():
        await mind.capture.store(told(mind.scope, name, words))
    due = [next(task for task in await tasks(mind, "embed") if task.source_id == name) for name in said]
    await encode_heard(due, mind.capture, ENCODER)
    assert [len(await mind.due(name)) for name in said] == [0, 2, 1], "one batch, in the order of the tasks"
    assert {task.source_id for task in await tasks(mind, "embed")} == {"b", "c"}
    await encode_heard(due[1:], mind.capture, ENCODER)
    assert await tasks(mind, "embed") == []
    assert len(await mind.fed()) == BATCH + 3


async def test_sources_of_two_scopes_share_a_batch_and_each_keeps_its_own_vectors(mind: Capturing, user: str) -> None:
    other = f"team:{user}"
    await mind.capture.store(told(mind.scope, "s", ["It rains."]))
    await mind.capture.store(told(other, "s", ["It snows."]))
    due = await mind.capture.due("embed", NOON + 1e9, 100_000)
    await encode_heard([task for task in due if task.scope in (mind.scope, other)], mind.capture, ENCODER)
    for scope in (mind.scope, other):
        rows = await mind.pool.rows("SELECT words FROM content WHERE scope = %(scope)s", scope=scope)
        stored = await mind.pool.rows(
            "SELECT vector_send(vector) AS sent FROM segment_vectors WHERE scope = %(scope)s", scope=scope
        )
        [row], [vector] = rows, stored
        text = dense_text("Ann", local_date(NOON, 0), row["words"])
        assert np.allclose(matrix([vector["sent"]]), ENCODER.embed([text]), atol=1e-6)


async def tasks(mind: Capturing, task: str, *, longest: bool = False) -> list[DueSource]:
    """Work of this scope, in the order it is done."""
    every = await mind.capture.due(task, NOON + 1e9, 100_000, QueueOrder(longest))
    return [each for each in every if each.scope == mind.scope]


async def test_vectors_and_pieces_leave_with_their_source(mind: Capturing) -> None:
    await mind.capture.store(told(mind.scope))
    await mind.encode()
    await mind.capture.forget(mind.scope, "s")
    assert await mind.fed() == {}
    count = "SELECT count(*) AS n FROM segment_vectors WHERE scope = %(scope)s"
    assert (await mind.pool.row(count, scope=mind.scope) or {})["n"] == 0


async def test_vectors_of_another_encoder_are_not_fed(mind: Capturing, pool: Pool) -> None:
    source = told(mind.scope)
    await mind.capture.store(source)
    await mind.encode()
    other = Capturing(pool, mind.scope, "another")
    assert await other.fed() == {}
    assert await other.due() == list(WORDS)
    await other.encode(pieces=False)
    assert await mind.fed() == expected(source)


async def test_vectors_of_facts_serve_until_their_successors_are_there(pool: Pool, user: str) -> None:
    journal = PostgresJournal(pool, ENCODER.name)
    epoch = await journal.claim(user, "shard-0")
    one, other = ENCODER.embed(["Ann plays.", "Ann sings."])
    assert await journal.commit(epoch, WorkingSet(user), ChangeSet("c", "Told", "user", NOON, ()), {"f-1": one})
    await journal.renew_fact_vectors(user)
    np.testing.assert_array_equal((await journal.fact_vectors(user))["f-1"], one)
    await journal.put_fact_vectors(user, {"f-1": other})
    np.testing.assert_array_equal((await journal.fact_vectors(user))["f-1"], other)
    due = "SELECT due FROM fact_vectors WHERE user_id = %(user_id)s"
    assert await pool.row(due, user_id=user) == {"due": False}


async def test_the_turn_in_which_a_fact_meets_its_rivals_keeps_its_vector(pool: Pool, user: str) -> None:
    journal = PostgresJournal(pool, ENCODER.name)
    captures = InMemoryCaptures(InMemoryJournal())
    memory = UserMemory(user, "shard-0", journal, captures, Rules(), SystemClock(), ENCODER)
    await memory.activate()
    await memory.turn(Remember(command_id="c-1", claims=(Claim("Ann", "Ann plays the cello", 0, ""),)))

    async def waiting(besides: Sequence[str] = ()) -> list[UnencodedFact]:
        return [fact for fact in await journal.unencoded_facts(10_000, besides) if fact.user_id == user]

    [fact] = await waiting()
    assert fact.anew is False
    assert await waiting([user]) == []

    async def meet(user_id: str, command: MeetRivals, vectors: Mapping[str, Vector]) -> None:
        await memory.turn(command, vectors)

    await let_meet(user, [fact], ENCODER, meet, NOON)
    assert await waiting() == []
    kept = await journal.fact_vectors(user)
    np.testing.assert_array_equal(kept[fact.fact_id], ENCODER.embed(["Ann plays the cello"])[0])
    await journal.renew_fact_vectors(user)
    assert [fact.anew for fact in await waiting()] == [True]


async def test_a_memory_that_has_not_moved_is_not_looked_through_again(pool: Pool, user: str) -> None:
    journal, captures = PostgresJournal(pool, ENCODER.name), InMemoryCaptures(InMemoryJournal())
    memory = UserMemory(user, "shard-0", journal, captures, Rules(), SystemClock(), ENCODER)
    await memory.activate()

    async def waiting() -> list[str]:
        return [fact.statement for fact in await journal.unencoded_facts(10_000) if fact.user_id == user]

    for number, words in enumerate(("Ann plays the cello", "Ann lives in Graz")):
        vectors = Statements(ENCODER.name, {words: ENCODER.embed([words])[0]})
        await memory.turn(Remember(command_id=f"c-{number}", claims=(Claim("Ann", words, 0, ""),)), vectors)
        assert await waiting() == []
    await pool.rows("DELETE FROM fact_vectors WHERE user_id = %(user_id)s", user_id=user)
    assert await waiting() == [], "no turn does that"
    await memory.turn(Remember(command_id="c-2", claims=(Claim("Ann", "Ann has a dog", 0, ""),)))
    assert sorted(await waiting()) == ["Ann has a dog", "Ann lives in Graz", "Ann plays the cello"]
    assert len(await waiting()) == 3, "who lacks some is looked through until none is lacking"


async def test_both_sources_of_traits_know_the_same_of_candidates_and_their_neighbours(mind: Capturing) -> None:
    sources = [told(mind.scope), told(mind.scope, "t"), told(mind.scope, "u", sensitivity=Sensitivity.SENSITIVE)]
    segment_index = SegmentIndex(ENCODER.dimensions)
    for source in sources:
        await mind.capture.store(source)
        await mind.encode(source.source_id)
    async for level, batch in mind.feed.changed(mind.scope, 0):
        segment_index.put(mind.scope, level, batch)
    async for keys, encoded in mind.feed.changed_vectors(mind.scope, 0, ALL):
        segment_index.put_vectors(mind.scope, keys, encoded.vectors, encoded.pieces)
    view = View(mind.scope.removeprefix("user:"), (), Sensitivity.PRIVATE)
    chosen = np.array([source.key_of(source.segments[n]) for n in (3, 4, 0, 2) for source in sources])
    probe = Probe("violin", ENCODER.ask("violin").vector, known_as_of=None)
    traits_of, other = PostgresTraits(mind.pool, ENCODER.name, ENCODER.dimensions), MemoryTraits(segment_index)
    stored, kept = await traits_of.traits(view, chosen, probe, 9), await other.traits(view, chosen, probe, 9)
    assert len(stored.keys) == 8
    for name in ("keys", "at", "source", "order", "length", "vectors", "before"):
        np.testing.assert_array_equal(getattr(stored, name), getattr(kept, name), name)
    assert read_closely(stored) == read_closely(kept)
    first, alike = await traits_of.traits(view, chosen, probe, 3), await other.traits(view, chosen, probe, 3)
    assert read_closely(first) == read_closely(alike) != read_closely(stored)
    assert read_closely(first)[0] == (None,) * 5, "what is bare is read after all others"
    assert read_closely(first)[2][:3] == tuple(ENCODER.encode([WORDS[n]]).pieces.to_bytes(0) for n in (4, 3, 5))


def read_closely(traits: Traits) -> list[tuple[bytes | None, ...]]:
    """The pieces of each candidate and of the turns around it, None where a turn is missing."""
    near = traits.near
    assert near is not None
    return [tuple(near.turns.to_bytes(turn) if turn >= 0 else None for turn in row) for row in near.around.tolist()]
