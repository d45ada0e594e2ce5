"""Archives carry voices and their prints, and those with unsound ones are refused."""

from __future__ import annotations

from typing import Any

import pytest

from memory.model.scopes import user_scope
from tests.api.archives import changed, exported, restored
from tests.api.conftest import Door
from tests.api.test_voices import hear, lunch, name, shown, the_voice  # noqa: F401  (one is a fixture)

pytestmark = pytest.mark.postgres


async def kept(door: Door) -> list[Any]:
    """The tables of the voices."""
    named = {"s": user_scope(door.user)}
    voices = await door.rows("SELECT * FROM voices WHERE scope = %(s)s ORDER BY voice_id", **named)
    return [voices, await door.rows("SELECT * FROM voice_prints WHERE scope = %(s)s ORDER BY print_id", **named)]


async def test_an_archive_carries_voices(lunch: Door) -> None:  # noqa: F811  (a fixture)
    await hear(lunch, "call", 6, "I have a dog called Rex.", day=3)
    [one, other] = (await lunch.get("/v1/voices"))["voices"]
    await name(lunch, one["voice_id"], "Tom")
    await name(lunch, other["voice_id"], "Tom")
    before, tables = await shown(lunch), await kept(lunch)
    archive = await exported(lunch)
    assert (await lunch.client.delete("/v1/memory")).status_code == 200
    assert await kept(lunch) == [[], []]
    assert (await restored(lunch, archive)).status_code == 201
    await lunch.settle()
    assert await kept(lunch) == tables
    after = await shown(lunch)
    assert {**after, "context": before["context"]} == before
    assert {each[2] for each in after["context"]} == {"Tom"}


@pytest.mark.parametrize(
    ("member", "change", "why"),
    [
        ("voices", lambda lines: lines[0].update(voice_id="x"), "voice_id"),
        ("voices", lambda lines: lines[0].update(merged_into="v-0000000000000000"), "merged_into"),
        ("voices", lambda lines: lines.append(lines[0]), "must be there once"),
        ("voices", lambda lines: lines[0].update(exclusion="hush"), "exclusion"),
        ("voice_prints", lambda lines: lines[0].update(voice_id="v-0000000000000000"), "voice_id"),
        ("voice_prints", lambda lines: lines[0].update(embedding=[]), "embedding"),
        ("voice_prints", lambda lines: lines[0].update(embedding=[1e30]), "embedding"),
        ("voice_prints", lambda lines: lines[0].update(embedding=[0.1] * 2_000), "embedding"),
        ("voice_prints", lambda lines: lines[0].update(origin="guessed"), "origin"),
    ],
)
async def test_an_archive_with_unsound_voices_is_refused(
    lunch: Door,  # noqa: F811  (a fixture)
    member: str,
    change: Any,
    why: str,
) -> None:
    archive = changed(await exported(lunch), f"{member}.jsonl", change)
    assert (await lunch.client.delete("/v1/memory")).status_code == 200
    answer = await restored(lunch, archive)
    assert answer.status_code == 422
    assert why in answer.json()["detail"]
    assert await kept(lunch) == [[], []]
