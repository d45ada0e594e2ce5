"""Promises as they were taught: a head marks sentences, the reader behind it reads them, and then it is told to whom.

The head needs the encoder that its weights are for. Under any other it says nothing, and the rules decide which
sentences promise something.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from adapters.embedding.minilm import MiniLm
from adapters.extraction.promise_features import line_of, runs, seen, sentences, signs
from adapters.extraction.promise_head import PromiseHead, load_head
from adapters.extraction.promise_recipients import RecipientWeights, addressed, load_recipients
from adapters.extraction.rules import is_evidence
from adapters.extraction.rules_promises import is_offer
from adapters.model_files import PROMISE_HEAD, PROMISE_RECIPIENTS, loaded_or_none
from memory.model.claims import Reading, Utterance
from memory.ports import Embedder, Extractor
from memory.words.languages import is_german

Hinted = tuple[int, tuple[int, int], int, bool]
"""Place of an utterance, characters of a sentence in it, its number, and whether it is the last."""


@dataclass(frozen=True, slots=True)
class PromiseWeights:
    """What was taught of promises; None where it could not be loaded, and the rules decide."""

    head: PromiseHead | None
    recipients: RecipientWeights | None


def load_weights(trusted: Collection[str] = ()) -> PromiseWeights:
    """The packaged weights; `trusted` are digests of others. What cannot be loaded costs what it tells, and no text."""
    return PromiseWeights(
        loaded_or_none(PROMISE_HEAD, load_head, trusted), loaded_or_none(PROMISE_RECIPIENTS, load_recipients, trusted)
    )


class PromiseReader:
    """An Extractor before which sentences are marked that promise something, and after which it is told to whom."""

    def __init__(
        self, reader: Extractor, weights: Callable[[], PromiseWeights], encoder: Callable[[], Awaitable[Embedder]]
    ) -> None:
        """`weights` loads them with the first text; `encoder` gives the one that serves, which is loaded anyway."""
        self._reader, self._load, self._encoder = reader, weights, encoder
        self.name = reader.name

    @cached_property
    def _weights(self) -> PromiseWeights:
        return self._load()

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        """See memory.ports.Extractor."""
        encoder = await self._encoder()
        if isinstance(encoder, MiniLm):
            utterances = await asyncio.to_thread(self._marked, utterances, encoder)
        reading, recipients = await self._reader.read(utterances), self._weights.recipients
        if recipients is None:
            return reading
        return replace(reading, sightings=addressed(reading.sightings, utterances, recipients))

    def _marked(self, utterances: Sequence[Utterance], encoder: MiniLm) -> Sequence[Utterance]:
        head = self._weights.head
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
