"""Sentence vectors as a deployment, for machines where a GPU is shared. A laptop encodes in the shard instead.

Whatever encodes is built in the replica: the settings' encoder on the CPU, or the same model on the GPU, in an
environment of its own (`adapters.embedding.minilm_torch`, which has never run on a GPU).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from ray import serve
from ray.serve import Application

from deployments.arguments import AppArgs
from memory.ports import Embedder, Leases, Matrix
from memory.retrieval.pieces import EncodedQuestion
from memory.services.leasing import FreeLeases

NAME = "Embedding"
PATIENCE_S = 5.0
"""Seconds for which sentences wait for a lease; then they are encoded all the same (chosen: a sixth of what whoever
sends them waits)."""


class Embedding:
    """An encoder of our own, built in the replica."""

    def __init__(self, build: Callable[[], Embedder], leases: Callable[[], Leases] = FreeLeases) -> None:
        self._encoder, self._leases = build(), leases()

    async def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector a text, on a lease if there is one soon: somebody waits."""
        async with self._leases.lease("embedding", PATIENCE_S):
            return await asyncio.to_thread(self._encoder.embed, texts)

    async def ask(self, text: str) -> EncodedQuestion:
        """A question's vector and word pieces, without a lease: it takes milliseconds."""
        return await asyncio.to_thread(self._encoder.ask, text)


def bind_embedding(
    args: AppArgs, build: Callable[[], Embedder], leases: Callable[[], Leases] = FreeLeases
) -> Application:
    """The deployment `Embedding`; `build` and `leases` make its encoder and its leases inside the replica."""
    return serve.deployment(**args.part_options(NAME, args.embedding))(Embedding).bind(build, leases)
