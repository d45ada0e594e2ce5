"""The allocator of the C library, which keeps what was freed until it is told that nobody needs it soon."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Give what is free back to the machine, where the C library is glibc. It takes milliseconds: call it in a thread.

    Small arrays that lived while columns were filled leave holes, which the allocator keeps: two thirds of what a
    memory of 10,000 segments has taken until then (docs/decisions/0046).
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
