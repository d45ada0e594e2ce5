"""The ties that are read from the tables are those of the working set."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from adapters.postgres import ties as postgres_ties
from adapters.postgres.pool import Pool
from adapters.postgres.ties import take_ties
from memory.model import commands as c
from memory.rules.parameters import Communities
from memory.rules.ties import Ties, graph_of, ties_of
from tests.contract.test_nights import Writer, lived

pytestmark = pytest.mark.postgres


@pytest.fixture
async def mine(pool: Pool, user: str, monkeypatch: pytest.MonkeyPatch) -> Writer:
    return await lived(pool, user, monkeypatch)


def rows(found: Ties, name: str) -> list[tuple[object, ...]]:
    """The rows of a table in order, with ids for places."""
    ids = {
        "entity": found.entities,
        "subject": (*found.entities, None),
        "object": (*found.entities, None),
        "fact": found.facts,
        "source": found.sources,
    }
    table = getattr(found, name)
    columns = []
    for each in fields(table):
        values = getattr(table, each.name).tolist()
        columns.append([ids[each.name][value] for value in values] if each.name in ids else values)
    return sorted(zip(*columns, strict=True), key=str)


async def same(pool: Pool, mine: Writer) -> Ties:
    """What is read, found equal to what is believed."""
    read, known = await take_ties(pool, mine.user), ties_of(mine.believed)
    assert (read.entities, read.sources, read.facts) == (known.entities, known.sources, known.facts)
    np.testing.assert_array_equal(read.lasting, known.lasting)
    for name in ("named", "asserted"):
        assert rows(read, name) == rows(known, name)
        for each in fields(getattr(known, name)):
            assert getattr(getattr(read, name), each.name).dtype == getattr(getattr(known, name), each.name).dtype
    one, other = graph_of(read, Communities()), graph_of(known, Communities())
    for column in ("one", "other", "weight"):
        np.testing.assert_array_equal(getattr(one, column), getattr(other, column))
    return read


async def test_the_ties_of_the_tables_are_those_of_the_working_set(
    mine: Writer, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_ties, "BATCH", 2)
    found = await same(pool, mine)
    assert found.facts, "facts of Elena are read"
    assert len(found.named.segment) == 4
    assert "promise" not in {mine.believed.entities[each].type for each in found.entities}


async def test_what_is_forgotten_ties_no_more(mine: Writer, pool: Pool) -> None:
    before = await same(pool, mine)
    await mine.turn(c.ForgetFact(command_id="forget", fact_id=before.facts[0]))
    after = await same(pool, mine)
    assert before.facts[0] not in after.facts


async def test_somebody_without_a_memory_has_no_ties(pool: Pool) -> None:
    found = await take_ties(pool, "nobody-at-all")
    assert (found.entities, found.sources, found.facts, found.levels()) == ((), (), (), ())
