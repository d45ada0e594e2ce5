"""What OpenAPI tells: an example of every route, and problems in the form in which they come."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from deployments.gateway import create_app
from deployments.problems import MEDIA_TYPE


@cache
def _openapi() -> dict[str, Any]:
    return create_app().openapi()


def _operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in _openapi()["paths"].items():
        for method, told in methods.items():
            yield f"{method.upper()} {path}", told


def _shows_an_example(told: object, seen: set[str]) -> bool:
    text = json.dumps(told)
    if "example" in text.casefold():
        return True
    fresh = set(re.findall(r"#/components/schemas/([\w-]+)", text)) - seen
    seen |= fresh
    return any(_shows_an_example(_openapi()["components"]["schemas"][name], seen) for name in fresh)


@pytest.mark.parametrize(("name", "told"), list(_operations()), ids=lambda each: each if isinstance(each, str) else "")
def test_every_route_shows_an_example(name: str, told: dict[str, Any]) -> None:
    fine = {code: answer for code, answer in told["responses"].items() if code.startswith("2")}
    assert _shows_an_example({**told, "responses": fine}, set()), name


def test_problems_are_described_as_they_come() -> None:
    for name, told in _operations():
        assert {"4XX", "5XX"} < set(told["responses"]), name
        assert set(told["responses"]["4XX"]["content"]) == {MEDIA_TYPE}
        assert "422" not in told["responses"], name


def test_no_two_bodies_are_called_alike() -> None:
    """FastAPI puts the module before such names, and whoever generates a client from them meets our folders."""
    assert [name for name in _openapi()["components"]["schemas"] if "__" in name] == []
