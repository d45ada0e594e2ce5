"""The Serve application: which deployments there are, and what is bound to what.

No `from __future__ import annotations` here: Serve turns the YAML's `args` into `AppArgs` only if it sees the class.
"""

import asyncio
import logging
import sys
from functools import partial
from typing import Any

from ray import serve
from ray.serve import Application

from actors.background import stand_before
from actors.leases import leases_of
from adapters import build_models
from adapters.model_files import trusted_of
from adapters.watched import orphaned
from config.settings import load
from deployments.actor_client import RayActorClient
from deployments.app_context import open_app_context
from deployments.arguments import AppArgs, deployment_options
from deployments.embedding import bind_embedding
from deployments.gateway import create_app
from deployments.language import Scripted, bind_language
from deployments.listening import listen
from deployments.ray_metrics import RayMetrics, keep_reflecting
from deployments.remote_deployments import RemoteDeployments, RemoteEncoder, RemoteModel
from deployments.retrieval import bind_retrieval
from deployments.speech import bind_speech
from memory.errors import Unavailable


class Gateway:
    """The one HTTP gateway. Serve starts it, watches it and puts a new one in its place; it listens itself."""

    async def __init__(self, *neighbours: Any, hears: bool = False) -> None:  # type: ignore[misc]  # Serve awaits it
        """`hears` says whether the deployment of speech does, or leaves it to the CPU."""
        _log_to_stderr()
        stand_before()
        settings, near = load(), RemoteDeployments(*neighbours)
        actors = RayActorClient(settings, near.retrieval)
        encoder = RemoteEncoder(near.embedding) if near.embedding else None
        model = RemoteModel(near.language) if near.language else None
        speech = near.speech if hears else None
        context = await open_app_context(settings, actors, encoder, model, leases_of(settings), speech)
        self._context = context
        context.metrics.mirror = RayMetrics()
        self._reflecting = asyncio.ensure_future(keep_reflecting(context))
        self._keeping = asyncio.ensure_future(actors.keep_shards())
        app = create_app(
            context,
            body_bytes=settings.limits.body_bytes,
            sound_bytes=settings.limits.sound_bytes,
            requests=settings.http.requests,
            cors=settings.http.cors,
        )
        self._listener = await listen(
            app, settings.home, settings.http, begun=self._begin, orphaned=orphaned, ended=context.rings.end
        )

    async def _begin(self) -> None:
        """Serve: the one before has ended. Nobody waits for the encoder, which would cost the one that stands by
        100 MB: nearly all questions are encoded by their shard."""
        self._warming = asyncio.ensure_future(self._context.warm())

    async def __del__(self) -> None:
        """Awaited by Serve before it ends this process, for as long as `graceful_shutdown_timeout_s` says. Serve sees
        none of our requests, and stops the threads that encode them as soon as this is done.
        """
        if hasattr(self, "_listener"):
            await self._listener.retire()

    async def check_health(self) -> None:
        """Asked by Serve every second; whoever raises is replaced."""
        if not self._listener.listening:
            raise Unavailable("The gateway does not listen any more.")


def _log_to_stderr() -> None:
    """Write our lines to the error file of this process, as actors do. Serve has replaced `sys.stderr` by a stream that
    logs each line as INFO, which the level of its log, WARNING, drops.
    """
    ours = logging.getLogger("memoray")
    ours.setLevel(logging.INFO)
    if not ours.handlers:
        handler = logging.StreamHandler(sys.__stderr__)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
        ours.addHandler(handler)


def build_app(args: AppArgs) -> Application:
    """The application of a profile: the gateway alone, or the gateway and its neighbours."""
    bound: tuple[Application, ...] = ()
    if args.profile == "spark":
        settings = load()
        args.must_fit_beside(settings.night.num_gpus, settings.communities_job.num_gpus)
        on_gpu = partial(build_models.gpu_embedder, settings, args.embedding.device)
        encoder = on_gpu if args.backend == "gpu" else partial(build_models.embedder, settings)
        bound = (
            bind_retrieval(args),
            bind_embedding(args, encoder, partial(leases_of, settings)),
            bind_language(args, Scripted if args.backend == "stub" else partial(build_models.language, settings)),
            bind_speech(args, trusted_of(settings.models.trusted), settings.models.speech.emotion),
        )
    options: dict[str, Any] = deployment_options("Gateway")
    front: Application = serve.deployment(**options)(Gateway).bind(*bound, hears=args.backend == "gpu")
    return front
