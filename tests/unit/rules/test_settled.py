"""What a person said of a fact outlives the words it was read from, however often they are read again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.changes import Change, ChangeSet
from memory.model.claims import Claim
from memory.model.facts import Fact, Link
from memory.model.working_set import evolve
from memory.rules.settled import is_settled
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says

PORTO = "Maya lives in Porto"


def forget(memory: Memory, fact: Fact) -> ChangeSet:
    return memory.turn(c.ForgetFact(command_id=f"forget-{memory.now}", fact_id=fact.fact_id))


def correct(memory: Memory, fact: Fact) -> ChangeSet:
    return memory.turn(c.CorrectFact(command_id=f"correct-{memory.now}", fact_id=fact.fact_id, claim=lives("Lisbon")))


def corrected() -> tuple[Memory, Fact]:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    correct(memory, memory.fact(PORTO))
    return memory, memory.fact(PORTO)


def sweep(memory: Memory, new: int, old: int, *claims: Claim) -> ChangeSet:
    """Better words of the source of a segment take its place."""
    read = c.ReadSegment("user:u", f"s{old}", new, 1, NOON, "Maya", "user", 0)
    return memory.turn(
        c.AcceptReading(command_id=f"sweep-{new}", actor="extraction", read=(read,), claims=claims, withdrawn=(old,))
    )


def reads_again(memory: Memory, claim: Claim) -> ChangeSet:
    return memory.hear(1, claim, revision=2)


CELLO = ("Maya plays the cello", "Maya plays cello", "Maya's instrument is the cello")


def merged() -> Memory:
    """Three facts that a night, and the next, have found to be one."""
    memory = Memory()
    for key, words in enumerate(CELLO, 1):
        memory.hear(key, says(words, key), at=NOON + key * DAY)
    first, second, third = (memory.fact(each).fact_id for each in CELLO)
    memory.turn(c.MergeFacts(command_id="merge", clusters=((second, third),)))
    memory.turn(c.MergeFacts(command_id="merge again", clusters=((first, second),)))
    assert memory.active() == [CELLO[0]]
    return memory


@pytest.mark.parametrize("settle", [forget, correct], ids=["forgotten", "corrected"])
def test_what_was_merged_into_a_fact_is_settled_with_it(settle: Callable[[Memory, Fact], ChangeSet]) -> None:
    memory = merged()
    settle(memory, memory.fact(CELLO[0]))
    assert not {*CELLO} & {*memory.active()}
    for key, words in enumerate(CELLO, 1):
        memory.hear(key, says(words, key), at=NOON + key * DAY, revision=2)
    assert not {*CELLO} & {*memory.active()}, "read again, it is known to be settled"


@pytest.mark.parametrize("settle", [forget, correct], ids=["forgotten", "corrected"])
def test_what_was_merged_is_as_it_was_when_that_is_undone(settle: Callable[[Memory, Fact], ChangeSet]) -> None:
    memory = merged()
    before = [(memory.fact(each).status, memory.fact(each).judged_by) for each in CELLO]
    memory.turn(c.Undo(command_id="undo", done=settle(memory, memory.fact(CELLO[0]))))
    assert [(memory.fact(each).status, memory.fact(each).judged_by) for each in CELLO] == before


@pytest.mark.conforms("model:settled")
@pytest.mark.parametrize("settle", [forget, correct], ids=["forgotten", "corrected"])
@pytest.mark.parametrize(
    "again",
    [
        lambda memory: reads_again(memory, lives("Porto")),
        lambda memory: reads_again(memory, says("Maya's home is in Porto", predicate="lives_in", object="Porto")),
        lambda memory: sweep(memory, 7, 1, lives("Porto", 7)),
        lambda memory: memory.hear(7, lives("Porto", 7), source="s1", at=NOON + DAY),
    ],
    ids=["same words", "other words", "sweep", "elsewhere in the source"],
)
def test_what_a_person_settled_stays_so_when_it_is_read_again(
    settle: Callable[[Memory, Fact], ChangeSet], again: Callable[[Memory], ChangeSet]
) -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    settle(memory, memory.fact(PORTO))
    stood = memory.active("lives_in")
    done = again(memory)
    assert memory.active("lives_in") == stood
    porto = memory.fact(PORTO)
    assert is_settled(porto)
    assert [(each.fact_id, each.outcome) for each in done.outcomes] == [(porto.fact_id, "settled")]
    told = [change for change in done.changes if change.reason == "settled by the user"]
    assert [(change.noun, change.after.fact_id) for change in told] == [("evidence", porto.fact_id)]


@pytest.mark.conforms("model:settled")
def test_what_was_undone_is_not_read_again() -> None:
    memory = Memory()
    memory.turn(c.Undo(command_id="undo", done=memory.hear(1, lives("Porto"))))
    assert [each.outcome for each in reads_again(memory, lives("Porto")).outcomes] == ["settled"]
    assert memory.active() == []


@pytest.mark.conforms("model:settled")
def test_it_is_remembered_through_readings_that_say_nothing_of_it() -> None:
    memory, _ = corrected()
    memory.hear(1, revision=2)
    memory.hear(1, says("Maya resides in Porto", predicate="lives_in", object="Porto"), revision=3)
    assert memory.active("lives_in") == ["Maya lives in Lisbon"]


@pytest.mark.conforms("model:settled")
def test_a_misheard_value_does_not_displace_what_a_person_put_in_its_slot() -> None:
    memory, _ = corrected()
    done = reads_again(memory, lives("Portimao"))
    assert (memory.active("lives_in"), done.outcomes[0].outcome) == (["Maya lives in Lisbon"], "settled")


def both(memory: Memory) -> list[str]:
    return sorted({f.statement for f in memory.believed.facts.values() if f.believed})


@pytest.mark.conforms("model:settled")
def test_what_the_same_words_told_beside_it_stands() -> None:
    memory = Memory()
    before = lives("Porto", valid_from=NOON - 2000 * DAY, valid_to=NOON - 100 * DAY)
    memory.hear(1, before, lives("Faro"))
    correct(memory, memory.fact(PORTO))
    memory.hear(1, before, lives("Faro"), revision=2)
    assert both(memory) == ["Maya lives in Faro", "Maya lives in Lisbon"]
    trips = (
        says("Maya visited Rome", 2, predicate="visited", object="Rome"),
        says("Maya visited Rome with Anna", 2, predicate="visited", object="Rome"),
    )
    memory.hear(2, *trips)
    forget(memory, memory.fact("Maya visited Rome"))
    memory.hear(2, *trips, revision=2)
    assert [(memory.fact(each.statement).status) for each in trips] == ["forgotten", "active"]


@pytest.mark.conforms("model:settled")
def test_a_sweep_of_a_whole_source_keeps_what_was_told_later_in_it() -> None:
    memory, later = Memory(), NOON + 50 * DAY
    memory.hear(1, lives("Porto"), source="s")
    correct(memory, memory.fact(PORTO))
    for heard in (True, False):  # what was read there before, and what nobody had read
        if heard:
            memory.hear(2, lives("Faro", 2), source="s", at=later)
        keys = (11, 12) if heard else (21, 22)
        read = tuple(
            c.ReadSegment("user:u", "s", key, 1, at, "Maya", "user", 0)
            for key, at in zip(keys, (NOON + 2, later + 2), strict=True)
        )
        claims = (lives("Portimao", keys[0]), lives("Faro" if heard else "Braga", keys[1]))
        gone = (1, 2) if heard else (11, 12)
        done = memory.turn(
            c.AcceptReading(command_id=f"sweep-{heard}", actor="x", read=read, claims=claims, withdrawn=gone)
        )
        assert [each.outcome for each in done.outcomes] == ["settled", "superseded"]
    assert memory.active("lives_in") == ["Maya lives in Braga"]


@pytest.mark.conforms("model:settled")
def test_words_that_now_say_what_the_person_said_support_it() -> None:
    memory, _ = corrected()
    done = reads_again(memory, lives("Lisbon"))
    assert done.outcomes[0].outcome == "reinforced"


@pytest.mark.conforms("model:settled")
def test_a_forgotten_value_gives_way_to_another_that_its_words_say() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    forget(memory, memory.fact(PORTO))
    reads_again(memory, lives("Braga"))
    assert memory.active("lives_in") == ["Maya lives in Braga"]


@pytest.mark.conforms("model:settled")
def test_what_is_said_after_it_or_in_another_source_is_news() -> None:
    for source, at in (("s1", NOON + 2000 * DAY), ("elsewhere", NOON)):
        memory, porto = corrected()
        memory.hear(7, lives("Porto", 7), source=source, at=at)
        assert any(f.status in ("active", "superseded") and f.object == "Porto" for f in memory.believed.facts.values())
        assert memory.believed.facts[porto.fact_id].status == "invalidated"


@pytest.mark.conforms("model:settled")
def test_undoing_the_command_lets_the_words_count_again() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    done = forget(memory, memory.fact(PORTO))
    reads_again(memory, lives("Porto"))
    memory.turn(c.Undo(command_id="undo", done=done))
    porto = memory.fact(PORTO)
    assert (porto.status, [each.revision for each in memory.believed.evidence[porto.fact_id]]) == ("active", [2])
    memory.hear(1, lives("Porto"), revision=3)
    assert memory.active("lives_in") == [PORTO]


@pytest.mark.conforms("model:settled")
def test_what_only_words_took_back_is_believed_again() -> None:
    memory = Memory()
    memory.hear(1, says("Maya likes jazz", predicate="likes", object="jazz"))
    memory.hear(2, says("Maya does not like jazz", 2, predicate="likes", object="jazz", polarity=False), at=NOON + DAY)
    assert memory.fact("Maya likes jazz").status == "invalidated"
    memory.hear(1, says("Maya likes jazz", predicate="likes", object="jazz"), revision=2)
    assert not is_settled(memory.fact("Maya likes jazz"))
    memory.hear(3, says("Maya keeps bees", 3))
    memory.hear(3, revision=2)
    memory.hear(3, says("Maya keeps bees", 3), revision=3)
    assert memory.fact("Maya keeps bees").status == "active"


@pytest.mark.conforms("model:settled")
def test_what_was_confirmed_is_as_sure_when_it_is_read_again() -> None:
    memory = Memory()
    for key, words in enumerate(("Maya keeps bees", "Maya keeps goats"), 1):
        memory.hear(key, says(words, key))
    memory.turn(c.ConfirmFact(command_id="confirm", fact_id=memory.fact("Maya keeps bees").fact_id))
    for key, words in enumerate(("Maya keeps bees", "Maya keeps goats"), 1):
        memory.hear(key, says(words, key), revision=2)
    bees, goats = memory.fact("Maya keeps bees"), memory.fact("Maya keeps goats")
    assert (bees.status, bees.confidence, bees.protected) == ("active", 1.0, True)
    assert (goats.status, goats.confidence, goats.protected) == ("active", 0.6, False)


@pytest.mark.conforms("model:settled", "model:withdrawn")
def test_forgetting_the_source_forgets_what_was_settled_of_it() -> None:
    memory, porto = corrected()
    memory.turn(c.Withdraw(command_id="erase", segment_keys=(1,), erase=True, source_id="s1"))
    assert porto.fact_id not in memory.believed.facts
    assert memory.active("lives_in") == ["Maya lives in Lisbon"]


@pytest.mark.conforms("model:settled")
@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("hfcs"), st.sampled_from(("Porto", "Faro", None))), max_size=8))
def test_nothing_settled_is_believed_of_the_same_words(doings: list[tuple[str, str | None]]) -> None:
    """Whatever is read, settled and swept in whatever order: no source holds a value that was taken from it."""
    memory, revision, key, settled = Memory(), 1, 1, set()
    for verb, place in doings:
        active = [f for f in memory.believed.facts.values() if f.status == "active" and f.object in ("Porto", "Faro")]
        claims = () if place is None else (lives(place, key),)
        if verb == "h":
            read = c.ReadSegment("user:u", "s", key, revision, NOON, "Maya", "user", 0)
            memory.turn(c.AcceptReading(command_id=f"h{memory.now}", actor="extraction", read=(read,), claims=claims))
            revision += 1
        elif verb == "s":
            key, revision = key + 1, 2
            read = c.ReadSegment("user:u", "s", key, 1, NOON, "Maya", "user", 0)
            claims = () if place is None else (lives(place, key),)
            memory.turn(
                c.AcceptReading(
                    command_id=f"s{memory.now}", actor="x", read=(read,), claims=claims, withdrawn=(key - 1,)
                )
            )
        elif active:
            settled.add(active[0].object)
            (forget if verb == "f" else correct)(memory, active[0])
        held = {f.object for f in memory.believed.facts.values() if f.believed}
        assert not held & settled


@pytest.mark.conforms("model:settled")
def test_what_is_said_at_the_moment_it_was_settled_is_news() -> None:
    memory, porto = corrected()
    memory.hear(7, lives("Porto", 7), source="s1", at=memory.fact(PORTO).since)
    assert memory.active("lives_in") == [PORTO]
    assert memory.believed.facts[porto.fact_id].status == "invalidated"


@pytest.mark.conforms("model:settled")
@pytest.mark.parametrize(("days", "outcome"), [(None, "settled"), (0, "settled"), (-5, "settled"), (20, "created")])
def test_another_value_for_a_time_of_which_nobody_settled_anything_is_news(days: float | None, outcome: str) -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    lisbon = lives("Lisbon", valid_from=NOON, valid_to=NOON + 10 * DAY)
    memory.turn(c.CorrectFact(command_id="correct", fact_id=memory.fact(PORTO).fact_id, claim=lisbon))
    since = None if days is None else NOON + days * DAY
    assert [each.outcome for each in reads_again(memory, lives("Faro", valid_from=since)).outcomes] == [outcome]


@pytest.mark.conforms("model:settled")
def test_a_value_of_another_slot_is_not_what_was_corrected() -> None:
    memory = Memory()
    drink = says("Maya prefers tea", predicate="prefers", object="tea", slot="drink")
    memory.hear(1, drink)
    bread = says("Maya prefers bread", predicate="prefers", object="bread", slot="food")
    memory.turn(c.CorrectFact(command_id="correct", fact_id=memory.fact("Maya prefers tea").fact_id, claim=bread))
    rice = says("Maya prefers rice", predicate="prefers", object="rice", slot="food")
    assert reads_again(memory, rice).outcomes[0].outcome != "settled"


@pytest.mark.conforms("model:settled")
def test_two_statements_that_name_nothing_are_not_the_same() -> None:
    memory = Memory()
    memory.hear(1, says("Maya plays well", predicate="plays"))
    forget(memory, memory.fact("Maya plays well"))
    assert reads_again(memory, says("Maya plays badly", predicate="plays")).outcomes[0].outcome == "created"


@pytest.mark.conforms("model:settled")
def test_what_is_merely_like_a_corrected_fact_was_not_put_in_its_place() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    porto = memory.fact(PORTO).fact_id
    lisbon = lives("Lisbon", valid_from=NOON, valid_to=NOON + 5 * DAY)
    memory.turn(c.CorrectFact(command_id="correct", fact_id=porto, claim=lisbon))
    memory.hear(2, lives("Faro", 2), at=NOON + 10 * DAY)
    faro = memory.fact("Maya lives in Faro").fact_id
    memory.believed = evolve(memory.believed, (Change("linked", None, Link("similar", faro, porto)),))
    again = reads_again(memory, lives("Braga", valid_from=NOON + 20 * DAY))
    assert again.outcomes[0].outcome != "settled"


@pytest.mark.conforms("model:settled")
def test_better_words_are_those_of_the_nearest_that_they_replace() -> None:
    memory, later = Memory(), NOON + 50 * DAY
    memory.hear(1, lives("Faro"), source="s")
    memory.hear(2, lives("Porto", 2), source="s", at=later)
    correct(memory, memory.fact(PORTO))
    read = tuple(
        c.ReadSegment("user:u", "s", key, 1, at, "Maya", "user", 0) for key, at in ((11, NOON + 2), (12, later + 2))
    )
    swept = c.AcceptReading(
        command_id="a", read=read, claims=(lives("Faro", 11), lives("Portimao", 12)), withdrawn=(1, 2)
    )
    assert [each.outcome for each in memory.turn(swept).outcomes][1] == "settled"


@pytest.mark.conforms("model:settled")
@pytest.mark.parametrize(("days", "since"), [(None, None), (0, None), (-5, NOON - 5 * DAY)])
def test_the_words_stand_by_it_in_their_latest_form(days: float | None, since: float | None) -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    memory.hear(9, lives("Porto", 9))
    forget(memory, memory.fact(PORTO))
    began = None if days is None else NOON + days * DAY
    done = reads_again(memory, lives("Porto", valid_from=began))
    (told,) = (each for each in done.changes if each.reason == "settled by the user")
    assert (told.before.segment_key, told.before.revision) == (1, 1)
    assert (told.after.segment_key, told.after.revision, told.after.holds_from) == (1, 2, since)
    assert {each.segment_key for each in memory.believed.evidence[memory.fact(PORTO).fact_id]} == {1, 9}
