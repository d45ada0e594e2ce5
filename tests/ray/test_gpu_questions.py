"""A question on the Spark: from the front door to the encoder of another process, and with its pieces to the shard.

The deployment is the one that serves on a GPU, and so is the code that makes vectors and pieces; only the last layer
comes from a stand-in on the CPU with the same weights (`adapters.embedding.minilm.MiniLm`).
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from ray import serve

from adapters.embedding.minilm import FullMiniLmEmbedder
from config.settings import load
from deployments.app_context import AppContext, open_app_context
from deployments.arguments import AppArgs
from deployments.embedding import bind_embedding
from deployments.remote_deployments import RemoteEncoder
from deployments.use_cases.questions import ask
from memory.model.scopes import View
from memory.model.sources import Segment, Source
from memory.retrieval.query import Question
from memory.services.tuning import tuned
from tests.contract.conftest import database  # noqa: F401  (a session fixture)
from tests.fakes.actor_client import LocalActorClient

pytestmark = pytest.mark.ray
APP, NOW = "gpu-questions", 1_760_000_000.0
TOLD = (
    "I drink a cup of green tea every morning before I cycle to the office.",
    "The train to Ghent was late again, so we missed the concert.",
    "My sister gave me a teapot, but I only ever use it for flowers.",
    "We painted the kitchen yellow last weekend.",
)
PATIENT = {"leg_timeout_ms": 10_000, "shard_timeout_ms": 30_000}


@pytest.fixture(scope="module")
def remote(ray_session: ModuleType) -> Iterator[RemoteEncoder]:
    """The deployment `Embedding`, holding its share of the logical GPU."""
    args = AppArgs.model_validate({"profile": "spark", "backend": "stub", "embedding": {"num_gpus": 0.1}})
    serve.start(proxy_location="Disabled")
    yield RemoteEncoder(serve.run(bind_embedding(args, FullMiniLmEmbedder), name=APP, route_prefix=None))
    serve.delete(APP)


@pytest.fixture
async def app(database: str, tmp_path: Path, remote: RemoteEncoder) -> AsyncIterator[AppContext]:  # noqa: F811
    """A front door whose questions that deployment encodes; what is told is encoded here, with int8 weights."""
    (tmp_path / "token").write_text("a" * 43)
    settings = load(tmp_path, {"dsn": database, "recall": PATIENT}, {})
    actors = LocalActorClient(settings)
    app = await open_app_context(settings, actors, remote)
    yield app
    await app.stores.close()
    await actors.close()


RACED = (
    ("Beatrix", "I won the snail marathon"),
    ("Beatrix", "My marathon was fun, I got a medal"),
    ("Beatrix", "I was so glad about my snail marathon"),
    ("Valerie", "I like tea"),
    ("Valerie", "I like rain"),
)


async def told(app: AppContext, turns: Sequence[tuple[str, str]] = tuple(("Maya", text) for text in TOLD)) -> View:
    """A user who has told something, encoded where the worker encodes."""
    view = View(f"u-{uuid.uuid4().hex[:12]}")
    segments = tuple(
        Segment(str(place), speaker, text, place, place + 1.0) for place, (speaker, text) in enumerate(turns)
    )
    await app.stores.intake.capture.store(
        Source("talk", view.scopes[0], "conversation", NOW - 86_400, segments=segments)
    )
    await app.actors.settle(app.stores)  # type: ignore[attr-defined]
    return view


async def test_a_question_from_the_gpu_meets_the_words_that_the_cpu_stored(app: AppContext) -> None:
    assert app.encodes, "the deployment encodes the questions, not this process"
    question = Question("What do I drink in the morning?", await told(app), now=NOW, explain=True)
    found = await ask(app, question)
    recollection = found.recollection
    assert dict(recollection.degraded) == {}
    assert found.shown[0].text == TOLD[0]
    assert recollection.told is not None
    assert recollection.told.weights == asdict(tuned(app.settings.recall, app.settings.decay).weights)
    assert recollection.explained[0].contributions["met"] > 0, "late interaction weighs what was found"


async def test_what_was_never_said_is_answered_by_silence_on_the_gpu_too(app: AppContext) -> None:
    view = await told(app, RACED)
    questions = ("Did Beatrix win the snail marathon?", "Did Valerie win the snail marathon?")
    found = [(await ask(app, Question(text, view, now=NOW))).recollection.abstained for text in questions]
    assert found == [False, True], "without word pieces there are no signs of silence"


async def test_pieces_of_a_deployment_are_those_of_its_encoder(remote: RemoteEncoder) -> None:
    asked, own = await remote.ask("Who gave me the teapot?"), FullMiniLmEmbedder().ask("Who gave me the teapot?")
    np.testing.assert_array_equal(asked.vector, own.vector)
    np.testing.assert_array_equal(asked.pieces, own.pieces)
    assert len(asked.pieces) >= 2
