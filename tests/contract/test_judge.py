"""The promises of the Judge port, kept by every implementation."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adapters.judging.local import LocalJudge, yes_of
from adapters.judging.openai import PAIRS, OpenAiJudge
from adapters.judging.taught import TaughtJudge
from adapters.language.openai import OpenAiModel
from config.models import JudgeModel
from memory.errors import ModelFailed
from memory.model.verdicts import RELATIONS, ComparedStatement, StatementPair, Verdict
from memory.ports import Judge
from tests.fakes.model_server import ModelServer, Reply, prompt

WITHOUT_MODEL = importlib.util.find_spec("xllamacpp") is None
MOVED = StatementPair(
    ComparedStatement("Ida's rent is $900", 0.0),
    ComparedStatement("Ida's rent has recently increased to $1,050", 86_400.0),
    0.8,
)
OTHER = StatementPair(ComparedStatement("Ida keeps bees", 0.0), ComparedStatement("Ida likes the sea", 86_400.0), 0.4)


def answering(request: dict[str, Any]) -> Reply:
    """Judges every pair it is shown as an update if money is in it."""
    shown = re.findall(r"Pair (\d+)\n(.*?)(?=\n\nPair|\Z)", prompt(request), re.DOTALL)
    rows = [{"pair": int(n), "relation": "updates" if "$" in words else "unrelated", "sure": 0.8} for n, words in shown]
    return Reply(json.dumps({"verdicts": rows}))


def asking(server: ModelServer) -> OpenAiJudge:
    settings = JudgeModel(kind="openai", url=server.url, model="scripted", timeout_s=5.0)
    return OpenAiJudge(settings, OpenAiModel(settings))


@pytest.fixture(params=["taught", "openai", pytest.param("local", marks=[pytest.mark.model])])
def judge(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    if request.param == "taught":
        yield TaughtJudge()
    elif request.param == "openai":
        with ModelServer(answering) as server:
            yield asking(server)
    else:
        if WITHOUT_MODEL:
            pytest.skip("the local model is not installed")
        yield LocalJudge(tmp_path_factory.mktemp("judge"))


async def test_one_verdict_a_pair_in_their_order(judge: Judge) -> None:
    verdicts = await judge.judge([MOVED, OTHER, MOVED])
    assert len(verdicts) == 3
    assert all(each.relation in RELATIONS and 0.0 <= each.score <= 1.0 for each in verdicts)
    assert verdicts[0] == verdicts[2]
    assert verdicts[1].relation == "unrelated"


async def test_no_pairs_no_verdicts(judge: Judge) -> None:
    assert list(await judge.judge([])) == []
    assert judge.name


async def test_a_server_is_asked_a_few_pairs_at_a_time() -> None:
    with ModelServer(answering) as server:
        verdicts = await asking(server).judge([MOVED] * (PAIRS + 3))
    assert [each.relation for each in verdicts] == ["updates"] * (PAIRS + 3)
    assert [prompt(each).count("Pair ") for each in server.requests] == [PAIRS, 3]
    assert "1970-01-02" in prompt(server.requests[0])


@pytest.mark.parametrize(
    "reply",
    [
        Reply("I cannot say."),
        Reply(json.dumps({"verdicts": []})),
        Reply(json.dumps({"verdicts": [{"pair": 1, "relation": "maybe", "sure": 0.5}]})),
        Reply(json.dumps({"verdicts": [{"pair": 1, "relation": "updates", "sure": 7}]})),
        Reply(json.dumps({"verdicts": [{"pair": 2, "relation": "updates", "sure": 0.5}]})),
        Reply(json.dumps({"verdicts": "none"})),
        Reply(status=500),
        Reply(body=b"<html>"),
    ],
)
async def test_half_an_answer_is_none(reply: Reply) -> None:
    with ModelServer(reply) as server, pytest.raises(ModelFailed):
        await asking(server).judge([MOVED])


def test_yes_is_read_from_probabilities() -> None:
    def answer(*likely: tuple[str, float]) -> dict[str, Any]:
        listed = [{"token": token, "logprob": chance} for token, chance in likely]
        return {"choices": [{"logprobs": {"content": [{"top_logprobs": listed}]}}]}

    assert yes_of(answer((" Yes", 0.0), ("no", 0.0))) == pytest.approx(0.5)
    assert yes_of(answer(("no", -0.1), ("maybe", -2.0))) == 0.0
    for broken in (answer(("maybe", 0.0)), {"choices": []}, {}):
        with pytest.raises(ModelFailed):
            yes_of(broken)


class Likely(LocalJudge):
    """The local judge, whose model finds yes so likely."""

    def __init__(self, replaces: float, excludes: float) -> None:
        super().__init__(Path("no model"))
        self._replaces, self._excludes = replaces, excludes

    def yes(self, question: str, pair: StatementPair) -> float:
        return self._replaces if "new value" in question else self._excludes


@pytest.mark.parametrize(
    ("replaces", "excludes", "verdict"),
    [
        (0.7, 0.6, Verdict("updates", 0.7)),
        (0.6, 0.7, Verdict("contradicts", 0.7)),
        (0.5, 0.5, Verdict("updates", 0.5)),
        (0.4, 0.5, Verdict("contradicts", 0.5)),
        (0.4, 0.4, Verdict()),
    ],
)
async def test_the_local_judge_gives_the_likelier_verdict_from_a_half_on(
    replaces: float, excludes: float, verdict: Verdict
) -> None:
    assert await Likely(replaces, excludes).judge([MOVED]) == (verdict,)
