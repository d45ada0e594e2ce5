"""What a question fans out to in a shard."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass

from actors.columns_follower import ColumnsFollower
from actors.understanding import QuestionEncoding, understand
from memory.ports import Embedder, Index
from memory.retrieval.beliefs import Beliefs
from memory.retrieval.intents import Exemplars, examples
from memory.retrieval.segment_index import MemoryTraits


@dataclass
class Legs:
    """What a question fans out to, all in this process, and the encoder of what it is compared with."""

    embedder: Embedder
    follower: ColumnsFollower
    beliefs: Beliefs
    indexes: tuple[Index, ...]
    traits_of: MemoryTraits
    exemplars: asyncio.Future[Exemplars] | None = None

    def understand(self, text: str) -> Awaitable[QuestionEncoding]:
        """A question as this encoder understands it, in a thread that begins at once: all else waits for it."""
        begun = asyncio.get_running_loop().run_in_executor(None, self.embedder.ask, text)
        return understand(begun, self.embedder.name)

    def encode_examples(self) -> None:
        """Begin with the example questions: once, when the first question is answered."""
        if self.exemplars is None:
            self.exemplars = asyncio.ensure_future(asyncio.to_thread(_encoded_examples, self.embedder))

    def examples_at_hand(self) -> Exemplars | None:
        """The example questions; None while they are encoded, and if the encoder is broken, as every answer tells."""
        encoding = self.exemplars
        if encoding is None or not encoding.done() or encoding.exception() is not None:
            return None
        return encoding.result()


def _encoded_examples(embedder: Embedder) -> Exemplars:
    return Exemplars(embedder.embed(examples()))
