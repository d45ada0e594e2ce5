"""Voices over HTTP: whoever gets a name later has said, promised and is told all that they said; undo takes it back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory.model.scopes import user_scope
from memory.rules.voice_bank import HeardPlace
from memory.services.voices import listen
from tests.api.conftest import Door
from tests.fakes.voices import sample

pytestmark = pytest.mark.postgres
MAY_3 = 1_777_809_600.0
LABEL = "Speaker 1 of 3 May"
SAYS = ("I live in Halle.", "I'll send you the report tomorrow.", "I work at Siemens.")


async def hear(door: Door, source: str, direction: int, *says: str, day: int = 0, **rest: Any) -> str:
    """A recording of one voice, as it arrives: the bank listens, then its words are told. The speaker's label."""
    place = HeardPlace(user_scope(door.user), source, f"{3 + day} May", MAY_3 + day * 86_400.0 + 60)
    label = (await listen(door.app.stores.voices, [sample(direction)], place, "keep"))[direction]
    assert label is not None
    segments = [
        {"segment_id": str(n), "speaker": label, "text": text, "start": 2 * n, "end": 2 * n + 2}
        for n, text in enumerate(says)
    ]
    body = {"source_id": source, "started_at": MAY_3 + day * 86_400.0, "segments": segments, **rest}
    await door.post("/v1/sources", body, status=202)
    await door.settle()
    return label


async def shown(door: Door) -> dict[str, Any]:
    """All that a memory shows of who said, promised and is what."""
    voices = await door.get("/v1/voices")
    facts = (await door.get("/v1/facts", limit=200))["facts"]
    promises = (await door.get("/v1/promises"))["promises"]
    entities = (await door.get("/v1/entities", limit=200))["entities"]
    found = (await door.get("/v1/context", query="Who lives in Halle?", limit=10))["results"]
    sources = [await door.get(f"/v1/sources/{each}") for each in ("lunch", "walk")]
    return {
        "voices": voices["voices"],
        "facts": sorted((f["fact_id"], f["subject"], f["statement"], f["object"], f["status"]) for f in facts),
        "promises": sorted(json.dumps(p, sort_keys=True) for p in promises),
        "entities": sorted((e["entity_id"], e["name"], tuple(e["aliases"]), e["mention_count"]) for e in entities),
        "context": sorted((r["segment_id"], r["source_id"], r["speaker"]) for r in found),
        "sources": [[(s["speaker"], s["text"]) for s in each["segments"]] for each in sources],
    }


@pytest.fixture
async def lunch(door: Door) -> Door:
    """Two recordings of one stranger."""
    await hear(door, "lunch", 5, *SAYS)
    assert await hear(door, "walk", 5, "I love climbing.", day=1) == LABEL
    return door


async def the_voice(door: Door) -> str:
    [voice] = (await door.get("/v1/voices"))["voices"]
    return str(voice["voice_id"])


async def test_naming_a_voice_names_all_it_said_and_undo_takes_it_back(lunch: Door) -> None:
    before = await shown(lunch)
    print(json.dumps(before, indent=1))
    assert LABEL in json.dumps(before)
    answer = await lunch.client.put(f"/v1/voices/{await the_voice(lunch)}", json={"name": "Tom"})
    assert answer.status_code == 200, answer.text
    after = await shown(lunch)
    print(json.dumps(after, indent=1))
    told = json.dumps({name: after[name] for name in ("facts", "promises", "context", "sources")})
    assert LABEL not in told
    undone = await lunch.post("/v1/voices/undo")
    assert undone["kind"] == "name"
    assert await shown(lunch) == before
