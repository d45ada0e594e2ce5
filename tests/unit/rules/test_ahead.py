"""What is to come ends nothing yet and can be called off; what is said to have changed was so until then."""

from __future__ import annotations

import pytest

from memory.model import commands as c
from memory.model.claims import Claim
from memory.rules.agreement import tense_of
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says
from tests.unit.rules.test_taken_back import days


def moving(statement: str, key: int, **rest: object) -> Claim:
    return says(statement, key, predicate="moved_to", object="Hamburg", tense="event", **rest)


@pytest.mark.conforms("model:ahead", "model:events")
@pytest.mark.parametrize(
    "statement", ["Maya is moving to Hamburg", "Maya will move to Hamburg", "I'm moving to Hamburg next month"]
)
@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_who_is_to_move_lives_where_they_live(statement: str, order: tuple[int, int]) -> None:
    memory = Memory()
    for key in order:
        memory.hear(key, lives("Porto", 1) if key == 1 else moving(statement, 2), at=NOON + key * DAY)
    assert memory.active("lives_in") == ["Maya lives in Porto"]
    memory.hear(3, moving("Maya moved to Hamburg", 3), at=NOON + 9 * DAY)
    assert days(memory.fact("Maya lives in Porto")) == ("superseded", 1, 9)


@pytest.mark.conforms("model:ahead")
def test_who_is_about_to_give_up_still_likes_it_and_then_does_no_longer() -> None:
    memory = Memory()
    memory.hear(1, says("Maya likes chess", predicate="likes", object="chess"))
    memory.hear(2, says("Maya will give up chess", 2, predicate="stopped", object="chess"), at=NOON + DAY)
    assert memory.active("likes") == ["Maya likes chess"]
    memory.hear(3, says("Maya gave up chess", 3, predicate="stopped", object="chess"), at=NOON + 2 * DAY)
    assert days(memory.fact("Maya likes chess")) == ("superseded", 0, 2)


@pytest.mark.conforms("model:ahead", "model:agreement")
@pytest.mark.parametrize(
    ("statement", "predicate", "tense"),
    [
        ("Mia is moving to Hamburg", "moved_to", "ahead"),
        ("Mia isn't moving to Hamburg", "moved_to", "ahead"),
        ("Mia moved to Hamburg", "moved_to", "past"),
        ("Mia is working at Bosch", "works_at", "present"),
        ("Mia is interesting", None, "present"),
        ("The moving man was Mia", "moved_to", "past"),
        ("Mia was moving to Hamburg", "moved_to", "past"),
        ("Mia attended Anna's wedding", "attended", "past"),
        ("Mia visited Rome and is enjoying it", "visited", "past"),
        ("She's moving to Hamburg", "moved_to", "ahead"),
        ("Mia moved in with Ben, who is working", "moved_to", "past"),
        ("We're finally moving in", "moved_to", "ahead"),
        ("Mia and others are moving to Hamburg", "moved_to", "ahead"),
        ("Will moved to Hamburg", "moved_to", "past"),
        ("In May (May 2025) Mia and their family are not moving", "moved_to", "ahead"),
        ("Mia left Rome and her kids are crying", "moved_from", "past"),
        ("Fred will move", "moved_to", "ahead"),
        ("Mia stopped going to the gym", "stopped", "past"),
        ("Mia is not going to move", "moved_to", "ahead"),
        ("Mia quit their job because they will move", "left_job", "past"),
        ("Mia'll quit", "left_job", "ahead"),
        ("When Mia retires, Mia will move", "moved_to", "ahead"),
        ("My retired dad will move", "moved_to", "ahead"),
        ("Mia left Bosch to found a firm, which will launch next year", "left_job", "past"),
    ],
)
def test_an_event_under_way_has_not_happened_yet(statement: str, predicate: str | None, tense: str) -> None:
    assert tense_of(statement, predicate) == tense


@pytest.mark.conforms("model:ahead", "model:change")
@pytest.mark.parametrize(
    ("statement", "predicate", "object_", "stands"),
    [
        ("Maya will live in Hamburg", "lives_in", "Hamburg", True),
        ("I'll live in Hamburg", "lives_in", "Hamburg", True),
        ("From May on Maya will be living in Hamburg", "lives_in", "Hamburg", True),
        ("Maya will always live in Hamburg", "lives_in", "Hamburg", False),
        ("Maya lives in Hamburg and will work there", "lives_in", "Hamburg", False),
        ("Will lives in Hamburg", "lives_in", "Hamburg", False),
        ("Maya will love Hamburg", "likes", "Hamburg", True),
    ],
)
def test_where_somebody_will_live_is_a_plan(statement: str, predicate: str, object_: str, stands: bool) -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    memory.hear(2, says(statement, 2, predicate=predicate, object=object_), at=NOON + DAY)
    assert (memory.fact("Maya lives in Porto").status == "active") is stands
    assert memory.fact(statement).status == "active"


@pytest.mark.conforms("model:ahead")
@pytest.mark.parametrize(
    ("predicate", "object_", "kept"),
    [
        ("deadline_is", "Friday", "deadline_is"),
        ("likes", "Friday", "likes"),
        ("lives_in", None, "lives_in"),
        ("works_at", "Friday", "plans"),
    ],
)
def test_a_day_to_come_is_known_already(predicate: str, object_: str | None, kept: str) -> None:
    memory = Memory()
    memory.hear(1, says("It will be None or Friday", predicate=predicate, object=object_, slot="x"))
    assert memory.fact("It will be None or Friday").predicate == kept


@pytest.mark.conforms("model:ahead", "model:denial")
def test_a_life_elsewhere_that_is_called_off_is_planned_no_longer() -> None:
    memory = Memory()
    memory.hear(1, says("Maya will live in Hamburg", predicate="lives_in", object="Hamburg"))
    memory.hear(
        2, says("Maya won't live in Hamburg", 2, predicate="lives_in", object="Hamburg", polarity=False), at=NOON + DAY
    )
    assert memory.active("plans") == ["Maya won't live in Hamburg"]


@pytest.mark.conforms("model:denial")
def test_what_is_no_longer_planned_or_wanted_any_more_is_over() -> None:
    memory = Memory()
    memory.hear(
        1,
        says("Maya plans to sail", predicate="plans", object="sail", tense="plan"),
        says("Maya wants to paint", predicate="wants", object="paint", tense="plan"),
    )
    memory.hear(
        2,
        says("Maya no longer plans to sail", 2, predicate="plans", object="sail", change=True),
        says(
            "Maya doesn't want to paint anymore",
            2,
            predicate="wants",
            object="paint anymore",
            polarity=False,
            change=True,
        ),
        at=NOON + DAY,
    )
    assert [days(memory.fact(each)) for each in ("Maya plans to sail", "Maya wants to paint")] == [
        ("superseded", 0, 1),
        ("superseded", 0, 1),
    ]


@pytest.mark.conforms("model:events")
@pytest.mark.parametrize(
    ("predicate", "object_", "given_up", "ended"),
    [
        ("plays", "tennis", "playing tennis", True),
        ("plays", "tennis", "playing chess", False),
        ("habit:smoke", None, "smoking", True),
        ("habit:drink", "coffee", "drinking", False),
        ("habit:go", "gym", "going to the gym", True),
        ("teaches", "maths", "teaching maths", True),
        ("uses", "Vim", "using Vim", True),
        ("likes", "running", "running", True),
        ("plays", None, "playing", False),
    ],
)
def test_who_stopped_doing_it_does_it_no_longer(
    predicate: str, object_: str | None, given_up: str, ended: bool
) -> None:
    memory = Memory()
    memory.hear(1, says("Maya does it", predicate=predicate, object=object_))
    memory.hear(2, says(f"Maya stopped {given_up}", 2, predicate="stopped", object=given_up), at=NOON + DAY)
    assert (memory.fact("Maya does it").status == "superseded") is ended


@pytest.mark.conforms("model:ahead")
def test_a_move_that_is_called_off_is_no_longer_believed() -> None:
    memory = Memory()
    memory.hear(1, moving("Mia is moving to Hamburg", 1))
    off = moving("Mia is not moving to Hamburg after all", 2, polarity=False)
    memory.hear(2, off, at=NOON + DAY)
    assert memory.active() == ["Mia is not moving to Hamburg after all"]
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert memory.active() == ["Mia is moving to Hamburg"]


@pytest.mark.conforms("model:ahead")
def test_a_plan_that_is_denied_is_no_longer_one_but_what_did_not_happen_may_still() -> None:
    memory = Memory()
    for key, polarity in ((1, True), (2, False)):
        no = "" if polarity else "does not "
        memory.hear(
            key,
            says(f"Maya {no}plan to sail", key, predicate="plans", object="sail", polarity=polarity),
            says(f"Maya {no}meet Ben", key, predicate="met", object="Ben", polarity=polarity),
            at=NOON + key * DAY,
        )
    assert memory.active() == ["Maya does not meet Ben", "Maya does not plan to sail", "Maya meet Ben"]


def eats(day: int, key: int, fish: bool) -> Claim:
    words = "Maya eats fish again" if fish else "Maya no longer eats fish"
    return says(f"{words} ({day})", key, predicate="habit:eat", object="fish", polarity=fish, change=True)


@pytest.mark.conforms("model:turned")
@pytest.mark.parametrize("order", [(1, 2, 3), (2, 1, 3), (1, 3, 2)])
def test_what_has_changed_was_so_until_then(order: tuple[int, ...]) -> None:
    memory = Memory()
    said = {1: eats(0, 1, fish=True), 2: eats(3, 2, fish=False), 3: eats(8, 3, fish=True)}
    for key in order:
        memory.hear(key, said[key], at=NOON + (0, 0, 3, 8)[key] * DAY)
    found = [days(memory.fact(each.statement)) for each in said.values()]
    assert found == [("superseded", 0, 3), ("superseded", 3, 8), ("active", 8, None)]


@pytest.mark.conforms("model:turned")
@pytest.mark.parametrize(("change", "status"), [(True, "superseded"), (False, "active")])
def test_it_ends_however_many_had_said_so_unless_it_is_merely_denied(change: bool, status: str) -> None:
    memory = Memory()
    for key in (1, 2, 3):
        memory.hear(key, says("Maya eats fish", key, predicate="habit:eat", object="fish"))
    over = says("Maya does not eat fish", 4, predicate="habit:eat", object="fish", polarity=False, change=change)
    (outcome,) = memory.hear(4, over, at=NOON + DAY).outcomes
    assert memory.fact("Maya eats fish").status == status
    assert outcome.outcome == ("superseded" if change else "disputed")
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(4,)))
    assert memory.active() == ["Maya eats fish"]


@pytest.mark.conforms("model:events", "model:order")
@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1)])
def test_who_eats_what_a_diet_excludes_keeps_it_no_longer(order: tuple[int, ...]) -> None:
    memory = Memory()
    said = {
        1: says("Maya eats meat", 1, predicate="habit:eat", object="meat"),
        2: says("Maya is vegetarian", 2, predicate="has_condition", object="vegetarian", slot="diet"),
        3: says("Maya eats fish again", 3, predicate="habit:eat", object="fish", change=True),
    }
    for key in order:
        memory.hear(key, said[key], at=NOON + 2 * key * DAY)
    assert days(memory.fact("Maya is vegetarian")) == ("superseded", 4, 6)
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(3,)))
    assert days(memory.fact("Maya is vegetarian")) == ("active", 4, None)


@pytest.mark.conforms("model:events")
@pytest.mark.parametrize(
    ("condition", "slot", "food", "ended"),
    [
        ("vegan", "diet", "cheese", True),
        ("vegan", "diet", "vegan cheese", False),
        ("Vegan", "diet", "everything", True),
        ("vegetarian", "diet", "eggs", False),
        ("pescatarian", "diet", "salmon", False),
        ("vegetarian", "diet", "tomatoes", False),
        ("vegan", "diet", "peanut butter", False),
        ("vegetarian", "diet", "veggie burgers", False),
        ("vegetarian", "diet", "burgers", True),
        ("allergic", None, "fish", False),
        ("vegetarian", "diet", None, False),
    ],
)
def test_what_a_diet_allows_ends_none(condition: str, slot: str | None, food: str | None, ended: bool) -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps it", predicate="has_condition", object=condition, slot=slot))
    memory.hear(2, says("Maya eats that", 2, predicate="habit:eat", object=food), at=NOON + DAY)
    assert (memory.fact("Maya keeps it").status == "superseded") is ended
    assert memory.active("habit:eat") == ["Maya eats that"]


@pytest.mark.conforms("model:events")
def test_only_who_eats_it_breaks_a_diet() -> None:
    memory = Memory()
    memory.hear(1, says("Maya is vegan", predicate="has_condition", object="vegan", slot="diet"))
    memory.hear(2, says("Maya sells cheese", 2, predicate="habit:sell", object="cheese"), at=NOON + DAY)
    memory.hear(3, says("Maya eats no meat", 3, predicate="habit:eat", object="meat", polarity=False), at=NOON + DAY)
    assert memory.fact("Maya is vegan").status == "active"
