"""Claims and traps are laid onto the sentences of their turns."""

from __future__ import annotations

from adapters.extraction.taught_heads import KINDS
from bench.reading_worlds import CHOSEN_ON, SEALED, reading_world
from memory.model.claims import Claim
from training.reading_lessons import MOODS, UNSURE, laid, lessons_of, verdict_of

WORLD = """# world: x-tent | kind: friends | language: en | people: Ana (she, owner), Bo (he)
## 1 | 2024-03-02 19:10 | chat
Ana: Good evening. I moved to Porto in March. My brother keeps bees.
Bo: And Bo owns a castle. Splendid weather for once.
?? questions
!! claims
! 1.1 | Ana | moved_to | Porto | on 2024-03 | change
! 1.2 | Bo | is | utterly bankrupt | - | state
x 1.2 | Bo owns a castle | joke""".splitlines()


def test_a_claim_is_laid_onto_the_sentence_with_its_words():
    assert laid(frozenset({"move", "porto"}), [frozenset({"even"}), frozenset({"porto", "march"})], 0.25) == 1
    assert laid(frozenset({"move", "porto"}), [frozenset({"even"})], 0.25) is None
    assert laid(frozenset(), [frozenset({"even"})], 0.25) is None


def test_sentences_know_what_they_hold():
    (session,) = lessons_of(reading_world("x-tent", WORLD))
    assert [KINDS[each.kind] for each in session] == ["none", "change", "none", "none", "none"]
    assert [MOODS[each.mood] for each in session] == ["said", "said", "said", "joke", "said"]
    assert session[1].subjects == ("Ana",)
    assert [each.weight for each in session] == [1.0, 1.0, 1.0, UNSURE, UNSURE]


def test_a_claim_of_the_rules_is_judged_as_the_benchmark_judges():
    world = reading_world("x-tent", WORLD)
    at = world.turns["1.1"].at
    claim = Claim("Ana", "Ana moved to Porto", 1, "I moved to Porto", valid_from=at)
    assert verdict_of(claim, world, "1.1", at) == 0
    assert verdict_of(Claim("Bo", "Bo owns a castle", 2, "I own a castle"), world, "1.2", at) == 2


def test_nobody_is_both_sealed_and_chosen_on():
    assert not set(SEALED) & set(CHOSEN_ON)
