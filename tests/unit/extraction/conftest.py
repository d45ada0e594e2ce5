from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from adapters.extraction.rules import read
from memory.model.claims import Reading, Utterance

THURSDAY = datetime(2023, 5, 25, 13, 14, tzinfo=UTC).timestamp()
"""The moment every sentence of these tests is said at: Thursday 25 May 2023, 13:14 UTC."""


def said(*turns: tuple[str, str], role: str = "other", **fields: object) -> list[Utterance]:
    """Turns of (speaker, words) as utterances, ten seconds apart."""
    return [
        Utterance("s", str(place), place, 1, speaker, text, THURSDAY + 10 * place, role=role, **fields)  # type: ignore[arg-type]
        for place, (speaker, text) in enumerate(turns)
    ]


def reading(text: str, before: Sequence[tuple[str, str]] = ()) -> Reading:
    """What Ana says to Ben, read by the rules."""
    return read(said(*before, ("Ana", text), ("Ben", "Hmm.")))
