"""Metrics, for Prometheus."""

from __future__ import annotations

from ipaddress import ip_address

from fastapi import Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from deployments.admission import given, known
from deployments.commands import Here
from deployments.routers import json_router
from deployments.use_cases.figures import metrics_text
from memory.errors import Forbidden

router = json_router(tags=["metrics"])


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Metrics."}},
)
async def metrics(request: Request, app: Here) -> Response:
    """What the system does, as figures: requests by route with their durations, questions, turns, what waits.

    For an administrator's token, or where the setting `events.metrics` is `loopback` without one, from this machine.
    Example: `GET /metrics`
    """
    if app.settings.events.metrics == "token":
        granted = await known(app, given(request), request)
        if granted.permission != "admin":
            raise Forbidden("Metrics are of the whole system: they need an administrator's token.")
    elif not _near(request):
        raise Forbidden("Metrics are told on this machine alone.")
    return Response(await metrics_text(app), media_type=CONTENT_TYPE_LATEST)


def _near(request: Request) -> bool:
    """Whether a request came from this machine, and through no proxy that says where it came from."""
    if request.client is None or {"forwarded", "x-forwarded-for"} & set(request.headers):
        return False
    try:
        return ip_address(request.client.host).is_loopback
    except ValueError:
        return False
