"""One suite for every import format: what each must give POST /v1/sources, and what each must refuse."""

import json
from contextlib import suppress
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.capture.formats import FORMATS, NAMES, files_under, read, recognise
from adapters.capture.text import TextFile
from memory.errors import Invalid, NotFound
from memory.model.sources import SOURCE_KINDS
from tests.exports import CHATGPT, CLAUDE, EXPORTS, TELEGRAM

MAY_1 = datetime(2024, 5, 1, 12, tzinfo=ZoneInfo("UTC")).timestamp()

ANDROID = """31/12/2023, 21:05 - Messages and calls are end-to-end encrypted. No one outside of this chat can read them.
31/12/2023, 21:05 - Ana: Happy new year!
Shall we meet at 10:30?
31/12/2023, 21:07 - Ben: <Media omitted>
31/12/2023, 21:08 - Ben: Yes: at the station
31/12/2023, 21:09 - Ana added Cleo
01/01/2024, 00:02 - Cleo: Hello you two
"""
IOS = """\u200e[1/31/24, 9:05:33\u202fPM] Trip: \u200eMessages and calls are end-to-end encrypted.
[1/31/24, 9:05:40\u202fPM] Ana: Did you book the boat?
[1/31/24, 11:59:59\u202fPM] ~\u202fBen: Not yet, \u2068Ana\u2069
\u200e[2/1/24, 12:00:05\u202fAM] Ben: \u200e<attached: 00000012-PHOTO.jpg>
[2/1/24, 8:00:00\u202fAM] Ben: Booked it \u200e<This message was edited>
"""
TRANSCRIPT = """2024-05-01

[10:32] Ana: We should call the plumber.
[10:33] Ben: I will do it on Friday.
He was good last time.
[10:35] Ana: Thank you.
"""
VTT = """WEBVTT

NOTE made by hand

1
00:00:01.000 --> 00:00:04.000 align:start
<v Ana Silva>I moved to Porto</v>

00:04.500 --> 00:06.000
<v Ana Silva>last <i>spring</i>.

00:07.000 --> 00:09.000
<v.loud Ben>Q&amp;A is next
"""
SRT = """1
00:00:01,000 --> 00:00:03,000
Ana: Is it raining

2
00:00:03,100 --> 00:00:05,000
in Oslo?

3
00:00:09,000 --> 00:00:10,000
- Ben: Not today.
"""
MAIL = """From: Ana <ana@x.org>
Date: 1 May 2024 10:32
Subject: The boat

I booked the boat.

On Tue, 30 Apr 2024 at 18:01, Ben <ben@y.org> wrote:
> Did you book it?
"""
NOTE = """---
title: Garden
date: 2024-05-01
author: Ana
---
# Garden

The roses need water.

## Plans
- dig
- plant
"""
JSONL = "\n".join(
    json.dumps(
        {
            "session_id": "walk",
            "device_id": "pendant",
            "session_started_at": MAY_1,
            "is_sweep": sweep,
            "segments": [
                {
                    "segment_id": name,
                    "speaker": "ana",
                    "text": text,
                    "start": start,
                    "end": start + 2,
                    "emotion": {"primary": "joy", "confidence": 0.9},
                }
            ],
        }
    )
    for name, text, start, sweep in [
        ("f1", "wreck a nice beach", 0, False),
        ("w1", "recognise speech", 0, True),
        ("f2", "much later", 5000, False),
    ]
)

SAMPLES = {
    "chatgpt": ("conversations.json", json.dumps(CHATGPT)),
    "claude": ("conversations.json", json.dumps(CLAUDE, ensure_ascii=False, indent=2)),
    "telegram": ("result.json", json.dumps(TELEGRAM, ensure_ascii=False, indent=1)),
    "jsonl": ("walk.jsonl", JSONL),
    "vtt": ("2024-05-01 standup.vtt", VTT),
    "srt": ("2024-05-01 standup.srt", SRT),
    "whatsapp": ("WhatsApp Chat with Ben.txt", ANDROID),
    "mail": ("boat.txt", MAIL),
    "transcript": ("call.txt", TRANSCRIPT),
    "note": ("garden.md", NOTE),
}
FIELDS = {
    "source_id",
    "kind",
    "started_at",
    "ended_at",
    "participants",
    "provenance",
    "device_id",
    "is_sweep",
    "segments",
}
SEGMENT_FIELDS = {
    "segment_id",
    "speaker",
    "text",
    "start",
    "end",
    "role",
    "language",
    "stt_engine",
    "emotion",
    "pinned",
    "raw",
}


def said(bodies) -> list[tuple[str, str]]:
    return [(segment["speaker"], segment["text"]) for body in bodies for segment in body["segments"]]


def test_every_format_has_a_sample():
    assert SAMPLES.keys() | EXPORTS.keys() | {"sound"} == set(NAMES), "what is heard is in test_voice_memos.py"
    assert tuple(form.name for form in FORMATS) == NAMES


@pytest.mark.parametrize("form", SAMPLES)
class TestEveryFormat:
    def test_is_recognised(self, form, written):
        assert recognise(written(*SAMPLES[form])).name == form

    def test_gives_what_the_api_takes(self, form, written):
        for body in read(written(*SAMPLES[form])):
            assert body.keys() <= FIELDS
            assert body["kind"] in SOURCE_KINDS
            assert datetime.fromisoformat(body["started_at"]).utcoffset() is not None
            assert datetime.fromisoformat(body["ended_at"]) >= datetime.fromisoformat(body["started_at"])
            assert body["segments"]
            assert len(body["source_id"]) <= 200
            assert body["source_id"].isprintable()
            for segment in body["segments"]:
                assert segment.keys() <= SEGMENT_FIELDS
                assert segment["text"].strip()
                assert segment["speaker"]
                assert 0 <= segment["start"] <= segment["end"]
            ids = [segment["segment_id"] for segment in body["segments"]]
            assert len(set(ids)) == len(ids)
            json.dumps(body)

    def test_the_same_file_again_has_the_same_ids(self, form, written, tmp_path):
        once = list(read(written(*SAMPLES[form])))
        (tmp_path / "elsewhere").mkdir()
        assert list(read(written(*SAMPLES[form]))) == once
        moved = written(f"elsewhere/{SAMPLES[form][0]}", SAMPLES[form][1])
        assert list(read(moved)) == once

    def test_a_second_download_is_the_same_file(self, form, written):
        name, text = SAMPLES[form]
        stem, suffix = name.rsplit(".", 1)
        ids = [body["source_id"] for body in read(written(name, text))]
        assert [body["source_id"] for body in read(written(f"{stem} (1).{suffix}", text))] == ids

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
    def test_reads_other_encodings(self, form, encoding, written):
        name, text = SAMPLES[form]
        if form == "jsonl":
            encoding = "utf-8-sig"  # JSON lines are UTF-8 by definition
        text = text.replace("Ana", "Zoë")
        plain = said(read(written(name, text)))
        assert plain
        assert said(read(written(name, text, encoding))) == plain

    def test_reads_windows_line_ends(self, form, written):
        name, text = SAMPLES[form]
        plain = said(read(written(name, text)))
        assert said(read(written(name, text.replace("\n", "\r\n")))) == plain

    def test_the_wall_clock_is_that_of_the_zone(self, form, written):
        name, text = SAMPLES[form]
        body = next(iter(read(written(name, text, zone=ZoneInfo("Asia/Tokyo")))))
        assert body["started_at"].endswith("+09:00")

    def test_a_zone_changes_no_id(self, form, written):
        ids = [body["source_id"] for body in read(written(*SAMPLES[form]))]
        other = read(written(*SAMPLES[form], zone=ZoneInfo("America/New_York")))
        assert [body["source_id"] for body in other] == ids

    def test_an_empty_file_is_in_no_format(self, form, written):
        name = SAMPLES[form][0]
        if name.endswith(".jsonl"):
            assert list(read(written(name, ""))) == []
            return
        with pytest.raises(Invalid) as refusal:
            list(read(written(name, "")))
        assert name in str(refusal.value)


@pytest.mark.parametrize("content", [b"\x00\x00\x01\x89" * 50, b"words\n\x00\x00", b"x" * 1_000_001])
def test_what_is_no_text_is_refused(content, tmp_path):
    path = tmp_path / "strange.txt"
    path.write_bytes(content)
    with pytest.raises(Invalid, match=r"strange\.txt, line \d"):
        list(read(TextFile(path)))


def test_what_is_not_recognised_is_refused_with_the_formats_there_are(written):
    with pytest.raises(Invalid, match="whatsapp"):
        list(read(written("table.csv", "a,b\n1,2\n")))
    with pytest.raises(NotFound):
        list(read(TextFile(written("a.txt", "a").path.with_name("none.txt"))))


def test_a_format_can_be_named(written):
    file = written("two.log", "Ana: hi\nBen: hi\n")
    assert said(read(file, "transcript")) == [("Ana", "hi"), ("Ben", "hi")]


def test_a_folder_is_walked_without_what_is_hidden(written, tmp_path):
    names = ("b.md", "sub/a.txt", ".git/c.md", ".d.md", "e.png", "sub/f.jsonl", "g.json", "sub/h.pdf")
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        written(name, "x")
    written("i.json", SAMPLES["claude"][1])
    passed_over: list[str] = []
    found = [str(path.relative_to(tmp_path)) for path in files_under(tmp_path, passed_over.append)]
    assert found == ["b.md", "i.json", "sub/a.txt", "sub/f.jsonl", "sub/h.pdf"]
    assert passed_over == [".png", ".json"]


PARTS = st.sampled_from(
    [part for _, text in SAMPLES.values() for part in text.split("\n")]
    + [
        "31/12/2023, 25:05 - Ana: hi",
        "[99/99/99, 9:00:00] Ana: hi",
        "00:99:99,000 --> 00:00:00,1",
        "---",
        "date: [",
        "{}",
        "Ana [99:99]: x",
        "# 2024-13-45",
        "# 1000-01-01",
        "Ana 0:00",
        "\u2028",
        "\x1f",
        "<v Ana>",
        "<v \x07>",
        "{\\an8}",
        "\ud7ff",
        ":",
    ]
)


@pytest.mark.parametrize("form", sorted({*NAMES} - {"docx", "pdf"}))  # these two start a process each time
@given(content=st.one_of(st.lists(PARTS, max_size=8).map("\n".join).map(str.encode), st.binary(max_size=80)))
def test_nothing_in_a_file_is_a_crash(form, content, tmp_path_factory):
    """Whatever is inside: bodies the API takes, or Invalid."""
    path = tmp_path_factory.getbasetemp() / f"fuzz-{form}.txt"
    path.write_bytes(content)
    with suppress(Invalid):
        for body in read(TextFile(path), form):
            assert body["source_id"].isprintable()
            assert all(segment["text"].strip() and segment["speaker"] for segment in body["segments"])
            assert all(0 <= segment["start"] <= segment["end"] for segment in body["segments"])
