"""Promises of casual talk, from the words to the list and the answer, by the rules and the taught head."""

from __future__ import annotations

from adapters.embedding.minilm import TaughtMiniLmEmbedder
from adapters.extraction.rules import RuleExtractor
from adapters.extraction.taught_promises import PromiseReader, load_weights
from memory.ports import Embedder
from tests.api.conftest import Door
from tests.api.test_owners_word import answered, chat, nina

__all__ = ["nina"]
TURNS = (
    ("Pia", "Do you still have the drill?"),
    ("Nina", "I'll drop it off on Friday after work"),
    ("Pia", "great"),
    ("Nina", "I told Felix I'd pay back the 300 euros by the end of the month."),
    ("Pia", "It was sunny all week"),
)


async def test_what_is_undertaken_in_passing_is_listed_and_answers(nina: Door) -> None:
    encoder = TaughtMiniLmEmbedder()

    async def serving() -> Embedder:
        return encoder

    nina.actors.extractor = PromiseReader(RuleExtractor(), load_weights, serving)
    await nina.post("/v1/sources", chat("s1", "2026-03-02", *TURNS), 202)
    await nina.settle()
    listed = (await nina.get("/v1/promises"))["promises"]
    told = {(each["by"], each["to"], (each["due"] or "")[:10]) for each in listed}
    assert told == {("Nina", "Pia", "2026-03-06"), ("Nina", "Felix", "2026-03-31")}
    first = (await answered(nina, "What did I promise Felix?"))[0]
    assert "300 euros" in first
    assert "due 31 March 2026" in first or "overdue" in first
    await nina.post(
        "/v1/sources", chat("s2", "2026-03-07", ("Nina", "I paid Felix back the 300 euros yesterday.")), 202
    )
    await nina.settle()
    assert len((await nina.get("/v1/promises"))["promises"]) == 2, "what is over is no further promise"


async def test_a_promise_that_points_is_told_with_the_words_that_it_answers(nina: Door) -> None:
    encoder = TaughtMiniLmEmbedder()

    async def serving() -> Embedder:
        return encoder

    nina.actors.extractor = PromiseReader(RuleExtractor(), load_weights, serving)
    turns = (("Pia", "The dishwasher filter is full again"), ("Nina", "I'll clean it tonight, promise"))
    await nina.post("/v1/sources", chat("s1", "2026-03-02", *turns), 202)
    await nina.settle()
    first = (await answered(nina, "What did I promise Pia?"))[0]
    assert "I'll clean it tonight" in first
    assert "answering 'The dishwasher filter is full again'" in first
    assert "clean it tonight" in (await answered(nina, "Did I promise to clean the filter?"))[0]
