"""Recordings of speech: heard by whoever imports them (adapters/hearing), and read as what was said in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from adapters.capture.bodies import Body, SourceStart, body_start, name_of
from adapters.capture.dates import date_of_file, place
from adapters.capture.text import TextFile
from adapters.hearing.omi_packets import MOST_PACKET
from memory.errors import Invalid, Unavailable
from memory.model.sound import HeardSound
from memory.model.timeline import EARLIEST, LATEST
from memory.services.hearing import segments_of, source_id_of

SUFFIXES = frozenset(
    {".wav", ".mp3", ".m4a", ".aac", ".ogg", ".oga", ".opus", ".flac", ".amr", ".caf", ".aiff", ".webm", ".mp4", ".mov"}
)
_MARKS = (
    *(b"OggS", b"fLaC", b"ID3", b"caff", b"#!AMR", b"FORM", b"\x1aE\xdf\xa3"),
    *(b"\xff\xfb", b"\xff\xf3", b"\xff\xf2", b"\xff\xf1", b"\xff\xf9"),  # MPEG's layer 3, and AAC
)
_OF_OMI = re.compile(r".*_([0-9]{10}|[0-9]{13})\.bin", re.IGNORECASE | re.DOTALL)
"""How an Omi names its offline files: at the end when one began, in seconds or thousandths of 1970."""
UNHEARD = "holds sound, and nothing here can hear it"


def sniff(file: TextFile) -> bool:
    """Begun as files of sound or film are, and called so."""
    head = file.head
    if of_omi(file.path.name):
        return file.member is None and 0 < int.from_bytes(head[:4], "little") <= MOST_PACKET
    is_known = head.startswith(_MARKS) or head[4:8] == b"ftyp" or (head[:4], head[8:12]) == (b"RIFF", b"WAVE")
    return file.member is None and file.suffix in SUFFIXES and is_known


def of_omi(name: str) -> bool:
    """Whether a file is called as an Omi calls its own."""
    return _OF_OMI.fullmatch(name) is not None


def read(file: TextFile) -> Iterator[Body]:
    """What is said in it, as one source, with its voices: the memory knows whose they are, and else whoever imports it
    speaks. The same file again changes nothing.

    Raises Invalid of what cannot be heard, and where nothing is said in it.
    """
    if file.hear is None:
        raise Invalid(f"{file.path.name}: {UNHEARD}.", file=file.path.name)
    with file.path.open("rb") as opened:
        try:
            heard = file.hear(opened)
        except Unavailable as error:
            raise Invalid(f"{file.path.name}: {error.detail}", file=file.path.name) from error
        source_id = source_id_of(opened)
    speaker = name_of(file.author or file.owner)
    if not heard.sentences:
        file.left_out("recording without speech")
        return
    start = _start(file, heard)
    told = zip(segments_of(heard, speaker), heard.sentences, strict=True)
    yield {
        "source_id": source_id,
        "kind": "voice_memo",
        **body_start(file, start, timedelta(seconds=heard.seconds)),
        "participants": [speaker] if len(heard.voices) < 2 else [],
        "provenance": {"file": file.path.name, "format": "sound", "dated_by": start.dated_by},
        "segments": [{**each, "voice": sentence.voice} for each, sentence in told],
        "voices": [asdict(each) for each in heard.voices],
    }


def _start(file: TextFile, heard: HeardSound) -> SourceStart:
    """When it was recorded, as it says itself; else by its name or its last change."""
    try:
        at = place(datetime.fromisoformat(heard.facts.recorded_at or ""), file.zone)
        if EARLIEST <= at.timestamp() <= LATEST:
            return SourceStart(at, "recording")
    except (ValueError, OverflowError):
        pass
    if named := _OF_OMI.fullmatch(file.path.name):
        seconds = int(named[1]) / (1_000 if len(named[1]) == len("1772352000000") else 1)
        if EARLIEST <= seconds <= LATEST:
            return SourceStart(datetime.fromtimestamp(seconds, UTC).astimezone(file.zone), "file name")
    return SourceStart(*date_of_file(file))
