"""What was forgotten is nowhere: in no table, index, statistic, log, snapshot, file or name of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg

from adapters import build
from adapters.capture.jsonl import append
from bench.canaries import Canaries, Request, Talk, over, search
from memory.model.commands import RecordAccess
from tests.api.conftest import Door
from tests.api.test_forgetting import payload

COUNT = 20


async def say(door: Door, talk: Talk) -> None:
    answer: Any = None
    while True:
        try:
            request = talk.send(answer)
        except StopIteration:
            return
        answer = await asked(door, request)


async def asked(door: Door, request: Request) -> Any:
    headers = {"X-User-Id": request.user} | ({"Idempotency-Key": request.key} if request.key else {})
    sent = await door.client.request(request.method, request.path, json=request.body, headers=headers)
    assert sent.is_success, f"{request.method} {request.path}: {sent.text}"
    return sent.json()


async def test_no_canary_is_left_anywhere(door: Door, database: str, places: list[Path]) -> None:
    canaries, stores = Canaries(), door.app.stores
    for talk in canaries.told(door.user, COUNT):
        await say(door, talk)
    word = canaries.word(COUNT + 1)
    path = door.app.settings.home / "transcripts" / door.user / f"{word}.jsonl"
    append(path, payload(word, 0, f"We spoke of {word}."))
    await door.post(f"/v1/ingest/{word}")
    await door.settle()
    known = await door.actors.believed(door.user)  # somebody has looked at all of it, so the night writes of it
    await door.actors.turn(
        door.user,
        RecordAccess(command_id="look", actor="access", accessed=tuple((each, 1) for each in known.entities)),
        {},
    )
    assert (await door.post("/v1/night"))["descriptions"]["written"]
    for statement in ("ANALYZE", "CHECKPOINT"):
        with psycopg.connect(database, autocommit=True) as owner:
            owner.execute(statement)
    before = search(places, canaries.marker)
    assert any("pg_wal" in each for each in before)
    assert any("/base/" in each for each in before)
    assert any("commands" in each for each in before)

    for talk in canaries.forgotten(door.user, COUNT):
        await say(door, talk)
    forgotten = await door.client.delete(f"/v1/sources/{word}")
    assert forgotten.status_code == 200
    canaries.receipts.append((door.user, forgotten.json()["receipt_id"]))
    await door.settle()
    assert search(places[:1], canaries.marker) == [], "what is not the server's is clean at once"
    sweeper = build.sweeper(door.app.settings, stores.pool)
    assert await sweeper.sweep() == {}
    assert search(places, canaries.marker) == []
    for user, receipt in canaries.receipts:
        told = await asked(door, Request(user, "GET", f"/v1/receipts/{receipt}"))
        assert over(told), told
        assert canaries.marker not in str(told).lower()
