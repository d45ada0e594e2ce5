"""A fact that came without a vector meets its rivals exactly once, whatever breaks on the way."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from adapters.embedding.hashing import HashingEmbedder
from adapters.embedding.truncated import TruncatedEmbedder
from adapters.inmemory.captures import InMemoryCaptures
from adapters.inmemory.journal import InMemoryJournal
from memory.errors import JournalUnavailable
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.claims import Claim
from memory.model.working_set import WorkingSet
from memory.ports import Statements, Vector
from memory.rules.decider import Rules
from memory.services import rebuild as rebuilding
from memory.services.rebuild import rebuild
from memory.services.remember import UserMemory
from memory.services.vectors import let_meet
from tests.fakes.captures import InMemoryFreshJournal, fresh

NOON = 1_700_000_000.0
ENCODER = HashingEmbedder()
BEES = ("Maya keeps bees in the garden", "Maya keeps bees in her garden")


class Standing:
    """A clock that stands: the memory itself never takes a moment twice."""

    def now(self) -> float:
        return NOON


class House:
    """A memory whose facts came without vectors, and the worker that finds them."""

    def __init__(self) -> None:
        self.journal = InMemoryJournal()
        self.captures = InMemoryCaptures(self.journal)
        self.broken: list[Exception] = []
        self.met: list[ChangeSet] = []

    async def open(self) -> House:
        self.memory = UserMemory("u", "shard-0", self.journal, self.captures, Rules(), Standing(), ENCODER)
        await self.memory.activate()
        return self

    async def tell(self, *statements: str) -> None:
        for statement in statements:
            await self.memory.turn(c.Remember(statement, claims=(Claim("Maya", statement, 0, statement),)))

    def without(self) -> list[dict[str, Any]]:
        facts, known = self.memory.believed.facts, self.journal.vectors.get("u", {})
        return [{"fact_id": each, "statement": facts[each].statement} for each in facts if each not in known]

    async def look(self, now: float = NOON) -> bool:
        """What the worker does with the facts it finds; False if there are none."""
        rows = self.without()
        if rows:
            await let_meet("u", rows, ENCODER, self.meet, now)
        return bool(rows)

    async def meet(self, user_id: str, command: c.MeetRivals, vectors: Mapping[str, Vector]) -> None:
        if self.broken:
            raise self.broken.pop()
        self.met.append(await self.memory.turn(command, vectors))

    @property
    def standing(self) -> Sequence[str]:
        return [fact.statement for fact in self.memory.believed.facts.values() if fact.status == "active"]


@pytest.fixture
async def house() -> House:
    house = await House().open()
    await house.tell(*BEES)
    assert len(house.standing) == 2
    return house


async def test_facts_of_one_batch_meet_each_other_and_have_their_vectors_in_the_same_turn(house: House) -> None:
    assert await house.look()
    assert len(house.standing) == 1
    assert house.journal.vectors["u"].keys() == {fact_id for fact_id in house.memory.believed.facts}
    assert not await house.look(), "they are not met again"


async def test_what_breaks_before_the_turn_leaves_them_without_their_vectors(house: House) -> None:
    house.broken.append(ConnectionError())
    with pytest.raises(ConnectionError):
        await house.look()
    assert house.journal.vectors["u"] == {}
    await house.memory.activate()  # the shard was restarted, too
    assert await house.look(NOON + 60)
    assert len(house.standing) == 1


async def test_a_turn_that_was_committed_unheard_is_not_taken_again(house: House) -> None:
    meet = house.meet

    async def unheard(user_id: str, command: c.MeetRivals, vectors: Mapping[str, Vector]) -> None:
        await meet(user_id, command, vectors)
        raise JournalUnavailable

    house.meet = unheard  # type: ignore[method-assign]
    with pytest.raises(JournalUnavailable):
        await house.look()
    version = house.memory.believed.version
    assert not await house.look(NOON + 60)
    assert house.memory.believed.version == version


async def test_facts_that_are_gone_leave_no_vectors(house: House) -> None:
    rows = house.without()
    subject = house.memory.believed.facts[rows[0]["fact_id"]].subject_id
    await house.memory.turn(c.ForgetEntity("gone", entity_id=subject))
    assert not house.memory.believed.facts
    await let_meet("u", rows, ENCODER, house.meet, NOON)
    assert house.met
    assert house.journal.vectors["u"] == {}


@pytest.mark.parametrize("batch", [1, 64])
async def test_a_history_is_rebuilt_with_what_met(house: House, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(rebuilding, "BATCH", batch)
    await house.look()
    await house.tell("Maya plays the cello")
    journal = InMemoryFreshJournal(WorkingSet("u"))
    report = await rebuild(0, list(house.captures.read("u")), fresh(journal), Rules(), ENCODER)
    assert (report.otherwise, journal.believed) == (0, house.memory.believed)


async def test_vectors_of_another_encoder_are_left_out_and_the_fact_meets_its_rivals_later(house: House) -> None:
    late = "Maya keeps bees in this garden"
    others = Statements("another", {late: np.ones(7, np.float32)})
    await house.memory.turn(c.Remember("late", claims=(Claim("Maya", late, 0, late),)), others)
    assert late in house.standing
    assert house.journal.vectors["u"] == {}
    assert await house.look()
    assert len(house.standing) == 1


async def test_a_memory_takes_another_encoder_between_two_turns_or_keeps_its_own(house: House) -> None:
    assert await house.look()
    other = TruncatedEmbedder(ENCODER, 32)
    await house.memory.take(house.journal, other)
    assert house.memory.encoder == "hashing-64@32"
    with pytest.raises(AttributeError):
        await house.memory.take(object(), ENCODER)  # type: ignore[arg-type]
    assert house.memory.encoder == "hashing-64@32"
    await house.tell("Maya sings")
    assert "Maya sings" in house.standing


def test_statements_travel_with_the_name_of_their_encoder() -> None:
    sent = Statements("another", {"Ann sings": np.ones(2, np.float32)})
    received = pickle.loads(pickle.dumps(sent))
    assert (received.encoder, list(received)) == ("another", ["Ann sings"])
