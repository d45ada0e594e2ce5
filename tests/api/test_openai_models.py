"""OpenAI's embeddings and the list of models."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from tests.api.conftest import Door
from tests.api.test_openai import behind
from tests.fakes.model_server import ModelServer, Reply

pytestmark = pytest.mark.postgres


async def test_embeddings_are_those_of_memory(door: Door) -> None:
    texts = [f"a sentence of number {number}" for number in range(20)]
    floats = await door.post("/v1/embeddings", {"model": "memoray", "input": texts})
    coded = await door.post("/v1/embeddings", {"model": "memoray", "input": texts, "encoding_format": "base64"})
    expected = door.app.stores.encoder.embed(texts)
    assert [each["index"] for each in floats["data"]] == list(range(20))
    np.testing.assert_allclose([each["embedding"] for each in floats["data"]], expected, atol=1e-6)
    decoded = [np.frombuffer(base64.b64decode(each["embedding"]), "<f4") for each in coded["data"]]
    np.testing.assert_allclose(decoded, expected, atol=1e-6)
    assert floats["usage"] == coded["usage"]
    refused = [
        ({"input": [1, 2, 3]}, "input"),
        ({"input": [[1, 2], [3]]}, "input"),
        ({"input": []}, "input"),
        ({"input": ["good", ""]}, "input[1]"),
        ({"input": {"a": 1}}, "input"),
        ({"input": "x", "dimensions": 7}, "dimensions"),
        ({"input": "x", "encoding_format": "hex"}, "encoding_format"),
    ]
    for body, param in refused:
        answer = await door.client.post("/v1/embeddings", json={"model": "memoray", **body})
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, param), answer.text
    dimensions = door.app.stores.encoder.dimensions
    await door.post("/v1/embeddings", {"model": "memoray", "input": "x", "dimensions": dimensions})
    assert (await door.client.post("/v1/embeddings", json={"model": "ada", "input": "x"})).status_code == 404


async def test_models_are_ours_and_the_one_behind_us(door: Door) -> None:
    assert [each["id"] for each in (await door.get("/v1/models"))["data"]] == ["memoray"]
    with ModelServer(Reply("x")) as server:
        behind(door, server)
        assert [each["id"] for each in (await door.get("/v1/models"))["data"]] == ["memoray", "small"]
        assert await door.get("/v1/models/small") == {
            "id": "small",
            "object": "model",
            "created": 0,
            "owned_by": "memoray",
        }
