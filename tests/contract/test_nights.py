"""Nights over PostgreSQL: the tables' census is that of the working set, and a killed night goes on where it was."""

from __future__ import annotations

import asyncio
from dataclasses import fields, replace
from datetime import date
from itertools import count

import numpy as np
import pytest

from adapters.postgres.journal import PostgresJournal
from adapters.postgres.night_words import PostgresNightWords
from adapters.postgres.nights import PostgresNights
from adapters.postgres.pool import Pool
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.claims import Claim, Sighting
from memory.model.profile import Profile
from memory.model.working_set import WorkingSet, evolve
from memory.rules.census import Census, census
from memory.rules.decider import Rules, decide
from memory.rules.night_steps import NightName, StepResult
from memory.rules.parameters import Life
from memory.services.night import NightPlan, commands_of, plan_night, run_night
from memory.services.night_words import WordSight
from tests.fakes.nights import FrailRunner, parts

pytestmark = pytest.mark.postgres
NOW, DAY = 1_700_000_000.0, 86_400.0


class Writer:
    """A shard in miniature over a journal."""

    def __init__(self, pool: Pool, user: str) -> None:
        self.journal, self.user, self.now = PostgresJournal(pool, "hashing"), user, NOW
        self.believed = WorkingSet(user)
        self.epoch = 0
        self._turn = asyncio.Lock()

    async def turn(self, command: c.Command) -> ChangeSet:
        async with self._turn:
            self.epoch = self.epoch or await self.journal.claim(self.user, "shard-0")
            self.now += 1
            changes = decide(self.believed, command, self.now, Rules())
            if await self.journal.commit(self.epoch, self.believed, changes, {}):
                self.believed = evolve(self.believed, changes.changes)
            return changes

    async def live(self) -> None:
        """Half a year with people, a promise, moves, remarks and recalls."""
        profile = c.SetProfile(command_id="profile", profile=Profile(name="Maya"))
        await self.turn(profile)
        for key, (name, kind) in enumerate(
            [("Elena", "person"), ("tea", "topic"), ("photos", "promise"), ("Elena", "person"), ("rain", "topic")], 1
        ):
            self.now += 20 * DAY
            due = {"due": "2023-12-01T00:00:00+00:00"} if kind == "promise" else {}
            sighting = Sighting(kind, name, 0.9, name, key, properties=due)
            place = ("Porto", "Lisbon", "Ghent", "Porto", "Bergen")[key - 1]
            lives = Claim("Maya", f"Maya lives in {place}", key, "I moved", predicate="lives_in", object=place)
            likes = Claim("Elena", f"Elena likes {name}", key, "so", kind="preference", importance=key)
            await self.turn(remembered(key, self.now, (sighting,), (lives, likes)))
        owner = next(each for each in self.believed.entities.values() if each.is_owner)
        await self.turn(c.WriteNote(command_id="note", about_id=owner.entity_id, text="so it is", lifetime="week"))
        await self.turn(c.ConfirmFact(command_id="sure", fact_id=min(self.active())))
        some = sorted([*self.believed.facts, *self.believed.entities])[::2]
        for number in range(2):
            self.now += 3 * DAY
            accessed = tuple((each, number + 1) for each in some)
            await self.turn(
                c.RecordAccess(
                    command_id=f"access-{number}", actor="access", accessed=accessed, sources=(("s1", 1, NOW),)
                )
            )

    def active(self) -> list[str]:
        return [each.fact_id for each in self.believed.facts.values() if each.status == "active"]


def remembered(key: int, at: float, sightings: tuple[Sighting, ...], claims: tuple[Claim, ...]) -> c.AcceptReading:
    """A reading whose segment is not kept here: no revision of it is marked as read."""
    read = c.ReadSegment("user:u", f"s{key}", key, 1, at, "Maya", "user", 0)
    return c.AcceptReading(
        command_id=f"read-{key}", actor="extraction", read=(read,), sightings=sightings, claims=claims
    )


def nights_of(pool: Pool) -> PostgresNights:
    return PostgresNights(pool, "hashing", lambda cosine: cosine)


def words_of(pool: Pool) -> PostgresNightWords:
    return PostgresNightWords(pool, "hashing", lambda cosine: cosine)


async def lived(pool: Pool, user: str, monkeypatch: pytest.MonkeyPatch) -> Writer:
    """A memory with a life in it whose facts were read from segments that were never captured."""

    async def unchecked(*_: object) -> None:
        return None

    monkeypatch.setattr("adapters.postgres.journal.check_read", unchecked)
    monkeypatch.setattr("adapters.postgres.journal._put_reading", unchecked)
    writer = Writer(pool, user)
    await writer.live()
    return writer


@pytest.fixture
async def writer(pool: Pool, user: str, monkeypatch: pytest.MonkeyPatch) -> Writer:
    return await lived(pool, user, monkeypatch)


def rows(counts: Census, name: str) -> dict[str, dict[str, object]]:
    """The rows of a table by id, for comparing."""
    table = getattr(counts, name)
    columns = {each.name: getattr(table, each.name).tolist() for each in fields(table)}
    found = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return {str(row["ids"]): row for row in found}


async def test_the_census_of_the_tables_is_that_of_the_working_set(writer: Writer, pool: Pool) -> None:
    assert await writer.journal.load(writer.user) == writer.believed, "recalls come back as they were believed"
    stored, believed = await nights_of(pool).census(writer.user), census(writer.believed)
    assert stored.version == believed.version
    for name in ("entities", "facts"):
        here, there = rows(stored, name), rows(believed, name)
        assert here.keys() == there.keys()
        for identity, row in there.items():
            for column, value in row.items():
                np.testing.assert_equal(here[identity][column], value, err_msg=f"{name} {identity} {column}")
    assert [each.note_id for each in stored.notes] == [each.note_id for each in believed.notes]
    assert stored.pending == {"embedding": 0, "extraction": 0}


async def test_a_night_that_is_killed_goes_on_with_its_plan(
    writer: Writer, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.rules.night_steps.MOST_ROWS", 2)
    nights, night = nights_of(pool), date(2025, 11, 1)
    commits: list[str] = []
    told = count(1)

    async def carry_out(user_id: str, command: c.Command) -> ChangeSet:
        if next(told) == 3:
            raise RuntimeError("killed")
        done = await writer.turn(command)
        commits.append(command.command_id)
        return done

    mind = FrailRunner(lambda _: None)  # type: ignore[arg-type, return-value]
    mind.carry_out = carry_out  # type: ignore[method-assign, assignment]
    of = (writer.user, night, "UTC", parts(nights, mind, words=words_of(pool)))
    with pytest.raises(RuntimeError):
        await run_night(*of)
    assert await nights.report(writer.user, night) is None, "a night with a plan is not over"
    assert await nights.last(writer.user) is None
    plan = await nights.plan(writer.user, night)
    assert plan is not None
    assert len(list(commands_of(plan))) > 2
    report = await run_night(*of)
    assert len(set(commits)) == len(commits), "what was committed is not carried out again"
    assert report == await nights.report(writer.user, night)
    assert report.items() >= plan.report.items(), "what was planned first stands; the later steps have joined it"
    again = plan_night(NightName(writer.user, str(night)), await nights.census(writer.user), report["now"], Life())
    assert not any(again.commands.values()), "a new plan of the same night finds nothing"
    before = writer.believed
    assert await run_night(*of) == report
    assert writer.believed is before
    assert await writer.journal.load(writer.user) == before


async def test_a_source_changes_state_where_it_is_kept_and_only_from_the_state_it_had(
    writer: Writer, pool: Pool
) -> None:
    await pool.rows("INSERT INTO scopes (scope) VALUES (%(scope)s) ON CONFLICT DO NOTHING", scope=f"user:{writer.user}")
    for source_id, state in (("old", "candidate"), ("core", "core")):
        await pool.rows(
            "INSERT INTO sources (scope, source_id, session_id, kind, started_at, state)"
            " VALUES (%(scope)s, %(id)s, %(id)s, 'note', to_timestamp(1600000000), %(state)s)",
            scope=f"user:{writer.user}",
            id=source_id,
            state=state,
        )
    nights = nights_of(pool)
    counted = await nights.census(writer.user)
    assert sorted(counted.sources.ids) == ["core", "old"]
    found = [c.Crossing("source", each, "state", "candidate", "archived") for each in ("old", "core")]
    done = await writer.turn(
        c.CloseNight(command_id="night", actor="night", night="2026-03-03", step="states", crossings=tuple(found))
    )
    kept = await pool.rows("SELECT source_id, state FROM sources WHERE scope = %(scope)s", scope=f"user:{writer.user}")
    assert {row["source_id"]: row["state"] for row in kept} == {"old": "archived", "core": "core"}
    told = await writer.journal.committed(writer.user, "night")
    assert told is not None
    assert told.changes == done.changes, "every crossing is in the change log"


async def test_recalls_are_in_no_journal_entry(writer: Writer, pool: Pool) -> None:
    entry = await pool.row(
        "SELECT changes FROM journal WHERE user_id = %(user)s AND command_id = 'access-1'", user=writer.user
    )
    assert entry is not None
    assert {change["noun"] for change in entry["changes"]} <= {"fact", "entity"}
    assert replace(writer.believed, accesses={}) != writer.believed


async def test_new_facts_that_say_the_same_are_merged_and_those_that_differ_only_reported(
    writer: Writer, pool: Pool
) -> None:
    said = {
        "Maya plays the cello": (1.0, 0.0),
        "Maya plays cello": (0.99, 0.14),
        "Maya ran 5 km": (0.0, 1.0),
        "Maya ran 7 km": (0.02, 0.9998),
    }
    for number, words in enumerate(said):
        await writer.turn(c.Remember(command_id=f"told-{number}", claims=(Claim("Maya", words, 0, words),)))
    ids = {each.statement: each.fact_id for each in writer.believed.facts.values() if each.statement in said}
    vectors = {ids[words]: np.array(vector, np.float32) for words, vector in said.items()}
    await writer.journal.put_fact_vectors(writer.user, vectors)
    mind = FrailRunner(lambda _: None)  # type: ignore[arg-type, return-value]
    mind.carry_out = lambda user_id, command: writer.turn(command)  # type: ignore[method-assign, assignment]
    nights, night = nights_of(pool), date(2024, 3, 1)
    report = await run_night(writer.user, night, "UTC", parts(nights, mind, words=words_of(pool)))
    cello = {ids["Maya plays the cello"], ids["Maya plays cello"]}
    assert [set(each) for each in report["duplicates"]["merged"]] == [cello]
    assert [set(each) for each in report["duplicates"]["disagreeing"]] == [{ids["Maya ran 5 km"], ids["Maya ran 7 km"]}]
    active = {each.statement for each in writer.believed.facts.values() if each.status == "active"}
    assert len(active & {"Maya plays the cello", "Maya plays cello"}) == 1
    assert {"Maya ran 5 km", "Maya ran 7 km"} <= active


async def test_a_night_that_somebody_else_has_ended_meanwhile_is_told(writer: Writer, pool: Pool) -> None:
    """As when it is asked for while the job runs it."""
    nights, night = nights_of(pool), date(2025, 11, 1)
    mind = FrailRunner(lambda _: None)  # type: ignore[arg-type, return-value]
    mind.carry_out = lambda user_id, command: writer.turn(command)  # type: ignore[method-assign, assignment]
    begun: list[str] = []

    async def slow(sight: WordSight) -> StepResult:
        begun.append("slow")
        if len(begun) == 1:
            await run_night(*of)
        return StepResult((), {"told": len(begun)})

    async def last(sight: WordSight) -> StepResult:
        begun.append("last")
        return StepResult((), {})

    steps = {"slow": slow, "last": last}
    of = (writer.user, night, "UTC", parts(nights, mind, words=words_of(pool), word_steps=steps))
    report = await run_night(*of)
    assert report == await nights.report(writer.user, night)
    assert (report["slow"], begun) == ({"told": 2}, ["slow", "slow", "last"]), "nothing is looked for in vain"


async def test_who_sleeps_is_told_with_the_last_night_that_was(writer: Writer, pool: Pool) -> None:
    nights, first, second = nights_of(pool), date(2025, 11, 1), date(2025, 11, 2)

    async def last() -> date | None:
        return next(each.last for each in await nights.sleepers() if each.user_id == writer.user)

    assert await last() is None
    for night in (first, second):
        await nights.begin(writer.user, night, NOW, NightPlan({"now": NOW}, {}))
        assert await last() == (None if night == first else first), "a night with a plan is not over"
        await nights.finish(writer.user, night)
    assert await last() == second


async def test_whose_communities_wait_for_a_job_follows_from_the_latest_night(writer: Writer, pool: Pool) -> None:
    nights = nights_of(pool)

    async def sleep(night: date, figures: dict[str, object]) -> None:
        await nights.begin(writer.user, night, NOW, NightPlan({"now": NOW}, {}))
        await nights.keep(writer.user, night, "communities", StepResult((), figures))
        await nights.finish(writer.user, night)

    async def waiting() -> list[date]:
        return [night for user, night in await nights.left_to_a_job() if user == writer.user]

    first, second, third = (date(2025, 11, day) for day in (1, 2, 3))
    await sleep(first, {"left_to_a_job": True, "ties": 9})
    assert await waiting() == [first]
    await sleep(second, {"standing": 0})
    assert await waiting() == []
    await sleep(third, {"left_to_a_job": True, "ties": 9})
    assert await waiting() == [third]
    await nights.undone(writer.user, third)
    assert await waiting() == []
