"""`bench latency` against a front door in memory, and the talk it invents."""

import pytest

from bench import talk
from bench.latency import USER, WARM_UP, measure_latency
from memory.words.stems import terms
from tests.fakes.front_door import FrontDoor


def test_the_row() -> None:
    app = FrontDoor(pace=7)
    row = measure_latency(app.site(), segments=120, requests=10)
    assert (row.segments, row.requests, row.found, row.pss_mb) == (120, 10, 10, 1500.0)
    assert list(row.importing) == ["embedding", "extraction"]
    assert len(app.encoded) == 3 * (WARM_UP + 10)
    assert app.segments == {}
    cells = row.cells()
    assert cells["found next"] == "100.0 %"
    assert cells["above encoder ms"] == f"{row.idle.p50_ms - row.encoder_p50_ms:.1f}"
    ratio = row.importing["embedding"].http.p95_ms / row.idle.p95_ms
    assert f"({ratio:.2f}x" in cells["during embedding, p50 / p95 ms (p95 ratio)"]


def test_questions_are_asked_while_the_import_is_going_on() -> None:
    app = FrontDoor()
    row = measure_latency(app.site(), segments=300, requests=5, keep=True)
    assert len(app.segments[USER]) == 300 + WARM_UP + 5
    assert row.importing["embedding"].left > 0
    assert row.importing["extraction"].left > 0


def test_a_memory_is_shared_out_among_users_who_are_asked_in_turn() -> None:
    app = FrontDoor()
    row = measure_latency(app.site(), segments=100, requests=6, users=3, keep=True)
    assert (row.segments, row.users, row.found) == (99, 3, 6)
    assert sorted(app.segments) == [USER, f"{USER}-2", f"{USER}-3"]
    posted = [len(held) - 33 for held in app.segments.values()]
    assert sum(posted) == WARM_UP + 6
    assert max(posted) - min(posted) <= 1


def test_an_import_that_ended_early_is_told() -> None:
    row = measure_latency(FrontDoor(pace=1000).site(), segments=10, requests=1)
    assert row.importing["extraction"].left == 0
    assert row.cells()["during extraction, p50 / p95 ms (p95 ratio)"].endswith(", ended early)")


@pytest.mark.parametrize("count", [1, 50, 51, 230])
def test_there_is_as_much_talk_as_wanted_and_always_the_same(count: int) -> None:
    bodies = list(talk.bodies(count))
    assert sum(len(body["segments"]) for body in bodies) == count
    assert len({body["source_id"] for body in bodies}) == len(bodies)
    assert bodies == list(talk.bodies(count))
    assert bodies[-1]["started_at"] < talk.end_of(count)


def test_the_talk_is_of_the_length_of_talk() -> None:
    words = [len(segment["text"].split()) for body in talk.bodies(500) for segment in body["segments"]]
    assert 15 <= sum(words) / len(words) <= 25


def test_a_rare_word_is_a_term_of_its_own() -> None:
    found = [terms(talk.rare_word(number), "en")[0] for number in range(3000)]
    assert all(len(each) == 1 for each in found)
    assert len({int(each[0]) for each in found}) == 3000


def test_the_word_of_a_single_is_nowhere_else() -> None:
    spoken = " ".join(segment["text"] for body in talk.bodies(2000) for segment in body["segments"])
    for number in range(50):
        body, word = talk.single(number, 0.0)
        assert word in body["segments"][0]["text"]
        assert word not in spoken


def test_questions_are_plenty() -> None:
    assert len(set(talk.questions(220))) > 150
    assert talk.questions(5) == talk.questions(220)[:5]
