"""A dialect tells problems in its own form, asks for a token wherever it is spoken, and may have it in the path."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from deployments.dialect import Dialect, every_dialect
from deployments.problems import Problem, problem


def shouted(told: Problem) -> Response:
    return JSONResponse({"oh": told.detail.upper()}, told.status)


SHOUTING = Dialect("shouting", re.compile(r"/shout(/.*)?"), shouted)


def request(path: str, *dialects: Dialect) -> Request:
    app: Any = SimpleNamespace(state=SimpleNamespace(dialects=dialects))
    scope = {"type": "http", "path": path, "query_string": b"", "headers": [], "server": ("test", 80), "app": app}
    return Request(scope)


def test_a_problem_is_told_in_the_form_of_whoever_asked() -> None:
    theirs = problem(404, "not-found", "There is no such thing.", request("/shout/loudly", SHOUTING))
    assert (theirs.status_code, theirs.body) == (404, b'{"oh":"THERE IS NO SUCH THING."}')
    ours = problem(404, "not-found", "There is no such thing.", request("/shouting", SHOUTING))
    assert ours.headers["content-type"] == "application/problem+json"


def test_no_path_is_spoken_in_two_dialects_and_none_is_one_of_ours() -> None:
    names = [each.name for each in every_dialect()]
    assert len(names) == len(set(names))
    ours = ("/v1/context", "/v1/entities", "/v1/entities/e-1", "/v1/memory", "/v1/ask", "/v1/tools/search_memory", "/")
    assert not [(path, each.name) for path in ours for each in every_dialect() if each.speaks(path)]
