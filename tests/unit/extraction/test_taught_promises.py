"""Promises as a taught head tells them: what it sees, what it marks, and what the rules make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adapters import build_models
from adapters.embedding.hashing import HashingEmbedder
from adapters.embedding.minilm import ReadPieces, TaughtMiniLmEmbedder
from adapters.extraction.promise_features import BUCKETS, SIGNS, line_of, runs, seen, sentences, signs
from adapters.extraction.promise_head import SEEN, PromiseHead, load_head
from adapters.extraction.rules import RuleExtractor, read
from adapters.extraction.taught_promises import PromiseReader, PromiseWeights, marked
from adapters.model_files import PROMISE_HEAD
from config.settings import load
from memory.errors import ConfigError
from memory.model.claims import Claim, Sighting, Utterance
from memory.ports import Embedder
from tests.unit.extraction.conftest import said

TALK = ("Pia", "Did you get home all right?")


@pytest.fixture(scope="module")
def head() -> PromiseHead:
    return load_head(PROMISE_HEAD.checked(PROMISE_HEAD.find()))


@pytest.fixture(scope="module")
def encoder() -> TaughtMiniLmEmbedder:
    return TaughtMiniLmEmbedder()


def promised(utterances: Sequence[Utterance]) -> list[Sighting]:
    return [each for each in read(utterances).sightings if each.type == "promise"]


def told(text: str, promise: bool) -> list[Utterance]:
    """Nora says it to Pia, and a head has said so of it."""
    first, last = said(TALK, ("Nora", text))
    return [first, replace(last, promises=((text, promise),))]


@pytest.mark.parametrize(
    ("text", "to", "due"),
    [
        ("I'll bring it Friday after work, promise.", "Pia", "2023-05-26T23:59:59Z"),
        ("I told Felix I'd pay back the 300 euros by the end of the month", "Felix", "2023-05-31T23:59:59Z"),
        ("I'll drop it off tomorrow", "Pia", "2023-05-26T23:59:59Z"),
        ("You'll have it by Friday.", "Pia", "2023-05-26T23:59:59Z"),
    ],
)
def test_what_the_rules_read_as_plain_talk_is_a_promise(
    head: PromiseHead, encoder: TaughtMiniLmEmbedder, text: str, to: str, due: str
) -> None:
    utterances = said(TALK, ("Nora", text))
    assert promised(utterances) == []
    (promise,) = promised(marked(utterances, head, encoder))
    assert (promise.properties["by"], promise.properties["to"], promise.properties["due"]) == ("Nora", to, due)
    assert promise.quote == text


@pytest.mark.parametrize(
    "text",
    [
        "It was lovely, thanks.",
        "I'll be forty in June.",
        "Maybe I could bring it.",
        "I paid him back yesterday.",
        "Will you bring it tomorrow?",
        "He'll bring it on Friday.",
    ],
)
def test_what_promises_nothing_is_not_marked(head: PromiseHead, encoder: TaughtMiniLmEmbedder, text: str) -> None:
    assert not any(so for each in marked(said(TALK, ("Nora", text)), head, encoder) for _, so in each.promises)


def test_what_is_no_evidence_is_not_marked(head: PromiseHead, encoder: TaughtMiniLmEmbedder) -> None:
    text = "I'll drop it off tomorrow"
    silent = [*said(("Bot", text), role="assistant"), replace(said(("Nora", text))[0], context_only=True)]
    assert marked(silent, head, encoder) == silent


def claim(text: str) -> Claim:
    return next(each for each in read(told(text, True)).claims if each.subject == "Nora")


def test_a_promise_that_was_told_is_ahead_and_no_event_of_its_day() -> None:
    owed = claim("I told Felix I'd pay back the 300 euros by the end of the month")
    assert (owed.predicate, owed.tense, owed.valid_to) == ("promises", "plan", None)
    assert owed.due is not None
    assert owed.due > owed.valid_from  # type: ignore[operator]


def test_of_a_sentence_that_tells_more_the_undertaking_alone_is_promised() -> None:
    text = "I have sent the first part, I'll bring the rest tomorrow."
    (promise,) = promised(told(text, True))
    assert promise.properties["text"] == "I'll bring the rest tomorrow"


@pytest.mark.parametrize("text", ["Maybe I'll bring it, just kidding!", "Will I bring it tomorrow?"])
def test_what_the_rules_take_for_no_statement_stays_none(text: str) -> None:
    assert promised(told(text, True)) == []


def test_a_head_takes_back_a_deed_and_no_vow() -> None:
    assert promised(told("I'll send you the photos.", False)) == []
    assert promised(told("I promise to send you the photos.", False))


async def test_without_its_encoder_it_says_nothing(head: PromiseHead) -> None:
    async def hashing() -> HashingEmbedder:
        return HashingEmbedder()

    utterances = said(TALK, ("Nora", "I'll drop it off tomorrow"))
    reading = await PromiseReader(RuleExtractor(), lambda: PromiseWeights(head, None), hashing).read(utterances)
    assert reading == read(utterances)


def test_a_sentence_is_seen_where_it_stands() -> None:
    utterance = said(("Nora", "Fine. I'll bring it!"))[0]
    line, shift = line_of(utterance)
    (_, span) = sentences(utterance.text)
    assert line[span[0] + shift : span[1] + shift] == "I'll bring it!"
    hidden = np.array([[1.0, 0.0], [6.0, 4.0], [0.0, 4.0]], np.float32)
    pieces = ReadPieces(np.array([[0, 4], [6, 10], [10, 12]]), hidden)
    assert seen(pieces, (6, 12)).tolist() == pytest.approx([0.6, 0.8, 6.0, 4.0])
    assert not seen(pieces, (20, 30)).any(), "the encoder has not come so far"


def test_hostile_text_is_bounded_and_read(head: PromiseHead, encoder: TaughtMiniLmEmbedder) -> None:
    texts = ("I'll bring \ud800 it tomorrow", "I'll bring it " * 20_000, "." * 50_000, "", "\x00")
    utterances = said(*(("Nora", text) for text in texts))
    assert [each.text for each in marked(utterances, head, encoder)] == list(texts)
    assert max(len(line_of(each)[0]) for each in utterances) < 4_000


def test_features_have_their_size() -> None:
    utterance = said(("Nora", "I'll bring 2."))[0]
    assert signs(utterance, (0, 13), 0, True).shape == (SIGNS,)
    places = runs("I'll bring, I'll bring")
    assert len(set(places.tolist())) == len(places)
    assert places.max() < BUCKETS


def test_a_head_of_another_shape_is_refused(tmp_path: Path, head: PromiseHead) -> None:
    head.save(tmp_path / "head.npz")
    again = load_head(tmp_path / "head.npz")
    assert (again.encoder, again.cut, again.gate) == (head.encoder, head.cut, head.gate)
    replace(head, dense=np.zeros(SEEN, np.float32)).save(tmp_path / "short.npz")
    with pytest.raises(ConfigError, match="does not fit"):
        load_head(tmp_path / "short.npz")


@pytest.mark.parametrize(
    ("told", "marks"),
    [({}, True), ({"extraction": {"promises": "rules"}}, False), ({"encoder": {"kind": "minilm-int8"}}, False)],
)
def test_the_settings_say_whether_a_head_marks(
    tmp_path: Path, encoder: TaughtMiniLmEmbedder, told: dict[str, object], marks: bool
) -> None:
    async def serving() -> Embedder:
        return encoder

    asked, last = build_models.readers(load(tmp_path, {"models": told}, {}), serving)
    assert [isinstance(each, PromiseReader) for each in (asked, last)] == [marks, marks]
    assert asked.name == "taught"
