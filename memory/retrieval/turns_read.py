"""What is read off turns before they stand in columns: their words, and what each column keeps of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.batches import SegmentBatch
from memory.retrieval.flags import DIGIT, FIRST_PERSON, TELLING, TIME, question_share
from memory.retrieval.lexicon import TokenizedTexts, read
from memory.retrieval.postings import reach
from memory.retrieval.wishes import wish


@dataclass(frozen=True, slots=True, eq=False)
class TurnsRead:
    """Some turns of a batch, in its order."""

    texts: list[str]
    speakers: list[str]
    words: TokenizedTexts
    """The words of each with those of its date and its speaker."""
    values: dict[str, NDArray]  # type: ignore[type-arg]
    """Column -> [turns] what it keeps; columns that depend on other rows are absent."""


def read_turns(batch: SegmentBatch, chosen: NDArray[np.int64]) -> TurnsRead:
    """Read these rows of a batch, at least one."""
    texts, dates, speakers, languages = (
        [column[i] for i in chosen.tolist()] for column in (batch.texts, batch.dates, batch.speakers, batch.languages)
    )
    lengths = np.array([len(text) for text in texts], np.int32)
    words = read(texts, [f"{date} {speaker}" for date, speaker in zip(dates, speakers, strict=True)], languages)
    own, marked, roles = words.counts.astype(np.float32), words.marks, batch.roles[chosen]
    values = {
        "key": batch.keys[chosen],
        "source": batch.source[chosen],
        "order": batch.order[chosen],
        "at": batch.at[chosen],
        "known_from": batch.known_from[chosen],
        "role": roles,
        "length": lengths,
        "question_share": np.array([question_share(text) for text in texts], np.float32),
        "has_time": marked & TIME > 0,
        "has_digit": marked & DIGIT > 0,
        "first_person": marked & FIRST_PERSON > 0,
        "bare": marked & TELLING == 0,
        "wish": np.array([wish(*said) for said in zip(texts, roles.tolist(), strict=True)], np.int8),
        "own_words": own,
        "all_words": own,
        "reach": reach(lengths),
    }
    return TurnsRead(texts, speakers, words, values)
