"""The Serve application: which deployments there are, and what is bound to what.

No `from __future__ import annotations` here: Serve turns the YAML's `args` into `AppArgs` only if it sees the class.
"""

from functools import partial
from typing import Any

from ray import serve
from ray.serve import Application

from adapters import build
from config.settings import load
from deployments import gateway
from deployments.arguments import AppArgs, deployment_options
from deployments.embedding import bind_embedding
from deployments.gateway import create_app
from deployments.language import Scripted, bind_language
from deployments.neighbours import Neighbours
from deployments.retrieval import bind_retrieval
from deployments.speech import bind_speech

app = create_app(body_bytes=load().limits.body_bytes)


@serve.ingress(app)
class Gateway:
    """The one HTTP front door; everything it does hangs on the application."""

    def __init__(self, *neighbours: Any) -> None:
        # Serve serves a copy of `app`, but runs this first: the copy's own state is what its start-up reads
        gateway.neighbours = Neighbours(*neighbours)


def build_app(args: AppArgs) -> Application:
    """The application of a profile: the gateway alone, or the gateway and its neighbours."""
    bound: tuple[Application, ...] = ()
    if args.profile == "spark":
        settings = load()
        bound = (
            bind_retrieval(args),
            bind_embedding(args, partial(build.embedder, settings)),
            bind_language(args, Scripted if args.backend == "stub" else partial(build.language, settings)),
            bind_speech(args),
        )
    options: dict[str, Any] = deployment_options("Gateway")
    front: Application = serve.deployment(**options)(Gateway).bind(*bound)
    return front
