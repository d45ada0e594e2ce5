"""The use case whole: nights over invented lives, on the CPU's engine."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.graph.cpu import CpuGraphEngine
from bench.partition_scores import adjusted_mutual_information
from memory.model.communities import Community, Pattern
from memory.model.scopes import Sensitivity
from memory.rules.parameters import Communities
from memory.rules.ties import Ties
from memory.services.communities import LevelFound, find_communities
from tests.unit.rules.lives_of_ties import Lives, entities, fact, named, said, ties

ENGINE, RULES = CpuGraphEngine(), Communities()


def night(
    found: Ties, before: tuple[LevelFound, ...] = (), day: str = "2024-05-01", rules: Communities = RULES
) -> tuple[LevelFound, ...]:
    standing: list[Community] = [each for level in before for each in level.communities.standing]
    patterns: list[Pattern] = [each for level in before for each in (*level.patterns.kept, *level.patterns.made)]
    return find_communities("u", found, standing, patterns, day, ENGINE, rules)


def whose(found: tuple[LevelFound, ...]) -> dict[str, str]:
    return {each: own.community_id for own in found[0].communities.standing for each in own.members}


def unchanged(found: LevelFound) -> bool:
    communities, patterns = found.communities, found.patterns
    return not (communities.changed or communities.opened or communities.closed or patterns.made or patterns.withdrawn)


def test_circles_are_found() -> None:
    lives = Lives()
    [found] = night(lives.ties())
    assert (found.level, found.edges) == (Sensitivity.OPEN, pytest.approx(700, abs=250))
    truth = {each: number for number, circle in enumerate(lives.people) for each in circle}
    own = whose((found,))
    ids = {each: number for number, each in enumerate(sorted(set(own.values())))}
    assert len(own) >= 0.98 * len(truth)
    people = sorted(own)
    alike = adjusted_mutual_information(
        np.array([truth[each] for each in people]), np.array([ids[own[each]] for each in people])
    )
    assert alike >= 0.95


@pytest.mark.parametrize("seed", range(3))
def test_in_thirty_nights_of_small_changes_hardly_anybody_loses_their_community(seed: int) -> None:
    """Every night a hundredth of all talk is new, and every other night somebody moves to another circle."""
    lives = Lives(seed=seed)
    found = first = night(lives.ties())
    kept = moved = 0
    stayed = {each: number for number, circle in enumerate(lives.people) for each in circle}
    for day in range(2, 32):
        lives.night()
        before, found = whose(found), night(lives.ties(), found, f"2024-05-{day:02}")
        after = whose(found)
        kept += sum(after.get(each) == own for each, own in before.items())
        moved += len(before)
    assert kept / moved >= 0.95
    there = {each: number for number, circle in enumerate(lives.people) for each in circle}
    same = [each for each in whose(first) if there[each] == stayed[each]]
    assert sum(whose(first)[each] == whose(found).get(each) for each in same) / len(same) >= 0.95, "after all thirty"


def test_the_same_night_again_and_one_without_new_words_change_nothing() -> None:
    lives = Lives(seed=4)
    first = night(lives.ties())
    assert night(lives.ties()) == first
    again = night(lives.ties(), first, "2024-05-02")
    assert all(map(unchanged, again))
    assert again[0].communities.standing == first[0].communities.standing
    assert again[0].communities.standing


def test_what_is_private_makes_no_community_for_those_who_may_not_see_it() -> None:
    open_talk = [each for segment in range(6) for each in named(segment, "a", "b", "c", day=segment)]
    private = [each for segment in range(6, 12) for each in named(segment, "d", "e", "a", day=segment, level=1)]
    found = night(ties(entities("abcde"), open_talk, private))
    assert [each.level for each in found] == [Sensitivity.OPEN, Sensitivity.PRIVATE]
    members = [{frozenset(own.members) for own in each.communities.standing} for each in found]
    assert members[0] == {frozenset("abc")}
    assert frozenset("abcde") in members[1] or frozenset("ade") in members[1]
    gone = night(ties(entities("abcde"), open_talk), found, "2024-05-02")
    assert unchanged(gone[0])
    assert gone[1].communities.standing == ()
    assert len(gone[1].communities.closed) == len(found[1].communities.standing)


def test_forgetting_takes_a_community_and_its_pattern_away() -> None:
    talk = [each for segment in range(8) for each in named(segment, "a", "b", "c", day=8 * segment)]
    found = night(ties(entities("abc"), talk))
    assert [set(each.members) for each in found[0].communities.standing] == [set("abc")]
    assert len(found[0].patterns.made) == 1
    after = night(ties(entities("ab"), [each for each in talk if each.entity_id != "c"]), found, "2024-05-02")
    assert after[0].communities.standing == ()
    assert (len(after[0].communities.closed), len(after[0].patterns.withdrawn)) == (1, 1)
    everything = night(ties(), found, "2024-05-02")
    assert (len(everything[0].communities.closed), len(everything[0].patterns.withdrawn)) == (1, 1)


def test_a_memory_of_nothing_has_no_night() -> None:
    assert night(ties()) == ()
    assert night(ties(entities("abc"))) == ()
    alone = night(ties(entities("abc"), named(1, "a")))
    assert alone[0].communities.standing == ()
    assert alone[0].modularity == 0


def test_facts_alone_make_a_community_and_its_pattern() -> None:
    rows = [fact("f1", "a", "b"), fact("f2", "b", "c"), fact("f3", "a", "c")]
    rows += [said(each, f"s{each}{day}", day) for each in ("f1", "f2", "f3") for day in (0.0, 45.0)]
    [found] = night(ties(entities("abc"), rows))
    assert [each.facts for each in found.patterns.made] == [("f1", "f2", "f3")]


def test_a_hostile_memory_costs_what_it_holds() -> None:
    """Ten thousand names in each of five segments would be 250 million pairs."""
    names = [f"e{number}" for number in range(10_000)]
    rows = [each for segment in range(5) for each in named(segment, *names)]
    assert night(ties(entities(names), rows))[0].edges == 0
