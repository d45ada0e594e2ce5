"""Sentence vectors as a deployment, for machines where a GPU is shared. A laptop encodes in the shard instead.

The engine behind `backend: gpu` has never run on a GPU: it is written from the sources of Ray 2.60 and vLLM 0.29.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from ray import serve
from ray.serve import Application

from deployments.arguments import AppArgs, deployment_options
from memory.ports import Embedder, Matrix
from memory.retrieval.pieces import Asked

NAME = "Embedding"


class Embedding:
    """The CPU's: an encoder of our own, built in the replica."""

    def __init__(self, build: Callable[[], Embedder]) -> None:
        self._encoder = build()

    async def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector a text."""
        return await asyncio.to_thread(self._encoder.embed, texts)

    async def ask(self, text: str) -> Asked:
        """A question's vector and word pieces."""
        return await asyncio.to_thread(self._encoder.ask, text)


def bind_embedding(args: AppArgs, build: Callable[[], Embedder]) -> Application:
    """The deployment `Embedding` for this backend; `build` makes the CPU's encoder inside the replica."""
    if args.backend == "gpu":
        from deployments.engines import EmbeddingEngine, bind_engine

        return bind_engine(EmbeddingEngine, NAME, args.embedding)
    options = deployment_options(NAME, args.reserved(args.embedding))
    return serve.deployment(**options)(Embedding).bind(build)
