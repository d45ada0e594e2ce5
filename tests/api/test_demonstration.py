"""The sample conversation, told to the real memory: what it must and must not make of it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO

import pytest
import uvicorn

from adapters.hearing.apart import ApartEar
from cli import demo, demo_sound
from config.models import SpeechModel
from deployments.gateway import create_app
from memory.model.sound import HeardSentence, HeardSound, HeardVoice, SoundFacts
from memory.services.ears import MISSING, Ear
from tests.api.conftest import Door
from tests.contract.test_hearing import needs_extra
from tests.fakes.ear import FakeEar

DEMO: dict[str, Any] = json.loads((files("cli") / "demo_conversation.json").read_text(encoding="utf-8"))


@pytest.fixture
async def url(door: Door) -> AsyncIterator[str]:
    """The door on a loopback port, for a client that knows nothing of this process."""
    config = uvicorn.Config(create_app(door.app), host="127.0.0.1", port=0, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    await serving


async def told(door: Door, url: str, ear: Ear, home: Path) -> None:
    """Run the demonstration as `memoray up` does, while this process does the worker's work."""
    thread = threading.Thread(target=demo.run, args=(url, "a" * 43, ear, home))
    thread.start()
    while thread.is_alive():
        await door.settle()
        await asyncio.sleep(0.02)


def lines_after(text: str, question: str) -> list[str]:
    """What stands below a question, as lines a narrow console has not broken."""
    return text.partition(f"{question}\n")[2].partition("\n\n")[0].splitlines()


SAID = (
    (1, "Good morning Paul. Did you book the train to Vienna?"),
    (2, "Yes, I booked it last night. We leave on Friday at nine."),
    (1, "Great. My sister lives in Vienna. She works as a nurse."),
    (2, "Then she can show us the old town. Are the tickets ready?"),
    (1, "Not yet. I promise to print the tickets by Thursday."),
    (2, "Thank you. I will bring my camera and some sandwiches."),
)


class EarOfTheSample(FakeEar):
    """Hears what the sample recording says."""

    async def hear(self, file: BinaryIO, language: str | None = None) -> HeardSound:
        sentences = [
            HeardSentence(said, 5.0 * place, 5.0 * place + 4, "en", (), voice)
            for place, (voice, said) in enumerate(SAID)
        ]
        voices = [HeardVoice(1, 11.0, "campp", (1.0, 0.0)), HeardVoice(2, 13.0, "campp", (0.0, 1.0))]
        return HeardSound(SoundFacts("2026-02-24T18:30:00+01:00"), 28.8, "whisper-base", sentences, voices)


async def test_the_demonstration_believes_what_was_meant_and_no_joke(
    door: Door, url: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ear = FakeEar(is_installed=False)
    await told(door, url, ear, tmp_path)
    first = capsys.readouterr().out
    memory = await door.app.stores.memory.journal.load(DEMO["user"])
    active = {(fact.predicate, fact.object) for fact in memory.facts.values() if fact.status == "active"}
    past = {(fact.predicate, fact.object) for fact in memory.facts.values() if fact.status == "superseded"}
    assert ("lives_in", "Ghent") in active
    assert ("lives_in", "Antwerp") in past
    assert ("prefers", "green tea") in active
    assert ("prefers", "flat white") in past
    statements = " ".join(fact.statement for fact in memory.facts.values())
    assert "nickname is Pri" in statements
    assert "marry" not in statements
    assert "moon" not in statements
    assert "needs it" not in statements
    people = {entity.name: entity.aliases for entity in memory.entities.values() if entity.type == "person"}
    assert people.keys() == {"Nora", "Tomas", "Priyanka"}, "a dog is nobody's contact"
    assert people["Priyanka"] == ("Pri",)
    assert any(entity.type == "promise" for entity in memory.entities.values())
    assert all(question in first for question in DEMO["questions"])
    living, drinking, promising = [lines_after(first, question) for question in DEMO["questions"]]
    assert living[0] == "Nora lives in Ghent (since 31 January 2026; before: Antwerp)"
    assert living[1].endswith("[demo-03-phone-call/1]")
    assert living[2].endswith("[demo-01-breakfast/1]")
    assert drinking[0].startswith("Nora's favorite drink is green tea now (since 11 February 2026; before: a flat")
    assert drinking[1].endswith("[demo-04-voice-memo/1]")
    assert drinking[2].endswith("[demo-01-breakfast/3]")
    assert promising[0].startswith("Nora promises to send Tomas the photos")
    assert promising[1].endswith("[demo-03-phone-call/3]")
    assert MISSING in " ".join(first.split())
    await told(door, url, ear, tmp_path)
    assert "nothing was changed" in capsys.readouterr().out
    assert await door.app.stores.memory.journal.load(DEMO["user"]) == memory


async def test_with_the_extra_a_recording_is_told_once_and_asked_about(
    door: Door, url: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    await told(door, url, EarOfTheSample(), tmp_path)
    first = capsys.readouterr().out
    [question] = DEMO["questions_of_recording"]
    promised = lines_after(first, question)
    assert "print the tickets by Thursday" in promised[0], promised
    assert "Speaker 1 of 24 February" in promised[0], promised
    door.client.headers["X-User-Id"] = DEMO["user"]
    [made] = [each for each in (await door.get("/v1/promises"))["promises"] if "tickets" in each["text"]]
    assert (made["by"], made["due"][:10]) == ("Speaker 1 of 24 February", "2026-02-26"), made
    [source] = [each for each in (await door.get("/v1/sources"))["sources"] if each["source_id"].startswith("sound-")]
    await told(door, url, EarOfTheSample(), tmp_path)
    assert lines_after(capsys.readouterr().out, question) == promised
    assert (await door.client.delete(f"/v1/sources/{source['source_id']}")).status_code == 200
    await told(door, url, EarOfTheSample(), tmp_path)
    assert question not in capsys.readouterr().out, "what was forgotten stays forgotten"


@needs_extra
@pytest.mark.parametrize("kind", ["tiny.en", "base"])
async def test_the_sample_recording_is_heard_right(kind: Any) -> None:
    with (files("cli") / demo_sound.NAME).open("rb") as file:
        heard = await ApartEar(SpeechModel(kind=kind)).hear(file)
    words = " ".join(each.text for each in heard.sentences)
    assert plain(words) == plain(" ".join(said for _, said in SAID).replace("nine", "9"))
    assert {each.voice for each in heard.sentences} == {1, 2}
    assert heard.facts.recorded_at == "2026-02-24T18:30:00+01:00"


def plain(words: str) -> list[str]:
    """Words alone, as what is heard has other commas."""
    return "".join(each if each.isalnum() else " " for each in words.lower()).split()


def test_the_sample_recording_is_small() -> None:
    assert len((files("cli") / demo_sound.NAME).read_bytes()) < 150_000
