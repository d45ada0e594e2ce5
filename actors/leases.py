"""Leases of the one GPU: whoever keeps the book of them, and whoever asks.

On a machine whose models share a GPU the book is an actor of its own. Elsewhere the worker keeps it: there only sweeps
declare something, and nobody waits for them.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import ray
from ray.exceptions import RayActorError

from actors.names import LEASES, WORKER, actor
from adapters.watched import orphaned
from config.settings import Settings
from memory.errors import Unavailable
from memory.rules.leases import (
    USERS,
    Lease,
    LeaseBook,
    LeaseState,
    LeaseTerms,
    LeaseUse,
    LeaseUser,
    asked,
    next_change,
    renewed,
    returned,
    settled,
)

log = logging.getLogger("memoray.leases")
WAIT_S = 5.0
"""Seconds for which one call waits for a lease; then it asks again, and keeps its place."""
AWAY_S, SOON_S = 10.0, 1.0
"""Seconds beyond that after which the keeper is taken to be away: for work in the background, which outlasts a restart,
and for whoever is waited for (chosen: a call takes 2 ms, a restart some seconds)."""
REST_S = 10.0
"""Seconds for which a keeper that was away is not asked by whoever is waited for (chosen)."""
TOLD_S, LOOKED_S, KNOWN_S = 0.5, 0.1, 3.0
"""Seconds for which a state is told again; that whoever looks waits for a new one, for /health must answer at once; and
after which it is unknown (chosen)."""
Call = Callable[..., Awaitable[Any]]


def terms_of(settings: Settings) -> LeaseTerms:
    """What is shared here: so much of the unified memory, or the processors.

    On the CPU a sweep declares one processor and nobody else anything: niceness decides (decision 0106).
    """
    asked_for = settings.lease
    if asked_for.device == "cpu":
        return LeaseTerms(float(os.cpu_count() or 1), {"sweep": 1.0}, frozenset())
    declared = {each: float(getattr(asked_for, f"{each}_gb")) for each in USERS}
    return LeaseTerms(asked_for.memory_gb * asked_for.share, declared)


class LeaseKeeper:
    """Keeps the book: an async Ray actor (wrapped late, in actors.directory), or an object of the worker.

    It remembers nothing from one life to the next. After a restart it grants nothing for a term, until whoever held a
    lease has renewed it.
    """

    def __init__(self, terms: LeaseTerms, *, has_forgotten: bool | None = None) -> None:
        """`has_forgotten` is whether there was a keeper before; None = Ray knows."""
        self._loop = asyncio.get_running_loop()
        if has_forgotten is None:
            has_forgotten = ray.get_runtime_context().was_current_actor_reconstructed
        opens_at = self._loop.time() + terms.term_s if has_forgotten else 0.0
        self._book = LeaseBook(terms, opens_at)
        self._woken: dict[str, asyncio.Future[None]] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def ask(self, ticket: str, user: LeaseUser, wait_s: float) -> bool:
        """Whether a ticket has its lease, at once or within so many seconds; else it keeps its place for a term."""
        self._turn(asked(self._book, ticket, user, self._loop.time()))
        if not self._book.holds(ticket) and wait_s > 0:
            woken = self._woken.setdefault(ticket, self._loop.create_future())
            await asyncio.wait([woken], timeout=min(wait_s, WAIT_S))
            self._turn(settled(self._book, self._loop.time()))
        return self._book.holds(ticket)

    async def renew(self, ticket: str, user: LeaseUser) -> bool:
        """A holder lives; whether it still has its lease."""
        self._turn(renewed(self._book, ticket, user, self._loop.time()))
        return self._book.holds(ticket)

    async def give_back(self, ticket: str) -> None:
        """A holder has finished its piece, or somebody does not want a lease any more."""
        self._turn(returned(self._book, ticket, self._loop.time()))

    async def state(self) -> LeaseState:
        """Who holds a lease and who waits, since how many seconds, and what of the budget is declared."""
        now = self._loop.time()
        self._turn(settled(self._book, now))
        return LeaseState(
            self._book.terms.budget,
            self._book.declared,
            held=tuple(self._told(each, now) for each in self._book.held),
            waiting=tuple(self._told(each, now) for each in self._book.waiting),
        )

    def _told(self, lease: Lease, now: float) -> LeaseUse:
        declared = self._book.terms.declared.get(lease.user, 0.0)
        return LeaseUse(lease.user, declared, round(now - lease.since, 1))

    def _turn(self, book: LeaseBook) -> None:
        """Take the next book, wake whoever waits no longer, and look again when something may change by itself."""
        self._book = book
        for ticket in [each for each in self._woken if book.holds(each) or not book.waits(each)]:
            woken = self._woken.pop(ticket)
            if not woken.done():
                woken.set_result(None)
        if self._timer is not None:
            self._timer.cancel()
        at = next_change(book, self._loop.time())
        self._timer = None if at is None else self._loop.call_at(at, self._look)

    def _look(self) -> None:
        self._turn(settled(self._book, self._loop.time()))


class KeptLeases:
    """See memory.ports.Leases: leases of a keeper, which `call` asks by the names of its methods.

    Nothing is lost by a keeper that is away: whoever asks goes on without a lease, and the log says so.
    """

    def __init__(self, call: Call, terms: LeaseTerms, device: str = "gpu") -> None:
        self._call, self._terms, self._device = call, terms, device
        self._rests_until = 0.0
        self._looking: asyncio.Task[None] | None = None
        self._look_at = 0.0
        self._seen: tuple[float, LeaseState | None] = (0.0, None)
        """When the state was last told, and that state."""

    @asynccontextmanager
    async def lease(self, user: LeaseUser, patience_s: float | None = None) -> AsyncIterator[bool]:
        """See memory.ports.Leases."""
        if not self._terms.declared.get(user):
            yield True
            return
        ticket, granted, renewing = secrets.token_hex(8), None, None
        try:
            granted = await self._granted(ticket, user, patience_s)
            if granted is not False:  # also one without a lease: a keeper that comes back learns of it
                renewing = asyncio.create_task(self._renew(ticket, user))
            yield granted is not False
        finally:
            if renewing is not None:
                renewing.cancel()
            if asyncio.get_running_loop().time() >= self._rests_until:  # else nobody takes it, and its term ends it
                await self._give_back(ticket)

    async def state(self) -> LeaseState | None:
        """See memory.ports.Leases."""
        loop = asyncio.get_running_loop()
        if (self._looking is None or self._looking.done()) and loop.time() >= self._look_at:
            self._looking = asyncio.ensure_future(self._look())
        if self._looking is not None:
            await asyncio.wait([self._looking], timeout=LOOKED_S)
        at, seen = self._seen
        return seen if loop.time() - at < KNOWN_S else None

    async def _look(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            told: LeaseState = await asyncio.wait_for(self._call("state"), KNOWN_S)
            self._seen, self._look_at = (loop.time(), replace(told, device=self._device)), loop.time() + TOLD_S
        except Exception as error:  # whoever looks is told that nobody knows, and it is looked again later
            log.info("nobody says who holds a lease (%s)", type(error).__name__)
            self._look_at = loop.time() + KNOWN_S

    async def _granted(self, ticket: str, user: LeaseUser, patience_s: float | None) -> bool | None:
        """Whether it has a lease; None if nobody can say."""
        loop, away_s = asyncio.get_running_loop(), AWAY_S if patience_s is None else SOON_S
        if patience_s is not None and loop.time() < self._rests_until:
            return None
        until = None if patience_s is None else loop.time() + patience_s
        while True:
            wait_s = WAIT_S if until is None else min(WAIT_S, max(0.0, until - loop.time()))
            try:
                if await asyncio.wait_for(self._call("ask", ticket, user, wait_s), wait_s + away_s):
                    return True
            except Exception as error:  # whatever it is, the work is not lost by it
                self._rests_until = loop.time() + REST_S
                log.warning("%s goes on without a lease: its keeper is away (%s)", user, type(error).__name__)
                return None
            if until is not None and loop.time() >= until:
                return False

    async def _renew(self, ticket: str, user: LeaseUser) -> None:
        """Say that the holder lives, as long as it does."""
        every_s = self._terms.term_s / 3
        while True:
            await asyncio.sleep(every_s)
            try:
                if not await asyncio.wait_for(self._call("renew", ticket, user), every_s):
                    log.warning("%s finishes its piece without a lease", user)
                    return
            except Exception as error:  # the next one comes before the term is over
                log.info("a lease of %s was not renewed now (%s)", user, type(error).__name__)

    async def _give_back(self, ticket: str) -> None:
        """What is not given back is over after its term."""
        try:
            await asyncio.wait_for(self._call("give_back", ticket), SOON_S)
        except Exception as error:
            log.info("a lease was not given back (%s); it is over after its term", type(error).__name__)


class OwnBook:
    """A keeper of this process, begun with the first call."""

    def __init__(self, terms: LeaseTerms) -> None:
        self._terms = terms
        self._keeper: LeaseKeeper | None = None

    async def __call__(self, method: str, *given: object) -> Any:
        """What the keeper does."""
        if self._keeper is None:
            self._keeper = LeaseKeeper(self._terms, has_forgotten=False)
        return await getattr(self._keeper, method)(*given)


class RemoteBook:
    """A keeper that is an actor, or that an actor has. Looking it up can take long and is done in a thread."""

    def __init__(self, name: str, method: str | None = None) -> None:
        """`method` is the one of the actor by which it hands on what is asked; None = it is the keeper itself."""
        self._name, self._method = name, method
        self._found: Any = None

    async def __call__(self, method: str, *given: object) -> Any:
        """What the keeper does. Raises Unavailable, RayError."""
        if orphaned():  # Ray would end this process with the first call that fails
            raise Unavailable()
        if self._found is None:
            self._found = await asyncio.to_thread(actor, self._name)
        handed = given if self._method is None else (method, *given)
        try:
            return await getattr(self._found, self._method or method).remote(*handed)
        except RayActorError:
            self._found = None
            raise


def leases_of(settings: Settings, book: OwnBook | None = None) -> KeptLeases:
    """The leases of this machine for a process of Ray; `book` is the worker's own, where it keeps it."""
    device = settings.lease.device
    kept: Call = RemoteBook(LEASES) if device == "gpu" else book or RemoteBook(WORKER, "leases")
    return KeptLeases(kept, terms_of(settings), device)
