"""The Serve application: which deployments there are, and what is bound to what.

No `from __future__ import annotations` here: Serve turns the YAML's `args` into `AppArgs` only if it sees the class.
"""

from typing import Any

from ray import serve
from ray.serve import Application

from config.settings import load
from deployments.arguments import AppArgs, deployment_options
from deployments.gateway import create_app

app = create_app(body_bytes=load().limits.body_bytes)


@serve.ingress(app)
class Gateway:
    """The one HTTP front door; everything it does hangs on the application."""


def build_app(args: AppArgs) -> Application:
    """The application of a profile."""
    options: dict[str, Any] = deployment_options("Gateway")
    gateway: Application = serve.deployment(**options)(Gateway).bind()
    return gateway
