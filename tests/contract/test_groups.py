"""Groups are kept as they were arranged, taken back with their night, and forgotten with what they rest on."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from adapters.inmemory.storylines import InMemoryStorylineReads
from adapters.postgres.archive import PostgresArchive
from adapters.postgres.pool import Pool
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.groups import Group
from memory.model.ids import consolidation_id
from memory.model.scopes import Sensitivity
from memory.rules.census import census
from memory.rules.decider import Rules
from memory.rules.grouping import group_stamp
from memory.rules.night_steps import NightName, StepResult
from memory.rules.parameters import Storylines
from memory.services.night import NightPlan, run_night
from memory.services.undoing_nights import undo_night
from tests.contract.test_night_steps import NIGHT, Runner
from tests.contract.test_nights import NOW, Writer, nights_of, rows, words_of
from tests.contract.test_storylines import elena, mine, tables
from tests.fakes.nights import parts

__all__ = ["mine"]
pytestmark = pytest.mark.postgres


def line(writer: Writer, **more: object) -> Group:
    keys = sorted(writer.believed.mentions[elena(writer)])
    told = [writer.believed.mentions[elena(writer)][key].source_id for key in keys]
    summary = "\n".join(("Extractive summary.", *(f"Said {place}. [{place}]" for place in range(1, len(keys) + 1))))
    group = Group("s-0123456789abcdef", "storyline", NOW, elena(writer), summary, tuple(told), tuple(keys))
    private = max(each.sensitivity for each in writer.believed.mentions[elena(writer)].values())
    return replace(group, sources=3, first_at=NOW, last_at=NOW + 1.5, sensitivity=private, **more)  # type: ignore[arg-type]


async def arrange(writer: Writer, *groups: Group, name: str = "arrange") -> ChangeSet:
    known = writer.believed.groups
    arranged = tuple(
        c.ArrangedGroup(each, group_stamp(known[each.group_id]) if each.group_id in known else None) for each in groups
    )
    return await writer.turn(c.ArrangeGroups(command_id=name, actor="night", arranged=arranged))


async def words(pool: Pool, writer: Writer) -> list[str]:
    rows = await pool.rows(
        "SELECT words FROM content WHERE scope = %(scope)s AND owner LIKE 's-%%' ORDER BY words",
        scope=f"user:{writer.user}",
    )
    return [row["words"] for row in rows]


async def test_a_group_is_loaded_as_it_was_arranged_and_undone_to_what_was(mine: Writer, pool: Pool) -> None:
    first = line(mine)
    await arrange(mine, first)
    assert await mine.journal.load(mine.user) == mine.believed
    before = mine.believed
    closed = replace(first, summary="Other. [1]", quotes=first.quotes[:1], closed_at=NOW)
    done = await arrange(mine, closed, name="again")
    assert (await mine.journal.load(mine.user)).groups == mine.believed.groups != before.groups
    assert await mine.journal.committed(mine.user, "again") == done
    await mine.turn(c.Undo(command_id="undo", done=await mine.journal.committed(mine.user, "again"), partly=True))
    assert mine.believed.groups == before.groups
    await mine.turn(c.ArrangeGroups(command_id="off", withdrawn=((first.group_id, group_stamp(first)),)))
    assert (await mine.journal.load(mine.user)).groups == {}


async def test_what_is_forgotten_leaves_groups_their_words_and_their_history(mine: Writer, pool: Pool) -> None:
    first = line(mine)
    await arrange(mine, first)
    await arrange(mine, replace(first, summary="Later. [1]", quotes=first.quotes[:1]), name="again")
    assert len(await words(pool, mine)) == 2
    key = next(each for each, row in mine.believed.mentions[elena(mine)].items() if row.source_id == "two")
    await mine.turn(c.Withdraw(command_id="erase", segment_keys=(key,), erase=True, source_id="two"))
    assert await words(pool, mine) == []
    left = mine.believed.groups[first.group_id]
    assert (set(left.members), left.summary, left.quotes, left.dirty) == ({"one", "three"}, None, (), True)
    assert await mine.journal.load(mine.user) == mine.believed
    [row] = await pool.rows(
        "SELECT string_agg(changes::text, ' ') AS told FROM journal WHERE user_id = %(user)s", user=mine.user
    )
    assert '"two"' not in row["told"]
    assert str(key) not in row["told"]
    done = await mine.journal.committed(mine.user, "again")
    assert done is not None
    await mine.turn(c.Undo(command_id="undo", done=done, partly=True))
    assert mine.believed.groups[first.group_id] == left, "erased words do not come back"


async def test_with_the_entity_the_group_and_its_words_go(mine: Writer, pool: Pool) -> None:
    await arrange(mine, line(mine))
    await mine.turn(c.ForgetEntity(command_id="forget", entity_id=elena(mine)))
    assert mine.believed.groups == {}
    assert await words(pool, mine) == []
    assert (await mine.journal.load(mine.user)).groups == {}


async def test_a_night_under_way_loses_groups_of_a_source_that_is_forgotten(mine: Writer, pool: Pool) -> None:
    nights, of = nights_of(pool), NightName(mine.user, str(NIGHT))
    await nights.begin(mine.user, NIGHT, NOW, NightPlan({"now": NOW}, {}))
    other = line(mine, group_id="s-00000000000000ff")
    some = c.ArrangeGroups(
        command_id=of.identity("storylines", 0),
        actor="night",
        arranged=(c.ArrangedGroup(line(mine)), c.ArrangedGroup(replace(other, members=("one",), quotes=()))),
        withdrawn=(("s-1", "ab"),),
    )
    await nights.keep(mine.user, NIGHT, "storylines", StepResult((some,), {}))
    kept = await nights.plan(mine.user, NIGHT)
    assert kept is not None
    assert kept.commands["storylines"] == (some,)
    key = next(each for each, row in mine.believed.mentions[elena(mine)].items() if row.source_id == "two")
    await mine.turn(c.Withdraw(command_id="erase", segment_keys=(key,), erase=True, source_id="two"))
    kept = await nights.plan(mine.user, NIGHT)
    assert kept is not None
    assert kept.commands["storylines"] == (replace(some, arranged=some.arranged[1:]),)


async def test_recalls_of_groups_are_counted_over_both_stores_and_go_with_them(mine: Writer, pool: Pool) -> None:
    first = line(mine)
    macro = replace(first, group_id="m-0123456789abcdef", kind="macro", members=(first.group_id,))
    await arrange(mine, first, macro)
    for number in (1, 2):
        looked = ((first.group_id, 1), (macro.group_id, 9))
        await mine.turn(c.RecordAccess(command_id=f"look-{number}", actor="access", accessed=looked))
    assert {each.kind: each.state for each in mine.believed.groups.values()} == {"storyline": "active", "macro": "core"}
    assert await mine.journal.load(mine.user) == mine.believed
    here, there = rows(await nights_of(pool).census(mine.user), "groups"), rows(census(mine.believed), "groups")
    assert here == there
    assert {each["count"] for each in here.values()} == {2.0, 18.0}
    crossing = c.Crossing("group", first.group_id, "state", "active", "archived", stamp=2)
    await mine.turn(c.CloseNight(command_id="night", night=str(NIGHT), step="states", crossings=(crossing,)))
    assert (await mine.journal.load(mine.user)).groups[first.group_id].state == "archived"
    known = mine.believed.groups
    gone = tuple((each, group_stamp(known[each])) for each in known)
    await mine.turn(c.ArrangeGroups(command_id="off", actor="night", withdrawn=gone))
    assert (await mine.journal.load(mine.user)).accesses == mine.believed.accesses == {}
    assert await mine.journal.committed(mine.user, "off") is not None, "its history stays"


async def test_a_storyline_follows_a_merge_and_its_undoing(mine: Writer, pool: Pool) -> None:
    keys = tuple(key for key, row in mine.believed.mentions[elena(mine)].items() if row.source_id == "two")
    await mine.turn(c.SplitEntity(command_id="split", entity_id=elena(mine), name="Lena", segment_keys=keys))
    other = next(each.entity_id for each in mine.believed.entities.values() if each.name == "Lena")
    first = line(mine)
    await arrange(mine, first)
    await mine.turn(c.MergeEntities(command_id="merge", winner_id=other, loser_id=elena(mine)))
    [moved] = mine.believed.groups.values()
    assert (moved.group_id, moved.summary, moved.dirty) == (first.group_id, first.summary, True)
    assert mine.believed.entities[moved.anchor_id or ""].merged_into is None
    assert await mine.journal.load(mine.user) == mine.believed
    await mine.turn(c.Undo(command_id="undo", done=await mine.journal.committed(mine.user, "merge")))
    assert mine.believed.groups == {first.group_id: first} == (await mine.journal.load(mine.user)).groups


async def test_groups_travel_with_an_archive(mine: Writer, pool: Pool) -> None:
    first = line(mine)
    gathered = replace(first, group_id=consolidation_id(mine.user, 1, elena(mine), first.members), kind="consolidation")
    await arrange(mine, first, gathered)
    looked = ((first.group_id, 1),)
    await mine.turn(c.RecordAccess(command_id="look", actor="access", accessed=looked))
    archive, file = PostgresArchive(pool), io.BytesIO()
    manifest = await archive.write(mine.user, "2024-05-01T00:00:00Z", file)
    assert manifest["counts"]["groups"] == 2
    await pool.rows("DELETE FROM users WHERE user_id = %(user)s", user=mine.user)
    for table in ("sources", "content", "scopes"):
        await pool.rows(f"DELETE FROM {table} WHERE scope = %(scope)s", scope=f"user:{mine.user}")
    await archive.restore(mine.user, file)
    there = await mine.journal.load(mine.user)
    assert (there.groups, there.accesses) == (mine.believed.groups, mine.believed.accesses)


async def test_a_night_over_the_tables_finds_storylines_and_is_taken_back(mine: Writer, pool: Pool) -> None:
    nights, mind = nights_of(pool), Runner(mine)
    life = replace(Rules().life, storylines=Storylines(sources=2, days=2, sure=0.1))
    reads = tables(pool)
    run = (mine.user, NIGHT, "UTC", parts(nights, mind, life, words=words_of(pool), storylines=reads))
    report = await run_night(*run)
    groups = mine.believed.groups
    assert {each.sensitivity: each.members for each in groups.values()} == {
        Sensitivity.OPEN: ("one", "three"),
        Sensitivity.PRIVATE: ("one", "two", "three"),
    }
    assert sorted(report["storylines"]["opened"]) == sorted(groups)
    private = next(each for each in groups.values() if each.sensitivity)
    assert private.summary == 'Extractive summary.\nMaya: "I saw Elena." [1]', (
        "one was taken back, three no person said"
    )
    assert (await mine.journal.load(mine.user)).groups == groups
    assert await reads.standing(mine.user) == sorted(groups.values(), key=lambda each: each.group_id)
    here = InMemoryStorylineReads(lambda: mine.believed)
    assert await here.standing(mine.user) == await reads.standing(mine.user)
    await undo_night(mine.user, NIGHT, "key", nights, mind)
    assert mine.believed.groups == {} == (await mine.journal.load(mine.user)).groups
