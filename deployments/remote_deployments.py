"""Remote deployments: the models and the retrieval that stand as deployments of their own on a machine with a GPU.

A laptop has none; there the gateway does everything itself, since every hop costs 2 to 6 ms.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from memory.errors import ModelFailed, Unavailable
from memory.model.prompts import Prompt
from memory.ports import Matrix
from memory.retrieval.pieces import EncodedQuestion

ASKED_S, EMBEDDED_S, COMPLETED_S = 2.0, 30.0, 120.0
"""Seconds that a question's vector, the vectors of statements and a generated answer are waited for. They take 20 ms,
200 ms and some seconds; a deployment that is still being installed, or started again, takes minutes, and Serve would
let a request wait for it. A question goes on without its vector (`actors.understanding`)."""


@dataclass(frozen=True)
class RemoteDeployments:
    """Handles of deployments, bound by deployments.app; None where the gateway does the work itself."""

    retrieval: Any = None
    embedding: Any = None
    language: Any = None
    speech: Any = None


class RemoteEncoder:
    """Sentences to vectors by the deployment `Embedding`."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    async def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector a text. Raises Unavailable if they are late."""
        return cast(Matrix, await self._within(self._handle.embed.remote(list(texts)), EMBEDDED_S))

    async def ask(self, text: str) -> EncodedQuestion:
        """A question's vector and word pieces. Raises Unavailable if they are late."""
        return cast(EncodedQuestion, await self._within(self._handle.ask.remote(text), ASKED_S))

    async def _within(self, answer: Awaitable[object], seconds: float) -> object:
        try:
            return await asyncio.wait_for(answer, seconds)
        except TimeoutError:
            raise Unavailable("The encoder does not answer yet; `serve status` tells why.") from None


class RemoteModel:
    """The LanguageModel port over the deployment `Language`."""

    name = "Language"

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    async def complete(self, prompt: Prompt) -> str:
        """The model's answer. Raises ModelFailed, also if it is late."""
        answer = self._handle.complete.remote(prompt)
        try:
            return cast(str, await asyncio.wait_for(answer, COMPLETED_S))
        except TimeoutError:
            raise ModelFailed("The language model does not answer yet; `serve status` tells why.") from None

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str]:
        """The same in pieces, as the model makes them."""
        pieces = self._handle.options(stream=True).stream.remote(prompt)
        try:
            async for words in pieces:
                yield words
        finally:
            pieces.cancel()  # does nothing once it is over
