"""The night: what it finds, and that it does not matter how often it is run, how late, or where it is killed."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memory.rules.night_steps as night_steps
from adapters.inmemory.nights import InMemoryNights, InMemoryNightWords
from memory.errors import JournalUnavailable
from memory.model import commands as c
from memory.model.claims import Claim, Sighting
from memory.model.entities import Entity, Mention
from memory.model.facts import Fact, Note
from memory.model.working_set import WorkingSet
from memory.rules.census import census
from memory.rules.decider import Rules, decide
from memory.rules.night_steps import MOST_ROWS, NightName, NightView
from memory.rules.parameters import Life, Lifecycle, Strength
from memory.services.night import NightParts, NightPlan, commands_of, instant_of, plan_night, run_night
from tests.fakes.nights import OF, FrailRunner, crossed
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives

FIRST = date(2023, 11, 15)
"""The first night after NOON."""
SEEDS = {
    "default": Life(),
    "cosmo": Life(Strength("spaced", "spaced"), lifecycle=Lifecycle(floor=0.0)),
    "personal-ai": Life(lifecycle=Lifecycle(archive_below=0.0, floor=0.0, prunes=True)),
    "graph-memory": Life(Strength(fact="stretched"), lifecycle=Lifecycle(archive_below=0.0, floor=0.0, prunes=True)),
}


@dataclass
class Lived:
    """A memory with its nights; all that one night commits is committed at one instant."""

    memory: Memory
    life: Life = field(default_factory=Life)

    def __post_init__(self) -> None:
        self.nights = InMemoryNights(lambda: self.memory.believed)
        self.mind = FrailRunner(self._commit)
        words = InMemoryNightWords(lambda: self.memory.believed)
        self.parts = NightParts(self.life, self.nights, self.mind, words)

    def _commit(self, command: c.Command) -> Any:
        self.memory.now = NOON + 2000 * DAY
        return self.memory.turn(command)

    async def sleep(self, *numbers: int) -> dict[str, Any]:
        """So many nights after the first, in order; the last report."""
        report: dict[str, Any] = {}
        for number in numbers:
            report = await run_night("u", FIRST + timedelta(days=number), "UTC", self.parts)
        return report


def elena(days: tuple[int, ...], **rest: Any) -> Memory:
    memory = Memory()
    for key, day in enumerate(days, start=1):
        memory.hear(key, at=NOON + day * DAY, sightings=(Sighting("person", "Elena", 0.9, "Elena", key),), **rest)
    return memory


def entity(memory: Memory, name: str) -> Entity:
    return next(each for each in memory.believed.entities.values() if each.name == name)


# ------------------------------------------------------------------------------------------------ what it finds


@pytest.mark.conforms("000:night.promotes", "000:night.logs_tier_changes", "000:night.hour")
async def test_a_night_promotes_and_says_so_and_the_same_night_is_only_told_again() -> None:
    lived = Lived(elena((0, 3, 6)))
    report = await lived.sleep(8)
    who = entity(lived.memory, "Elena")
    assert who.tier == "L1"
    assert report["tiers"]["promoted"] == [who.entity_id]
    assert report["tiers"]["after"] == {"L0": 1, "L1": 1, "L2": 0}, "the owner was named, and never mentioned"
    assert report["now"] == datetime(2023, 11, 23, 3, tzinfo=UTC).timestamp()
    before = lived.memory.believed
    assert await lived.sleep(8) == report
    assert lived.memory.believed is before


@pytest.mark.conforms("000:night.tier_stats", "000:stats.low_salience")
async def test_the_report_counts_what_is_fading() -> None:
    memory = elena((0,))
    memory.hear(9, sightings=(Sighting("topic", "tea", 0.9, "tea", 9),))
    assert (await Lived(memory).sleep(99))["decay"]["low_salience"] == 0, "2^(-99.2/30) is above a tenth"
    report = await Lived(memory).sleep(100)
    assert (report["decay"]["low_salience"], report["decay"]["entities"]) == (1, 3)


@pytest.mark.conforms("000:night.tier_stats")
async def test_the_report_tells_the_mean_strength_of_what_there_is_and_none_of_nothing() -> None:
    decay = (await Lived(elena((0,))).sleep(29))["decay"]
    assert 0.5 < decay["mean_strength"] < 1.0, "Elena at 2^(-29.2/30), and the owner, who does not fade"
    assert (decay["facts"], decay["mean_fact_strength"]) == (0, None)


@pytest.mark.conforms("002:state.archive_below", "002:ttl.keep_forever")
async def test_what_has_faded_is_archived_and_comes_back_when_it_is_spoken_of_again() -> None:
    memory = Memory()
    memory.hear(1, sightings=(Sighting("topic", "tea", 0.9, "tea", 1),))
    lived = Lived(memory)
    await lived.sleep(199)
    assert entity(memory, "tea").state == "candidate", "2^(-199.2/30) is just above a hundredth"
    await lived.sleep(200)
    assert entity(memory, "tea").state == "archived"
    memory.hear(2, at=NOON + 205 * DAY, sightings=(Sighting("topic", "tea", 0.9, "tea", 2),))
    report = await lived.sleep(206)
    assert entity(memory, "tea").state == "candidate"
    assert (report["states"]["returned"], report["states"]["archived"]) == (1, 0)


@pytest.mark.conforms("002:state.archived_to_active")
async def test_an_archived_fact_is_active_again_at_once_when_it_is_recalled() -> None:
    memory = Memory()
    memory.hear(1, Claim("Maya", "Maya tried fencing", 1, "I tried fencing", importance=3))
    fact = memory.fact("Maya tried fencing")
    archived = replace(fact, state="archived")
    memory.believed = replace(memory.believed, facts={fact.fact_id: archived})
    memory.turn(c.RecordAccess(command_id="access", actor="access", accessed=((fact.fact_id, 1),)))
    assert memory.fact("Maya tried fencing").state == "active"


@pytest.mark.conforms("003:prune.threshold", "003:prune.status", "004:prune.threshold", "004:prune.soft")
@pytest.mark.parametrize("preset", SEEDS)
async def test_only_two_seeds_prune(preset: str) -> None:
    memory = Memory()
    memory.hear(1, Claim("Maya", "Maya tried fencing", 1, "I tried fencing", importance=3))
    born = memory.fact("Maya tried fencing").since
    report = await Lived(memory, SEEDS[preset]).sleep(int((born - NOON) // DAY) + 400)
    expected = "pruned" if SEEDS[preset].lifecycle.prunes else "active"
    assert memory.fact("Maya tried fencing").status == expected
    assert report["pruning"]["pruned"] == ([memory.fact("Maya tried fencing").fact_id] if expected == "pruned" else [])


@pytest.mark.conforms("002:notes.week", "002:notes.month", "002:notes.year", "002:notes.forever")
@pytest.mark.parametrize(("lifetime", "days"), [("week", 7), ("month", 30), ("year", 365), ("forever", None)])
async def test_notes_are_dropped_when_their_time_is_over(lifetime: str, days: int | None) -> None:
    memory = Memory()
    owner = entity(memory, "Maya").entity_id
    at_three = instant_of(FIRST, "UTC", 3)
    note = Note("n-1", owner, "Call her May.", "user", at_three, lifetime)
    memory.believed = replace(memory.believed, notes={"n-1": note})
    last = 9_000 if days is None else days
    await Lived(memory).sleep(last - 1)
    assert "n-1" in memory.believed.notes
    await Lived(memory).sleep(last)
    assert ("n-1" in memory.believed.notes) is (days is None)


@pytest.mark.conforms("002:owner.always_core")
async def test_the_owner_is_core_from_the_first_night_on() -> None:
    lived = Lived(Memory())
    report = await lived.sleep(0)
    assert entity(lived.memory, "Maya").state == "core"
    assert report["states"]["entities"] == {"candidate": 0, "active": 0, "core": 1, "archived": 0}


# ------------------------------------------------------------------------------------------------ the 120 days of 000

STORY = {
    ("topic", "coffee"): (0, 3, 8, 20, 25, 30, 35, 95),
    ("place", "Koramangala"): (0, 8, 20, 30),
    ("place", "coffee shop"): (0, 3, 8),
    ("topic", "tea"): (95, 101, 112),
}
"""Entity -> the days on which seed 000's story mentions it; each day is one session."""
LIKES = Fact(
    "f-likes",
    2,
    "rajesh",
    "Rajesh likes coffee",
    "preference",
    5,
    0.8,
    NOON,
    NOON + 95 * DAY,
    predicate="likes",
    object="coffee",
    object_id="coffee",
    valid_to=NOON + 95 * DAY,
    status="superseded",
)


def told(until: int) -> WorkingSet:
    """The story up to and with that day, tiers as the night before left them unknown."""
    entities = {name: Entity(name, kind, name, 0.8, NOON) for kind, name in STORY}
    mentions = {}
    for (_, name), days in STORY.items():
        heard = [day for day in days if day <= until]
        mentions[name] = {day: Mention(name, f"day-{day}", day, NOON + day * DAY, name) for day in heard}
    known = {name: each for name, each in entities.items() if mentions[name]}
    facts = {LIKES.fact_id: LIKES} if until >= 95 else {}
    return WorkingSet("u", entities=known, facts=facts, mentions={name: mentions[name] for name in known})


def tiers_by_day() -> Iterator[tuple[int, dict[str, str], dict[str, float]]]:
    """Day, tier and strength of everything, night after night of the story."""
    tiers: dict[str, str] = {}
    for day in range(121):
        believed = told(day)
        grown = {name: replace(each, tier=tiers.get(name, "L0")) for name, each in believed.entities.items()}
        believed, now = replace(believed, entities=grown), NOON + day * DAY
        plan = plan_night(OF, census(believed), now, Life())
        tiers |= {name: each.tier for name, each in grown.items()}
        tiers |= {each.id: each.after for each in crossed(plan, "tiers")}
        sight = NightView(OF, census(believed), now, Life())
        yield day, dict(tiers), dict(zip(grown, sight.entities.tolist(), strict=True))


@pytest.mark.conforms(
    "000:story.day_0",
    "000:story.day_3",
    "000:story.day_8",
    "000:story.day_35",
    "000:story.day_62",
    "000:story.day_91",
    "000:story.day_95",
    "000:story.day_120",
)
def test_the_hundred_and_twenty_days_of_coffee() -> None:
    """Where the founding text miscounts, the formulas win (decision 0061, 3)."""
    days = {day: (tiers, strength) for day, tiers, strength in tiers_by_day()}
    coffee = {day: (tiers["coffee"], round(strength["coffee"], 3)) for day, (tiers, strength) in days.items()}
    assert coffee[0] == ("L0", 1.0)
    assert coffee[3] == ("L0", 1.0), "mentioned that day"
    assert coffee[7][0] == "L0", "two episodes so far"
    assert coffee[8] == ("L1", 1.0)
    assert coffee[35] == ("L1", 1.0)
    assert coffee[62] == ("L1", 0.536)
    assert coffee[91] == ("L1", 0.274), "a topic never becomes a pattern"
    assert days[91][0]["Koramangala"] == days[90][0]["Koramangala"] == "L2"
    assert days[89][0]["Koramangala"] == "L1"
    assert days[91][1]["Koramangala"] == pytest.approx(0.3)
    assert coffee[95] == ("L1", 1.0), "contradicted, and mentioned that day"
    tiers, strength = days[120]
    assert tiers == {"coffee": "L1", "Koramangala": "L2", "coffee shop": "L2", "tea": "L1"}
    assert strength["coffee"] == pytest.approx(0.561, abs=1e-3), "last mentioned on day 95"
    assert strength["coffee shop"] == pytest.approx(0.3)
    assert strength["tea"] == pytest.approx(2 ** (-8 / 30))


# ------------------------------------------------------------------------------------------------ runs and reruns

NAMES = st.sampled_from([("person", "Elena"), ("topic", "tea"), ("place", "Porto"), ("promise", "photos")])
EVENTS = st.one_of(
    st.tuples(st.just("seen"), NAMES, st.integers(0, 300)),
    st.tuples(st.just("moves"), st.sampled_from(["Porto", "Lisbon", "Ghent"]), st.integers(0, 300)),
    st.tuples(st.just("says"), st.integers(0, 9), st.integers(0, 300)),
    st.tuples(st.just("recalls"), st.integers(0, 5), st.integers(0, 300)),
    st.tuples(st.just("notes"), st.sampled_from(["week", "month", "forever"]), st.integers(0, 300)),
)
HISTORIES = st.lists(EVENTS, min_size=1, max_size=14)


def live(history: list[tuple[str, Any, int]]) -> Memory:
    """A memory with all of that behind it, in the order of days."""
    memory = Memory()
    memory.now = NOON
    for number, (what, given_, day) in enumerate(sorted(history, key=lambda each: each[2]), start=1):
        memory.now = max(memory.now, NOON + day * DAY)
        match what:
            case "seen":
                memory.hear(number, at=memory.now, sightings=(Sighting(*given_, 0.9, given_[1], number),))
            case "moves":
                memory.hear(number, lives(given_, number), at=memory.now)
            case "says":
                said = f"Maya tried sport {given_}"
                memory.hear(number, Claim("Maya", said, number, said, importance=given_ + 1), at=memory.now)
            case "recalls":
                known = [*memory.believed.facts, *memory.believed.entities]
                memory.turn(
                    c.RecordAccess(
                        command_id=f"a-{number}",
                        actor="access",
                        accessed=tuple((each, given_ + 1) for each in known[:2]),
                    )
                )
            case "notes":
                owner = entity(memory, "Maya").entity_id
                memory.turn(c.WriteNote(command_id=f"n-{number}", about_id=owner, text="so it is", lifetime=given_))
    return memory


def lived_through(history: list[tuple[str, Any, int]], preset: str) -> tuple[Lived, Lived]:
    """The same life twice."""
    memory = live(history)
    return Lived(copy.deepcopy(memory), SEEDS[preset]), Lived(copy.deepcopy(memory), SEEDS[preset])


@given(HISTORIES, st.sampled_from(list(SEEDS)), st.integers(0, 900))
@settings(max_examples=50)
async def test_a_night_run_twice_changes_nothing(history: list[Any], preset: str, night: int) -> None:
    lived, _ = lived_through(history, preset)
    report = await lived.sleep(night)
    before = lived.memory.believed
    assert await lived.sleep(night) == report
    assert lived.memory.believed is before
    again = plan_night(OF, census(before), instant_of(FIRST + timedelta(days=night), "UTC", 3), lived.life)
    assert not any(again.commands.values()), "even a new plan of it finds nothing"


@given(HISTORIES, st.sampled_from(list(SEEDS)), st.integers(0, 900))
@settings(max_examples=50)
async def test_ten_nights_in_one_are_ten_nights(history: list[Any], preset: str, night: int) -> None:
    one, ten = lived_through(history, preset)
    last, tenth = await one.sleep(night + 9), await ten.sleep(*range(night, night + 10))
    assert tenth["decay"]["mean_strength"] == last["decay"]["mean_strength"]
    assert tenth["tiers"]["after"] == last["tiers"]["after"]
    assert told_apart(one.memory.believed) == told_apart(ten.memory.believed)


def told_apart(believed: WorkingSet) -> Any:
    """What is believed, whatever number of versions and turns it took, and without the instants of those turns."""
    facts = {each.fact_id: replace(each, version=0, system_from=0.0) for each in believed.facts.values()}
    return replace(believed, version=0, facts=facts)


@given(HISTORIES, st.sampled_from(list(SEEDS)), st.integers(0, 900), st.lists(st.integers(0, 4), max_size=4))
@settings(max_examples=50)
async def test_a_night_killed_anywhere_and_run_again_ends_as_if_it_had_not_been(
    history: list[Any], preset: str, night: int, deaths: list[int]
) -> None:
    whole, frail = lived_through(history, preset)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(night_steps, "MOST_ROWS", 1)  # as many commits as there are rows
        report = await whole.sleep(night)
        for left in deaths:
            frail.mind.left = left
            with contextlib.suppress(JournalUnavailable):
                await frail.sleep(night)
        frail.mind.left = None
        assert await frail.sleep(night) == report
    assert frail.memory.believed == whole.memory.believed
    assert frail.nights.kept == whole.nights.kept


@pytest.mark.conforms("model:night.commit_size")
def test_a_commit_holds_at_most_five_hundred_rows_and_is_known_by_night_step_and_place() -> None:
    crossings = tuple(c.Crossing("fact", f"f-{number}", "state", "candidate", "archived") for number in range(1200))
    steps = {"tiers": crossings[:1], "states": crossings}
    plan = NightPlan({}, {step: OF.closing(step, found) for step, found in steps.items()})
    commands = list(commands_of(plan))
    assert [(each.step, len(each.crossings)) for each in commands] == [
        ("tiers", 1),
        ("states", 500),
        ("states", 500),
        ("states", 200),
    ]
    assert MOST_ROWS == 500
    assert len({each.command_id for each in commands}) == 4
    assert [each.command_id for each in OF.closing("states", crossings)] == [each.command_id for each in commands[1:]]
    other = NightName("u", "2023-11-16").closing("states", crossings)
    assert not {each.command_id for each in other} & {each.command_id for each in commands}


async def test_what_changed_after_it_was_counted_is_left_for_the_next_night() -> None:
    memory = elena((0, 3, 6))
    plan = plan_night(OF, census(memory.believed), NOON + 8 * DAY, Life())
    memory.hear(9, at=NOON + 8 * DAY, sightings=(Sighting("person", "Elena", 0.9, "Elena", 9),))
    for command in commands_of(plan):
        memory.turn(command)
    assert entity(memory, "Elena").tier == "L0"
    await Lived(memory).sleep(9)
    assert entity(memory, "Elena").tier == "L1"


async def test_a_fact_reinforced_after_it_was_counted_is_not_archived() -> None:
    memory = Memory()
    memory.hear(1, Claim("Maya", "Maya tried fencing", 1, "I tried fencing", importance=3))
    far = memory.now + 2000 * DAY
    plan = plan_night(OF, census(memory.believed), far, Life())
    assert [each.after for each in crossed(plan, "states") if each.noun == "fact"] == ["archived"]
    memory.now = far
    memory.hear(2, Claim("Maya", "Maya tried fencing", 2, "I tried fencing", importance=3))
    for command in commands_of(plan):
        memory.turn(command)
    assert memory.fact("Maya tried fencing").state == "candidate"


def test_a_source_crosses_as_a_change_of_its_own() -> None:
    crossing = c.Crossing("source", "s-1", "state", "candidate", "archived")
    close = c.CloseNight(command_id="n", actor="night", night="2026-03-03", step="states", crossings=(crossing,))
    changes = decide(WorkingSet("u"), close, NOON, Rules())
    [change] = changes.changes
    assert (change.noun, change.reason) == ("source", "candidate to archived")
