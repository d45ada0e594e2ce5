"""What consolidations are made of is the same over both stores, and a night over the tables is taken back whole."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from adapters.inmemory.consolidations import InMemoryConsolidationReads
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.consolidations import PostgresConsolidationReads
from adapters.postgres.group_reads import PostgresGroupReads
from adapters.postgres.pool import Pool
from memory.model import commands as c
from memory.model.claims import Claim, Sighting
from memory.model.groups import Group
from memory.model.ids import meta_id
from memory.model.scopes import Sensitivity, View, user_scope
from memory.model.sources import Segment, Source
from memory.rules.census import FactRows, SourceColumns, census
from memory.rules.consolidation import KnownInsights
from memory.rules.grouping import group_stamp
from memory.rules.night_steps import NightName, StepResult
from memory.services.night import NightPlan, run_night
from memory.services.undoing_nights import undo_night
from tests.contract.test_groups import line
from tests.contract.test_night_steps import NIGHT, Runner
from tests.contract.test_nights import DAY, NOW, Writer, nights_of, words_of
from tests.contract.test_storylines import SAID, elena, mine, tables
from tests.fakes.nights import parts

__all__ = ["mine"]
pytestmark = pytest.mark.postgres
LATER = datetime.fromtimestamp(NOW + 100 * DAY, UTC).date()


def consolidation(writer: Writer) -> Group:
    return replace(line(writer), group_id="k-0123456789abcdef", kind="consolidation")


async def tell(writer: Writer, pool: Pool, name: str) -> None:
    """One more source tells of Elena."""
    segment = Segment("g0", "Maya", "Elena sails.", 0.0, 5.0)
    source = Source(name, user_scope(writer.user), "note", NOW + 3 * DAY, segments=(segment,))
    await PostgresCapture(pool, "hashing").store(source)
    read = c.ReadSegment(source.scope, name, source.key_of(segment), 1, source.started_at, "Maya", "user", 0)
    seen = Sighting("person", "Elena", 0.9, "Elena", source.key_of(segment))
    await writer.turn(c.AcceptReading(command_id=name, actor="extraction", read=(read,), sightings=(seen,)))


async def support(writer: Writer, pool: Pool) -> str:
    """Two sources say the same of Elena; the id of that fact."""
    await tell(writer, pool, "four")
    rows = {each.source_id: each for each in writer.believed.mentions[elena(writer)].values()}
    for name in ("one", "four"):
        row, key = rows[name], rows[name].segment_key
        claim = Claim("Elena", "Elena sings", key, "Elena sings")
        read = c.ReadSegment(f"user:{writer.user}", name, key, 1, row.at, "Maya", "user", int(row.sensitivity))
        await writer.turn(
            c.AcceptReading(command_id=f"sings-{name}", actor="extraction", read=(read,), claims=(claim,))
        )
    return next(each.fact_id for each in writer.believed.facts.values() if each.statement == "Elena sings")


async def test_insights_are_the_same_over_both_stores(mine: Writer, pool: Pool) -> None:
    sings = await support(mine, pool)
    sources = {each.source_id for each in mine.believed.evidence[sings]}
    assert len(sources) == 2
    whole = replace(consolidation(mine), sensitivity=Sensitivity.OPEN)
    asked = [whole, replace(whole, members=whole.members[:1]), replace(whole, sensitivity=Sensitivity.PRIVATE)]
    here = InMemoryConsolidationReads(lambda: mine.believed, list)
    there = PostgresConsolidationReads(pool)
    found = await there.insights(mine.user, asked, 5)
    assert found == await here.insights(mine.user, asked, 5)
    assert [each.said for each in found] == [(sings,), (), (sings,)]
    assert await there.insights(mine.user, asked, 0) == [KnownInsights()] * 3
    assert await there.insights(mine.user, [], 5) == []


async def test_what_goes_with_gathered_sources_is_the_same_over_both_stores(mine: Writer, pool: Pool) -> None:
    sings = await support(mine, pool)
    here = InMemoryConsolidationReads(lambda: mine.believed, list)
    there = PostgresConsolidationReads(pool)
    whole = replace(consolidation(mine), sensitivity=Sensitivity.OPEN, members=("one", "four"))
    part, named = replace(whole, members=("one",)), replace(whole, facts=(sings,))
    hidden = replace(whole, sensitivity=Sensitivity.PRIVATE)
    for group, expected in ((whole, True), (part, False), (named, False), (hidden, False)):
        ours, theirs = [await each.facts(mine.user, [group], ["four"]) for each in (here, there)]
        order = np.argsort(theirs.ids.astype(str)), np.argsort(ours.ids.astype(str))
        for each in fields(FactRows):
            left, right = getattr(theirs, each.name)[order[0]], getattr(ours, each.name)[order[1]]
            np.testing.assert_array_equal(left, right, err_msg=each.name)
        assert dict(zip(theirs.ids.tolist(), theirs.gathered.tolist(), strict=True))[sings] == expected
    await mine.turn(c.ArrangeGroups(command_id="k", actor="night", arranged=(c.ArrangedGroup(whole),)))
    stored, believed = (await nights_of(pool).census(mine.user)).facts, census(mine.believed).facts
    counted = [dict(zip(each.ids.tolist(), each.gathered.tolist(), strict=True)) for each in (stored, believed)]
    assert counted[0] == counted[1]
    assert counted[0][sings]
    rows = await there.facts(mine.user, [part], ["one"])
    assert not dict(zip(rows.ids.tolist(), rows.gathered.tolist(), strict=True))[sings], "as it is to stand"


async def test_what_only_ephemeral_sources_told_is_counted(mine: Writer, pool: Pool) -> None:
    sings = await support(mine, pool)
    passing = []
    for names in (("one",), ("one", "four")):
        statement = "UPDATE sources SET ttl_policy = 'ephemeral' WHERE scope = %(s)s AND source_id = ANY (%(ids)s)"
        await pool.rows(f"{statement} RETURNING source_id", s=f"user:{mine.user}", ids=list(names))
        rows = (await nights_of(pool).census(mine.user)).facts
        passing.append(dict(zip(rows.ids.tolist(), rows.passing.tolist(), strict=True))[sings])
    assert passing == [False, True]


async def test_what_a_model_adds_rests_on_the_same_facts_over_both_stores(mine: Writer, pool: Pool) -> None:
    sings = await support(mine, pool)
    row = next(each for each in mine.believed.mentions[elena(mine)].values() if each.source_id == "four")
    claim = Claim("Elena", "Elena has a boat", row.segment_key, "Elena has a boat")
    read = c.ReadSegment(f"user:{mine.user}", "four", row.segment_key, 1, row.at, "Maya", "user", 0)
    await mine.turn(c.AcceptReading(command_id="boat", actor="extraction", read=(read,), claims=(claim,)))
    boat = next(each.fact_id for each in mine.believed.facts.values() if each.statement == "Elena has a boat")
    here, there = InMemoryConsolidationReads(lambda: mine.believed, list), PostgresConsolidationReads(pool)
    keys = sorted({each.segment_key for each in mine.believed.evidence[sings] if each.segment_key})
    for level in (Sensitivity.OPEN, Sensitivity.PRIVATE):
        assert await there.grounds(mine.user, keys, level) == await here.grounds(mine.user, keys, level)
    grounds = await there.grounds(mine.user, keys, Sensitivity.OPEN)
    assert {each.fact_id for some in grounds.values() for each in some} >= {sings, boat}
    told = c.MetaFact("Elena is a musical sailor", (sings, boat), "scripted")
    await mine.turn(c.Synthesize(command_id="insight", actor="night", meta_facts=(told,)))
    insight = meta_id(mine.user, (sings, boat))
    whole = replace(consolidation(mine), sensitivity=Sensitivity.OPEN, members=("one", "four"), facts=(sings, insight))
    asked = [whole, replace(whole, members=("one",)), replace(whole, facts=())]
    found = await there.insights(mine.user, asked, 5)
    assert found == await here.insights(mine.user, asked, 5)
    assert [each.generated for each in found] == [(insight,), (), ()]
    await mine.turn(c.ArrangeGroups(command_id="k", actor="night", arranged=(c.ArrangedGroup(whole),)))
    view = View(mine.user)
    shown = {each.fact_id: each for each in await PostgresGroupReads(pool).insights(view, [whole.group_id])}
    assert {name: each.generated for name, each in shown.items()} == {sings: False, insight: True}
    assert set(shown[insight].keys) == set(keys)
    await mine.turn(c.ForgetFact(command_id="forget", fact_id=boat))
    assert mine.believed.groups[whole.group_id].facts == (sings,)
    assert [each.generated for each in await there.insights(mine.user, asked, 5)] == [(), (), ()]


async def test_a_source_knows_when_it_was_over_and_whether_it_was_gathered(mine: Writer, pool: Pool) -> None:
    there = PostgresConsolidationReads(pool)
    before = await there.sources(mine.user)
    assert dict(zip(before.ids, before.ended_at, strict=True)) == {
        "one": NOW + 10,
        "two": NOW + DAY,
        "three": NOW + 2 * DAY,
    }
    group = replace(consolidation(mine), members=("one", "three"))
    await mine.turn(c.ArrangeGroups(command_id="k", actor="night", arranged=(c.ArrangedGroup(group),)))
    counted = await there.sources(mine.user)
    assert dict(zip(counted.ids, counted.consolidated, strict=True)) == {"one": True, "two": False, "three": True}
    census = (await nights_of(pool).census(mine.user)).sources
    for each in fields(SourceColumns):
        np.testing.assert_array_equal(getattr(counted, each.name), getattr(census, each.name))
    assert await there.standing(mine.user) == [group]
    assert await InMemoryConsolidationReads(lambda: mine.believed, list).standing(mine.user) == [group]
    assert await tables(pool).standing(mine.user) == [], "it is no storyline"


async def states(pool: Pool, writer: Writer) -> dict[str, str]:
    rows = await pool.rows("SELECT source_id, state FROM sources WHERE scope = %(s)s", s=f"user:{writer.user}")
    return {row["source_id"]: row["state"] for row in rows}


async def test_a_night_over_the_tables_gathers_and_archives_and_is_taken_back(mine: Writer, pool: Pool) -> None:
    nights, mind, reads = nights_of(pool), Runner(mine), PostgresConsolidationReads(pool)
    given: dict[str, Any] = {"words": words_of(pool), "storylines": tables(pool), "consolidations": reads}
    for name in ("five", "four"):
        await tell(mine, pool, name)
    before = mine.believed.groups
    report = await run_night(mine.user, LATER, "UTC", parts(nights, mind, **given))
    [group] = [each for each in mine.believed.groups.values() if each.kind == "consolidation"]
    assert report["consolidations"]["opened"] == [group.group_id]
    assert group.members == ("one", "three", "five", "four"), "two is more sensitive, and would be alone"
    kept = {"one": "archived", "two": "candidate", "three": "archived", "four": "archived", "five": "archived"}
    assert await states(pool, mine) == kept
    assert (await mine.journal.load(mine.user)).groups == mine.believed.groups
    again = await run_night(mine.user, LATER + timedelta(days=1), "UTC", parts(nights, mind, **given))
    assert (again["consolidations"]["opened"], again["states"]["returned"]) == ([], 0)
    await undo_night(mine.user, LATER, "undo", nights, mind)
    assert mine.believed.groups == before
    assert set((await states(pool, mine)).values()) == {"candidate"}


async def test_a_night_under_way_archives_no_source_that_is_forgotten(mine: Writer, pool: Pool) -> None:
    nights, of = nights_of(pool), NightName(mine.user, str(NIGHT))
    await nights.begin(mine.user, NIGHT, NOW, NightPlan({"now": NOW}, {}))
    crossings = [c.Crossing("source", each, "state", "candidate", "archived") for each in SAID]
    [closing] = of.closing("consolidations", crossings)
    await nights.keep(mine.user, NIGHT, "consolidations", StepResult((closing,), {}))
    kept = await nights.plan(mine.user, NIGHT)
    assert kept is not None
    assert kept.commands["consolidations"] == (closing,), "what a later step crosses is kept"
    key = next(each for each, row in mine.believed.mentions[elena(mine)].items() if row.source_id == "two")
    await mine.turn(c.Withdraw(command_id="erase", segment_keys=(key,), erase=True, source_id="two"))
    kept = await nights.plan(mine.user, NIGHT)
    assert kept is not None
    [left] = kept.commands["consolidations"]
    assert isinstance(left, c.CloseNight)
    assert [each.id for each in left.crossings] == ["one", "three"]


async def test_with_the_entity_a_consolidation_and_its_words_go(mine: Writer, pool: Pool) -> None:
    group = consolidation(mine)
    await mine.turn(c.ArrangeGroups(command_id="k", actor="night", arranged=(c.ArrangedGroup(group),)))
    assert group_stamp(mine.believed.groups[group.group_id]) == group_stamp(group)
    await mine.turn(c.ForgetEntity(command_id="forget", entity_id=elena(mine)))
    rows = await pool.rows("SELECT 1 FROM content WHERE scope = %(s)s AND owner LIKE 'k-%%'", s=f"user:{mine.user}")
    assert ((await mine.journal.load(mine.user)).groups, rows) == ({}, [])
