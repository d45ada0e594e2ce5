"""The page at `/`: a question and its answer, facts and promises, rendered here, without a script.

The token is asked for once, and a session takes its place: random bits in a cookie, of which the database keeps the
hash. No `/v1` route accepts them, for a browser sends a cookie to every port of this machine. They end with the token,
after a week, and when their holder leaves. Forms are taken from this page alone: the browser tells where they came
from, and they carry a key made of the session, which no other page can know. Whatever anybody said is escaped, and the
policy allows nothing but our own style.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from html import escape
from math import inf
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs, urlencode, urlsplit

import orjson
from fastapi import Cookie, Depends, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from pydantic import ValidationError

from deployments.admission import known, valid
from deployments.app_context import AppContext, app_context_of
from deployments.audit import AuditedRequest
from deployments.callers import Caller, acting, writing
from deployments.commands import fresh_id
from deployments.findings import invalid
from deployments.kinds import Id, Text
from deployments.page import parts
from deployments.page.parts import PageContext
from deployments.problems import meant_by
from deployments.ranges import in_part
from deployments.routers import json_router
from deployments.use_cases import remembering, undoing, voice_changes
from deployments.use_cases.glancing import Glance, GlanceParameters, glance
from deployments.use_cases.promises import PromiseOut
from deployments.use_cases.remembering import Correction
from deployments.use_cases.sounds import sound_of_segment
from deployments.use_cases.undoing import Undoing
from deployments.use_cases.voice_changes import VoiceMerging, VoiceUndoing
from memory.errors import Forbidden, Invalid, TooManyAttempts, Unauthenticated


class PageRoute(APIRoute):
    """A route of the page: whatever goes wrong is told as a page, with a way back, for a person reads it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        answered = super().get_route_handler()

        async def told(request: Request) -> Response:
            try:
                return await answered(request)
            except Exception as error:
                refused = invalid(error.errors()) if isinstance(error, RequestValidationError) else error
                why = meant_by(refused, "a request of the page")
                if why is None:
                    raise
                query = request.query_params.get("q", "")[:MOST_ASKED]
                return _page("", parts.refused(why.detail, query), why.status)

        return told


router = json_router(described=False)
router.route_class = PageRoute
COOKIE = "memoray_page"
SESSION_S = 7 * 86_400
"""Seconds a session lasts."""
SHOWN = 8
"""Results, facts and promises of each kind on the page."""
PAIRS = 3
"""Pairs of voices on the page."""
MOST_ASKED = 1_000
"""Characters of a question."""
MOST_FIELDS = 10
"""Fields of a form: those of the page have four."""
_HEADERS = {
    "Content-Security-Policy": parts.POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",  # with no-referrer a browser would send our own forms with `Origin: null`
    "X-Content-Type-Options": "nosniff",
}
_WELCOME = "The administrator's token lies in the data folder, in the file named token."
_ENDED = "You are logged out. Nothing was changed: enter the token, and do it again."
_FOREIGN = "This form is of another page: open this one, and try again."
_STALE = "This form is not of your page: go back, and try again."
_TOO_LONG = f"A correction is a sentence of at most {parts.MOST_STATEMENT:,} characters."
Shown = Annotated[Text, Query(max_length=MOST_ASKED)]


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who looks at the page, with the token of which name, and the key their forms carry."""

    who: Caller
    key: str
    token: str


async def visitor(
    app: Annotated[AppContext, Depends(app_context_of)],
    session: Annotated[str | None, Cookie(alias=COOKIE)] = None,
) -> Visitor | None:
    """Who looks at the page, or None."""
    granted = await app.tokens.of_session(session, app.clock.now()) if session else None
    if session is None or granted is None:
        return None
    try:
        who = await acting(app, valid(app, granted))
    except Unauthenticated:
        return None
    key = hmac.new(session.encode(errors="replace"), b"the forms of the page", "sha256").hexdigest()
    return Visitor(who, key, granted.name)


async def own_form(request: Request) -> None:
    """403 for a form that another page sends, as the browser tells; what is no browser says nothing of it."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site not in (None, "same-origin", "none"):
        raise Forbidden(_FOREIGN)
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise Forbidden(_FOREIGN)


OWN = [Depends(own_form)]
Visiting = Annotated[Visitor | None, Depends(visitor)]
Here = Annotated[AppContext, Depends(app_context_of)]


@router.get("/")
async def home(
    visiting: Visiting, app: Here, q: Shown = "", did: Shown = "", fact: Shown = "", command: Shown = ""
) -> Response:
    """The page, or the question for a token. `did`, `fact` and `command` tell what was done just now."""
    if visiting is None:
        return _page("", parts.ENTER.substitute(said=_WELCOME))
    who = visiting.who
    shown = await glance(app, who, GlanceParameters(q, fact if parts.told_of(did) else "", SHOWN, PAIRS))
    desk = PageContext(shown.zone, q, None if who.permission == "read" else visiting.key)
    told = orjson.dumps([{"fact_id": each.fact_id} for each in shown.recent])
    app.trail.note(
        AuditedRequest(who.user_id, app.clock.now(), visiting.token, "GET /", 200, who.view.scopes, {}, told)
    )
    found = [
        _done(shown, desk, did, fact, command),
        parts.search(q),
        *_answer(shown, desk),
        parts.section("Recent facts", (parts.fact(each, desk) for each in shown.recent), "Nothing yet."),
        *_promises(shown, desk),
        *_alike(shown, desk),
        parts.figures(_figures(shown)),
    ]
    return _page(parts.LEAVE, "\n".join(found))


@router.post("/login", dependencies=OWN)
async def login(request: Request, app: Here) -> Response:
    """Open a session, if the token is known; 429 after too many that are not."""
    token = (await _form(request)).get("token", "").strip()
    try:
        granted = await known(app, token, request)
    except (Unauthenticated, TooManyAttempts) as error:
        said = "That token is not known here." if error.detail == Unauthenticated().detail else error.detail
        told = _page("", parts.ENTER.substitute(said=escape(said)), status=error.status)
        if wait := error.ids.get("retry_after_s"):
            told.headers["retry-after"] = str(wait)
        return told
    now = app.clock.now()
    session = await app.tokens.open_session(token, now, min(now + SESSION_S, granted.expires_at or inf))
    answer = RedirectResponse("/", 303, _HEADERS)
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, session, SESSION_S, path="/", httponly=True, samesite="strict", secure=secure)
    return answer


@router.post("/logout", dependencies=OWN)
async def logout(app: Here, session: Annotated[str | None, Cookie(alias=COOKIE)] = None) -> Response:
    """End the session."""
    if session:
        await app.tokens.end_session(session)
    answer = RedirectResponse("/", 303, _HEADERS)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer


@router.post("/page/facts/{fact_id}/correct", dependencies=OWN)
async def correct(fact_id: Id, request: Request, visiting: Visiting, app: Here) -> Response:
    """Put a fact right, as `POST /v1/facts/{fact_id}/correct` does."""

    async def carried_out(who: Caller, form: dict[str, str], key: str) -> tuple[str, str]:
        statement = form.get("statement", "")
        if len(statement) > parts.MOST_STATEMENT:
            raise Invalid(_TOO_LONG)
        done = await remembering.correct(app, who, key, fact_id, Correction(statement=statement))
        return "known" if done.outcome == "duplicate" else "correct", done.fact_id

    return await _carry_out(request, visiting, carried_out)


@router.post("/page/facts/{fact_id}/confirm", dependencies=OWN)
async def confirm(fact_id: Id, request: Request, visiting: Visiting, app: Here) -> Response:
    """Confirm a fact, as `POST /v1/facts/{fact_id}/confirm` does."""

    async def carried_out(who: Caller, form: dict[str, str], key: str) -> tuple[str, str]:
        return "confirm", (await remembering.confirm(app, who, key, fact_id)).fact_id

    return await _carry_out(request, visiting, carried_out)


@router.post("/page/facts/{fact_id}/forget", dependencies=OWN)
async def forget(fact_id: Id, request: Request, visiting: Visiting, app: Here) -> Response:
    """Believe a fact no longer, as `POST /v1/facts/{fact_id}/forget` does."""

    async def carried_out(who: Caller, form: dict[str, str], key: str) -> tuple[str, str]:
        return "forget", (await remembering.forget(app, who, key, fact_id)).fact_id

    return await _carry_out(request, visiting, carried_out)


@router.get("/page/segments/{source_id:path}/{segment_id}/audio")
async def play(source_id: Id, segment_id: Id, request: Request, visiting: Visiting, app: Here) -> Response:
    """The sound of a segment, as `GET /v1/segments/{source_id}/{segment_id}/audio` gives it."""
    if visiting is None:
        return RedirectResponse("/", 303, _HEADERS)
    who, named = visiting.who, {"source_id": source_id, "segment_id": segment_id}
    sound = await sound_of_segment(app, who, source_id, segment_id)
    route = "GET /page/segments/{source_id}/{segment_id}/audio"
    app.trail.note(
        AuditedRequest(who.user_id, app.clock.now(), visiting.token, route, 200, who.view.scopes, named, b"")
    )
    return in_part(request, sound, "audio/wav", _HEADERS)


@router.post("/page/voices/{verb}", dependencies=OWN)
async def compare(
    verb: Literal["same", "different", "undo"], request: Request, visiting: Visiting, app: Here
) -> Response:
    """Say whether two voices are one person's, as `POST /v1/voices/merge` and `differ` do, or take that back."""

    async def carried_out(who: Caller, form: dict[str, str], key: str) -> tuple[str, str]:
        if verb == "undo":
            await voice_changes.undo_voices(app, who, key, VoiceUndoing(change_id=form.get("command", "")))
            return "undo", ""
        both = VoiceMerging(voice_id=form.get("voice", ""), other_id=form.get("other", ""))
        await (voice_changes.merge_voices if verb == "same" else voice_changes.tell_apart)(app, who, key, both)
        return verb, ""

    return await _carry_out(request, visiting, carried_out)


@router.post("/page/undo", dependencies=OWN)
async def undone(request: Request, visiting: Visiting, app: Here) -> Response:
    """Take back what was done on the page, as `POST /v1/undo` does."""

    async def carried_out(who: Caller, form: dict[str, str], key: str) -> tuple[str, str]:
        await undoing.undo(app, who, key, Undoing(command_id=form.get("command", "")))
        return "undo", ""

    return await _carry_out(request, visiting, carried_out)


async def _carry_out(request: Request, visiting: Visitor | None, carried_out: Any) -> Response:
    """What a form asks for, once for who may ask it; then the page again, which tells what was done."""
    if visiting is None:
        return _page("", parts.ENTER.substitute(said=_ENDED), status=401)
    form, command_id = await _form(request), fresh_id()
    query = form.get("q", "")[:MOST_ASKED]
    try:
        if not hmac.compare_digest(form.get("key", "").encode(), visiting.key.encode()):
            raise Forbidden(_STALE)
        did, fact_id = await carried_out(writing(visiting.who), form, command_id)
    except ValidationError:
        return _page(parts.LEAVE, parts.refused("That cannot be read: use plain words.", query), status=422)
    except Exception as error:
        why = meant_by(error, "a form of the page")
        if why is None:
            raise
        return _page(parts.LEAVE, parts.refused(why.detail, query), status=why.status)
    told = {"q": query, "did": did, "fact": fact_id, "command": command_id if did not in ("undo", "known") else ""}
    return RedirectResponse("/?" + urlencode({name: value for name, value in told.items() if value}), 303, _HEADERS)


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form, of each the first; none of one with more than a form of the page has."""
    try:
        fields = parse_qs((await request.body()).decode(errors="replace"), max_num_fields=MOST_FIELDS)
    except ValueError:
        return {}
    return {name: values[0] for name, values in fields.items()}


def _page(account: str, main: str, status: int = 200) -> Response:
    return HTMLResponse(parts.PAGE.substitute(style=parts.STYLE, account=account, main=main), status, _HEADERS)


def _done(shown: Glance, desk: PageContext, did: str, fact_id: str, command_id: str) -> str:
    """What was done just now, in the words of the fact as the caller may see it: an address alone says nothing."""
    if not parts.told_of(did) or (fact_id and shown.changed is None):
        return ""
    return parts.done(did, shown.changed.statement if shown.changed else "", command_id, desk)


def _answer(shown: Glance, desk: PageContext) -> Sequence[str]:
    """What answers a question, the facts behind it, and what was said."""
    if shown.answered is None:
        return ()
    told, audible = shown.answered.told, shown.answered.audible
    heard = (parts.hit(each, desk, plays=(each.source_id, each.segment_id) in audible) for each in told.results)
    return (
        parts.answer(told.answer),
        parts.section("Believed about it", (parts.fact(each, desk) for each in shown.answered.believed), "Nothing."),
        parts.section("Remembered", heard, "Nothing comes to mind."),
    )


def _promises(shown: Glance, desk: PageContext) -> Sequence[str]:
    """Promises whose day has passed, if there are any; then those to be kept."""
    ahead = parts.section("Open promises", _told(shown.ahead, desk), "None.")
    return [parts.section("Overdue promises", _told(shown.overdue, desk), ""), ahead] if shown.overdue else [ahead]


def _alike(shown: Glance, desk: PageContext) -> Sequence[str]:
    """Voices that may be one person's, if there are any."""
    pairs = (parts.pair(each, desk) for each in shown.alike)
    return [parts.section("Perhaps one person", pairs, "")] if shown.alike else ()


def _figures(shown: Glance) -> dict[str, int]:
    return {
        "Sessions": shown.stats.sessions_count,
        "Segments": shown.stats.segments_count,
        "Entities": shown.stats.entities_count,
        "Still to be read": shown.stats.pending["extraction"],
    }


def _told(promises: Sequence[PromiseOut], desk: PageContext) -> list[str]:
    return [parts.promise(each, desk) for each in promises]
