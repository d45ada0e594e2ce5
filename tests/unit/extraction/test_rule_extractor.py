"""The extractor as a port: who is heard, who is not, and what a joke takes back."""

from __future__ import annotations

from dataclasses import replace

from adapters.extraction.rules import RuleExtractor, read
from tests.unit.extraction.conftest import said

MOVED = "I moved to Lisbon."


async def test_the_port_reads_utterances_in_order() -> None:
    result = await RuleExtractor().read(said(("Ana", MOVED), ("Ben", "I work at Bosch.")))
    assert [(c.segment_key, c.subject) for c in result.claims] == [(0, "Ana"), (0, "Ana"), (1, "Ben")]
    assert result.extractor == "rules"


async def test_nothing_said_is_nothing_read() -> None:
    result = await RuleExtractor().read(())
    assert (result.claims, result.sightings) == ((), ())


def test_an_assistant_and_a_tool_are_no_evidence() -> None:
    for role in ("assistant", "tool"):
        result = read(said(("Bot", MOVED), role=role))
        assert (result.claims, result.sightings) == ((), ())


def test_other_languages_claim_nothing() -> None:
    utterances = [replace(u, language="fr") for u in said(("Ana", "J'habite à Berlin."))]
    assert read(utterances).claims == ()


def test_a_programme_is_nobody() -> None:
    result = read(said(("TV", MOVED), ("Radio 4", MOVED)))
    assert (result.claims, result.sightings) == ((), ())


def test_what_is_played_or_read_in_answer_is_not_meant() -> None:
    assert read(said(("Ben", "Okay, you be the customer and I'm the shop."), ("Ana", "I'm a farmer."))).claims == ()
    assert read(said(("Ben", "What does the letter say?"), ("Ana", "I am moving out in May."))).claims == ()


def test_context_gives_meaning_and_claims_nothing() -> None:
    context, fresh = said(("Ana", "My sister Jane called."), ("Ana", "She works at Bosch."))
    result = read([replace(context, context_only=True), fresh])
    assert {(c.segment_key, c.subject, c.object) for c in result.claims} == {(1, "Jane", "Bosch")}


def test_a_joke_takes_back_what_was_said_just_before_it() -> None:
    result = read(
        said(("Ana", "I work at Bosch. I married a giraffe."), ("Ben", "I work at Siemens."), ("Ana", "Just kidding!"))
    )
    assert [(c.subject, c.predicate) for c in result.claims] == [("Ana", "works_at"), ("Ben", "works_at")]


def test_somebody_elses_joke_takes_nothing_back() -> None:
    assert read(said(("Ana", "I work at Bosch."), ("Ben", "Just kidding!"))).claims != ()


def test_reading_twice_gives_the_same() -> None:
    turns = said(("Ana", "I moved to Lisbon last month and my sister Jane visited."), ("Ben", "Nice!"))
    assert read(turns) == read(turns)


def test_odd_input_is_survived() -> None:
    odd = [
        "\x00\ud800",
        "?" * 500,
        "a" * 20_000,
        "I " * 3_000,
        "((((",
        "\n\n\n",
        "«Привет»",
        "😀" * 300,
        "I'm 5 / 0 / 99/99/9999.",
    ]
    assert read(said(*(("Ana", text) for text in odd))).extractor == "rules"


def test_what_is_to_be_done_is_a_promise_and_asserts_nothing() -> None:
    text = "I live in Ghent.\n- [ ] Klempner anrufen 📅 2023-06-01\n- [x] I bought a boat\nI work at Acme."
    seen = read(said(("Ana", text)))
    assert {claim.statement for claim in seen.claims} == {"Ana lives in Ghent", "Ana works at Acme"}
    [promise] = [each for each in seen.sightings if each.type == "promise"]
    assert promise.properties == {"by": "Ana", "to": None, "due": "2023-06-01T23:59:59Z", "text": "Klempner anrufen"}
    assert {each.name for each in seen.sightings if each.type == "person"} == {"Ana"}
    assert all(each.quote and each.quote in text for each in (*seen.sightings, *seen.claims))
    [speaker, promise] = read(said(("Ana", "☐ call Ben"))).sightings
    assert (speaker.name, speaker.quote, promise.quote) == ("Ana", "☐ call Ben", "☐ call Ben")
