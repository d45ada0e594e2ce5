"""The owner's word governs with the models of a fresh installation, too, whose verdicts are of turns."""

from __future__ import annotations

import pytest

from memory.services.answer import NEAREST, NOTHING
from tests.api.conftest import Door
from tests.api.test_owners_word import WHERE, answered, chat, context, remembered

BESIDE = (
    "My sister Anna lives in Graz.",
    "I work at Bosch.",
    "I'm allergic to peanuts.",
    "Tom is my brother.",
    "My dentist is Dr. Weidner.",
    "I play the cello on Mondays.",
    "Mira is vegetarian.",
    "I drive a grey Volvo.",
    "My favourite colour is green.",
    "The spare key is under the blue flowerpot.",
    "Tom's birthday is on 4 May.",
    "I bought a kayak in June.",
    "Lena lives in Oslo.",
    "I'm reading Middlemarch.",
    "My cat is called Miso.",
    "The rent is 740 euros.",
    "I speak German and English.",
    "Paul works at Siemens.",
    "I was born in Jena.",
)


@pytest.fixture
async def nina(taught_door: Door) -> Door:
    """A memory whose owner is Nina."""
    answer = await taught_door.client.put("/v1/profile", json={"name": "Nina", "time_zone": "Europe/Berlin"})
    assert answer.status_code == 200, answer.text
    return taught_door


async def test_what_was_told_on_purpose_is_not_overtaken_by_more_of_the_kind(nina: Door) -> None:
    await remembered(nina, "I am allergic to peanuts and dogs.")
    await remembered(nina, "I am allergic to cats.")
    for animal in ("dogs", "cats"):
        assert (await answered(nina, f"Am I allergic to {animal}?"))[0].startswith("Yes: "), animal


@pytest.mark.parametrize("beside", [(), BESIDE], ids=["alone", "beside nineteen others"])
@pytest.mark.parametrize("instead", ["Nina lives in Halle", "I live in Halle"])
async def test_what_the_owner_corrected_is_answered(nina: Door, beside: tuple[str, ...], instead: str) -> None:
    wrong = await remembered(nina, "I live in Leipzig.")
    for text in beside:
        await remembered(nina, text)
    await nina.post(f"/v1/facts/{wrong}/correct", {"statement": instead})
    first, *rest = await answered(nina, WHERE)
    assert first == "You live in Halle"
    assert not any("Leipzig" in line for line in rest)
    assert (await answered(nina, "Do I live in Leipzig?"))[0] == "No: You live in Halle"
    told = [each["text"] for each in (await context(nina, WHERE, limit=30))["results"]]
    assert told.index(instead) < told.index("I live in Leipzig.")


@pytest.mark.parametrize(
    ("before", "after", "question", "told"),
    [
        ("I live in Leipzig", "finally moved to Halle", WHERE, "You live in Halle"),
        ("I live in Leipzig", "We moved to Halle!", WHERE, "You live in Halle"),
        ("Tom lives in Graz", "Tom moved to Linz", "Where does Tom live?", "Tom lives in Linz"),
    ],
)
async def test_what_changed_in_talk_is_answered(nina: Door, before: str, after: str, question: str, told: str) -> None:
    for source_id, day, said in (("s1", "2026-04-01", before), ("s2", "2026-04-20", after)):
        await nina.post("/v1/sources", chat(source_id, day, ("Nina", said), ("Max", "ok")), 202)
        await nina.settle()
    assert (await answered(nina, question))[0].startswith(told)


async def test_what_is_not_known_still_stands_below_a_word_of_caution(nina: Door) -> None:
    for text in ("I live in Leipzig.", *BESIDE):
        await remembered(nina, text)
    for question in ("What is Tom's phone number?", "How old is Lena?"):
        assert (await answered(nina, question))[0] in (NEAREST, NOTHING), question
