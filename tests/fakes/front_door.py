"""A front door in memory: it stores sources, ranks segments by shared words, and works off what is pending."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from bench.measure import ApiClient, Site
from memory.errors import Invalid, Unavailable


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


class FrontDoor:
    """What is common to all users; `log` lists requests as (user, verb, path)."""

    def __init__(self, *, pace: int = 1) -> None:
        self.pace = pace
        """Sources that are encoded, and then read, between two looks; 0 = work never gets on."""
        self.segments: dict[str, list[dict[str, Any]]] = {}
        self.pending: dict[str, Counter[str]] = {}
        self.log: list[tuple[str, str, str]] = []
        self.asked: list[Mapping[str, object]] = []
        self.nights: list[str] = []
        self.degraded: list[str] = []
        self.encoded: list[str] = []
        self.heard: list[str] = []
        self.told: list[tuple[str, int, int]] = []
        self.paused_s = 0.0

    def site(self) -> Site:
        """A site for a benchmark: this door, an encoder that only remembers, 1.5 GB of memory."""
        return Site(
            door=lambda user: UserDoor(self, user),
            encode=self.encoded.append,
            encode_heard=self.heard.extend,
            pss_bytes=lambda: 1_500_000_000,
            tell=lambda *step: self.told.append(step),
            pause=self._pause,
        )

    def _pause(self, seconds: float) -> None:
        self.paused_s += seconds


class UserDoor(ApiClient):
    """The door as one user meets it."""

    def __init__(self, front: FrontDoor, user: str) -> None:
        self._front = front
        self._user = user

    def get(self, path: str, **parameters: object) -> Any:
        self._front.log.append((self._user, "GET", path))
        return {"/v1/stats": self._stats, "/v1/context": self._context}[path](parameters)

    def post(self, path: str, body: object = None) -> Any:
        self._front.log.append((self._user, "POST", path))
        assert isinstance(body, dict)
        if path == "/v1/night":
            self._front.nights.append(body["night"])
            return {"night": body["night"]}
        if not body["segments"]:
            raise Invalid("give either segments or content")
        kept = self._front.segments.setdefault(self._user, [])
        kept += [segment | {"source_id": body["source_id"]} for segment in body["segments"]]
        self._front.pending.setdefault(self._user, Counter()).update(embedding=1, extraction=1)
        return {"source_id": body["source_id"]}

    def delete(self, path: str) -> Any:
        self._front.log.append((self._user, "DELETE", path))
        self._front.segments.pop(self._user, None)
        self._front.pending.pop(self._user, None)
        return {}

    def _stats(self, _: Mapping[str, object]) -> Any:
        left = self._front.pending.get(self._user, Counter())
        shown = {kind: left[kind] for kind in ("extraction", "embedding")}
        kind = "embedding" if left["embedding"] else "extraction"
        left[kind] = max(0, left[kind] - self._front.pace)
        return {"pending": shown}

    def _context(self, parameters: Mapping[str, object]) -> Any:
        self._front.asked.append(parameters)
        wanted = _words(str(parameters["query"]))
        kept = self._front.segments.get(self._user)
        if kept is None:
            raise Unavailable(f"{self._user} has no memory")
        ranked = sorted(kept, key=lambda segment: -len(wanted & _words(segment["text"])))
        return {"results": ranked[: int(str(parameters.get("limit", 5)))], "degraded": self._front.degraded}
