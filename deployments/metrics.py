"""Metrics: what Prometheus is told of a gateway, and of the whole system what the database knows.

With Prometheus's own client, because the spare gateway lives outside Ray, where Ray's metrics do not work. A gateway
inside Ray gives the same figures to Ray's metrics, too (deployments/ray_metrics.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from memory.errors import Unavailable
from memory.model.events import SystemWork

BOUNDS_S = (0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds by which durations are told apart; a question takes 10 to 30 ms."""
FRESH_S = 5.0
"""Seconds for which the database's figures are good: whoever scrapes often costs no more."""
OWN = "gateway"
"""What a gateway is called among the parts."""
QUEUES = ("reading", "embedding", "erasing")


class SystemFigures(Protocol):
    """Who knows figures of the whole system (adapters/postgres/events.py)."""

    async def waiting(self) -> SystemWork:
        """What waits, and what the system has been through."""


class Mirror(Protocol):
    """Who is told every figure a second time (deployments/ray_metrics.py)."""

    def answered(self, method: str, route: str, status: str, seconds: float) -> None:
        """A request was answered."""

    def asked(self, *, degraded: bool) -> None:
        """A question was answered."""

    def gauge(self, name: str, help_text: str, value: float, labels: Mapping[str, str]) -> None:
        """Something is so many now."""


class Metrics:
    """The metrics of one gateway."""

    def __init__(self, mirror: Mirror | None = None) -> None:
        self.mirror = mirror
        self._registry = CollectorRegistry()
        registry = self._registry
        self._requests = Counter(
            "memoray_requests", "Requests that were answered.", ("method", "route", "status"), registry=registry
        )
        self._durations = Histogram(
            "memoray_request_seconds",
            "How long they took; of a stream, until its first byte.",
            ("method", "route"),
            buckets=BOUNDS_S,
            registry=registry,
        )
        self._questions = Counter("memoray_questions", "Questions that were answered.", registry=registry)
        self._degraded = Counter(
            "memoray_questions_degraded", "Questions that a part did not answer.", registry=registry
        )
        self._dropped = Gauge(
            "memoray_events_dropped",
            "Events that were dropped, by the part that dropped them.",
            ("part",),
            registry=registry,
        )
        self._listeners = Gauge("memoray_event_listeners", "Streams of events that are open.", registry=registry)
        self._turns = Gauge("memoray_turns", "Turns that the memories there are have been through.", registry=registry)
        self._pending = Gauge("memoray_pending", "Pieces of work that wait.", ("queue",), registry=registry)
        self._up = Gauge("memoray_database_up", "Whether the database answered this scrape.", registry=registry)
        self._asked_at = -FRESH_S
        self._counted: Mapping[str, int] = {}
        """part -> events that it dropped, as the database knew when it was last asked."""

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request. `route` is a path with the names of what stands in it: of these there are so many."""
        self._requests.labels(method, route, str(status)).inc()
        self._durations.labels(method, route).observe(seconds)
        if self.mirror is not None:
            self.mirror.answered(method, route, str(status), seconds)

    def asked(self, *, degraded: bool) -> None:
        """Count a question."""
        self._questions.inc()
        self._degraded.inc(degraded)
        if self.mirror is not None:
            self.mirror.asked(degraded=degraded)

    async def text(self, system: SystemFigures, untold: int, listeners: int) -> bytes:
        """All of them, as Prometheus reads them. `untold` are events this gateway dropped that are not counted yet."""
        await self.refresh(system, untold, listeners)
        return bytes(generate_latest(self._registry))

    async def refresh(self, system: SystemFigures, untold: int, listeners: int) -> None:
        """Take what is so many now from the database, and tell the mirror."""
        self._listeners.set(listeners)
        if monotonic() - self._asked_at >= FRESH_S:
            try:
                figures = await system.waiting()
            except Unavailable:  # then that is what is told
                self._up.set(0)
            else:
                self._asked_at = monotonic()
                self._up.set(1)
                self._turns.set(figures.turns)
                self._counted = figures.dropped
                for queue in QUEUES:
                    self._pending.labels(queue).set(getattr(figures, queue))
        for part, dropped in {OWN: 0, **self._counted}.items():
            self._dropped.labels(part).set(dropped + (untold if part == OWN else 0))
        self._reflect()

    def _reflect(self) -> None:
        if self.mirror is None:
            return
        for family in self._registry.collect():
            if family.type == "gauge":
                for each in family.samples:
                    self.mirror.gauge(each.name, family.documentation, each.value, each.labels)
