"""Whatever a memory has been through, its captured commands bring back what it believes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.embedding.hashing import HashingEmbedder
from adapters.inmemory.captures import InMemoryCaptures
from adapters.inmemory.journal import InMemoryJournal
from memory.errors import Conflict, DomainError, Fenced, JournalBehind, JournalUnavailable, Stale
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.claims import Claim, Sighting
from memory.model.profile import Profile
from memory.model.working_set import WorkingSet
from memory.ports import Vector
from memory.rules.decider import Rules
from memory.rules.parameters import Revision
from memory.services.extract import encode
from memory.services.rebuild import RebuildResult, rebuild
from memory.services.remember import UserMemory
from tests.fakes.captures import InMemoryFreshJournal, fresh

NOON = 1_700_000_000.0
PEOPLE, PLACES = ("Maya", "Ravi", "Elena"), ("Porto", "Lisbon", "Delhi")
ENCODER = HashingEmbedder()


class Ticking:
    """A clock that moves an hour a look."""

    moment = NOON

    def now(self) -> float:
        self.moment += 3600
        return self.moment


class BrokenJournal(InMemoryJournal):
    """Raises an error with the next commit: before it is written, or after."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Exception | None = None
        self.after: Exception | None = None

    async def commit(self, epoch: int, base: WorkingSet, changes: ChangeSet, vectors: Mapping[str, Vector]) -> bool:
        error, self.before = self.before, None
        if error is not None:
            raise error
        fresh = await super().commit(epoch, base, changes, vectors)
        error, self.after = self.after, None
        if error is not None:
            raise error
        return fresh


class InProcessApp:
    """One memory with its journal and its captures."""

    def __init__(self) -> None:
        self.journal = BrokenJournal()
        self.captures = InMemoryCaptures(self.journal)
        self.memory: UserMemory

    async def open(self) -> InProcessApp:
        self.memory = UserMemory("u", "shard-0", self.journal, self.captures, Rules(), Ticking(), ENCODER)
        await self.memory.activate()
        return self

    async def turn(self, command: c.Command) -> ChangeSet:
        claims: Sequence[Claim] = getattr(command, "claims", ())
        if isinstance(command, c.CorrectFact) and command.claim is not None:
            claims = (command.claim,)
        return await self.memory.turn(command, await encode(ENCODER, [claim.statement for claim in claims]))

    async def rebuilt(self, rules: Rules | None = None) -> tuple[RebuildResult, InMemoryFreshJournal]:
        base = self.captures.snapshots.get("u", WorkingSet("u"))
        journal = InMemoryFreshJournal(base, self.journal._entries.get("u", [])[: base.version])
        lines = list(self.captures.read("u"))
        return await rebuild(base.version, lines, fresh(journal), rules or Rules(), ENCODER), journal


def lives(who: str, place: str, key: int = 1) -> Claim:
    return Claim(who, f"{who} lives in {place}", key, f"{who}: {place}", predicate="lives_in", object=place)


def reading(identity: str, number: int, who: str, place: str) -> c.AcceptReading:
    read = c.ReadSegment("user:u", f"s{number % 5}", number, 1, NOON - 1000 * number, who, "user", 0)
    seen = (Sighting("person", who, 0.9, who, number), Sighting("place", place, 0.9, place, number))
    return c.AcceptReading(
        command_id=identity, actor="extraction", read=(read,), sightings=seen, claims=(lives(who, place, number),)
    )


def chosen(ids: Any, number: int) -> str:
    known = sorted(ids)
    return known[number % len(known)] if known else "nothing"


def command(kind: str, number: int, who: str, place: str, identity: str, believed: WorkingSet) -> c.Command:
    fact, entity = chosen(believed.facts, number), chosen(believed.entities, number)
    other = chosen(believed.entities, number + 1)
    crossing = c.Crossing("entity", entity, "tier", "L0", "L1")
    return {
        "told": c.Remember(command_id=identity, claims=(Claim(who, f"{who} likes {place}", 0, place),)),
        "heard": reading(identity, number, who, place),
        "corrected": c.CorrectFact(command_id=identity, fact_id=fact, claim=lives(who, place)),
        "confirmed": c.ConfirmFact(command_id=identity, fact_id=fact),
        "forgotten": c.ForgetFact(command_id=identity, fact_id=fact),
        "renamed": c.RenameEntity(command_id=identity, entity_id=entity, name=f"{place} {number}"),
        "aliased": c.AddAlias(command_id=identity, entity_id=entity, alias=f"{who} {number}"),
        "merged": c.MergeEntities(command_id=identity, winner_id=entity, loser_id=other),
        "noted": c.WriteNote(command_id=identity, about_id=fact, text=place),
        "edited": c.EditNote(command_id=identity, note_id=chosen(believed.notes, number), text=who),
        "night": c.CloseNight(
            command_id=identity, actor="night", night="2026-03-01", step="states", crossings=(crossing,)
        ),
        "recalled": c.RecordAccess(command_id=identity, actor="access", accessed=((fact, 2),)),
        "hidden": c.Withdraw(command_id=identity, segment_keys=(number,)),
        "erased": c.Withdraw(command_id=identity, segment_keys=(number,), erase=True),
        "entity erased": c.ForgetEntity(command_id=identity, entity_id=entity),
    }[kind]


KINDS = (
    "told",
    "heard",
    "corrected",
    "confirmed",
    "forgotten",
    "renamed",
    "aliased",
    "merged",
    "noted",
    "edited",
    "night",
    "recalled",
    "hidden",
    "erased",
    "entity erased",
    "undone",
)
STEPS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 9), st.sampled_from(PEOPLE), st.sampled_from(PLACES)), max_size=40
)


async def live(app: InProcessApp, steps: Sequence[tuple[str, int, str, str]]) -> None:
    """A life; what cannot be carried out is refused and leaves nothing."""
    await app.turn(c.SetProfile(command_id="profile", profile=Profile(name="Maya")))
    for place, (kind, number, who, where) in enumerate(steps):
        identity = f"c-{place}"
        try:
            if kind == "undone":
                await app.memory.undo(identity, None, "user")
            else:
                await app.turn(command(kind, number, who, where, identity, app.memory.believed))
        except DomainError:
            continue


@settings(max_examples=60)
@given(STEPS)
def test_a_life_replayed_is_the_same_life(steps: list[tuple[str, int, str, str]]) -> None:
    async def lived() -> None:
        app = await InProcessApp().open()
        await live(app, steps)
        report, journal = await app.rebuilt()
        assert journal.believed == app.memory.believed == await app.journal.load("u")
        assert (report.otherwise, report.refused) == (0, 0)
        assert report.version == report.snapshot + report.turns == app.memory.believed.version

    asyncio.run(lived())


async def test_rules_that_have_moved_are_told() -> None:
    app = await InProcessApp().open()
    await live(app, [("heard", 1, "Maya", "Porto"), ("heard", 2, "Maya", "Porto")])
    report, journal = await app.rebuilt(Rules(revision=Revision(reinforce_by=0.3)))
    assert (report.turns, report.otherwise, report.refused) == (3, 1, 0)
    assert journal.believed != app.memory.believed


async def test_a_command_that_is_refused_today_keeps_its_turn_and_changes_nothing() -> None:
    app = await InProcessApp().open()
    await live(app, [("heard", 1, "Maya", "Porto"), ("confirmed", 0, "", "")])
    lines = list(app.captures.read("u"))
    base = InMemoryFreshJournal(WorkingSet("u"))
    broken = await rebuild(0, [lines[0], lines[2]], _renumbered(base), Rules(), ENCODER)
    assert (broken.turns, broken.refused, broken.version) == (2, 1, 2), "what it was about is gone; its turn is empty"


def _renumbered(journal: InMemoryFreshJournal) -> Any:
    put = journal.put

    async def anywhere(version: int, changes: ChangeSet, vectors: Mapping[str, Vector]) -> None:
        await put(journal.believed.version + 1, changes, vectors)

    journal.put = anywhere  # type: ignore[method-assign]
    return fresh(journal)


async def test_what_is_stored_must_be_what_was_decided() -> None:
    app = await InProcessApp().open()
    await live(app, [("heard", 1, "Maya", "Porto")])
    journal = InMemoryFreshJournal(WorkingSet("u"))

    async def lossy(version: int, changes: ChangeSet, vectors: Mapping[str, Vector]) -> None:
        return None

    journal.put = lossy  # type: ignore[method-assign]
    with pytest.raises(Conflict, match="nothing was touched"):
        await rebuild(0, app.captures.read("u"), fresh(journal), Rules(), ENCODER)


async def test_what_came_without_vectors_is_decided_without_and_has_them_afterwards() -> None:
    app = await InProcessApp().open()
    await app.memory.turn(c.Remember(command_id="c-1", claims=(lives("Maya", "Porto"),)))
    assert app.journal.vectors["u"] == {}
    report, journal = await app.rebuilt()
    assert report.otherwise == 0
    assert journal.vectors.keys() == app.memory.believed.facts.keys()


async def test_a_vector_that_came_late_is_seen_from_the_meeting_on() -> None:
    """As the worker does it: the vector is stored, the memory reads it, the fact meets its rivals."""
    app = await InProcessApp().open()
    await app.memory.turn(c.Remember(command_id="c-1", claims=(Claim("Maya", "Maya likes old Porto", 0, ""),)))
    fact = next(iter(app.memory.believed.facts.values()))
    app.journal.vectors["u"] |= {fact.fact_id: (await encode(ENCODER, [fact.statement]))[fact.statement]}
    await app.memory.activate()
    await app.turn(c.MeetRivals(command_id="c-2", fact_ids=(fact.fact_id,)))
    again = await app.turn(c.Remember(command_id="c-3", claims=(Claim("Maya", "Maya likes Porto, old Porto", 0, ""),)))
    assert again.outcomes[0].fact_id == fact.fact_id, "it is near what was told before"
    report, journal = await app.rebuilt()
    assert (report.otherwise, journal.believed) == (0, app.memory.believed)


@pytest.mark.parametrize("refusal", [Fenced(), Stale()])
async def test_a_turn_that_was_refused_is_not_captured(refusal: Exception) -> None:
    app = await InProcessApp().open()
    await live(app, [])
    app.journal.before = refusal
    if isinstance(refusal, Fenced):
        with pytest.raises(Fenced):
            await app.turn(c.Remember(command_id="c-1", claims=(lives("Maya", "Porto"),)))
        assert len(list(app.captures.read("u"))) == 1
    else:
        await app.turn(c.Remember(command_id="c-1", claims=(lives("Maya", "Porto"),)))
        assert [line.command_id for line in app.captures.read("u")] == ["profile", "c-1"], "tried again, once kept"


async def test_a_connection_that_broke_after_the_commit_leaves_its_line() -> None:
    app = await InProcessApp().open()
    await live(app, [])
    app.journal.after = JournalUnavailable()
    told = c.Remember(command_id="c-1", claims=(lives("Maya", "Porto"),))
    with pytest.raises(JournalUnavailable):
        await app.turn(told)
    await app.turn(told)
    await app.turn(c.Remember(command_id="c-2", claims=(lives("Ravi", "Delhi"),)))
    report, journal = await app.rebuilt()
    assert journal.believed == app.memory.believed
    assert [line.command_id for line in app.captures.read("u")] == ["profile", "c-1", "c-2"]
    assert report.otherwise == 0


async def test_who_looks_after_a_connection_that_broke_after_the_commit_is_told_to_load_what_was_written() -> None:
    app = await InProcessApp().open()
    await live(app, [])
    app.journal.after = JournalUnavailable()
    with pytest.raises(JournalUnavailable):
        await app.turn(c.Remember(command_id="c-1", claims=(lives("Maya", "Porto"),)))
    assert not await app.memory.is_current()
    await app.memory.activate()
    assert await app.memory.is_current()
    assert [fact.statement for fact in app.memory.believed.facts.values()] == [lives("Maya", "Porto").statement]


async def test_a_connection_that_broke_before_the_commit_leaves_what_is_believed() -> None:
    app = await InProcessApp().open()
    await live(app, [])
    app.journal.before = JournalUnavailable()
    with pytest.raises(JournalUnavailable):
        await app.turn(c.Remember(command_id="c-1", claims=(lives("Maya", "Porto"),)))
    assert await app.memory.is_current()
    await app.turn(c.Remember(command_id="c-1", claims=(lives("Maya", "Porto"),)))
    assert await app.memory.is_current()


async def test_a_command_told_twice_is_captured_once() -> None:
    app = await InProcessApp().open()
    for _ in range(2):
        await app.turn(c.Remember(command_id="c-1", claims=(lives("Maya", "Porto"),)))
    assert [line.version for line in app.captures.read("u")] == [1]


async def test_a_journal_that_has_lost_turns_is_not_written_over() -> None:
    app = await InProcessApp().open()
    await live(app, [("heard", 1, "Maya", "Porto"), ("heard", 2, "Maya", "Lisbon")])
    believed = app.memory.believed
    app.journal._states.clear()
    app.journal._entries.clear()
    await app.memory.activate()
    with pytest.raises(JournalBehind) as refused:
        await app.turn(c.Remember(command_id="c-9", claims=(lives("Ravi", "Delhi"),)))
    assert refused.value.ids == {"user_id": "u", "version": 0, "captured": 3}

    async def restored(_: int) -> None:
        _, journal = await app.rebuilt()
        app.journal._states["u"] = journal.believed

    await app.memory.anew(restored)
    assert app.memory.believed == believed
    await app.turn(c.Remember(command_id="c-9", claims=(lives("Ravi", "Delhi"),)))
    assert app.memory.believed.version == 4
