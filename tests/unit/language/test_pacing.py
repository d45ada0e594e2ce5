"""A model that answers in pieces is waited for as long as the settings say, and no longer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from memory.errors import ModelFailed
from memory.services.pacing import StreamLimits, paced

PACE = StreamLimits(first_s=0.5, next_s=0.4, whole_s=0.7)


class Model:
    """Says a word after each of these waits."""

    def __init__(self, *waits: float) -> None:
        self._waits = waits
        self.is_closed = False

    async def words(self) -> AsyncGenerator[str]:
        try:
            for wait in self._waits:
                await asyncio.sleep(wait)
                yield "word"
        finally:
            self.is_closed = True


async def test_pieces_in_time_are_passed_on() -> None:
    assert [each async for each in paced(Model(0.1, 0.0, 0.01).words(), PACE)] == ["word"] * 3


@pytest.mark.parametrize(
    ("waits", "heard", "why"),
    [
        ((5.0,), 0, r"did not answer within 0\.5 s"),
        ((0.0, 5.0), 1, r"paused for more than 0\.4 s"),
        ((0.0, *[0.02] * 100), 3, r"not come to an end within 0\.7 s"),
    ],
)
async def test_one_that_is_late_is_closed(waits: tuple[float, ...], heard: int, why: str) -> None:
    model, told = Model(*waits), list[str]()
    with pytest.raises(ModelFailed, match=why):
        await _read(model, told)
    assert len(told) >= heard
    assert model.is_closed


async def _read(model: Model, told: list[str]) -> None:
    async for words in paced(model.words(), PACE):
        told.append(words)
