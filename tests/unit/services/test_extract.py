"""What is read is stated of the owner's name, whatever label the words carry, and one batch is read ahead."""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Mapping, Sequence
from zoneinfo import ZoneInfo

import pytest

from adapters.embedding.hashing import HashingEmbedder
from adapters.inmemory.journal import InMemoryJournal
from adapters.inmemory.sources import InMemorySources
from memory.errors import ModelFailed, Unavailable
from memory.model.claims import Claim, Reading, Utterance
from memory.model.commands import AcceptReading
from memory.model.profile import Profile
from memory.model.sources import Segment, Source
from memory.model.waiting import DueSource
from memory.ports import Unread, Vector
from memory.services.extract import ReadingParts, read_source
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

    task = DueSource("user:maya", "diary", "read", "maya")
    asyncio.run(read_source(task, heard, ReadingParts(ScriptedExtractor(WORDS), HashingEmbedder(), submit, 16)))
    assert [read.speaker for command in taken for read in command.read] == [claim.subject for claim in taken[0].claims]
    return taken[0].claims


def test_what_me_wrote_is_told_of_the_owner() -> None:
    owner = Profile("Maya", speaker_labels=("me", "SPEAKER_00"))
    assert [claims_of(owner, label)[0].subject for label in ("me", "speaker_00", "Maya", "Ben")] == [
        "Maya",
        "Maya",
        "Maya",
        "Ben",
    ]


def read_at(profile: Profile, offset_s: int) -> list[Utterance]:
    """What an extractor gets of a source of 12:00 UTC on 20 October 2026."""
    heard, taken = Heard(profile), list[Utterance]()
    segment = Segment("1", "me", "I live in Lisbon.", 0.0, 1.0)
    heard.store(Source("diary", "user:maya", "note", 1_792_497_600.0, offset_s=offset_s, segments=(segment,)))

    class Telling(ScriptedExtractor):
        async def read(self, utterances: Sequence[Utterance]) -> Reading:
            taken.extend(utterances)
            return await super().read(utterances)

    async def submit(user_id: str, command: AcceptReading, vectors: Mapping[str, Vector]) -> None:
        return None

    task = DueSource("user:maya", "diary", "read", "maya")
    asyncio.run(read_source(task, heard, ReadingParts(Telling(WORDS), HashingEmbedder(), submit, 16)))
    return taken


def test_what_was_said_at_home_is_read_by_the_clocks_of_home() -> None:
    berlin = Profile("Maya", time_zone="Europe/Berlin")
    assert [each.clock for each in read_at(berlin, 7200)] == [ZoneInfo("Europe/Berlin")]
    assert [each.clock for each in read_at(berlin, 32_400)] == [32_400], "she was in Tokyo"
    assert [each.clock for each in read_at(Profile("Maya"), 7200)] == [7200], "nobody said where she lives"


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
    keys: dict[int, str] = {}

    async def submit(user_id: str, command: AcceptReading, vectors: Mapping[str, Vector]) -> None:
        word = keys.setdefault(command.read[0].segment_key, "abc"[len(keys)])
        await asyncio.sleep(0)
        if word == breaks_at:
            raise Unavailable("The shard is away.")
        told.append(f"took {word}")

    task = DueSource("user:maya", "diary", "read", "maya")
    await read_source(task, heard, ReadingParts(extractor, HashingEmbedder(), submit, 1))


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


class Watched(ScriptedExtractor):
    """Counts how many readings are under way at once; one of them may never end."""

    def __init__(self, breaks_at: str = "", hangs_at: str = "") -> None:
        super().__init__(WORDS)
        self._breaks_at, self._hangs_at = breaks_at, hangs_at
        self.under_way = self.most = 0
        self.hangs = asyncio.Event()

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(0)
            if utterances[-1].text == self._hangs_at:
                self.hangs.set()
                await asyncio.Event().wait()
            if utterances[-1].text == self._breaks_at:
                raise ModelFailed("The model is gone.")
            return await super().read(utterances)
        finally:
            self.under_way -= 1


async def complaints_of(act: Callable[[], Awaitable[object]]) -> list[str]:
    """What the event loop complains of that nobody has caught, once what `act` left is collected."""
    told: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context["message"]))
    await act()
    gc.collect()
    await asyncio.sleep(0)
    return told


async def test_one_batch_is_read_at_a_time() -> None:
    extractor = Watched()
    await read_in_ones([], extractor)
    assert extractor.most == 1, "a server with one slot keeps its prompt, and a parser is not asked by two threads"


async def test_where_the_first_batch_breaks_no_other_is_begun() -> None:
    told: list[str] = []
    with pytest.raises(ModelFailed):
        await read_in_ones(told, Slow(told, breaks_at="a"))
    assert told == ["read a"]


async def test_what_was_read_ahead_and_broke_as_well_is_no_complaint() -> None:
    async def act() -> None:
        with pytest.raises(Unavailable):
            await read_in_ones([], Watched(breaks_at="b"), breaks_at="a")

    assert await complaints_of(act) == []


@pytest.mark.parametrize("word", ["a", "b", "c"])
async def test_who_is_cancelled_leaves_no_reading_under_way(word: str) -> None:
    extractor = Watched(hangs_at=word)

    async def act() -> None:
        reading = asyncio.ensure_future(read_in_ones([], extractor))
        await extractor.hangs.wait()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading

    assert await complaints_of(act) == []
    assert extractor.under_way == 0


async def commands_of(heard: InMemorySources) -> list[AcceptReading]:
    """What is submitted of the diary."""
    taken: list[AcceptReading] = []

    async def submit(user_id: str, command: AcceptReading, vectors: Mapping[str, Vector]) -> None:
        taken.append(command)

    task = DueSource("user:maya", "diary", "read", "maya")
    await read_source(task, heard, ReadingParts(ScriptedExtractor(WORDS), HashingEmbedder(), submit, 1))
    return taken


def in_revision(revision: int) -> Heard:
    heard = Heard(Profile())
    words = (Segment(str(at), "Maya", "I live in Lisbon.", float(at), at + 1.0, revision=revision) for at in range(2))
    heard.store(Source("diary", "user:maya", "note", 1_772_352_000.0, segments=tuple(words)))
    return heard


async def test_each_revision_is_read_by_a_command_of_its_own() -> None:
    first, again, told_again = [await commands_of(in_revision(number)) for number in (1, 1, 2)]
    assert first == again, "what was submitted, and perhaps committed, and is read once more is the same command"
    assert not {each.command_id for each in first} & {each.command_id for each in told_again}


class Hidden(Heard):
    """A source of which two segments that were read have been hidden, and nothing is unread."""

    def __init__(self, revision: int) -> None:
        super().__init__(Profile())
        self._revision = revision

    async def unread(self, user_id: str, scope: str, source_id: str, limit: int) -> Unread:
        return Unread((), withdrawn={7: self._revision, 8: 2})


async def test_what_is_hidden_once_more_is_withdrawn_once_more() -> None:
    (first,), (again,), (later,) = [await commands_of(Hidden(revision)) for revision in (2, 2, 4)]
    assert first == again
    assert (later.withdrawn, later.command_id != first.command_id) == ((7, 8), True)
