"""Through PostgreSQL, too, a past day is told to whoever sees several sensitivities as if all words were of one."""

from __future__ import annotations

import random

import pytest

from adapters.postgres.capture import PostgresCapture
from adapters.postgres.fact_reads import PostgresFactReads
from adapters.postgres.journal import PostgresJournal
from adapters.postgres.pool import Pool
from adapters.postgres.surroundings import PostgresSurroundings
from memory.model import commands as c
from memory.model.claims import Claim
from memory.model.ids import segment_key
from memory.model.scopes import Sensitivity, View, user_scope
from memory.model.shown_times import Then
from memory.model.sources import Segment, Source
from memory.model.working_set import WorkingSet, evolve
from memory.rules.decider import Rules, decide
from tests.unit.retrieval.test_past_days import AGAIN, expected
from tests.unit.rules.memory_in_miniature import DAY, NOON, lives
from tests.unit.rules.test_across import OPEN, PRIVATE, Said
from tests.unit.rules.test_denials import leaves
from tests.unit.rules.test_slots import PLACES

pytestmark = pytest.mark.postgres
HELD = ("active", "superseded")
COMMITTED = NOON + 1_000 * DAY
DAYS = (-1.0, 0.0, 0.5, 2.0, 3.5, 5.0, 6.0, 9.0)


class Kept:
    """A memory in PostgreSQL that hears where Maya lives; each turn is a second after the one before."""

    def __init__(self, pool: Pool, user: str) -> None:
        self.journal, self.capture = PostgresJournal(pool, "hashing"), PostgresCapture(pool, "hashing")
        self.facts, self.around = PostgresFactReads(pool), PostgresSurroundings(pool)
        self.user, self.scope = user, user_scope(user)
        self.believed, self.epoch, self.turns = WorkingSet(user), 0, 0
        self.keys: list[int] = []

    async def hear(self, said: Said) -> None:
        self.epoch = self.epoch or await self.journal.claim(self.user, "shard-0")
        self.turns += 1
        source, at = f"s{self.turns}", NOON + said.day * DAY
        segment = Segment("1", "Maya", "Words.", 0.0, 1.0)
        level = Sensitivity(said.level)
        await self.capture.store(Source(source, self.scope, "conversation", at, sensitivity=level, segments=(segment,)))
        key = segment_key(self.scope, source, "1")
        self.keys.append(key)
        claim: Claim = lives(said.place, key) if said.there else leaves(said.place, key)
        read = c.ReadSegment(self.scope, source, key, 1, at, "Maya", "user", level)
        command = c.AcceptReading(command_id=f"hear-{self.turns}", actor="extraction", read=(read,), claims=(claim,))
        changes = decide(self.believed, command, COMMITTED + self.turns, Rules())
        assert await self.journal.commit(self.epoch, self.believed, changes, {})
        self.believed = evolve(self.believed, changes.changes)

    def view(self, clearance: int) -> View:
        return View(self.user, (), Sensitivity(clearance))

    async def home(self, clearance: int, day: float, known: float | None) -> list[str]:
        """Where it says she lived on a day, a fact at a time."""
        shown, place = [], {}
        while True:
            asked = {"known": known, "as_of": NOON + day * DAY, "predicate": "lives_in", **place}
            page = await self.facts.page(self.view(clearance), HELD, 1, **asked)
            shown += [fact.object for fact in page.shown if fact.polarity]
            assert all(fact.valid_to is None or fact.valid_to > asked["as_of"] for fact in page.shown)
            if page.last is None:
                return sorted(set(shown))
            place = {"mark": page.last[0], "key": page.last[1]}

    async def around_hits(self, clearance: int, day: float, known: float | None) -> list[str]:
        """Where the surroundings of all that was said say she lived on a day."""
        moment, ids = NOON + day * DAY, list(self.believed.facts)
        found = await self.around.around(self.view(clearance), self.keys, ids, Then(moment, known))
        held = [each.statement for each in found.facts if each.valid_from <= moment < (each.valid_to or moment + 1)]
        return sorted({statement.split()[-1] for statement in held if "not" not in statement})


def drawn(seed: int) -> list[Said]:
    chance = random.Random(seed)
    said = (
        Said(chance.randrange(7), chance.choice(PLACES), chance.random() < 0.6, chance.randrange(3)) for _ in range(9)
    )
    return list(dict.fromkeys(said))


@pytest.mark.conforms("model:across")
@pytest.mark.parametrize("seed", range(6))
async def test_every_day_is_told_as_by_all_words_in_sight_then_and_now(pool: Pool, user: str, seed: int) -> None:
    heard, kept = drawn(seed), Kept(pool, user)
    for each in heard:
        await kept.hear(each)
    half = len(heard) // 2
    for clearance in Sensitivity:
        for day in DAYS:
            for told, known in ((heard, None), (heard[:half], COMMITTED + half + 0.5)):
                wanted = expected(told, clearance, day)
                assert await kept.home(clearance, day, known) == wanted, (clearance, day, known)
                assert await kept.around_hits(clearance, day, known) == wanted, (clearance, day, known)
    assert await kept.journal.load(user) == kept.believed


@pytest.mark.conforms("model:across")
async def test_a_fact_tells_which_words_it_is_out_by_on_a_day(pool: Pool, user: str) -> None:
    kept = Kept(pool, user)
    for each in AGAIN:
        await kept.hear(each)
    porto, faro = (
        next(key for key, fact in kept.believed.facts.items() if fact.object == place) for place in ("Porto", "Faro")
    )
    ends = {4: ("superseded", NOON + 5 * DAY), 7: ("superseded", NOON + 5 * DAY), 12: ("active", None)}
    for day, told in ends.items():
        (fact,) = await kept.facts.current(kept.view(PRIVATE), [porto], NOON + day * DAY)
        assert (fact.status, fact.valid_to) == told
        assert fact.superseded_by == ([faro] if told[1] is not None else [])
        (fact,) = await kept.facts.current(kept.view(OPEN), [porto], NOON + day * DAY)
        assert (fact.status, fact.valid_to, fact.superseded_by) == ("active", None, [])
    (fact,) = await kept.facts.current(kept.view(PRIVATE), [porto])
    assert (fact.status, fact.valid_to) == ("active", None)
