"""What storylines are made of is the same over both stores, and holds nothing that may not be told."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from adapters.inmemory.storylines import InMemoryStorylineReads
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.pool import Pool
from adapters.postgres.storylines import PostgresStorylineReads
from memory.model import commands as c
from memory.model.claims import Claim, Sighting
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity, user_scope
from memory.model.sources import Segment, Source
from memory.model.storylines import Storyline
from memory.retrieval.pieces import Encoded, Pieces
from memory.rules.appearances import Appearances
from tests.contract.test_nights import DAY, NOW, Writer

pytestmark = pytest.mark.postgres
SAID = {
    "one": ("user", Sensitivity.OPEN, ["Elena paints.", "Just kidding!"]),
    "two": ("user", Sensitivity.PRIVATE, ["I saw Elena. Elena is ill."]),
    "three": ("assistant", Sensitivity.OPEN, ["Elena is well, as you said."]),
}
ALL = Storyline("s", "", Sensitivity.SENSITIVE, NOW, tuple(SAID), NOW, NOW)


@pytest.fixture
async def mine(pool: Pool, user: str) -> Writer:
    """A memory that three sources tell of Elena, and two facts of her."""
    writer, capture = Writer(pool, user), PostgresCapture(pool, "hashing")
    await writer.turn(c.SetProfile(command_id="profile", profile=Profile(name="Maya")))
    for number, (name, (role, level, texts)) in enumerate(SAID.items()):
        segments = tuple(
            Segment(f"g{place}", "Maya", text, 10.0 * place, 10.0 * place + 5, role=role)
            for place, text in enumerate(texts)
        )
        source = Source(name, user_scope(user), "note", NOW + number * DAY, sensitivity=level, segments=segments)
        await capture.store(source)
        key = source.key_of(segments[0])
        read = c.ReadSegment(source.scope, name, key, 1, source.time_of(segments[0]), "Maya", role, int(level))
        claim = Claim("Elena", texts[0], key, texts[0])
        await writer.turn(
            c.AcceptReading(
                command_id=name,
                actor="extraction",
                read=(read,),
                claims=(claim,) if role == "user" else (),
                sightings=(Sighting("person", "Elena", 0.9, "Elena", key),),
            )
        )
    return writer


def elena(writer: Writer) -> str:
    return next(each.entity_id for each in writer.believed.entities.values() if each.name == "Elena")


def tables(pool: Pool) -> PostgresStorylineReads:
    return PostgresStorylineReads(pool, "hashing", lambda cosine: cosine)


def equal(one: Appearances, other: Appearances) -> None:
    for each in fields(Appearances):
        here, there = getattr(one, each.name), getattr(other, each.name)
        np.testing.assert_array_equal(here, there, err_msg=each.name)
        assert getattr(here, "dtype", None) == getattr(there, "dtype", None), each.name


@pytest.mark.parametrize("least", [1, 3, 4])
async def test_who_is_told_of_is_the_same_over_both_stores(mine: Writer, pool: Pool, least: int) -> None:
    here = InMemoryStorylineReads(lambda: mine.believed)
    read = await tables(pool).appearances(mine.user, least)
    equal(read, await here.appearances(mine.user, least))
    assert read.anchors == (() if least == 4 else (elena(mine),)), "the owner is no anchor"
    assert read.sources == (() if least == 4 else tuple(SAID))
    assert read.at.tolist() == [] if least == 4 else [NOW, NOW + DAY, NOW + 2 * DAY]
    assert read.level.tolist() == [] if least == 4 else [0, 1, 0]


async def test_what_people_said_of_an_anchor_is_read_up_to_a_level(mine: Writer, pool: Pool) -> None:
    reads, line = tables(pool), replace(ALL, anchor_id=elena(mine))
    everything, nothing, little = await reads.told(
        mine.user, [line, replace(line, anchor_id="e-0"), replace(line, level=Sensitivity.OPEN)]
    )
    assert [(each.source_id, each.text, each.quote, each.speaker) for each in everything] == [
        ("one", "Elena paints.", "Elena", "Maya"),
        ("two", "I saw Elena. Elena is ill.", "Elena", "Maya"),
    ]
    assert [each.next_words for each in everything] == ["Just kidding!", None]
    assert (nothing, [each.source_id for each in little]) == ((), ["one"])
    assert await reads.told(mine.user, []) == []
    here = InMemoryStorylineReads(lambda: mine.believed)
    keys = {each.segment_key for [some] in [await here.told(mine.user, [line])] for each in some}
    assert {each.segment_key for each in everything} <= keys


@pytest.mark.parametrize("store", ["memory", "postgres"])
async def test_a_sentence_whose_fact_was_forgotten_is_marked(mine: Writer, pool: Pool, store: str) -> None:
    ill = next(each.fact_id for each in mine.believed.facts.values() if "ill" in each.statement)
    await mine.turn(c.ForgetFact(command_id="forget", fact_id=ill))
    here = InMemoryStorylineReads(lambda: mine.believed)
    [told] = await (tables(pool) if store == "postgres" else here).told(
        mine.user, [replace(ALL, anchor_id=elena(mine))]
    )
    assert {each.source_id: each.gone for each in told if each.source_id != "three"} == {
        "one": (),
        "two": ("I saw Elena. Elena is ill.",),
    }


async def test_a_source_has_the_direction_of_what_was_said_in_it(mine: Writer, pool: Pool) -> None:
    source = Source("one", user_scope(mine.user), "note", NOW)
    keys = [source.key_of(Segment(each, "", "", 0, 0)) for each in ("g0", "g1")]
    encoded = Encoded(np.eye(8, dtype=np.float32)[:2], Pieces.none(2, 8))
    await PostgresCapture(pool, "hashing").store_vectors(source.scope, keys, [1, 1], encoded)
    likeness = await tables(pool).likeness(mine.user, ["one", "two", "nowhere"])
    assert {each: vector.round(3).tolist()[:3] for each, vector in likeness.vectors.items()} == {
        "one": pytest.approx([0.707, 0.707, 0.0])
    }
    assert (await tables(pool).likeness(mine.user, ["two"])).vectors == {}
    assert (await tables(pool).likeness(mine.user, [])).vectors == {}


async def test_names_are_read_for_a_model(mine: Writer, pool: Pool) -> None:
    for reads in (tables(pool), InMemoryStorylineReads(lambda: mine.believed)):
        assert await reads.names(mine.user, [elena(mine), "e-0"]) == {elena(mine): "Elena"}


async def test_somebody_without_a_memory_is_told_of_nowhere(pool: Pool) -> None:
    read = await tables(pool).appearances("nobody-at-all", 1)
    assert (read.anchors, read.sources, read.levels()) == ((), (), ())
