"""No entity is out of sight of those who see what is believed of it, and none stands in the way of a name unseen."""

from __future__ import annotations

from typing import Any

import pytest

from memory.model.scopes import Sensitivity
from tests.api.conftest import Door
from tests.api.test_assembled_context import talk

UNNAMED = ("Ravi's flat has three rooms.", "Our landlord's lift was repaired in May.", "Elena likes figs.")
"""Talk of things that no reader sees as entities: they are believed in, and mentioned nowhere."""


async def told(door: Door) -> None:
    for day, line in enumerate(UNNAMED, 1):
        await door.post("/v1/sources", talk(f"day{day}", f"2026-03-0{day}", ("Maya", line)), 202)
    await door.settle()


async def spoken_of_only(door: Door) -> dict[str, Any]:
    """An entity that a fact is about and no segment mentions."""
    believed = await door.actors.believed(door.user)
    silent = [each for each in believed.facts.values() if not believed.mentions.get(each.subject_id)]
    assert silent, "the reader mentions every subject now: tell it of something else"
    found: dict[str, Any] = await door.get(f"/v1/entities/{silent[0].subject_id}")
    return found


async def test_whom_a_fact_in_sight_is_about_is_in_every_list(door: Door) -> None:
    await told(door)
    listed = {each["entity_id"]: each for each in (await door.get("/v1/entities"))["entities"]}
    believed = await door.actors.believed(door.user)
    spoken = {each.subject_id for each in believed.facts.values()} | {
        each.object_id for each in believed.facts.values() if each.object_id
    }
    assert spoken <= listed.keys()
    seen = await spoken_of_only(door)
    assert listed[seen["entity_id"]]["first_seen"].startswith("2026-03-0"), "when it was said, not when it was read"
    assert (seen["mention_count"], len(seen["facts"])) == (0, 1)
    assert (await door.get("/v1/stats"))["entities_count"] == len(listed)


async def test_such_an_entity_is_no_older_than_the_words_and_no_more_open(door: Door) -> None:
    await told(door)
    name = (await spoken_of_only(door))["name"]
    assert (await door.get("/v1/entities", name=name, as_of="2026-02-01"))["entities"] == []
    assert (await door.get("/v1/entities", name=name, as_of="2026-04-01"))["total"] == 1
    assert (await door.get("/v1/entities", name=name, known_as_of="2026-04-01"))["total"] == 0
    line = ("Maya", UNNAMED[0].replace("Ravi", "Olga"))
    await door.post("/v1/sources", talk("vault", "2026-03-09", line, sensitivity="sensitive"), 202)
    await door.settle()
    async with await door.client_of(door.user, clearance=Sensitivity.OPEN) as stranger:
        assert "Olga" not in (await stranger.get("/v1/entities")).text


async def test_what_has_the_wanted_name_answers_and_can_be_merged(door: Door) -> None:
    await told(door)
    taken, elena = await spoken_of_only(door), (await door.get("/v1/entities", name="Elena"))["entities"][0]
    await door.post(f"/v1/entities/{elena['entity_id']}/retype", {"type": taken["entity_type"]})
    for path, body in (("alias", {"alias": taken["name"]}), ("rename", {"name": taken["name"]})):
        refused = await door.post(f"/v1/entities/{elena['entity_id']}/{path}", body, 409)
        assert "/merge" in refused["detail"]
        assert (await door.get(f"/v1/entities/{refused['merge_with']}"))["name"] == taken["name"]
    await door.post(f"/v1/entities/{elena['entity_id']}/merge", {"other_id": refused["merge_with"]})
    assert (await door.get("/v1/entities", name=taken["name"]))["entities"][0]["name"] == "Elena"


@pytest.mark.parametrize("verb", ["alias", "rename"])
async def test_a_name_whose_words_are_gone_is_free(door: Door, verb: str) -> None:
    said = talk("day", "2026-03-01", ("Maya", "Elena lives in Ghent with Ottokar."))
    await door.post("/v1/sources", said, 202)
    await door.post("/v1/sources", talk("next", "2026-03-02", ("Maya", "Elena likes figs.")), 202)
    await door.settle()
    said["segments"][0]["text"] = "Elena lives in Ghent with nobody."
    await door.post("/v1/sources", said, 202)
    await door.settle()
    assert (await door.get("/v1/entities", name="Ottokar"))["entities"] == []
    elena = (await door.get("/v1/entities", name="Elena"))["entities"][0]["entity_id"]
    split = {"name": "Ottokar", "sources": ["next"]}
    assert "choose another" in (await door.post(f"/v1/entities/{elena}/split", split, 409))["detail"]
    await door.post(f"/v1/entities/{elena}/{verb}", {"alias" if verb == "alias" else "name": "Ottokar"})
    assert (await door.get("/v1/entities", name="Ottokar"))["entities"][0]["entity_id"] == elena
    assert await door.app.stores.memory.journal.load(door.user) == await door.actors.believed(door.user)
    await door.post("/v1/undo")
    assert (await door.get("/v1/entities", name="Ottokar"))["entities"] == []


async def test_who_has_the_wanted_name_out_of_sight_is_not_named(door: Door) -> None:
    await door.post("/v1/sources", talk("mine", "2026-03-01", ("Maya", "Elena likes figs.")), 202)
    async with await door.client_of(door.user, teams=("crew",)) as member:
        crew = talk("theirs", "2026-03-02", ("Ravi", "Ottokar likes rain."), team_id="crew")
        assert (await member.post("/v1/sources", json=crew)).status_code == 202
        await door.settle()
        elena = (await door.get("/v1/entities", name="Elena"))["entities"][0]["entity_id"]
        async with await door.client_of(door.user) as alone:
            refused = (await alone.post(f"/v1/entities/{elena}/alias", json={"alias": "Ottokar"})).json()
            assert (refused["status"], "merge_with" in refused) == (409, False)
            assert "out of sight" in refused["detail"]
        refused = (await member.post(f"/v1/entities/{elena}/alias", json={"alias": "Ottokar"})).json()
        assert (await member.get(f"/v1/entities/{refused['merge_with']}")).json()["name"].lower() == "ottokar"


async def test_a_name_known_in_confidence_is_free_and_its_bearer_is_taken_in(door: Door) -> None:
    vault = talk("vault", "2026-03-01", ("Maya", "Ottokar likes rain."), sensitivity="sensitive")
    await door.post("/v1/sources", vault, 202)
    await door.post("/v1/sources", talk("mine", "2026-03-02", ("Maya", "Elena likes figs.")), 202)
    await door.settle()
    secret = next(e for e in (await door.actors.believed(door.user)).entities.values() if e.name.lower() == "ottokar")
    elena = (await door.get("/v1/entities", name="Elena"))["entities"][0]["entity_id"]
    async with await door.client_of(door.user, clearance=Sensitivity.OPEN) as stranger:
        renamed = await stranger.post(f"/v1/entities/{elena}/rename", json={"name": secret.name})
        assert renamed.status_code == 200, renamed.text
    believed = await door.actors.believed(door.user)
    assert believed.entities[secret.entity_id].merged_into == elena
    assert await door.app.stores.memory.journal.load(door.user) == believed
