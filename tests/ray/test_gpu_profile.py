"""The Spark's models on a logical GPU: stand-ins are scheduled, and the shares of serve_config.yaml are seen taken."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import yaml
from ray import serve
from ray.serve.handle import DeploymentHandle

from adapters.embedding.hashing import HashingEmbedder
from config.settings import project_root
from deployments.arguments import AppArgs, deployment_options
from deployments.embedding import bind_embedding
from deployments.language import REHEARSED, Scripted, bind_language
from deployments.remote_deployments import RemoteModel
from deployments.speech import bind_speech
from memory.errors import Unavailable
from memory.model.prompts import Prompt

pytestmark = pytest.mark.ray
APP = "gpu-profile"


class Door:
    """Stands where the gateway stands: it holds the handles and calls each once."""

    def __init__(self, embedding: DeploymentHandle, language: DeploymentHandle, speech: DeploymentHandle) -> None:
        self._embedding, self._language, self._speech = embedding, language, speech

    async def ask(self) -> dict[str, Any]:
        vectors, words = await asyncio.gather(
            self._embedding.embed.remote(["tea in Lisbon", "a bicycle"]),
            self._language.complete.remote(
                Prompt("", "", {"type": "object", "required": [], "properties": {}}, earlier=[("user", "Hi")])
            ),
        )
        pieces = [each async for each in RemoteModel(self._language).stream(Prompt("", ""))]
        try:
            await self._speech.begin.remote()
        except Unavailable as silent:
            return {"vectors": vectors, "words": words, "silent": silent.kind, "pieces": pieces}
        return {}


def spark_args() -> AppArgs:
    content = yaml.safe_load((project_root() / "serve_config.yaml").read_text(encoding="utf-8"))
    return AppArgs.model_validate({**content["applications"][0]["args"], "backend": "stub"})


def free_gpu(ray: ModuleType, wanted: float) -> float:
    """The free share of the GPU, once it has settled on what is wanted or 20 s have passed."""
    deadline = time.monotonic() + 20
    while True:
        free = float(ray.available_resources().get("GPU", 0.0))
        if abs(free - wanted) < 1e-6 or time.monotonic() > deadline:
            return free
        time.sleep(0.2)


@pytest.fixture(scope="module")
def door(ray_session: ModuleType) -> Iterator[DeploymentHandle]:
    args = spark_args()
    models = (bind_embedding(args, HashingEmbedder), bind_language(args, Scripted), bind_speech(args))
    serve.start(proxy_location="Disabled")
    root = serve.deployment(**deployment_options("Door", args.reserved(args.retrieval)))(Door)
    yield serve.run(root.bind(*models), name=APP, route_prefix=None)
    serve.delete(APP)


def test_the_shares_are_taken_and_every_model_answers(ray_session: ModuleType, door: DeploymentHandle) -> None:
    shares = spark_args().shares()
    assert free_gpu(ray_session, 1 - shares) == pytest.approx(1 - shares)
    answers = door.ask.remote().result(timeout_s=30)
    np.testing.assert_array_equal(answers["vectors"], HashingEmbedder().embed(["tea in Lisbon", "a bicycle"]))
    assert (answers["words"], answers["silent"]) == ("{}", "unavailable")
    assert answers["pieces"] == [f"{each} " for each in REHEARSED.split()[:-1]] + [REHEARSED.split()[-1]]
    running = serve.status().applications[APP].deployments
    assert {name: state.status.value for name, state in running.items()} == dict.fromkeys(
        ("Door", "Embedding", "Language", "Speech"), "HEALTHY"
    )


def test_what_is_left_is_enough_for_an_update_of_a_small_part_and_no_more(
    ray_session: ModuleType, door: DeploymentHandle
) -> None:
    ray, args = ray_session, spark_args()
    free = 1 - args.shares()
    assert free_gpu(ray, free) == pytest.approx(free)

    @ray.remote(num_cpus=0)
    def beside() -> str:
        return "done"

    for part in (args.embedding, args.speech, args.retrieval):
        assert ray.get(beside.options(num_gpus=part.num_gpus).remote(), timeout=30) == "done"
    too_much = beside.options(num_gpus=0.25).remote()
    assert ray.wait([too_much], timeout=2) == ([], [too_much]), "an over-committed share waits, it does not fail"
    ray.cancel(too_much, force=True)
