"""Assembly: one text of facts, profiles, times and evidence within an exact budget of tokens (seed 004)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memory.retrieval.briefing import CLOSING, OPENING
from memory.retrieval.packing import tokens

LEAST_CUT = 24
"""Characters of what was said below which it is left out rather than cut (chosen: a few words)."""


@dataclass(frozen=True, slots=True)
class ContextLine:
    """One line of a context."""

    text: str
    cites: tuple[int, ...] = ()
    """The hits it rests on, from 1; those numbers stand in its text."""
    at: float = 0.0
    """Lines of a part are told by this, and equal ones as they come."""
    head: int = 0
    """Characters before the words themselves: number, speaker, day."""


@dataclass(frozen=True, slots=True)
class ContextSection:
    """One kind of lines, best first, and its share of the budget."""

    heading: str
    share: float
    pieces: tuple[ContextLine, ...] = ()
    may_be_cut: bool = False
    """Whether the first line that does not fit is shortened."""


@dataclass(frozen=True, slots=True)
class Material:
    """What a context is assembled of. The shares are seed 004's; what a part leaves flows on to the evidence."""

    facts: tuple[ContextLine, ...] = ()
    profiles: tuple[ContextLine, ...] = ()
    times: tuple[ContextLine, ...] = ()
    evidence: tuple[ContextLine, ...] = ()

    def parts(self) -> tuple[ContextSection, ...]:
        """The parts in the order they are told."""
        return (
            ContextSection("What is known:", 0.40, self.facts),
            ContextSection("Who and what it is about:", 0.25, self.profiles),
            ContextSection("What was said around it, in order:", 0.25, self.times),
            ContextSection("What was said:", 0.10, self.evidence, may_be_cut=True),
        )


@dataclass(frozen=True, slots=True)
class Assembled:
    """The text, and the numbers of the hits it cites."""

    text: str = ""
    cites: frozenset[int] = frozenset()


def assemble(material: Material, budget: int) -> Assembled:
    """The best lines of each part within its share; never more than `budget` tokens, and nothing at all if none fits.

    What facts, profiles and times leave goes to the evidence; what that leaves goes to them again, in this order.
    """
    room = budget - tokens(OPENING) - tokens(CLOSING) - 2
    parts = [_Filling(part) for part in material.parts()]
    *first, evidence = parts
    left = room
    for filling in first:
        left -= filling.take(min(left, int(filling.part.share * room)))
    left -= evidence.take(left)
    for filling in first:
        left -= filling.take(left)
    if not any(filling.chosen for filling in parts):
        return Assembled()
    text = "\n".join((OPENING, *(line for filling in parts for line in filling.lines()), CLOSING))
    return Assembled(text, frozenset(number for filling in parts for piece in filling.told() for number in piece.cites))


@dataclass(slots=True)
class _Filling:
    """A part while it is filled: which of its pieces were chosen, by their place."""

    part: ContextSection
    chosen: dict[int, ContextLine] = field(default_factory=dict)

    def take(self, room: int) -> int:
        """Choose more pieces, the best first, as many as fit this room; what they cost."""
        spent = 0
        for place, piece in enumerate(self.part.pieces):
            if place in self.chosen:
                continue
            opening = 0 if self.chosen else tokens(self.part.heading) + 1
            fitted = self._fitted(piece, room - spent - opening - 1)
            if fitted is not None:
                self.chosen[place] = fitted
                spent += opening + tokens(fitted.text) + 1
        return spent

    def _fitted(self, piece: ContextLine, room: int) -> ContextLine | None:
        """The piece if it fits, cut where that is allowed; None if it does not."""
        if tokens(piece.text) <= room:
            return piece
        text = shortened(piece.text, room, piece.head) if self.part.may_be_cut else ""
        return replace(piece, text=text) if text else None

    def told(self) -> list[ContextLine]:
        """The chosen pieces in the order they are told."""
        return sorted((self.chosen[place] for place in sorted(self.chosen)), key=lambda piece: piece.at)

    def lines(self) -> Sequence[str]:
        """The part as it is written."""
        return [self.part.heading, *(piece.text for piece in self.told())] if self.chosen else []


def shortened(text: str, room: int, head: int = 0) -> str:
    """The beginning of a text that costs at most `room` tokens, with an ellipsis; empty if few words follow its head.

    `head` is how many characters stand before the words.
    """
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens(f"{text[:middle]}…") <= room else (low, middle - 1)
    cut = text[:low].rpartition(" ")[0]
    return f"{cut}…" if len(cut) - head >= LEAST_CUT else ""
