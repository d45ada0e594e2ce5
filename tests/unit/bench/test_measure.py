"""Measuring: durations, waiting, and memories that do not outlive a benchmark."""

import pytest

from bench.measure import STALLED_S, ApiClient, Spread, ask, await_done, markdown, memories, pending, post_all, timed
from memory.errors import Unavailable
from tests.fakes.front_door import FrontDoor

BODY = {"source_id": "s", "segments": [{"segment_id": "1", "text": "the boat is red"}]}


def test_spread_by_hand() -> None:
    assert Spread.of([float(number) for number in range(1, 101)]) == Spread(50.5, 95.0)
    assert Spread.of([7.0]) == Spread(7.0, 7.0)
    assert Spread.of([3.0, 1.0]) == Spread(2.0, 3.0)


def test_timed_gives_back_what_was_done() -> None:
    given, took_ms = timed(lambda: 42)
    assert given == 42
    assert 0 <= took_ms < 1000


def test_memories_are_removed_before_and_afterwards_whatever_happens() -> None:
    app = FrontDoor()
    app.segments["bench-a"] = [{"segment_id": "old"}]
    with memories(app.site(), ["bench-a"]) as doors:
        assert app.segments == {}
        doors["bench-a"].post("/v1/sources", BODY)
    assert app.segments == {}
    with pytest.raises(ZeroDivisionError), memories(app.site(), ["bench-a"]) as doors:
        _post_and_break(doors["bench-a"])
    assert app.segments == {}


def _post_and_break(door: ApiClient) -> None:
    door.post("/v1/sources", BODY)
    raise ZeroDivisionError


def test_memories_can_be_kept() -> None:
    app = FrontDoor()
    with memories(app.site(), ["bench-a"], keep=True) as doors:
        doors["bench-a"].post("/v1/sources", BODY)
    assert list(app.segments) == ["bench-a"]


def test_a_question_is_encoded_and_asked() -> None:
    app = FrontDoor()
    site = app.site()
    door = site.door("bench-a")
    post_all(site, [(door, BODY)])
    app.degraded = ["vectors"]
    answer = ask(site, door, "red?", limit=50)
    assert (answer.found, answer.degraded) == (("1",), True)
    assert app.encoded == ["red?"]
    assert app.asked == [{"query": "red?", "limit": 50}]
    assert ("Sending segments", 1, 1) in app.told


def test_waiting_ends_when_the_kinds_asked_for_are_done() -> None:
    app = FrontDoor()
    site = app.site()
    doors = {name: site.door(name) for name in ("bench-a", "bench-b")}
    post_all(site, [(door, BODY) for door in doors.values() for _ in range(3)])
    await_done(site, doors, ["embedding"])
    assert pending(doors)["embedding"] == 0
    assert pending(doors)["extraction"] > 0
    await_done(site, doors, ["embedding", "extraction"])
    assert pending(doors) == {"extraction": 0, "embedding": 0}
    step, done, total = app.told[-1]
    assert (step, done) == ("Waiting for embedding and extraction of sources", total)


def test_waiting_for_work_that_does_not_get_on_ends_with_an_error() -> None:
    app = FrontDoor(pace=0)
    site = app.site()
    door = site.door("bench-a")
    post_all(site, [(door, BODY)])
    with pytest.raises(Unavailable, match="embedding of 1 sources does not get on"):
        await_done(site, {"bench-a": door}, ["embedding"])
    assert STALLED_S < app.paused_s < STALLED_S + 1


def test_rows_as_a_table() -> None:
    assert markdown([{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]) == "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"
