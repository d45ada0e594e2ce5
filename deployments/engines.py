"""vLLM engines that speak our own methods. Import this module only where vLLM is installed.

It has never run on a GPU: it is written from the sources of Ray 2.60 (`ray.serve.llm`) and vLLM 0.29, and tested
against fakes of their shapes. Each engine *is* the deployment, so that a question pays for one hop.
"""

from __future__ import annotations

import asyncio
import fcntl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
from ray.llm._internal.serve.core.configs.openai_api_models import EmbeddingCompletionRequest
from ray.serve import Application
from ray.serve.llm import LLMConfig, build_llm_deployment
from ray.serve.llm.deployment import LLMServer
from ray.serve.llm.openai_api_models import ChatCompletionRequest

from deployments.arguments import EngineArgs
from memory.errors import ModelFailed
from memory.ports import Matrix
from memory.retrieval.pieces import Asked

WORD_PIECES = 256
"""Where all-MiniLM-L6-v2 stops reading; the rest of a text is cut, as on a laptop."""


class _Engine(LLMServer):
    """An engine that starts alone: two that profile unified memory at once mis-size each other (vllm#55827)."""

    async def start(self) -> None:
        async with _alone():
            await super().start()  # type: ignore[no-untyped-call]


class EmbeddingEngine(_Engine):
    """The same vectors as the laptop's encoder, up to its quantisation, so that a memory may move between them."""

    async def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector a text. Raises ModelFailed."""
        request = EmbeddingCompletionRequest(
            model=self._llm_config.model_id, input=list(texts), truncate_prompt_tokens=WORD_PIECES
        )
        answer = await _only(await self.embeddings(request))
        rows = sorted(answer.data, key=lambda row: row.index)
        if len(rows) != len(texts):
            raise ModelFailed("The embedding engine did not return one vector a text.", sent=len(texts), got=len(rows))
        vectors = np.asarray([row.embedding for row in rows], np.float32)
        unit: Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    async def ask(self, text: str) -> Asked:
        """A question's vector; the engine pools its word pieces and keeps none. Raises ModelFailed."""
        (vector,) = await self.embed([text])
        return Asked(vector, np.zeros((0, len(vector)), np.float32))


class LanguageEngine(_Engine):
    """A chat model whose answer is bound to a schema where one is given."""

    async def complete(
        self, system: str, prompt: str, schema: Mapping[str, Any] | None = None, max_tokens: int = 512
    ) -> str:
        """The model's answer; JSON text that fits `schema` if one is given. Raises ModelFailed."""
        request = ChatCompletionRequest(
            model=self._llm_config.model_id,
            messages=[{"role": "system", "content": system}, {"role": "user", "content": prompt}],
            temperature=0.0,
            max_completion_tokens=max_tokens,
            chat_template_kwargs={"enable_thinking": False},
            response_format=None if schema is None else _answer_format(schema),
        )
        choice = (await _only(await self.chat(request))).choices[0]
        if schema is not None and choice.finish_reason != "stop":
            raise ModelFailed("The language model's JSON was cut off; allow more tokens.", max_tokens=max_tokens)
        if not choice.message.content:
            raise ModelFailed("The language model answered nothing.")
        return str(choice.message.content)


def bind_engine(kind: type[_Engine], name: str, args: EngineArgs) -> Application:
    """The engine as a deployment of this name, holding its share of the GPU through a placement group."""
    config = LLMConfig(**args.llm_config(name))
    return build_llm_deployment(config, deployment_cls=kind, override_serve_options={"name": name})


def _answer_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema), "strict": True}}


async def _only(stream: AsyncIterator[Any]) -> Any:
    """The one answer of a call that does not stream. Raises ModelFailed for an engine's error or no answer."""
    async for answer in stream:
        if error := getattr(answer, "error", None):
            raise ModelFailed("The engine refused the request.", code=error.code)
        return answer
    raise ModelFailed("The engine gave no answer.")


@asynccontextmanager
async def _alone() -> AsyncIterator[None]:
    """Hold this machine's engine lock; it falls with its process."""
    with Path("/tmp/memoray-engine-start.lock").open("w") as lock:
        await asyncio.to_thread(fcntl.flock, lock, fcntl.LOCK_EX)
        yield
