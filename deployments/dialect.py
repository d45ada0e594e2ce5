"""What a dialect tells the gateway about itself.

Each module of `deployments.dialects` has one, as `DIALECT`; so has, in a package of it, each module whose name begins
with `door`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response
from starlette.types import ASGIApp

from deployments import dialects
from deployments.app_context import AppContext
from deployments.problems import Problem

Mounted = Callable[[AppContext | None], ASGIApp]
"""Makes an ASGI application over an application context."""


def _no_secret(path: str) -> str:
    return ""


@dataclass(frozen=True)
class Dialect:
    """A foreign protocol: where it is spoken, its routes, and how it tells what went wrong."""

    name: str
    spoken: re.Pattern[str]
    """The whole path of a request in this dialect. Every one of them needs a token."""
    told: Callable[[Problem], Response]
    """A problem in this dialect's own form."""
    router: APIRouter | None = None
    """Whoever made the protocol describes its routes, so our OpenAPI leaves them out (`include_in_schema=False`)."""
    mounts: Sequence[tuple[str, Mounted]] = ()
    """Path -> what answers below it, where a library brings routes of its own."""
    asking: Sequence[str] = ()
    """Paths whose POST is a question (concurrency.py)."""
    uploads: Sequence[str] = ()
    """Paths whose body holds a sound, which goes to disk as it comes (uploads.py)."""
    secret: Callable[[str], str] = _no_secret
    """The token that a path holds, for a protocol that sends no header; empty where there is none."""

    def speaks(self, path: str) -> bool:
        """Whether a request of this path is in this dialect."""
        return self.spoken.fullmatch(path) is not None


def every_dialect() -> tuple[Dialect, ...]:
    """The dialects there are, by name."""
    modules: Any = map(import_module, _doors())
    return tuple(module.DIALECT for module in modules)


def _doors() -> Iterator[str]:
    for each in iter_modules(dialects.__path__, f"{dialects.__name__}."):
        if each.ispkg:
            inside = iter_modules(import_module(each.name).__path__)
            yield from (f"{each.name}.{module.name}" for module in inside if module.name.startswith("door"))
        else:
            yield each.name
