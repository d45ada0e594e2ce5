"""A night gathers sources as commands: summed up, with insights, archived, and taken back with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from adapters.inmemory.consolidations import InMemoryConsolidationReads
from adapters.inmemory.nights import InMemoryNights, InMemoryNightWords
from adapters.inmemory.storylines import InMemoryStorylineReads
from memory.errors import JournalUnavailable
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.entities import STATES, Mention
from memory.model.facts import Evidence
from memory.model.groups import Group
from memory.model.sources import TTL_POLICIES, SourceState
from memory.model.timeline import DAY_S
from memory.model.working_set import evolve
from memory.rules.consolidation import tells_nothing
from memory.rules.decider import Rules, decide
from memory.rules.parameters import Consolidations
from memory.services.night import NightParts, NightPlan, run_night
from memory.services.undoing_nights import undo_night
from tests.fakes.nights import FrailRunner, NightLog
from tests.unit.rules.lives_of_ties import MAY, entities, fact, memory

FIRST = datetime.fromtimestamp(MAY, UTC).date()
NIGHTS_LATER = 100


class Gatherer:
    """A memory of three people, sources that tell of them, and how near at hand these are."""

    def __init__(self) -> None:
        self.believed = memory(entities("abc", state="active"), entities(["tea"], "topic"))
        self.texts: dict[int, tuple[str, str]] = {}
        self.states: dict[str, str] = {}
        self.begun: dict[str, float] = {}
        self.recalls: dict[str, dict[str, Any]] = {}
        self.nights = InMemoryNights(lambda: self.believed, self.rows)
        self.mind = FrailRunner(self._commit)
        self.parts = NightParts(
            Rules().life,
            self.nights,
            self.mind,
            InMemoryNightWords(lambda: self.believed),
            storylines=InMemoryStorylineReads(lambda: self.believed, lambda: self.begun, lambda: self.texts),
            consolidations=InMemoryConsolidationReads(lambda: self.believed, self.rows, self.nights.held),
        )

    def rows(self) -> list[dict[str, Any]]:
        gathered = {each for group in self.consolidated() for each in group.members}
        plain = {"ttl": 2, "count": 0, "accessed_at": None, "value": 0.0, "gradient": 1.0}
        return [
            {
                **plain,
                "ids": each,
                "started_at": at,
                "ended_at": at,
                "state": STATES.index(self.states[each]),
                "consolidated": each in gathered,
                **self.recalls.get(each, {}),
            }
            for each, at in self.begun.items()
        ]

    def consolidated(self) -> list[Group]:
        return [each for each in self.believed.groups.values() if each.kind == "consolidation" and each.members]

    def tried(self) -> list[Group]:
        return [each for each in self.believed.groups.values() if tells_nothing(each)]

    def _commit(self, command: c.Command) -> ChangeSet:
        changes = decide(self.believed, command, MAY, Rules())
        self.believed = evolve(self.believed, changes.changes)
        for change in changes.changes:
            if isinstance(change.after, SourceState):
                self.states[change.after.source_id] = change.after.state
        return changes

    def tell(self, who: str, *days: float, text: str | None = None) -> None:
        for day in days:
            key = len(self.texts)
            source, at = f"s{key:02}", MAY + day * DAY_S
            row = Mention(who, source, key, at, who, 1.0)
            told = {**self.believed.mentions.get(who, {}), key: row}
            self.believed = replace(self.believed, mentions={**self.believed.mentions, who: told})
            self.texts[key] = ("Maya", text or f"{who} sails on day {day}.")
            self.begun[source], self.states[source] = at, "candidate"

    def know(self, identity: str, *sources: str, of: str = "a") -> None:
        rows = tuple(Evidence(identity, each, int(each[1:]), identity, MAY) for each in sources)
        self.believed = replace(
            self.believed,
            facts={**self.believed.facts, identity: fact(identity, of, None)},
            evidence={**self.believed.evidence, identity: rows},
        )

    async def sleep(self, days: int = NIGHTS_LATER) -> Mapping[str, Any]:
        report = await run_night("u", after(days), "UTC", self.parts)
        return dict(report["consolidations"])


def after(days: int) -> date:
    return FIRST + timedelta(days=days)


@pytest.mark.conforms("002:consolidation.sources", "002:consolidation.night")
async def test_what_has_faded_is_summed_up_with_insights_and_archived() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, 2)
    mind.know("a sails", "s00", "s02")
    mind.know("a sings", "s01")
    told = await mind.sleep()
    [group] = mind.consolidated()
    assert (group.anchor_id, group.members, group.sources, group.dirty) == ("a", ("s00", "s01", "s02"), 3, False)
    assert (group.summary or "").splitlines()[:2] == ["Extractive summary.", 'Maya: "a sails on day 0." [1]']
    assert group.facts == ("a sails",), "one source alone is no insight"
    assert set(mind.states.values()) == {"archived"}
    assert told == {
        "standing": 1,
        "opened": [group.group_id],
        "gathered": 3,
        "archived": 3,
        "facts": 0,
        "withdrawn": [],
        "nothing_told": 0,
        "summed_up": 1,
        "insights": 1,
        "by": "extractive",
        "model_failed": False,
    }


@pytest.mark.conforms("002:consolidation.sources")
async def test_an_insight_changes_nothing_of_what_it_rests_on() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, 2)
    mind.know("a sails", "s00", "s02")
    before = mind.believed
    await mind.sleep()
    assert (mind.believed.facts["a sails"].confidence, mind.believed.evidence) == (
        before.facts["a sails"].confidence,
        before.evidence,
    )


@pytest.mark.conforms("002:consolidation.night")
async def test_the_same_night_and_the_next_change_nothing() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, 2)
    first = await mind.sleep()
    before, states = mind.believed.groups, dict(mind.states)
    assert await mind.sleep() == first
    told = await mind.sleep(NIGHTS_LATER + 1)
    assert (mind.believed.groups, mind.states) == (before, states)
    assert (told["standing"], told["opened"], told["archived"], told["summed_up"]) == (1, [], 0, 0)


@pytest.mark.conforms("002:consolidation.sources", "002:consolidation.night")
async def test_what_is_recalled_again_is_active_and_what_rests_again_is_archived() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1)
    await mind.sleep()
    mind.recalls["s00"] = {"count": 1, "accessed_at": MAY + 101 * DAY_S, "value": 0.5}
    await mind.sleep(NIGHTS_LATER + 2)
    assert mind.states == {"s00": "active", "s01": "archived"}
    await mind.sleep(NIGHTS_LATER + 9)
    assert mind.states == {"s00": "archived", "s01": "archived"}
    assert len(mind.consolidated()) == 1


def fact_states(mind: Gatherer) -> dict[str, str]:
    return {each.fact_id: each.state for each in mind.believed.facts.values()}


@pytest.mark.conforms("002:consolidation.archived", "002:consolidation.night")
async def test_with_its_sources_a_fact_is_archived_that_one_of_them_told_and_that_keeps_no_floor() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, 2)
    mind.know("tea was hot", "s01", of="tea")
    mind.know("tea is green", "s00", "s02", of="tea")
    mind.know("a sings", "s01")
    told = await mind.sleep()
    left = {"tea was hot": "archived", "tea is green": "candidate", "a sings": "candidate"}
    assert (fact_states(mind), told["facts"]) == (left, 1)
    night = await run_night("u", after(NIGHTS_LATER + 1), "UTC", mind.parts)
    assert (fact_states(mind), night["states"]["crossed"]) == (left, 0), "the next night finds each where it is"
    undone = await undo_night("u", after(NIGHTS_LATER), "key", NightLog(mind.nights, mind.mind), mind.mind)
    assert (undone.skipped, set(fact_states(mind).values())) == ((), {"candidate"})


@pytest.mark.conforms("002:consolidation.night")
async def test_a_fact_that_a_night_took_back_is_left_while_its_sources_are_gathered() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, 2)
    mind.know("tea was hot", "s01", of="tea")
    version = mind.believed.facts["tea was hot"].version
    row = ["fact", "tea was hot", "archived", version]
    night = after(NIGHTS_LATER - 1)
    mind.nights.kept[night] = NightPlan({"proof": {"taken_back": {"consolidations": [row]}}}, {}, done=True)
    told = await mind.sleep()
    assert (fact_states(mind), told["facts"], told["held_back"]) == ({"tea was hot": "candidate"}, 0, [row])
    report = await run_night("u", after(NIGHTS_LATER + 1), "UTC", mind.parts)
    assert (fact_states(mind), report["states"]["held_back"]) == ({"tea was hot": "candidate"}, [row])
    report = await run_night("u", after(NIGHTS_LATER + 2), "UTC", mind.parts)
    assert report["states"]["held_back"] == [row], "the step of states remembers it from then on"


@pytest.mark.conforms("002:consolidation.night")
async def test_of_what_was_gathered_before_the_step_of_states_alone_decides() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, 30)
    mind.know("tea was hot", "s01", of="tea")
    await mind.sleep(50)
    assert fact_states(mind) == {"tea was hot": "candidate"}, "it has not faded yet"
    row = ["fact", "tea was hot", "archived", mind.believed.facts["tea was hot"].version]
    mind.nights.kept[after(79)] = NightPlan({"proof": {"taken_back": {"states": [row]}}}, {}, done=True)
    told = await mind.sleep(80)
    assert (told["gathered"], told["facts"]) == (1, 0), "another source is gathered, and that fact stays held"
    assert fact_states(mind) == {"tea was hot": "candidate"}


@pytest.mark.conforms("002:ttl.ephemeral_semantic_days")
async def test_what_only_ephemeral_sources_told_stays_archived_where_one_of_them_is_gathered() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1)
    mind.tell("b", 2)
    mind.know("tea was hot", "s01", "s02", of="tea")
    mind.recalls = {each: {"ttl": TTL_POLICIES.index("ephemeral")} for each in ("s01", "s02")}
    await mind.sleep()
    assert [each.members for each in mind.consolidated()] == [("s00", "s01")]
    assert fact_states(mind) == {"tea was hot": "archived"}


@pytest.mark.conforms("002:consolidation.archived", "002:consolidation.night")
async def test_what_becomes_an_insight_comes_back() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, 30)
    mind.know("tea was hot", "s01", of="tea")
    await mind.sleep(70)
    assert fact_states(mind) == {"tea was hot": "archived"}
    mind.know("tea was hot", "s01", "s02", of="tea")
    known = mind.believed.facts["tea was hot"]
    mind.believed = replace(mind.believed, facts={"tea was hot": replace(known, state="archived")})
    await mind.sleep(80)
    [group] = mind.consolidated()
    assert (group.facts, fact_states(mind)) == (("tea was hot",), {"tea was hot": "candidate"})


@pytest.mark.conforms("002:consolidation.archived", "002:consolidation.night")
async def test_what_a_storyline_tells_as_well_is_archived_until_the_storyline_is() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, 2, 3, 4)
    await mind.sleep()
    [group] = mind.consolidated()
    [line] = [each for each in mind.believed.groups.values() if each.kind == "storyline"]
    assert (group.state, line.state, set(line.members)) == ("archived", "active", set(group.members))
    before = mind.believed.groups
    told = await mind.sleep(NIGHTS_LATER + 1)
    assert (mind.believed.groups, told["summed_up"], told["standing"]) == (before, 0, 1)
    gone = {line.group_id: replace(line, state="archived")}
    mind.believed = replace(mind.believed, groups={**mind.believed.groups, **gone})
    await mind.sleep(NIGHTS_LATER + 300)
    assert [each.state for each in mind.consolidated()] == ["active"]


@pytest.mark.conforms("002:consolidation.sources", "002:consolidation.night")
async def test_what_fades_later_joins_and_the_summary_is_written_anew() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, 20)
    await mind.sleep(50)
    [first] = mind.consolidated()
    told = await mind.sleep(70)
    [later] = mind.consolidated()
    assert (first.members, later.members) == (("s00", "s01"), ("s00", "s01", "s02"))
    assert (later.group_id, len(later.quotes), told["gathered"], told["archived"]) == (first.group_id, 3, 1, 1)


async def test_a_night_that_dies_goes_on_and_is_undone_to_what_was() -> None:
    mind, other = Gatherer(), Gatherer()
    for each in (mind, other):
        each.tell("a", 0, 1)
        each.tell("b", 0, 1)
    before = mind.believed.groups
    mind.mind.dies_at = c.ArrangeGroups
    with pytest.raises(JournalUnavailable):
        await mind.sleep()
    assert set(mind.states.values()) == {"candidate"}, "nothing is archived that is not gathered"
    mind.mind.dies_at = None
    await mind.sleep()
    await other.sleep()
    assert (mind.believed.groups, mind.states) == (other.believed.groups, other.states)
    undone = await undo_night("u", after(NIGHTS_LATER), "key", NightLog(mind.nights, mind.mind), mind.mind)
    assert undone.skipped == ()
    assert (mind.believed.groups, set(mind.states.values())) == (before, {"candidate"})


@pytest.mark.conforms("002:consolidation.sources", "002:consolidation.night", "model:groups")
async def test_an_insight_goes_with_its_support_and_a_summary_with_what_it_quotes() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, 2)
    mind.know("a sails", "s00", "s02")
    await mind.sleep()
    [before] = mind.consolidated()
    await mind.mind.carry_out("u", c.ForgetFact(command_id="forget", fact_id="a sails"))
    [after_] = mind.consolidated()
    assert (before.facts, after_.facts, after_.summary, after_.dirty) == (("a sails",), (), None, True)
    await mind.mind.carry_out("u", c.Withdraw(command_id="erase", segment_keys=(0,), erase=True, source_id="s00"))
    [left] = mind.consolidated()
    assert left.members == ("s01", "s02")
    del mind.begun["s00"]
    await mind.sleep(NIGHTS_LATER + 1)
    [again] = mind.consolidated()
    assert (again.quotes, again.dirty) == ((1,), False), "s02 said what was forgotten"
    await mind.mind.carry_out("u", c.ForgetEntity(command_id="all", entity_id="a"))
    assert mind.consolidated() == []
    await mind.sleep(NIGHTS_LATER + 2)
    assert {mind.states[each] for each in ("s01", "s02")} == {"candidate"}, "what nothing gathers comes back"


@pytest.mark.conforms("002:consolidation.night", "model:groups")
async def test_a_fact_stays_whose_other_source_is_of_a_consolidation_that_is_withdrawn() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, 2)
    mind.know("a sails", "s00", "s02")
    await mind.sleep()
    await mind.mind.carry_out("u", c.ForgetFact(command_id="forget", fact_id="a sails"))
    mind.texts |= {key: ("Maya", "Is it?") for key in range(3)}
    mind.tell("b", 0, 1)
    mind.know("tea was hot", "s01", "s03", of="tea")
    told = await mind.sleep(NIGHTS_LATER + 1)
    assert (len(told["withdrawn"]), len(told["opened"])) == (1, 1), "that of a can no longer be told, that of b is new"
    assert fact_states(mind)["tea was hot"] == "candidate", "nothing gathers s01 any more"


@pytest.mark.conforms("002:consolidation.sources", "002:consolidation.night")
async def test_what_cannot_be_told_is_not_gathered() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, text="Is it?")
    told = await mind.sleep()
    assert (mind.consolidated(), told["opened"], told["archived"]) == ([], [], 0)
    assert set(mind.states.values()) == {"candidate"}


@pytest.mark.conforms("002:consolidation.night", "model:groups")
async def test_what_cannot_be_told_is_tried_once_until_more_is_said() -> None:
    mind = Gatherer()
    mind.tell("a", 0, 1, text="Is it?")
    told = await mind.sleep()
    [tried] = mind.tried()
    assert (told["nothing_told"], tried.quotes, tried.members) == (1, (0, 1), ())
    plan = mind.nights.kept[after(NIGHTS_LATER)]
    assert not plan.commands["consolidations"], "it is over"
    before = mind.believed
    told = await mind.sleep(NIGHTS_LATER + 1)
    assert (told["nothing_told"], told["withdrawn"], mind.believed) == (0, [], before), "nothing is planned again"
    mind.tell("a", 2, text="a sails.")
    told = await mind.sleep(NIGHTS_LATER + 2)
    [group] = mind.consolidated()
    assert (group.members, mind.tried(), told["standing"]) == (("s00", "s01", "s02"), [], 1)


@pytest.mark.conforms("002:consolidation.night", "model:groups")
async def test_what_was_tried_goes_with_its_anchor_and_with_words_that_were_looked_at() -> None:
    for command in (
        c.ForgetEntity(command_id="x", entity_id="a"),
        c.Withdraw(command_id="x", segment_keys=(1,)),
        c.Withdraw(command_id="x", segment_keys=(1,), erase=True, source_id="s01"),
    ):
        mind = Gatherer()
        mind.tell("a", 0, 1, text="Is it?")
        await mind.sleep()
        await mind.mind.carry_out("u", command)
        assert mind.tried() == []


@pytest.mark.conforms("002:consolidation.night")
async def test_what_was_tried_takes_no_place_of_what_can_be_told() -> None:
    mind = Gatherer()
    life = mind.parts.life
    mind.parts = replace(mind.parts, life=replace(life, consolidations=Consolidations(written=1)))
    mind.tell("a", 0, 1, 2, text="Is it?")
    mind.tell("b", 0, 1)
    assert (await mind.sleep())["opened"] == []
    await mind.sleep(NIGHTS_LATER + 1)
    assert [each.anchor_id for each in mind.consolidated()] == ["b"]
