"""A part that is started, watched and started anew, as a small state machine that never waits.

What may block is an errand: it runs beside the loop and ends by itself. The loop calls `tick` with the time, a few
times a second; a tick only looks. Nothing here knows PostgreSQL, Ray, a process or a clock, so tests need none.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from memory.errors import DomainError, Unavailable

AT_ONCE = 3
"""Failures in a row after which a part is still started anew at once: a kill amid a recovery is no reason to wait."""
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 30.0
"""Then it waits 1, 2, 4 ... 30 seconds: what cannot start is not to take the processors of what can."""
STEADY_S = 5.0
"""Seconds a part must have been up for its end not to count as one more failure in a row."""

State = Literal["down", "starting", "up"]
log = logging.getLogger("memoray.supervisor")


def wait_after(failures: int) -> float:
    """Seconds until the next attempt after so many failures in a row."""
    if failures <= AT_ONCE:
        return 0.0
    return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(failures - AT_ONCE - 1, 16))


class BoundedTask(Protocol):
    """Something that may block and is done beside the loop."""

    @property
    def done(self) -> bool:
        """Whether it has ended."""

    @property
    def error(self) -> Exception | None:
        """Why it failed, once it is done."""


class ThreadTask:
    """An errand in a thread of its own. Whatever it calls must have a deadline: a thread cannot be ended."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return not self._thread.is_alive()

    def join(self, timeout_s: float) -> None:
        """Wait for its end, where everything ends."""
        self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            self._work()
        except Exception as error:
            self.error = error


Beside = Callable[[Callable[[], object]], BoundedTask]


@dataclass(frozen=True)
class StartStep:
    """One step of a start: something is begun, which may block, and then something is to be reached."""

    words: str
    """What is being done, for a person."""
    begin: Callable[[], object]
    reached: Callable[[], bool]
    """Looks and never waits. Raises DomainError where it cannot be reached any more."""
    within_s: float
    """Seconds from the beginning until it must be reached."""
    alive: bool = True
    """Whether the part must be alive from the end of `begin` on; False as long as nothing of it runs yet."""


class SupervisedPart:
    """Down, starting or up. One that dies, also while it starts, is started anew at once; one that keeps failing waits.

    `alive` looks and never waits. `needs` are parts without which this one is not started.
    """

    def __init__(
        self,
        name: str,
        steps: Callable[[], Sequence[StartStep]],
        alive: Callable[[], bool],
        *,
        needs: Sequence[SupervisedPart] = (),
        beside: Beside = ThreadTask,
    ) -> None:
        self.name = name
        self.state: State = "down"
        self.failures = 0
        """In a row."""
        self.error: Exception | None = None
        """Why it failed last; None once it is up."""
        self.errand: BoundedTask | None = None
        self._steps, self._alive, self._needs, self._beside = steps, alive, needs, beside
        self._ahead: list[StartStep] = []
        self._since = self._not_before = float("-inf")

    @property
    def words(self) -> str:
        """What it does at present, for a person."""
        if self.state == "starting":
            return self._ahead[0].words
        return f"{self.name} is {self.state}"

    @property
    def _busy(self) -> bool:
        return self.errand is not None and not self.errand.done

    def tick(self, now: float) -> None:
        """Look, and do what is next; `now` in monotonic seconds."""
        if self.state == "up":
            if not self._alive():
                self.fall(now, Unavailable(f"{self.name} has stopped."))
        elif self.state == "starting":
            self._go_on(now)
        if self.state == "down" and self._may_start(now):
            self._ahead = list(self._steps())
            self.state = "starting"
            self._begin(now)

    def take_over(self, now: float) -> None:
        """Count as up: it runs already."""
        self.state, self.failures, self.error, self._since = "up", 0, None, now

    def fall(self, now: float, error: Exception) -> None:
        """Count as down, and start anew when it may."""
        steady = self.state == "up" and now - self._since >= STEADY_S
        self.failures = 1 if steady else self.failures + 1
        self.state, self.error = "down", error
        self._not_before = now + wait_after(self.failures)
        log.warning("%s: %s", self.name, error, exc_info=None if isinstance(error, DomainError) else error)

    def _may_start(self, now: float) -> bool:
        return not self._busy and now >= self._not_before and all(part.state == "up" for part in self._needs)

    def _begin(self, now: float) -> None:
        self._since = now
        log.info("%s", self.words)
        self.errand = self._beside(self._ahead[0].begin)

    def _go_on(self, now: float) -> None:
        """The next step, once this one is reached. Its deadline counts once its errand has ended, which has its own."""
        if self._busy:
            return
        assert self.errand is not None
        step, error = self._ahead[0], self.errand.error
        if error is None:
            try:
                if step.alive and not self._alive():
                    error = Unavailable(f"{self.name} stopped while it was started.")
                elif step.reached():
                    self._reached(now)
                    return
                elif now - self._since > step.within_s:
                    error = Unavailable(f"{step.words}: not done after {step.within_s:.0f} s.")
            except DomainError as failed:
                error = failed
        if error is not None:
            self.fall(now, error)

    def _reached(self, now: float) -> None:
        self._ahead.pop(0)
        if self._ahead:
            self._begin(now)
        else:
            self.state, self.error, self._since = "up", None, now


class Heartbeat:
    """A probe that is asked again and again, one at a time and beside the loop.

    `ask` raises or returns whether it was answered, within a deadline of its own.
    """

    def __init__(self, ask: Callable[[], bool], every_s: float, *, beside: Beside = ThreadTask) -> None:
        self._ask, self._every_s, self._beside = ask, every_s, beside
        self._errand: BoundedTask | None = None
        self._answered = False
        self._asked_at = self._last = float("-inf")

    def silence(self, now: float) -> float:
        """Seconds since the latest question that was answered was asked, or since `restart`."""
        if self._errand is not None and self._errand.done:
            if self._errand.error is None and self._answered:
                self._last = max(self._last, self._asked_at)
            self._errand = None
        if self._errand is None and now - self._asked_at >= self._every_s:
            self._answered, self._asked_at = False, now
            self._errand = self._beside(self._note)
        return now - self._last

    def restart(self, now: float) -> None:
        """Count silence from now on."""
        self._last = now

    def _note(self) -> None:
        self._answered = self._ask()
