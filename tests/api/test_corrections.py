"""A correction stands where the corrected fact stood: in its slot, and for its time."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Door


async def _prefers(door: Door, brand: str, since: str) -> str:
    told = {"statement": f"Ilse prefers {brand}", "subject": "Ilse", "predicate": "prefers", "object": brand}
    said = await door.post("/v1/facts", {**told, "slot": "shoe brand", "valid_from": since}, 201)
    return str(said["fact_id"])


async def _believed(door: Door, **parameters: Any) -> dict[str, tuple[str | None, str, str | None]]:
    """object -> slot, status, end."""
    found = (await door.get("/v1/facts", status="all", predicate="prefers", **parameters))["facts"]
    return {each["object"]: (each["slot"], each["status"], each["valid_to"]) for each in found}


@pytest.mark.parametrize(
    "correction",
    [
        {"statement": "Ilse prefers Saucony"},
        {"statement": "Ilse prefers Saucony.", "object": "Saucony"},
        {"statement": "Ilse prefers Saucony", "predicate": "prefers"},
        {"statement": "Ilse prefers Saucony", "predicate": "prefers", "object": "Saucony"},
    ],
)
async def test_a_corrected_value_has_the_slot_of_the_wrong_one(door: Door, correction: dict[str, str]) -> None:
    await _prefers(door, "Asics", "2025-01-01")
    wrong = await _prefers(door, "Hoka", "2025-06-01")
    before = await _believed(door)
    await door.post(f"/v1/facts/{wrong}/correct", correction)
    assert await _believed(door) == {
        "Saucony": ("shoe brand", "active", None),
        "Hoka": ("shoe brand", "invalidated", None),
        "Asics": ("shoe brand", "superseded", "2025-06-01T00:00:00Z"),
    }
    await door.post("/v1/undo", {})
    after = await _believed(door)
    assert {brand: after[brand] for brand in before} == before
    assert after["Saucony"][1] == "forgotten"


async def test_a_correction_of_another_kind_takes_no_slot(door: Door) -> None:
    await _prefers(door, "Asics", "2025-01-01")
    wrong = await _prefers(door, "Hoka", "2025-06-01")
    said = await door.post(f"/v1/facts/{wrong}/correct", {"statement": "Ilse has flat feet"})
    fresh = await door.get(f"/v1/facts/{said['fact_id']}")
    assert (fresh["slot"], fresh["status"]) == (None, "active")
    assert (await _believed(door))["Asics"] == ("shoe brand", "active", None)
