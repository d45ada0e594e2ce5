"""Whose memory, and how much of it: scopes, clearance and the view a question is asked through."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Sensitivity(IntEnum):
    """How private a source is (seed 001); a token's clearance is the highest it may see."""

    OPEN = 0
    PRIVATE = 1
    SENSITIVE = 2


SENSITIVITY_NAMES = {
    "open": Sensitivity.OPEN,
    "private": Sensitivity.PRIVATE,
    "sensitive": Sensitivity.SENSITIVE,
    # seed 002's words for the same three
    "low": Sensitivity.OPEN,
    "normal": Sensitivity.PRIVATE,
    "high": Sensitivity.SENSITIVE,
}


def user_scope(user_id: str) -> str:
    """The scope that belongs to one user."""
    return f"user:{user_id}"


def owner_of(scope: str) -> str | None:
    """The user whose own scope it is; None for a team's."""
    kind, _, user_id = scope.partition(":")
    return user_id if kind == "user" else None


def team_scope(team_id: str) -> str:
    """The scope that a team shares."""
    return f"team:{team_id}"


@dataclass(frozen=True, slots=True)
class View:
    """What one caller may see: the user's own scope, the teams of the token, nothing above the clearance."""

    user_id: str
    teams: tuple[str, ...] = ()
    clearance: Sensitivity = Sensitivity.PRIVATE

    @property
    def scopes(self) -> tuple[str, ...]:
        """Every scope in sight, the user's own first."""
        return (user_scope(self.user_id), *(team_scope(team) for team in self.teams))
