"""Hits: segments that recall has found, and which of their statements still hold.

A fact from a segment may have been corrected or forgotten since, and its speaker may have taken it back in the next
sentence. Forgotten sentences are not shown. Refuted ones come last, with the fact that replaced them; words that are
refuted in part, or taken back, come behind what corrects them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.model.ids import fold
from memory.model.shown import RefutedFact
from memory.model.sources import BY_COMMAND
from memory.model.timeline import Instant
from memory.words.cleaning import harmless, in_quotes, sentence
from memory.words.normalise import split_sentences
from memory.words.retractions import retracts
from memory.words.stems import tokenise


@dataclass(frozen=True, slots=True)
class SegmentHit:
    """A segment that recall has found: its time (UTC epoch seconds), the zone's offset in seconds, its facts."""

    text: str
    speaker: str
    at: Instant
    offset_s: int
    source_id: str
    segment_id: str
    fact_ids: tuple[str, ...] = ()
    role: str = "other"
    refuted: tuple[RefutedFact, ...] = ()
    taken_back: str = ""
    """The speaker's next sentence, if it takes this one back."""
    relevance: float = 1.0
    """How likely it is evidence for the question, in (0, 1]; 1 where it is known to be."""
    verdict: float | None = None
    """Log-odds that it answers the question (`memory.retrieval.verdicts`); None where that was not judged."""

    @property
    def by_command(self) -> bool:
        """Whether its owner told it on purpose."""
        return self.source_id.startswith(BY_COMMAND)

    @property
    def is_refuted(self) -> bool:
        """Whether it has facts and none of them is believed any more."""
        return bool(self.refuted) and not self.fact_ids


def retraction(words: str | None) -> str:
    """The speaker's next words if they take back what was said before ("just kidding"), or else an empty string."""
    said = " ".join((words or "").split())
    return said if retracts(said) else ""


def standing_first(hits: Sequence[SegmentHit]) -> list[tuple[int, SegmentHit]]:
    """The place of each hit that may be told, and what may be told of it; what is refuted comes last.

    What corrects a hit of which something still holds, or takes it back, comes right before it, if it is there. An
    assistant that repeats a refuted value is refuted with it.
    """
    refuted = [each for hit in hits for each in hit.refuted]
    told = [(place, _tellable(_echoing(hit, refuted))) for place, hit in enumerate(hits)]
    kept = [(place, hit) for place, hit in told if hit is not None]
    kept.sort(key=lambda pair: pair[1].is_refuted)
    return [kept[at] for at in _corrected_order([hit for _, hit in kept])]


def corrections_first(hits: Sequence[SegmentHit]) -> list[SegmentHit]:
    """The hits in this order, but what corrects or takes back a hit comes right before it."""
    return [hits[at] for at in _corrected_order(hits)]


def _corrected_order(hits: Sequence[SegmentHit]) -> list[int]:
    """The places of the hits as `corrections_first` orders them."""
    order: list[int] = []
    for place, hit in enumerate(hits):
        before = (at for at, other in enumerate(hits) if at != place and _corrects(other, hit))
        order.extend(at for at in (*before, place) if at not in order)
    return order


def _corrects(other: SegmentHit, hit: SegmentHit) -> bool:
    """Whether another hit takes these words back, or says what took the place of a part of them."""
    if hit.taken_back and (other.source_id, other.speaker) == (hit.source_id, hit.speaker) and other.at >= hit.at:
        return retraction(other.text) == hit.taken_back
    return not hit.is_refuted and any(each.instead_id in other.fact_ids for each in hit.refuted if each.instead_id)


def marked(hit: SegmentHit) -> str:
    """A mark that follows the text of a hit that is refuted, in part or as a whole, or withdrawn; else empty."""
    return mark([each.instead for each in hit.refuted], bool(hit.fact_ids), hit.taken_back)


def mark(refuted: Sequence[str | None], stands: bool, taken_back: str = "") -> str:
    """The mark of words with refuted facts, each told by what took its place, if it is known.

    `stands` says that something of the words is still believed: they are marked if something took a place.
    """
    if taken_back:
        return f" (taken back at once: {in_quotes(taken_back)})"
    instead = "; ".join(dict.fromkeys(sentence(each).replace(") - ", "), ") for each in refuted if each))
    if stands:
        return f" (refuted in part: {instead})" if instead else ""
    if not refuted:
        return ""
    return f" (refuted: {instead})" if instead else " (refuted)"


def told_with_marks(hit: SegmentHit) -> str:
    """The text of a hit as data, followed by its mark, which the text itself cannot imitate."""
    return _MARK.sub("", harmless(hit.text)) + marked(hit)


_MARK = re.compile(r"\((?=refuted\b|taken back at once\b)", re.IGNORECASE)
"""How a mark begins."""


def _echoing(hit: SegmentHit, refuted: Sequence[RefutedFact]) -> SegmentHit:
    """An assistant's hit with the refuted facts that it repeats; any other hit unchanged."""
    if hit.role != "assistant" or hit.fact_ids:
        return hit
    said = [word for word, _ in tokenise(hit.text)]
    echoed = [each for each in refuted if _says(said, each.value) and not _says(said, _newly(each))]
    return replace(hit, refuted=tuple(replace(each, quote=hit.text) for each in echoed)) if echoed else hit


def _newly(refuted: RefutedFact) -> str:
    """The last word of the statement that replaced it."""
    return (refuted.instead or "").rpartition(" ")[2]


def _says(said: Sequence[str], value: str) -> bool:
    words = [word for word, _ in tokenise(value)]
    return bool(words) and set(words) <= set(said)


def _tellable(hit: SegmentHit) -> SegmentHit | None:
    """The hit without the sentences of forgotten facts; None if nothing else was said."""
    gone = [fold(each.quote) for each in hit.refuted if each.forgotten]
    if not gone:
        return hit
    kept = [each for each in split_sentences(hit.text) if not any(_same(fold(each), quote) for quote in gone)]
    left = tuple(each for each in hit.refuted if not each.forgotten)
    return replace(hit, text=" ".join(kept), refuted=left) if kept else None


def _same(sentence: str, quote: str) -> bool:
    return sentence in quote or quote in sentence
