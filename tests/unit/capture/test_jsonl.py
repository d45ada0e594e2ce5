"""Session files: written durably, read from anywhere, never stopped by a bad line."""

import multiprocessing
import signal
import subprocess
import sys
import time
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.capture import jsonl
from adapters.capture.jsonl import append, read_from
from adapters.capture.payloads import parse_payload
from memory.errors import Invalid, NotFound

ROOT = Path(__file__).parents[3]


def payload(number: int = 0, text: str = "We met at the café", **changes) -> dict:
    segment = {
        "segment_id": f"seg-{number}",
        "speaker": "ana",
        "text": text,
        "start": number * 2.0,
        "end": number * 2.0 + 1.5,
        "language": "en",
        "stt_engine": "whisper",
        "emotion": {"label": "calm", "score": 0.82},
    }
    return {
        "session_id": "walk",
        "device_id": "pendant",
        "session_started_at": 1709542800.0,
        "is_sweep": False,
        "segments": [segment | changes],
    }


def line(number: int) -> bytes:
    return orjson.dumps(payload(number)) + b"\n"


def heard(payloads) -> list[str]:
    return [segment.segment_id for each in payloads for segment in each.segments]


def test_what_is_appended_is_read_back(tmp_path):
    path = tmp_path / "ben" / "walk.jsonl"
    for number in range(3):
        append(path, payload(number))
    payloads, offset, rejected = read_from(path)
    assert heard(payloads) == ["seg-0", "seg-1", "seg-2"]
    assert offset == path.stat().st_size
    assert not rejected
    assert payloads[0].segments[0].emotion == {"label": "calm", "score": 0.82}
    assert read_from(path, offset) == ([], offset, [])


def test_both_shapes_of_emotion_are_read_and_one_is_kept():
    raw = payload(emotion={"primary": "joy", "confidence": 0.5})
    assert parse_payload(raw).segments[0].emotion == {"label": "joy", "score": 0.5}
    assert parse_payload(payload(emotion=None)).segments[0].emotion is None


def test_a_session_of_many_lines_moves_from_rewriting_to_appending(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonl, "REWRITE_BYTES", 1000)
    path = tmp_path / "walk.jsonl"
    for number in range(20):
        append(path, payload(number))
    assert path.stat().st_size > 3000
    assert heard(read_from(path)[0]) == [f"seg-{number}" for number in range(20)]


@pytest.mark.parametrize("rewrite_bytes", [0, 1_000_000])
def test_a_torn_line_waits_and_the_next_writer_closes_it_off(tmp_path, monkeypatch, rewrite_bytes):
    monkeypatch.setattr(jsonl, "REWRITE_BYTES", rewrite_bytes)
    path = tmp_path / "walk.jsonl"
    path.write_bytes(line(0) + line(1)[:40])
    payloads, offset, rejected = read_from(path)
    assert heard(payloads) == ["seg-0"]
    assert offset == len(line(0))
    assert not rejected
    append(path, payload(2))
    payloads, _, rejected = read_from(path, offset)
    assert heard(payloads) == ["seg-2"]
    assert rejected[0][:2] == (2, offset)
    assert rejected[0].reason.startswith("not JSON")


BAD = {
    "not JSON": b"{nope",
    "a list": b"[1]",
    "no session": b'{"segments": []}',
    "a path as session": orjson.dumps(payload() | {"session_id": "../../etc/passwd"}),
    "no start of session": orjson.dumps(payload() | {"session_started_at": "yesterday"}),
    "year 1000": orjson.dumps(payload() | {"session_started_at": -3e10}),
    "segments are no list": orjson.dumps(payload() | {"segments": {}}),
    "segment is no object": orjson.dumps(payload() | {"segments": [3]}),
    "no text": orjson.dumps(payload(text=None)),
    "NUL": orjson.dumps(payload(text="a\x00b")),
    "lone surrogate": orjson.dumps(payload()).replace(b"We met", b"\\ud800"),
    "ends before it starts": orjson.dumps(payload(end=-1)),
    "infinite": orjson.dumps(payload()).replace(b"1.5", b"1e999"),
    "true as a time": orjson.dumps(payload(start=True)),
    "unprintable id": orjson.dumps(payload(segment_id="a\nb")),
    "long id": orjson.dumps(payload(segment_id="a" * 201)),
    "strange emotion": orjson.dumps(payload(emotion="happy")),
    "strange role": orjson.dumps(payload(role="ghost")),
    "pinned is no flag": orjson.dumps(payload(pinned="yes")),
    "not UTF-8": b"\xff\xfe\xfd",
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_a_malformed_line_is_set_aside_and_stops_nothing(tmp_path, bad):
    path = tmp_path / "walk.jsonl"
    path.write_bytes(line(0) + bad + b"\n" + line(2))
    payloads, offset, rejected = read_from(path)
    assert heard(payloads) == ["seg-0", "seg-2"]
    assert offset == path.stat().st_size
    assert [(each.line_no, each.byte_offset) for each in rejected] == [(2, len(line(0)))]
    assert rejected[0].reason
    assert "café" not in rejected[0].reason


def test_line_numbers_count_from_the_start_of_the_file(tmp_path):
    path = tmp_path / "walk.jsonl"
    path.write_bytes(line(0) + b"\r\n" + line(1) + b"bad\n")
    _, _, rejected = read_from(path, len(line(0)))
    assert rejected[0].line_no == 4


def test_a_line_that_is_longer_than_a_read_is_passed_over(tmp_path):
    path = tmp_path / "walk.jsonl"
    long = orjson.dumps(payload(1, text="x" * 5000)) + b"\n"
    path.write_bytes(line(0) + long + line(2))
    found, offset, following, faults = [], -1, 0, []
    while following != offset:
        offset = following
        payloads, following, rejected = read_from(path, offset, limit=600)
        found += heard(payloads)
        faults += rejected
    assert found == ["seg-0", "seg-2"]
    assert [fault.line_no for fault in faults] == [2]


def test_a_long_line_still_being_written_is_waited_for(tmp_path):
    path = tmp_path / "walk.jsonl"
    path.write_bytes(b"x" * 5000)
    assert read_from(path, 0, limit=600) == ([], 0, [])
    assert read_from(path, 0, limit=600, closed=True)[1] == 5000


def test_a_file_that_was_replaced_is_read_anew(tmp_path):
    path = tmp_path / "walk.jsonl"
    path.write_bytes(line(7))
    assert heard(read_from(path, 10_000)[0]) == ["seg-7"]
    assert heard(read_from(path, 5)[0]) == ["seg-7"]


def test_a_missing_file_is_an_error_of_ours(tmp_path):
    with pytest.raises(NotFound):
        read_from(tmp_path / "none.jsonl")


def test_an_invalid_payload_is_refused_before_it_is_written(tmp_path):
    path = tmp_path / "walk.jsonl"
    for wrong in ({"session_id": "walk"}, payload(text="\ud800"), payload() | {"extra": object()}):
        with pytest.raises(Invalid):
            append(path, wrong)
    assert not path.exists()


@given(st.lists(st.one_of(st.integers(0, 9).map(line), st.just(b"{torn\n"), st.just(b"\n")), max_size=12), st.data())
def test_reading_in_pieces_is_reading_at_once(tmp_path_factory, lines, data):
    """However the file grows, byte by byte or at once, every line is consumed once and in order."""
    whole = b"".join(lines)
    path = tmp_path_factory.mktemp("split") / "walk.jsonl"
    cuts = [*sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=6))), len(whole)]
    found, faults, offset = [], [], 0
    for cut in cuts:
        path.write_bytes(whole[:cut])
        payloads, offset, rejected = read_from(path, offset)
        assert offset == whole.rfind(b"\n", 0, cut) + 1
        found += heard(payloads)
        faults += rejected
    payloads, _, rejected = read_from(path)
    assert (found, faults) == (heard(payloads), rejected)


WRITER = """
import sys
from pathlib import Path
from adapters.capture import jsonl
jsonl.REWRITE_BYTES = int(sys.argv[2])
for number in range(int(sys.argv[3]), 10**9):
    segment = {"segment_id": f"s{number}", "speaker": "a", "text": "x" * 20_000, "start": 0, "end": 1}
    payload = {"session_id": "walk", "session_started_at": 1709542800, "segments": [segment]}
    jsonl.append(Path(sys.argv[1]), payload)
    print(number, flush=True)
"""


@pytest.mark.parametrize("rewrite_bytes", [0, 10**9], ids=["appending", "renaming"])
def test_a_writer_killed_in_the_middle_loses_nothing_it_acknowledged(tmp_path, rewrite_bytes):
    path, acknowledged = tmp_path / "walk.jsonl", []
    for round_ in range(3):
        command = [sys.executable, "-c", WRITER, str(path), str(rewrite_bytes), str(round_ * 1000)]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        acknowledged.append(int(writer.stdout.readline()))
        time.sleep(0.05 + 0.03 * round_)
        writer.send_signal(signal.SIGKILL)
        acknowledged += map(int, writer.communicate()[0].split())
        payloads, _, rejected = read_from(path, limit=10**9)
        assert {f"s{number}" for number in acknowledged} <= set(heard(payloads))
        assert len(rejected) <= round_
    append(path, payload(5))
    assert heard(read_from(path, limit=10**9)[0])[-1] == "seg-5"


def _write_many(path: Path, start: int) -> None:
    for number in range(start, start + 20):
        append(path, payload(number))


def test_writers_take_turns(tmp_path):
    path = tmp_path / "walk.jsonl"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_many, args=(path, start)) for start in (0, 100)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    payloads, _, rejected = read_from(path)
    assert len(payloads) == 40
    assert not rejected


def test_a_guess_keeps_its_method_and_its_numbers_within_bounds():
    guess = {"label": "sad", "score": 0.2, "method": "guess", "prosody": {"pitch_hz": 180.0}, "scores": {"sad": 0.2}}
    assert parse_payload(payload(emotion={**guess, "more": 1})).segments[0].emotion == guess
    for wrong in (
        {"method": 4},
        {"method": "x" * 201},
        {"prosody": 4},
        {"prosody": {"pitch_hz": "high"}},
        {"prosody": {"pitch_hz": float("nan")}},
        {"scores": {str(place): 1.0 for place in range(21)}},
        {"scores": {"x" * 201: 1.0}},
        {"scores": {"\x00": 1.0}},
    ):
        with pytest.raises(Invalid):
            parse_payload(payload(emotion=guess | wrong))
