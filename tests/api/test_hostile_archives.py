"""Archives are hostile input: what they say of others, of themselves and of their size is believed of none of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from adapters.postgres import archive as written
from memory.model.ids import segment_key
from memory.model.profile import Profile
from memory.model.scopes import user_scope
from tests.api.archives import Line, changed, empty, exported, lived, opened, restored
from tests.api.conftest import Door

pytestmark = pytest.mark.postgres


@pytest.fixture
async def archive(door: Door) -> bytes:
    """A real one, of a memory that is empty again."""
    return await lived(door)


async def refused(door: Door, archive: bytes, where: str) -> None:
    """The archive is refused, the error says where, and nothing of it stays."""
    answer = await restored(door, archive)
    assert answer.status_code == 422, answer.text
    assert where in answer.json()["detail"]
    assert await empty(door)


# ---------------------------------------------------------------------------------------------- what it says of others


async def test_a_time_zone_nobody_lives_in_is_refused(door: Door, archive: bytes) -> None:
    def to_mars(lines: list[Line]) -> None:
        lines[0]["time_zone"] = "Mars/X"

    await refused(door, changed(archive, "profile.json", to_mars), "profile.json: time_zone")
    profiles = [number for number, line in enumerate(_lines(archive, "content"), 1) if line["owner"] == "profile"]
    assert profiles

    def was_on_mars(lines: list[Line]) -> None:
        words = lines[profiles[0] - 1]
        words["words"] = words["words"].replace("Europe/Lisbon", "Mars/X").replace('"UTC"', '"Mars/X"')

    await refused(door, changed(archive, "content.jsonl", was_on_mars), f"content.jsonl line {profiles[0]}")
    zones = await door.rows("SELECT profile ->> 'time_zone' AS zone FROM users")
    assert "Mars/X" not in {row["zone"] for row in zones}


def _lines(archive: bytes, member: str) -> list[Line]:
    return [orjson.loads(line) for line in opened(archive)[f"{member}.jsonl"].splitlines()]


def _naming(key: int) -> Callable[[str, list[Line]], None]:
    """Let every row that names a segment name this one."""

    def change(member: str, lines: list[Line]) -> None:
        for line in lines[:1] if member != "journal.jsonl" else lines:
            for row in line.get("changes", [line]):
                for side in (row, row.get("before"), row.get("after")):
                    if side and side.get("segment_key"):
                        side["segment_key"] = key

    return change


async def test_an_archive_cannot_rest_on_what_others_said(door: Door, archive: bytes) -> None:
    """Evidence, mentions and history that name another's segment: its owner's deletion must not hear of them."""
    async with await door.client_of(f"owner-{door.user}") as owner:
        body = {
            "source_id": "diary",
            "started_at": "2026-03-01T08:00:00Z",
            "segments": [{"segment_id": "1", "speaker": "Owner", "text": "I keep bees.", "start": 0, "end": 1}],
        }
        assert (await owner.post("/v1/sources", json=body)).status_code == 202
        await door.settle()
        foreign = segment_key(user_scope(f"owner-{door.user}"), "diary", "1")
        forged = archive
        for member in ("evidence.jsonl", "mentions.jsonl", "journal.jsonl"):
            change = _naming(foreign)
            forged = changed(forged, member, lambda lines, m=member, c=change: c(m, lines))  # type: ignore[misc]
        answer = await restored(door, forged)
        assert answer.status_code in (201, 422), answer.text
        assert door.user not in await door.app.stores.erasure.forgetting.resting([foreign])
        assert await door.app.stores.erasure.forgetting.once(door.user, [foreign]) == []
        assert (
            await door.rows(
                "SELECT 1 FROM row_versions WHERE user_id = %(user)s AND (row ->> 'segment_key')::bigint = %(key)s",
                user=door.user,
                key=foreign,
            )
            == []
        )
        assert (await owner.delete("/v1/sources/diary")).status_code == 200
        assert (await owner.get("/v1/context", params={"query": "bees"})).json()["total"] == 0


async def test_a_key_cannot_be_squatted_and_tells_nothing(door: Door, archive: bytes) -> None:
    """An archive that gives its own segment the key of another's: refused alike whether the other has spoken or not."""
    theirs = f"owner-{door.user}"
    spoken, unspoken = (segment_key(user_scope(theirs), "diary", number) for number in ("1", "2"))
    body = {
        "source_id": "diary",
        "started_at": "2026-03-01T08:00:00Z",
        "segments": [{"segment_id": "1", "speaker": "Owner", "text": "I keep bees.", "start": 0, "end": 1}],
    }
    async with await door.client_of(theirs) as owner:
        assert (await owner.post("/v1/sources", json=body)).status_code == 202
        answers = []
        for key in (spoken, unspoken):

            def squat(lines: list[Line], key: int = key) -> None:
                lines[0]["segments"][0]["segment_key"] = key

            answer = await restored(door, changed(archive, "sources.jsonl", squat))
            answers.append((answer.status_code, answer.json()["detail"]))
        assert answers[0] == answers[1]
        assert answers[0][0] == 422
        assert "sources.jsonl line 1: segments.0.segment_key" in answers[0][1]
        body["segments"][0] |= {"segment_id": "2", "text": "They make honey."}  # type: ignore[index]
        assert (await owner.post("/v1/sources", json=body)).status_code == 202


async def test_two_memories_may_hold_the_same_key(door: Door) -> None:
    """The 64 bits of a key can be met on purpose; whoever does so stands in nobody's way."""
    theirs = f"owner-{door.user}"
    body = {
        "source_id": "diary",
        "started_at": "2026-03-01T08:00:00Z",
        "segments": [{"segment_id": "1", "speaker": "Owner", "text": "I keep bees.", "start": 0, "end": 1}],
    }
    await door.post("/v1/sources", body | {"source_id": "met"}, 202)
    async with await door.client_of(theirs) as owner:
        taken = segment_key(user_scope(theirs), "diary", "1")
        await door.rows(
            "UPDATE segments SET segment_key = %(key)s WHERE scope = %(scope)s", key=taken, scope=user_scope(door.user)
        )
        assert (await owner.post("/v1/sources", json=body)).status_code == 202
        await door.settle()
        assert (await owner.get("/v1/sources/diary")).json()["status"] == "extracted"
        found = (await owner.get("/v1/context", params={"query": "bees"})).json()["results"]
        assert [each["source_id"] for each in found] == ["diary"]
        assert (await owner.delete("/v1/sources/diary")).status_code == 200


async def test_what_rests_on_a_teams_words_comes_back(door: Door) -> None:
    """A team's words are not in an archive. Whoever still reads them has their facts again; nobody else gets in."""
    team = f"team-{door.user}"
    user = f"member-{door.user}"
    body = {
        "source_id": "meeting",
        "team_id": team,
        "started_at": "2026-03-01T08:00:00Z",
        "segments": [{"segment_id": "1", "speaker": "Lea", "text": "I live in Ghent.", "start": 0, "end": 1}],
    }
    async with (
        await door.client_of(user, (team,), clearance=2) as member,
        await door.client_of(user, clearance=2) as left,
    ):  # type: ignore[arg-type]
        assert (await member.post("/v1/sources", json=body)).status_code == 202
        await door.settle()
        before = (await member.get("/v1/facts")).json()["facts"]
        assert before
        whole = (await member.get("/v1/export")).content
        for client, after in ((member, before), (left, [])):
            assert (await client.delete("/v1/memory")).status_code == 200
            assert (await client.post("/v1/import", content=whole)).status_code == 201
            assert [each["fact_id"] for each in (await client.get("/v1/facts")).json()["facts"]] == [
                each["fact_id"] for each in after
            ]


# ---------------------------------------------------------------------------------------------- what it says of itself


def put(**values: Any) -> Callable[[list[Line]], None]:
    """Change fields of the first line."""
    return lambda lines: lines[0].update(values)


def drop(name: str) -> Callable[[list[Line]], Any]:
    return lambda lines: lines[0].pop(name)


def first(*path: str | int, value: Any) -> Callable[[list[Line]], None]:
    """Put a value deep inside the first line."""

    def change(lines: list[Line]) -> None:
        place: Any = lines[0]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return change


def cycle(lines: list[Line]) -> None:
    lines[0]["merged_into"], lines[1]["merged_into"] = lines[1]["entity_id"], lines[0]["entity_id"]


FAULTS: dict[str, tuple[str, Callable[[list[Line]], Any], str]] = {
    "no field of ours": ("entities.jsonl", put(vector=[1]), "entities.jsonl line 1: holds a field"),
    "a field is missing": ("facts.jsonl", drop("statement"), "facts.jsonl line 1: statement"),
    "another type": ("facts.jsonl", put(importance="9"), "facts.jsonl line 1: importance"),
    "too sure": ("facts.jsonl", put(confidence=1.5), "facts.jsonl line 1: confidence"),
    "a huge number": ("facts.jsonl", put(version=2**40), "facts.jsonl line 1: version"),
    "a time nobody lives in": ("facts.jsonl", put(valid_from=1e300), "facts.jsonl line 1: valid_from"),
    "ends before it begins": ("facts.jsonl", put(valid_to=-2e9), "facts.jsonl line 1: valid_to"),
    "an id of another shape": ("facts.jsonl", put(fact_id="../x"), "facts.jsonl line 1: fact_id"),
    "about nobody": ("facts.jsonl", put(subject_id="e-0000000000000000"), "facts.jsonl line 1: subject_id"),
    "no fact of the archive": ("evidence.jsonl", put(fact_id="f-0000000000000000"), "evidence.jsonl line 1: fact_id"),
    "nobody of the archive": ("mentions.jsonl", put(entity_id="e-0000000000000000"), "mentions.jsonl line 1"),
    "a note about nothing": ("notes.jsonl", put(about_id="e-0000000000000000"), "notes.jsonl line 1: about_id"),
    "a link to nothing": ("links.jsonl", put(to_id="f-0000000000000000"), "links.jsonl line 1: to_id"),
    "merged in a circle": ("entities.jsonl", cycle, "entities.jsonl line 1: merged_into"),
    "merged into nobody": ("entities.jsonl", put(merged_into="e-0000000000000000"), "entities.jsonl line 1"),
    "a type there is not": ("entities.jsonl", put(type="god"), "entities.jsonl line 1: type"),
    "a lifetime there is not": ("notes.jsonl", put(lifetime="aeon"), "notes.jsonl line 1: lifetime"),
    "twice the same": ("entities.jsonl", lambda lines: lines.insert(0, lines[0]), "entities.jsonl line 2"),
    "two owners": ("entities.jsonl", lambda lines: [line.update(is_owner=True) for line in lines], "is_owner"),
    "NUL": ("sources.jsonl", first("segments", 0, "text", value="a\0b"), "sources.jsonl line 1: segments.0.text"),
    "a path": ("sources.jsonl", put(source_id="../../x"), "sources.jsonl line 1: source_id"),
    "a long name": ("sources.jsonl", put(source_id="x" * 201), "sources.jsonl line 1: source_id"),
    "hidden by nothing": ("sources.jsonl", first("segments", 0, "replaced_by", value="99"), "sources.jsonl line 1"),
    "deep": ("sources.jsonl", put(provenance={"a": {"b": {"c": []}}}), "sources.jsonl line 1: provenance"),
    "history with a gap": ("journal.jsonl", lambda lines: lines.pop(0), "journal.jsonl line 1: version"),
    "a word of another": ("content.jsonl", put(content_id=7), "content.jsonl line 1: content_id"),
    "a change of nothing": ("journal.jsonl", first("changes", 0, "noun", value="user"), "journal.jsonl line 1"),
    "a night of nobody": ("nights.jsonl", put(night="9999-12-31"), "nights.jsonl line 1: night"),
    "a report that is none": ("nights.jsonl", put(report=[]), "nights.jsonl line 1: report"),
    "a later version": ("manifest.json", put(format_version=2), "update Memoray"),
    "no version": ("manifest.json", put(format_version=True), "manifest.json: format_version"),
    "another program's": ("manifest.json", put(format="zip"), "manifest.json: format"),
    "a version it has not": ("manifest.json", put(memory_version=2**62), "manifest.json: memory_version"),
    "counts that are wrong": ("manifest.json", first("counts", "facts", value=1), "manifest.json: counts.facts"),
}


async def test_every_fault_is_named_and_leaves_nothing(door: Door, archive: bytes) -> None:
    unlike = {}
    for name, (member, change, where) in FAULTS.items():
        answer = await restored(door, changed(archive, member, change))
        if answer.status_code != 422 or where not in answer.json()["detail"] or not await empty(door):
            unlike[name] = answer.text
    assert unlike == {}
    assert (await restored(door, archive)).status_code == 201, "what was refused stands in nobody's way"


async def test_errors_repeat_no_words(door: Door, archive: bytes) -> None:
    """Errors are logged and sent: they name fields and lines, never what stands there."""
    for member, change in (
        ("sources.jsonl", put(provenance={"Secretword": {"Secretword": 1}})),
        ("sources.jsonl", put(kind="Secretword")),
        ("profile.json", put(time_zone="Secretword")),
        ("profile.json", put(Secretword="Secretword")),
        ("entities.jsonl", put(properties={"Secretword": [[1]]})),
    ):
        answer = await restored(door, changed(archive, member, change))
        assert answer.status_code == 422, answer.text
        assert "Secretword" not in answer.text


async def test_a_long_source_comes_back_whole(door: Door) -> None:
    """More segments than a line may be long to be read at once come back as they were, piece by piece."""
    body = {
        "source_id": "long",
        "started_at": "2026-03-01T08:00:00Z",
        "segments": [
            {"segment_id": str(n), "speaker": 'Ann "[{', "text": f'{n}, "]}}" \\ ' + "word " * 80, "start": n, "end": n}
            for n in range(3_000)
        ],
    }
    await door.post("/v1/sources", body, 202)
    whole = await exported(door)
    assert len(opened(whole)["sources.jsonl"]) > 2_000_000
    assert (await door.client.delete("/v1/memory")).status_code == 200
    assert (await restored(door, whole)).status_code == 201
    again = opened(await exported(door))
    assert again["sources.jsonl"] == opened(whole)["sources.jsonl"]


async def test_a_source_of_more_words_than_a_line_takes_goes_on_in_others(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What hides a segment may stand in a later line; a part without the one before it is refused."""
    monkeypatch.setattr(written, "PART_CHARS", 2_000)
    said: list[dict[str, Any]] = [
        {"segment_id": str(n), "speaker": "Ann", "start": n, "end": n + 1, "text": f"Word {n}."} for n in range(9)
    ]
    body = {"source_id": "long", "started_at": "2026-03-01T08:00:00Z", "segments": said}
    await door.post("/v1/sources", body, 202)
    whole = changed(await exported(door), "sources.jsonl", first("segments", 0, "replaced_by", value="8"))
    lines = [orjson.loads(line) for line in opened(whole)["sources.jsonl"].splitlines()]
    assert [line.get("part", 0) for line in lines] == [0, 1, 2]
    assert (await door.client.delete("/v1/memory")).status_code == 200
    await refused(door, changed(whole, "sources.jsonl", lambda lines: lines.pop(0)), "sources.jsonl line 1: part")
    await refused(door, changed(whole, "sources.jsonl", lambda lines: lines.pop()), "sources.jsonl line 1: segments.0")
    await refused(door, changed(whole, "sources.jsonl", lambda lines: lines.reverse()), "sources.jsonl line 1: part")
    assert (await restored(door, whole)).status_code == 201
    again = [orjson.loads(line) for line in opened(await exported(door))["sources.jsonl"].splitlines()]
    assert again == lines


async def test_an_empty_memory_comes_back(door: Door) -> None:
    whole = await exported(door)
    assert (await restored(door, whole)).status_code == 201
    assert await door.app.profile(door.user) == Profile()
