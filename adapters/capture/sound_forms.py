"""Forms in which the sound of a session lies on disk, and one way to read them all.

A session is named by the file that its plain samples would have, `.pcm`, whatever form it has: samples as they came, or
a file of blocks, `.blocks` (sound_blocks.py). Places are bytes of its samples in all forms, so what was noted of a
session stays true when its form changes. A draft of another form has a name of its own and is never read.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from adapters.capture.files import PRIVATE
from adapters.capture.sound_blocks import (
    BLOCK_S,
    LEAD_S,
    OPUS,
    SAMPLES,
    BlockSeal,
    SoundBlock,
    SoundHead,
    blocks_in,
    name_of,
    new_head,
    read_head,
    shut_content,
    silence_blocks,
    write_at,
    written_block,
)
from adapters.capture.sound_keys import SoundKeys
from memory.errors import SoundDamaged, Unavailable
from memory.model.sound import SAMPLE
from memory.ports_sound import SoundCoder

PLAIN = ".pcm"
BLOCKS = ".blocks"


class KeptSamples(Protocol):
    """The samples of a session, whatever its form."""

    def read(self, start: int, size: int) -> bytes:
        """So many bytes of them, fewer at the end. Raises SoundDamaged."""

    def is_silent(self, start: int, size: int) -> bool:
        """Whether nothing is heard there, as far as that is known without decoding."""


@dataclass(frozen=True, slots=True)
class SoundForm:
    """How a session lies on disk. `total` are its samples; None while it grows."""

    codec: int = SAMPLES
    key_id: bytes | None = None
    total: int | None = None
    is_plain: bool = True


class SoundForms:
    """Reads and writes every form, by these keys and this coder."""

    def __init__(self, keys: SoundKeys | None = None, coder: SoundCoder | None = None) -> None:
        self.keys, self.coder = keys or SoundKeys(), coder

    def form(self, path: Path) -> SoundForm | None:
        """The form of a session; None where there is none. Raises SoundDamaged of one that cannot be told."""
        try:
            with blocks_path(path).open("rb") as file:
                head = read_head(file)
            return SoundForm(head.codec, head.key_id, head.total, is_plain=False)
        except FileNotFoundError:
            return SoundForm() if path.exists() else None

    def length(self, path: Path) -> int:
        """Bytes of the samples of a session; none where there is none."""
        try:
            with blocks_path(path).open("rb") as file:
                head = read_head(file)
                if head.total is not None:
                    return head.total * SAMPLE
                blocks, _ = blocks_in(file)
                return blocks[-1].end * SAMPLE if blocks else 0
        except FileNotFoundError:
            with suppress(FileNotFoundError):
                return path.stat().st_size
            return 0
        except SoundDamaged:
            return 0

    @contextmanager
    def opened(self, path: Path) -> Iterator[KeptSamples]:
        """The samples of a session. Raises FileNotFoundError, SoundDamaged, and SoundSealed without its key."""
        with _opened(path) as file:
            if file.name == os.fspath(path):
                yield _PlainSamples(file)
            else:
                yield self.blocks_of(file, path)

    def blocks_of(self, file: BinaryIO, path: Path) -> BlockSamples:
        """The samples of a file of blocks of this session. Raises SoundDamaged of one that was cut, and SoundSealed."""
        head = read_head(file)
        blocks, end = blocks_in(file)
        held = blocks[-1].end if blocks else 0
        if head.total is not None and (held != head.total or end != os.fstat(file.fileno()).st_size):
            raise SoundDamaged
        return BlockSamples(file, head, blocks, self.seal(head, path), self.coder)

    def seal(self, head: SoundHead, path: Path) -> BlockSeal:
        """What opens and shuts the blocks of a session. Raises SoundSealed."""
        return BlockSeal(head, name_of(path), self.keys.named(head.key_id) if head.key_id else None)

    def create(self, path: Path, rate: int) -> None:
        """Begin a session in the form in which it grows: encrypted where that is wanted. Raises SoundSealed."""
        key = self.keys.first()
        if key is None:
            path.touch(PRIVATE)
            return
        target = blocks_path(path)
        target.touch(PRIVATE)
        target.write_bytes(new_head(SAMPLES, rate, None, key).written())

    def can_grow(self, path: Path) -> bool:
        """Whether a piece may be added: to what grows, and is encrypted as is wanted now. Raises SoundSealed."""
        key = self.keys.first()
        try:
            form = self.form(path)
        except SoundDamaged:
            return False
        return form is not None and form.total is None and form.key_id == (key and key.key_id)

    def append(self, path: Path, start: int, until: int | None, sound: bytes) -> int:
        """Put samples behind those that end at byte `start` of them and byte `until` of the file, in the place of what
        is behind; where the file ends now. On return they are on disk. Raises SoundSealed."""
        target = blocks_path(path)
        if not target.exists():
            _rewrite(path, start, sound)
            return start + len(sound)
        with target.open("rb") as file:
            head = read_head(file)
        place = len(head.written()) if until is None else until
        seal, step = self.seal(head, path), BLOCK_S * head.rate
        blocks = b"".join(
            written_block(seal, start // SAMPLE + first, len(part) // SAMPLE, part)
            for first in range(0, len(sound) // SAMPLE, step)
            if (part := sound[first * SAMPLE : (first + step) * SAMPLE])
        )
        _rewrite(target, place, blocks)
        return place + len(blocks)

    def silence(self, path: Path, spans: Sequence[tuple[int, int]]) -> None:
        """Let nothing be left of these bytes, each from where so many; in a file of blocks of every block they touch.

        It needs no key. What of a damaged file cannot be told apart goes as a whole. Only for whoever holds its lock.
        """
        spans = [each for each in spans if each[1]]
        if not spans:
            return
        draft_path(path).unlink(missing_ok=True)
        if blocks_path(path).exists():
            path.unlink(missing_ok=True)  # its blocks were whole before somebody died who would have removed it
            _silence_blocks(blocks_path(path), spans)
            return
        with path.open("r+b", buffering=0) as file:
            for start, size in spans:
                write_at(file, start, bytes(size))
            os.fsync(file.fileno())


class _PlainSamples:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, start: int, size: int) -> bytes:
        self._file.seek(start)
        return self._file.read(size)

    def is_silent(self, start: int, size: int) -> bool:
        return not any(self.read(start, size))


class BlockSamples:
    """The samples of a file of blocks."""

    def __init__(
        self, file: BinaryIO, head: SoundHead, blocks: Sequence[SoundBlock], seal: BlockSeal, coder: SoundCoder | None
    ) -> None:
        self.head, self.blocks = head, blocks
        self._file, self._seal, self._coder = file, seal, coder
        self._starts = [each.start for each in blocks]
        self._last: tuple[int, bytes] | None = None
        """The block that was read last, for whoever reads on."""

    def read(self, start: int, size: int) -> bytes:
        """See KeptSamples. Raises Unavailable where Opus cannot be decoded, and SoundDamaged."""
        first, last = start // SAMPLE, (start + size) // SAMPLE
        if self.head.key_id and size and (not self.blocks or last > self.blocks[-1].end):
            raise SoundDamaged  # its end was cut off
        parts = []
        for block in self._within(first, last):
            samples = self._samples(block)
            parts.append(samples[max(0, first - block.start) * SAMPLE : (last - block.start) * SAMPLE])
        return b"".join(parts)

    def is_silent(self, start: int, size: int) -> bool:
        """See KeptSamples."""
        return all(each.is_silent for each in self._within(start // SAMPLE, (start + size) // SAMPLE))

    def content(self, block: SoundBlock) -> bytes | None:
        """What a block holds, as it is coded; None of a silent one. Raises SoundDamaged."""
        shut = shut_content(self._file, block)
        return None if shut is None else self._seal.content(block, shut)

    def _within(self, first: int, last: int) -> Iterator[SoundBlock]:
        for block in self.blocks[max(0, bisect_right(self._starts, first) - 1) :]:
            if block.start >= last:
                return
            if block.end > first:
                yield block

    def _samples(self, block: SoundBlock) -> bytes:
        if self._last is None or self._last[0] != block.start:
            self._last = (block.start, self._decoded(block))
        return self._last[1]

    def _decoded(self, block: SoundBlock) -> bytes:
        content = self.content(block)
        if content is None:
            return bytes(block.count * SAMPLE)
        if self.head.codec == OPUS:
            if self._coder is None or not self._coder.is_installed:
                raise Unavailable("This sound is kept as Opus, and the extra that reads it is missing: `make extra`.")
            content = self._coder.decode(content, self.head.rate, lead_of(block.start, self.head.rate), block.count)
        if len(content) != block.count * SAMPLE:
            raise SoundDamaged
        return content


def lead_of(start: int, rate: int) -> int:
    """Samples before a block that are coded with it."""
    return min(start, round(LEAD_S * rate))


def blocks_path(path: Path) -> Path:
    """The file of blocks of a session."""
    return path.with_suffix(BLOCKS)


def draft_path(path: Path) -> Path:
    """The file in which another form of a session is made."""
    return path.with_name(f".{path.stem}{BLOCKS}.tmp")


def sessions_in(folder: Path) -> Sequence[Path]:
    """The sessions of a user, whatever their form."""
    return sorted({each.with_suffix(PLAIN) for kind in (PLAIN, BLOCKS) for each in folder.glob(f"*{kind}")})


def is_kept(path: Path) -> bool:
    """Whether a session is there, in any form."""
    return path.exists() or blocks_path(path).exists()


def bytes_on_disk(path: Path) -> int | None:
    """Bytes of a session in all forms; None if it was removed meanwhile."""
    sizes = []
    for each in (path, blocks_path(path), draft_path(path)):
        with suppress(FileNotFoundError):
            sizes.append(each.stat().st_size)
    return sum(sizes) if sizes else None


def remove_forms(path: Path) -> None:
    """Remove the sound of a session in every form."""
    for each in (draft_path(path), path, blocks_path(path)):
        each.unlink(missing_ok=True)


def _opened(path: Path) -> BinaryIO:
    """The file of a session. One that was packed between two looks is found by the third. Raises FileNotFoundError."""
    for each in (blocks_path(path), path):
        with suppress(FileNotFoundError):
            return each.open("rb")
    return blocks_path(path).open("rb")


def _rewrite(path: Path, place: int, content: bytes) -> None:
    with path.open("r+b", buffering=0) as file:
        file.truncate(place)
        write_at(file, place, content)
        os.fsync(file.fileno())


def _silence_blocks(path: Path, spans: Sequence[tuple[int, int]]) -> None:
    with path.open("r+b", buffering=0) as file:
        try:
            head = read_head(file)
        except SoundDamaged:
            path.unlink()
            return
        blocks, end = blocks_in(file)
        file.truncate(end)
        silence_blocks(file, [each for each in blocks if any(_touches(each, head, span) for span in spans)])
        os.fsync(file.fileno())


def _touches(block: SoundBlock, head: SoundHead, span: tuple[int, int]) -> bool:
    """Whether a block holds anything of these bytes, be it before its beginning."""
    start, size = span
    begins = block.start - (lead_of(block.start, head.rate) if head.codec == OPUS else 0)
    return begins * SAMPLE < start + size and start < block.end * SAMPLE
