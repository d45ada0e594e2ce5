"""Summaries of sources over both stores: written by a night, gone with their source, taken back with their night."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from adapters.inmemory.journal import InMemoryJournal
from adapters.inmemory.sources import InMemorySources
from adapters.inmemory.summaries import InMemorySourceReads
from adapters.postgres.archive import PostgresArchive
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.pool import Pool
from adapters.postgres.summaries import PostgresSummaries
from memory.errors import Conflict, Forgotten
from memory.model import commands as c
from memory.model.groups import Group
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity, View, team_scope, user_scope
from memory.model.sources import Segment, Source
from memory.rules.decider import Rules
from memory.rules.grouping import group_stamp
from memory.services.night import run_night
from memory.services.source_summaries import summarised
from memory.services.undoing_nights import undo_night
from tests.contract.test_night_steps import NIGHT, Runner
from tests.contract.test_nights import DAY, NOW, Writer, nights_of, words_of
from tests.fakes.nights import parts

pytestmark = pytest.mark.postgres
TALK = (
    "The harbour office wants the mooring fee for the boat in March.",
    "I paid the mooring fee for the boat at the harbour office in April.",
    "We could sell the old boat and buy a smaller one next summer.",
    "My brother repaired the engine of the boat for nothing.",
)
MAIL = " ".join(f"The lease of garden {number} ends in May, says the office." for number in range(20))
RULES = Rules().life.summaries


def source(user: str, name: str, day: float, texts: tuple[str, ...], **more: object) -> Source:
    said = tuple(
        Segment(f"g{place}", "Maya", text, 10.0 * place, 10.0 * place + 5, role="user")
        for place, text in enumerate(texts)
    )
    told = Source(name, user_scope(user), "conversation", NOW - day * DAY, segments=said)
    return replace(told, **more)  # type: ignore[arg-type]


class Told:
    """The same sources in both stores, and a memory of them."""

    def __init__(self, pool: Pool, writer: Writer) -> None:
        self.writer, self.user = writer, writer.user
        self.capture = PostgresCapture(pool, "hashing")
        self.sources = InMemorySources(InMemoryJournal())
        self.tables, self.here = PostgresSummaries(pool), InMemorySourceReads(self.sources, lambda: writer.believed)

    async def tell(self, told: Source) -> None:
        await self.capture.store(told)
        self.sources.store(told)


@pytest.fixture
async def told(pool: Pool, user: str) -> Told:
    found = Told(pool, Writer(pool, user))
    await found.writer.turn(c.SetProfile(command_id="profile", profile=Profile(name="Maya")))
    helped = Segment("a", "Assistant", "The boat is fine. " * 9, 99.0, 100.0, role="assistant")
    talk = source(user, "talk", 3, TALK, sensitivity=Sensitivity.PRIVATE)
    await found.tell(replace(talk, segments=(*talk.segments, helped)))
    await found.tell(source(user, "greeting", 2, ("Hi!", "Hello.", "Bye.", "See you.")))
    await found.tell(source(user, "note", 1, ("Buy bread.",)))
    await found.tell(
        source(
            user,
            "mail",
            4,
            (MAIL,),
        )
    )
    return found


async def test_what_has_grown_and_what_was_said_is_the_same_over_both_stores(told: Told) -> None:
    grown = await told.tables.grown(told.user, NOW, RULES)
    assert grown == await told.here.grown(told.user, NOW, RULES)
    assert [(each.source_id, each.turns, each.summed_up) for each in grown] == [
        ("greeting", 4, None),
        ("talk", 4, None),
        ("mail", 1, None),
    ]
    names = [each.source_id for each in grown]
    assert await told.tables.said(told.user, names) == await told.here.said(told.user, names)


async def test_a_night_sums_up_once_and_its_undo_takes_it_back(told: Told, pool: Pool) -> None:
    nights, mind = nights_of(pool), Runner(told.writer)
    run = (told.user, NIGHT, "UTC", parts(nights, mind, words=words_of(pool), sources=told.tables))
    report = (await run_night(*run))["summaries"]
    assert (report["written"], report["trivial"]) == (2, 1)
    groups = {each.members[0]: each for each in told.writer.believed.groups.values()}
    assert groups["talk"].sensitivity is Sensitivity.PRIVATE
    assert len(groups["talk"].quotes) == 4
    assert groups["greeting"].summary is None
    assert await told.writer.journal.load(told.user) == told.writer.believed
    assert await told.tables.grown(told.user, NOW, RULES) == [] == await told.here.grown(told.user, NOW, RULES)
    standing = await told.tables.summaries(told.user, list(groups))
    assert (
        standing
        == await told.here.summaries(told.user, list(groups))
        == sorted(groups.values(), key=lambda each: each.group_id)
    )
    shown = await told.tables.shown(View(told.user, clearance=Sensitivity.PRIVATE), list(groups))
    own = user_scope(told.user)
    assert shown[own, "talk"].segment_ids == ("g0", "g1", "g2", "g3")
    assert (own, "talk") not in await told.tables.shown(View(told.user, clearance=Sensitivity.OPEN), list(groups))
    await undo_night(told.user, NIGHT, "key", nights, mind)
    assert told.writer.believed.groups == {}


async def test_a_summary_goes_with_its_source_and_with_words_that_it_quotes(told: Told, pool: Pool) -> None:
    nights, mind = nights_of(pool), Runner(told.writer)
    await run_night(told.user, NIGHT, "UTC", parts(nights, mind, words=words_of(pool), sources=told.tables))
    groups = {each.members[0]: each for each in told.writer.believed.groups.values()}
    key = groups["talk"].quotes[0]
    await told.writer.turn(c.Withdraw(command_id="changed", segment_keys=(key,)))
    left = {each.members[0] for each in told.writer.believed.groups.values()}
    assert left == {"greeting", "mail"}
    for name in sorted(left):
        await told.writer.turn(c.Withdraw(command_id=f"erase-{name}", erase=True, source_id=name))
    assert told.writer.believed.groups == {}
    rows = await pool.rows(
        "SELECT words FROM content WHERE scope = %(scope)s AND owner LIKE 'u-%%'", scope=f"user:{told.user}"
    )
    assert [row for row in rows if "garden" in row["words"]] == []
    assert '"greeting"' not in str(await pool.rows("SELECT changes FROM journal WHERE user_id = %(u)s", u=told.user))


async def test_summaries_travel_with_an_archive(told: Told, pool: Pool) -> None:
    nights, mind = nights_of(pool), Runner(told.writer)
    await run_night(told.user, NIGHT, "UTC", parts(nights, mind, words=words_of(pool), sources=told.tables))
    archive, file = PostgresArchive(pool), io.BytesIO()
    await archive.write(told.user, "2024-05-01T00:00:00Z", file)
    await pool.rows("DELETE FROM users WHERE user_id = %(user)s", user=told.user)
    for table in ("sources", "content", "scopes"):
        await pool.rows(f"DELETE FROM {table} WHERE scope = %(scope)s", scope=f"user:{told.user}")
    await archive.restore(told.user, file)
    assert (await told.writer.journal.load(told.user)).groups == told.writer.believed.groups


async def summed_up(told: Told, pool: Pool) -> dict[str, Group]:
    """The summaries by their source, once a night has written them."""
    nights, mind = nights_of(pool), Runner(told.writer)
    await run_night(told.user, NIGHT, "UTC", parts(nights, mind, words=words_of(pool), sources=told.tables))
    return {each.members[0]: each for each in told.writer.believed.groups.values()}


async def summaries_kept(told: Told, pool: Pool) -> str:
    """Every word of a summary that is still kept."""
    rows = await pool.rows(
        "SELECT words FROM content WHERE scope = %(scope)s AND owner LIKE 'u-%%'", scope=f"user:{told.user}"
    )
    return " ".join(row["words"] for row in rows)


async def test_no_earlier_wording_that_quoted_a_forgotten_segment_is_kept(told: Told, pool: Pool) -> None:
    talk = (await summed_up(told, pool))["talk"]
    key, *others = talk.quotes
    shorter = replace(talk, summary="Extractive summary.\nOther words. [1]", quotes=(others[0],))
    arranged = (c.ArrangedGroup(shorter, group_stamp(talk)),)
    await told.writer.turn(c.ArrangeGroups(command_id="anew", actor="night", arranged=arranged))
    assert TALK[0] in await summaries_kept(told, pool)
    await told.writer.turn(c.Withdraw(command_id="erase", segment_keys=(key,), erase=True))
    assert told.writer.believed.groups[talk.group_id] == shorter
    assert TALK[0] not in await summaries_kept(told, pool)
    assert "Other words" in await summaries_kept(told, pool)


async def test_a_summary_that_was_taken_back_is_forgotten_with_its_source_all_the_same(told: Told, pool: Pool) -> None:
    talk = (await summed_up(told, pool))["talk"]
    await told.writer.turn(c.Withdraw(command_id="changed", segment_keys=(talk.quotes[0],)))
    assert talk.group_id not in told.writer.believed.groups
    assert TALK[1] in await summaries_kept(told, pool)
    await told.writer.turn(c.Withdraw(command_id="erase", segment_keys=talk.quotes, erase=True, source_id="talk"))
    assert "fee" not in await summaries_kept(told, pool)
    assert talk.group_id not in str(await pool.rows("SELECT changes FROM journal WHERE user_id = %(u)s", u=told.user))


async def test_what_was_forgotten_while_a_night_summed_it_up_is_not_kept(told: Told, pool: Pool) -> None:
    groups = await summed_up(told, pool)
    nights = nights_of(pool)
    await undo_night(told.user, NIGHT, "key", nights, Runner(told.writer))
    for gone, command in (("DELETE FROM segments WHERE segment_key = %(key)s", "said"), ("SELECT 1", "told")):
        await pool.rows(gone, key=groups["talk"].quotes[0])
        late = groups["talk"] if command == "said" else replace(groups["greeting"], members=("another",))
        with pytest.raises(Forgotten):
            await told.writer.turn(
                c.ArrangeGroups(command_id=command, actor="night", arranged=(c.ArrangedGroup(late),))
            )
    assert told.writer.believed.groups == {}
    there = c.ArrangeGroups(command_id="there", actor="night", arranged=(c.ArrangedGroup(groups["mail"]),))
    await told.writer.turn(there)
    assert list(told.writer.believed.groups) == [groups["mail"].group_id]


# ------------------------------------------------------------------------------------------------------------- a team


async def team_talk(told: Told, name: str = "standup") -> Source:
    """A talk of a team that this user reads, and that nothing was read of yet."""
    talk = replace(source(told.user, name, 1, TALK), scope=team_scope(told.user))
    await told.capture.store(talk)
    await told.capture.read_by(talk.scope, told.user)
    return talk


async def read(told: Told, talk: Source) -> None:
    """An extractor has read a source for this user."""
    lines = tuple(
        c.ReadSegment(talk.scope, talk.source_id, talk.key_of(each), 1, talk.time_of(each), "Maya", "user", 0)
        for each in talk.segments
    )
    await told.writer.turn(c.AcceptReading(command_id=f"read-{talk.source_id}", actor="extraction", read=lines))


async def test_a_source_of_a_team_is_summed_up_in_the_memory_of_whom_it_was_read_for(told: Told, pool: Pool) -> None:
    talk = await team_talk(told)
    assert "standup" not in {each.source_id for each in await told.tables.grown(told.user, NOW, RULES)}
    await read(told, talk)
    grown = {each.source_id: each for each in await told.tables.grown(told.user, NOW, RULES)}
    assert (grown["standup"].turns, grown["standup"].summed_up) == (4, None)
    groups = await summed_up(told, pool)
    assert len(groups["standup"].quotes) == 4
    assert "standup" not in {each.source_id for each in await told.tables.grown(told.user, NOW, RULES)}
    team, alone = View(told.user, (told.user,)), View(told.user)
    assert (await told.tables.shown(team, ["standup"]))[talk.scope, "standup"].segment_ids == (
        "g0",
        "g1",
        "g2",
        "g3",
    )
    assert await told.tables.shown(alone, ["standup"]) == {}, "whoever has left the team does not see it"


async def test_forgetting_a_source_of_a_team_reaches_the_summary_of_each(told: Told, pool: Pool) -> None:
    talk = await team_talk(told)
    await read(told, talk)
    group = (await summed_up(told, pool))["standup"]
    erase = c.Withdraw(command_id="erase", segment_keys=group.quotes, erase=True, source_id="standup")
    await told.writer.turn(erase)
    assert group.group_id not in told.writer.believed.groups
    rows = await pool.rows("SELECT 1 FROM content WHERE owner = %(id)s", id=group.group_id)
    assert rows == []


async def test_a_source_of_ones_own_comes_before_one_of_a_team_with_its_id(told: Told, pool: Pool) -> None:
    talk = await team_talk(told, "talk")
    await read(told, talk)
    await summed_up(told, pool)
    assert await told.tables.grown(told.user, NOW, RULES) == [], "neither is planned again and again"
    shown = await told.tables.shown(View(told.user, (told.user,), clearance=Sensitivity.PRIVATE), ["talk"])
    assert list(shown) == [(user_scope(told.user), "talk")]


# ------------------------------------------------------------------------------------------------- words that changed


async def test_a_summary_of_words_that_changed_meanwhile_is_not_put_and_is_planned_again(told: Told) -> None:
    [said] = await told.tables.said(told.user, ["talk"])
    summary = summarised(said, RULES)
    group = Group("u-0123456789abcdef", "summary", NOW, None, summary.text(), ("talk",), summary.quotes, sources=4)
    late = c.ArrangedGroup(group, None, summary.read)
    assert {revision for _, revision in summary.read} == {1}
    other = source(told.user, "talk", 3, (TALK[0].replace("March", "May"), *TALK[1:]), sensitivity=Sensitivity.PRIVATE)
    await told.capture.store(other)
    with pytest.raises(Conflict):
        await told.writer.turn(c.ArrangeGroups(command_id="late", actor="night", arranged=(late,)))
    assert group.group_id not in told.writer.believed.groups
    assert "talk" in {each.source_id for each in await told.tables.grown(told.user, NOW, RULES)}
    [said] = await told.tables.said(told.user, ["talk"])
    fresh = summarised(said, RULES)
    assert {revision for _, revision in fresh.read} == {1, 2}
    there = c.ArrangedGroup(replace(group, summary=fresh.text(), quotes=fresh.quotes), None, fresh.read)
    await told.writer.turn(c.ArrangeGroups(command_id="fresh", actor="night", arranged=(there,)))
    assert "May" in (told.writer.believed.groups[group.group_id].summary or "")
