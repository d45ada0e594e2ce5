"""A voice that turns out to be two people's: segments, facts and promises follow each, and undo restores all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deployments.use_cases import voice_splitting
from memory.model.scopes import user_scope
from memory.rules.voice_bank import HeardPlace
from memory.services.voices import listen
from tests.api.conftest import Door
from tests.api.test_voices import LABEL, MAY_3, SAYS, hear, name, shown
from tests.fakes.voices import sample

pytestmark = pytest.mark.postgres
OTHER = "Speaker 1 of 4 May"
PLAYS = ("I have a dog called Rex.", "I'll bring you the keys tomorrow.")


async def voice_of(door: Door, label: str) -> dict[str, Any]:
    voices = (await door.get("/v1/voices"))["voices"]
    return next(each for each in voices if label in each["labels"])


async def split(door: Door, voice_id: str, status: int = 200, key: str | None = None, **what: Any) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    answer = await door.client.post(f"/v1/voices/{voice_id}/split", json=what, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


@pytest.fixture
async def two(door: Door) -> Door:
    """Two strangers: one heard at lunch, the other on a walk."""
    await hear(door, "lunch", 5, *SAYS)
    assert await hear(door, "walk", 6, *PLAYS, day=1) == OTHER
    assert (await door.get("/v1/promises"))["total"] == 2
    return door


async def merge(door: Door, called: str = "Tom") -> str:
    """The two are taken for one person, who has a name; the id of the voice."""
    one, other = await voice_of(door, LABEL), await voice_of(door, OTHER)
    await name(door, one["voice_id"], called)
    await door.post("/v1/voices/merge", {"voice_id": one["voice_id"], "other_id": other["voice_id"]})
    return str(one["voice_id"])


def of(told: dict[str, Any], *what: str) -> dict[str, Any]:
    return {each: told[each] for each in what}


async def test_what_was_merged_is_as_if_it_had_never_been(two: Door) -> None:
    other = await voice_of(two, OTHER)
    await name(two, (await voice_of(two, LABEL))["voice_id"], "Tom")
    apart = await shown(two)
    tom = await merge(two)
    before = await shown(two)
    changed = await split(two, tom, labels=[OTHER])
    assert changed["voice"] == other
    after = await shown(two)
    assert of(after, "voices", "promises", "entities", "context", "sources") == of(
        apart, "voices", "promises", "entities", "context", "sources"
    )
    assert [fact[1:] for fact in after["facts"]] == [fact[1:] for fact in apart["facts"]]
    undone = await two.post("/v1/voices/undo")
    assert (undone["kind"], undone["undoes"]) == ("split", changed["change_id"])
    assert await shown(two) == before


async def test_what_is_read_after_the_merge_follows_too(two: Door) -> None:
    tom = await merge(two)
    said = {"segment_id": "9", "speaker": OTHER, "text": "I work at the bakery.", "start": 30, "end": 32}
    await two.post("/v1/sources", {"source_id": "walk", "started_at": MAY_3 + 86_400.0, "segments": [said]}, status=202)
    await two.settle()
    before = await shown(two)
    assert any(fact[1] == "Tom" and "bakery" in fact[2] for fact in before["facts"])
    await split(two, tom, labels=[OTHER])
    after = await shown(two)
    assert {fact[1] for fact in after["facts"] if "bakery" in fact[2] or "Rex" in fact[2]} == {OTHER}
    assert {fact[1] for fact in after["facts"] if "Halle" in fact[2]} == {"Tom"}
    assert {json.loads(each)["by"] for each in after["promises"]} == {"Tom", OTHER}
    await two.post("/v1/voices/undo")
    assert await shown(two) == before


async def test_whoever_went_out_gets_a_name_of_their_own(two: Door) -> None:
    tom = await merge(two)
    out = (await split(two, tom, labels=[OTHER]))["voice"]
    await name(two, out["voice_id"], "Ravi")
    told = await shown(two)
    assert {speaker for source in told["sources"] for speaker, _ in source} == {"Tom", "Ravi"}
    assert {json.loads(each)["by"] for each in told["promises"]} == {"Tom", "Ravi"}
    assert {fact[1] for fact in told["facts"]} == {"Tom", "Ravi"}
    assert OTHER not in json.dumps([fact[2] for fact in told["facts"]])
    assert (await two.get("/v1/voices", proposals=True))["proposals"] == []


async def test_prints_go_with_their_label_where_no_change_tells_of_the_merge(two: Door) -> None:
    tom = await merge(two)
    scope = user_scope(two.user)
    await two.rows("DELETE FROM voice_changes WHERE scope = %(scope)s RETURNING 1", scope=scope)
    out = (await split(two, tom, labels=[OTHER]))["voice"]
    assert [each["source_id"] for each in out["prints"]] == ["walk"]
    assert [each["source_id"] for each in (await voice_of(two, LABEL))["prints"]] == ["lunch"]
    told = await shown(two)
    assert {json.loads(each)["by"] for each in told["promises"]} == {"Tom", OTHER}


async def much_was_learnt(door: Door) -> None:
    """More recordings taught the bank since than it has changes of a person."""
    await door.rows(
        "INSERT INTO voice_changes (scope, change_id, kind, actor, at, touched)"
        " SELECT %(scope)s, 'learnt-' || n, 'listen', 'listening', now(), '{}' FROM generate_series(1, 1200) n"
        " RETURNING 1",
        scope=user_scope(door.user),
    )


async def test_what_was_learnt_since_hides_no_change_of_a_person(two: Door) -> None:
    await name(two, (await voice_of(two, LABEL))["voice_id"], "Tom")
    apart = await shown(two)
    tom = await merge(two)
    before = await shown(two)
    await much_was_learnt(two)
    await split(two, tom, labels=[OTHER])
    assert of(await shown(two), "voices", "promises", "entities") == of(apart, "voices", "promises", "entities")
    await two.post("/v1/voices/undo")
    assert await shown(two) == before
    assert (await two.post("/v1/voices/undo"))["kind"] == "merge"
    await name(two, tom, "Ravi")
    assert {json.loads(each)["by"] for each in (await shown(two))["promises"]} == {"Ravi", OTHER}


async def test_more_than_can_go_out_at_once_is_refused_with_what_to_do(
    two: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    tom = await merge(two)
    before = await shown(two)
    monkeypatch.setattr(voice_splitting, "MOST_SAID", 1)
    problem = await split(two, tom, 409, labels=[OTHER])
    assert problem["detail"].startswith("They said 2 segments there, and 1 can become another person's at once.")
    assert await shown(two) == before
    await hear(two, "shop", 3, *PLAYS, day=2)
    third = next(each for each in (await two.get("/v1/voices"))["voices"] if "5 May" in each["label"])
    await two.post("/v1/voices/merge", {"voice_id": tom, "other_id": third["voice_id"]})
    problem = await split(two, tom, 409, labels=[OTHER, third["label"]])
    assert problem["detail"].endswith("Let them go out one after the other, and merge the voices that they become.")


async def two_prints(door: Door) -> tuple[str, str]:
    """A voice that was taken for Tom's in a second recording and learnt from it: its id, and that print's."""
    await hear(door, "lunch", 5, *SAYS)
    tom = (await voice_of(door, LABEL))["voice_id"]
    await name(door, tom, "Tom")
    place = HeardPlace(user_scope(door.user), "walk", "4 May", MAY_3 + 86_400.0)
    assert await listen(door.app.stores.sound.voices, [sample(5, 10.0, 0.78)], place, "keep") == {5: LABEL}
    segments = [
        {"segment_id": str(number), "speaker": LABEL, "text": text, "start": 3 * number, "end": 3 * number + 2}
        for number, text in enumerate(PLAYS)
    ]
    body = {"source_id": "walk", "started_at": MAY_3 + 86_400.0, "segments": segments}
    await door.post("/v1/sources", body, status=202)
    await door.settle()
    [learnt] = [each for each in (await voice_of(door, LABEL))["prints"] if each["source_id"] == "walk"]
    return tom, str(learnt["print_id"])


async def test_a_print_takes_along_what_was_said_where_it_was_heard(door: Door) -> None:
    tom, learnt = await two_prints(door)
    before = await shown(door)
    changed = await split(door, tom, prints=[learnt], key="k-1")
    assert (changed["voice"]["label"], changed["voice"]["labels"]) == (OTHER, [OTHER])
    after = await shown(door)
    lunch, walk = after["sources"]
    assert ({each for each, _ in lunch}, {each for each, _ in walk}) == ({"Tom"}, {OTHER})
    assert {json.loads(each)["by"] for each in after["promises"]} == {"Tom", OTHER}
    assert {fact[1] for fact in after["facts"] if "Rex" in fact[2]} == {OTHER}
    found = await door.get("/v1/context", query="Who has a dog called Rex?")
    assert found["results"][0]["speaker"] == OTHER
    assert await split(door, tom, prints=[learnt], key="k-1") == changed
    assert await shown(door) == after
    await door.post("/v1/voices/undo")
    assert await shown(door) == before


async def test_what_cannot_go_out_is_refused(two: Door) -> None:
    tom = await merge(two)
    ids = [each["print_id"] for each in (await voice_of(two, LABEL))["prints"]]
    for status, what in (
        (422, {}),
        (422, {"labels": [OTHER], "prints": ids[:1]}),
        (422, {"labels": [LABEL]}),
        (404, {"labels": ["Speaker 7 of 3 May"]}),
        (404, {"prints": ["w-none"]}),
        (422, {"prints": [ids[1]]}),
    ):
        await split(two, tom, status, **what)
    await split(two, "v-none", 404, labels=[OTHER])
    alone = await voice_of(two, LABEL)
    assert alone["labels"] == [LABEL, OTHER], "nothing was changed"
