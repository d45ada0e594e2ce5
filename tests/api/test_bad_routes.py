"""Bad input: routes that are not there, keys of another kind, and what breaks inside."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Door
from tests.api.test_bad_input import ROUTES, SECRET, assert_problem, lived  # noqa: F401  (one is a fixture)

pytestmark = pytest.mark.postgres


async def test_a_route_that_is_not_there(lived: Door, subtests: pytest.Subtests) -> None:  # noqa: F811
    for method, path, status in ROUTES:
        with subtests.test(f"{method} {path}"):
            answer = await lived.client.request(method, path)
            assert_problem(answer, status)
            assert ("allow" in answer.headers) is (status == 405)


async def test_a_key_of_another_kind(lived: Door) -> None:  # noqa: F811
    headers = {"Idempotency-Key": "a\x00b"}
    answer = await lived.client.post("/v1/facts", json={"text": "I like tea."}, headers=headers)
    assert_problem(answer, 422, "idempotency-key")


async def test_what_breaks_inside_is_told_without_a_trace(lived: Door) -> None:  # noqa: F811
    async def broken(*_: object) -> Any:
        raise RuntimeError(SECRET)

    lived.actors.recall = broken  # type: ignore[method-assign]
    assert_problem(await lived.client.get("/v1/context?query=Lisbon"), 500, "log")
