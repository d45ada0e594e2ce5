"""The owner's word governs: what is corrected, forgotten, undone or taken back is told so at every door."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from memory.services.answer import NOTHING
from tests.api.conftest import Door
from tests.api.test_page import log_in

WHERE = "Where do I live?"


@pytest.fixture
async def nina(door: Door) -> Door:
    """A memory whose owner is Nina."""
    answer = await door.client.put("/v1/profile", json={"name": "Nina", "time_zone": "Europe/Berlin"})
    assert answer.status_code == 200, answer.text
    return door


async def remembered(door: Door, text: str) -> str:
    return str((await door.post("/v1/facts", {"text": text}, 201))["fact_id"])


async def answered(door: Door, question: str) -> list[str]:
    await door.settle()
    answer = await door.post("/v1/ask", {"query": question, "cut": "none", "record_access": False})
    return str(answer["answer"]).splitlines()


async def context(door: Door, question: str, **more: Any) -> dict[str, Any]:
    await door.settle()
    return dict(await door.get("/v1/context", query=question, cut="none", record_access=False, **more))


def chat(source_id: str, day: str, *turns: tuple[str, str], role: str = "assistant") -> dict[str, Any]:
    segments = [
        {
            "segment_id": str(place),
            "speaker": speaker,
            "text": text,
            "start": place * 5.0,
            "end": place * 5.0 + 4,
            "role": role if speaker == "Helper" else "other",
        }
        for place, (speaker, text) in enumerate(turns, 1)
    ]
    return {"source_id": source_id, "started_at": f"{day}T10:00:00+00:00", "segments": segments}


async def test_a_correction_is_what_every_door_tells_first(nina: Door) -> None:
    wrong = await remembered(nina, "I live in Leipzig.")
    await nina.post(f"/v1/facts/{wrong}/correct", {"statement": "Nina lives in Halle"})
    first, second, *rest = await answered(nina, WHERE)
    assert first == "You live in Halle"
    assert second.startswith("You said so on ")
    assert not any("Leipzig" in line for line in rest)
    found = await context(nina, WHERE)
    assert [hit["text"] for hit in found["results"]] == ["Nina lives in Halle", "I live in Leipzig."]
    assert found["results"][1]["refuted"] == [{"fact_id": wrong, "instead": "Nina lives in Halle"}]
    assert "I live in Leipzig. (refuted: Nina lives in Halle)" in found["context"]
    assert "(refuted: Nina lives in Halle)" in (await context(nina, WHERE, budget_tokens=300))["context"]
    assert (await answered(nina, "Do I live in Leipzig?"))[0] == "No: You live in Halle"


async def test_a_correction_in_the_first_person_is_kept_as_it_is_told_of_everybody(nina: Door) -> None:
    wrong = await remembered(nina, "I live in Leipzig.")
    right = (await nina.post(f"/v1/facts/{wrong}/correct", {"statement": "I live in Halle"}))["fact_id"]
    assert (await nina.get(f"/v1/facts/{right}"))["statement"] == "Nina lives in Halle"


async def test_undoing_a_correction_brings_back_what_was_said(nina: Door) -> None:
    wrong = await remembered(nina, "I live in Leipzig.")
    await nina.post(f"/v1/facts/{wrong}/correct", {"statement": "Nina lives in Halle"})
    await nina.post("/v1/undo", {})
    lines = await answered(nina, WHERE)
    assert lines[0] == "You live in Leipzig"
    assert not any("Halle" in line for line in lines)


async def test_a_correction_asked_for_twice_is_one(nina: Door) -> None:
    wrong = await remembered(nina, "I live in Leipzig.")
    for _ in range(2):
        done = await nina.client.post(
            f"/v1/facts/{wrong}/correct", json={"statement": "Nina lives in Halle"}, headers={"Idempotency-Key": "once"}
        )
        assert done.status_code == 200, done.text
    assert [hit["text"] for hit in (await context(nina, WHERE))["results"]] == [
        "Nina lives in Halle",
        "I live in Leipzig.",
    ]


async def test_the_words_of_a_correction_are_as_private_as_the_fact(nina: Door) -> None:
    told = chat("s1", "2026-03-01", ("Nina", "I live in Leipzig.")) | {"sensitivity": "private"}
    await nina.post("/v1/sources", told, 202)
    await nina.settle()
    [fact] = (await nina.get("/v1/facts"))["facts"]
    await nina.post(f"/v1/facts/{fact['fact_id']}/correct", {"statement": "Nina lives in Halle"})
    [note] = [each for each in (await nina.get("/v1/sources"))["sources"] if each["source_id"].startswith("told-")]
    assert note["sensitivity"] == "private"


async def test_what_is_forgotten_is_told_by_no_door(nina: Door) -> None:
    await remembered(nina, "I am allergic to peanuts.")
    cats = await remembered(nina, "I am allergic to cats.")
    await nina.post(f"/v1/facts/{cats}/forget", {})
    for question in ("What am I allergic to?", "Am I allergic to cats?"):
        assert not any("cats" in line for line in await answered(nina, question))
        found = await context(nina, question)
        assert not any("cats" in hit["text"] for hit in found["results"])
        assert "cats" not in found["context"]
    await nina.post("/v1/undo", {})
    assert (await answered(nina, "Am I allergic to cats?"))[0] == "Yes: You are allergic to cats"


async def test_where_all_that_came_to_mind_is_forgotten_nothing_is_said(nina: Door) -> None:
    cats = await remembered(nina, "I am allergic to cats.")
    await nina.post(f"/v1/facts/{cats}/forget", {})
    assert await answered(nina, "What am I allergic to?") == [NOTHING]
    assert (await context(nina, "What am I allergic to?"))["abstained"]


async def test_only_the_forgotten_sentence_of_a_turn_is_left_out(nina: Door) -> None:
    await nina.post("/v1/sources", chat("s1", "2026-03-01", ("Nina", "I am allergic to cats. I live in Halle.")), 202)
    await nina.settle()
    [cats] = [each for each in (await nina.get("/v1/facts"))["facts"] if "cats" in each["statement"]]
    await nina.post(f"/v1/facts/{cats['fact_id']}/forget", {})
    [hit] = (await context(nina, WHERE))["results"]
    assert hit["text"] == "I live in Halle."


async def test_what_is_taken_back_in_the_next_line_never_stands_alone(nina: Door) -> None:
    turns = ("Tom", "I quit my job today"), ("Nina", "wow"), ("Tom", "just kidding")
    await nina.post("/v1/sources", chat("s1", "2026-03-01", *turns), 202)
    lines = await answered(nina, "Did Tom quit his job?")
    assert not lines[0].startswith("Yes")
    quoted = [line for line in lines if line.startswith('"I quit')]
    assert all('(taken back at once: "just kidding")' in line for line in quoted)
    found = await context(nina, "Did Tom quit his job?")
    assert 'I quit my job today (taken back at once: "just kidding")' in found["context"]
    assert [hit["taken_back"] for hit in found["results"] if hit["text"].startswith("I quit")] == ["just kidding"]


async def test_a_value_exchanged_in_the_next_line_is_the_new_one(nina: Door) -> None:
    turns = ("Nina", "I'm allergic to lactose"), ("Nina", "no, not lactose, gluten")
    await nina.post("/v1/sources", chat("s1", "2026-03-01", *turns), 202)
    assert (await answered(nina, "What am I allergic to?"))[0] == "You are allergic to gluten"
    texts = [hit["text"] for hit in (await context(nina, "What am I allergic to?"))["results"]]
    assert texts.index("no, not lactose, gluten") < texts.index("I'm allergic to lactose")


PART = "My sister Anna lives in Graz."
MARKED = f"{PART} (refuted in part: Anna lives in Linz)"


async def test_words_of_which_a_part_was_corrected_are_marked_at_every_door(nina: Door) -> None:
    await nina.post("/v1/sources", chat("s1", "2026-03-01", ("Nina", PART)), 202)
    await nina.settle()
    facts = (await nina.get("/v1/facts"))["facts"]
    assert len(facts) == 2
    [wrong] = [each for each in facts if each["predicate"] == "lives_in"]
    await nina.post(f"/v1/facts/{wrong['fact_id']}/correct", {"statement": "Anna lives in Linz"})
    question = "Where does my sister Anna live?"
    quoted = [line for line in await answered(nina, question) if PART in line]
    assert all("(refuted in part: Anna lives in Linz)" in line for line in quoted)
    found = await context(nina, question)
    assert [hit["text"] for hit in found["results"]] == ["Anna lives in Linz", PART]
    assert MARKED in found["context"]
    assert await _doors(nina, question) == [True] * 4


async def test_words_that_are_refuted_are_marked_at_every_door(nina: Door) -> None:
    await nina.post("/v1/sources", chat("s1", "2026-03-01", ("Nina", "I live in Leipzig.")), 202)
    await nina.settle()
    [wrong] = (await nina.get("/v1/facts"))["facts"]
    await nina.post(f"/v1/facts/{wrong['fact_id']}/correct", {"statement": "Nina lives in Halle"})
    assert await _doors(nina, WHERE, "(refuted: Nina lives in Halle)") == [True] * 4


async def test_what_a_team_alone_has_said_instead_is_told_to_the_team(nina: Door) -> None:
    team = f"{nina.user}-team"
    said = {
        "office": ("2026-03-01", "I live in Halle.", {"team_id": team}),
        "home": ("2026-03-02", "I live in Leipzig.", {}),
    }
    async with await nina.client_of(nina.user, (team,)) as both, await nina.client_of(nina.user) as alone:
        await both.get("/v1/stats")
        for source_id, (day, text, rest) in said.items():
            told = await both.post("/v1/sources", json=chat(source_id, day, ("Nina", text)) | rest)
            assert told.status_code == 202, told.text
            await nina.settle()
        facts = (await nina.actors.believed(nina.user)).facts.values()
        (old,) = (each.fact_id for each in facts if "Leipzig" in each.statement)
        fixed = await both.post(f"/v1/facts/{old}/correct", json={"statement": "Nina lives in Halle"})
        assert fixed.status_code == 200, fixed.text
        for each in (await both.get("/v1/sources")).json()["sources"]:
            if each["source_id"] not in said:
                assert (await both.delete(f"/v1/sources/{each['source_id']}")).status_code == 200
        for client, instead in ((both, {"instead": "Nina lives in Halle"}), (alone, {})):
            asked = {"query": WHERE, "cut": "none", "record_access": False}
            found = (await client.get("/v1/context", params=asked)).json()
            (home,) = (each for each in found["results"] if each["source_id"] == "home")
            assert home["refuted"] == [{"fact_id": old} | instead]
            assert ("Halle" in str(found)) == (client is both)


async def _doors(nina: Door, question: str, mark: str = "(refuted in part: Anna lives in Linz)") -> list[bool]:
    """Whether the page, mem0's search, the timeline and the day's review tell the mark."""
    async with httpx.AsyncClient(transport=nina.client._transport, base_url="http://test") as browser:
        await log_in(browser, await nina.client_of(nina.user))
        page = await browser.get("/", params={"q": question})
    found = await nina.post("/v3/memories/search/", {"query": question, "filters": {"user_id": nina.user}})
    told = await nina.get("/v1/timeline")
    day = await nina.get("/v1/daily", date="2026-03-01")
    memories = " ".join(each["memory"] for each in found["results"])
    entries = " ".join(each["text"] for each in told["entries"])
    remembered = page.text.partition("Remembered")[2]
    return [mark in words for words in (remembered, memories, entries, day["summary"])]


async def test_an_assistant_that_repeats_what_is_refuted_stands_behind_the_correction(nina: Door) -> None:
    await nina.post("/v1/sources", chat("s1", "2026-03-01", ("Nina", "I live in Leipzig.")), 202)
    await nina.post("/v1/sources", chat("s2", "2026-03-02", ("Helper", "You live in Leipzig, as you told me.")), 202)
    await nina.settle()
    [fact] = (await nina.get("/v1/facts"))["facts"]
    await nina.post(f"/v1/facts/{fact['fact_id']}/correct", {"statement": "Nina lives in Halle"})
    assert (await context(nina, WHERE))["results"][0]["text"] == "Nina lives in Halle"
    assert (await answered(nina, WHERE))[0] == "You live in Halle"
    assert not any("Leipzig" in line for line in await answered(nina, WHERE))


async def test_what_was_known_earlier_is_told_as_it_was_known(nina: Door) -> None:
    wrong = await remembered(nina, "I live in Leipzig.")
    await nina.settle()
    before = (await nina.get(f"/v1/facts/{wrong}"))["system_from"]
    await nina.post(f"/v1/facts/{wrong}/forget", {})
    found = await context(nina, WHERE, known_as_of=before)
    assert [hit["text"] for hit in found["results"]] == ["I live in Leipzig."]


async def test_an_owner_without_a_name_is_you_as_well(door: Door) -> None:
    await remembered(door, "I live in Leipzig.")
    assert (await answered(door, WHERE))[0] == "You live in Leipzig"
    await remembered(door, "I promised Lena to send the photos.")
    told = await answered(door, "What did I promise Lena?")
    assert told[0] == "You promised Lena to send the photos (open)"
    assert (await answered(door, "What did Lena promise me?"))[0] != told[0]
