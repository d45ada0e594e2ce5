"""What hears sound for whoever waits, and for the sweeps: in a process of its own, wherever it runs."""

from __future__ import annotations

from typing import BinaryIO, Protocol

from memory.errors import Unavailable
from memory.model.sound import HeardSound

MISSING = "Hearing needs the extra `speech`: install it with `make extra ARGS=speech`, then start Memoray again."


class Ear(Protocol):
    """Hears sound files, which must be files on disk."""

    @property
    def is_installed(self) -> bool:
        """Whether it can hear at all."""

    async def hear(self, file: BinaryIO, language: str | None = None) -> HeardSound:
        """What is said in a file. Raises Invalid, TooLarge, ModelFailed, and Unavailable where too many wait."""

    async def decode(self, file: BinaryIO, most_s: float) -> BinaryIO:
        """The samples of a file: 16 bits, mono, at `RATE`, in a file that whoever gets it closes. Raises as `hear`."""

    async def hear_samples(self, samples: bytes, language: str | None = None) -> HeardSound:
        """What is said in such samples, soon. Raises ModelFailed, and Unavailable where too many wait."""


def must_be_installed(ear: Ear) -> None:
    """Raises Unavailable, which says how to get what is missing."""
    if not ear.is_installed:
        raise Unavailable(MISSING)
