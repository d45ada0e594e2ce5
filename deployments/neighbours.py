"""Neighbours: the models and the retrieval that stand as deployments of their own on a machine with a GPU.

A laptop has none; there the gateway does everything itself, since every hop costs 2 to 6 ms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from memory.ports import Matrix
from memory.retrieval.pieces import Asked


@dataclass(frozen=True)
class Neighbours:
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
        """One unit vector a text."""
        return cast(Matrix, await self._handle.embed.remote(list(texts)))

    async def ask(self, text: str) -> Asked:
        """A question's vector and word pieces."""
        return cast(Asked, await self._handle.ask.remote(text))


class RemoteModel:
    """The LanguageModel port over the deployment `Language`."""

    name = "Language"

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    async def complete(
        self, system: str, prompt: str, *, schema: Mapping[str, Any] | None = None, max_tokens: int = 512
    ) -> str:
        """The model's answer."""
        return cast(str, await self._handle.complete.remote(system, prompt, schema=schema, max_tokens=max_tokens))
