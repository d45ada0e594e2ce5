"""What archives are packed in: nothing gets in by it, and nothing of any size is held as a whole."""

from __future__ import annotations

import asyncio
import io
import stat
import struct
import tracemalloc
import zipfile
from collections.abc import Callable

import orjson
import pytest

from memory.model.ids import segment_key
from memory.model.scopes import user_scope
from tests.api.archives import Line, changed, closed, empty, lived, opened, restored
from tests.api.conftest import Door

pytestmark = pytest.mark.postgres


@pytest.fixture
async def archive(door: Door) -> bytes:
    """A real one, of a memory that is empty again."""
    return await lived(door)


def _packed(members: dict[str, bytes], change: Callable[[zipfile.ZipFile, str, bytes], bool]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as whole:
        for name, content in members.items():
            if not change(whole, name, content):
                whole.writestr(name, content)
    return out.getvalue()


def _linked(whole: zipfile.ZipFile, name: str, content: bytes) -> bool:
    if name != "facts.jsonl":
        return False
    link = zipfile.ZipInfo(name)
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    whole.writestr(link, "../secrets")
    return True


def _twice(whole: zipfile.ZipFile, name: str, content: bytes) -> bool:
    if name == "facts.jsonl":
        whole.writestr(name, content)
        with pytest.warns(UserWarning, match="Duplicate name"):
            whole.writestr(name, content)
    return name == "facts.jsonl"


def _stranger(whole: zipfile.ZipFile, name: str, content: bytes) -> bool:
    if name == "facts.jsonl":
        whole.writestr("../../etc/cron.d/x", b"* * * * *")
    return False


def _squeezed(whole: zipfile.ZipFile, name: str, content: bytes) -> bool:
    if name == "facts.jsonl":
        whole.writestr(name, content, zipfile.ZIP_LZMA)
    return name == "facts.jsonl"


def _locked(archive: bytes) -> bytes:
    """The flag of encryption in every header."""
    forged = bytearray(archive)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = forged.find(mark)
        while at >= 0:
            forged[at + place] |= 1
            at = forged.find(mark, at + 4)
    return bytes(forged)


def _miscounted(archive: bytes) -> bytes:
    """A wrong checksum of the last member."""
    at = archive.rfind(b"PK\x01\x02")
    return archive[: at + 16] + bytes(4) + archive[at + 20 :]


async def test_no_packing_gets_in(door: Door, archive: bytes) -> None:
    members = opened(archive)
    many = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 60_000, 60_000, 46 * 60_000, 0, 0)
    forged = {
        "a link": (_packed(members, _linked), "facts.jsonl"),
        "twice": (_packed(members, _twice), "facts.jsonl"),
        "a path": (_packed(members, _stranger), "no member of an archive"),
        "another packing": (_packed(members, _squeezed), "facts.jsonl"),
        "a password": (_locked(archive), "password"),
        "a wrong checksum": (_miscounted(archive), ""),
        "a member is missing": (closed({k: v for k, v in members.items() if k != "notes.jsonl"}), "notes.jsonl"),
        "a directory of megabytes": (bytes(46 * 60_000) + many, "members"),
        "a comment": (archive[:-2] + struct.pack("<H", 5) + b"hello", ""),
        "nothing": (b"", ""),
        "no archive": (b"not a zip", ""),
        "torn": (archive[: len(archive) // 2], ""),
    }
    for name, (packed, where) in forged.items():
        answer = await restored(door, packed)
        assert answer.status_code == 422, (name, answer.text)
        assert where in answer.json()["detail"], (name, answer.text)
        assert await empty(door), name


async def test_a_bomb_takes_no_more_memory_than_a_piece(door: Door, archive: bytes) -> None:
    """Zeros that unpack a thousandfold, a line of 50 MB, a list of millions: none of it is ever held as a whole."""
    members = opened(archive)
    report = b'{"night": "2026-03-01", "report": ['
    bombs = {
        "facts.jsonl": (bytes(40_000_000), b'{"statement": "' + b"a" * 40_000_000 + b'"}\n', b"\n" * 40_000_000),
        "nights.jsonl": (report + b"[]," * 10_000_000, report + b"[" * 4_000_000),
        "sources.jsonl": (b'{"segments": [' + b"{}," * 10_000_000, b'{"segments": ["' + b"a" * 40_000_000),
        "journal.jsonl": (b'{"changes": [' + b"[]," * 10_000_000, b'{"changes": [' + b'{"noun":1},' * 2_000_000),
    }
    for member, contents in bombs.items():
        for place, content in enumerate(contents):
            for packing in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
                packed = closed(members | {member: content}, packing)
                tracemalloc.start()
                answer = await restored(door, packed)
                _, peak = tracemalloc.get_traced_memory()
                tracemalloc.stop()
                assert answer.status_code == 422, answer.text
                assert peak < 100_000_000, (member, place, packing)
    assert await empty(door)


async def test_others_are_answered_while_an_archive_is_read(door: Door, archive: bytes) -> None:
    """A line of megabytes is read beside the event loop, which goes round and round meanwhile."""
    line = orjson.loads(opened(archive)["sources.jsonl"].splitlines()[0])
    segment = line["segments"][0]

    def grown(lines: list[Line]) -> None:
        scope = user_scope(door.user)
        lines[0]["segments"] = [
            segment | {"segment_id": f"x{n}", "segment_key": segment_key(scope, line["source_id"], f"x{n}"), "ord": n}
            for n in range(30_000)
        ]
        lines[0]["segments"].append({})

    packed, turns = changed(archive, "sources.jsonl", grown), 0
    asked = asyncio.ensure_future(restored(door, packed))
    while not asked.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert (await asked).status_code == 422
    assert "segments.30000" in (await asked).json()["detail"]
    assert turns > 50
