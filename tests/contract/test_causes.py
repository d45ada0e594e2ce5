"""What causal links are read off is the same over both stores, and a night makes links that answer why."""

from __future__ import annotations

import io

import pytest

from adapters.inmemory.causes import InMemoryCausalReads
from adapters.inmemory.journal import InMemoryJournal
from adapters.inmemory.sources import InMemorySources
from adapters.postgres.archive import PostgresArchive
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.causes import PostgresCauses
from adapters.postgres.pool import Pool
from memory.model import commands as c
from memory.model.claims import Claim
from memory.model.scopes import View, user_scope
from memory.model.sources import Segment, Source
from memory.rules.parameters import CausalLinks
from memory.services.night import instant_of, run_night
from memory.services.undoing_nights import undo_night
from tests.contract.test_night_steps import NIGHT, Runner
from tests.contract.test_nights import NOW, Writer, nights_of, words_of
from tests.fakes.nights import parts
from tests.unit.language.test_answer import ScriptedModel

pytestmark = pytest.mark.postgres
SAID = (
    ("Maya", "My landlord raised the rent."),
    ("Tom", "Oh no."),
    ("Maya", "That's why I gave up the flat."),
    ("Tom", "The doctor found a gluten intolerance, so I stopped eating bread."),
    ("Tom", "I like the bread of the baker."),
)
CLAIMS = (
    ("Maya's landlord", "Maya's landlord raised the rent", 0),
    ("Maya", "Maya gave up the flat", 2),
    ("Tom", "The doctor found a gluten intolerance", 3),
    ("Tom", "Tom stopped eating bread", 3),
)


class Told:
    """One source in both stores, read."""

    def __init__(self, pool: Pool, user: str) -> None:
        self.writer, self.sources = Writer(pool, user), InMemorySources(InMemoryJournal())
        said = tuple(
            Segment(f"g{place}", speaker, text, 10.0 * place, 10.0 * place + 5, role="other")
            for place, (speaker, text) in enumerate(SAID)
        )
        self.source = Source("talk", user_scope(user), "conversation", NOW, segments=said)
        self.writer.now = instant_of(NIGHT, "UTC", 3) - 3_600.0
        self.tables = PostgresCauses(pool)
        self.first: dict[str, float] = {}
        self.here = InMemoryCausalReads(self.sources, lambda: self.writer.believed, lambda: self.first)

    async def tell(self, pool: Pool) -> None:
        await PostgresCapture(pool, "hashing").store(self.source)
        self.sources.store(self.source)
        keys = [self.source.key_of(each) for each in self.source.segments]
        read = tuple(c.ReadSegment(self.source.scope, "talk", key, 1, NOW, "Maya", "other", 0) for key in keys)
        claims = tuple(Claim(who, told, keys[place], SAID[place][1]) for who, told, place in CLAIMS)
        await self.writer.turn(c.AcceptReading(command_id="read", actor="extraction", read=read, claims=claims))
        self.first = {key: fact.system_from for key, fact in self.writer.believed.facts.items()}

    def fact(self, statement: str) -> str:
        return next(each.fact_id for each in self.writer.believed.facts.values() if each.statement == statement)


@pytest.fixture
async def told(pool: Pool, user: str) -> Told:
    found = Told(pool, user)
    await found.tell(pool)
    return found


async def test_what_may_tell_a_reason_is_the_same_over_both_stores(told: Told) -> None:
    user = told.writer.user
    read = await told.tables.told(user, NOW - 1.0)
    assert read == await told.here.told(user, NOW - 1.0)
    assert [(each.text, each.before) for each in read] == [(SAID[3][1], "Oh no."), (SAID[2][1], SAID[0][1])]
    assert await told.tables.told(user, NOW + 9e9) == await told.here.told(user, NOW + 9e9) == []


async def test_a_fact_that_changes_is_not_told_for_the_first_time(told: Told) -> None:
    user, later = told.writer.user, told.writer.now + 9 * 86_400.0
    told.writer.now = later
    fact_id = told.fact("Maya gave up the flat")
    await told.writer.turn(c.ConfirmFact(command_id="sure", fact_id=fact_id))
    assert told.writer.believed.facts[fact_id].system_from >= later
    assert await told.tables.told(user, later - 1.0) == await told.here.told(user, later - 1.0) == []
    rules = CausalLinks()
    assert (
        await told.tables.related(user, later - 1.0, rules) == await told.here.related(user, later - 1.0, rules) == []
    )


async def test_a_night_links_causes_and_its_undo_takes_them_back(told: Told, pool: Pool) -> None:
    nights, mind = nights_of(pool), Runner(told.writer)
    run = (told.writer.user, NIGHT, "UTC", parts(nights, mind, words=words_of(pool), causes=told.tables))
    assert (await run_night(*run))["causes"] == {"linked": 2, "more": False}
    view = View(told.writer.user)
    flat, rent = told.fact("Maya gave up the flat"), told.fact("Maya's landlord raised the rent")
    assert await told.tables.of(view, flat) == {rent: "rules"}
    assert await told.tables.of(view, rent) == {}
    assert await told.writer.journal.load(told.writer.user) == told.writer.believed
    await undo_night(told.writer.user, NIGHT, "key", nights, mind)
    assert await told.tables.of(view, flat) == {}


async def test_facts_of_one_source_are_shown_to_a_model_alike_over_both_stores(told: Told) -> None:
    user, rules = told.writer.user, CausalLinks()
    related = await told.tables.related(user, NOW - 1.0, rules)
    assert related == await told.here.related(user, NOW - 1.0, rules)
    [facts] = related
    assert {each.stated.statement for each in facts} == {statement for _, statement, _ in CLAIMS}
    assert (facts[0].speaker, facts[0].quote) == ("Maya", SAID[0][1])
    for chosen in (CausalLinks(shown=1), CausalLinks(shown=2)):
        some = await told.tables.related(user, NOW - 1.0, chosen)
        assert some == await told.here.related(user, NOW - 1.0, chosen) == [facts[: chosen.shown]]
    assert await told.tables.related(user, NOW + 9e9, rules) == await told.here.related(user, NOW + 9e9, rules) == []


async def test_a_link_that_a_model_proposes_says_so_and_travels_with_an_archive(told: Told, pool: Pool) -> None:
    nights, mind = nights_of(pool), Runner(told.writer)
    model = ScriptedModel("Maya's landlord raised the rent because Tom stopped eating bread. [1][3][4]")
    given = {"words": words_of(pool), "causes": told.tables, "model": model}
    report = (await run_night(told.writer.user, NIGHT, "UTC", parts(nights, mind, **given)))["causes"]
    assert (report["generated"], report["proposed"]["support_rate"]) == (1, 1.0)
    user, rent, bread = (
        told.writer.user,
        told.fact("Maya's landlord raised the rent"),
        told.fact("Tom stopped eating bread"),
    )
    assert await told.tables.of(View(user), rent) == {bread: "scripted"}
    loaded = await told.writer.journal.load(user)
    assert {each.judged_by for each in loaded.links if each.to_id == rent} == {"scripted"}
    archive, file = PostgresArchive(pool), io.BytesIO()
    await archive.write(user, "2024-05-01T00:00:00Z", file)
    await pool.rows("DELETE FROM users WHERE user_id = %(user)s", user=user)
    for table in ("sources", "content", "scopes"):
        await pool.rows(f"DELETE FROM {table} WHERE scope = %(scope)s", scope=f"user:{user}")
    await archive.restore(user, file)
    assert await told.tables.of(View(user), rent) == {bread: "scripted"}
