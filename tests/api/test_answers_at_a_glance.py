"""The first line of an answer: all of several values, promises from their list, caution where nothing answers."""

from __future__ import annotations

import pytest

from memory.services.answer import NEAREST, NOTHING
from tests.api.conftest import Door
from tests.api.test_owners_word import answered, chat, nina, remembered

__all__ = ["nina"]


async def test_what_has_many_values_tells_them_all_and_a_number_counts_the_same(nina: Door) -> None:
    await remembered(nina, "I am allergic to peanuts and dogs.")
    await remembered(nina, "I am allergic to cats.")
    first = (await answered(nina, "What am I allergic to?"))[0]
    assert first == "As far as I know: cats, peanuts, dogs."
    assert (await answered(nina, "How many things am I allergic to?"))[0] == "At least three: cats, peanuts, dogs."
    assert (await answered(nina, "Am I allergic to dogs?"))[0] == "Yes: You are allergic to peanuts and dogs"


async def test_a_remembered_promise_has_by_to_due_and_source_and_answers(nina: Door) -> None:
    await remembered(nina, "I promised Lena to send the photos by Friday.")
    await nina.settle()
    [promise] = (await nina.get("/v1/promises"))["promises"]
    assert (promise["by"], promise["to"], promise["state"]) == ("Nina", "Lena", "open")
    assert promise["due"] is not None
    assert promise["source"]["source_id"].startswith("told-")
    for question in ("Which promises are open?", "What did I promise Lena?", "Did I promise Lena the photos?"):
        first = (await answered(nina, question))[0].removeprefix("Yes: ")
        assert first.startswith("You promised Lena to send the photos by Friday"), question
        assert "due" in first
    assert (await answered(nina, "What did Lena promise me?"))[0] in (NOTHING, NEAREST)


async def test_to_be_reminded_of_something_is_no_promise(nina: Door) -> None:
    await remembered(nina, "Remind me that the bins go out on Monday.")
    await nina.settle()
    assert (await nina.get("/v1/promises"))["promises"] == []


@pytest.mark.parametrize("kept", ["I dropped off the drill yesterday", "dropped off the drill yesterday"])
async def test_a_promise_that_was_kept_in_other_words_is_kept_and_asked_about(nina: Door, kept: str) -> None:
    await nina.post(
        "/v1/sources",
        chat("s1", "2026-03-02", ("Nina", "I'll give you your drill back by Sunday."), ("Tom", "great")),
        202,
    )
    await nina.settle()
    assert [each["state"] for each in (await nina.get("/v1/promises"))["promises"]] == ["expired"]
    await nina.post("/v1/sources", chat("s2", "2026-03-07", ("Nina", kept)), 202)
    await nina.settle()
    [promise] = (await nina.get("/v1/promises"))["promises"]
    assert (promise["state"], promise["kept_on"][:10]) == ("kept", "2026-03-06")
    first = (await answered(nina, "Did I return the drill?"))[0]
    assert first.startswith("Yes, on 6 March 2026: ")


async def test_the_day_a_promise_is_due_is_that_of_the_clock_by_which_it_was_made(nina: Door) -> None:
    said = chat("s1", "2026-03-20", ("Nina", "I promised Lena to send the photos by 31 March."))
    await nina.post("/v1/sources", said | {"started_at": "2026-03-20T10:00:00-11:00"}, 202)
    first = (await answered(nina, "What did I promise Lena?"))[0]
    assert "overdue since 31 March 2026" in first


async def test_only_the_sentence_that_answers_is_quoted_from_a_long_turn(nina: Door) -> None:
    long = (
        "It rained all morning and we stayed in and played cards until lunch was ready. The kayak costs two hundred at "
        "the harbour shop. After that everybody slept and nothing much happened for the rest of the day."
    )
    await nina.post("/v1/sources", chat("s1", "2026-03-02", ("Tom", long)), 202)
    told = await nina.post("/v1/ask", {"query": "What does the kayak cost?", "cut": "none"})
    assert "rained" not in told["answer"]
    assert "two hundred" in told["answer"]
    assert any("rained" in each["text"] for each in told["results"])


async def test_what_does_not_answer_stands_below_a_word_of_caution(nina: Door) -> None:
    turns = ("Tom", "Sander and I broke up."), ("Nina", "my birthday cake please, no raisins")
    await nina.post("/v1/sources", chat("s1", "2026-03-02", *turns), 202)
    for question in ("What is Sander's job?", "What is Tom's phone number?"):
        assert (await answered(nina, question))[0] in (NOTHING, NEAREST), question


async def test_a_later_change_comes_before_what_it_changed(nina: Door) -> None:
    await nina.post("/v1/sources", chat("s1", "2026-03-02", ("Tom", "new wifi password from today: pigeon-9920")), 202)
    await nina.post("/v1/sources", chat("s2", "2026-03-09", ("Tom", "the wifi password is new again, otter-118")), 202)
    assert "otter-118" in (await answered(nina, "What is the wifi password?"))[0]


async def test_what_was_promised_by_a_past_day_is_told_by_facts(nina: Door) -> None:
    turns = ("Nina", "I promised Lena to send the photos by Friday."), ("Nina", "I promised Lena to call the bank.")
    await nina.post("/v1/sources", chat("s1", "2026-03-02", *turns), 202)
    await nina.settle()
    asked = {"query": "What did I promise Lena?", "as_of": "2026-03-10", "cut": "none"}
    first = (await nina.post("/v1/ask", asked))["answer"].splitlines()[0]
    assert "photos" in first
    assert "bank" in first


async def test_who_asks_for_everything_is_told_what_matters_most_in_their_own_person(nina: Door) -> None:
    for said in ("I live in Halle.", "I am allergic to peanuts.", "My brother Tom is a plumber."):
        await remembered(nina, said)
    told = await nina.post("/v1/ask", {"query": "What do you know about me?"})
    lead, *lines = told["answer"].splitlines()
    assert lead == "What I know about you:"
    assert any(line.startswith("You live in Halle - ") for line in lines)
    assert any(line.startswith("You are allergic to peanuts - ") for line in lines)
    assert {"I live in Halle.", "I am allergic to peanuts."} <= {each["text"] for each in told["citations"]}
    about_tom = await answered(nina, "Tell me about Tom")
    assert about_tom[0] == "What I know about Tom:"
    assert any("plumber" in line for line in about_tom[1:])
    assert (await answered(nina, "Tell me about Zoe"))[0] in (NOTHING, NEAREST)


async def test_what_is_to_be_done_by_a_day_ahead_is_not_told_as_over(nina: Door) -> None:
    await remembered(nina, "I told Felix I'd pay back the 300 euros by the end of the month.")
    told = await answered(nina, "What do you know about me?")
    assert any("300 euros" in line for line in told)
    assert not any(line.startswith("No longer") for line in told)


async def test_who_asks_what_happened_is_told_what_was_said_then_and_no_joke(nina: Door) -> None:
    turns = (
        ("Tom", "The launch moves to the fourteenth of May."),
        ("Nina", "I am marrying the mayor of Halle!"),
        ("Nina", "just kidding"),
    )
    await nina.post("/v1/sources", chat("s1", "2026-03-02", *turns), 202)
    await nina.post("/v1/sources", chat("s2", "2026-02-02", ("Tom", "We painted the old shed together.")), 202)
    told = await nina.post("/v1/ask", {"query": "What happened last week?", "now": "2026-03-10T12:00:00Z"})
    first, *lines = told["answer"].splitlines()
    assert first == "2 March 2026 to 8 March 2026: 1 session."
    assert [line.partition(" - ")[0] for line in lines] == ['"The launch moves to the fourteenth of May."']
    assert [each["text"] for each in told["citations"]] == ["The launch moves to the fourteenth of May."]


async def test_who_asks_what_has_changed_is_told_what_is_so_now_and_was_before(nina: Door) -> None:
    await remembered(nina, "I live in Leipzig.")
    await remembered(nina, "I moved to Halle.")
    first, *lines = await answered(nina, "What has changed?")
    assert first.startswith("What has changed since ")
    assert any(line.startswith("You live in Halle (since ") and "before: Leipzig" in line for line in lines)
