"""The vLLM engine behind our own methods. Ray's engine code and vLLM are imported in the replica alone, whose
environment holds them (deployments/requirements/language.txt): whoever builds the application has neither.

It has never run on a GPU: it is written from the sources of Ray 2.60 (`ray.serve.llm`) and vLLM 0.29, and tested
against fakes of their shapes. The engine stands in the deployment, so that a question pays for one hop.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any

from ray import serve
from ray.serve import Application

from adapters.completion_chunks import ChunkReader
from deployments.arguments import AppArgs, EngineArgs, deployment_options
from memory.errors import ModelFailed
from memory.model.prompts import Prompt


class LanguageEngine:
    """A chat model whose answer is bound to a schema where one is given."""

    async def __init__(self, name: str, args: EngineArgs) -> None:  # type: ignore[misc]  # Serve awaits it
        from ray.serve.llm import LLMConfig
        from ray.serve.llm.deployment import LLMServer

        self._name = name
        self._server = LLMServer.sync_init(LLMConfig(**args.llm_config(name)))
        await self._server.start()  # type: ignore[no-untyped-call]

    async def check_health(self) -> None:
        """Raises what the engine died of."""
        await self._server.check_health()

    async def complete(self, prompt: Prompt) -> str:
        """The model's answer; JSON text that fits a schema if one is given. Raises ModelFailed."""
        choice = (await _only(await self._server.chat(self._request(prompt)))).choices[0]
        if prompt.schema is not None and choice.finish_reason != "stop":
            raise ModelFailed("The language model's JSON was cut off; allow more tokens.", max_tokens=prompt.max_tokens)
        if not choice.message.content:
            raise ModelFailed("The language model answered nothing.")
        return str(choice.message.content)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str]:
        """The same in pieces. The server gives the chunks of some milliseconds together, each as an event."""
        reader = ChunkReader()
        async for answer in await self._server.chat(self._request(prompt, stream=True)):
            for each in answer if isinstance(answer, list) else [answer]:
                _refuse(each)
                for words in reader.read(str(each).encode()):
                    yield words
        for words in reader.finish():
            yield words

    def _request(self, prompt: Prompt, **more: Any) -> Any:
        from ray.serve.llm.openai_api_models import ChatCompletionRequest

        return ChatCompletionRequest(
            model=self._name,
            messages=prompt.messages,
            temperature=0.0,
            max_completion_tokens=prompt.max_tokens,
            chat_template_kwargs={"enable_thinking": False},
            response_format=None if prompt.schema is None else _answer_format(prompt.schema),
            **more,
        )


def bind_engine(name: str, args: AppArgs) -> Application:
    """The engine as a deployment of this name, holding its share of the GPU through a placement group."""
    options = deployment_options(name, runtime_env=args.environment(args.language))
    options |= {"placement_group_bundles": args.language.bundles(), "placement_group_strategy": "PACK"}
    bound: Application = serve.deployment(**options)(LanguageEngine).bind(name, args.language)
    return bound


def _answer_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema), "strict": True}}


async def _only(stream: AsyncIterator[Any]) -> Any:
    """The one answer of a call that does not stream. Raises ModelFailed for an engine's error or no answer."""
    async for answer in stream:
        _refuse(answer)
        return answer
    raise ModelFailed("The engine gave no answer.")


def _refuse(answer: Any) -> None:
    if error := getattr(answer, "error", None):
        raise ModelFailed("The engine refused the request.", code=error.code)
