from __future__ import annotations

import ctypes
import sys

import pytest

from adapters.allocator import give_back


def test_memory_is_given_back_where_the_c_library_knows_how(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Library:
        def __init__(self, name: None) -> None:
            self.malloc_trim = asked.append

    monkeypatch.setattr(ctypes, "CDLL", Library)
    monkeypatch.setattr(sys, "platform", "linux")
    give_back()
    assert asked == [0], "all that is free"


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_another_allocator_is_left_alone(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    monkeypatch.setattr(sys, "platform", platform)
    give_back()
