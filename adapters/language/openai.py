"""Text generation by any OpenAI-compatible server: Ollama, vLLM, llama.cpp."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

import httpx

from adapters.completion_chunks import MOST_EVENT, NOT_THE_PROTOCOL, OUT_OF_TOKENS, ChunkReader
from config.models import Endpoint
from memory.errors import AnswerCut, ConfigError, ModelFailed
from memory.model.prompts import Prompt

_FORMATS = ("json_schema", "json_object", "none")
"""Ways to ask for JSON, the strictest first."""
_REFUSED = 400
_REASONS = {
    400: "refuses the request; the text may be longer than its context",
    401: "refuses the key; check the environment variable that api_key_env names",
    403: "refuses the key; check the environment variable that api_key_env names",
    404: "knows no such model or address; check url (it ends with /v1) and model",
    429: "is busy",
}
_AWAY = "The language model cannot be reached; check its url and that it runs."
_BROKEN = "The language model's server broke off in the middle of its answer."
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


class OpenAiModel:
    """One model behind one URL. Words go to that URL and nowhere else: no proxy of the environment is used.

    A server that refuses a JSON schema is asked for a JSON object, then for plain text; what worked is asked first from
    then on. So an answer may not fit its schema: whoever reads it checks.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        if not (endpoint.url and endpoint.model):
            raise ConfigError("A language model needs url and model.")
        self.name = endpoint.model
        self._timeout_s = endpoint.timeout_s
        self._format = 0
        self._http = httpx.AsyncClient(
            base_url=_base(endpoint.url), headers=_headers(endpoint), timeout=None, trust_env=False
        )

    async def complete(self, prompt: Prompt) -> str:
        """The model's answer at temperature 0, cut after `max_tokens`. Raises ModelFailed, also when it is empty."""
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._ask(prompt)
        except TimeoutError as error:
            raise ModelFailed(f"The language model did not answer within {self._timeout_s:g} s.") from error
        except httpx.HTTPError as error:
            raise ModelFailed(_AWAY) from error
        _refuse(response)
        return _content(response.content)[0]

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str]:
        """The same in pieces, as the server sends them. A server that streams none is waited for."""
        reader, begun = ChunkReader(), False
        try:
            response = await self._ask(prompt, streamed=True)
            async with aclosing(response):
                _refuse(response)
                if "event-stream" not in response.headers.get("content-type", "event-stream"):
                    words, is_cut = _content(await _bounded(response))
                    yield words
                    if is_cut:
                        raise AnswerCut()
                    return
                async for received in response.aiter_bytes():
                    for words in reader.read(received):
                        begun = True
                        yield words
                    if reader.ended:
                        break
        except httpx.HTTPError as error:
            raise ModelFailed(_BROKEN if begun else _AWAY) from error
        for words in reader.finish():
            yield words

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _ask(self, prompt: Prompt, *, streamed: bool = False) -> httpx.Response:
        """The answer, or its head if it is to be streamed; then whoever asked closes it."""
        request = {"model": self.name, "messages": prompt.messages, "temperature": 0, "max_tokens": prompt.max_tokens}
        request |= {"stream": True} if streamed else {}
        first = self._format if prompt.schema is not None else len(_FORMATS) - 1
        for place in range(first, len(_FORMATS)):
            asked = {**request, **_response_format(place, prompt.schema)}
            sent = self._http.build_request("POST", "chat/completions", json=asked)
            response = await self._http.send(sent, stream=streamed)
            if response.status_code != _REFUSED or place == len(_FORMATS) - 1:
                break
            await response.aclose()
        if prompt.schema is not None and response.is_success:
            self._format = place
        return response


def _refuse(response: httpx.Response) -> None:
    """Raise ModelFailed of an answer that is an error, with what to do about it."""
    if response.is_error or response.is_redirect:
        reason = _REASONS.get(response.status_code, f"answers with status {response.status_code}")
        raise ModelFailed(f"The language model's server {reason}.", status=response.status_code)


async def _bounded(response: httpx.Response) -> bytes:
    """A body that was expected to be a stream. Raises ModelFailed if it has no end."""
    body = b""
    async for received in response.aiter_bytes():
        body += received
        if len(body) > MOST_EVENT:
            raise ModelFailed(NOT_THE_PROTOCOL)
    return body


def _base(url: str) -> httpx.URL:
    try:
        return httpx.URL(url.rstrip("/") + "/")
    except httpx.InvalidURL as error:
        raise ConfigError("A language model's url is no URL: write it like http://127.0.0.1:11434/v1.") from error


def _headers(endpoint: Endpoint) -> dict[str, str]:
    if endpoint.api_key_env is None:
        return {}
    key = os.environ.get(endpoint.api_key_env, "").strip()
    if not (key.isascii() and key.isprintable() and key):
        raise ConfigError(f"The environment variable {endpoint.api_key_env}, named by api_key_env, holds no key.")
    return {"Authorization": f"Bearer {key}"}


def _response_format(place: int, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    if _FORMATS[place] == "json_schema":
        wanted = {"name": "answer", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": wanted}}
    return {"response_format": {"type": "json_object"}} if _FORMATS[place] == "json_object" else {}


def _content(body: bytes) -> tuple[str, bool]:
    """The words of the first choice, a reasoning model's thoughts left out; and whether they were cut off."""
    try:
        choice = json.loads(body)["choices"][0]
        content, is_cut = choice["message"]["content"], choice.get("finish_reason") == OUT_OF_TOKENS
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ModelFailed(NOT_THE_PROTOCOL) from error
    text = _THOUGHTS.sub("", content).strip() if isinstance(content, str) else ""
    if not text:
        raise ModelFailed("The language model's answer is empty.")
    return text, is_cut
