"""Injection: 500 attacks come in as words, names and ids, and are asked for through every door that composes a text."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from memory.retrieval.briefing import CLOSING, OPENING
from memory.services.answer import NEAREST
from tests.api.attacks import (
    IN_A_BRIEFING,
    IN_A_LIST,
    IN_AN_ANSWER,
    Attack,
    assert_nothing_hidden,
    attacks,
    only,
)
from tests.api.conftest import Door

ATTACKS = attacks()
AT_ONCE = 4


def test_there_are_500_and_no_two_are_alike() -> None:
    assert len(ATTACKS) >= 500
    assert max(Counter((each.place, each.words) for each in ATTACKS).values()) == 1
    assert len({each.family for each in ATTACKS}) >= 40


async def told(door: Door, attack: Attack) -> None:
    segment = {"segment_id": "1", "speaker": attack.speaker, "text": attack.text, "start": 0, "end": 1, "role": "other"}
    body = {"source_id": attack.source_id, "started_at": "2026-03-02T08:00:00+00:00", "segments": [segment]}
    await door.post("/v1/sources", body, 202)


def hit_of(found: dict[str, Any], attack: Attack) -> dict[str, Any]:
    (hit,) = found["results"]
    assert hit["source_id"] == attack.source_id, "ids are told as they came"
    assert attack.token in hit["text"]
    for part in ("text", "speaker", "source_id"):
        assert_nothing_hidden(hit[part])
    return hit


async def asked(door: Door, attack: Attack) -> None:
    """One attack through /v1/ask, /v1/context without a budget, and the tool with one."""
    query = {"query": attack.token, "limit": 1, "cut": "none", "record_access": False}
    answer = await door.post("/v1/ask", query)
    lines = [line for line in answer["answer"].split("\n") if line != NEAREST]
    assert len(lines) == 1, "an answer has a line a quotation, and there is one"
    only(IN_AN_ANSWER, lines, attack)
    assert_nothing_hidden(str(answer))
    hit_of(answer, attack)

    found = await door.get("/v1/context", **query)
    only(IN_A_LIST, found["context"].split("\n"), attack)
    hit_of(found, attack)

    found = await door.post("/v1/tools/search_memory", {"query": attack.token, "limit": 1})
    context = found["context"]
    assert context.startswith(f"{OPENING}\n")
    assert context.endswith(f"\n{CLOSING}")
    assert context.count("<") == context.count(">") == 2
    assert context.count("[") == context.count("]") == 1
    inside = context[len(OPENING) + 1 : -len(CLOSING) - 1].split("\n")
    assert inside[0] == "What was said:"
    assert len(inside) == 2
    only(IN_A_BRIEFING, inside, attack)


async def test_whatever_is_said_is_shown_as_one_quotation(door: Door) -> None:
    for start in range(0, len(ATTACKS), AT_ONCE):
        await asyncio.gather(*(told(door, each) for each in ATTACKS[start : start + AT_ONCE]))
    failed: dict[str, str] = {}
    for start in range(0, len(ATTACKS), AT_ONCE):
        chosen = ATTACKS[start : start + AT_ONCE]
        for each, error in zip(
            chosen, await asyncio.gather(*(asked(door, each) for each in chosen), return_exceptions=True), strict=True
        ):
            if error is not None:
                failed[f"{each.token} {each.family}: {each.words!a:.80}"] = f"{type(error).__name__} {error!s:.300}"
    assert not failed, "\n".join(f"{name}\n    {why}" for name, why in list(failed.items())[:40])
