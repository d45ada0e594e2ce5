"""Text generation as a deployment, for machines where a GPU is shared.

The engine behind `backend: gpu` has never run on a GPU: it is written from the sources of Ray 2.60 and vLLM 0.29.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any

from ray import serve
from ray.serve import Application

from deployments.arguments import AppArgs
from memory.errors import Unavailable
from memory.model.prompts import Prompt
from memory.ports import LanguageModel

NAME = "Language"


class Language:
    """The CPU's: any language model the settings name, built in the replica; none at all is an answer too."""

    def __init__(self, build: Callable[[], LanguageModel | None]) -> None:
        self._model = build()

    async def complete(self, prompt: Prompt) -> str:
        """The model's answer; JSON text that fits a schema if one is given. Raises ModelFailed or Unavailable."""
        return await self._there.complete(prompt)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str]:
        """The same in pieces, as the model makes them."""
        async with aclosing(self._there.stream(prompt)) as pieces:
            async for words in pieces:
                yield words

    @property
    def _there(self) -> LanguageModel:
        if self._model is None:
            raise Unavailable("No language model is configured: set models.language to an OpenAI-compatible URL.")
        return self._model


class Scripted:
    """The stub's model: the same words every time, or the smallest JSON that fits. It rehearses a deployment."""

    name = "scripted"

    async def complete(self, prompt: Prompt) -> str:
        """A fixed sentence, or JSON text that fits the schema."""
        return REHEARSED if prompt.schema is None else json.dumps(_smallest(prompt.schema))

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str]:
        """The same, word by word."""
        for words in re.findall(r"\S+\s*", await self.complete(prompt)):
            yield words


REHEARSED = "This is a rehearsal; no model was asked."
_SMALLEST: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "object": lambda schema: {key: _smallest(schema["properties"][key]) for key in schema.get("required", ())},
    "array": lambda schema: [_smallest(schema["items"])] * schema.get("minItems", 0),
    "string": lambda schema: " " * schema.get("minLength", 0),
    "integer": lambda schema: schema.get("minimum", 0),
    "number": lambda schema: schema.get("minimum", 0),
    "boolean": lambda _: False,
    "null": lambda _: None,
}


def _smallest(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema["type"]
    return _SMALLEST[kind if isinstance(kind, str) else kind[0]](schema)


def bind_language(args: AppArgs, build: Callable[[], LanguageModel | None]) -> Application:
    """The deployment `Language` for this backend; `build` makes the CPU's model inside the replica."""
    if args.backend == "gpu":
        from deployments.engines import bind_engine

        return bind_engine(NAME, args)
    deployment = serve.deployment(**args.part_options(NAME, args.language))
    return deployment(Language).bind(Scripted if args.backend == "stub" else build)
