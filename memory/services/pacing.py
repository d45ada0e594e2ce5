"""Pacing: how long a reader waits for a language model that answers in pieces."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from memory.errors import ModelFailed


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """Seconds that a streamed answer may take."""

    first_s: float
    """Until its first piece."""
    next_s: float
    """From one piece to the next."""
    whole_s: float
    """In all, what its reader takes included."""


async def paced(pieces: AsyncGenerator[str], pace: StreamLimits) -> AsyncGenerator[str]:
    """The pieces, as long as they come in time. Raises ModelFailed, and closes them, when one is late."""
    now = asyncio.get_running_loop().time
    until, begun = now() + pace.whole_s, False
    async with aclosing(pieces):
        while True:
            wait_s, left = pace.next_s if begun else pace.first_s, until - now()
            try:
                async with asyncio.timeout(max(0.0, min(wait_s, left))):
                    words = await anext(pieces, None)
            except TimeoutError as error:
                over = f"has not come to an end within {pace.whole_s:g} s" if left < wait_s else None
                late = f"has paused for more than {wait_s:g} s in the middle of its answer"
                unheard = f"did not answer within {wait_s:g} s"
                raise ModelFailed(f"The language model {over or (late if begun else unheard)}.") from error
            if words is None:
                return
            yield words
            begun = True
