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
from memory.ports import Embedder, Matrix
from memory.retrieval.pieces import EncodedQuestion

NAME = "Embedding"


class Embedding:
    """An encoder of our own, built in the replica."""

    def __init__(self, build: Callable[[], Embedder]) -> None:
        self._encoder = build()

    async def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector a text."""
        return await asyncio.to_thread(self._encoder.embed, texts)

    async def ask(self, text: str) -> EncodedQuestion:
        """A question's vector and word pieces."""
        return await asyncio.to_thread(self._encoder.ask, text)


def bind_embedding(args: AppArgs, build: Callable[[], Embedder]) -> Application:
    """The deployment `Embedding`; `build` makes its encoder inside the replica."""
    return serve.deployment(**args.part_options(NAME, args.embedding))(Embedding).bind(build)
