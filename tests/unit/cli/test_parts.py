"""The state machine of a part: time is an argument, errands end when the test says so, nothing sleeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from cli.parts import AT_ONCE, LONGEST_WAIT_S, Heartbeat, StartStep, SupervisedPart, wait_after
from memory.errors import Unavailable


@dataclass
class HeldErrand:
    """An errand that ends when it is told to."""

    work: Callable[[], object]
    done: bool = False
    error: Exception | None = None

    def end(self) -> None:
        try:
            self.work()
        except Exception as error:
            self.error = error
        self.done = True


@dataclass
class Errands:
    """Every errand that was begun, the latest last."""

    begun: list[HeldErrand] = field(default_factory=list)

    def __call__(self, work: Callable[[], object]) -> HeldErrand:
        self.begun.append(HeldErrand(work))
        return self.begun[-1]


@dataclass
class Engine:
    """What a part is made of: whether it lives and is ready, and how its start goes."""

    errands: Errands = field(default_factory=Errands)
    lives: bool = False
    ready: bool = False
    failure: Exception | None = None

    def begin(self) -> None:
        if self.failure is not None:
            raise self.failure
        self.lives = True

    def part(self, *needs: SupervisedPart) -> SupervisedPart:
        step = StartStep("Starting it", self.begin, lambda: self.ready, 10.0)
        return SupervisedPart("It", lambda: (step,), lambda: self.lives, needs=needs, beside=self.errands)


def up(engine: Engine, part: SupervisedPart, now: float) -> None:
    part.tick(now)
    engine.errands.begun[-1].end()
    engine.ready = True
    part.tick(now)
    assert part.state == "up"


def test_a_start_that_takes_long_holds_nobody_up() -> None:
    slow, quick = Engine(), Engine()
    first, second = slow.part(), quick.part()
    for now in range(500):
        first.tick(now)
        second.tick(now)
        if now == 0:
            quick.errands.begun[-1].end()
            quick.ready = True
    assert (first.state, second.state) == ("starting", "up")
    assert len(slow.errands.begun) == 1, "and what takes long is not begun a second time"


def test_one_that_dies_while_it_starts_is_started_anew_at_once() -> None:
    engine = Engine()
    part = engine.part()
    part.tick(0)
    engine.errands.begun[-1].end()
    engine.lives = False
    part.tick(0.2)
    assert len(engine.errands.begun) == 2
    assert part.state == "starting"


def test_one_that_was_up_for_a_while_is_started_anew_at_once_every_time() -> None:
    engine = Engine()
    part = engine.part()
    for fault in range(60):
        up(engine, part, 10.0 * fault)
        engine.lives = False
        part.tick(10.0 * fault + 9)
        assert part.state == "starting", "without the waits that once made the fifth outage ten times the first"


def test_one_that_never_starts_is_tried_at_once_first_and_then_ever_less() -> None:
    engine = Engine(failure=Unavailable("no"))
    part = engine.part()
    begun: list[float] = []
    now = 0.0
    while now < 300:
        before = len(engine.errands.begun)
        part.tick(now)
        if len(engine.errands.begun) > before:
            begun.append(now)
            engine.errands.begun[-1].end()
        now += 0.25
    gaps = [round(later - earlier) for earlier, later in pairwise(begun)]
    assert gaps[:AT_ONCE] == [0] * AT_ONCE
    assert gaps[AT_ONCE : AT_ONCE + 6] == [1, 2, 4, 8, 16, 30]
    assert str(part.error) == "no"


def test_what_is_not_reached_in_time_has_failed() -> None:
    engine = Engine()
    part = engine.part()
    part.tick(0)
    engine.errands.begun[-1].end()
    part.tick(10)
    assert part.failures == 0
    part.tick(10.1)
    assert part.failures == 1
    assert "not done after 10 s" in str(part.error)


def test_a_part_waits_for_what_it_needs_and_survives_its_end() -> None:
    below, above = Engine(), Engine()
    first = below.part()
    second = above.part(first)
    second.tick(0)
    assert second.state == "down"
    up(below, first, 0)
    up(above, second, 0)
    below.lives = False
    first.tick(20)
    second.tick(20)
    assert (first.state, second.state) == ("starting", "up")


def test_an_error_is_forgotten_once_it_is_up() -> None:
    engine = Engine(failure=Unavailable("no"))
    part = engine.part()
    part.tick(0)
    engine.errands.begun[-1].end()
    part.tick(0)
    assert part.error is not None
    engine.failure = None
    up(engine, part, 1)
    assert part.error is None


def test_what_was_taken_over_is_not_started() -> None:
    engine = Engine(lives=True)
    part = engine.part()
    part.take_over(0)
    part.tick(100)
    assert part.state == "up"
    assert not engine.errands.begun


@given(st.integers(0, 10_000))
def test_no_wait_is_longer_than_half_a_minute(failures: int) -> None:
    assert 0 <= wait_after(failures) <= wait_after(failures + 1) <= LONGEST_WAIT_S


def test_a_question_that_hangs_is_silence_and_no_second_one_is_asked() -> None:
    errands = Errands()
    heartbeat = Heartbeat(lambda: True, 1.0, beside=errands)
    heartbeat.restart(0)
    assert [heartbeat.silence(now) for now in (0.0, 3.0, 9.0)] == [0, 3, 9]
    assert len(errands.begun) == 1
    errands.begun[-1].end()
    assert heartbeat.silence(10.0) == 10.0, "what it answers was asked at the beginning"
    errands.begun[-1].end()
    assert heartbeat.silence(10.5) == 0.5


def test_an_answer_that_is_none_is_silence() -> None:
    errands = Errands()
    heartbeat = Heartbeat(lambda: False, 1.0, beside=errands)
    heartbeat.restart(0)
    for now in range(5):
        assert heartbeat.silence(now) == now
        errands.begun[-1].end()
