"""Turns of a model: what of a half one is told, and how long one may be."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator

import pytest

from deployments.use_cases.chatting import MOST_GENERATED, Talk
from deployments.use_cases.model_turns import TurnReader, choice_of
from deployments.use_cases.speaking import SpokenAnswer
from memory.errors import AnswerCut, Invalid, ModelFailed

WHOLE = json.dumps({"tool": "none", "input": {}, "answer": "In Coimbra, I think."})


async def said(*pieces: str, cut: bool = False) -> AsyncGenerator[str]:
    for piece in pieces:
        yield piece
    if cut:
        raise AnswerCut()


async def told(reader: TurnReader, pieces: AsyncGenerator[str]) -> list[str]:
    return [piece async for piece in reader.answer(pieces)]


async def test_an_answer_in_json_is_over_when_it_is_closed() -> None:
    assert await told(TurnReader(1_000), said(WHOLE[:-6], WHOLE[-6:])) == ["In Coimbra, I th", "ink."]
    with pytest.raises(ModelFailed, match="stopped in the middle"):
        await told(TurnReader(1_000), said(WHOLE[:-6]))


async def test_an_answer_whose_tokens_were_used_up_is_cut() -> None:
    with pytest.raises(AnswerCut):
        await told(TurnReader(1_000), said(WHOLE[:-6], cut=True))


@pytest.mark.parametrize("half", [WHOLE[:20], '{"answer": "In Coim', '```json\n{"tool": "search_memory", "input"'])
def test_a_half_object_is_no_answer(half: str) -> None:
    with pytest.raises(Invalid):
        choice_of(half)


@pytest.mark.parametrize("words", ["In Coimbra.", "{Coimbra} is a set of one.", ""])
def test_plain_words_are_an_answer(words: str) -> None:
    assert choice_of(words) == words


def test_a_turn_has_an_end() -> None:
    reader = TurnReader(100)
    reader.put('{"tool": ')
    with pytest.raises(ModelFailed, match="more and more"):
        reader.put('"' + "x" * 100)


def test_no_bound_of_a_request_lets_a_model_say_everything() -> None:
    talk = Talk([("user", "Hello")], most=10**12)
    assert talk.most_generated == MOST_GENERATED
    with pytest.raises(ModelFailed, match="more and more"):
        SpokenAnswer(talk).put("x" * (talk.most_heard + 1))
