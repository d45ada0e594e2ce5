"""Tokens: who may come in. Only their hashes are kept."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from psycopg.rows import DictRow

from adapters.postgres.pool import Pool
from adapters.postgres.sql import queries
from adapters.walls import everybody
from memory.model.scopes import Sensitivity

Q = queries("tokens")
FRESH_S = 2.0
"""Seconds a look at the table is good for: how long a revoked token may still be let in."""


@dataclass(frozen=True, slots=True)
class Token:
    """What a token grants."""

    name: str
    user_id: str
    teams: tuple[str, ...]
    permission: str
    """read, write or admin."""
    clearance: Sensitivity


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
        """What this token grants, or None; every known hash is compared, in constant time each."""
        given, found = token_hash(token), None
        for known, granted in await self._tokens():
            if hmac.compare_digest(known, given):
                found = granted
        return found

    async def put(self, token: str, granted: Token) -> None:
        """Let a token in, in place of the one of the same name."""
        row = asdict(granted) | {"teams": list(granted.teams), "clearance": int(granted.clearance)}
        await self._rows("put", **row, token_hash=token_hash(token))
        self._read_at = -FRESH_S

    async def grant(
        self, token: str, name: str, user_id: str, teams: tuple[str, ...], permission: str, clearance: Sensitivity
    ) -> None:
        """Let a new token in."""
        await self.put(token, Token(name, user_id, teams, permission, clearance))

    async def drop(self, name: str) -> bool:
        """Revoke the token of a name; whether there was one."""
        self._read_at = -FRESH_S
        return bool(await self._rows("drop", name=name))

    async def all(self) -> list[Token]:
        """Every token, by name."""
        return sorted((granted for _, granted in await self._tokens()), key=lambda each: each.name)

    async def _rows(self, statement: str, /, **parameters: object) -> list[DictRow]:
        """A statement over all tokens: whose one is, nobody knows before it is found."""
        with everybody("tokens"):
            return await self._pool.rows(Q[statement], **parameters)

    async def _tokens(self) -> Sequence[tuple[bytes, Token]]:
        if time.monotonic() - self._read_at > FRESH_S:
            rows = await self._rows("tokens")
            self._known = [
                (
                    bytes(row["token_hash"]),
                    Token(
                        row["name"],
                        row["user_id"],
                        tuple(row["teams"]),
                        row["permission"],
                        Sensitivity(row["clearance"]),
                    ),
                )
                for row in rows
            ]
            self._read_at = time.monotonic()
        return self._known
