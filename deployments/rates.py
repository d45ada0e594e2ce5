"""Rates: how much one token may ask. A bucket each, which fills as time goes by and is emptied by requests.

It is no defence against many - that is `ConcurrencyLimit` - but against one program that asks in a loop.
"""

from __future__ import annotations

from collections import OrderedDict

from config.settings import Http
from memory.errors import TooManyRequests
from memory.model.timeline import Instant

MOST = 4_096
"""Tokens that are remembered; the one that asked longest ago makes room, and its bucket is full by then."""


class Rates:
    """The buckets of this process, by the names of tokens."""

    def __init__(self, http: Http) -> None:
        self._rate, self._burst = http.rate, http.burst
        self._buckets: OrderedDict[str, tuple[float, Instant]] = OrderedDict()

    def ask(self, name: str, now: Instant) -> None:
        """Count one request. Raises TooManyRequests, which says when the next one may come."""
        left, at = self._buckets.pop(name, (float(self._burst), now))
        left = min(float(self._burst), left + max(0.0, now - at) * self._rate)
        self._buckets[name] = (left - 1.0 if left >= 1.0 else left), now
        if len(self._buckets) > MOST:
            self._buckets.popitem(last=False)
        if left < 1.0:
            raise TooManyRequests(
                f"This token may ask {self._rate} times a second (http.rate), and {self._burst} at once.",
                retry_after_s=(1.0 - left) / self._rate,
            )
