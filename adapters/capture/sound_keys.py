"""Keys by which sound is encrypted on disk: a file of them, the one in use first, older ones behind it.

Each line is a key of 32 bytes, as 64 hexadecimal digits; `#` begins a remark. The file is read anew each time, so a key
is changed without a restart: put a new one first.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memory.errors import SoundSealed

KEY_BYTES, ID_BYTES, SALT_BYTES = 32, 8, 16
"""Bytes of a key (AES-256), of its name, and of what makes the key of a file another one (RFC 5869: a random salt)."""
MOST_BYTES = 65_536
"""Bytes of the file that are read (chosen: a thousand keys)."""


@dataclass(frozen=True, slots=True)
class SoundKey:
    """A key. Its `key_id` is derived from it, stands in each file, and does not tell it."""

    secret: bytes = field(repr=False)
    key_id: bytes

    def of_file(self, salt: bytes) -> bytes:
        """The key of one file: nonces are drawn for each block, and never meet those of another file."""
        return _derived(self.secret, salt, b"memoray sound file", KEY_BYTES)


class SoundKeys:
    """The keys of a file; none at all where no file is named."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    @property
    def is_wanted(self) -> bool:
        """Whether sound is to be encrypted."""
        return self._path is not None

    def first(self) -> SoundKey | None:
        """The key in use; None where sound is not encrypted. Raises SoundSealed of a file that cannot be used."""
        return self.all()[0] if self.is_wanted else None

    def named(self, key_id: bytes) -> SoundKey:
        """The key of that name. Raises SoundSealed where it is not among them."""
        for key in self.all():
            if key.key_id == key_id:
                return key
        raise SoundSealed("This sound is encrypted with a key that is not in sound.key_file.", key_id=key_id.hex())

    def all(self) -> Sequence[SoundKey]:
        """Every key, the one in use first. Raises SoundSealed of a file that cannot be used, with the reason."""
        if self._path is None:
            return ()
        keys = [_key(number, line) for number, line in enumerate(_lines(self._path), 1) if line]
        if not keys:
            raise SoundSealed("sound.key_file holds no key: write one of 64 hexadecimal digits into it.")
        return keys


def _lines(path: Path) -> Sequence[str]:
    try:
        with path.open("rb") as file:
            _must_be_private(os.fstat(file.fileno()))
            text = file.read(MOST_BYTES).decode("ascii")
    except OSError as error:
        raise SoundSealed(f"sound.key_file cannot be read: {type(error).__name__}.") from error
    except UnicodeDecodeError as error:
        raise SoundSealed("sound.key_file is no text: write a key of 64 hexadecimal digits into it.") from error
    return [line.partition("#")[0].strip() for line in text.splitlines()]


def _must_be_private(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise SoundSealed("sound.key_file is no file.")
    if found.st_mode & 0o077:
        raise SoundSealed(f"sound.key_file has mode {stat.S_IMODE(found.st_mode):o}: others can read it; chmod 600.")


def _key(number: int, line: str) -> SoundKey:
    try:
        secret = bytes.fromhex(line)
    except ValueError:
        secret = b""
    if len(secret) != KEY_BYTES:
        # neither the line nor its length is told: it may be a key that was typed wrong
        raise SoundSealed(f"Line {number} of sound.key_file is no key of 64 hexadecimal digits.")
    return SoundKey(secret, _derived(secret, None, b"memoray sound key", ID_BYTES))


def _derived(secret: bytes, salt: bytes | None, use: bytes, size: int) -> bytes:
    """HKDF with SHA-256 (RFC 5869)."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), size, salt, use).derive(secret)
