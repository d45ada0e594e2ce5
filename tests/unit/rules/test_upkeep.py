"""What a memory does with its own facts: duplicates, themes, what has faded, what stands in the wrong place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.errors import Conflict
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.claims import Sighting
from memory.model.facts import Link
from memory.model.ids import meta_id
from memory.model.profile import Profile
from memory.rules.backfill import backfills
from memory.rules.parameters import Reflection
from memory.rules.reflection import Likeness, candidates, comparable, duplicates, themes
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says

RULES = Reflection()
BEES = ("Maya keeps bees", "Maya sells honey", "Maya built a beehive")


def likeness(memory: Memory, **similar: float) -> Likeness:
    """Every fact at an angle of its own; `similar` is the similarity of each statement (by its last word) to the first.

    Statements nobody names are unlike everything.
    """
    facts = sorted(memory.believed.facts.values(), key=lambda fact: fact.system_from)
    size = len(facts) + 1
    vectors = {}
    for place, fact in enumerate(facts, 1):
        cosine = similar.get(fact.statement.split()[-1], 0.0)
        vector = np.zeros(size, np.float32)
        vector[0], vector[place] = cosine, np.sqrt(1 - cosine**2)
        vectors[fact.fact_id] = vector
    return Likeness(vectors, lambda cosine: cosine)


def id_of(memory: Memory, statement: str) -> str:
    return memory.fact(statement).fact_id


def told(*statements: str, days: float = 1.0) -> Memory:
    """Each statement in a source and on a day of its own."""
    memory = Memory()
    for key, statement in enumerate(statements, 1):
        memory.hear(key, says(statement, key), at=NOON + key * days * DAY)
    return memory


def synthesized(memory: Memory, *statements: str, words: str = "Maya lives off bees") -> ChangeSet:
    support = tuple(id_of(memory, each) for each in statements)
    command = c.Synthesize(command_id=f"s-{memory.now}", meta_facts=(c.MetaFact(words, support, "extractive"),))
    return memory.turn(command)


def meta(memory: Memory, *statements: str) -> str:
    identity = meta_id("u", [id_of(memory, each) for each in statements])
    return memory.believed.facts[identity].status


# ------------------------------------------------------------------------------------------------- looking


@pytest.mark.conforms("003:thresholds.duplicate_detection")
@pytest.mark.parametrize(("similarity", "found"), [(0.84, 0), (0.86, 1), (0.94, 1)])
def test_duplicates_are_as_similar_as_the_seed_says(similarity: float, found: int) -> None:
    memory = told("Maya keeps bees", "Maya is keeping bees")
    vectors = likeness(memory, bees=np.sqrt(similarity))
    clusters = duplicates(memory.believed, memory.believed.facts, vectors, {}, RULES).clusters
    assert len(clusters) == found
    assert RULES.duplicate_above == 0.85


@pytest.mark.conforms("003:merge.highest_confidence_wins")
def test_the_strongest_duplicate_is_kept_unless_another_is_protected() -> None:
    memory = told("Maya keeps bees", "Maya is keeping bees", "So Maya keeps bees")
    one, two, three = (fact.fact_id for fact in memory.believed.facts.values())
    alike, seen = likeness(memory, bees=0.99), memory.believed.facts
    strength = {one: 0.2, two: 0.5, three: 0.4}
    assert duplicates(memory.believed, seen, alike, strength, RULES).clusters[0][0] == two
    memory.turn(c.ProtectFact(command_id="p", fact_id=three))
    assert duplicates(memory.believed, seen, alike, strength, RULES).clusters[0][0] == three


def test_what_is_alike_but_differs_in_its_numbers_is_only_reported() -> None:
    memory = told("Maya keeps 2 bees", "Maya keeps 3 bees")
    found = duplicates(memory.believed, memory.believed.facts, likeness(memory, bees=0.99), {}, RULES)
    assert (found.clusters, len(found.disagreeing)) == ((), 1)


def test_facts_of_two_people_are_never_compared_nor_what_is_out_of_sight() -> None:
    memory = told("Maya keeps bees", "Maya is keeping bees")
    memory.hear(9, says("Elena keeps bees", 9, subject="Elena"))
    alike, seen = likeness(memory, bees=0.99), set(memory.believed.facts)
    pairs = alike.pairs(memory.believed.facts.values(), 0.5)
    assert [{pair.one, pair.other} for pair in pairs] == [
        {id_of(memory, "Maya keeps bees"), id_of(memory, "Maya is keeping bees")}
    ]
    hidden = {id_of(memory, "Maya keeps bees")}
    assert duplicates(memory.believed, seen - hidden, alike, {}, RULES).clusters == ()


def test_similarities_are_calibrated_before_they_meet_a_threshold() -> None:
    memory = told("Maya keeps bees", "Maya is keeping bees")
    raw = likeness(memory, bees=0.99)
    halved = Likeness(raw.vectors, lambda cosine: cosine / 2)
    assert not halved.pairs(memory.believed.facts.values(), 0.85)


@settings(max_examples=50)
@given(st.integers(2, 40), st.floats(0.0, 0.99), st.integers(0, 2**32 - 1))
def test_pairs_are_those_of_comparing_each_with_each(count: int, least: float, seed: int) -> None:
    memory = told(*(f"Maya tells {number}" for number in range(count)))
    ids = list(memory.believed.facts)
    matrix = np.random.default_rng(seed).normal(size=(count, 6)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    found = Likeness(dict(zip(ids, matrix, strict=True)), lambda cosine: cosine).pairs(
        memory.believed.facts.values(), least
    )
    naive = {
        frozenset((ids[i], ids[j])) for i in range(count) for j in range(i) if float(matrix[i] @ matrix[j]) >= least
    }
    missed = naive ^ {frozenset((pair.one, pair.other)) for pair in found}
    assert all(abs(float(matrix[ids.index(a)] @ matrix[ids.index(b)]) - least) < 1e-5 for a, b in map(tuple, missed))
    assert list(found) == sorted(found, key=lambda pair: -pair.similarity)


def themes_in(memory: Memory, alike: Likeness) -> list[tuple[str, ...]]:
    facts = comparable(memory.believed, memory.believed.facts)
    return themes(memory.believed, alike.pairs(facts, RULES.theme_above), RULES)


@pytest.mark.conforms("003:thresholds.thematic_clustering", "003:synthesize.up_to_five_clusters", "model:theme_size")
def test_themes_need_their_similarity_and_come_five_at_a_time() -> None:
    memory = told(*BEES)
    for similarity, found in ((0.59, 0), (0.61, 1)):
        root = float(np.sqrt(similarity))
        assert len(themes_in(memory, likeness(memory, bees=root, honey=root, beehive=root))) == found
    assert themes_in(memory, likeness(memory, bees=0.9, honey=0.9)) == [], "two are no theme"
    many = told(*(f"{who} keeps {what}" for who in "ABCDEFG" for what in ("x", "y", "z")))
    for fact in list(many.believed.facts.values()):
        many.believed = replace(
            many.believed,
            facts={**many.believed.facts, fact.fact_id: replace(fact, subject_id=f"e-{fact.statement[0]}")},
        )
    assert len(themes_in(many, likeness(many, x=0.9, y=0.9, z=0.9))) == 5


@pytest.mark.conforms("003:thresholds.contradiction_candidates")
def test_candidates_lie_in_the_band_and_nobody_has_judged_them() -> None:
    memory = told("Maya likes opera", "Maya sings", "Maya hums")
    alike = likeness(memory, opera=1.0, sings=0.8, hums=0.9)
    first = id_of(memory, "Maya likes opera")
    found = candidates(memory.believed, memory.believed.facts, alike, 0.70, 0.85)
    assert {(pair.one, pair.other) for pair in found} == {
        tuple(sorted(pair))
        for pair in ((first, id_of(memory, "Maya sings")), (id_of(memory, "Maya sings"), id_of(memory, "Maya hums")))
    }
    judged = replace(
        memory.believed,
        links=memory.believed.links | {Link("disputes", first, id_of(memory, "Maya sings"))},
    )
    assert len(candidates(judged, judged.facts, alike, 0.70, 0.85)) == 1
    assert len(candidates(memory.believed, memory.believed.facts, alike, 0.40, 0.85)) == 2, "0.9 is a duplicate's"


# ------------------------------------------------------------------------------------------------- merging


@pytest.mark.conforms(
    "003:merge.transfers_episodes", "003:merge.invalidates_losers", "003:merge.reinforces_winner", "003:confidence.step"
)
def test_duplicates_become_one_with_the_evidence_of_all() -> None:
    memory = told("Maya keeps bees", "Maya is keeping bees", "So Maya keeps bees")
    kept, *others = (fact.fact_id for fact in memory.believed.facts.values())
    done = memory.turn(c.MergeFacts(command_id="m", clusters=((kept, *others),)))
    facts = memory.believed.facts
    assert facts[kept].confidence == pytest.approx(0.7), "0.6 and once 0.1"
    assert {each.segment_key for each in memory.believed.evidence[kept]} == {1, 2, 3}
    assert [facts[each].status for each in others] == ["invalidated", "invalidated"]
    assert {(link.from_id, link.to_id) for link in memory.believed.links if link.kind == "supersedes"} == {
        (kept, each) for each in others
    }
    assert done.outcomes[0].rivals == tuple(others)
    again = memory.turn(c.MergeFacts(command_id="m2", clusters=((kept, *others),)))
    assert again.changes == (), "what is merged is merged"


def test_a_merge_leaves_alone_what_has_come_to_differ() -> None:
    memory = told("Maya keeps bees", "Maya is keeping bees")
    one, two = memory.believed.facts
    memory.turn(c.ForgetFact(command_id="f", fact_id=two))
    assert memory.turn(c.MergeFacts(command_id="m", clusters=((one, two, "f-gone"),))).changes == ()
    memory.hear(5, says("Elena keeps bees", 5, subject="Elena"))
    assert memory.turn(c.MergeFacts(command_id="n", clusters=((one, id_of(memory, "Elena keeps bees")),))).changes == ()


@pytest.mark.conforms("model:withdrawn")
def test_words_forgotten_later_take_the_merged_duplicate_along() -> None:
    memory = told("Maya keeps bees", "Maya is keeping bees")
    one, two = memory.believed.facts
    memory.turn(c.MergeFacts(command_id="m", clusters=((one, two),)))
    memory.turn(c.Withdraw(command_id="w", segment_keys=(2,), erase=True))
    assert two not in memory.believed.facts
    assert [each.segment_key for each in memory.believed.evidence[one]] == [1]


# ------------------------------------------------------------------------------------------------- generalising


@pytest.mark.conforms(
    "003:synthesize.confidence",
    "003:synthesize.stability",
    "003:synthesize.type_meta",
    "003:synthesize.links_sources",
    "004:derived_from",
)
def test_a_meta_fact_is_born_as_the_seed_says() -> None:
    memory = told(*BEES)
    synthesized(memory, *BEES)
    fact = memory.believed.facts[meta_id("u", [id_of(memory, each) for each in BEES])]
    assert (fact.kind, fact.confidence, fact.stability, fact.judged_by) == ("meta", 0.8, 3.0, "extractive")
    assert fact.valid_from == NOON + DAY
    linked = {link.to_id for link in memory.believed.links if link.kind == "derived_from"}
    assert linked == {id_of(memory, each) for each in BEES}


@pytest.mark.conforms("model:support")
def test_the_same_support_is_the_same_meta_fact_in_whatever_words_and_order() -> None:
    memory = told(*BEES)
    synthesized(memory, *BEES)
    again = synthesized(memory, *reversed(BEES), words="Bees are Maya's life")
    assert (again.changes, again.outcomes[0].outcome) == ((), "duplicate")


@pytest.mark.conforms("model:support")
def test_lost_support_withdraws_a_meta_fact_and_regained_support_brings_it_back() -> None:
    memory = told(*BEES)
    synthesized(memory, *BEES)
    done = memory.turn(c.ForgetFact(command_id="f", fact_id=id_of(memory, BEES[0])))
    assert meta(memory, *BEES) == "invalidated"
    memory.turn(c.Undo(command_id="u", done=done))
    assert meta(memory, *BEES) == "active"
    memory.hear(2, at=NOON + 2 * DAY, revision=2)
    assert meta(memory, *BEES) == "invalidated"
    memory.hear(2, says(BEES[1], 2), at=NOON + 2 * DAY, revision=3)
    assert synthesized(memory, *BEES).outcomes[0].outcome == "reinforced"
    assert meta(memory, *BEES) == "active"


@pytest.mark.conforms("model:support")
def test_what_the_owner_has_forgotten_is_not_synthesized_again() -> None:
    memory = told(*BEES)
    synthesized(memory, *BEES)
    memory.turn(c.ForgetFact(command_id="f", fact_id=meta_id("u", [id_of(memory, each) for each in BEES])))
    assert synthesized(memory, *BEES).changes == ()
    assert themes_in(memory, likeness(memory, bees=0.9, honey=0.9, beehive=0.9)) == []


@pytest.mark.parametrize("verb", ["correct", "prune"])
def test_what_the_owner_has_corrected_or_let_go_is_not_synthesized_again(verb: str) -> None:
    memory = told(*BEES)
    synthesized(memory, *BEES)
    concluded = memory.believed.facts[meta_id("u", [id_of(memory, each) for each in BEES])]
    if verb == "correct":
        claim = says("Maya would rather keep goats", 0)
        memory.turn(c.CorrectFact(command_id="c", fact_id=concluded.fact_id, claim=claim))
    else:
        memory.turn(c.PruneFacts(command_id="p", chosen=((concluded.fact_id, concluded.version),)))
    gone = meta(memory, *BEES)
    assert synthesized(memory, *BEES).changes == ()
    assert meta(memory, *BEES) == gone != "active"
    assert themes_in(memory, likeness(memory, bees=0.9, honey=0.9, beehive=0.9)) == []


def test_what_was_concluded_is_no_rival_of_what_is_heard() -> None:
    words = "Maya lives off bees"
    memory = Memory(vectors={words: np.array([1.0, 0.0]), "Maya lives off her bees": np.array([0.99, 0.1])})
    for key, statement in enumerate(BEES, 1):
        memory.hear(key, says(statement, key))
    synthesized(memory, *BEES, words=words)
    heard = memory.hear(9, says("Maya lives off her bees", 9))
    assert [each.outcome for each in heard.outcomes] == ["created"]
    assert memory.fact(words).confidence == 0.8


@pytest.mark.conforms("model:support")
def test_a_larger_support_takes_the_place_of_a_part_of_it() -> None:
    memory = told(*BEES, "Maya reads about bees")
    synthesized(memory, *BEES)
    synthesized(memory, *BEES, "Maya reads about bees")
    assert meta(memory, *BEES) == "superseded"
    assert meta(memory, *BEES, "Maya reads about bees") == "active"
    memory.hear(9, says("Maya bakes", 9))
    memory.turn(c.ForgetFact(command_id="f", fact_id=id_of(memory, "Maya bakes")))
    assert meta(memory, *BEES, "Maya reads about bees") == "active", "it does not rest on what went"


@pytest.mark.conforms("model:withdrawn", "model:support")
def test_erased_words_are_erased_from_what_was_concluded_of_them() -> None:
    memory = told(*BEES)
    synthesized(memory, *BEES)
    done = memory.turn(c.Withdraw(command_id="w", segment_keys=(1,), erase=True))
    assert all(fact.kind != "meta" for fact in memory.believed.facts.values())
    assert meta_id("u", []) not in done.erased
    assert len([each for each in done.erased if each.startswith("f-")]) == 2, "the fact, and what was concluded"


@pytest.mark.conforms("model:support")
def test_a_meta_fact_goes_when_a_split_takes_its_support_elsewhere() -> None:
    memory = told(*BEES)
    synthesized(memory, *BEES)
    owner = memory.fact(BEES[0]).subject_id
    memory.turn(c.SplitEntity(command_id="x", entity_id=owner, qualifier="the neighbour", segment_keys=(1,)))
    assert meta(memory, *BEES) == "invalidated"


def test_nothing_is_concluded_from_what_does_not_stand_or_is_of_two() -> None:
    memory = told(*BEES)
    memory.hear(9, says("Elena keeps bees", 9, subject="Elena"))
    assert synthesized(memory, BEES[0], "Elena keeps bees").changes == ()
    memory.turn(c.ForgetFact(command_id="f", fact_id=id_of(memory, BEES[0])))
    assert synthesized(memory, *BEES).changes == ()
    assert synthesized(memory, BEES[1], BEES[2], words="  ").changes == ()


# ------------------------------------------------------------------------------------------------- letting go


@pytest.mark.conforms("003:status.pruned")
def test_pruning_is_terminal_and_spares_what_has_changed_since() -> None:
    memory = told("Maya keeps bees", "Maya sells honey", "Maya bakes")
    bees, honey, bakes = memory.believed.facts.values()
    chosen = tuple((each.fact_id, each.version) for each in (bees, honey, bakes))
    memory.turn(c.ConfirmFact(command_id="c", fact_id=honey.fact_id))
    memory.hear(7, says("Maya bakes", 7))
    memory.turn(c.PruneFacts(command_id="p", chosen=chosen))
    statuses = [memory.believed.facts[each].status for each, _ in chosen]
    assert statuses == ["pruned", "active", "active"]


@pytest.mark.conforms("004:protected_facts")
def test_protection_says_nothing_of_confidence_and_can_be_ended() -> None:
    memory = told("Maya keeps bees")
    (identity,) = memory.believed.facts
    memory.turn(c.ProtectFact(command_id="p", fact_id=identity))
    assert (memory.fact("Maya keeps bees").protected, memory.fact("Maya keeps bees").confidence) == (True, 0.6)
    assert memory.turn(c.ProtectFact(command_id="p2", fact_id=identity)).changes == ()
    memory.turn(c.ProtectFact(command_id="q", fact_id=identity, protected=False))
    assert not memory.fact("Maya keeps bees").protected
    memory.turn(c.ForgetFact(command_id="f", fact_id=identity))
    with pytest.raises(Conflict):
        memory.turn(c.ProtectFact(command_id="r", fact_id=identity))


# ------------------------------------------------------------------------------------------------- backfilling


@pytest.mark.conforms("003:backfill_subjects")
def test_facts_under_a_label_become_the_owner_s_and_take_their_place() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"), at=NOON)
    spoken = says("Speaker 1 lives in Faro", 2, subject="Speaker 1", predicate="lives_in", object="Faro")
    memory.hear(2, spoken, at=NOON + 9 * DAY, speaker="Speaker 1", role="other")
    assert backfills(memory.believed, memory.believed.facts) == []
    memory.turn(c.SetProfile(command_id="p", profile=Profile(name="Maya", speaker_labels=("user", "Speaker 1"))))
    found = backfills(memory.believed, memory.believed.facts)
    assert found == [(id_of(memory, "Speaker 1 lives in Faro"), memory.fact("Maya lives in Porto").subject_id)]
    memory.turn(c.BackfillSubjects(command_id="b", placements=tuple(found)))
    assert memory.fact("Maya lives in Porto").status == "superseded", "she lives in one place at a time"
    assert backfills(memory.believed, memory.believed.facts) == []


@pytest.mark.conforms("003:backfill_subjects")
def test_mere_words_of_the_owner_go_to_whom_they_begin_with() -> None:
    memory = Memory()
    memory.hear(1, sightings=(Sighting("person", "Elena Costa", 0.9, "Elena", 1, aliases=("Elena",)),))
    for key, words in enumerate(("Elena's birthday is near", "Maya likes Elena", "The door is blue"), 2):
        memory.hear(key, says(words, key))
    memory.hear(8, says("Elena calls", 8, predicate="says_to"))
    found = backfills(memory.believed, memory.believed.facts)
    (elena,) = (e.entity_id for e in memory.believed.entities.values() if not e.is_owner)
    assert found == [(id_of(memory, "Elena's birthday is near"), elena)]
