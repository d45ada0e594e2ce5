"""What is told on one side of a change of clocks and lies on the other: in Berlin on 29 March and 25 October 2026."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import httpx
import pytest

from tests.api.conftest import Door
from tests.api.test_owners_word import chat, nina
from tests.api.test_page import log_in

__all__ = ["nina"]
BERLIN = ZoneInfo("Europe/Berlin")
SIDES = [("2026-10-20", "+02:00", "2026-10-31"), ("2026-03-20", "+01:00", "2026-03-31")]
"""The day something is promised, the offset of that day, and the day by which it is."""


def spoken(day: datetime) -> str:
    return f"{day.day} {day:%B %Y}"


async def tell(door: Door, source_id: str, moment: str, *turns: tuple[str, str]) -> None:
    await door.post("/v1/sources", {**chat(source_id, "2026-01-01", *turns), "started_at": moment}, 202)
    await door.settle()


async def told(door: Door, question: str, now: str) -> str:
    return str((await door.post("/v1/ask", {"query": question, "now": now, "record_access": False}))["answer"])


@pytest.mark.parametrize(("day", "offset", "due"), SIDES)
async def test_a_promise_lasts_until_the_end_of_its_day(nina: Door, day: str, offset: str, due: str) -> None:
    words = f"I'll send you the photos by {int(due[-2:])} {datetime.fromisoformat(due):%B}, I promise."
    await tell(nina, "supper", f"{day}T20:00:00{offset}", ("Nina", words), ("Lena", "Lovely."))
    [made] = (await nina.get("/v1/promises"))["promises"]
    assert datetime.fromisoformat(made["due"]).astimezone(BERLIN).isoformat()[:19] == f"{due}T23:59:59"
    assert (await nina.get("/v1/daily", date=due))["promises"] == [f"Nina: {made['text']}"]
    answer = await told(nina, "What did I promise Lena?", f"{due}T22:30:00Z")
    assert spoken(datetime.fromisoformat(due)) in answer.splitlines()[0]
    assert due in (await _page(nina))


async def _page(door: Door) -> str:
    async with httpx.AsyncClient(transport=door.client._transport, base_url="http://test") as browser:
        await log_in(browser, await door.client_of(door.user))
        return (await browser.get("/")).text


async def test_a_promise_that_was_made_on_a_journey_is_due_by_the_clock_of_there(nina: Door) -> None:
    words = "I'll send you the photos by 31 October, I promise."
    await tell(nina, "tokyo", "2026-10-20T20:00:00+09:00", ("Nina", words), ("Lena", "Lovely."))
    [made] = (await nina.get("/v1/promises"))["promises"]
    assert made["due"] == "2026-10-31T14:59:59Z"
    assert "31 October 2026" in await told(nina, "What did I promise Lena?", "2026-10-25T12:00:00Z")


@pytest.mark.parametrize(
    ("inside", "outside", "asked", "now"),
    [
        ("2026-10-20T00:30:00+02:00", "2026-10-21T00:30:00+02:00", "20 October", "2026-11-02T12:00:00Z"),
        ("2026-03-20T23:30:00+01:00", "2026-03-19T23:30:00+01:00", "20 March", "2026-04-02T12:00:00Z"),
    ],
)
async def test_what_happened_on_a_day_is_what_was_said_on_it(
    nina: Door, inside: str, outside: str, asked: str, now: str
) -> None:
    await tell(nina, "inside", inside, ("Nina", "The kettle broke and flooded the kitchen."))
    await tell(nina, "outside", outside, ("Nina", "The neighbour borrowed our ladder again."))
    lines = (await told(nina, f"What happened on {asked}?", now)).splitlines()
    assert lines[0] == f"{asked} 2026: 1 session."
    assert [line for line in lines if "kettle" in line]
    assert not [line for line in lines if "ladder" in line]


@pytest.mark.parametrize(
    ("said", "day", "now"),
    [
        ("2026-10-02T12:00:00+02:00", "March 2026", "2026-10-10T12:00:00Z"),
        ("2026-11-02T12:00:00+01:00", "June 2026", "2026-11-10T12:00:00Z"),
    ],
)
async def test_an_answer_and_a_context_tell_since_when(nina: Door, said: str, day: str, now: str) -> None:
    month = day.partition(" ")[0]
    await tell(nina, "before", "2026-01-10T12:00:00+01:00", ("Nina", "I live in Leipzig."))
    await tell(nina, "after", said, ("Nina", f"I moved to Halle in {month}."))
    answer = await told(nina, "Where do I live?", now)
    assert answer.splitlines()[0] == f"You live in Halle (since {day}; before: Leipzig)"
    known = await nina.get("/v1/context", query="Where do I live?", cut="none", record_access=False, budget_tokens=500)
    assert f"(since {day}; before: Leipzig)" in known["context"]
