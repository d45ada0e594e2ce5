"""Encoding: the vectors of texts, as memory itself makes them. Nothing is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from deployments.app_context import AppContext
from memory.ports import Matrix

BATCH = 16
"""Texts that are encoded at once: a question waits for no more of them than a moment."""


@dataclass(frozen=True, slots=True)
class ServingEncoder:
    """The encoder that serves now, and how many numbers its vectors have."""

    name: str
    dimensions: int


def serving_encoder(app: AppContext) -> ServingEncoder:
    """Which encoder serves."""
    return ServingEncoder(app.stores.encoder.name, app.stores.encoder.dimensions)


async def embed(app: AppContext, texts: Sequence[str]) -> AsyncIterator[Matrix]:
    """Unit vectors of these texts in their order, in batches: each of shape (at most BATCH, dimensions)."""
    for start in range(0, len(texts), BATCH):
        yield await app.encoder.embed(texts[start : start + BATCH])
