"""The contract of the Extractor port, on every implementation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from adapters.embedding.minilm import TaughtMiniLmEmbedder
from adapters.extraction.openai import OpenAiExtractor
from adapters.extraction.rules import RuleExtractor
from adapters.extraction.taught import TaughtReader
from adapters.extraction.taught_promises import PromiseReader, load_weights
from config.models import ExtractionModel
from memory.model.claims import Utterance
from memory.ports import Embedder, Extractor
from tests.fakes.extractor import ScriptedExtractor
from tests.fakes.model_server import ModelServer, Reply, prompt

AT = datetime(2026, 3, 3, 18, tzinfo=UTC).timestamp()
MEANINGS = {
    "I live in Lisbon.": ("lives_in", "Lisbon", "Maya lives in Lisbon"),
    "I work at Farfield Robotics.": ("works_at", "Farfield Robotics", "Daniel works at Farfield Robotics"),
}
TALK = (
    ("Maya", "I live in Lisbon."),
    ("Daniel", "How do you like it there?"),
    ("Daniel", "I work at Farfield Robotics."),
    ("Maya", "Thanks, talk soon!"),
)


def understood(request: Mapping[str, Any]) -> Reply:
    """A model that reads the lines of TALK, and claims something of a question too."""
    line = prompt(request).split("Line:\n")[1].splitlines()[0]
    who, _, words = line.partition(": ")
    speaker = who.partition(" (")[0]
    meaning = MEANINGS.get(words) or (("likes", words, f"{speaker} likes it") if "?" in words else None)
    facts = []
    if meaning:
        predicate, object_, statement = meaning
        facts = [
            {"evidence": words, "subject": speaker, "predicate": predicate, "object": object_, "statement": statement}
        ]
    return Reply(json.dumps({"entities": [], "facts": facts}))


@pytest.fixture(scope="module", params=["rules", "taught", "promises", "openai", "scripted"])
def extractor(request) -> Iterator[Extractor]:
    if request.param == "rules":
        yield RuleExtractor()
    elif request.param == "taught":
        yield TaughtReader()
    elif request.param == "promises":
        yield _with_a_head()
    elif request.param == "scripted":
        yield ScriptedExtractor(MEANINGS)
    else:
        with ModelServer(understood) as server:
            yield OpenAiExtractor(ExtractionModel(kind="openai", url=server.url, model="scripted"))


def _with_a_head() -> Extractor:
    encoder = TaughtMiniLmEmbedder()

    async def serving() -> Embedder:
        return encoder

    return PromiseReader(RuleExtractor(), load_weights, serving)


@pytest.fixture
def talk() -> tuple[Utterance, ...]:
    return tuple(
        Utterance("s1", f"g{key}", key, 1, speaker, text, AT + 60 * key) for key, (speaker, text) in enumerate(TALK)
    )


async def test_nothing_in_nothing_out(extractor):
    reading = await extractor.read(())
    assert (reading.sightings, reading.claims) == ((), ())


async def test_it_signs_what_it_read(extractor, talk):
    assert extractor.name
    assert (await extractor.read(talk)).extractor == extractor.name


async def test_what_is_said_plainly_is_claimed_of_its_speaker(extractor, talk):
    claims = {(claim.subject, claim.predicate, claim.object) for claim in (await extractor.read(talk)).claims}
    assert ("Maya", "lives_in", "Lisbon") in claims
    assert ("Daniel", "works_at", "Farfield Robotics") in claims


async def test_every_quote_stands_in_its_utterance(extractor, talk):
    reading = await extractor.read(talk)
    text = {utterance.segment_key: utterance.text for utterance in talk}
    assert reading.sightings
    for found in (*reading.sightings, *reading.claims):
        assert found.quote in text[found.segment_key]


async def test_claims_are_weighed_and_dated(extractor, talk):
    for claim in (await extractor.read(talk)).claims:
        assert claim.confidence is not None
        assert 0 < claim.confidence <= 1
        assert 1 <= claim.importance <= 10
        assert claim.valid_from is not None


async def test_questions_and_thanks_claim_nothing(extractor, talk):
    claims = (await extractor.read(talk)).claims
    assert {claim.segment_key for claim in claims} <= {0, 2}


async def test_order_is_that_of_the_talk(extractor, talk):
    keys = [claim.segment_key for claim in (await extractor.read(talk)).claims]
    assert keys == sorted(keys)


@pytest.mark.parametrize("silent", [{"context_only": True}, {"role": "assistant"}, {"role": "tool"}])
async def test_context_assistants_and_tools_claim_nothing(extractor, talk, silent):
    reading = await extractor.read([replace(utterance, **silent) for utterance in talk])
    assert (reading.sightings, reading.claims) == ((), ())


async def test_context_before_a_line_changes_nothing_about_whose_line_it_is(extractor, talk):
    reading = await extractor.read([replace(talk[0], context_only=True), *talk[1:]])
    assert {claim.segment_key for claim in reading.claims} == {2}


async def test_the_same_words_again_are_read_alike(extractor, talk):
    assert await extractor.read(talk) == await extractor.read(talk)
