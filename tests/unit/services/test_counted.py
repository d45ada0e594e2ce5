"""Every reading counts from its beginning, and the count goes when it ended well or was not at fault."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from memory.errors import ModelFailed, ReadingEnded
from memory.model.claims import Reading, Utterance
from memory.services.counted import CountingExtractor
from tests.fakes.extractor import ScriptedExtractor
from tests.fakes.readers import Poisoned


class Attempts:
    """What was begun and has not ended well: key -> reason."""

    def __init__(self) -> None:
        self.tried: dict[int, str | None] = {}

    async def try_reading(self, user_id: str, scope: str, keys: Sequence[int]) -> None:
        self.tried |= dict.fromkeys(keys)

    async def end_reading(self, user_id: str, scope: str, keys: Sequence[int], reason: str | None = None) -> None:
        for key in keys:
            self.tried[key] = reason
            if reason is None:
                del self.tried[key]


WORDS = (
    Utterance("s", "1", 1, 1, "Ann", "It rained.", 1.7e9, context_only=True),
    Utterance("s", "2", 2, 1, "Ann", "It rains.", 1.7e9),
    Utterance("s", "3", 3, 1, "Ann", "It pours.", 1.7e9),
)


class Hanging(ScriptedExtractor):
    """Never ends; tells when it has begun."""

    def __init__(self) -> None:
        super().__init__({})
        self.begun = asyncio.Event()

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        self.begun.set()
        return await asyncio.Event().wait()  # type: ignore[return-value]


async def test_it_counts_before_it_begins_and_not_after_it_ended_well() -> None:
    attempts, hanging = Attempts(), Hanging()
    reading = asyncio.ensure_future(CountingExtractor(hanging, attempts, "ann", "user:ann").read(WORDS))
    await hanging.begun.wait()
    assert attempts.tried == {2: None, 3: None}, "killed now, this is what stays; context is not read"
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert attempts.tried == {}, "whoever no longer waits has nothing against these words"
    await CountingExtractor(ScriptedExtractor({}), attempts, "ann", "user:ann").read(WORDS)
    assert attempts.tried == {}


@pytest.mark.parametrize("error", [ReadingEnded("It took too long."), ValueError("secret words")])
async def test_what_words_do_counts_with_its_reason(error: Exception) -> None:
    attempts = Attempts()
    with pytest.raises(ReadingEnded):
        await CountingExtractor(Poisoned("It pours.", error), attempts, "ann", "user:ann").read(WORDS)
    assert set(attempts.tried) == {2, 3}
    assert not any("secret" in (reason or "") for reason in attempts.tried.values())
    assert all(attempts.tried.values())


async def test_a_model_that_is_away_is_held_against_nobody() -> None:
    attempts = Attempts()
    with pytest.raises(ModelFailed):
        await CountingExtractor(Poisoned("It pours.", ModelFailed("Away.")), attempts, "ann", "user:ann").read(WORDS)
    assert attempts.tried == {}
