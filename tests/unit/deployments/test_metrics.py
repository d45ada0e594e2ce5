"""Metrics: what Prometheus reads, what it costs, and that the dashboard asks for nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from deployments.metrics import QUEUES, Metrics
from memory.errors import JournalUnavailable
from memory.model.events import SystemWork

DASHBOARD = Path(__file__).resolve().parents[3] / "config" / "grafana.json"
NAME = re.compile(r"\bmemoray_\w+")
PARTS = re.compile(r"_(?:bucket|count|sum)$")


class System:
    """What the database says, or that it is away."""

    def __init__(self) -> None:
        self.asked, self.away = 0, False

    async def waiting(self) -> SystemWork:
        self.asked += 1
        if self.away:
            raise JournalUnavailable
        return SystemWork(reading=3, embedding=2, erasing=1, turns=40, dropped={"shard": 5, "gateway": 1})


async def told(metrics: Metrics, system: System) -> dict[str, float]:
    lines = (await metrics.text(system, 7, 2)).decode().splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


async def test_what_happened_is_counted() -> None:
    metrics, system = Metrics(), System()
    metrics.answered("GET", "/v1/context", 200, 0.011)
    metrics.answered("GET", "/v1/context", 503, 40.0)
    metrics.asked(degraded=False)
    metrics.asked(degraded=True)
    found = await told(metrics, system)
    of = 'le="{}",method="GET",route="/v1/context"'
    assert found['memoray_requests_total{method="GET",route="/v1/context",status="503"}'] == 1
    buckets = [found[f"memoray_request_seconds_bucket{{{of.format(le)}}}"] for le in ("0.01", "0.02", "+Inf")]
    assert buckets == [0, 1, 2]
    assert (found["memoray_questions_total"], found["memoray_questions_degraded_total"]) == (2, 1)
    assert [found[f'memoray_pending{{queue="{each}"}}'] for each in QUEUES] == [3, 2, 1]
    assert (found["memoray_turns"], found["memoray_event_listeners"]) == (40, 2)
    dropped = [found[f'memoray_events_dropped{{part="{part}"}}'] for part in ("gateway", "shard")]
    assert dropped == [8, 5], "those that are not counted yet are added to the gateway's"


async def test_who_scrapes_often_asks_the_database_no_more_and_an_outage_is_told() -> None:
    metrics, system = Metrics(), System()
    for _ in range(3):
        assert (await told(metrics, system))["memoray_database_up"] == 1
    assert system.asked == 1
    broken = Metrics()
    system.away = True
    assert (await told(broken, system))["memoray_database_up"] == 0


class Seen:
    """A mirror that keeps what it was told."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, str, float]] = []
        self.questions: list[bool] = []
        self.gauges: dict[tuple[str, ...], float] = {}

    def answered(self, method: str, route: str, status: str, seconds: float) -> None:
        self.requests.append((method, route, status, seconds))

    def asked(self, *, degraded: bool) -> None:
        self.questions.append(degraded)

    def gauge(self, name: str, help_text: str, value: float, labels: Mapping[str, str]) -> None:
        assert help_text
        self.gauges[name, *labels.values()] = value


async def test_a_mirror_is_told_every_figure() -> None:
    seen, system = Seen(), System()
    metrics = Metrics(seen)
    metrics.answered("GET", "/v1/context", 200, 0.011)
    metrics.asked(degraded=True)
    await metrics.refresh(system, 7, 2)
    assert seen.requests == [("GET", "/v1/context", "200", 0.011)]
    assert seen.questions == [True]
    assert seen.gauges == {
        ("memoray_event_listeners",): 2,
        ("memoray_events_dropped", "gateway"): 8,
        ("memoray_events_dropped", "shard"): 5,
        ("memoray_turns",): 40,
        ("memoray_pending", "reading"): 3,
        ("memoray_pending", "embedding"): 2,
        ("memoray_pending", "erasing"): 1,
        ("memoray_database_up",): 1,
    }
    system.away, metrics._asked_at = True, -10.0
    await metrics.refresh(system, 0, 2)
    assert seen.gauges["memoray_database_up",] == 0


async def test_the_dashboard_asks_for_all_that_is_told_and_for_nothing_else() -> None:
    metrics = Metrics()
    metrics.answered("GET", "/v1/context", 200, 0.01)
    known = {name for line in await told(metrics, System()) for name in NAME.findall(line)}
    panels = json.loads(DASHBOARD.read_text())["panels"]
    asked = {name for each in panels for target in each["targets"] for name in NAME.findall(target["expr"])}
    assert asked <= known
    assert {PARTS.sub("", name) for name in asked} == {
        PARTS.sub("", name) for name in known if not name.endswith("_created")
    }
