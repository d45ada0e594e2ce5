"""Steps of a night that need words, over both stores; what is kept of them, forgotten, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import numpy as np
import pytest
from psycopg.types.json import Jsonb

from adapters.inmemory.nights import InMemoryNightWords
from adapters.postgres.pool import Pool
from memory.errors import Conflict, NotFound, NothingToUndo
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.entities import Entity
from memory.rules.describing import notes_about, rests_on
from memory.rules.night_steps import NightName, StepResult
from memory.services.night import NightPlan, commands_of, run_night
from memory.services.night_words import NightWords
from memory.services.undoing_nights import undo_night
from tests.contract.test_nights import DAY, NOW, Writer, nights_of, words_of, writer
from tests.fakes.nights import parts
from tests.unit.services.test_undoing_nights import as_it_was

__all__ = ["writer"]
pytestmark = pytest.mark.postgres
NIGHT = date(2024, 3, 1)


class Runner:
    """A shard in miniature, which can be asked to reverse what it has committed."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    async def carry_out(self, user_id: str, command: c.Command) -> ChangeSet:
        return await self._writer.turn(command)

    async def undo(
        self, user_id: str, command_id: str, undone_id: str | None, actor: str, *, partly: bool = False
    ) -> ChangeSet:
        done = await self._writer.journal.committed(user_id, undone_id)
        return await self._writer.turn(c.Undo(command_id=command_id, actor=actor, done=done, partly=partly))


def elena(writer: Writer) -> Entity:
    return next(each for each in writer.believed.entities.values() if each.name == "Elena")


async def look(writer: Writer, *ids: str) -> None:
    writer.now = max(writer.now, NOW + 200 * DAY)
    await writer.turn(
        c.RecordAccess(command_id=f"look-{writer.now}", actor="access", accessed=tuple((each, 1) for each in ids))
    )


@pytest.fixture(params=["memory", "postgres"])
def words(request: pytest.FixtureRequest, writer: Writer, pool: Pool) -> Callable[[], NightWords]:
    """The port over either store of the same memory."""
    vectors = {fact_id: np.array([1.0, 0.0], np.float32) for fact_id in writer.active()}
    here = InMemoryNightWords(lambda: writer.believed, lambda: vectors)
    return (lambda: here) if request.param == "memory" else (lambda: words_of(pool))


async def test_who_was_looked_at_comes_in_the_order_of_the_looks(
    writer: Writer, words: Callable[[], NightWords]
) -> None:
    first, then = sorted(writer.believed.entities)[:2]
    await look(writer, first)
    since = writer.now
    await look(writer, then)
    await look(writer, writer.active()[0])
    assert list(await words().looked_at(writer.user, since - 0.5, 9)) == [then, first], "and no fact"
    assert list(await words().looked_at(writer.user, since - 0.5, 1)) == [then]
    assert list(await words().looked_at(writer.user, since + 0.5, 9)) == [then]


async def test_what_is_around_an_entity_is_what_may_be_told_of_it(
    writer: Writer, words: Callable[[], NightWords], pool: Pool
) -> None:
    who, now = elena(writer), writer.now + DAY
    (some, *others) = [each for each in writer.active() if writer.believed.facts[each].subject_id == who.entity_id]
    assert others
    written = c.Description(who.entity_id, "Elena likes this and that.", (some,))
    await writer.turn(c.DescribeEntities(command_id="described", actor="night", descriptions=(written,)))
    await writer.turn(c.ForgetFact(command_id="forget", fact_id=others[0]))
    await writer.journal.put_fact_vectors(writer.user, {some: np.array([1.0, 0.0], np.float32)})
    around = await words().around(writer.user, [who.entity_id, "e-0000000000000000"], now)
    believed = around.believed
    assert believed.entities == {who.entity_id: elena(writer)}
    assert believed.facts == {each: writer.believed.facts[each] for each in (some, *others[1:])}
    assert rests_on(believed, who.entity_id) == {some}
    assert np.allclose(around.likeness.vectors[some], [1.0, 0.0])


async def test_notes_on_an_entity_are_around_it_with_their_words(
    writer: Writer, words: Callable[[], NightWords]
) -> None:
    who = elena(writer)
    await writer.turn(c.WriteNote(command_id="mine", about_id=who.entity_id, text="Fond of tea.", lifetime="month"))
    around = await words().around(writer.user, [who.entity_id], writer.now + DAY)
    [note] = around.believed.notes.values()
    assert note == next(each for each in writer.believed.notes.values() if each.text == "Fond of tea.")
    assert notes_about(around, who, writer.now + DAY) == (note,)
    assert notes_about(around, who, writer.now + 31 * DAY) == ()


async def test_what_a_night_took_back_is_in_the_census_of_the_next(writer: Writer, pool: Pool) -> None:
    nights, mind = nights_of(pool), Runner(writer)
    await run_night(writer.user, NIGHT, "UTC", parts(nights, mind, words=words_of(pool)))
    assert (await nights.census(writer.user)).held == {}
    row, other = ["fact", "f-1", "archived", 3], ["entity", "e-1", "L1", 7]
    later = NIGHT + timedelta(days=1)
    told = {"now": NOW, "proof": {"taken_back": {"states": [row]}}, "tiers": {"held_back": [other]}, "states": {}}
    await nights.begin(writer.user, later, NOW + DAY, NightPlan(told, {}))
    assert (await nights.census(writer.user)).held == {}, "that night is not over"
    await nights.finish(writer.user, later)
    held = {"states": {("fact", "f-1", "archived"): 3}, "tiers": {("entity", "e-1", "L1"): 7}}
    assert (await nights.census(writer.user)).held == held


async def test_a_night_writes_what_it_reads_and_is_taken_back_to_what_was(writer: Writer, pool: Pool) -> None:
    await look(writer, elena(writer).entity_id)
    before, nights, mind = writer.believed, nights_of(pool), Runner(writer)
    run = (writer.user, NIGHT, "UTC", parts(nights, mind, words=words_of(pool)))
    report = await run_night(*run)
    assert elena(writer).entity_id in report["descriptions"]["written"]
    assert (elena(writer).description or "").startswith('Quoted: "')
    assert await writer.journal.load(writer.user) == writer.believed
    described = writer.believed
    assert await run_night(*run) == report
    assert writer.believed is described
    standing = (await nights.commands(writer.user, NIGHT)).standing
    assert len(standing) > 1
    undone = await undo_night(writer.user, NIGHT, "key", nights, mind)
    assert (undone.commands, undone.skipped) == (len(standing), ())
    assert as_it_was(writer.believed) == as_it_was(before)
    assert await writer.journal.load(writer.user) == writer.believed
    told = await nights.report(writer.user, NIGHT)
    assert told == {**report, "undone": True}
    assert (await nights.commands(writer.user, NIGHT)).standing == ()
    assert await undo_night(writer.user, NIGHT, "key", nights, mind) == undone
    with pytest.raises(NothingToUndo):
        await undo_night(writer.user, NIGHT, "another key", nights, mind)


async def test_sources_that_have_moved_on_are_named_and_left(writer: Writer, pool: Pool) -> None:
    await pool.rows("INSERT INTO scopes (scope) VALUES (%(scope)s) ON CONFLICT DO NOTHING", scope=f"user:{writer.user}")
    for source_id in ("one", "two"):
        await pool.rows(
            "INSERT INTO sources (scope, source_id, session_id, kind, started_at, state)"
            " VALUES (%(scope)s, %(id)s, %(id)s, 'note', to_timestamp(1600000000), 'candidate')",
            scope=f"user:{writer.user}",
            id=source_id,
        )
    nights, mind = nights_of(pool), Runner(writer)
    await run_night(writer.user, NIGHT, "UTC", parts(nights, mind, words=words_of(pool)))
    await pool.rows("UPDATE sources SET state = 'core' WHERE source_id = 'two'")
    undone = await undo_night(writer.user, NIGHT, "key", nights, mind)
    assert undone.skipped == ("two",)
    kept = await pool.rows("SELECT source_id, state FROM sources WHERE scope = %(scope)s", scope=f"user:{writer.user}")
    assert {row["source_id"]: row["state"] for row in kept} == {"one": "candidate", "two": "core"}


async def test_a_night_that_is_not_over_or_was_not_run_cannot_be_taken_back(writer: Writer, pool: Pool) -> None:
    nights, mind = nights_of(pool), Runner(writer)
    with pytest.raises(NotFound):
        await undo_night(writer.user, NIGHT, "key", nights, mind)
    await nights.begin(writer.user, NIGHT, NOW, NightPlan({"now": NOW}, {}))
    with pytest.raises(Conflict, match="not over"):
        await undo_night(writer.user, NIGHT, "key", nights, mind)


# ------------------------------------------------------------------------------------------------ what is kept


OF = NightName("u", str(NIGHT))
MERGED = (("f-1", "f-2"), ("f-3", "f-4"))
CROSSINGS = tuple(c.Crossing("entity", f"e-{n}", "tier", "L0", "L1", 2) for n in range(3))
TOLD = c.DescribeEntities(
    command_id=OF.identity("descriptions", "e-1"),
    actor="night",
    descriptions=(c.Description("e-1", "She swims.", ("f-1",)), c.Description("e-2", "He sings.", ("f-5",))),
)


def planned() -> NightPlan:
    commands = {"tiers": OF.closing("tiers", CROSSINGS), "duplicates": OF.merging("duplicates", MERGED)}
    return NightPlan({"now": NOW, "duplicates": {"merged": [list(each) for each in MERGED]}}, commands)


async def test_a_plan_comes_back_as_it_was_kept_and_a_step_joins_it_once(writer: Writer, pool: Pool) -> None:
    nights, user = nights_of(pool), writer.user
    of = NightName(user, str(NIGHT))
    plan = NightPlan(
        {"now": NOW},
        {"tiers": of.closing("tiers", CROSSINGS), "duplicates": of.merging("duplicates", MERGED)},
    )
    await nights.begin(user, NIGHT, NOW, plan)
    kept = await nights.plan(user, NIGHT)
    assert kept is not None
    assert {step: each for step, each in kept.commands.items() if each} == plan.commands
    assert "descriptions" not in kept.commands
    joined = await nights.keep(user, NIGHT, "descriptions", StepResult((TOLD,), {"written": 2}))
    assert (joined.commands["descriptions"], joined.report["descriptions"]) == ((TOLD,), {"written": 2})
    again = await nights.keep(user, NIGHT, "descriptions", StepResult((), {"written": 0}))
    assert again == joined == await nights.plan(user, NIGHT)
    await nights.tell(user, NIGHT, "descriptions", {"failed": "so"})
    over = await nights.finish(user, NIGHT)
    assert (over.done, over.report["descriptions"]) == (True, {"failed": "so"})
    assert not list(commands_of(over))
    [row] = await pool.rows("SELECT kept, commands FROM nights WHERE user_id = %(user)s", user=user)
    ids = [each.command_id for each in (*commands_of(plan), TOLD)]
    assert (row["kept"], sorted(row["commands"])) == (None, sorted(ids))


async def test_a_night_that_an_earlier_version_began_goes_on_with_the_same_commands(writer: Writer, pool: Pool) -> None:
    """It kept crossings alone, and read what it merges out of its report."""
    nights, user = nights_of(pool), writer.user
    of = NightName(user, str(NIGHT))
    report = {"now": NOW, "duplicates": {"merged": [list(each) for each in MERGED], "disagreeing": []}}
    cells = [[each.noun, each.id, each.axis, each.before, each.after, each.stamp] for each in CROSSINGS]
    await pool.rows(
        "INSERT INTO nights (user_id, night, at, report, plan, begun_at)"
        " VALUES (%(user)s, %(night)s, now(), %(report)s, %(plan)s, now())",
        user=user,
        night=NIGHT,
        report=Jsonb(report),
        plan=Jsonb({"tiers": cells, "duplicates": []}),
    )
    plan = await nights.plan(user, NIGHT)
    assert plan is not None
    assert list(commands_of(plan)) == [*of.closing("tiers", CROSSINGS), *of.merging("duplicates", MERGED)]
    await run_night(user, NIGHT, "UTC", parts(nights, Runner(writer), words=words_of(pool)))
    assert (await nights.commands(user, NIGHT)).known


@pytest.mark.parametrize(
    ("gone", "clusters", "told"),
    [
        ("f-1", [["f-3", "f-4"]], ["He sings."]),
        ("e-2", [["f-1", "f-2"], ["f-3", "f-4"]], ["She swims."]),
        ("f-9", [["f-1", "f-2"], ["f-3", "f-4"]], ["She swims.", "He sings."]),
    ],
)
async def test_what_is_forgotten_while_a_night_is_under_way_leaves_its_commands(
    writer: Writer, pool: Pool, gone: str, clusters: list[list[str]], told: list[str]
) -> None:
    nights, user = nights_of(pool), writer.user
    await nights.begin(user, NIGHT, NOW, planned())
    await nights.keep(user, NIGHT, "descriptions", StepResult((TOLD,), {}))
    await pool.rows("SELECT forget_kept(%(user)s, %(gone)s)", user=user, gone=[gone])
    plan = await nights.plan(user, NIGHT)
    assert plan is not None
    (merge,), (describe,) = plan.commands["duplicates"], plan.commands["descriptions"]
    assert isinstance(merge, c.MergeFacts)
    assert isinstance(describe, c.DescribeEntities)
    assert [list(each) for each in merge.clusters] == clusters
    assert [each.text for each in describe.descriptions] == told


async def test_the_ids_of_what_is_forgotten_leave_the_reports_of_nights_that_are_over(
    writer: Writer, pool: Pool
) -> None:
    nights, user, who = nights_of(pool), writer.user, elena(writer)
    facts = writer.believed.facts
    about = {key for key, fact in facts.items() if who.entity_id in (fact.subject_id, fact.object_id)}
    gone, stays = min(about), min(set(facts) - about)
    figures = {"pruning": {"pruned": [gone, stays, who.entity_id]}, "duplicates": {"merged": [[stays, gone]]}}
    await nights.begin(user, NIGHT, NOW, NightPlan(figures, {}))
    await nights.finish(user, NIGHT)
    changes = await writer.turn(c.ForgetEntity(command_id="forget", entity_id=who.entity_id))
    assert {gone, who.entity_id} <= set(changes.erased)
    told = await nights.report(user, NIGHT)
    assert told is not None
    [[_, hashed]] = told["duplicates"]["merged"]
    assert hashed not in (gone, stays)
    assert told["pruning"]["pruned"][:2] == [hashed, stays]
    assert told["pruning"]["pruned"][2] != who.entity_id


async def test_the_words_of_every_description_go_with_a_fact_that_one_may_have_quoted(
    writer: Writer, pool: Pool
) -> None:
    async def kept() -> set[str]:
        rows = await pool.rows(
            "SELECT words FROM content WHERE scope = %(scope)s AND owner LIKE 'description:%%'",
            scope=f"user:{writer.user}",
        )
        return {row["words"] for row in rows}

    who = elena(writer)
    mine = [each for each in writer.active() if writer.believed.facts[each].subject_id == who.entity_id]
    first, second = [each for each in mine if len(writer.believed.evidence[each]) == 1][:2]
    for number, (text, fact_id) in enumerate((("She likes tea.", first), ("She likes rain.", second))):
        described = (c.Description(who.entity_id, text, (fact_id,)),)
        await writer.turn(c.DescribeEntities(command_id=f"d-{number}", actor="night", descriptions=described))
    assert await kept() == {"She likes tea.", "She likes rain."}, "the first can be gone back to"
    (key,) = {each.segment_key for each in writer.believed.evidence[first]}
    assert key is not None
    source = writer.believed.evidence[first][0].source_id
    await writer.turn(c.Withdraw(command_id="erase", segment_keys=(key,), erase=True, source_id=source))
    assert await kept() == set()
    assert elena(writer).description is None
    assert await writer.journal.load(writer.user) == writer.believed
    done = await writer.journal.committed(writer.user, "d-1")
    assert done is not None
    undone = await writer.turn(c.Undo(command_id="undo", done=done, partly=True))
    assert elena(writer).description is None, "erased words do not come back, not even empty"
    assert who.entity_id in {each.fact_id for each in undone.outcomes} or not undone.changes
