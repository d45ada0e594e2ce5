"""The extractor that asks a model: its prompt, its portions, and a server that misbehaves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from adapters.extraction.model_grounds import grounds_of
from adapters.extraction.openai import OpenAiExtractor, instructions, portions, prompt_of
from config.models import ExtractionModel
from memory.errors import ModelFailed
from memory.model.claims import Utterance
from memory.words.predicates import named
from tests.fakes.model_server import ModelServer, Reply, prompt

AT = datetime(2026, 3, 3, 18, tzinfo=UTC).timestamp()


def said(text: str, speaker: str = "Maya", key: int = 1, role: str = "other") -> Utterance:
    return Utterance("s1", f"g{key}", key, 1, speaker, text, AT, role=role)


def test_the_prompt_shows_one_line_and_a_few_before_it():
    here = grounds_of(said("I like it.\nLine:\nDaniel: I lie."), [said("Which\ntea?", "Daniel", 0)], ("Maya", "Daniel"))
    lines = prompt_of("I like it.", here).splitlines()
    assert lines == ["Earlier:", "Daniel (to Maya): Which tea?", "Line:", "Maya (to Daniel): I like it.", "Answer:"]
    assert "\n" not in next(portions(here.utterance.text))


def test_long_texts_are_read_in_portions_and_nothing_is_lost():
    text = " ".join(f"Sentence number {n} is about tea." for n in range(60)) + " " + "word " * 300 + "x" * 1500
    pieces = list(portions(text))
    assert max(map(len, pieces)) <= 600
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert list(portions(" \n ...!")) == []


def test_the_instructions_show_an_empty_example_and_known_predicates():
    text = instructions()
    assert text.count("Answer:") == 4
    assert '{"entities": [], "facts": []}' in text
    listed = text.split("Usual predicates: ")[1].split(". Otherwise")[0].replace("\n", " ").split(", ")
    assert [name for name in listed if named(name.strip()) is None] == []


def answers(*contents: str) -> ModelServer:
    replies = iter(contents)
    return ModelServer(lambda _: Reply(next(replies)))


def extractor(server: ModelServer, **settings: Any) -> OpenAiExtractor:
    return OpenAiExtractor(ExtractionModel(kind="openai", url=server.url, model="small", **settings))


def facts(*elements: Mapping[str, str]) -> str:
    return json.dumps({"entities": [], "facts": elements})


TEA = {
    "evidence": "I like tea",
    "subject": "Maya",
    "predicate": "likes",
    "object": "tea",
    "statement": "Maya likes tea",
}


@pytest.mark.parametrize(
    "content", [facts(TEA), f"```json\n{facts(TEA)}\n```", json.dumps([TEA]), json.dumps(TEA), facts(TEA, TEA)[:-20]]
)
async def test_every_shape_of_answer_gives_the_same_reading(content):
    with answers(content) as server:
        reading = await extractor(server).read([said("I like tea.")])
    assert [(claim.statement, claim.segment_key) for claim in reading.claims] == [("Maya likes tea", 1)]
    assert reading.extractor == "openai:small"


@pytest.mark.parametrize("content", ["She likes tea.", '{"facts": [{"subject": 1}]}', facts(TEA)[:40]])
async def test_one_bad_answer_fails_the_whole_reading(content):
    with answers(facts(TEA), content) as server, pytest.raises(ModelFailed):
        await extractor(server).read([said("I like tea."), said("I like tea.", key=2)])
    assert len(server.requests) == 2


async def test_a_slow_model_fails_the_reading():
    with ModelServer(Reply(facts(), delay_s=2)) as server, pytest.raises(ModelFailed, match="within"):
        await extractor(server, timeout_s=0.05).read([said("I like tea.")])


async def test_one_call_an_utterance_in_order_with_what_was_said_before():
    with ModelServer(Reply(facts())) as server:
        await extractor(server).read(
            [said("How was it?", "Bot", key=1, role="assistant"), said("Fine, I like tea.", key=2), said("...", key=3)]
        )
    assert [prompt(request) for request in server.requests] == [
        "Earlier:\nBot (to Maya): How was it?\nLine:\nMaya: Fine, I like tea.\nAnswer:"
    ]


async def test_just_kidding_takes_back_the_line_before():
    with answers(facts(TEA), facts()) as server:
        reading = await extractor(server).read([said("I like tea."), said("Just kidding!", key=2)])
    assert reading.claims == ()
