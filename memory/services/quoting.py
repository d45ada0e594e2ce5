"""Quotes the sentence of a segment that answers, with its speaker, day and place."""

from __future__ import annotations

from collections.abc import Collection
from datetime import tzinfo

from memory.model.timeline import Clock, Instant
from memory.services.hits import SegmentHit, marked
from memory.services.zones import clock_there
from memory.words.cleaning import called, in_quotes, reference
from memory.words.normalise import split_sentences
from memory.words.stems import terms
from memory.words.time_spans import TimeSpan, label

SHORT = 160
"""Characters up to which a turn is quoted whole (chosen: two lines of a terminal)."""
_MOST = 300
"""Characters of a sentence beyond which it is cut: dictated talk has no stops."""
_BEFORE = 60
"""Characters that stand before the first word in common where a sentence is cut."""


def quotation(hit: SegmentHit, matter: Collection[int], language: str) -> str:
    """The part of a hit with most of the asked words (ids of stems), with speaker, time and place."""
    words = excerpt(hit.text, matter, language)
    return f"{in_quotes(words)}{marked(hit)} - {called(hit.speaker)}, {day_of(hit.at, hit.offset_s)} {place_of(hit)}"


def excerpt(text: str, matter: Collection[int], language: str) -> str:
    """A short segment in full; of a long one the sentence with most of the asked words, and an ellipsis."""
    whole = " ".join(text.split())
    if len(whole) <= SHORT:
        return whole
    sentences = [" ".join(each.split()) for each in split_sentences(text)]
    shared = [len(set(terms(each, language)[0]) & set(matter)) for each in sentences]
    best = max(range(len(sentences)), key=lambda place: (shared[place], -place))
    before, after = "… " if best else "", " …" if best < len(sentences) - 1 else ""
    return f"{before}{_cut(sentences[best], matter, language)}{after}"


def _cut(sentence: str, matter: Collection[int], language: str) -> str:
    """A sentence, or what stands around the first of its words that is of the matter, if it is too long."""
    if len(sentence) <= _MOST:
        return sentence
    words, place = sentence.split(), 0
    for word in words:
        if set(terms(word, language)[0]) & set(matter):
            break
        place += len(word) + 1
    start = max(0, min(place - _BEFORE, len(sentence) - _MOST))
    start = sentence.find(" ", start) + 1 if start else 0
    end = sentence.rfind(" ", start, start + _MOST) if start + _MOST < len(sentence) else len(sentence)
    end = end if end > start else start + _MOST
    return f"{'…' if start else ''}{sentence[start:end]}{'…' if end < len(sentence) else ''}"


def place_of(hit: SegmentHit) -> str:
    """The place of a hit: its source and segment."""
    return f"[{reference(f'{hit.source_id}/{hit.segment_id}')}]"


def clock_of(hit: SegmentHit, home: tzinfo) -> Clock:
    """The clock of where a hit was said, whose owner lives at home; it tells what was counted from there."""
    return clock_there(home, hit.at, hit.offset_s)


def day_of(at: Instant, clock: Clock) -> str:
    """The local day of an instant: 23 November 2026."""
    return label(TimeSpan(at, at, "day", "point", False, ""), clock)
