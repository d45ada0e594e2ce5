"""Both cores: work over many rows, half of it in a second thread.

NumPy lets go of the interpreter in long loops. While a question is answered there is nothing else to do for the second
core, once the question is encoded.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

_BESIDE = ThreadPoolExecutor(1, "beside")


def in_halves(act: Callable[[slice], object], count: int, grain: int = 1) -> None:
    """`act` on each half of `count` rows, of which the first is a multiple of `grain`; both are done afterwards."""
    half = count // 2 // grain * grain
    beside = _BESIDE.submit(act, slice(0, half))
    act(slice(half, count))
    beside.result()
