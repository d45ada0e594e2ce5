"""Chats: what was said in each session, in this gateway's memory, bounded in every way, and gone after half an hour.

Losing a session loses no memory, since both sides of a talk are remembered. So none is kept for a next gateway, and one
that is lost goes on under its id, without what was said before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field

from memory.model.prompts import SpokenTurn
from memory.model.scopes import View, user_scope
from memory.model.timeline import Instant

IDLE_S = 1_800.0
"""Seconds without a message after which a session ends (chosen: who comes back later begins anew)."""
MOST_SESSIONS = 1_000
"""Sessions of one gateway (chosen: 16 MB of talk at most); the longest idle goes first."""
MOST_A_USER = 20
"""Sessions of one user (chosen: more than anybody talks in at once); the longest idle goes first."""
MOST_TURNS = 40
"""Turns of a session that are kept before one's eyes, both sides counted."""
MOST_CHARACTERS = 16_000
"""Characters of these (chosen: with a briefing and an answer they fit a small model's 8,000 tokens)."""


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """What one side has said, and where it is remembered, if it is."""

    role: str
    words: str
    segment_id: str = ""
    source_id: str | None = None


@dataclass(eq=False)
class ChatSession:
    """One session. Its messages are answered one after another."""

    session_id: str
    view: View
    started_at: Instant
    last_at: Instant
    backend: str = "auto"
    """What answers, as the last message that named it said."""
    is_lost: bool = False
    """Whether somebody goes on who is not known here: what was said before is not before anybody's eyes."""
    messages: int = 0
    turns: list[ChatTurn] = field(default_factory=list)
    briefing: tuple[int, ...] | None = None
    """The segments of its briefing; None until that is loaded."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def said(self) -> list[SpokenTurn]:
        """The turns as a language model is given them."""
        return [(each.role, each.words) for each in self.turns]

    def add(self, *turns: ChatTurn) -> None:
        """Add turns. Beyond its bounds a session forgets its older half at once, so that what is named after the
        beginning of a talk does not change its name with every message.
        """
        self.turns += turns
        if len(self.turns) > MOST_TURNS or self._characters() > MOST_CHARACTERS:
            while self.turns and (len(self.turns) > MOST_TURNS // 2 or self._characters() > MOST_CHARACTERS // 2):
                del self.turns[:2]

    def _characters(self) -> int:
        return sum(len(each.words) for each in self.turns)

    def clear(self) -> None:
        """Keep nothing of what was said before."""
        self.turns.clear()
        self.briefing = None


class ChatSessions:
    """The sessions of a gateway. A session belongs to a view: whoever sees less or more of a memory has others."""

    def __init__(self) -> None:
        self._sessions: dict[tuple[View, str], ChatSession] = {}

    def session(self, view: View, session_id: str | None, fresh_id: str, now: Instant) -> ChatSession:
        """The session of this id, or one that begins under it, or under the fresh id if none is named."""
        self._expire(now)
        found = None if session_id is None else self._sessions.get((view, session_id))
        if found is None:
            found = ChatSession(session_id or fresh_id, view, now, now, is_lost=session_id is not None)
            self._sessions[view, found.session_id] = found
            self._make_room(view.user_id)
        found.last_at = now
        return found

    def active(self, view: View, now: Instant) -> list[ChatSession]:
        """The sessions of a view, the latest first."""
        self._expire(now)
        return sorted(
            (each for each in self._sessions.values() if each.view == view), key=lambda each: each.last_at, reverse=True
        )

    def drop(self, user_id: str, scopes: Collection[str] = ()) -> None:
        """End every session of a user, and of whoever sees one of these scopes: something was forgotten there."""
        concerned = {user_scope(user_id), *scopes}
        for key, each in list(self._sessions.items()):
            if concerned & set(each.view.scopes):
                each.clear()
                del self._sessions[key]

    def _expire(self, now: Instant) -> None:
        for key, each in list(self._sessions.items()):
            if now - each.last_at > IDLE_S and not each.lock.locked():
                del self._sessions[key]

    def _make_room(self, user_id: str) -> None:
        self._end_beyond(MOST_A_USER, [key for key in self._sessions if key[0].user_id == user_id])
        self._end_beyond(MOST_SESSIONS, list(self._sessions))

    def _end_beyond(self, most: int, keys: list[tuple[View, str]]) -> None:
        idle_first = sorted(keys, key=lambda key: self._sessions[key].last_at)
        for key in idle_first[: max(0, len(keys) - most)]:
            del self._sessions[key]
