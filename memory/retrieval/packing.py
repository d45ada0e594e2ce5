"""Packing: the lines a language model reads, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.retrieval.batches import dense_text

CHARACTERS_PER_TOKEN = 4
"""The usual English average; a budget is a courtesy to the reader, not a promise to the letter."""


@dataclass(frozen=True, slots=True)
class Line:
    """One hit as it is read."""

    date: str
    speaker: str
    text: str


def tokens(text: str) -> int:
    """About how many tokens a text costs."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def pack(lines: Sequence[Line], budget_tokens: int | None) -> tuple[str, int]:
    """The context text, best line first, and how many lines it holds: as many from the top as fit the budget."""
    written: list[str] = []
    left = budget_tokens if budget_tokens is not None else None
    for line in lines:
        text = f"- {dense_text(line.speaker, line.date, ' '.join(line.text.split()))}"
        cost = tokens(text) + 1
        if left is not None:
            if cost > left:
                break
            left -= cost
        written.append(text)
    return "\n".join(written), len(written)
