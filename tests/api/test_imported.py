"""What a person imports, all the way: exports through the door, and what is believed of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from adapters.capture.formats import read
from adapters.capture.text import TextFile
from tests.api.conftest import Door
from tests.exports import EXPORTS

pytestmark = pytest.mark.postgres


async def imported(door: Door, path: Path, **known: Any) -> int:
    """How many segments were new or changed."""
    bodies = list(read(TextFile(path, **known)))
    return sum([(await door.post("/v1/sources", body, 202))["changed"] for body in bodies])


@pytest.mark.parametrize("form", EXPORTS)
async def test_an_export_goes_in_and_changes_nothing_when_it_comes_again(door: Door, tmp_path: Path, form: str) -> None:
    name, content = EXPORTS[form]
    (tmp_path / name).write_bytes(content)
    assert await imported(door, tmp_path / name) > 0
    assert await imported(door, tmp_path / name) == 0
    shown = (await door.get("/v1/sources"))["sources"]
    assert {each["provenance"]["format"] for each in shown} == {form}


async def test_the_owner_is_believed_the_others_by_name_and_machines_never(door: Door, tmp_path: Path) -> None:
    await door.client.put("/v1/profile", json={"name": "Maya Lopez", "time_zone": "UTC"})
    for form in ("slack", "chatgpt", "claude", "docx"):
        name, content = EXPORTS[form]
        (tmp_path / name).write_bytes(content)
        await imported(door, tmp_path / name, me=frozenset({"maya lopez"}))
    await door.settle()
    facts = (await door.get("/v1/facts", limit=100))["facts"]
    believed = {each["statement"] for each in facts}
    assert "Maya Lopez lives in Porto" in believed
    assert "Ana Silva lives in Porto" in believed
    assert not {"ChatGPT", "Claude", "CI", "Deploy Bot"} & {each["subject"] for each in facts}


async def test_a_box_before_a_task_is_an_open_promise(door: Door, tmp_path: Path) -> None:
    await door.client.put("/v1/profile", json={"name": "Maya", "time_zone": "Europe/Berlin"})
    note = tmp_path / "2026-03-01 plans.md"
    note.write_text("# Plans\n\n- [ ] **Klempner** anrufen 📅 2026-03-06\n- [x] buy [[milk]]\n")
    await imported(door, note, zone=ZoneInfo("Europe/Berlin"))
    await door.settle()
    [promise] = (await door.get("/v1/promises"))["promises"]
    assert (promise["text"], promise["by"], promise["to"]) == ("Klempner anrufen", "Maya", None)
    assert promise["due"] == "2026-03-06T22:59:59Z"
    [source] = (await door.get("/v1/sources"))["sources"]
    [segment] = (await door.get(f"/v1/sources/{source['source_id']}"))["segments"]
    assert promise["source"]["segment_id"] == segment["segment_id"]
    assert segment["text"] == "Plans\n☐ Klempner anrufen 📅 2026-03-06\n☑ buy milk"
    assert segment["raw"] == "Plans\n- [ ] **Klempner** anrufen 📅 2026-03-06\n- [x] buy [[milk]]"
