"""What a gateway counts is among Ray's own metrics."""

from __future__ import annotations

import re
import time
from types import ModuleType
from urllib.request import urlopen

from deployments.ray_metrics import RayMetrics

WAIT_S = 60.0
"""Ray's agent takes figures from its processes every few seconds; the first time it took 12 s."""


def _exported(ray: ModuleType) -> str:
    [node] = ray.nodes()
    with urlopen(f"http://{node['NodeManagerAddress']}:{node['MetricsExportPort']}/metrics", timeout=10) as answer:
        return str(answer.read().decode())


def test_figures_are_exported_by_ray(ray_session: ModuleType) -> None:
    metrics = RayMetrics()
    metrics.answered("GET", "/v1/context", "200", 0.011)
    metrics.asked(degraded=False)
    metrics.asked(degraded=True)
    metrics.gauge("memoray_pending", "Pieces of work that wait.", 3.0, {"queue": "reading"})
    until = time.monotonic() + WAIT_S
    found: set[str] = set()
    wanted = {"requests_total", "request_seconds_count", "questions_total", "questions_degraded_total", "pending"}
    while time.monotonic() < until and not wanted <= found:
        found = set(re.findall(r"^ray_memoray_(\w+)\{", _exported(ray_session), re.MULTILINE))
        time.sleep(1.0)
    assert wanted <= found
