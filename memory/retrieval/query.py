"""A question and what is sent to the indexes because of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.model.scopes import View
from memory.model.timeline import Instant, Interval
from memory.words.time_anchors import asks_past
from memory.words.time_named import NOTHING_NAMED, NamedTimes


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, through whose eyes, and how the answer is wanted (GET /v1/context)."""

    text: str
    view: View
    now: Instant
    limit: int = 5
    considered: int = 0
    """Results that are looked at even where `limit` shows fewer: what leads an answer does not depend on it."""
    judged: int = 0
    """Results, the best ones, of which it is told whether they answer (`memory.retrieval.verdicts`)."""
    careful: bool = False
    """Whether what was judged is told in the order of its verdicts."""
    hours_back: float | None = None
    as_of: Instant | None = None
    known_as_of: Instant | None = None
    type: str | None = None
    entity: str | None = None
    after: Instant | None = None
    before: Instant | None = None
    budget_tokens: int | None = None
    trimmed: bool = False
    """Whether results that the context has no room for are left out: the asker gave the budget, rather than `auto`."""
    cut: str = "auto"
    record_access: bool = True
    explain: bool = False
    depth: int = 2
    """Steps along facts from the entities it names (`memory.retrieval.effort`)."""
    besides: frozenset[str] = frozenset()
    """Ids of segments that answer nothing: those of the talk in which it is asked, which has them before it."""


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """What every index is asked: the same words, vector and window for all of them."""

    text: str
    vector: NDArray[np.float32] | None = None
    """[dimensions], unit length; None when the encoder is not at hand."""
    window: Interval = Interval()
    """Only segments whose absolute time lies inside."""
    limit: int = 200
    languages: tuple[str, ...] = ("en",)
    known_as_of: Instant | None = None
    """Only segments committed, and facts believed, by then."""
    as_of: Instant | None = None
    """Only facts that had begun to be true by then; what was said later lies outside of `window`."""
    present: Instant | None = None
    """The moment whose state of things is asked for; None if the question is not about how things stand."""
    named: NamedTimes = NOTHING_NAMED
    """The stretches of time the question names, and what else it asks."""
    only: NDArray[np.int64] | None = None
    """If given, only these segments."""
    depth: int = 2
    """Steps along facts from the entities the question names."""
    backed: bool = False
    """Whether the facts behind candidates are wanted with their traits."""
    worded: bool = True
    """Whether the words of candidates are wanted even where all have vectors to be compared by."""

    @property
    def dated(self) -> bool:
        """Whether it asks for what was at the times it names: what is planned for the summer was not last summer."""
        lies_behind = self.named.over and self.present is None
        return self.named.alone or (bool(self.named.stretches) and (lies_behind or asks_past(self.text)))
