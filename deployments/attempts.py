"""Attempts: how often a token was guessed, by whom and at which one. Kept in memory, for so many at most.

Who shows a token that is known is let in whatever others have tried: counted and slowed are wrong ones alone.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

AT_ONCE = 20
"""Wrong tokens from one address, or beginning alike, before there is a wait: a script set up wrongly tries a few."""
LEAK_S = 3.0
"""Seconds after which one of them is forgotten: twenty a minute are a million years for a millionth of 256 bits."""
MOST = 4_096
"""Addresses and beginnings that are remembered; the one that failed longest ago makes room."""
BEGINNING = 8
"""Characters by which tokens count as alike: guesses at one token from many places."""


class Attempts:
    """Buckets that leak: each failure adds one."""

    def __init__(self) -> None:
        self._failed: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def fail(self, keys: Iterable[str], now: float) -> float:
        """Count a failure for each of these; the seconds to wait before another try, 0 within the bounds."""
        return max((self._fail(key, now) for key in keys), default=0.0)

    def _fail(self, key: str, now: float) -> float:
        level, at = self._failed.pop(key, (0.0, now))
        level = max(0.0, level - (now - at) / LEAK_S)
        wait = max(0.0, (level + 1 - AT_ONCE) * LEAK_S)
        self._failed[key] = (min(level + 1, AT_ONCE), now)
        if len(self._failed) > MOST:
            self._failed.popitem(last=False)
        return wait

    def __len__(self) -> int:
        return len(self._failed)
