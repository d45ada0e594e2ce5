"""The page at `/`: search, recent facts, open promises and figures, rendered here, without a script.

The token is asked for once and kept in a cookie that only this page reads: no `/v1` route accepts it, so no other
site can make a browser act with it. Whatever anybody said is escaped, and the policy allows nothing but our own style.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Cookie, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from deployments.callers import Caller, reader
from deployments.house import House, house_of
from deployments.kinds import Text
from deployments.questions import ask
from deployments.routes.facts_read import FactOut, shown_facts
from deployments.routes.promises import MOST_PROMISES, PromiseOut, shown_promises
from deployments.routes.stats import Stats, stats_of
from memory.errors import Unauthenticated
from memory.model.timeline import Instant, iso
from memory.retrieval.query import Question
from memory.rules.promises import promise_state

router = APIRouter(include_in_schema=False)
COOKIE = "memoray_page"
COOKIE_S = 30 * 86_400
"""Seconds the browser keeps the token."""
SHOWN = 8
"""Results, facts and promises on the page."""
_FOLDER = files("deployments.page")
_STYLE = (_FOLDER / "style.css").read_text()
_PAGE = Template((_FOLDER / "page.html").read_text())
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_ENTER = Template("""<form class="enter" method="post" action="/login">
<input type="password" name="token" aria-label="Token" placeholder="Token" autocomplete="current-password" required
autofocus><button>Enter</button></form>
<p class="quiet">$said</p>""")
_LEAVE = '<form method="post" action="/logout"><button class="plain">Log out</button></form>'
_SEARCH = Template("""<form class="search" method="get" action="/" role="search">
<input type="search" name="q" value="$query" aria-label="Question" placeholder="What do you want to remember?"
maxlength="1000"><button>Recall</button></form>""")
_WELCOME = "The administrator's token lies in the data folder, in the file named token."
_WRONG = "That token is not known here."


async def visitor(
    house: Annotated[House, Depends(house_of)],
    token: Annotated[str | None, Cookie(alias=COOKIE)] = None,
) -> Caller | None:
    """Who looks at the page, or None."""
    if not token:
        return None
    try:
        return await reader(house, x_internal_token=token)
    except Unauthenticated:
        return None


@router.get("/")
async def home(
    who: Annotated[Caller | None, Depends(visitor)],
    house: Annotated[House, Depends(house_of)],
    q: Annotated[Text, Query(max_length=1_000)] = "",
) -> Response:
    """The page, or the question for a token."""
    if who is None:
        return _page("", _ENTER.substitute(said=_WELCOME))
    now = house.clock.now()
    parts = [_SEARCH.substitute(query=escape(q))]
    if q.strip():
        parts.append(await _answers(house, who, q, now))
    facts = await house.stores.facts.page(who.view, ("active",), SHOWN)
    recent = shown_facts(facts.shown, now, house.settings.life)
    parts.append(_section("Recent facts", (_fact(each) for each in recent), "Nothing yet."))
    promises = await house.stores.entities.page(who.view, MOST_PROMISES, type="promise")
    open_ones = [each for each in promises.shown if promise_state(each.entity.properties, now) == "open"][:SHOWN]
    shown = await shown_promises(house, who, open_ones, now)
    parts.append(_section("Open promises", (_promise(each) for each in shown), "None."))
    parts.append(_status(await stats_of(house, who)))
    return _page(_LEAVE, "\n".join(parts))


@router.post("/login")
async def login(request: Request, house: Annotated[House, Depends(house_of)]) -> Response:
    """Keep a token in the cookie, if it is known."""
    form = parse_qs((await request.body()).decode(errors="replace"))
    token = form.get("token", [""])[0].strip()
    if not token or await house.tokens.find(token) is None:
        return _page("", _ENTER.substitute(said=_WRONG), status=401)
    answer = RedirectResponse("/", 303, _HEADERS)
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, token, COOKIE_S, httponly=True, samesite="strict", secure=secure)
    return answer


@router.get("/logout")
@router.post("/logout")
async def logout() -> Response:
    """Forget the token."""
    answer = RedirectResponse("/", 303, _HEADERS)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer


def _page(account: str, main: str, status: int = 200) -> Response:
    return HTMLResponse(_PAGE.substitute(style=_STYLE, account=account, main=main), status, _HEADERS)


def _section(title: str, entries: Iterable[str], otherwise: str) -> str:
    listed = "".join(f"<li>{entry}</li>" for entry in entries)
    body = f"<ol>{listed}</ol>" if listed else f'<p class="quiet">{escape(otherwise)}</p>'
    return f"<section><h2>{escape(title)}</h2>{body}</section>"


def _lines(words: str, *quiet: str | None) -> str:
    """What was said, and under it, smaller, whatever is known about it."""
    below = " · ".join(escape(part) for part in quiet if part)
    return f'<p>{escape(words)}</p><p class="quiet">{below}</p>'


async def _answers(house: House, who: Caller, query: str, now: Instant) -> str:
    found = await ask(house, Question(text=query, view=who.view, now=now, limit=SHOWN))
    return _section("Remembered", (_hit(row) for row in found.shown), "Nothing comes to mind.")


def _hit(row: Mapping[str, Any]) -> str:
    return _lines(f"“{row['text']}”", row["speaker"], _day(iso(row["at"])), row["source_id"])


def _fact(fact: FactOut) -> str:
    cited: Sequence[str] = [each.source_id for each in fact.sources[:1]]
    return _lines(fact.statement, f"since {_day(fact.valid_from)}", f"confidence {fact.confidence:.2f}", *cited)


def _promise(promise: PromiseOut) -> str:
    to = f"to {promise.to}" if promise.to else None
    due = f"due {_day(promise.due)}" if promise.due else None
    return _lines(promise.text, promise.by, to, due)


def _day(moment: str | None) -> str:
    return (moment or "")[:10]


def _status(stats: Stats) -> str:
    figures = {
        "Sessions": stats.sessions_count,
        "Segments": stats.segments_count,
        "Entities": stats.entities_count,
        "Still to be read": stats.pending["extraction"],
    }
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{number:,}</dd></div>" for name, number in figures.items())
    return f"<section><h2>Status</h2><dl>{rows}</dl></section>"
