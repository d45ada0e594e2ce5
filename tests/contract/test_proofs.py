"""What proves a night is the same read from the tables and from a working set."""

from __future__ import annotations

import pytest

from adapters.inmemory.proofs import InMemoryProofReads
from adapters.postgres.pool import Pool
from adapters.postgres.proofs import PostgresProofReads
from memory.model import commands as c
from memory.model.claims import Claim
from tests.contract.test_nights import DAY, Writer, remembered, writer

__all__ = ["writer"]
pytestmark = pytest.mark.postgres


@pytest.fixture
async def mine(writer: Writer) -> Writer:
    """A memory of where people live, of what they like best, and of one who moved."""
    for key, (who, what) in enumerate((("Tom", "shoes"), ("Tom", "tea"), ("Elena", "tea"), ("Ann", "tea")), 20):
        writer.now += 3 * DAY
        words = f"{who}'s favorite {what} is number {key}"
        claim = Claim(who, words, key, words, predicate="favorite", object=f"number {key}", slot=what)
        await writer.turn(remembered(key, writer.now, (), (claim,)))
    return writer


@pytest.mark.parametrize("most", [0, 1, 2, 3, 200])
async def test_the_sample_is_the_same_in_the_tables_and_in_memory(mine: Writer, pool: Pool, most: int) -> None:
    here, there = InMemoryProofReads(lambda: mine.believed), PostgresProofReads(pool)
    sampled = await there.sample(mine.user, most, "u/2023-11-15")
    assert sampled == await here.sample(mine.user, most, "u/2023-11-15")
    assert len(sampled) == min(most, 5), "where Maya lives, and four favorites"
    assert all(each.evidence for each in sampled)


async def test_facts_are_read_again_by_their_ids_and_forgotten_ones_are_not(mine: Writer, pool: Pool) -> None:
    here, there = InMemoryProofReads(lambda: mine.believed), PostgresProofReads(pool)
    ids = sorted(mine.believed.facts)
    facts = await there.facts(mine.user, ids)
    assert facts == await here.facts(mine.user, ids)
    lives = next(each for each in facts if each.predicate == "lives_in")
    assert lives.evidence == {1, 2, 3, 4, 5}, "wherever it was, it answers where Maya lives"
    await mine.turn(c.ForgetFact(command_id="forget", fact_id=lives.fact_id))
    again = await there.facts(mine.user, ids)
    assert again == await here.facts(mine.user, ids)
    assert lives.fact_id not in {each.fact_id for each in again}
    assert await there.sample("nobody", 10, "") == []
