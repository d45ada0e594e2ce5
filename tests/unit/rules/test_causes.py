"""Facts are linked with what was told as their reason, and as long as one source vouches for both."""

from __future__ import annotations

import pytest

from memory.model import commands as c
from memory.model.facts import Link
from memory.model.working_set import WorkingSet, evolve
from memory.rules.causes import CausalSegment, StatedFact, causes_in
from memory.rules.decider import Rules, decide
from memory.words.causes import CausalParts, asks_why, causal_parts
from tests.unit.rules.lives_of_ties import MAY, entities, fact, memory, said

GLUTEN = StatedFact("f-1", "The doctor found a gluten intolerance", "The doctor")
BREAD = StatedFact("f-2", "Maya stopped eating bread", "Maya")


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("I moved because my sister lives there.", "my sister lives there", "I moved"),
        ("My rent was raised. That's why I gave up the flat.", "My rent was raised.", "I gave up the flat"),
        ("That’s why I left.", "", "I left"),
        ("The rent rose, so I moved.", "The rent rose", "I moved"),
        ("Weil Oma krank war, habe ich abgesagt.", "Oma krank war", "habe ich abgesagt"),
        ("Oma war krank, deshalb habe ich abgesagt.", "Oma war krank", "habe ich abgesagt"),
    ],
)
def test_what_is_told_as_a_reason_is_parted_from_its_effect(text: str, cause: str, effect: str) -> None:
    assert list(causal_parts(text)) == [CausalParts(cause, effect)]


@pytest.mark.parametrize(
    "text",
    [
        "Is it because of me?",
        "I hid it, so that nobody sees it.",
        "So far, so good.",
        "I have lived here since May.",
        "Because I said it.",
        "",
    ],
)
def test_other_words_tell_no_reason(text: str) -> None:
    assert list(causal_parts(text)) == []


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("Why did I move?", True),
        ("and how come?", True),
        ("Warum habe ich abgesagt?", True),
        ("What is why?", False),
        ("When did I move?", False),
    ],
)
def test_a_reason_is_asked_for(question: str, why: bool) -> None:
    assert asks_why(question) is why


@pytest.mark.conforms("004:causal_links")
def test_a_cause_stands_in_one_part_and_its_effect_in_the_other() -> None:
    told = CausalSegment("The doctor found a gluten intolerance, so I stopped eating bread.", (GLUTEN, BREAD))
    assert list(causes_in(told)) == [("f-1", "f-2")]
    whole = StatedFact("f-3", "Maya stopped eating bread as the doctor found a gluten intolerance", "Maya")
    assert list(causes_in(CausalSegment(told.text, (whole, GLUTEN)))) == []


@pytest.mark.conforms("004:causal_links")
def test_a_reason_may_have_been_said_just_before() -> None:
    later = CausalSegment(
        "That's why I stopped eating bread.", (BREAD,), "The doctor found a gluten intolerance.", (GLUTEN,)
    )
    assert list(causes_in(later)) == [("f-1", "f-2")]
    assert list(causes_in(CausalSegment(later.text, (BREAD, GLUTEN)))) == [], "nothing was said before"


class Remembering:
    """A memory of two facts, both from one source."""

    def __init__(self) -> None:
        self.believed: WorkingSet = memory(
            entities("ab"),
            [fact("f", "a", None), fact("g", "b", None)],
            [said("f", "s1", segment=1), said("g", "s1", segment=2)],
            [Link("similar", "f", "g", 0.5)],
        )
        self.number = 0

    def turn(self, command: c.Command) -> tuple[Link, ...]:
        changes = decide(self.believed, command, MAY + 9, Rules())
        self.believed = evolve(self.believed, changes.changes)
        return tuple(each for each in self.believed.links if each.kind == "causes")


@pytest.mark.conforms("004:causal_links")
def test_a_link_is_made_once_and_goes_with_what_both_rest_on() -> None:
    mind = Remembering()
    link = c.LinkCauses(command_id="c-1", actor="night", pairs=(("f", "g"), ("f", "nobody")))
    [made] = mind.turn(link)
    assert (made.from_id, made.to_id, made.weight) == ("f", "g", 0.7)
    assert decide(mind.believed, link, MAY + 10, Rules()).changes == ()
    assert mind.turn(c.Withdraw(command_id="c-2", segment_keys=(1,))) == ()
    assert mind.turn(c.LinkCauses(command_id="c-3", pairs=(("f", "g"),))) == (), (
        "what is believed no more causes nothing"
    )


@pytest.mark.conforms("004:causal_links")
def test_undo_takes_links_back() -> None:
    mind = Remembering()
    done = decide(mind.believed, c.LinkCauses(command_id="c-1", pairs=(("f", "g"),)), MAY, Rules())
    mind.believed = evolve(mind.believed, done.changes)
    assert mind.turn(c.Undo(command_id="c-2", done=done)) == ()
