"""The models behind Serve: each backend binds the same methods under the same name. No cluster is started here."""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
from collections.abc import AsyncIterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from adapters.embedding.hashing import HashingEmbedder
from deployments.arguments import AppArgs, EngineArgs
from deployments.embedding import Embedding, bind_embedding
from deployments.engines import LanguageEngine
from deployments.environments import runtime_env
from deployments.language import Language, Scripted, bind_language
from deployments.retrieval import bind_retrieval
from deployments.speech import GpuHearing, Silence, bind_speech
from memory.errors import AnswerCut, ModelFailed, Unavailable
from memory.model.prompts import Prompt
from tests.fakes.leases import FakeLeases

SPARK = {
    "profile": "spark",
    "embedding": {"num_gpus": 0.1},
    "language": {"num_gpus": 0.5, "model": "l"},
    "speech": {"num_gpus": 0.1, "python": "/opt/speech/bin/python"},
    "retrieval": {"num_gpus": 0.1},
}
SCHEMA = {
    "type": "object",
    "required": ["name", "kind", "count", "sure", "quotes", "gone"],
    "properties": {
        "name": {"type": "string"},
        "kind": {"enum": ["person", "place"]},
        "count": {"type": "integer", "minimum": 1},
        "sure": {"type": "boolean"},
        "quotes": {"type": "array", "items": {"type": "string", "minLength": 2}, "minItems": 1},
        "gone": {"type": ["null", "string"]},
        "more": {"type": "number"},
    },
}


def spark(backend: str) -> AppArgs:
    return AppArgs.model_validate({**SPARK, "backend": backend})


def bound(backend: str) -> dict[str, Any]:
    args = spark(backend)
    apps = (bind_embedding(args, HashingEmbedder), bind_language(args, Scripted), bind_speech(args))
    return {app._bound_deployment.name: app._bound_deployment for app in apps}


@pytest.mark.parametrize(("backend", "shares"), [("stub", [0.1, 0.5, 0.1]), ("cpu", [0.0, 0.0, 0.0])])
def test_a_stub_reserves_the_share_and_the_cpu_does_not(backend: str, shares: list[float]) -> None:
    deployments = bound(backend)
    assert list(deployments) == ["Embedding", "Language", "Speech"]
    assert [deployment.ray_actor_options["num_gpus"] for deployment in deployments.values()] == shares
    assert {deployment.ray_actor_options["num_cpus"] for deployment in deployments.values()} == {0}
    assert {deployment._deployment_config.max_ongoing_requests for deployment in deployments.values()} == {64}


def test_nothing_of_a_gpu_is_imported_on_a_cpu() -> None:
    bound("stub")
    assert not {"vllm", "whisperx", "torch", "ray.serve.llm"} & set(sys.modules)


def test_whoever_has_a_python_made_for_it_installs_nothing() -> None:
    speech = bind_speech(spark("gpu"))._bound_deployment
    assert speech.func_or_class is GpuHearing
    assert speech.ray_actor_options["runtime_env"] == {"py_executable": "/opt/speech/bin/python"}


def test_each_part_has_the_environment_of_its_set_where_a_gpu_serves_and_none_elsewhere() -> None:
    embedding = bind_embedding(spark("gpu"), HashingEmbedder)._bound_deployment
    assert embedding.ray_actor_options["runtime_env"] == runtime_env("embedding")
    assert embedding.ray_actor_options["num_gpus"] == 0.1
    assert "runtime_env" not in bind_retrieval(spark("gpu"))._bound_deployment.ray_actor_options
    for backend in ("stub", "cpu"):
        for deployment in bound(backend).values():
            assert "runtime_env" not in deployment.ray_actor_options


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"backend": "gpu", "language": {"num_gpus": 0.5}}, r"needs language\.model"),
        ({"embedding": {"requirements": "tensorflow"}}, "no requirement set 'tensorflow'"),
        ({"embedding": {"model": "another-encoder"}}, "Extra inputs"),
        ({"retrieval": {"num_gpus": 0.9}}, "at most 0.95"),
        ({"retrieval": {"num_gpus": -0.1}}, "greater than or equal to 0"),
        ({"speech": {"modle": "tiny"}}, "Extra inputs"),
    ],
)
def test_arguments_that_cannot_work_are_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        AppArgs.model_validate({**SPARK, **change})


async def test_the_cpu_s_embedding_is_the_encoder_it_was_given() -> None:
    texts = ["tea in Lisbon", "a bicycle"]
    np.testing.assert_array_equal(await Embedding(HashingEmbedder).embed(texts), HashingEmbedder().embed(texts))
    asked, expected = await Embedding(HashingEmbedder).ask("tea"), HashingEmbedder().ask("tea")
    np.testing.assert_array_equal(asked.vector, expected.vector)
    np.testing.assert_array_equal(asked.pieces, expected.pieces)


async def test_the_scripted_model_answers_what_the_schema_asks_for() -> None:
    answer = json.loads(await Language(Scripted).complete(Prompt("", "", schema=SCHEMA)))
    assert answer == {"name": "", "kind": "person", "count": 1, "sure": False, "quotes": ["  "], "gone": None}
    assert "rehearsal" in await Language(Scripted).complete(Prompt("", ""))


async def test_what_is_not_there_says_so() -> None:
    with pytest.raises(Unavailable, match=r"models\.language"):
        await Language(lambda: None).complete(Prompt("", ""))
    assert await Silence().state() == "none"
    with pytest.raises(Unavailable, match="No GPU hears here"):
        await Silence().begin()


class FakeLLMServer:
    """`ray.serve.llm`'s server as far as it is used: requests in, an async generator of one answer out."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.answers: list[Any] = []
        self.requests: list[Any] = []
        self.started = False

    @classmethod
    def sync_init(cls, llm_config: dict[str, Any]) -> FakeLLMServer:
        return cls(llm_config)

    async def start(self) -> None:
        self.started = True

    async def check_health(self) -> None:
        if self.answers == ["dead"]:
            raise RuntimeError("the engine is dead")

    async def chat(self, request: Any) -> AsyncIterator[Any]:
        self.requests.append(request)
        return self._stream()

    async def _stream(self) -> AsyncIterator[Any]:
        for answer in self.answers:
            yield answer


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fakes of what the environment of a replica holds and ours does not."""
    fakes = {
        "ray.serve.llm": {"LLMConfig": dict},
        "ray.serve.llm.deployment": {"LLMServer": FakeLLMServer},
        "ray.serve.llm.openai_api_models": {"ChatCompletionRequest": SimpleNamespace},
    }
    for name, content in fakes.items():
        module = ModuleType(name)
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, name, module)


async def engine_that_says(answers: list[Any]) -> tuple[LanguageEngine, FakeLLMServer]:
    engine = LanguageEngine.__new__(LanguageEngine)
    await engine.__init__("Language", spark("gpu").language)  # type: ignore[misc]  # as Serve awaits it
    server: Any = engine._server
    server.answers = answers
    return engine, server


def said(content: str | None, finish_reason: str = "stop") -> Any:
    return SimpleNamespace(
        choices=[SimpleNamespace(message=SimpleNamespace(content=content), finish_reason=finish_reason)]
    )


def test_an_engine_is_bound_where_vllm_is_not_installed() -> None:
    language = bind_language(spark("gpu"), Scripted)._bound_deployment
    assert (language.name, language.func_or_class) == ("Language", LanguageEngine)
    config = language._replica_config
    assert config.placement_group_bundles == [{"CPU": 0, "GPU": 0.5}], "beside it stands the engine's worker"
    assert language.ray_actor_options["num_gpus"] == 0
    assert language.ray_actor_options["runtime_env"] == runtime_env("language")
    assert not {"vllm", "ray.serve.llm", "torch"} & set(sys.modules)


def test_every_backend_has_the_same_methods() -> None:
    assert inspect.signature(Language.complete) == inspect.signature(LanguageEngine.complete)
    assert inspect.signature(Language.stream) == inspect.signature(LanguageEngine.stream)
    for verb in ("state", "begin", "add", "hear", "drop"):
        assert inspect.signature(getattr(Silence, verb)) == inspect.signature(getattr(GpuHearing, verb))


async def test_an_engine_starts_with_its_replica_and_is_as_well_as_its_server(vllm: None) -> None:
    engine, server = await engine_that_says([])
    assert server.started
    assert server.config["model_loading_config"] == {"model_id": "Language", "model_source": "l"}
    await engine.check_health()
    server.answers = ["dead"]
    with pytest.raises(RuntimeError, match="dead"):
        await engine.check_health()


async def test_a_schema_binds_the_answer(vllm: None) -> None:
    engine, server = await engine_that_says([said('{"a": 1}')])
    assert await engine.complete(Prompt("be brief", "go", schema={"type": "object"}, max_tokens=9)) == '{"a": 1}'
    request = server.requests[0]
    assert request.model == "Language"
    assert request.response_format["json_schema"]["schema"] == {"type": "object"}
    assert (request.temperature, request.max_completion_tokens) == (0.0, 9)
    await engine.complete(Prompt("be brief", "go"))
    assert server.requests[1].response_format is None


@pytest.mark.parametrize(
    ("answers", "schema", "why"),
    [
        ([], None, "no answer"),
        ([SimpleNamespace(error=SimpleNamespace(code=400, message="somebody's words"))], None, "refused"),
        ([said(None)], None, "answered nothing"),
        ([said('{"a": ', "length")], {"type": "object"}, "cut off"),
    ],
)
async def test_a_failing_engine_is_a_failed_model(
    vllm: None, answers: list[Any], schema: dict[str, Any] | None, why: str
) -> None:
    engine, _ = await engine_that_says(answers)
    with pytest.raises(ModelFailed, match=why) as failed:
        await engine.complete(Prompt("", "", schema=schema))
    assert "somebody" not in str(failed.value)


def chunk(words: str | None, ending: str | None = None) -> str:
    choice = {"index": 0, "delta": {"content": words}, "finish_reason": ending}
    return f"data: {json.dumps({'choices': [choice]})}\n\n"


async def test_an_engine_s_words_come_in_batches_of_events(vllm: None) -> None:
    engine, server = await engine_that_says([[chunk("In "), chunk("Coimbra")], [chunk("."), chunk(None, "stop")]])
    assert [each async for each in engine.stream(Prompt("be brief", "go"))] == ["In ", "Coimbra", "."]
    assert server.requests[0].stream is True


async def test_an_engine_s_answer_that_used_up_its_tokens_says_so(vllm: None) -> None:
    engine, _ = await engine_that_says([[chunk("In "), chunk(None, "length")]])
    with pytest.raises(AnswerCut):
        assert [each async for each in engine.stream(Prompt("be brief", "go"))]


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ([[chunk("In "), SimpleNamespace(error=SimpleNamespace(code=500, message="somebody's words"))]], "refused"),
        ([[chunk("In ")]], "broke off"),
        ([[chunk(None, "stop")]], "empty"),
    ],
)
async def test_an_engine_that_fails_in_the_middle_is_a_failed_model(vllm: None, answers: list[Any], why: str) -> None:
    engine, _ = await engine_that_says(answers)
    with pytest.raises(ModelFailed, match=why) as failed:
        async for _ in engine.stream(Prompt("", "")):
            pass
    assert "somebody" not in str(failed.value)


def test_an_engine_s_config_names_no_accelerator() -> None:
    config = EngineArgs(model="m", num_gpus=0.3, engine_kwargs={"max_model_len": 64}).llm_config("Language")
    assert "accelerator_type" not in config
    assert config["model_loading_config"] == {"model_id": "Language", "model_source": "m"}
    assert config["engine_kwargs"] == {"max_model_len": 64}


async def test_sentences_are_encoded_on_a_lease_and_a_question_without_one() -> None:
    leases = FakeLeases()
    deployed = Embedding(HashingEmbedder, lambda: leases)
    await deployed.embed(["tea in Lisbon"])
    assert leases.held == ["embedding"]
    leases.is_free.clear()
    await asyncio.wait_for(deployed.ask("tea?"), 5)


async def test_sentences_that_somebody_waits_for_are_encoded_without_a_lease_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("deployments.embedding.PATIENCE_S", 0.05)
    leases = FakeLeases()
    leases.is_free.clear()
    assert len(await asyncio.wait_for(Embedding(HashingEmbedder, lambda: leases).embed(["tea"]), 5)) == 1
    assert leases.held == []
