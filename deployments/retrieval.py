"""Retrieval as a deployment: the way to the shards where a vector index on the GPU will stand.

On a laptop the gateway asks the shards itself; here one hop more buys a share of the GPU of its own. The index on the
GPU comes with a later version: today this deployment passes the question on.
"""

from __future__ import annotations

from ray import serve
from ray.serve import Application

from actors.understanding import QuestionEncoding
from config.settings import load
from deployments.actor_client import RayActorClient
from deployments.arguments import AppArgs
from memory.ports import Keys
from memory.retrieval.query import Question
from memory.services.recall import Recollection

NAME = "Retrieval"


class Retrieval:
    """Answers questions by the shard of their user."""

    def __init__(self) -> None:
        self._actors = RayActorClient(load())

    async def recall(self, question: Question, only: Keys | None, understood: QuestionEncoding | None) -> Recollection:
        """What answers a question. Raises Unavailable if the shard is late."""
        return await self._actors.recall(question, only, understood)


def bind_retrieval(args: AppArgs) -> Application:
    """The deployment `Retrieval`."""
    return serve.deployment(**args.part_options(NAME, args.retrieval))(Retrieval).bind()
