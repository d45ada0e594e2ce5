"""Which failures are tried again, and after how long. It waits for nothing itself: both clients do that."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

PASSING = frozenset({429, 502, 503, 504})
"""Statuses that pass by themselves."""


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a request is tried again, and how long is waited: `base_s`, doubled each time, up to `most_s`.

    Requests are safe to repeat: reading changes nothing, and a command is sent under the same Idempotency-Key.
    """

    most: int = 3
    base_s: float = 0.5
    most_s: float = 30.0
    """A server that asks for a longer pause is not waited for: the error leaves at once."""

    def pause_s(
        self, attempt: int, status: int | None = None, headers: Mapping[str, str] | None = None
    ) -> float | None:
        """Seconds before the next try after this one (the first is 0); None if it is not tried again.

        `status` is None where nobody answered.
        """
        if attempt >= self.most or (status is not None and status not in PASSING):
            return None
        asked = retry_after_s(headers or {})
        if asked is not None:
            return asked if asked <= self.most_s else None
        # spread over half of it, so that clients which failed together do not return together
        return float(min(self.base_s * 2**attempt, self.most_s) * random.uniform(0.5, 1.0))


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The seconds that Retry-After asks for, as a number or a date; None where it is missing or unreadable."""
    told = headers.get("retry-after")
    if told is None:
        return None
    if told.strip().isdigit():
        return float(told)
    try:
        moment = parsedate_to_datetime(told)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
