"""Promises as a taught head tells them: it marks sentences, and the reader behind it reads them as promises.

The head needs the encoder that its weights are for. Under any other it says nothing, and the rules decide alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from adapters.embedding.minilm import MiniLm
from adapters.extraction.promise_features import line_of, runs, seen, sentences, signs
from adapters.extraction.promise_head import PromiseHead
from adapters.extraction.rules import is_evidence
from adapters.extraction.rules_promises import is_offer
from memory.model.claims import Reading, Utterance
from memory.ports import Embedder, Extractor
from memory.words.languages import is_german

Hinted = tuple[int, tuple[int, int], int, bool]
"""Place of an utterance, characters of a sentence in it, its number, and whether it is the last."""


class PromiseReader:
    """An Extractor before which sentences are marked that promise something."""

    def __init__(
        self, reader: Extractor, head: Callable[[], PromiseHead | None], encoder: Callable[[], Awaitable[Embedder]]
    ) -> None:
        """`head` loads it with the first text, None where there is none; `encoder` gives the one that serves, which is
        loaded anyway.
        """
        self._reader, self._load, self._encoder = reader, head, encoder
        self.name = reader.name

    @cached_property
    def _head(self) -> PromiseHead | None:
        return self._load()

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        """See memory.ports.Extractor."""
        encoder = await self._encoder()
        if isinstance(encoder, MiniLm):
            utterances = await asyncio.to_thread(self._marked, utterances, encoder)
        return await self._reader.read(utterances)

    def _marked(self, utterances: Sequence[Utterance], encoder: MiniLm) -> Sequence[Utterance]:
        head = self._head
        return utterances if head is None or head.encoder != encoder.name else marked(utterances, head, encoder)


def marked(utterances: Sequence[Utterance], head: PromiseHead, encoder: MiniLm) -> list[Utterance]:
    """Utterances with what the head says of their sentences; only those are encoded that may promise something."""
    told = list(utterances)
    hinted = [found for place, each in enumerate(told) for found in _hinted(place, each, head)]
    places = sorted({place for place, *_ in hinted})
    lines = [line_of(told[place])[0] for place in places]
    pieces = dict(zip(places, encoder.pieces(lines), strict=True)) if lines else {}
    verdicts = {place: _doubted(each, head) for place, each in enumerate(told) if is_evidence(each)}
    for place, span, number, last in hinted:
        utterance = told[place]
        sentence, shift = utterance.text[slice(*span)], line_of(utterance)[1]
        view = seen(pieces[place], (span[0] + shift, span[1] + shift))
        if view.any():  # the encoder has seen it
            odds = head.odds(runs(sentence), np.concatenate([view, signs(utterance, span, number, last)]))
            doubted = odds < head.doubt and not is_german(utterance.text, utterance.language)
            if odds >= head.cut or doubted:
                verdicts[place].append((sentence, not doubted))
    for place, found in verdicts.items():
        if not found:
            continue
        told[place] = replace(told[place], promises=tuple(found))
    return told


def _doubted(utterance: Utterance, head: PromiseHead) -> list[tuple[str, bool]]:
    """The offers whose words alone say that nothing is promised. Of German the head knows too little to doubt it."""
    if is_german(utterance.text, utterance.language):
        return []
    said = (utterance.text[slice(*span)] for span in sentences(utterance.text))
    return [(sentence, False) for sentence in said if is_offer(sentence) and head.hint(runs(sentence)) < head.gate]


def _hinted(place: int, utterance: Utterance, head: PromiseHead) -> list[Hinted]:
    if not is_evidence(utterance):
        return []
    spans = sentences(utterance.text)
    return [
        (place, span, number, number == len(spans) - 1)
        for number, span in enumerate(spans)
        if head.hint(runs(utterance.text[slice(*span)])) >= head.gate
    ]
