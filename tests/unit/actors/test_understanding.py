"""An encoder that breaks costs the vectors, never the question."""

from __future__ import annotations

import numpy as np

from actors.understanding import QuestionEncoding, understand
from memory.retrieval.pieces import EncodedQuestion
from memory.services.recall import Recollection

ASKED = EncodedQuestion(np.ones(4, np.float32) / 2, np.zeros((0, 4), np.float32))
FOUND = Recollection(np.array([7]), np.array([0.5], np.float32), "general", 1, {"graph": "TimeoutError"}, False)


async def _encoded() -> EncodedQuestion:
    return ASKED


async def _broken() -> EncodedQuestion:
    raise OSError("the model's file is gone")


async def test_what_the_encoder_says_is_understood() -> None:
    understood = await understand(_encoded())
    assert understood.asked is ASKED
    assert understood.told(FOUND) is FOUND, "nothing is missing: nothing is added"


async def test_a_broken_encoder_is_told_beside_what_else_is_degraded() -> None:
    understood = await understand(_broken())
    assert understood == QuestionEncoding(None, {"vectors": "OSError"})
    assert understood.told(FOUND).degraded == {"graph": "TimeoutError", "vectors": "OSError"}
