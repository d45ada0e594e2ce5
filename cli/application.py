"""The Serve application as the supervisor tends it: deployed, awaited, asked every second whether it answers."""

from __future__ import annotations

import http.client
import logging
import signal
import time
from collections.abc import Callable, Sequence

from cli.parts import Beside, Heartbeat, StartStep, SupervisedPart, ThreadTask
from cli.processes import send
from cli.ray_head import RayHead, RayStopped, request
from memory.errors import Unavailable

EVERY_S = 1.0
"""Between two questions whether it answers."""
ANSWER_S = 5.0
"""What one answer may take; a connection waits at the door while a gateway is replaced."""
HUNG_S = 15.0
"""Silence after which a gateway that lives is ended, for Serve to begin another. One that was stopped is woken within a
second; this is for one that hangs, and longer than a machine with ten times the work it can do keeps one waiting."""
NOTICED_S = 3.0
"""Silence from which on it is looked who serves: one that has begun since then is not to blame."""
REDEPLOY_S = 60.0
"""Silence after which the application is put again; the spare gateway's answers do not count."""
LOST_S = 180.0
"""Silence after which Ray is started anew; the same."""
DASHBOARD_S = 120.0
DEPLOY_S = 60.0
"""What Ray's dashboard is given to take the application; a quiet laptop needs 5 s, with what it loads for it."""
READY_S = 300.0
"""Two busy cores need 30 s; a model that is loaded for the first time may need minutes."""
MOVE_S = 90.0
"""What a new raylet is given to bring gateway, shard and worker to life; a quiet laptop needs 10 s."""
DRAIN_S = 10.0
"""What an earlier gateway is given to answer what it was asked: a question is given as much (`http.patience_s`)."""
_POLL_S = 0.3
_LOOK_S = 2.0

log = logging.getLogger("memoray.supervisor")


class Application:
    """What is deployed on a Ray. `part` is its state; `stands` tells whether Ray does, beside which it is started."""

    def __init__(
        self, ray: RayHead, needs: Sequence[SupervisedPart], stands: Callable[[], bool], beside: Beside = ThreadTask
    ) -> None:
        self._ray, self._stands = ray, stands
        self._deployed = False
        self._raylet: int | None = None
        self._hearing: frozenset[int] = frozenset()
        self._silent_since = 0.0
        self._served_at = 0.0
        """When a gateway of Serve's has last served."""
        self._ended: frozenset[int] = frozenset()
        self._beat: int | None = None
        self._beaten_at = float("-inf")
        self._heartbeat = Heartbeat(self._answers, EVERY_S, beside=beside)
        self.part = SupervisedPart("The application", self._steps, lambda: True, needs=needs, beside=beside)

    def adopt(self, now: float, *, deployed: bool) -> None:
        """Take over what a killed supervisor has deployed. Where no gateway lives Serve is given time to begin one:
        Ray's dashboard, asked while Serve's controller is begun again, waits for the old one until it is ended.
        """
        gateways = self._ray.gateways()
        self._deployed = deployed or bool(gateways)
        if gateways and self._ray.services.alive("raylet") and not self._ray.left_behind():
            self._settle(now)
            self.part.take_over(now)

    def tick(self, now: float) -> bool:
        """Look, and do what is next; False if it has been silent for so long that Ray is to be started anew."""
        before = self.part.state
        if before == "up":
            if self._ray.pid != self._raylet:
                self.part.fall(now, Unavailable("The raylet has been replaced."))
            elif not self._hear(now):
                self._deployed = False
                return False
        self.part.tick(now)
        if before != "up" and self.part.state == "up":
            self._settle(now)
        return True

    def ray_is_new(self, now: float) -> None:
        """Nothing is deployed any more."""
        self._deployed = False
        if self.part.state == "up":
            self.part.fall(now, RayStopped("Ray was started anew."))

    def _settle(self, now: float) -> None:
        self._raylet = self._ray.pid
        self._heartbeat.restart(now)
        self._served_at = now
        self._hearing = self._ended = frozenset()

    def _steps(self) -> Sequence[StartStep]:
        if self._deployed:
            return (
                StartStep("Waiting for the application on the new raylet", self._await_successor, lambda: True, MOVE_S),
                StartStep("Ending what has answered meanwhile", self._retire, lambda: True, MOVE_S),
            )
        return (
            StartStep("Deploying the application", self._deploy, lambda: True, DASHBOARD_S),
            StartStep("Waiting for the application", self._await_answer, lambda: True, READY_S),
        )

    def _deploy(self) -> None:
        self._until(self._ray.answers, DASHBOARD_S, "Ray's dashboard")
        try:
            self._ray.deploy(DEPLOY_S)
        except Unavailable:
            # asked for a controller whose raylet is gone it waits for minutes, and so does whoever asks it again
            self._ray.end_dashboard()
            raise

    def _await_answer(self) -> None:
        self._until(self._ready, READY_S, "the application")
        self._deployed = True
        self._ray.end_deployer()

    def _await_successor(self) -> None:
        raylet = self._ray.pid
        try:
            self._until(self._ray.replaced, MOVE_S, "the application", raylet)
        except RayStopped:
            raise
        except Unavailable:
            self._deployed = False  # Ray stands and does not bring it back: it is put again
            raise

    def _retire(self) -> None:
        """End what is left of earlier raylets, once their gateways have answered."""
        try:
            self._until(self._ray.drained, DRAIN_S, "the earlier gateway")
        except RayStopped:
            raise
        except Unavailable as error:  # an archive may take minutes
            log.warning("%s", error)
        self._ray.retire()

    def _until(self, reached: Callable[[], bool], within_s: float, what: str, raylet: int | None = None) -> None:
        deadline = time.monotonic() + within_s
        while not reached():
            if not self._stands() or (raylet is not None and self._ray.pid != raylet):
                raise RayStopped(f"Ray stopped while {what} was awaited.")
            if time.monotonic() > deadline:
                raise Unavailable(f"Waited {within_s:.0f} s for {what}; see `memoray logs`.")
            time.sleep(_POLL_S)

    def _ready(self) -> bool:
        if self._asked("/health/ready", _LOOK_S) == 200 and self._ray.replaced():
            return True
        if failure := self._ray.deployment_failure():
            log.error("%s", failure)
            raise Unavailable(f"The application failed to start: {failure.strip().splitlines()[-1]}")
        return False

    def _answers(self) -> bool:
        return self._asked("/health", ANSWER_S) == 200

    def _asked(self, path: str, timeout_s: float) -> int | None:
        try:
            return request(self._ray.ports.http, "GET", path, {}, None, timeout_s)[0]
        except (OSError, http.client.HTTPException):
            return None

    def _hear(self, now: float) -> bool:
        """Whether it answers, or may be expected to again; a gateway that lives and does not is ended."""
        silence = min(self._heartbeat.silence(now), self._since_beat(now))
        if silence <= EVERY_S:
            self._ended = frozenset()
        if silence >= NOTICED_S:
            self._end_the_hung(now, silence)
        if self._ray.serving() in self._ray.gateways():
            self._served_at = now
        missed = max(silence, now - self._served_at)
        if missed > LOST_S:
            return False
        if missed > REDEPLOY_S:
            self._deployed = False
            self.part.fall(now, Unavailable("The application does not answer."))
        return True

    def _since_beat(self, now: float) -> float:
        """Seconds since the gateway that serves was seen alive."""
        if (beat := self._ray.beat()) != self._beat:
            self._beat, self._beaten_at = beat, now
        return now - self._beaten_at

    def _end_the_hung(self, now: float, silence: float) -> None:
        turn, others = self._ray.serving(), self._ray.gateways()
        gateways = frozenset(others if turn is None else {turn, *others})
        if gateways != self._hearing:  # a new one is starting
            self._hearing, self._silent_since = gateways, now
        elif now - self._silent_since > HUNG_S - NOTICED_S and gateways - self._ended:
            log.warning("no answer for %.0f s; ending the gateway", silence)
            for pid in gateways if turn is None else (turn,):
                send(pid, signal.SIGKILL)
            self._ended = gateways
