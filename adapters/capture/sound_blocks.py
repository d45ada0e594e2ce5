"""Files of blocks: sound in stretches of some seconds, each of which is read, encrypted and silenced by itself.

A head says how the samples are coded and by which key they are encrypted; blocks follow in order, each behind where its
samples begin, how many they are, and how many bytes it takes. A file of blocks grows until its head tells how many
samples it has in all. Ogg is not used: a page cannot be silenced or encrypted without those behind it.

What is encrypted is AES-256-GCM (NIST SP 800-38D), with a key of the file and a nonce drawn for each block. Bound to
each block are the name of its session and user, the head, and its place: so a block that is changed, moved, taken from
another file, or missing at the end is found. Silence needs no key, for forgetting may not depend on one.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from adapters.capture.sound_keys import ID_BYTES, SALT_BYTES, SoundKey
from memory.errors import SoundDamaged

MAGIC = b"MRSOUND\x01"
SAMPLES, OPUS = 0, 1
"""How samples are coded: as they are, or as memory.ports_sound.SoundCoder makes them small."""
BLOCK_S = 4
"""Seconds of a block (chosen: what is silenced beside what was meant; shorter ones take more room)."""
LEAD_S = 0.08
"""Seconds before a block that are coded with it and not given out: a decoder needs them to be true (RFC 7845, 4.6)."""
MOST_SAMPLES = BLOCK_S * 48_000
_HEAD = struct.Struct(f"<8sBBxxIQ{ID_BYTES}s{SALT_BYTES}s")
_BLOCK = struct.Struct("<QIIB")
_SILENT, _SOUND = 0, 1
_NONCE, _TAG, _SUM = 12, 16, 4
"""Bytes of a nonce and a tag (SP 800-38D), and of the CRC-32 of what is not encrypted."""


@dataclass(frozen=True, slots=True)
class SoundHead:
    """The head of a file. `total` are its samples; None while it grows."""

    codec: int
    rate: int
    total: int | None = None
    key_id: bytes | None = None
    salt: bytes = bytes(SALT_BYTES)

    def written(self) -> bytes:
        """As it stands in the file."""
        key_id = self.key_id or bytes(ID_BYTES)
        is_sealed = self.key_id is not None
        return _HEAD.pack(MAGIC, self.codec, is_sealed, self.rate, self.total or 0, key_id, self.salt)


def read_head(file: BinaryIO) -> SoundHead:
    """The head of a file. Raises SoundDamaged."""
    try:
        magic, codec, is_sealed, rate, total, key_id, salt = _HEAD.unpack(os.pread(file.fileno(), _HEAD.size, 0))
    except struct.error as error:
        raise SoundDamaged from error
    if magic != MAGIC or codec not in (SAMPLES, OPUS) or not rate:
        raise SoundDamaged
    return SoundHead(codec, rate, total or None, key_id if is_sealed else None, salt)


def new_head(codec: int, rate: int, total: int | None, key: SoundKey | None) -> SoundHead:
    """The head of a new file, under this key."""
    salt = os.urandom(SALT_BYTES) if key else bytes(SALT_BYTES)
    return SoundHead(codec, rate, total, key.key_id if key else None, salt)


@dataclass(frozen=True, slots=True)
class SoundBlock:
    """Where a block lies: its first sample, how many there are, its place in the file, and the bytes behind that."""

    start: int
    count: int
    place: int
    size: int
    is_silent: bool

    @property
    def end(self) -> int:
        """The sample behind its last one."""
        return self.start + self.count


def blocks_in(file: BinaryIO) -> tuple[Sequence[SoundBlock], int]:
    """The whole blocks of a file, and where the last one ends; what is behind that was torn or damaged."""
    size, place, start = os.fstat(file.fileno()).st_size, _HEAD.size, 0
    found: list[SoundBlock] = []
    while place + _BLOCK.size <= size:
        told, count, length, kind = _BLOCK.unpack(os.pread(file.fileno(), _BLOCK.size, place))
        end = place + _BLOCK.size + length
        if told != start or not 0 < count <= MOST_SAMPLES or end > size or kind not in (_SILENT, _SOUND):
            break
        found.append(SoundBlock(start, count, place, length, kind == _SILENT))
        place, start = end, start + count
    return found, min(place, size)


class BlockSeal:
    """Shuts and opens the blocks of one file; `name` is what the file is bound to."""

    def __init__(self, head: SoundHead, name: str, key: SoundKey | None) -> None:
        self._told = name.encode() + b"\0" + head.written()
        self._cipher = _cipher(key.of_file(head.salt)) if key else None

    def shut(self, start: int, count: int, content: bytes) -> bytes:
        """Content of a block as it stands in the file."""
        if self._cipher is None:
            return content + zlib.crc32(content).to_bytes(_SUM, "little")
        nonce = os.urandom(_NONCE)
        return nonce + bytes(self._cipher.encrypt(nonce, content, self._bound(start, count)))

    def content(self, block: SoundBlock, shut: bytes) -> bytes:
        """Content of a block that was shut. Raises SoundDamaged."""
        if self._cipher is None:
            content, told = shut[:-_SUM], shut[-_SUM:]
            if zlib.crc32(content).to_bytes(_SUM, "little") != told:
                raise SoundDamaged
            return content
        from cryptography.exceptions import InvalidTag

        if len(shut) < _NONCE + _TAG:
            raise SoundDamaged
        try:
            bound = self._bound(block.start, block.count)
            return bytes(self._cipher.decrypt(shut[:_NONCE], shut[_NONCE:], bound))
        except InvalidTag as error:
            raise SoundDamaged from error

    def _bound(self, start: int, count: int) -> bytes:
        return self._told + struct.pack("<QI", start, count)


def _cipher(key: bytes):  # type: ignore[no-untyped-def]
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)


def written_block(seal: BlockSeal, start: int, count: int, content: bytes | None) -> bytes:
    """A block as it is written; without content it is silent."""
    if content is None:
        return _BLOCK.pack(start, count, 0, _SILENT)
    shut = seal.shut(start, count, content)
    return _BLOCK.pack(start, count, len(shut), _SOUND) + shut


def shut_content(file: BinaryIO, block: SoundBlock) -> bytes | None:
    """What stands behind a block's place; None of a silent one. Raises SoundDamaged of silence that is none."""
    shut = os.pread(file.fileno(), block.size, block.place + _BLOCK.size)
    if not block.is_silent:
        return shut
    if any(shut):  # its sound is still there: somebody has turned a bit, or died before it was gone
        raise SoundDamaged
    return None


def silence_blocks(file: BinaryIO, blocks: Iterable[SoundBlock]) -> None:
    """Let nothing of these blocks be left. What lies behind them stays where it is."""
    for block in blocks:
        write_at(file, block.place + _BLOCK.size, bytes(block.size))
        write_at(file, block.place, _BLOCK.pack(block.start, block.count, block.size, _SILENT))


def write_at(file: BinaryIO, place: int, content: bytes) -> None:
    """Write all of it."""
    rest = memoryview(content)
    while rest:
        written = os.pwrite(file.fileno(), rest, place)
        place, rest = place + written, rest[written:]


def name_of(path: Path) -> str:
    """What the blocks of a file are bound to: the folder of its user and the name of its session."""
    return f"{path.parent.name}/{path.stem}"
