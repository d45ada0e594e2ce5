"""Text generation as a deployment, for machines where a GPU is shared.

The engine behind `backend: gpu` has never run on a GPU: it is written from the sources of Ray 2.60 and vLLM 0.29.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ray import serve
from ray.serve import Application

from deployments.arguments import AppArgs
from memory.errors import Unavailable
from memory.ports import Exchange, LanguageModel

NAME = "Language"


class Language:
    """The CPU's: any language model the settings name, built in the replica; none at all is an answer too."""

    def __init__(self, build: Callable[[], LanguageModel | None]) -> None:
        self._model = build()

    async def complete(
        self,
        system: str,
        prompt: str,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 512,
        earlier: Sequence[Exchange] = (),
    ) -> str:
        """The model's answer; JSON text that fits `schema` if one is given. Raises ModelFailed or Unavailable."""
        if self._model is None:
            raise Unavailable("No language model is configured: set models.language to an OpenAI-compatible URL.")
        return await self._model.complete(system, prompt, schema=schema, max_tokens=max_tokens, earlier=earlier)


class Scripted:
    """The stub's model: the same words every time, or the smallest JSON that fits. It rehearses a deployment."""

    name = "scripted"

    async def complete(
        self,
        system: str,
        prompt: str,
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 512,
        earlier: Sequence[Exchange] = (),
    ) -> str:
        """A fixed sentence, or JSON text that fits `schema`."""
        return "This is a rehearsal; no model was asked." if schema is None else json.dumps(_smallest(schema))


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
