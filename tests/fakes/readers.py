"""Extractors for the process that reads: what an utterance says is done to that process."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence

from memory.model.claims import Reading, Sighting, Utterance

SLEEP, DIE, BREAK = "sleep", "die", "break"


class Obedient:
    """Sees every speaker; sleeps, dies or breaks at a word. Half a gigabyte of memory is not asked for."""

    name = "obedient"

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        for each in utterances:
            if each.text == SLEEP:
                time.sleep(60)  # the event loop of the process stands still, as in a pattern without an end
            if each.text == DIE:
                signal.raise_signal(signal.SIGSEGV)  # in this very thread: another might die after the answer
            if each.text == BREAK:
                raise ValueError(f"secret words: {each.text}")
        fresh = [each for each in utterances if not each.context_only]
        return Reading(tuple(Sighting("person", e.speaker, 0.9, e.text, e.segment_key) for e in fresh), (), self.name)


class Poisoned:
    """Like it, in this process, and what a poisoned text does is told by an error."""

    name = "poisoned"

    def __init__(self, poison: str, error: Exception) -> None:
        self._poison, self._error = poison, error
        self.asked: list[list[str]] = []

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        fresh = [each for each in utterances if not each.context_only]
        self.asked.append([each.text for each in fresh])
        if any(each.text == self._poison for each in utterances):
            raise self._error
        return Reading(tuple(Sighting("person", e.speaker, 0.9, e.text, e.segment_key) for e in fresh), (), self.name)
