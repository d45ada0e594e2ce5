"""Deployments that are not there yet: Serve would let a request wait for minutes, and nobody is kept that long."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from actors.understanding import understand
from deployments import neighbours
from deployments.neighbours import RemoteEncoder, RemoteModel
from memory.errors import ModelFailed, Unavailable


class NotThereYet:
    """A handle of a deployment whose environment is being installed: calls wait."""

    def __init__(self) -> None:
        self.given_up = 0

    def __getattr__(self, _: str) -> NotThereYet:
        return self

    def remote(self, *_: Any, **__: Any) -> Any:
        return self._wait()

    async def _wait(self) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.given_up += 1
            raise


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ASKED_S", "EMBEDDED_S", "COMPLETED_S"):
        monkeypatch.setattr(neighbours, name, 0.01)


async def test_a_question_goes_on_without_its_vector() -> None:
    handle = NotThereYet()
    understood = await understand(RemoteEncoder(handle).ask("Where is it?"), "all-MiniLM-L6-v2-int8")
    assert understood.asked is None
    assert understood.missing == {"vectors": "Unavailable"}
    assert handle.given_up == 1, "nobody waits for that answer any more"


async def test_statements_are_asked_for_again_later() -> None:
    with pytest.raises(Unavailable, match="serve status"):
        await RemoteEncoder(NotThereYet()).embed(["Ann sings."])


async def test_an_answer_is_composed_without_the_model() -> None:
    with pytest.raises(ModelFailed, match="serve status"):
        await RemoteModel(NotThereYet()).complete("", "")
