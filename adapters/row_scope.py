"""Whose rows a statement may meet: the second wall, behind the view that every statement names (decision 0071).

The pool says it to the database, and row security shows nobody else's rows. Who says it to the pool: the front door
for a request, once its token is known (`acting_for`); work that goes over all users, by name (`everybody`); for all
else the statement's own parameters (`row_scope_of`). Whatever says nothing meets no rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import Any

from memory.model.scopes import View, user_scope


@dataclass(frozen=True, slots=True)
class RowScope:
    """A user ('' for nobody) and scopes; without scopes the user's own, in a transaction all that are read for them."""

    user_id: str
    scopes: tuple[str, ...] | None = None

    @property
    def alone(self) -> RowScope:
        """The same with no more than the user's own scope, if no scopes were named."""
        return RowScope(self.user_id, (user_scope(self.user_id),)) if self.scopes is None else self


NOBODY = RowScope("", ())


@dataclass(frozen=True, slots=True)
class AllRows:
    """No row scope: the rows of all users, for the work that is named."""

    work: str


_said: ContextVar[RowScope | AllRows | None] = ContextVar("row_scope", default=None)
_OWN = user_scope("")


def acting_for(view: View | None) -> Token[RowScope | AllRows | None]:
    """From here on in this task every statement is this caller's, whatever it asks for; None: as its parameters say."""
    return _said.set(None if view is None else RowScope(view.user_id, view.scopes))


def back_to(before: Token[RowScope | AllRows | None]) -> None:
    """Take back what `acting_for` said."""
    _said.reset(before)


@contextmanager
def everybody(work: str) -> Iterator[None]:
    """Work that goes over all users. Each use is one place of its own, and says which work it is."""
    before = _said.set(AllRows(work))
    try:
        yield
    finally:
        _said.reset(before)


@contextmanager
def as_named() -> Iterator[None]:
    """Work that a request has begun and that is not its caller's alone: each statement is whose its parameters say."""
    before = _said.set(None)
    try:
        yield
    finally:
        _said.reset(before)


def row_scope_of(parameters: Mapping[str, Any]) -> RowScope | AllRows:
    """Whose a statement of these parameters is: what was said before, else whom it names."""
    if (said := _said.get()) is not None:
        return said
    user_id, scopes = parameters.get("user_id"), _scopes(parameters)
    if user_id is None and scopes is None:
        return NOBODY
    if user_id is None:  # of a single user's scope: theirs
        own = {scope for scope in scopes or () if scope.startswith(_OWN)}
        return RowScope(own.pop().removeprefix(_OWN) if len(own) == 1 else "", scopes)
    return RowScope(user_id, None if scopes is None else tuple(dict.fromkeys((*scopes, user_scope(user_id)))))


def _scopes(parameters: Mapping[str, Any]) -> tuple[str, ...] | None:
    scopes, scope = parameters.get("scopes"), parameters.get("scope")
    return (scope,) if isinstance(scope, str) else None if scopes is None else tuple(dict.fromkeys(scopes))
