"""Recordings become sources of what was said in them; whoever hears them is told by the importer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import BinaryIO
from zoneinfo import ZoneInfo

import pytest

from adapters.capture.formats import files_under, read
from adapters.capture.text import TextFile
from memory.errors import Invalid, TooLarge, Unavailable
from memory.model.sound import HeardSentence, HeardSound, HeardVoice, SoundFacts

WAV = b"RIFF\x24\x00\x00\x00WAVEfmt " + b"\x00" * 28
SAID = (HeardSentence("I parked on level 3.", 0.5, 2.0, "en", ()), HeardSentence("See you.", 3.0, 3.6, "en", ()))


def heard(
    sentences: Sequence[HeardSentence] = SAID, recorded_at: str | None = "2026-03-01T08:00:00+01:00"
) -> HeardSound:
    return HeardSound(SoundFacts(recorded_at, 4.0), 4.0, "whisper-base", list(sentences))


def memo(folder: Path, name: str = "memo.wav", content: bytes = WAV) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_what_is_said_in_a_recording_becomes_a_source_told_by_the_owner(tmp_path: Path) -> None:
    file = TextFile(memo(tmp_path), UTC, "Maya", hear=lambda sound: heard())
    [body] = read(file)
    assert (body["kind"], body["participants"], body["provenance"]["dated_by"]) == ("voice_memo", ["Maya"], "recording")
    assert (body["started_at"], body["ended_at"]) == (
        "2026-03-01T08:00:00.000+01:00",
        "2026-03-01T08:00:04.000+01:00",
    )
    assert [(each["speaker"], each["text"], each["start"]) for each in body["segments"]] == [
        ("Maya", "I parked on level 3.", 0.5),
        ("Maya", "See you.", 3.0),
    ]
    copied = TextFile(memo(tmp_path, "copy of memo.wav"), UTC, "Maya", hear=lambda sound: heard())
    assert [each["source_id"] for each in read(copied)] == [body["source_id"]], "the same sound is the same source"


def test_a_recording_is_told_with_its_voices(tmp_path: Path) -> None:
    said = [replace(each, voice=voice) for each, voice in zip(SAID * 2, (2, 1, None, 2), strict=True)]
    voices = [HeardVoice(number, 2.0, "campp", (1.0, 0.0)) for number in (1, 2)]
    talk = replace(heard(said, "2026-05-03T22:30:00+00:00"), voices=voices)
    [body] = read(TextFile(memo(tmp_path), ZoneInfo("Europe/Lisbon"), "Maya", hear=lambda sound: talk))
    assert [(each["speaker"], each["voice"]) for each in body["segments"]] == [("Maya", each.voice) for each in said]
    assert body["voices"][1] == {"number": 2, "seconds": 2.0, "model": "campp", "embedding": (1.0, 0.0)}
    assert body["participants"] == []


def test_one_voice_alone_is_whoever_imports_it(tmp_path: Path) -> None:
    alone = replace(heard([replace(each, voice=1) for each in SAID]), voices=[HeardVoice(1, 4.0, "campp", (1.0, 0.0))])
    [body] = read(TextFile(memo(tmp_path), UTC, "Maya", author="Ben", hear=lambda sound: alone))
    assert {each["speaker"] for each in body["segments"]} == set(body["participants"]) == {"Ben"}


def test_one_that_does_not_say_when_it_was_recorded_is_dated_by_its_name(tmp_path: Path) -> None:
    file = TextFile(memo(tmp_path, "2026-02-03 memo.wav"), UTC, hear=lambda sound: heard(recorded_at="soon"))
    [body] = read(file)
    assert (body["started_at"][:10], body["provenance"]["dated_by"]) == ("2026-02-03", "file name")


def test_a_recording_in_which_nobody_speaks_is_left_out(tmp_path: Path) -> None:
    left_out: list[str] = []
    file = TextFile(memo(tmp_path), UTC, left_out=left_out.append, hear=lambda sound: heard(()))
    assert (list(read(file)), left_out) == ([], ["recording without speech"])


def _missing(sound: BinaryIO) -> HeardSound:
    raise Unavailable("Hearing needs the extra.")


def _long(sound: BinaryIO) -> HeardSound:
    raise TooLarge("The sound is too long.")


@pytest.mark.parametrize(
    ("hear", "error", "why"),
    [
        (None, Invalid, "memo.wav: holds sound"),
        (_missing, Invalid, "memo.wav: Hearing needs the extra"),
        (_long, TooLarge, "too long"),
    ],
    ids=["nobody", "missing", "long"],
)
def test_what_cannot_be_heard_is_refused_for_good(tmp_path: Path, hear: object, error: type, why: str) -> None:
    with pytest.raises(error, match=why):
        list(read(TextFile(memo(tmp_path), UTC, hear=hear)))  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "content"), [("memo.wav", b"PK\x03\x04"), ("memo.mp3", b"\x00" * 64)])
def test_what_is_only_called_a_recording_is_none(tmp_path: Path, name: str, content: bytes) -> None:
    with pytest.raises(Invalid):
        list(read(TextFile(memo(tmp_path, name, content), UTC, hear=lambda sound: heard())))


def test_a_folder_is_searched_for_recordings_by_whoever_hears_them(tmp_path: Path) -> None:
    memo(tmp_path, "a.M4A", b"\x00\x00\x00\x20ftypM4A ")
    memo(tmp_path, "b.xyz")
    assert [each.name for each in files_under(tmp_path, hears=True)] == ["a.M4A"]
    passed_over: list[str] = []
    assert list(files_under(tmp_path, passed_over.append)) == []
    assert passed_over == [".m4a", ".xyz"]


OMI = b"\x03\x00\x00\x00abc"


@pytest.mark.parametrize("stamp", ["1772352000", "1772352000000"])
def test_a_file_of_an_omi_began_when_its_name_says(tmp_path: Path, stamp: str) -> None:
    path = memo(tmp_path, f"audio_omi_opus_16000_1_fs160_{stamp}.bin", OMI)
    [body] = read(TextFile(path, ZoneInfo("Europe/Lisbon"), hear=lambda sound: heard(recorded_at=None)))
    assert (body["started_at"], body["provenance"]["dated_by"]) == ("2026-03-01T08:00:00.000+00:00", "file name")
    memo(tmp_path, "firmware.bin", OMI)
    assert list(files_under(tmp_path, hears=True)) == [path]


def test_a_file_that_is_only_called_as_those_of_an_omi_is_none(tmp_path: Path) -> None:
    for content in (b"", b"\x00" * 64, b"\xff" * 64):
        with pytest.raises(Invalid):
            list(read(TextFile(memo(tmp_path, "a_1772352000.bin", content), UTC, hear=lambda sound: heard())))
