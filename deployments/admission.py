"""Admission: who may come in is settled by the head of a request; nothing of its body is read before.

FastAPI reads and parses a body before it asks its dependencies, whoever sent it. So the token is looked at here, in
front of everything, and what it grants goes along in the scope; a route that finds nothing there refuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from http import HTTPStatus
from math import ceil

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deployments.app_context import AppContext
from deployments.attempts import BEGINNING
from deployments.audit import MOST_BODY, AuditedRequest
from deployments.connections import origin_of
from deployments.dialect import Dialect
from deployments.live_protocol import as_request
from deployments.problems import problem
from deployments.protocol import GRANTED
from deployments.tickets import STREAM, refuse_secrets
from memory.errors import DomainError, TooManyAttempts, Unauthenticated
from memory.model.events import ERROR
from memory.model.scopes import Sensitivity
from memory.model.timeline import iso
from memory.model.tokens import Token

GUARDED = "/v1/"
"""Everything below asks for a token, and whatever is asked in a dialect."""
_KINDS = ("bearer", "token")
"""How a token is announced: RFC 6750's word, and the one that mem0's clients use."""

UNNOTED = frozenset({"/v1/events/emit"})
"""Routes that neither tell of a memory nor change it, and are asked every few seconds: the trail leaves them out."""
REFUSALS_S = 1.0
"""Seconds of refusals that are told in one event."""


@dataclass
class Admitted:
    """A request that was let in: what its token grants and, once its route is known, whose memory it concerns."""

    granted: Token
    secret: str = field(repr=False)
    """The token itself: what goes on for long is looked at again."""
    user_id: str
    scopes: tuple[str, ...] = ()
    acts_for: str | None = None
    """The user that a ticket was given for."""
    route: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    """What stands in its path, by name."""


class Admission:
    """ASGI middleware: 401 without a token that is known, 429 after too many; what was let in is noted (audit.py)."""

    def __init__(self, app: ASGIApp, context: AppContext | None, dialects: Sequence[Dialect] = ()) -> None:
        self._app = app
        self._context = context
        self._dialects = dialects
        self._refused, self._refused_at = 0, 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look at the head alone."""
        if scope["type"] not in ("http", "websocket") or self._context is None:
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        dialect = next((each for each in self._dialects if each.speaks(path)), None)
        if dialect is None and not path.startswith(GUARDED):
            await self._app(scope, receive, send)
            return
        request = as_request(scope)
        try:
            admitted = await _admitted(self._context, request, dialect)
            self._context.rates.ask(admitted.granted.name, self._context.clock.now())
        except DomainError as error:
            if isinstance(error, Unauthenticated | TooManyAttempts):
                self._tell(self._context, error)
            await refusal(error, request)(scope, receive, send)
            return
        scope[GRANTED], told = admitted, _Told(send)
        try:
            await self._app(scope, receive, told.send)
        finally:
            if admitted.route not in UNNOTED:
                self._context.trail.note(_entry(admitted, told, request, self._context.clock.now()))

    def _tell(self, context: AppContext, error: DomainError) -> None:
        """An event of those who were not let in, for whoever runs this: at most one in a while, however many try."""
        self._refused += 1
        if (now := context.clock.now()) - self._refused_at >= REFUSALS_S:
            context.stores.events.tell(
                context.settings.auth.default_user,
                "auth-gate",
                ERROR,
                sensitivity=Sensitivity.PRIVATE,
                status=error.status,
                refusals=self._refused,
            )
            self._refused, self._refused_at = 0, now


async def _admitted(context: AppContext, request: Request, dialect: Dialect | None) -> Admitted:
    """A request as it is let in, by a token in its head or, of a stream, by a ticket. Raises Unauthenticated."""
    path = request.url.path
    if dialect is None and request.scope["query_string"]:
        refuse_secrets(path, request.query_params)
        ticket = request.query_params.get("ticket")
        if ticket and path == STREAM and not given(request):
            let_in = context.tickets.take(ticket, context.clock.now())
            granted = valid(context, let_in.granted)
            return Admitted(granted, let_in.secret, let_in.user_id, acts_for=let_in.user_id)
    secret = given(request) or (dialect.secret(path) if dialect is not None else "")
    granted = await known(context, secret, request)
    return Admitted(granted, secret, granted.user_id)


async def still_known(context: AppContext, request: Request) -> None:
    """Look anew at the token of a request that goes on for long. Raises Unauthenticated if it lets in no more."""
    admitted: Admitted = request.scope[GRANTED]
    granted = await context.tokens.find(admitted.secret)
    if granted is None or replace(granted, expires_at=None) != replace(admitted.granted, expires_at=None):
        raise Unauthenticated()
    valid(context, granted)


class _Told:
    """What is sent, and of JSON a copy, to look afterwards which ids were in it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._json = False
        self._parts: list[bytes] = []
        self._size = 0
        self.status = 500

    @property
    def body(self) -> bytes:
        """The JSON; nothing of what is none, or too long to be kept."""
        return b"".join(self._parts) if self._size <= MOST_BODY else b""

    async def send(self, message: Message) -> None:
        if message["type"] == "websocket.accept":
            self.status = HTTPStatus.SWITCHING_PROTOCOLS
        elif message["type"] in ("http.response.start", "websocket.http.response.start"):
            self.status = message["status"]
            self._json = any(
                name == b"content-type" and value == b"application/json" for name, value in message["headers"]
            )
        elif self._json and self._size <= MOST_BODY:
            self._size += len(part := message.get("body", b""))
            self._parts.append(part)
        await self._send(message)


def _entry(admitted: Admitted, told: _Told, request: Request, now: float) -> AuditedRequest:
    """What was asked by whom; of a path that no route knows not a word."""
    route = f"{request.method} {admitted.route or '/v1'}"
    good = told.status < 400
    return AuditedRequest(
        user_id=admitted.user_id,
        at=now,
        token=admitted.granted.name,
        route=route,
        status=told.status,
        scopes=admitted.scopes,
        named=admitted.ids if good else {},
        told=told.body if good else b"",
    )


def given(request: Request) -> str:
    """The token a request shows, or nothing."""
    if token := request.headers.get("x-internal-token"):
        return token
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() in _KINDS else ""


async def known(context: AppContext, token: str, request: Request) -> Token:
    """What a token grants. Raises Unauthenticated, for one that is over with the reason, and TooManyAttempts."""
    granted = await context.tokens.find(token) if token else None
    if granted is None:
        if token:
            origin = origin_of(request.client.host) if request.client else ""
            beginning = sha256(token[:BEGINNING].encode(errors="replace")).hexdigest()
            keys = (f"from {origin}", f"at {beginning}")
            if wait := context.attempts.fail(keys, context.clock.now()):
                raise TooManyAttempts(retry_after_s=ceil(wait))
        raise Unauthenticated()
    return valid(context, granted)


def valid(context: AppContext, granted: Token) -> Token:
    """The token, unless its time is over. Raises Unauthenticated."""
    if granted.expires_at is not None and granted.expires_at <= context.clock.now():
        ended = iso(granted.expires_at)
        raise Unauthenticated(
            f"This token ended on {ended}: `memoray token rotate NAME` gives another.", name=granted.name
        )
    return granted


def refusal(error: DomainError, request: Request) -> ASGIApp:
    """A refusal as a problem, after which the connection ends."""
    told = problem(error.status, error.kind, error.detail, request, **error.ids)
    told.headers["connection"] = "close"
    return told
