"""What is read is stated of the owner's name, whatever label the words carry, and one batch is read ahead."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from adapters.embedding.hashing import HashingEmbedder
from adapters.inmemory.journal import InMemoryJournal
from adapters.inmemory.sources import InMemorySources
from memory.errors import ModelFailed, Unavailable
from memory.model.claims import Claim, Reading, Utterance
from memory.model.commands import AcceptReading
from memory.model.profile import Profile
from memory.model.sources import Segment, Source
from memory.ports import Vector
from memory.services.extract import read_source
from tests.fakes.extractor import ScriptedExtractor

WORDS = {"I live in Lisbon.": ("lives_in", "Lisbon", "lives in Lisbon")}


class Heard(InMemorySources):
    """Sources of an owner with this profile."""

    def __init__(self, profile: Profile) -> None:
        super().__init__(InMemoryJournal())
        self._profile = profile

    async def profile(self, user_id: str) -> Profile:
        return self._profile


def claims_of(profile: Profile, speaker: str) -> tuple[Claim, ...]:
    heard, taken = Heard(profile), []
    segment = Segment("1", speaker, "I live in Lisbon.", 0.0, 1.0)
    heard.store(Source("diary", "user:maya", "note", 1_772_352_000.0, segments=(segment,)))

    async def submit(user_id: str, command: AcceptReading, vectors: Mapping[str, Vector]) -> None:
        taken.append(command)

    task = {"user_id": "maya", "scope": "user:maya", "source_id": "diary"}
    asyncio.run(read_source(task, heard, ScriptedExtractor(WORDS), HashingEmbedder(), submit, 16))
    assert [read.speaker for command in taken for read in command.read] == [claim.subject for claim in taken[0].claims]
    return taken[0].claims


def test_what_me_wrote_is_told_of_the_owner() -> None:
    owner = Profile("Maya", speaker_labels=("me", "SPEAKER_00"))
    assert [claims_of(owner, label)[0].subject for label in ("me", "speaker_00", "Maya", "Ben")] == [
        "Maya", "Maya", "Maya", "Ben",
    ]  # fmt: skip


def test_an_owner_without_a_name_keeps_the_label() -> None:
    assert claims_of(Profile(), "me")[0].subject == "me"


class Slow(ScriptedExtractor):
    """Tells when it begins to read, and breaks at what it is told to."""

    def __init__(self, told: list[str], breaks_at: str = "") -> None:
        super().__init__(WORDS)
        self._told, self._breaks_at = told, breaks_at

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        text = utterances[-1].text
        self._told.append(f"read {text}")
        if text == self._breaks_at:
            raise ModelFailed("The model is gone.")
        return await super().read(utterances)


async def read_in_ones(told: list[str], extractor: ScriptedExtractor, breaks_at: str = "") -> None:
    """Three words of one source, a batch each; breaking where a batch is submitted."""
    heard = Heard(Profile())
    segments = tuple(Segment(word, "Maya", word, float(at), at + 1.0) for at, word in enumerate(("a", "b", "c")))
    heard.store(Source("diary", "user:maya", "note", 1_772_352_000.0, segments=segments))
    keys = {}

    async def submit(user_id: str, command: AcceptReading, vectors: Mapping[str, Vector]) -> None:
        word = keys.setdefault(command.read[0].segment_key, "abc"[len(keys)])
        await asyncio.sleep(0)
        if word == breaks_at:
            raise Unavailable("The shard is away.")
        told.append(f"took {word}")

    task = {"user_id": "maya", "scope": "user:maya", "source_id": "diary"}
    await read_source(task, heard, extractor, HashingEmbedder(), submit, 1)


async def test_while_one_batch_is_taken_in_the_next_is_read_and_none_further() -> None:
    told: list[str] = []
    await read_in_ones(told, Slow(told))
    assert told == ["read a", "read b", "took a", "read c", "took b", "took c"]


async def test_what_was_read_before_a_batch_that_breaks_is_taken_in() -> None:
    told: list[str] = []
    with pytest.raises(ModelFailed):
        await read_in_ones(told, Slow(told, breaks_at="b"))
    assert told == ["read a", "read b", "took a"]


async def test_nothing_is_taken_in_after_a_batch_that_was_not() -> None:
    told: list[str] = []
    with pytest.raises(Unavailable):
        await read_in_ones(told, Slow(told), breaks_at="a")
    assert told == ["read a", "read b"]
