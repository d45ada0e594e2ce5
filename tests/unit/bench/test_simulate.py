"""Simulated lives: the numbers of the story, the same life twice, and what no life may bring about."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from adapters.embedding.hashing import HashingEmbedder
from adapters.extraction.rules import RuleExtractor
from bench.commands.simulate import page
from bench.life import Invented, LifeSource, invented
from bench.living import Parts
from bench.simulate import SimulatedLife, SimulatedReply, flaws_of, simulate
from bench.story import CHECKPOINTS, CLOSING, TALKS, story
from cli.main import command_line, rooms
from config.settings import load
from memory.model.facts import Evidence, Fact
from memory.model.working_set import WorkingSet
from memory.rules.decider import Rules
from memory.rules.parameters import Life, Lifecycle, Strength
from memory.services.recall import RecallSettings

PARTS = Parts(HashingEmbedder(), RuleExtractor(), Rules(), RecallSettings())
DAYS = 30


def lived(seed: int) -> SimulatedLife:
    return simulate(invented(story(), seed, DAYS), PARTS, CHECKPOINTS)


def run(home: Path, *options: str) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(command_line(rooms("simulate")), ["simulate", "--home", str(home), "--json", *options])
    return done.exit_code, json.loads(done.stdout)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The story, with the encoder and the numbers of a home without settings of its own."""
    code, found = run(tmp_path_factory.mktemp("home"), "--story")
    assert code == 0, found
    return found


@pytest.fixture(scope="module")
def lives() -> dict[int, SimulatedLife]:
    return {seed: lived(seed) for seed in range(10)}


# ------------------------------------------------------------------------------------------------ the story of seed 000


def found_on(told: Mapping[str, Any], day: int) -> dict[str, tuple[str, float, int, bool]]:
    rows = [each for each in told["checkpoints"] if each["expected"]["day"] == day]
    return {each["expected"]["name"]: tuple(each["found"]) for each in rows}


def near(tier: str, strength: float, episodes: int, contradicted: bool = False) -> tuple[Any, ...]:
    return tier, pytest.approx(strength, abs=0.0005), episodes, contradicted


@pytest.mark.conforms("000:story.day_0")
def test_day_0_coffee_is_an_episode_at_full_strength(told) -> None:
    assert found_on(told, 0) == {"coffee": near("L0", 1.0, 1), "Koramangala": near("L0", 1.0, 1)}


@pytest.mark.conforms("000:story.day_3")
def test_day_3_two_episodes_are_not_enough(told) -> None:
    assert found_on(told, 3) == {"coffee": near("L0", 1.0, 2)}


@pytest.mark.conforms("000:story.day_8")
def test_day_8_the_third_episode_makes_it_knowledge(told) -> None:
    assert found_on(told, 8) == {"coffee": near("L1", 1.0, 3)}
    nights = {each["day"]: each["moved"] for each in told["days"]}
    assert "coffee L1" in nights[8], "the night that closes the day promotes it, and none before"
    assert not any("coffee L1" in nights[day] for day in range(8))


@pytest.mark.conforms("000:story.day_35")
def test_day_35_a_mention_refreshes_it(told) -> None:
    assert found_on(told, 35) == {"coffee": near("L1", 1.0, 7)}


@pytest.mark.conforms("000:story.day_62")
def test_day_62_a_month_without_a_mention(told) -> None:
    assert found_on(told, 62) == {"coffee": near("L1", 2 ** (-27 / 30), 7)}


@pytest.mark.conforms("000:story.day_91")
def test_day_91_a_place_becomes_a_pattern_and_a_topic_never_does(told) -> None:
    assert found_on(told, 91) == {"coffee": near("L1", 2 ** (-56 / 30), 7), "Koramangala": near("L2", 0.3, 4)}


@pytest.mark.conforms("000:story.day_95")
def test_day_95_the_switch_to_tea_contradicts_coffee(told) -> None:
    assert found_on(told, 95) == {"coffee": near("L1", 1.0, 8, True), "tea": near("L0", 1.0, 1)}
    against = [(each["day"], each["kind"], each["earlier"]) for each in told["contradictions"]]
    assert against == [(95, "supersedes", "Rajesh likes coffee")]


@pytest.mark.conforms("000:story.day_120")
def test_day_120_the_final_table(told) -> None:
    assert found_on(told, 120) == {
        "coffee": near("L1", 2 ** (-25 / 30), 8, True),
        "tea": near("L1", 2 ** (-19 / 30), 3),
        "Koramangala": near("L2", 0.3, 4),
        "coffee shop": near("L2", 0.3, 3),
    }


@pytest.mark.conforms("000:story.day_120", "000:story.questions")
def test_the_closing_questions_are_answered_from_the_right_words(told) -> None:
    assert [each["question"] for each in told["replies"]] == [each.text for each in CLOSING]
    assert [each["missing"] for each in told["replies"]] == [[], [], []]
    like, where, drink = (each["cited"] for each in told["replies"])
    assert like[0] == "story-095/l0", "what is so now comes first"
    assert where[0] in ("story-000/l0", "story-008/l0"), "both say where it is"
    assert drink[0] == "story-098/l0"


def test_the_story_fails_where_a_number_differs(tmp_path: Path) -> None:
    (tmp_path / "memory.yaml").write_text("decay:\n  half_life_days: 27.0\n")
    code, found = run(tmp_path, "--story")
    assert code == 1
    wrong = {each["expected"]["day"] for each in found["checkpoints"] if abs(each["found"][1] - 1.0) > 0.01}
    assert 62 in wrong
    assert not found["sound"]


# ------------------------------------------------------------------------------------------------ any life


def test_the_same_seed_is_the_same_life_and_another_seed_another(lives) -> None:
    assert replace(lived(3), seconds=0.0) == replace(lives[3], seconds=0.0)
    assert lives[3].believed.facts.keys() != lives[4].believed.facts.keys()
    assert invented(story(), 3, DAYS) == invented(story(), 3, DAYS) != invented(story(), 4, DAYS)


def test_no_life_breaks_what_must_always_hold(lives) -> None:
    broken = {seed: (life.flaws, life.facts_of_chatter) for seed, life in lives.items() if life.broken}
    assert broken == {}, "no slot holds two values, nothing is believed without evidence, every answer cites"
    assert all(life.facts > 10 for life in lives.values())


def test_a_night_run_twice_moves_nothing_the_second_time(lives) -> None:
    assert {life.night_moves for life in lives.values()} == {0}
    assert all(len(life.days) == DAYS + 1 for life in lives.values())


def test_the_story_keeps_its_numbers_within_any_life(lives) -> None:
    for life in lives.values():
        assert [each.expected.day for each in life.checkpoints] == [0, 0, 3, 8]
        assert all(each.holds for each in life.checkpoints)


def test_what_was_to_be_forgotten_stays_forgotten(lives) -> None:
    for life in lives.values():
        hated = [each for each in life.believed.facts.values() if each.predicate == "dislikes"]
        assert [each.status for each in hated] == ["forgotten"]
        assert not any(hated[0].statement in reply.answer.splitlines()[0] for reply in life.replies)


def test_what_changes_is_found_with_its_day(lives) -> None:
    for seed, life in lives.items():
        wanted = {
            talk.day for talk in invented(story(), seed, DAYS).talks if any("now." in text for _, text in talk.lines)
        }
        assert wanted <= {each.day for each in life.contradictions if each.kind == "supersedes"}


def test_the_counts_of_a_day_are_those_of_the_memory(lives) -> None:
    for life in lives.values():
        assert sum(life.days[-1].tiers.values()) == life.entities
        assert life.days[-1].facts == sum(each.status == "active" for each in life.believed.facts.values())


def test_sources_that_need_not_be_kept_are_archived_after_their_month() -> None:
    base = story()
    life = Invented(
        base.owner,
        base.zone,
        base.start,
        31,
        (
            LifeSource("memo", 0, 9, ((base.owner, "I live in Berlin."),), "ephemeral"),
            LifeSource("letter", 0, 10, ((base.owner, "I work at Bosch."),)),
        ),
        (),
        (),
    )
    days = simulate(life, PARTS, ()).days
    assert [day.day for day in days if day.archived] == [30], "the night that closes day 29 is at 29 days and 18 hours"


def test_a_preset_that_prunes_prunes() -> None:
    base = story()
    talks = (LifeSource("memo", 0, 9, ((base.owner, "I visited the aquarium."),)),)
    life = Invented(base.owner, base.zone, base.start, 130, talks, (), ())
    numbers = Life(strength=Strength(), lifecycle=Lifecycle(archive_below=0.0, floor=0.0, prunes=True))
    found = simulate(life, replace(PARTS, rules=Rules(life=numbers)), ())
    assert (found.pruned, [each.status for each in found.believed.facts.values()]) == (1, ["pruned"])


# ------------------------------------------------------------------------------------------------ the flaws themselves


def lives_in(fact_id: str, place: str) -> Fact:
    return Fact(fact_id, 1, "e", f"I live in {place}", "factual", 5, 0.8, 0.0, 0.0, predicate="lives_in", object=place)


def test_flaws_are_seen() -> None:
    said = {each: (Evidence(each, "s", 1, "q", 0.0),) for each in ("a", "b")}
    facts = {"a": lives_in("a", "Porto"), "b": lives_in("b", "Ghent"), "c": lives_in("c", "Ghent")}
    believed = WorkingSet("u", facts=facts, evidence=said)
    replies = [SimulatedReply(0, "Where?", "Here.", (), ()), SimulatedReply(0, "Who?", "You.", ("s/l9",), ())]
    assert list(flaws_of(believed, replies, {"s/l0"})) == [
        "two values: I live in Porto / I live in Ghent",
        "no evidence: I live in Ghent",
        "two values: I live in Porto / I live in Ghent",
        "not cited: Where?",
        "not cited: Who?",
    ]
    known = WorkingSet("u", facts={each: facts[each] for each in ("a", "b")}, evidence=said)
    assert list(flaws_of(known, (), set(), slots=False)) == [], "by likeness alone there are no slots"


def test_talks_stand_in_their_order_within_their_days() -> None:
    life = invented(story(), 1, DAYS)
    assert [talk.day for talk in life.talks] == sorted(talk.day for talk in life.talks)
    assert {talk.id for talk in TALKS if talk.day <= DAYS} <= {talk.id for talk in life.talks}
    assert max(talk.day for talk in life.talks) <= DAYS


# ------------------------------------------------------------------------------------------- the nights of a whole life


@pytest.fixture(scope="module")
def annie(tmp_path_factory: pytest.TempPathFactory) -> SimulatedLife:
    """100 days by the preset that asks for a community before anybody reaches L2, and five quiet nights."""
    life = load(tmp_path_factory.mktemp("annie"), {"preset": "annie"}, {}).life
    assert life.tiers.l2_requires_community
    parts = replace(PARTS, rules=replace(Rules(), life=life), proof_questions=20)
    return simulate(invented(story(), 7, 100), parts, CHECKPOINTS, quiet=5)


def test_by_the_preset_annie_somebody_reaches_l2_in_ninety_nights(annie: SimulatedLife) -> None:
    assert len(annie.days) == 106
    assert all(day.tiers["L2"] == 0 for day in annie.days if day.day < 90)
    assert annie.days[-1].tiers["L2"] > 0


def test_storylines_communities_and_patterns_are_told_with_the_words_they_rest_on(annie: SimulatedLife) -> None:
    assert {each.kind for each in annie.groups} == {"storyline", "consolidation", "community", "pattern"}
    days = {talk.id: talk.day for talk in invented(story(), 7, 100).talks}
    for group in annie.groups:
        assert group.name
        assert group.quotes
        for quote in group.quotes:
            places = re.findall(r"\[([\w-]+)/l\d+\]", quote)
            assert places
            assert days.keys() >= set(places), quote


def test_the_page_of_a_life_has_a_heading_for_every_kind_of_group(annie: SimulatedLife) -> None:
    told = [each.strip() for each in page(annie) if isinstance(each, str)]
    assert {"Storylines", "Consolidations", "Communities", "Patterns"} <= set(told)
    assert any(each.startswith("Near at hand: ") for each in told)


def test_the_nights_of_a_life_are_proved_and_find_no_less_than_before(annie: SimulatedLife) -> None:
    assert annie.proofs
    assert all(each.before - each.after <= 0.005 for each in annie.proofs)
    assert annie.after is not None
    assert (annie.after.nights, annie.after.lowest) == (5, annie.after.first)
    assert 0 < annie.near_at_hand.share < 1


def test_in_a_long_life_somebody_visits_again_and_a_short_one_is_as_it_was() -> None:
    def guests(days: int) -> list[int]:
        return [talk.day for talk in invented(story(), 7, days).talks if any("Maria" in text for _, text in talk.lines)]

    assert guests(199) == []
    assert guests(400) == [*range(40, 50), *range(190, 200), *range(340, 350)]
