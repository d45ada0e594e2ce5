"""A judge on the laptop: a small language model, asked for yes or no and read by the probability of its first token.

Its words are of no use, for it says yes to nearly everything; how likely it found them orders pairs well (AUC 0.79 on
22 made-up pairs). It runs in this process, one pair at a time, 0.3 CPU-seconds a question.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from adapters.language import local
from memory.errors import ModelFailed
from memory.model.verdicts import StatementPair, Verdict
from memory.words.cleaning import harmless

_REPLACES = "Does the second statement give a new value for the same thing, so that the first is out of date?"
_EXCLUDES = "Is it impossible that both statements are true?"
_EXAMPLES = (
    ("Ida lives in Bergen", "Ida now lives in Oslo", "yes", "yes"),
    ("Ida has a cat", "Ida likes to swim", "no", "no"),
    ("Ida has never been to Rome", "Ida visited Rome in May", "no", "yes"),
    ("Ida scored 70 % in chemistry", "Ida scored 90 % in history", "no", "no"),
)
REPLACES_ABOVE, EXCLUDES_ABOVE = 0.5, 0.5
"""Probabilities of yes from which a verdict is given."""
_LIKELY = 20
"""Tokens whose probability is read: yes and no are among the first few."""


class LocalJudge:
    """The packaged Qwen2.5-Coder-0.5B, loaded when the first pair comes (0.7 GB)."""

    asked_above: float | None = None

    def __init__(self, cache: Path, own: Path | None = None, trusted: Collection[str] = ()) -> None:
        """`cache` takes the packaged model, put together; `own` is another GGUF file, `trusted` its digest."""
        self.name = f"local:{local.NAME}"
        self._files = (cache, own, trusted)
        self._one_at_a_time = Lock()

    async def judge(self, pairs: Sequence[StatementPair]) -> Sequence[Verdict]:
        """One verdict a pair, off the event loop. Raises ModelFailed, or ConfigError if the model is not installed."""
        return await asyncio.to_thread(lambda: tuple(self._judge(pair) for pair in pairs))

    def yes(self, question: str, pair: StatementPair) -> float:
        """The probability of yes among yes and no."""
        place = 2 if question == _REPLACES else 3
        messages = [{"role": "system", "content": f"{question} Answer yes or no."}]
        for example in _EXAMPLES:
            messages.append({"role": "user", "content": f"1. {example[0]}.\n2. {example[1]}."})
            messages.append({"role": "assistant", "content": example[place]})
        messages.append(
            {"role": "user", "content": f"1. {harmless(pair.earlier.statement)}.\n2. {harmless(pair.later.statement)}."}
        )
        request = {"messages": messages, "max_tokens": 1, "temperature": 0, "logprobs": True, "top_logprobs": _LIKELY}
        with self._one_at_a_time:
            return yes_of(self._server.handle_chat_completions(request))

    def _judge(self, pair: StatementPair) -> Verdict:
        replaces, excludes = self.yes(_REPLACES, pair), self.yes(_EXCLUDES, pair)
        if replaces >= REPLACES_ABOVE and replaces >= excludes:
            return Verdict("updates", replaces)
        return Verdict("contradicts", excludes) if excludes >= EXCLUDES_ABOVE else Verdict()

    @cached_property
    def _server(self) -> Any:
        return local.serve(local.assemble(*self._files))


def yes_of(answer: Mapping[str, Any]) -> float:
    """The share of yes in the probabilities of an answer's first token. Raises ModelFailed if neither is there."""
    try:
        likely = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        chances = {"yes": 0.0, "no": 0.0}
        for each in likely:
            word = str(each["token"]).strip().lower()
            if word in chances:
                chances[word] += math.exp(float(each["logprob"]))
    except (LookupError, TypeError, ValueError) as error:
        raise ModelFailed("The local model's answer has no probabilities.") from error
    total = chances["yes"] + chances["no"]
    if total <= 0.0:
        raise ModelFailed("The local model's answer is neither yes nor no.")
    return chances["yes"] / total
