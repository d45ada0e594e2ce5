"""The page: what it shows is on the owner's clock, and what is wrong there can be put right, by its owner alone."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import datetime
from html import unescape
from typing import Any

import httpx
import pytest

from deployments.routes.page import COOKIE
from memory.errors import Unavailable
from tests.api.conftest import Door
from tests.api.test_assembled_context import talk

DAY_S = 86_400.0


@pytest.fixture
async def browser(door: Door) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody in Berlin who is logged in, and has told a little; no token in a header goes along."""
    await door.client.put("/v1/profile", json={"name": "Nora", "time_zone": "Europe/Berlin"})
    told = talk("supper", "2026-11-16", ("Nora", "I live in Leipzig."), ("Nora", "Elena likes figs."))
    await door.post("/v1/sources", {**told, "started_at": "2026-11-16T23:30:00Z"}, 202)
    await door.settle()
    async with httpx.AsyncClient(transport=door.client._transport, base_url="http://test") as client:
        await log_in(client, await door.client_of(door.user))
        yield client


async def log_in(browser: httpx.AsyncClient, as_whom: httpx.AsyncClient) -> None:
    token = as_whom.headers["X-Internal-Token"]
    assert (await browser.post("/login", data={"token": token})).status_code == 303


def forms(page: str, action: str) -> list[dict[str, str]]:
    """What each form with this action would send, in the order of the page; `action` is a pattern."""
    found = []
    for path, body in re.findall(rf'<form[^>]*action="({action})">(.*?)</form>', page, re.DOTALL):
        fields = re.findall(r'<input(?:[^>]*?)name="(\w+)"(?:[^>]*?)value="([^"]*)"', body)
        found.append({"action": path} | {name: unescape(value) for name, value in fields})
    return found


async def send(browser: httpx.AsyncClient, form: dict[str, str], **typed: str) -> httpx.Response:
    """Send a form, with what was typed, and follow where it leads."""
    fields = {name: value for name, value in form.items() if name != "action"} | typed
    return await browser.post(form["action"], data=fields, follow_redirects=True)


def of_fact(page: str, words: str, verb: str) -> dict[str, str]:
    """The form of a verb at the fact with these words."""
    entries = (each for each in page.split("<li>") if words in each.partition("</p>")[0])
    return next(form for entry in entries for form in forms(entry, f"/page/facts/[^/]+/{verb}"))


async def test_times_are_on_the_owner_s_clock(browser: httpx.AsyncClient) -> None:
    page = (await browser.get("/", params={"q": "Where do I live?"})).text
    assert "since 2026-11-17" in page
    assert "2026-11-17 00:30" in page
    assert "2026-11-16" not in page.partition("Believed about it")[2]


async def test_a_question_is_answered_first_as_ask_answers_it(browser: httpx.AsyncClient, door: Door) -> None:
    page = (await browser.get("/", params={"q": "Where do I live?"})).text
    told = await door.post("/v1/ask", {"query": "Where do I live?", "limit": 8})
    first = told["answer"].splitlines()[0]
    assert "Leipzig" in first
    assert first in unescape(page.partition("<h2>Answer</h2>")[2].partition("</section>")[0])
    assert page.index("Answer") < page.index("Remembered") < page.index("Recent facts")


async def test_a_fact_is_corrected_confirmed_and_forgotten_and_each_is_undone(
    browser: httpx.AsyncClient, door: Door
) -> None:
    page = (await browser.get("/", params={"q": "Where do I live?"})).text
    wrong = of_fact(page, "Nora lives in Leipzig", "correct")
    assert wrong["statement"] == "Nora lives in Leipzig"
    right = await send(browser, wrong, statement="Nora lives in Halle")
    assert (right.status_code, right.url.params["q"]) == (200, "Where do I live?")
    assert "Now it is believed that: Nora lives in Halle" in right.text
    facts = {each["statement"] for each in (await door.get("/v1/facts"))["facts"]}
    assert ("Nora lives in Halle" in facts, "Nora lives in Leipzig" in facts) == (True, False)
    back = await send(browser, forms(right.text, "/page/undo")[0])
    assert "Undone." in back.text
    assert "Nora lives in Leipzig" in {each["statement"] for each in (await door.get("/v1/facts"))["facts"]}
    sure = await send(browser, of_fact(back.text, "Elena likes figs", "confirm"))
    assert "Confirmed: Elena likes figs" in sure.text
    assert "confidence 1.00" in sure.text
    gone = await send(browser, of_fact(sure.text, "Elena likes figs", "forget"))
    assert "No longer believed: Elena likes figs" in gone.text
    assert "Elena likes figs" not in gone.text.partition("<h2>Recent facts</h2>")[2]
    back = await send(browser, forms(gone.text, "/page/undo")[0])
    assert "Elena likes figs" in back.text.partition("<h2>Recent facts</h2>")[2]


async def test_no_other_page_can_act_and_nobody_without_a_token(browser: httpx.AsyncClient, door: Door) -> None:
    before = await door.get("/v1/facts", status="all")
    page = (await browser.get("/")).text
    form = of_fact(page, "Elena likes figs", "forget")
    for key in ("", "0" * 64, form["key"][:-1]):
        refused = await send(browser, form, key=key)
        assert (refused.status_code, "not of your page" in refused.text) == (403, True)
    async with httpx.AsyncClient(transport=door.client._transport, base_url="http://test") as nobody:
        assert 'name="token"' in (await send(nobody, form)).text
        nobody.cookies.set(COOKIE, "guessed")
        assert 'name="token"' in (await send(nobody, form)).text
        await log_in(nobody, await door.client_of(f"{door.user}-ben"))
        assert (await send(nobody, form)).status_code == 403, "another session's key"
        own = await nobody.get("/", params={"did": "forget", "fact": form["action"].split("/")[3]})
        assert "figs" not in own.text
    many = await browser.post(form["action"], content="&".join(f"key={form['key']}" for _ in range(1_000)))
    assert many.status_code == 403
    assert await door.get("/v1/facts", status="all") == before


@pytest.mark.parametrize("verb", ["correct", "confirm", "forget"])
async def test_a_session_that_has_ended_says_that_nothing_was_done(
    browser: httpx.AsyncClient, door: Door, verb: str
) -> None:
    before = await door.get("/v1/facts", status="all")
    form = of_fact((await browser.get("/")).text, "Nora lives in Leipzig", verb)
    elsewhere = httpx.AsyncClient(transport=door.client._transport, base_url="http://test", cookies=browser.cookies)
    async with elsewhere:
        await elsewhere.post("/logout")
    late = await send(browser, form, statement="Nora lives in Halle")
    assert (late.status_code, 'name="token"' in late.text) == (401, True)
    assert "Nothing was changed" in late.text
    assert await door.get("/v1/facts", status="all") == before


async def test_who_may_only_read_sees_no_form_and_cannot_send_one(browser: httpx.AsyncClient, door: Door) -> None:
    form = of_fact((await browser.get("/")).text, "Elena likes figs", "forget")
    await log_in(browser, await door.client_of(door.user, permission="read"))
    page = await browser.get("/")
    assert "Elena likes figs" in page.text
    assert forms(page.text, "/page/.*?") == []
    assert (await send(browser, form)).status_code == 403


@pytest.mark.parametrize(
    ("typed", "status"), [(" ", 422), ("x" * 1_001, 422), ("a\x00b", 422), ("Nora lives in Leipzig", 200)]
)
async def test_what_cannot_be_a_correction_is_refused_in_words(
    browser: httpx.AsyncClient, door: Door, typed: str, status: int
) -> None:
    before = await door.get("/v1/facts", status="all")
    form = of_fact((await browser.get("/")).text, "Nora lives in Leipzig", "correct")
    answer = await send(browser, form, statement=typed)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/html")
    assert ("Back" if status == 422 else "believed already") in answer.text
    assert await door.get("/v1/facts", status="all") == before


async def test_what_is_there_no_more_is_told_and_words_are_escaped(browser: httpx.AsyncClient) -> None:
    page = (await browser.get("/")).text
    form = of_fact(page, "Nora lives in Leipzig", "correct")
    done = await send(browser, form, statement='Nora lives in "<b>Halle</b>"')
    assert "<b>Halle" not in done.text
    assert "&lt;b&gt;Halle" in done.text
    again = await send(browser, form, statement="Nora lives in Gera", q='"><script>')
    assert (again.status_code, "Only a fact that is believed" in again.text) == (409, True)
    assert "<script" not in again.text
    undone = forms(done.text, "/page/undo")[0]
    assert (await send(browser, undone)).status_code == 200
    assert (await send(browser, undone)).status_code == 409


class Away:
    """Sessions whose database is away."""

    async def of_session(self, session: str, now: float) -> None:
        raise Unavailable


@pytest.mark.parametrize(
    ("asked", "status", "said"),
    [
        ({"method": "GET", "url": "/", "params": {"q": "x" * 1_001}}, 422, "at most 1000 characters"),
        ({"method": "POST", "url": "/logout", "headers": {"Origin": "http://elsewhere.example"}}, 403, "another page"),
        ({"method": "POST", "url": f"/page/facts/{'f' * 201}/confirm"}, 422, "fact_id"),
    ],
)
async def test_what_goes_wrong_is_told_as_a_page_with_a_way_back(
    browser: httpx.AsyncClient, asked: dict[str, Any], status: int, said: str
) -> None:
    answer = await browser.request(**asked)
    assert (answer.status_code, said in answer.text, "Back" in answer.text) == (status, True, True)
    assert answer.headers["content-type"].startswith("text/html")
    assert (answer.headers["cache-control"], "default-src 'none'" in answer.headers["content-security-policy"]) == (
        "no-store",
        True,
    )


async def test_a_database_that_is_away_is_told_as_a_page_with_a_way_back(
    browser: httpx.AsyncClient, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door.app.stores.access.tokens, "of_session", Away().of_session)
    answer = await browser.get("/", params={"q": "Where do I live?"})
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (503, "text/html")
    assert 'value="Where do I live?"' in answer.text, "the way back asks the same again"


class At:
    """A clock that stands."""

    def __init__(self, now: float) -> None:
        self._now = now

    def now(self) -> float:
        return self._now


async def test_overdue_promises_stand_before_the_open_ones(browser: httpx.AsyncClient, door: Door) -> None:
    said: list[Any] = [
        ("Nora", "I promise to send you the photos by Friday."),
        ("Nora", "I'll call you on 2 March 2027."),
    ]
    await door.post("/v1/sources", {**talk("calls", "", *said), "started_at": "2026-11-17T08:00"}, 202)
    await door.settle()
    listed = (await door.get("/v1/promises"))["promises"]
    due = next(each["due"] for each in listed if "photos" in each["text"])
    door.app.clock = At(datetime.fromisoformat(due).timestamp() + 5 * DAY_S)
    page = (await browser.get("/")).text
    overdue, _, still = page.partition("Open promises")
    assert "photos" in overdue.partition("Overdue promises")[2]
    assert "was due 2026-11-20" in overdue
    assert "photos" not in still
    door.app.clock = At(datetime.fromisoformat(due).timestamp() - 2 * DAY_S)
    page = (await browser.get("/")).text
    assert "Overdue" not in page
    assert "photos" in page.partition("Open promises")[2]
