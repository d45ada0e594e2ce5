"""`bench latency --synthetic` against a front door in memory, and how like the true vectors the made-up ones are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from adapters.embedding.hashing import HashingEmbedder
from bench import at_rest, talk
from bench.at_rest import measure_at_rest
from bench.invented import InventedVectors, ahead
from bench.latency import USER, WARM_UP
from bench.measure import Tell
from memory.errors import Unavailable
from tests.fakes.front_door import FrontDoor


class Shelf:
    """Puts talk behind a front door in memory."""

    def __init__(self, app: FrontDoor) -> None:
        self.app = app
        self.emptied: list[tuple[str, ...]] = []

    def fill(self, users: Sequence[str], segments: int, tell: Tell) -> None:
        for user in users:
            said = [
                turn | {"source_id": body["source_id"]} for body in talk.bodies(segments) for turn in body["segments"]
            ]
            self.app.segments[user] = said
        tell("Writing segments", segments, segments)

    def empty(self, users: Sequence[str]) -> None:
        self.emptied.append(tuple(users))
        for user in users:
            self.app.segments.pop(user, None)


def test_the_row() -> None:
    app = FrontDoor()
    traits_of = Shelf(app)
    row = measure_at_rest(app.site(), traits_of, segments=100, requests=6, users=3)
    assert (row.segments, row.users, row.requests) == (99, 3, 6)
    assert (row.answered, row.degraded, row.pss_mb) == (6, 0, 1500.0)
    assert row.cells()["answered"] == "100.0 %"
    assert row.cells()["above encoder ms"] == f"{row.http.p50_ms - row.encoder_p50_ms:.1f}"
    assert len(app.encoded) == WARM_UP + 6
    assert not any(verb == "POST" for _, verb, _ in app.log)
    assert app.segments == {}
    names = (USER, f"{USER}-2", f"{USER}-3")
    assert traits_of.emptied == [names, names]


def test_what_is_kept_stays() -> None:
    app = FrontDoor()
    traits_of = Shelf(app)
    measure_at_rest(app.site(), traits_of, segments=60, requests=1, keep=True)
    assert len(app.segments[USER]) == 60
    assert len(traits_of.emptied) == 1


def test_a_memory_that_does_not_wake_is_told_and_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    app = FrontDoor()
    app.degraded = ["shard"]
    monkeypatch.setattr(at_rest, "WAKING_S", 10.0)
    with pytest.raises(Unavailable, match="was not awake after 10 s"):
        measure_at_rest(app.site(), Shelf(app), segments=60, requests=1)
    assert app.paused_s > 10.0
    assert app.segments == {}


def _turns(segments: int) -> list[str]:
    return [f"{turn['speaker']}: {turn['text']}" for body in talk.bodies(segments) for turn in body["segments"]]


def test_made_up_vectors_are_like_the_true_ones() -> None:
    turns, encoder = _turns(700), HashingEmbedder()
    made, true = InventedVectors(encoder, turns[:600]).encode(turns[600:]), encoder.encode(turns[600:])
    np.testing.assert_allclose(np.linalg.norm(made.vectors, axis=1), 1.0, atol=1e-5)
    cosines = made.vectors @ true.vectors.T
    own = np.diagonal(cosines).mean()
    others = (cosines.sum() - np.trace(cosines)) / (cosines.size - len(cosines))
    assert own > others + 0.2
    assert made.pieces.counts.mean() == pytest.approx(true.pieces.counts.mean(), rel=0.1)


def test_word_pieces_are_those_of_the_nearest_encoded_turn() -> None:
    turns, encoder = _turns(100), HashingEmbedder()
    likeness, known = InventedVectors(encoder, turns), encoder.encode(turns).pieces
    pieces = likeness.encode(turns[:20]).pieces
    whole = {known.to_bytes(place) for place in range(len(turns))}
    assert all(pieces.to_bytes(place) in whole for place in range(20))
    assert len({pieces.to_bytes(place) for place in range(20)}) > 10


def test_the_same_is_made_in_every_run() -> None:
    turns, encoder = _turns(50), HashingEmbedder()
    first, again = (InventedVectors(encoder, turns).encode(turns) for _ in range(2))
    np.testing.assert_array_equal(first.vectors, again.vectors)


def test_what_is_made_ahead_comes_in_order_and_so_do_errors() -> None:
    assert list(ahead(iter(range(1, 50)))) == list(range(1, 50))

    def broken() -> Iterator[Any]:
        yield 1
        raise ValueError("made no second")

    made = ahead(broken())
    assert next(made) == 1
    with pytest.raises(ValueError, match="no second"):
        next(made)
