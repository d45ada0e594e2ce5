"""What is read is stated of the owner's name, whatever label the words carry."""

import asyncio
from collections.abc import Mapping

from adapters.embedding.hashing import HashingEmbedder
from adapters.inmemory.journal import InMemoryJournal
from adapters.inmemory.sources import InMemorySources
from memory.model.claims import Claim
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
