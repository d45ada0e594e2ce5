"""`bench peers`: the rows, what is said to a peer's process, and what is asked of the running system."""

from __future__ import annotations

import base64
import io
import json
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from bench import peer_driver, peer_process
from bench.conversations import Conversation, GoldQuestion
from bench.measure import memories
from bench.peers import Encodings, IndexTimes, MemoraySystem, PeerRow, Spent, lines_of, measure_peer
from memory.errors import Unavailable
from tests.fakes.front_door import FrontDoor

TURNS = {"1": "ann bought a red boat", "2": "ben sold the boat", "3": "it rained"}
SEGMENTS = [{"segment_id": key, "speaker": "ann", "text": text} for key, text in TURNS.items()]
RIGHT = GoldQuestion("who bought a red boat", "single-hop", ("1",), {}, 10.0)
LATE = GoldQuestion("was there rain", "single-hop", ("3",), {"old": ("3",), "new": ("2",)}, 20.0)
SEPARATE = GoldQuestion("did it rain in rome", "adversarial", ("1",), {}, 30.0)
TINY = Conversation(
    "c1",
    "tiny",
    (
        {"source_id": "S1", "started_at": 0.0, "segments": SEGMENTS[:2]},
        {"source_id": "S2", "started_at": 0.0, "segments": SEGMENTS[2:]},
    ),
    (RIGHT, LATE, SEPARATE),
)


def encode(texts: list[str]) -> np.ndarray:
    return np.array([[len(text), 1.0] for text in texts], np.float32)


@dataclass
class Parrot:
    """A system that always finds the turns in their order, and by itself returns one of them."""

    encodes: bool = False
    kept: list[np.ndarray] = field(default_factory=list)
    cpu_s: float = 0.0
    degraded: int = 0
    silent: bool = False
    """By itself it returns nothing."""

    def keep(self, conversation: Conversation, vectors: np.ndarray) -> IndexTimes:
        self.kept.append(vectors)
        return IndexTimes(0.5, 1.5 if self.encodes else 0.5)

    def find(self, question: GoldQuestion, vector: np.ndarray, limit: int, *, whole: bool) -> tuple[str, ...]:
        self.cpu_s += 1.0
        return ("1", "2", "3")[: limit if whole else int(not self.silent)]

    def spent(self) -> Spent:
        return Spent(self.cpu_s, 7_000_000, 300 * len(self.kept))


def test_the_row_of_a_peer():
    system = Parrot()
    row = measure_peer("parrot", system, [TINY], Encodings.of([TINY], encode, lambda *_: None), encode)
    assert (row.system, row.dataset, row.questions) == ("parrot", "tiny", 2)
    assert row.overall["mrr"] == pytest.approx(100 * (1 + 1 / 3) / 2)
    assert row.overall["any@10"] == row.overall["both_sides@10"] == 100.0
    assert (row.given, row.precision, row.recall) == (1.0, 50.0, 50.0)
    assert row.kept_per_s == 6.0
    assert row.turns_per_s < row.kept_per_s
    assert (row.disk_bytes, row.pss_mb) == (100.0, 7.0)
    assert row.cpu_s == pytest.approx(1000, rel=0.1), "only the questions of the timed round count, with their encoding"
    assert row.whole.p50_ms >= row.bare.p50_ms
    assert system.kept[0].tolist() == encode(lines_of(TINY)).tolist()
    cells = row.cells()
    assert (cells["recall@5"], cells["returned"]) == ("100.0", "1.0")
    assert cells["precision, recall at the cut"] == "50.0, 50.0"


def test_a_session_among_the_first_five_is_told_where_there_are_more():
    assert "session any@5" not in _row_of(TINY).overall
    others = tuple(
        {"source_id": f"S{place}", "started_at": 0.0, "segments": [SEGMENTS[0] | {"segment_id": f"other {place}"}]}
        for place in range(3, 7)
    )
    long = replace(TINY, bodies=TINY.bodies + others)
    assert _row_of(long).overall["session any@5"] == 100.0


def test_nothing_given_has_no_precision():
    row = _row_of(TINY, Parrot(silent=True))
    assert (row.given, row.precision, row.recall) == (0.0, 0.0, 0.0)
    assert row.overall["any@10"] == 100.0, "the order is judged without a cut"


def _row_of(conversation: Conversation, system: Parrot | None = None) -> PeerRow:
    return measure_peer("parrot", system or Parrot(), [conversation], Encodings({"c1": np.zeros((3, 2))}, 1.0), encode)


def test_what_encodes_itself_is_not_charged_twice():
    row = measure_peer("own", Parrot(encodes=True), [TINY], Encodings({"c1": np.zeros((3, 2))}, 99.0), encode)
    assert (row.turns_per_s, row.kept_per_s) == (2.0, 6.0)
    assert row.cpu_s == 1000.0


def test_memoray_is_asked_through_its_front_door():
    app = FrontDoor()
    app.degraded = ["vectors"]
    site = app.site()
    with memories(site, ["bench-c1"]) as doors:
        system = MemoraySystem(site, {"c1": doors["bench-c1"]}, lambda: Spent(0.0, 0, 0))
        row = measure_peer("memoray", system, [TINY], Encodings({"c1": np.zeros((3, 2))}, 0.0), encode)
    assert (row.questions, row.degraded, row.cells()["degraded"]) == (2, 6, "6")
    assert [each["cut"] for each in app.asked] == ["none"] * 3 + ["auto"] * 3
    assert [each["limit"] for each in app.asked] == [50] * 3 + [20] * 3
    assert {each["record_access"] for each in app.asked} == {False}
    assert app.segments == {}


DRIVER = """
import json, sys
print("a greeting", file=sys.stderr)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["verb"] == "find" and asked["text"] == "end":
        sys.exit("it broke")
    told = {"open": {}, "keep": {"seconds": 2}, "find": {"found": ["2", "2", "1"], "seconds": 0}, "spent": {"cpu_s": 3}}
    print(json.dumps(told[asked["verb"]]), flush=True)
"""


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "driver.py"
    path.write_text(DRIVER)
    monkeypatch.setattr(peer_process, "_DRIVER", path)


@pytest.mark.usefixtures("driver")
def test_a_peer_in_its_own_process():
    with peer_process.peer_process("mem0", Path(sys.executable), lambda pid: 5 if pid > 0 else 0) as peer:
        assert peer.keep(TINY, encode(lines_of(TINY))) == IndexTimes(2.0, 2.0)
        assert peer.find(RIGHT, np.zeros(2), 5, whole=True) == ("2", "1")
        (peer.folder / "stores").mkdir()
        (peer.folder / "stores" / "x").write_bytes(b"x" * 5000)
        spent = peer.spent()
        assert (spent.cpu_s, spent.pss_bytes) == (3.0, 5)
        assert spent.disk_bytes >= 5000
        folder = peer.folder
    assert not folder.exists()


@pytest.mark.usefixtures("driver")
def test_a_peer_that_ends_is_told_with_its_last_words():
    end = GoldQuestion("end", "x", (), {}, 0.0)
    with (
        peer_process.peer_process("mem0", Path(sys.executable), lambda _: 0) as peer,
        pytest.raises(Unavailable, match="it broke"),
    ):
        peer.find(end, np.zeros(2), 5, whole=True)


def test_a_python_that_is_not_there():
    with (
        pytest.raises(Unavailable, match="cannot be run"),
        peer_process.peer_process("mem0", Path("/nowhere/python"), lambda _: 0),
    ):
        pass


class Recorder:
    """A peer that asks its encoder for every text it meets."""

    def __init__(self, vectors: peer_driver.Given) -> None:
        self.vectors = vectors
        self.met: list[object] = []

    def keep(self, turns: peer_driver.Turns) -> None:
        self.met += [self.vectors.embed(turn["text"], "add") for turn in turns]

    def find(self, text: str, limit: int, *, whole: bool) -> list[str]:
        self.met.append(self.vectors.many([text]).tolist())
        return ["1"]


def test_the_driver_gives_a_peer_the_vectors_that_came(monkeypatch: pytest.MonkeyPatch):
    vector = base64.b64encode(np.array([0.5, 2], np.float32).tobytes()).decode()
    turn = {"id": "1", "text": "a boat", "vector": vector}
    said = [
        {"verb": "open", "dimensions": 2, "stop_words": []},
        {"verb": "keep", "turns": [turn]},
        {"verb": "find", "text": "boats", "vector": vector, "limit": 5, "whole": False},
        {"verb": "spent"},
    ]
    built: list[Recorder] = []

    def recorder(system: str, folder: Path, vectors: peer_driver.Given, opening: peer_driver.Opening) -> Recorder:
        assert (system, folder, opening["dimensions"]) == ("mem0", Path("/stores/1"), 2)
        built.append(Recorder(vectors))
        return built[0]

    out = io.StringIO()
    monkeypatch.setattr(peer_driver, "peer_of", recorder)
    monkeypatch.setattr(sys, "argv", ["peer_driver.py", "mem0", "/stores"])
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(json.dumps(each) + "\n" for each in said)))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    peer_driver.main()
    told = [json.loads(line) for line in out.getvalue().splitlines()]
    assert told[0] == {}
    assert told[2]["found"] == ["1"]
    assert told[3]["cpu_s"] > 0
    assert built[0].met == [[0.5, 2.0], [[0.5, 2.0]]]
