"""Questions for all of somebody or of a time: answered from facts, storylines and what was said, as far as in sight."""

from __future__ import annotations

from typing import Any

from memory.model.scopes import Sensitivity
from memory.retrieval.packing import tokens
from tests.api.conftest import Door
from tests.api.test_owners_word import answered, chat, nina, remembered
from tests.api.test_storylines import DAYS, diary, live, lived, recalls

__all__ = ["lived", "nina"]
NOW = "2025-11-23T12:00:00Z"


async def told(door: Door, question: str, now: str = NOW, **more: Any) -> list[str]:
    asked = {"query": question, "now": now, "record_access": False, **more}
    return str((await door.post("/v1/ask", asked))["answer"]).splitlines()


async def test_somebody_is_told_with_their_storylines_down_to_what_was_said(lived: Door) -> None:
    for question in ("Tell me about Elena", "tell me about elena"):
        answer = await lived.post("/v1/ask", {"query": question, "now": NOW, "record_access": False})
        lines = answer["answer"].splitlines()
        assert lines[0] == "What I know about Elena:"
        later = lines.index("Around Elena, 1 September 2025 to 10 September 2025:")
        assert lines[later + 1].startswith('You: "My friend Elena visited me on day ')
        assert lines[later + 1].endswith("]")
        assert "Around Elena, 6 January 2025 to 20 January 2025, nothing since:" in lines
        cited = {each["source_id"] for each in answer["citations"]}
        assert {"diary-2025-09-10", "diary-2025-01-20"} <= cited
        assert all(f"[{each['source_id']}/1]" in answer["answer"] for each in answer["citations"])


async def test_the_owner_is_told_of_storylines_that_are_open(lived: Door) -> None:
    lines = await told(lived, "What do you know about me?")
    assert lines[0] == "What I know about you:"
    around = [line for line in lines if line.startswith("Around")]
    assert around
    assert all(line.endswith("Elena, 1 September 2025 to 10 September 2025:") for line in around), "open ones alone"


async def test_a_word_that_is_nobodys_name_is_searched_for(lived: Door) -> None:
    assert not (await told(lived, "tell me about visiting"))[0].startswith("What I know")
    assert not (await told(lived, "tell me about zoe"))[0].startswith("What I know")


async def test_a_time_is_told_with_storylines_that_went_on_or_closed_then(lived: Door) -> None:
    went_on = await told(lived, "What happened in September?")
    assert went_on[0].startswith("1 September 2025 to 30 September 2025: 5 sessions")
    quoted = [line for line in went_on if line.startswith('"')]
    assert len(quoted) == 5
    assert not any(line.startswith("Around") for line in went_on), "all that its storyline tells is quoted already"
    closed = await told(lived, "What happened in April?")
    around = [line for line in closed if line.startswith("Around")]
    days = "6 January 2025 to 20 January 2025, nothing since:"
    assert sorted(around) == [f"Around Elena, {days}", f"Around Maya's friend Elena, {days}"]
    assert closed[2] == 'You: "My friend Elena visited me on day 4." - 20 January 2025 [diary-2025-01-20/1]'
    assert len(set(closed)) == len(closed), "a line is told once, by whichever of two names comes first"
    assert not any(line.startswith("Around") for line in await told(lived, "What happened in June?"))


async def test_lately_is_two_weeks(lived: Door) -> None:
    for question in ("What's new?", "What's been going on lately?"):
        lines = await told(lived, question, now="2025-09-12T12:00:00Z")
        assert lines[0].startswith("29 August 2025 to 12 September 2025: 5 sessions"), question
        assert not (await told(lived, question))[0].startswith("9 November"), "nothing was said"


async def test_since_an_event_is_told_since_the_day_on_which_it_was(door: Door) -> None:
    await door.client.put("/v1/profile", json={"name": "Maya"})
    for day, text in (
        ("2025-02-01", "We painted the old shed together."),
        ("2025-05-31", "I moved to Lisbon today."),
        ("2025-07-14", "I met Irina, my new neighbour."),
    ):
        await door.post("/v1/sources", diary(day, text), 202)
    await door.settle()
    for question in ("What happened since I moved?", "What's happened since I moved to Lisbon?"):
        lines = await told(door, question)
        assert lines[0].startswith("31 May 2025 to 23 November 2025: 2 sessions"), question
        assert any("Irina" in line for line in lines)
        assert not any("shed" in line for line in lines)
    unknown = await told(door, "What happened since my wedding?")
    assert "sessions" not in unknown[0]


async def test_what_changed_since_an_event_is_told_with_what_was_before(nina: Door) -> None:
    await nina.post("/v1/sources", chat("s1", "2025-03-01", ("Nina", "I moved to Leipzig today.")), 202)
    await nina.settle()
    await remembered(nina, "I live in Leipzig.")
    await remembered(nina, "I moved to Halle.")
    lines = await answered(nina, "What has changed since I moved to Leipzig?")
    assert lines[0].startswith("What has changed since 1 March 2025")


async def test_who_says_no_more_than_wow_is_not_quoted_for_a_time(nina: Door) -> None:
    turns = ("Nina", "We painted the old shed together."), ("Tom", "wow"), ("Nina", "ok")
    await nina.post("/v1/sources", chat("s1", "2025-03-01", *turns), 202)
    lines = await answered(nina, "What happened on 1 March 2025?")
    assert any("shed" in line for line in lines)
    assert not any(line.startswith(('"wow"', '"ok"')) for line in lines)


async def test_what_may_not_be_seen_or_was_forgotten_is_not_told(door: Door) -> None:
    await live(door, DAYS, "2025-02-01")
    secret = diary("2025-01-22", "My friend Elena is in hospital.", sensitivity="private")
    await door.post("/v1/sources", secret, 202)
    await door.settle()
    await door.post("/v1/night", {"night": "2025-02-02"})
    limited, private = await door.client_of(door.user, clearance=Sensitivity.OPEN), await door.client_of(door.user)
    asked = {"query": "Tell me about Elena", "now": NOW, "record_access": False}
    async with limited, private:
        assert "hospital" in (await private.post("/v1/ask", json=asked)).json()["answer"]
        seen = (await limited.post("/v1/ask", json=asked)).json()
        assert "Around Elena" in seen["answer"]
        assert "hospital" not in str(seen)
        budget = {**asked, "budget_tokens": 400}
        assert "hospital" in (await private.get("/v1/context", params=budget)).json()["context"]
        assert "hospital" not in str((await limited.get("/v1/context", params=budget)).json())
    assert (await door.client.delete("/v1/sources/diary-2025-01-22")).status_code == 200
    await door.settle()
    assert "hospital" not in str(await told(door, "Tell me about Elena"))
    assert "hospital" not in str(await door.get("/v1/context", **budget))


async def test_a_context_within_a_budget_tells_the_overview_and_stays_within_it(lived: Door) -> None:
    asked = {"query": "What do you know about me?", "now": NOW, "record_access": False}
    plain = await lived.get("/v1/context", **asked)
    assert "Who and what it is about:" not in plain["context"]
    for budget in (60, 200, 1000):
        found = await lived.get("/v1/context", **asked, budget_tokens=budget)
        assert tokens(found["context"]) <= budget
    assert found["abstained"] is False
    profile = found["context"].partition("Who and what it is about:")[2]
    assert "Elena" in profile, "by whichever of her two names comes first"
    filters = '{"provenance": {"app": "none"}}'
    only = await lived.client.get("/v1/context", params={**asked, "budget_tokens": 1000, "filters": filters})
    assert "Elena" not in only.text


async def test_storylines_that_are_told_are_recalled_once_unless_it_leaves_no_trace(lived: Door) -> None:
    await told(lived, "Tell me about Elena")
    assert await recalls(lived) == {}
    await told(lived, "Tell me about Elena", record_access=True, budget_tokens=1000)
    assert set((await recalls(lived)).values()) == {1}


async def test_who_asks_in_a_talk_that_is_remembered_is_not_told_that_they_asked(nina: Door) -> None:
    turns = ("Nina", "What's new?"), ("Tom", "The launch moves to the fourteenth of May.")
    await nina.post("/v1/sources", chat("s1", "2026-03-02", *turns), 202)
    lines = await told(nina, "What's new?", now="2026-03-03T12:00:00Z")
    assert [line.partition(" - ")[0] for line in lines[1:]] == ['"The launch moves to the fourteenth of May."']
