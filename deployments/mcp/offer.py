"""What a server of MCP offers, as tables: tools, resources and prompts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller


@dataclass(frozen=True, slots=True)
class Calling:
    """Who calls a tool, where, and under which command id."""

    app: AppContext
    who: Caller
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class McpTool:
    """A tool: what it takes, what it does, how it answers, and whether it writes or erases."""

    name: str
    purpose: str
    takes: type[BaseModel]
    run: Callable[[Calling, Any], Awaitable[Any]]
    title: str | None = None
    writes: bool = False
    erases: bool = False
    answers: Mapping[str, Any] | None = None
    """The JSON schema of its structured answer, where a client relies on one."""
    wraps: bool = False
    """Whether the structured answer stands in `{"result": ...}`, while the text is what stands in it."""
    says: Callable[[Any], Any] | None = None
    """What of the answer the text tells, unless all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpResource:
    """A text that a client may read as it stands now."""

    uri: str
    name: str
    title: str
    purpose: str
    media_type: str
    read: Callable[[Calling], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class McpPrompt:
    """What a user may begin with: the words that are put to the model. `takes` maps an argument to what it is."""

    name: str
    title: str
    purpose: str
    takes: Mapping[str, str]
    say: Callable[[Calling, Mapping[str, str]], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class McpOffer:
    """What a server is and offers. `failed` gives the structured answer of a tool that could not do it."""

    name: str
    title: str
    instructions: str
    tools: Sequence[McpTool]
    resources: Sequence[McpResource] = ()
    prompts: Sequence[McpPrompt] = ()
    failed: Callable[[str], dict[str, Any]] | None = None
