"""What every journal promises: turns on top of each other, once, by one writer; and everything back as it was."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from adapters.inmemory.journal import InMemoryJournal
from adapters.postgres.journal import PostgresJournal
from adapters.postgres.pool import Pool
from memory.errors import Fenced, Stale
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.claims import Claim
from memory.model.profile import Profile
from memory.model.working_set import WorkingSet, evolve
from memory.ports import Journal, Ownership
from memory.rules.decider import Rules, decide

NOW = 1_700_000_000.0
MAYA = c.SetProfile(
    command_id="c-profile", profile=Profile(name="Maya", time_zone="Europe/Lisbon", languages=("en", "pt"))
)


def remember(command_id: str, statement: str, **rest: object) -> c.Remember:
    return c.Remember(command_id=command_id, claims=(Claim("Maya", statement, 0, statement, **rest),))  # type: ignore[arg-type]


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.postgres)])
def journal(request: pytest.FixtureRequest) -> Journal:
    if request.param == "memory":
        return InMemoryJournal()
    pool: Pool = request.getfixturevalue("pool")
    return PostgresJournal(pool, "hashing")


class Writer:
    """A shard in miniature: decide, commit, then believe it."""

    def __init__(self, journal: Journal, user: str) -> None:
        self.journal, self.user = journal, user
        self.epoch = 0
        self.believed = WorkingSet(user)
        self.now = NOW

    async def turn(self, command: c.Command) -> ChangeSet:
        self.epoch = self.epoch or await self.journal.claim(self.user, "shard-0")
        self.now += 1
        changes = decide(self.believed, command, self.now, Rules())
        if await self.journal.commit(self.epoch, self.believed, changes, {}):
            self.believed = evolve(self.believed, changes.changes)
        return changes


@pytest.fixture
def writer(journal: Journal, user: str) -> Writer:
    return Writer(journal, user)


async def test_an_unknown_user_is_an_empty_memory(journal: Journal, user: str) -> None:
    assert await journal.load(user) == WorkingSet(user)


async def test_what_was_committed_is_loaded_as_it_was_believed(writer: Writer) -> None:
    await writer.turn(MAYA)
    await writer.turn(remember("c-1", "Maya lives in Porto", predicate="lives_in", object="Porto"))
    await writer.turn(remember("c-2", "Maya lives in Lisbon", predicate="lives_in", object="Lisbon"))
    await writer.turn(remember("c-3", "Maya does not like coriander", polarity=False, kind="preference", importance=7))
    owner = next(entity for entity in writer.believed.entities.values() if entity.is_owner)
    await writer.turn(
        c.WriteNote(command_id="c-4", about_id=owner.entity_id, text="Prefers to be called May.", lifetime="year")
    )
    await writer.turn(c.AddAlias(command_id="c-5", entity_id=owner.entity_id, alias="May"))
    assert await writer.journal.load(writer.user) == writer.believed
    assert {fact.status for fact in writer.believed.facts.values()} == {"active", "superseded"}


async def test_a_command_counts_once(writer: Writer) -> None:
    await writer.turn(remember("c-1", "Maya plays the cello"))
    before = writer.believed
    await writer.turn(remember("c-1", "Maya plays the cello"))
    assert writer.believed == before == await writer.journal.load(writer.user)


async def test_an_older_writer_is_fenced_and_writes_nothing(writer: Writer) -> None:
    await writer.turn(MAYA)
    await writer.journal.claim(writer.user, "shard-1")
    with pytest.raises(Fenced):
        await writer.turn(remember("c-1", "Maya plays the cello"))
    assert not (await writer.journal.load(writer.user)).facts


async def test_a_claim_fences_one_memory_and_no_other(journal: Journal, user: str) -> None:
    ann, ben = Writer(journal, user), Writer(journal, f"{user}-ben")
    for writer in (ann, ben):
        await writer.turn(MAYA)
    latest = await journal.claim(user, "shard-1")
    assert latest > max(ann.epoch, ben.epoch)
    assert await journal.ownership(user) == Ownership(latest, 1)  # type: ignore[attr-defined]
    with pytest.raises(Fenced):
        await ann.turn(remember("c-1", "Maya plays the cello"))
    await ben.turn(remember("c-1", "Maya plays the cello"))
    assert await journal.ownership(ben.user) == Ownership(ben.epoch, 2)  # type: ignore[attr-defined]


async def test_of_claims_at_once_the_latest_holds(journal: Journal, user: str) -> None:
    epochs = await asyncio.gather(*(journal.claim(user, f"shard-{number}") for number in range(8)))
    assert len(set(epochs)) == len(epochs)
    assert await journal.ownership(user) == Ownership(max(epochs), 0)  # type: ignore[attr-defined]


async def test_a_turn_on_an_old_version_is_stale(writer: Writer) -> None:
    await writer.turn(MAYA)
    old = writer.believed
    await writer.turn(remember("c-1", "Maya plays the cello"))
    writer.believed = old
    with pytest.raises(Stale):
        await writer.turn(remember("c-2", "Maya plays the viola"))


async def test_undo_puts_back_what_was_believed(writer: Writer) -> None:
    await writer.turn(MAYA)
    await writer.turn(remember("c-1", "Maya lives in Porto", predicate="lives_in", object="Porto"))
    await writer.turn(remember("c-2", "Maya lives in Lisbon", predicate="lives_in", object="Lisbon"))
    done = await writer.journal.committed(writer.user)
    assert done is not None
    assert done.command_id == "c-2"
    await writer.turn(c.Undo(command_id="c-undo", done=done))
    states = {fact.object: fact.status for fact in writer.believed.facts.values()}
    assert states == {"Porto": "active", "Lisbon": "forgotten"}
    assert await writer.journal.load(writer.user) == writer.believed
    following = await writer.journal.committed(writer.user)
    assert following is not None
    assert following.command_id == "c-1", "an undone command is not undone twice"
    assert await writer.journal.committed(writer.user, "c-2") is None


async def test_forgetting_an_entity_erases_every_fact_about_it(writer: Writer) -> None:
    await writer.turn(MAYA)
    await writer.turn(remember("c-1", "Maya plays the cello"))
    ravi = Claim("Ravi", "Ravi bakes bread", 0, "Ravi bakes bread")
    await writer.turn(c.Remember(command_id="c-2", claims=(ravi,)))
    stranger = next(entity for entity in writer.believed.entities.values() if entity.name == "Ravi")
    changes = await writer.turn(c.ForgetEntity(command_id="c-3", entity_id=stranger.entity_id))
    assert stranger.entity_id in changes.erased
    loaded = await writer.journal.load(writer.user)
    assert loaded == writer.believed
    assert [fact.statement for fact in loaded.facts.values()] == ["Maya plays the cello"]


async def test_fact_vectors_come_back(journal: Journal, user: str) -> None:
    epoch = await journal.claim(user, "shard-0")
    changes = decide(WorkingSet(user), remember("c-1", "Maya plays the cello"), NOW, Rules())
    fact_id = changes.outcomes[0].fact_id
    vector = np.array([0.6, 0.8], np.float32)
    await journal.commit(epoch, WorkingSet(user), changes, {fact_id: vector})
    vectors = await journal.fact_vectors(user)  # type: ignore[attr-defined]
    assert vectors[fact_id] == pytest.approx([0.6, 0.8], abs=1e-3)


@pytest.mark.postgres
async def test_a_turn_and_a_renewal_of_vectors_wait_for_one_another_in_one_order(pool: Pool, user: str) -> None:
    journal = PostgresJournal(pool, "hashing")
    epoch, told = await journal.claim(user, "shard-0"), ChangeSet("c", "Told", "user", NOW, ())
    assert await journal.commit(epoch, WorkingSet(user), told, {"f-1": np.ones(4, np.float32)})
    async with pool.transaction() as turn:
        await turn.execute("SELECT FROM users WHERE user_id = %s FOR UPDATE", [user])
        await turn.execute("SET LOCAL deadlock_timeout = '50ms'")  # else the other is found out first, and tries again
        renewing = asyncio.create_task(journal.renew_fact_vectors(user))
        await asyncio.sleep(0.3)  # it waits for the user, and holds nothing that the turn is about to want
        await turn.execute("DELETE FROM fact_vectors WHERE user_id = %s", [user])
    await renewing
    assert await journal.fact_vectors(user) == {}
