"""Reading an export in a test: what it gave, what it left out, and what it set aside."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from adapters.capture.formats import read
from adapters.capture.jsonl import Rejected
from adapters.capture.text import TextFile
from memory.model.sources import ROLES, SOURCE_KINDS

Read = Callable[..., "Found"]


class Found:
    """What was read of a file."""

    def __init__(self, path: Path, form: str | None = None, **known: Any) -> None:
        self.left_out: Counter[str] = Counter()
        self.rejected: list[Rejected] = []
        self.file = TextFile(
            path, set_aside=self.rejected.append, left_out=lambda kind: self.left_out.update([kind]), **known
        )
        self.bodies = list(read(self.file, form))

    @property
    def said(self) -> list[tuple[str, str | None, str]]:
        return [(each["speaker"], each.get("role"), each["text"]) for body in self.bodies for each in body["segments"]]

    @property
    def ids(self) -> set[tuple[str, str]]:
        return {(body["source_id"], each["segment_id"]) for body in self.bodies for each in body["segments"]}


def fits(body: dict[str, Any]) -> None:
    """A body is one that POST /v1/sources takes."""
    json.dumps(body).encode()
    assert body["kind"] in SOURCE_KINDS
    assert body["source_id"].isprintable()
    assert len(body["source_id"]) <= 200
    assert datetime.fromisoformat(body["started_at"]).tzinfo is not None
    assert datetime.fromisoformat(body["ended_at"]) >= datetime.fromisoformat(body["started_at"])
    assert all(isinstance(value, str) and len(value) <= 1000 for value in body["provenance"].values())
    ids = [each["segment_id"] for each in body["segments"]]
    assert len(set(ids)) == len(ids) > 0
    for each in body["segments"]:
        assert each["text"].strip()
        assert "\x00" not in each["text"]
        each["text"].encode()
        assert each["speaker"].isprintable()
        assert each.get("role", "other") in ROLES
        assert 0 <= each["start"] <= each["end"] <= 31_536_000
