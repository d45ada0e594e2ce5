"""Deployments that are not there yet: Serve would let a request wait for minutes, and nobody is kept that long."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from actors.understanding import understand
from deployments import remote_deployments
from deployments.remote_deployments import RemoteEncoder, RemoteModel
from memory.errors import ModelFailed, Unavailable
from memory.model.prompts import Prompt
from memory.services.pacing import StreamLimits, paced


class NotThereYet:
    """A handle of a deployment whose environment is being installed: calls wait."""

    def __init__(self) -> None:
        self.given_up = 0

    def __getattr__(self, _: str) -> NotThereYet:
        return self

    def __call__(self, *_: Any, **__: Any) -> NotThereYet:
        return self

    def remote(self, *_: Any, **__: Any) -> Any:
        return self

    def __await__(self) -> Any:
        return self._wait().__await__()

    def __aiter__(self) -> NotThereYet:
        return self

    async def __anext__(self) -> str:
        await self._wait()
        raise StopAsyncIteration

    def cancel(self) -> None:
        """As a call of Serve is cancelled."""

    async def _wait(self) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.given_up += 1
            raise


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ASKED_S", "EMBEDDED_S", "COMPLETED_S"):
        monkeypatch.setattr(remote_deployments, name, 0.01)


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
        await RemoteModel(NotThereYet()).complete(Prompt("", ""))


async def test_an_answer_in_pieces_is_not_waited_for_longer_than_its_reader_likes() -> None:
    handle = NotThereYet()
    with pytest.raises(ModelFailed, match=r"did not answer within 0\.01 s"):
        async for _ in paced(RemoteModel(handle).stream(Prompt("", "")), StreamLimits(0.01, 0.01, 1.0)):
            pass
    assert handle.given_up == 1
