"""PostgreSQL's own search behind the Index port: the degraded way to an answer, the twin of the columns in memory."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from adapters.postgres.heard_rows import CONFIGS
from adapters.postgres.pool import Pool
from adapters.postgres.reads import seen_by
from adapters.postgres.sql import queries
from memory.model.ids import fold
from memory.model.scopes import View, user_scope
from memory.retrieval.candidates import Ranking
from memory.retrieval.query import Probe
from memory.words.stems import tokenise

Q = queries("indexes")
LATEST = 2_000
"""Facts, and segments, of a stretch of time that are read, the latest: a bound on time, not on what is true."""
REACHED, OF_EACH = 200, 1_000
"""Entities that each step from those named in a question reaches, and mentions and facts of each of them that count: of
90,000 facts, half of one subject, ways without a bound were not counted within 25 s."""


Dropped = Callable[[Sequence[str]], Awaitable[Collection[str]]]
"""Tells those of these scopes that are not to be searched."""


class _SqlIndex:
    """One statement that ranks segments."""

    name: str

    def __init__(self, pool: Pool, encoder: str, dropped: Dropped | None = None) -> None:
        self._pool = pool
        self._encoder = encoder
        self._dropped = dropped

    async def search(self, view: View, probe: Probe) -> Ranking:
        """The best segments in sight, best first."""
        asked, bounds = self._asked(view, probe), _bounds(view, probe)
        if asked is not None and self._dropped is not None:
            out = await self._dropped(view.scopes)
            bounds["scopes"] = [scope for scope in view.scopes if scope not in out]
        rows = [] if asked is None else await self._pool.rows(Q[self.name], **bounds, **asked)
        return Ranking(
            self.name,
            np.array([row["segment_key"] for row in rows], np.int64),
            np.array([row["score"] for row in rows], np.float32),
        )

    def _asked(self, view: View, probe: Probe) -> Mapping[str, Any] | None:
        """What this statement needs of the question, or None if it has nothing to go by."""
        raise NotImplementedError


class PostgresText(_SqlIndex):
    """Full text: any of the words, ranked by cover density."""

    name = "text"

    def _asked(self, view: View, probe: Probe) -> Mapping[str, Any] | None:
        return {"text": probe.text, "configs": _configs(probe)}


class PostgresVectors(_SqlIndex):
    """pgvector: exact cosine."""

    name = "vectors"

    def _asked(self, view: View, probe: Probe) -> Mapping[str, Any] | None:
        if probe.vector is None:
            return None
        return {"vector": probe.vector, "encoder": self._encoder}


class PostgresGraph(_SqlIndex):
    """Mentions and facts, two steps around the entities a question names."""

    name = "graph"

    def _asked(self, view: View, probe: Probe) -> Mapping[str, Any] | None:
        words = " ".join(word.removesuffix("'s") for word, _ in tokenise(fold(probe.text)))
        return {"own": user_scope(view.user_id), "padded": f" {words} ", "reached": REACHED, "of_each": OF_EACH}


class PostgresCalendar(_SqlIndex):
    """What was said in the stretches of time a question names, or what is of then.

    It knows no event, and tells a time that was told only about as if it had been told exactly.
    """

    name = "calendar"

    def _asked(self, view: View, probe: Probe) -> Mapping[str, Any] | None:
        if not probe.dated:
            return None
        named = probe.named
        return {
            "starts": [-math.inf if day.extent.start is None else day.extent.start for day in named.stretches],
            "ends": [math.inf if day.extent.end is None else day.extent.end for day in named.stretches],
            "text": " ".join(named.left),
            "configs": _configs(probe),
            "alone": named.alone,
            "latest": LATEST,
            "share": named.share,
        }


def _configs(probe: Probe) -> list[str]:
    """By which rules words are stemmed: those of each language, and none."""
    return sorted({"simple", *(CONFIGS.get(language, "simple") for language in probe.languages)})


def _bounds(view: View, probe: Probe) -> dict[str, Any]:
    return {
        **seen_by(view),
        "start": probe.window.start,
        "end": probe.window.end,
        "known": probe.known_as_of,
        "as_of": probe.as_of,
        "only": None if probe.only is None else probe.only.tolist(),
        "limit": probe.limit,
    }
