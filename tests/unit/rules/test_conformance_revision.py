"""The figures of revision in the default preset, written out and met from both sides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memory.errors import Unjudged
from memory.model import commands as c
from memory.model.verdicts import Judgement, Judging, Verdict
from memory.rules.parameters import Revision
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, says

CELLO, OFTEN = "Maya plays the cello", "Maya often plays her cello"


def apart(*similar: float) -> list[np.ndarray]:
    """A vector, and others each that similar to it and, but for it, at right angles."""
    vectors = [np.eye(12)[0]]
    for place, cosine in enumerate(similar, 1):
        vectors.append(cosine * np.eye(12)[0] + np.sqrt(1 - cosine**2) * np.eye(12)[place])
    return vectors


def heard(key: int, statement: str, days: float = 0.0, judging: Judging | None = None) -> c.AcceptReading:
    read = c.ReadSegment("user:u", f"s{key}", key, 1, NOON + days * DAY, "Maya", "user", 0)
    return c.AcceptReading(
        command_id=f"h{key}", actor="extraction", read=(read,), claims=(says(statement, key),), judging=judging
    )


def asked(memory: Memory, command: c.AcceptReading) -> list[str]:
    """The rivals a turn wants judged."""
    try:
        memory.turn(replace(command, judging=Judging("judge")))
    except Unjudged as unjudged:
        return [question.rival_id for question in unjudged.questions]
    return []


@pytest.mark.conforms("003:similarity.reinforce_above")
@pytest.mark.parametrize(("similarity", "outcome"), [(0.86, "reinforced"), (0.84, "created")])
def test_above_0_85_it_is_the_same(similarity: float, outcome: str) -> None:
    one, other = apart(similarity)
    memory = Memory(vectors={CELLO: one, OFTEN: other})
    memory.hear(1, says(CELLO))
    assert memory.hear(2, says(OFTEN, 2)).outcomes[0].outcome == outcome


@pytest.mark.conforms("003:similarity.contradict_above")
@pytest.mark.parametrize(("similarity", "questions"), [(0.71, 1), (0.69, 0)])
def test_from_0_70_on_it_is_worth_judging(similarity: float, questions: int) -> None:
    one, other = apart(similarity)
    memory = Memory(vectors={"Maya rents a studio": one, "Maya rents a loft": other})
    memory.hear(1, says("Maya rents a studio"))
    assert len(asked(memory, heard(2, "Maya rents a loft"))) == questions


ROOMS = tuple(f"Maya rents a {room}" for room in ("studio", "loft", "garage", "shed", "cellar", "barn", "booth"))


def renting(similarity: float, rooms: int) -> Memory:
    """So many rooms, each that similar to the last one, which is not yet told."""
    fresh, *others = apart(*[similarity] * rooms)
    memory = Memory(vectors={ROOMS[-1]: fresh, **dict(zip(ROOMS, others, strict=False))})
    for key, room in enumerate(ROOMS[:rooms], 1):
        memory.hear(key, says(room, key))
    return memory


@pytest.mark.conforms("003:similarity.rivals")
def test_five_rivals_are_looked_at() -> None:
    assert len(asked(renting(0.8, 6), heard(9, ROOMS[-1]))) == 5


@pytest.mark.conforms("003:similarity.link_above", "003:links.neighbours")
@pytest.mark.parametrize(("similarity", "links"), [(0.39, 0), (0.41, 3), (0.6, 3)])
def test_three_neighbours_from_0_40_on_are_linked(similarity: float, links: int) -> None:
    memory = renting(similarity, 5)
    memory.hear(9, says(ROOMS[-1], 9))
    fresh = memory.fact(ROOMS[-1]).fact_id
    assert sum(each.kind == "similar" and each.from_id == fresh for each in memory.believed.links) == links


@pytest.mark.conforms("003:similarity.link_above")
def test_what_says_the_same_is_no_neighbour_and_nothing_is_its_own() -> None:
    one, other = apart(0.9)
    memory = Memory(vectors={"Maya plays 2 cellos": one, "Maya plays 3 cellos": other})
    memory.hear(1, says("Maya plays 2 cellos"))
    memory.hear(2, says("Maya plays 3 cellos", 2))
    assert [each for each in memory.believed.links if each.kind == "similar"] == []


def judged(memory: Memory, verdict: Verdict, days: float = 1.0) -> list[str]:
    """The statuses of all rooms once the last one was told and each other was judged so."""
    command = heard(9, ROOMS[-1], days)
    rivals = asked(memory, command)
    (fresh,) = {fact.fact_id for fact in _created(memory, command)}
    verdicts = tuple(Judgement(fresh, each, verdict, "judge") for each in rivals)
    memory.turn(replace(command, judging=Judging("judge", verdicts)))
    return sorted(fact.status for fact in memory.believed.facts.values() if fact.fact_id != fresh)


def _created(memory: Memory, command: c.AcceptReading) -> list[object]:
    before, vectors = memory.believed, memory.fact_vectors
    memory.turn(replace(command, judging=Judging("judge", closed=True)))
    born = [fact for identity, fact in memory.believed.facts.items() if identity not in before.facts]
    memory.believed, memory.fact_vectors = before, vectors
    return born


@pytest.mark.conforms("model:unsure")
@pytest.mark.parametrize(
    ("relation", "score", "status"),
    [
        ("contradicts", 0.71, "invalidated"),
        ("contradicts", 0.70, "invalidated"),
        ("contradicts", 0.69, "active"),
        ("updates", 0.70, "superseded"),
        ("updates", 0.69, "active"),
    ],
)
def test_below_0_70_a_verdict_ends_nothing(relation: str, score: float, status: str) -> None:
    assert judged(renting(0.8, 1), Verdict(relation, score)) == [status]


@pytest.mark.conforms("model:disputed")
def test_two_rivals_of_a_kind_at_most_are_spoken_against() -> None:
    assert judged(renting(0.8, 4), Verdict("contradicts", 0.9)).count("invalidated") == 2


@pytest.mark.conforms("model:disputed")
@pytest.mark.parametrize(("known_on", "status"), [(0.0, "active"), (2.0, "superseded")])
def test_a_value_that_was_known_before_and_is_told_again_takes_nobodys_place(known_on: float, status: str) -> None:
    studio, loft, barn = ROOMS[0], ROOMS[1], ROOMS[-1]
    memory = Memory(vectors=dict(zip((barn, studio, loft), apart(0.8, 0.75), strict=True)))
    memory.turn(heard(1, studio, known_on))
    memory.turn(heard(2, loft, 1.0))
    command = heard(9, barn, 3.0)
    assert len(asked(memory, command)) == 2
    (fresh,) = {fact.fact_id for fact in _created(memory, command)}
    said = {studio: Verdict("same", 0.9), loft: Verdict("updates", 0.9)}
    verdicts = tuple(Judgement(fresh, memory.fact(room).fact_id, each, "judge") for room, each in said.items())
    memory.turn(replace(command, judging=Judging("judge", verdicts)))
    assert (memory.fact(studio).status, memory.fact(loft).status) == ("active", status)


@pytest.mark.conforms("model:unsure")
@pytest.mark.parametrize(("days", "rooms"), [(2.0, ROOMS[:2]), (0.0, ROOMS[1::-1])])
def test_a_judge_is_told_what_was_true_first(days: float, rooms: tuple[str, str]) -> None:
    memory = Memory(vectors=dict(zip(ROOMS[:2], apart(0.8), strict=True)))
    memory.turn(heard(1, ROOMS[0], 1.0))
    with pytest.raises(Unjudged) as unjudged:
        memory.turn(replace(heard(2, ROOMS[1], days), judging=Judging("judge")))
    [question] = unjudged.value.questions
    assert (question.pair.earlier.statement, question.pair.later.statement) == rooms


@pytest.mark.conforms("model:rounds")
def test_a_judge_is_asked_in_three_rounds_at_most() -> None:
    assert Revision().rounds == 3


# ------------------------------------------------------------------------------------------------ two opinions


def liked(sources: int, confidence: float = 0.6) -> Memory:
    memory = Memory()
    for key in range(1, sources + 1):
        memory.hear(key, says("Maya likes opera", key, predicate="likes", object="opera", confidence=confidence))
    return memory


def denied(memory: Memory) -> tuple[str, float]:
    denial = says("Maya dislikes opera", 9, predicate="dislikes", object="opera")
    memory.hear(9, denial, at=NOON + DAY)
    fact = memory.fact("Maya likes opera")
    return fact.status, fact.confidence


@pytest.mark.conforms("003:contradiction.supporting_episodes", "003:contradiction.invalidates")
@pytest.mark.parametrize(("sources", "status"), [(1, "invalidated"), (2, "invalidated"), (3, "active")])
def test_three_sources_keep_a_fact_standing(sources: int, status: str) -> None:
    assert denied(liked(sources))[0] == status


@pytest.mark.conforms("003:weaken.confidence", "003:weaken.minimum", "003:reinforce.confidence")
@pytest.mark.parametrize(("born", "left"), [(0.6, 0.6), (0.3, 0.3), (0.15, 0.15), (0.05, 0.1), (0.0, 0.1)])
def test_three_sources_add_two_tenths_and_a_denial_takes_them_again(born: float, left: float) -> None:
    memory = liked(3, born)
    assert memory.fact("Maya likes opera").confidence == pytest.approx(min(1.0, born + 0.2))
    assert denied(memory) == ("active", pytest.approx(left))


@pytest.mark.conforms("003:contradiction.supersession")
def test_the_new_opinion_is_linked_as_the_successor_of_the_old() -> None:
    memory = liked(1)
    denied(memory)
    old, new = memory.fact("Maya likes opera").fact_id, memory.fact("Maya dislikes opera").fact_id
    assert ("supersedes", new, old) in {(each.kind, each.from_id, each.to_id) for each in memory.believed.links}


@pytest.mark.conforms("004:correct.supersedes")
def test_a_correction_takes_the_place_of_what_it_corrects() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"))
    old = memory.fact("Maya keeps bees").fact_id
    memory.turn(c.CorrectFact(command_id="k", fact_id=old, claim=says("Maya keeps hens")))
    new = memory.fact("Maya keeps hens")
    assert (memory.fact("Maya keeps bees").status, new.status) == ("invalidated", "active")
    assert new.valid_from == NOON, "as it always was"
    assert ("supersedes", new.fact_id, old) in {(e.kind, e.from_id, e.to_id) for e in memory.believed.links}


@pytest.mark.conforms("003:similarity.contradict_above", "model:agreement")
def test_what_is_very_alike_and_does_not_agree_is_worth_judging_too() -> None:
    one, other = apart(0.9)
    memory = Memory(vectors={"Maya plays 2 cellos": one, "Maya plays 3 cellos": other})
    memory.hear(1, says("Maya plays 2 cellos"))
    assert len(asked(memory, heard(2, "Maya plays 3 cellos"))) == 1
