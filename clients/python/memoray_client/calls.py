"""What each method sends and how its answer is read; the same for both clients. All calls are safe to repeat."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from memoray_client.messages import Said, segments_of
from memoray_client.options import (
    AddOptions,
    AskOptions,
    Budget,
    CommandOptions,
    FactsOptions,
    Options,
    PromisesOptions,
    TimelineOptions,
)
from memoray_client.responses import (
    AddResponse,
    AskResponse,
    Change,
    DeletionReceipt,
    FactsPage,
    PromisesPage,
    RememberResponse,
    SearchResponse,
    TimelinePage,
    read,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request, and how its answer is read."""

    method: str
    path: str
    read: Callable[[Any], T]
    params: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def add(messages: str | Sequence[Said], options: AddOptions) -> Call[AddResponse]:
    """POST /v1/sources. A source is known by its id, so that telling it twice is telling it once."""
    words = {"content": messages} if isinstance(messages, str) else {"segments": segments_of(messages)}
    made = {"source_id": f"py-{secrets.token_hex(8)}", "started_at": datetime.now(UTC)}
    return _call("POST", "/v1/sources", partial(read, AddResponse), options, body={**made, **_told(options), **words})


def search(query: str, options: AskOptions) -> Call[SearchResponse]:
    """GET /v1/context."""
    asked = {"query": query, **_told(options)}
    return _call("GET", "/v1/context", partial(read, SearchResponse), options, params=asked)


def context(query: str, budget_tokens: Budget, options: AskOptions) -> Call[str]:
    """GET /v1/context with a budget, of which the assembled text is wanted."""
    asked = {"query": query, "budget_tokens": budget_tokens, **_told(options)}
    return _call("GET", "/v1/context", lambda raw: read(SearchResponse, raw).context, options, params=asked)


def ask(query: str, options: AskOptions) -> Call[AskResponse]:
    """POST /v1/ask."""
    return _call("POST", "/v1/ask", partial(read, AskResponse), options, body={"query": query, **_told(options)})


def facts(options: FactsOptions) -> Call[FactsPage]:
    """GET /v1/facts."""
    return _call("GET", "/v1/facts", partial(read, FactsPage), options, params=_told(options))


def promises(options: PromisesOptions) -> Call[PromisesPage]:
    """GET /v1/promises."""
    return _call("GET", "/v1/promises", partial(read, PromisesPage), options, params=_told(options))


def timeline(options: TimelineOptions) -> Call[TimelinePage]:
    """GET /v1/timeline."""
    return _call("GET", "/v1/timeline", partial(read, TimelinePage), options, params=_told(options))


def remember(text: str, options: CommandOptions) -> Call[RememberResponse]:
    """POST /v1/facts."""
    return _command("POST", "/v1/facts", partial(read, RememberResponse), options, {"text": text})


def correct(fact_id: str, statement: str, options: CommandOptions) -> Call[Change]:
    """POST /v1/facts/{fact_id}/correct."""
    path = _below("facts", fact_id, "correct")
    return _command("POST", path, partial(read, Change), options, {"statement": statement})


def forget(fact_id: str, options: CommandOptions) -> Call[Change]:
    """POST /v1/facts/{fact_id}/forget."""
    return _command("POST", _below("facts", fact_id, "forget"), partial(read, Change), options)


def delete_source(source_id: str, options: CommandOptions) -> Call[DeletionReceipt]:
    """DELETE /v1/sources/{source_id}."""
    return _command("DELETE", _below("sources", source_id), partial(read, DeletionReceipt), options)


def _call(
    method: str,
    path: str,
    reading: Callable[[Any], T],
    options: Options,
    *,
    params: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Call[T]:
    acting_for = {"X-User-Id": options["user_id"]} if "user_id" in options else {}
    told = None if body is None else _plain(body)
    return Call(method, path, reading, _plain(params or {}), told, {**acting_for, **(headers or {})})


def _command(
    method: str,
    path: str,
    reading: Callable[[Any], T],
    options: CommandOptions,
    body: Mapping[str, Any] | None = None,
) -> Call[T]:
    """A command: the same one however often it is sent."""
    key = options.get("key") or f"py-{secrets.token_hex(16)}"
    return _call(method, path, reading, options, body=body, headers={"Idempotency-Key": key})


def _below(*parts: str) -> str:
    if not all(parts):
        raise ValueError("An id must not be empty.")
    return "/".join(("/v1", *(quote(part, safe="") for part in parts)))


def _told(options: Options) -> dict[str, Any]:
    """The options that are fields of the request itself."""
    return {name: value for name, value in options.items() if name != "user_id"}


def _plain(named: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as JSON and query strings hold them, without those that are None."""
    return {
        name: value.astimezone().isoformat() if isinstance(value, datetime) else value
        for name, value in named.items()
        if value is not None
    }
