"""Which facts a statement is compared with in a turn: those that were known, and those that were born in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memory.model.facts import Fact
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity
from memory.model.working_set import Draft, assemble
from memory.rules.rivals import FactVectors, Resemblance

NOON = 1_700_000_000.0
MAYA = ("maya", Sensitivity.OPEN)
TOLD, ALIKE, UNLIKE = "Maya rents a loft", "Maya rents a studio", "Maya bakes"
VECTORS = {
    TOLD: np.array([1, 0], np.float32),
    ALIKE: np.array([0.8, 0.6], np.float32),
    UNLIKE: np.array([0, 1], np.float32),
}


def fact(identity: str, statement: str = ALIKE, subject: str = "maya", level: int = 0) -> Fact:
    return Fact(identity, 1, subject, statement, "factual", 5, 0.6, NOON, NOON, sensitivity=Sensitivity(level))


def found(known: dict[str, str], draft: Draft, born: dict[str, str], most: int = 5) -> dict[str, float]:
    """Whom the statement resembles, and how much; facts of `known` had a vector before the turn."""
    facts = FactVectors({identity: VECTORS[statement] for identity, statement in known.items()})
    rivals = Resemblance(facts, VECTORS).rivals(draft, MAYA, TOLD, born, most)
    return {each.fact_id: round(each.similarity, 6) for each in rivals}


def drafted(*facts: Fact) -> Draft:
    return Draft(assemble("u", 1, Profile(), facts))


@pytest.mark.conforms("003:similarity.rivals", "model:unanswered")
@pytest.mark.parametrize(
    ("born", "expected"),
    [
        ((), {"old": 0.0}),
        ((fact("new"),), {"new": 0.8, "old": 0.0}),
        ((fact("new"), fact("newer", UNLIKE)), {"new": 0.8, "newer": 0.0, "old": 0.0}),
        ((fact("new", "Maya says what has no vector"),), {"old": 0.0}),
        ((fact("new", subject="ravi"),), {"old": 0.0}),
        ((fact("new", level=1),), {"old": 0.0}),
    ],
)
def test_what_was_born_in_the_same_turn_is_a_rival_if_it_has_a_vector_and_is_about_the_same(
    born: tuple[Fact, ...], expected: dict[str, float]
) -> None:
    draft = drafted(fact("old", UNLIKE), *born)
    assert found({"old": UNLIKE}, draft, {each.fact_id: each.statement for each in born}) == expected


@pytest.mark.conforms("003:similarity.rivals")
def test_what_is_told_anew_in_a_turn_and_had_a_vector_is_one_rival() -> None:
    draft = drafted(fact("old", UNLIKE), fact("again"))
    facts = FactVectors({"old": VECTORS[UNLIKE], "again": VECTORS[ALIKE]})
    rivals = Resemblance(facts, VECTORS).rivals(draft, MAYA, TOLD, {"again": ALIKE}, 5)
    assert [each.fact_id for each in rivals] == ["again", "old"]


@pytest.mark.conforms("003:similarity.rivals")
@pytest.mark.parametrize(("closed", "left"), [(0, ["f0"]), (3, ["f3"]), (4, [])])
def test_four_are_ranked_for_each_that_is_wanted_as_some_were_closed_in_this_turn(closed: int, left: list[str]) -> None:
    """So that a turn over thousands of facts does not put all of them in order for each of its statements."""
    facts = [fact(f"f{place}") for place in range(9)]
    vectors = {each.fact_id: np.array([1 - place / 9, place / 9], np.float32) for place, each in enumerate(facts)}
    draft, resemblance = drafted(*facts), Resemblance(FactVectors(vectors), VECTORS)
    assert [each.fact_id for each in resemblance.rivals(draft, MAYA, TOLD, {}, 9)] == [each.fact_id for each in facts]
    for each in facts[:closed]:
        draft.put("forgotten", each, replace(each, version=2, status="forgotten"))
    assert [each.fact_id for each in resemblance.rivals(draft, MAYA, TOLD, {}, 1)] == left
