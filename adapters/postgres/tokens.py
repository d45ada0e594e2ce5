"""Tokens: who may come in. Only their hashes are kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from psycopg.rows import DictRow

from adapters.postgres.pool import Pool
from adapters.postgres.sql import queries
from adapters.row_scope import everybody
from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant
from memory.model.tokens import Token

Q = queries("tokens")
FRESH_S = 2.0
"""Seconds a look at the table is good for: how long a revoked token may still be let in."""
SESSION_BYTES = 32
"""256 random bits."""
MOST_SESSIONS = 20
"""Browsers that one token lets in at once."""


def token_hash(token: str) -> bytes:
    """SHA-256; a token has 256 random bits, so it needs no salt and no stretching."""
    return hashlib.sha256(token.encode()).digest()


class PostgresTokens:
    """The tokens of this memory, read again every few seconds."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._known: list[tuple[bytes, Token]] = []
        self._read_at = -FRESH_S

    async def find(self, token: str) -> Token | None:
        """What this token grants, over or not, or None; every known hash is compared, in constant time each."""
        return await self._of(token_hash(token))

    async def put(self, token: str, granted: Token) -> None:
        """Let a token in, in place of the one of the same name."""
        await self._rows(
            "put",
            token_hash=token_hash(token),
            name=granted.name,
            user_id=granted.user_id,
            teams=list(granted.teams),
            permission=granted.permission,
            clearance=int(granted.clearance),
            expires_at=granted.expires_at,
        )
        self._read_at = -FRESH_S

    async def rotate(self, name: str, token: str, expires_at: Instant | None, until: Instant) -> bool:
        """Let a token in under a name, and the one before it until `until`; whether there was one."""
        self._read_at = -FRESH_S
        place = {"name": name, "token_hash": token_hash(token), "expires_at": expires_at, "until": until}
        return bool(await self._rows("rotate", **place))

    async def drop(self, name: str) -> bool:
        """Revoke the token of a name; whether there was one."""
        self._read_at = -FRESH_S
        return bool(await self._rows("drop", name=name))

    async def all(self) -> list[Token]:
        """Every token, by name."""
        found = {granted.name: granted for _, granted in reversed(await self._tokens())}  # the one before comes after
        return [found[name] for name in sorted(found)]

    async def open_session(self, token: str, now: Instant, expires_at: Instant) -> str:
        """A session of the page for the holder of a token: what the cookie is to hold."""
        session = secrets.token_urlsafe(SESSION_BYTES)
        await self._rows(
            "open_session",
            session_hash=token_hash(session),
            token_hash=token_hash(token),
            now=now,
            expires_at=expires_at,
            most=MOST_SESSIONS,
        )
        return session

    async def of_session(self, session: str, now: Instant) -> Token | None:
        """What the token grants that this session was opened with; None if the session is over or the token gone."""
        rows = await self._rows("session", session_hash=token_hash(session), now=now)
        return await self._of(bytes(rows[0]["token_hash"])) if rows else None

    async def end_session(self, session: str) -> None:
        """Let nobody in with it any more."""
        await self._rows("end_session", session_hash=token_hash(session))

    async def _of(self, given: bytes) -> Token | None:
        found = None
        for known, granted in await self._tokens():
            if hmac.compare_digest(known, given):
                found = granted
        return found

    async def _rows(self, statement: str, /, **parameters: object) -> list[DictRow]:
        """A statement over all tokens or sessions: whose one is, nobody knows before it is found."""
        with everybody("tokens"):
            return await self._pool.rows(Q[statement], **parameters)

    async def _tokens(self) -> Sequence[tuple[bytes, Token]]:
        """Hash -> what it grants; after each token the one that it took the place of."""
        if time.monotonic() - self._read_at > FRESH_S:
            self._known = [each for row in await self._rows("tokens") for each in _both(row)]
            self._read_at = time.monotonic()
        return self._known


def _both(row: DictRow) -> Iterator[tuple[bytes, Token]]:
    teams, clearance = tuple(row["teams"]), Sensitivity(row["clearance"])
    token = Token(row["name"], row["user_id"], teams, row["permission"], clearance, row["expires_at"])
    yield bytes(row["token_hash"]), token
    if row["previous_hash"] is not None:
        ends = min(row["previous_until"], row["expires_at"] or row["previous_until"])
        yield bytes(row["previous_hash"]), replace(token, expires_at=ends)
