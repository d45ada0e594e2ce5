"""Use cases guard themselves: a door that lets anybody in still changes and gives away nothing it must not."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest

from deployments import use_cases
from deployments.callers import Caller
from deployments.use_cases import archives, auditing, forgetting, nights, rebuilding, tokens, tools
from memory.errors import Forbidden
from memory.model.scopes import Sensitivity, View


def _writing() -> Iterator[Callable[..., Any]]:
    """Every use case that takes the key of a command, but for the tools, of which most only read."""
    for found in iter_modules(use_cases.__path__):
        module = import_module(f"{use_cases.__name__}.{found.name}")
        for name, verb in inspect.getmembers(module, inspect.iscoroutinefunction):
            own = verb.__module__ == module.__name__ and not name.startswith("_") and verb is not tools.call_tool
            if own and {"who", "key"} <= inspect.signature(verb).parameters.keys():
                yield verb


def _refused(verb: Callable[..., Any], who: Caller) -> None:
    """It refuses before it looks at anything else: there is nothing to look at."""
    given = {name: None for name in inspect.signature(verb).parameters}
    with pytest.raises(Forbidden):
        asyncio.run(verb(**given | {"who": who}))


@pytest.mark.parametrize(
    "verb", list(_writing()), ids=lambda verb: f"{verb.__module__.rpartition('.')[2]}.{verb.__name__}"
)
def test_who_may_only_read_changes_nothing(verb: Callable[..., Any]) -> None:
    _refused(verb, Caller(View("maya", clearance=Sensitivity.SENSITIVE), "read"))


TOLD = {"remember_fact": {"text": "I moved."}, "correct_fact": {"fact_id": "f-1", "statement": "I stayed."}}
"""Tools that write -> arguments they take, where a fact's id alone does not do."""


@pytest.mark.parametrize("name", [name for name, tool in tools.TOOLS.items() if tool.writes])
def test_a_tool_that_writes_is_not_for_who_may_only_read(name: str) -> None:
    who = Caller(View("maya", clearance=Sensitivity.SENSITIVE), "read")
    nowhere: Any = None
    with pytest.raises(Forbidden):
        asyncio.run(tools.call_tool(nowhere, who, "c-1", name, TOLD.get(name, {"fact_id": "f-1"})))


WHOLE = [archives.export, archives.restore, auditing.audit, forgetting.forget_memory, nights.run, nights.report_of]


@pytest.mark.parametrize("verb", WHOLE)
def test_a_whole_memory_is_not_for_who_may_not_see_all_of_it(verb: Callable[..., Any]) -> None:
    _refused(verb, Caller(View("maya", clearance=Sensitivity.PRIVATE), "write"))


@pytest.mark.parametrize("verb", [archives.restore, nights.run])
def test_who_may_only_read_restores_nothing_and_runs_no_night(verb: Callable[..., Any]) -> None:
    _refused(verb, Caller(View("maya", clearance=Sensitivity.SENSITIVE), "read"))


TOKENS = [tokens.create, tokens.rotate, tokens.every, tokens.revoke]


@pytest.mark.parametrize("verb", [*TOKENS, rebuilding.rebuild, rebuilding.encoding])
def test_tokens_and_rebuilding_are_for_administrators_alone(verb: Callable[..., Any]) -> None:
    _refused(verb, Caller(View("maya", clearance=Sensitivity.SENSITIVE), "write"))
