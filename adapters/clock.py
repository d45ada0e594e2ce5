"""The machine's clock: the only place where now comes from."""

from __future__ import annotations

import time

from memory.model.timeline import Instant


class SystemClock:
    """UTC epoch seconds, quantised to the millisecond."""

    def now(self) -> Instant:
        """The current instant."""
        return round(time.time(), 3)
