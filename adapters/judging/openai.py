"""A judge behind any OpenAI-compatible server: a few pairs a request, each answered by a number of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from config.models import JudgeModel
from memory.errors import ModelFailed
from memory.model.prompts import Prompt
from memory.model.timeline import to_datetime
from memory.model.verdicts import RELATIONS, StatementPair, Verdict
from memory.ports import LanguageModel
from memory.words.cleaning import harmless

PAIRS = 8
"""Pairs a request: small models lose count beyond it."""
_TOKENS = 40
"""Tokens one verdict takes, with room to spare."""
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "maxItems": PAIRS,
            "items": {
                "type": "object",
                "properties": {
                    "pair": {"type": "integer", "minimum": 1, "maximum": PAIRS},
                    "relation": {"type": "string", "enum": list(RELATIONS)},
                    "sure": {"type": "number", "minimum": 0, "maximum": 1},
                },
                "required": ["pair", "relation", "sure"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["verdicts"],
    "additionalProperties": False,
}


class OpenAiJudge:
    """Asks a language model what the later statement does to the earlier one. Half an answer is none."""

    asked_above: float | None = None

    def __init__(self, settings: JudgeModel, model: LanguageModel) -> None:
        self.name = f"{settings.kind}:{model.name}"
        self._model = model

    async def judge(self, pairs: Sequence[StatementPair]) -> Sequence[Verdict]:
        """One verdict a pair. Raises ModelFailed."""
        found: list[Verdict] = []
        for start in range(0, len(pairs), PAIRS):
            part = pairs[start : start + PAIRS]
            asked = Prompt(instructions(), prompt(part), schema=_SCHEMA, max_tokens=64 + _TOKENS * len(part))
            answer = await self._model.complete(asked)
            found += read(answer, len(part))
        return tuple(found)


def instructions() -> str:
    """What the model is told of its task."""
    return (files("memory.services") / "prompts" / "judge.md").read_text(encoding="utf-8").strip()


def prompt(pairs: Sequence[StatementPair]) -> str:
    """The pairs as the model sees them: numbered, dated, the earlier first, each statement as data on its own line."""
    return "\n\n".join(
        f"Pair {number}\nearlier ({_day(pair.earlier.at)}): {harmless(pair.earlier.statement)}\n"
        f"later ({_day(pair.later.at)}): {harmless(pair.later.statement)}"
        for number, pair in enumerate(pairs, start=1)
    )


def read(answer: str, count: int) -> list[Verdict]:
    """The verdicts of an answer. Raises ModelFailed unless there is exactly one for each of `count` pairs."""
    found = dict(_verdicts(answer))
    if sorted(found) != list(range(1, count + 1)):
        raise ModelFailed("The model's answer does not judge each pair once.", pairs=count, judged=len(found))
    return [found[number] for number in range(1, count + 1)]


def _verdicts(answer: str) -> Iterator[tuple[int, Verdict]]:
    start, end = answer.find("{"), answer.rfind("}")
    try:
        listed = json.loads(answer[start : end + 1])["verdicts"]
        for each in listed:
            number, relation, sure = int(each["pair"]), str(each["relation"]), float(each["sure"])
            if relation not in RELATIONS or not 0.0 <= sure <= 1.0:
                raise ModelFailed("The model's answer holds a verdict that is none.", pair=number)
            yield number, Verdict(relation, sure)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ModelFailed("The model's answer is no JSON of the wanted shape.") from error


def _day(at: float) -> str:
    return to_datetime(at).date().isoformat()
