from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model.sources import ROLES
from memory.retrieval.wishes import INSTRUCTION, PREFERENCE, requests, wish

USER = ROLES.index("user")


@pytest.mark.parametrize(
    "text",
    [
        "Always show the imports when I ask about scripts.",
        "That was quick, thanks. Never use exclamation marks, please.",
        "Please always answer in two sentences.",
        "Give metric units whenever I ask about a recipe.",
        "From now on, keep it short.",
        "Please call me Sam.",
        "Bitte immer auf Deutsch antworten.",
        "Nenn mich Sam.",
        "Wenn ich nach Rezepten frage, gib Mengen in Gramm an.",
    ],
)
def test_instructions(text):
    assert wish(text, USER) == INSTRUCTION


@pytest.mark.parametrize(
    "text",
    [
        "The trains were full, and I generally prefer the bus.",
        "I’d rather see a table than a list.",
        "Short examples work, but a diagram suits me best.",
        "Am liebsten mag ich kurze Antworten.",
    ],
)
def test_preferences(text):
    assert wish(text, USER) == PREFERENCE


@pytest.mark.parametrize(
    "text",
    [
        "I have never been to Lisbon.",
        "My brother always forgets his keys.",
        "Never mind.",
        "Always a pleasure!",
        "From now on I run every morning.",
        "What keeps you going forward with it?",
        "When I asked him, he laughed.",
        "Could you call me back on Monday?",
        "",
    ],
)
def test_no_wish(text):
    assert wish(text, USER) == 0


def test_what_others_say_binds_nobody():
    assert [wish("Always lock the door.", role) for role in range(len(ROLES))] == [
        INSTRUCTION if role == USER else 0 for role in range(len(ROLES))
    ]


@given(st.text(), st.integers(0, len(ROLES) - 1))
def test_every_text_is_some_kind(text, role):
    assert wish(text, role) in {0, PREFERENCE, INSTRUCTION}


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("How do I rename these files?", True),
        ("Could you show me a bread recipe?", True),
        ("What are good ways to fold a map?", True),
        ("I'm building a raft. What should I use?", True),
        ("Wie kann ich die Heizung entlüften?", True),
        ("Can you list what I mentioned about Porto?", False),
        ("How did you suggest I fold it?", False),
        ("How many shirts do I need to pack?", False),
        ("Where does Priya live?", False),
        ("How do Ines and Priya relax?", False),
        ("", False),
    ],
)
def test_requests(text, asks):
    assert requests(text) == asks


@pytest.mark.parametrize("blank", ["\n", "\n ", " \n", "\r\n"])
def test_a_wish_after_many_line_breaks_is_found_at_once(blank):
    assert wish(f"Thanks.{blank * 30_000}Always use metric units.", USER) == INSTRUCTION
    assert wish(f"I always do.{blank * 30_000}", USER) == 0
