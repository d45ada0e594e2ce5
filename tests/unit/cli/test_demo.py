"""The sample conversation is told once."""

from __future__ import annotations

from typing import Any, cast

import pytest

from cli.client import HttpClient, RequestRefused
from cli.demo import _told

DEMO = {"sources": [{"source_id": "one"}, {"source_id": "two words"}]}


class Shelf:
    """A client that knows some sources."""

    def __init__(self, *known: str) -> None:
        self._known = known

    def get(self, path: str, **_: object) -> Any:
        if path not in self._known:
            raise RequestRefused("There is no such source in this memory.")
        return {}


@pytest.mark.parametrize(
    ("known", "told"),
    [((), False), (("/v1/sources/one", "/v1/sources/two%20words"), True), (("/v1/sources/two%20words",), True)],
)
def test_what_was_forgotten_of_it_is_not_told_again(known: tuple[str, ...], told: bool) -> None:
    assert _told(cast(HttpClient, Shelf(*known)), DEMO) is told
