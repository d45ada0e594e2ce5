"""A fact that came without a vector meets its rivals exactly once, whatever breaks on the way."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence

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
from memory.model.waiting import WaitingFact
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


class InProcessApp:
    """A memory whose facts came without vectors, and the worker that finds them."""

    def __init__(self) -> None:
        self.journal = InMemoryJournal()
        self.captures = InMemoryCaptures(self.journal)
        self.broken: list[Exception] = []
        self.met: list[ChangeSet] = []

    async def open(self) -> InProcessApp:
        self.memory = UserMemory("u", "shard-0", self.journal, self.captures, Rules(), Standing(), ENCODER)
        await self.memory.activate()
        return self

    async def tell(self, *statements: str) -> None:
        for statement in statements:
            await self.memory.turn(c.Remember(command_id=statement, claims=(Claim("Maya", statement, 0, statement),)))

    def without(self) -> list[WaitingFact]:
        facts, known = self.memory.believed.facts, self.journal.vectors.get("u", {})
        return [WaitingFact("u", each, facts[each].statement) for each in facts if each not in known]

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
async def app() -> InProcessApp:
    app = await InProcessApp().open()
    await app.tell(*BEES)
    assert len(app.standing) == 2
    return app


async def test_facts_of_one_batch_meet_each_other_and_have_their_vectors_in_the_same_turn(app: InProcessApp) -> None:
    assert await app.look()
    assert len(app.standing) == 1
    assert app.journal.vectors["u"].keys() == {fact_id for fact_id in app.memory.believed.facts}
    assert not await app.look(), "they are not met again"


async def test_what_breaks_before_the_turn_leaves_them_without_their_vectors(app: InProcessApp) -> None:
    app.broken.append(ConnectionError())
    with pytest.raises(ConnectionError):
        await app.look()
    assert app.journal.vectors["u"] == {}
    await app.memory.activate()  # the shard was restarted, too
    assert await app.look(NOON + 60)
    assert len(app.standing) == 1


async def test_a_turn_that_was_committed_unheard_is_not_taken_again(app: InProcessApp) -> None:
    meet = app.meet

    async def unheard(user_id: str, command: c.MeetRivals, vectors: Mapping[str, Vector]) -> None:
        await meet(user_id, command, vectors)
        raise JournalUnavailable

    app.meet = unheard  # type: ignore[method-assign]
    with pytest.raises(JournalUnavailable):
        await app.look()
    version = app.memory.believed.version
    assert not await app.look(NOON + 60)
    assert app.memory.believed.version == version


async def test_facts_that_are_gone_leave_no_vectors(app: InProcessApp) -> None:
    rows = app.without()
    subject = app.memory.believed.facts[rows[0].fact_id].subject_id
    await app.memory.turn(c.ForgetEntity(command_id="gone", entity_id=subject))
    assert not app.memory.believed.facts
    await let_meet("u", rows, ENCODER, app.meet, NOON)
    assert app.met
    assert app.journal.vectors["u"] == {}


@pytest.mark.parametrize("batch", [1, 64])
async def test_a_history_is_rebuilt_with_what_met(
    app: InProcessApp, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(rebuilding, "BATCH", batch)
    await app.look()
    await app.tell("Maya plays the cello")
    journal = InMemoryFreshJournal(WorkingSet("u"))
    report = await rebuild(0, list(app.captures.read("u")), fresh(journal), Rules(), ENCODER)
    assert (report.otherwise, journal.believed) == (0, app.memory.believed)


async def test_vectors_of_another_encoder_are_left_out_and_the_fact_meets_its_rivals_later(app: InProcessApp) -> None:
    late = "Maya keeps bees in this garden"
    others = Statements("another", {late: np.ones(7, np.float32)})
    await app.memory.turn(c.Remember(command_id="late", claims=(Claim("Maya", late, 0, late),)), others)
    assert late in app.standing
    assert app.journal.vectors["u"] == {}
    assert await app.look()
    assert len(app.standing) == 1


async def test_a_memory_takes_another_encoder_between_two_turns_or_keeps_its_own(app: InProcessApp) -> None:
    assert await app.look()
    other = TruncatedEmbedder(ENCODER, 32)
    await app.memory.take(app.journal, other)
    assert app.memory.encoder == "hashing-64@32"
    with pytest.raises(AttributeError):
        await app.memory.take(object(), ENCODER)  # type: ignore[arg-type]
    assert app.memory.encoder == "hashing-64@32"
    await app.tell("Maya sings")
    assert "Maya sings" in app.standing


def test_statements_travel_with_the_name_of_their_encoder() -> None:
    sent = Statements("another", {"Ann sings": np.ones(2, np.float32)})
    received = pickle.loads(pickle.dumps(sent))
    assert (received.encoder, list(received)) == ("another", ["Ann sings"])
