"""The two clients: `Memory`, which waits, and `AsyncMemory`, which is awaited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any, Self, TypeVar, Unpack

import httpx

from memoray_client import calls
from memoray_client.calls import Call
from memoray_client.errors import ServerError, UnreachableError, error_of
from memoray_client.messages import Said
from memoray_client.options import (
    AddOptions,
    AskOptions,
    Budget,
    CommandOptions,
    FactsOptions,
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
)
from memoray_client.retries import Retries, retry_after_s

T = TypeVar("T")
TIMEOUT_S = 60.0
"""A question takes milliseconds; an answer that a model writes on a processor takes up to a minute."""


class Memory:
    """A memory behind a URL, with a token of `memoray token create`.

    Passing failures are tried again as `retries` says; then a MemorayError is raised. `with Memory(...) as memory`
    closes the connection at the end. One client may be used by several threads.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout_s: float = TIMEOUT_S,
        retries: Retries | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._http = httpx.Client(base_url=url, headers=_headers(token), timeout=timeout_s, transport=transport)
        self._retries = retries or Retries()

    def add(self, messages: str | Sequence[Said], **options: Unpack[AddOptions]) -> AddResponse:
        """Store what was said: a text of the owner's, or messages in order. The next search finds it.

        Facts are read out of it in the background. Raises ValueError where there are no words.
        """
        return self._send(calls.add(messages, options))

    def search(self, query: str, **options: Unpack[AskOptions]) -> SearchResponse:
        """Find what was said that answers a question, the best first."""
        return self._send(calls.search(query, options))

    def context(self, query: str, budget_tokens: Budget = "auto", **options: Unpack[AskOptions]) -> str:
        """What is known about a question as one text for a language model, within so many tokens."""
        return self._send(calls.context(query, budget_tokens, options))

    def ask(self, query: str, **options: Unpack[AskOptions]) -> AskResponse:
        """Answer a question in sentences, with citations."""
        return self._send(calls.ask(query, options))

    def facts(self, **options: Unpack[FactsOptions]) -> FactsPage:
        """What is believed; with `as_of` what was true then, with `known_as_of` what was believed then."""
        return self._send(calls.facts(options))

    def remember(self, text: str, **options: Unpack[CommandOptions]) -> RememberResponse:
        """Remember something on purpose, in the owner's own words."""
        return self._send(calls.remember(text, options))

    def correct(self, fact_id: str, statement: str, **options: Unpack[CommandOptions]) -> Change:
        """Replace a fact that was never so by what is, as a whole sentence."""
        return self._send(calls.correct(fact_id, statement, options))

    def forget(self, fact_id: str, **options: Unpack[CommandOptions]) -> Change:
        """Believe and show a fact no longer. It can be undone; to erase words, delete their source."""
        return self._send(calls.forget(fact_id, options))

    def promises(self, **options: Unpack[PromisesOptions]) -> PromisesPage:
        """What was promised, the latest first."""
        return self._send(calls.promises(options))

    def timeline(self, **options: Unpack[TimelineOptions]) -> TimelinePage:
        """What was said and what became true, the earliest first."""
        return self._send(calls.timeline(options))

    def delete_source(self, source_id: str, **options: Unpack[CommandOptions]) -> DeletionReceipt:
        """Erase a source for good, with everything that rests on it alone. There is no undo."""
        return self._send(calls.delete_source(source_id, options))

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, call: Call[T]) -> T:
        attempt = 0
        while True:
            try:
                response = self._http.request(call.method, call.path, **_sent(call))
            except httpx.TransportError as error:
                if (pause_s := self._retries.pause_s(attempt)) is None:
                    raise _unreachable(error) from error
            else:
                pause_s = self._retries.pause_s(attempt, response.status_code, response.headers)
                if pause_s is None:
                    return _answered(call, response)
            time.sleep(pause_s)
            attempt += 1


class AsyncMemory:
    """A memory behind a URL, for programs that await: the same methods as `Memory`, which tells what they do."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout_s: float = TIMEOUT_S,
        retries: Retries | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._http = httpx.AsyncClient(base_url=url, headers=_headers(token), timeout=timeout_s, transport=transport)
        self._retries = retries or Retries()

    async def add(self, messages: str | Sequence[Said], **options: Unpack[AddOptions]) -> AddResponse:
        """Store what was said."""
        return await self._send(calls.add(messages, options))

    async def search(self, query: str, **options: Unpack[AskOptions]) -> SearchResponse:
        """Find what was said that answers a question."""
        return await self._send(calls.search(query, options))

    async def context(self, query: str, budget_tokens: Budget = "auto", **options: Unpack[AskOptions]) -> str:
        """What is known about a question as one text."""
        return await self._send(calls.context(query, budget_tokens, options))

    async def ask(self, query: str, **options: Unpack[AskOptions]) -> AskResponse:
        """Answer a question in sentences."""
        return await self._send(calls.ask(query, options))

    async def facts(self, **options: Unpack[FactsOptions]) -> FactsPage:
        """What is believed."""
        return await self._send(calls.facts(options))

    async def remember(self, text: str, **options: Unpack[CommandOptions]) -> RememberResponse:
        """Remember something on purpose."""
        return await self._send(calls.remember(text, options))

    async def correct(self, fact_id: str, statement: str, **options: Unpack[CommandOptions]) -> Change:
        """Replace a fact by what is so."""
        return await self._send(calls.correct(fact_id, statement, options))

    async def forget(self, fact_id: str, **options: Unpack[CommandOptions]) -> Change:
        """Believe and show a fact no longer."""
        return await self._send(calls.forget(fact_id, options))

    async def promises(self, **options: Unpack[PromisesOptions]) -> PromisesPage:
        """What was promised."""
        return await self._send(calls.promises(options))

    async def timeline(self, **options: Unpack[TimelineOptions]) -> TimelinePage:
        """What was said and what became true."""
        return await self._send(calls.timeline(options))

    async def delete_source(self, source_id: str, **options: Unpack[CommandOptions]) -> DeletionReceipt:
        """Erase a source for good."""
        return await self._send(calls.delete_source(source_id, options))

    async def aclose(self) -> None:
        """Close the connection."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _send(self, call: Call[T]) -> T:
        attempt = 0
        while True:
            try:
                response = await self._http.request(call.method, call.path, **_sent(call))
            except httpx.TransportError as error:
                if (pause_s := self._retries.pause_s(attempt)) is None:
                    raise _unreachable(error) from error
            else:
                pause_s = self._retries.pause_s(attempt, response.status_code, response.headers)
                if pause_s is None:
                    return _answered(call, response)
            await asyncio.sleep(pause_s)
            attempt += 1


def _headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}", "Accept": "application/json"}


def _sent(call: Call[T]) -> dict[str, Any]:
    return {"params": call.params, "json": call.body, "headers": call.headers}


def _unreachable(error: httpx.TransportError) -> UnreachableError:
    """By the kind of failure alone: its own words may hold the URL."""
    return UnreachableError(f"Nobody answered: {type(error).__name__}.")


def _answered(call: Call[T], response: httpx.Response) -> T:
    """What an answer holds. Raises MemorayError."""
    try:
        told = response.json()
    except ValueError:
        told = None
    if not response.is_success:
        raise error_of(response.status_code, told, retry_after_s(response.headers))
    if told is None:
        raise ServerError("The server's answer is no JSON; is the URL that of a Memoray?", status=response.status_code)
    return call.read(told)
