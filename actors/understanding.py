"""Understanding: a question is encoded, and an encoder that breaks costs the vectors, never the question."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field, replace

from memory.retrieval.legs import VECTORS
from memory.retrieval.pieces import EncodedQuestion
from memory.services.recall import Recollection

log = logging.getLogger("memoray.questions")


@dataclass(frozen=True, slots=True)
class QuestionEncoding:
    """A question as the encoder understands it, or None and which leg is degraded by what."""

    asked: EncodedQuestion | None
    missing: Mapping[str, str] = field(default_factory=dict)
    encoder: str = ""
    """Whose vector it is: the shard compares it with that encoder's alone."""

    def told(self, found: Recollection) -> Recollection:
        """A recollection that says what it had to do without."""
        return replace(found, degraded={**found.degraded, **self.missing}) if self.missing else found


async def understand(encoding: Awaitable[EncodedQuestion], encoder: str = "") -> QuestionEncoding:
    """Wait for the encoder of this name; whatever breaks it, words still find what they find."""
    try:
        return QuestionEncoding(await encoding, encoder=encoder)
    except Exception as error:
        log.exception("the question could not be encoded")
        return QuestionEncoding(None, {VECTORS.name: type(error).__name__}, encoder)
