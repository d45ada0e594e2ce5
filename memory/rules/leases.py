"""Leases of what all models share, the one GPU or the processors: who may hold one at once, and who is next.

A book of leases is a value. Whoever keeps it says what was asked and what time it is; the clock may be any that never
goes back. Nobody is interrupted: a lease ends when it is given back, or when its holder has not renewed it for a while.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

LeaseUser = Literal["sweep", "live", "embedding", "extraction"]
USERS: tuple[LeaseUser, ...] = get_args(LeaseUser)
"""Who may ask, the first that is served first (seed 001, GPU contention)."""
ALONE: frozenset[LeaseUser] = frozenset({"sweep"})
"""Who shares the GPU with nobody: while a sweep holds it everybody else waits (seed 001)."""
MOST_SHARE = 0.8
"""Share of a memory that CPU and GPU have together which may be declared at once; with more the machine can hang until
it is switched off (docs/howto/dgx-spark.md)."""
TERM_S = 15.0
"""Seconds after which a lease that was not renewed is over (chosen: renewed every third of it, it survives two renewals
that are lost)."""
PATIENCE_S = 60.0
"""Seconds after which whoever waits comes before all who are more important and came later (chosen: as far as live
words may be behind)."""


@dataclass(frozen=True, slots=True)
class LeaseTerms:
    """What is shared, in GB or processors, and how much of it each user declares; who declares nothing never asks."""

    budget: float
    declared: Mapping[LeaseUser, float]
    alone: frozenset[LeaseUser] = ALONE
    term_s: float = TERM_S
    patience_s: float = PATIENCE_S


@dataclass(frozen=True, slots=True)
class Lease:
    """A ticket that is held, or waits, since then; without another word it is over at `until`."""

    ticket: str
    user: LeaseUser
    since: float
    until: float


@dataclass(frozen=True, slots=True)
class LeaseUse:
    """Who holds a lease or waits for one, what they declare of what is shared, and for how many seconds by now."""

    user: LeaseUser
    declared: float
    since_s: float


@dataclass(frozen=True, slots=True)
class LeaseState:
    """How a book stands: what is shared, how much of it is declared, who holds a lease and who waits for one."""

    budget: float
    """Gigabytes on a GPU, processors on a CPU."""
    declared: float
    held: tuple[LeaseUse, ...] = ()
    waiting: tuple[LeaseUse, ...] = ()
    device: str = "gpu"
    """gpu or cpu."""


@dataclass(frozen=True, slots=True)
class LeaseBook:
    """Who holds a lease, in the order in which they got it, and who waits, the next one first.

    Nothing is granted before `opens_at`: a book that was lost is written anew by those who hold leases from it.
    """

    terms: LeaseTerms
    opens_at: float = 0.0
    held: tuple[Lease, ...] = ()
    waiting: tuple[Lease, ...] = ()

    def holds(self, ticket: str) -> bool:
        """Whether that ticket has its lease."""
        return any(each.ticket == ticket for each in self.held)

    def waits(self, ticket: str) -> bool:
        """Whether that ticket is in the queue."""
        return any(each.ticket == ticket for each in self.waiting)

    @property
    def declared(self) -> float:
        """What the holders have declared together."""
        return _declared(self.terms, self.held)


def asked(book: LeaseBook, ticket: str, user: LeaseUser, now: float) -> LeaseBook:
    """Somebody asks for a lease; who asks again with the same ticket keeps the place, or the lease."""
    book, until = settled(book, now), now + book.terms.term_s
    if book.holds(ticket) or book.waits(ticket):
        return replace(book, held=_prolonged(book.held, ticket, until), waiting=_prolonged(book.waiting, ticket, until))
    return settled(replace(book, waiting=(*book.waiting, Lease(ticket, user, now, until))), now)


def renewed(book: LeaseBook, ticket: str, user: LeaseUser, now: float) -> LeaseBook:
    """A holder is alive; before the book opens, that is how it learns who holds a lease from the one before."""
    book, until = settled(book, now), now + book.terms.term_s
    if now < book.opens_at and not book.holds(ticket):
        waiting = tuple(each for each in book.waiting if each.ticket != ticket)
        return replace(book, held=(*book.held, Lease(ticket, user, now, until)), waiting=waiting)
    return replace(book, held=_prolonged(book.held, ticket, until))


def returned(book: LeaseBook, ticket: str, now: float) -> LeaseBook:
    """A lease is given back, or not waited for any more."""
    held, waiting = (tuple(each for each in some if each.ticket != ticket) for some in (book.held, book.waiting))
    return settled(replace(book, held=held, waiting=waiting), now)


def settled(book: LeaseBook, now: float) -> LeaseBook:
    """What is over is dropped, and who may have a lease now has it.

    Nobody passes somebody who waits and could not have a lease beside them; so those who come later never keep others
    waiting, unless they are more important.
    """
    held = [each for each in book.held if each.until > now]
    queue = sorted((each for each in book.waiting if each.until > now), key=lambda each: _place(book.terms, each, now))
    if now < book.opens_at:
        return replace(book, held=tuple(held), waiting=tuple(queue))
    waiting: list[Lease] = []
    for each in queue:
        if _fits(book.terms, [*held, *waiting], each):
            held.append(replace(each, since=now, until=now + book.terms.term_s))
        else:
            waiting.append(each)
    return replace(book, held=tuple(held), waiting=tuple(waiting))


def next_change(book: LeaseBook, now: float) -> float | None:
    """When `settled` may next find something else, if nobody says anything; None if it never will."""
    ends = [each.until for each in (*book.held, *book.waiting)]
    turns = [book.opens_at, *(each.since + book.terms.patience_s for each in book.waiting)] if book.waiting else []
    return min([*ends, *(each for each in turns if each > now)], default=None)


def _place(terms: LeaseTerms, each: Lease, now: float) -> tuple[int, float, str]:
    """Those who have waited long first, by when they came; then by importance, and by when they came."""
    is_old = now - each.since >= terms.patience_s
    return (-1 if is_old else USERS.index(each.user), each.since, each.ticket)


def _fits(terms: LeaseTerms, beside: Sequence[Lease], each: Lease) -> bool:
    others = {one.user for one in beside}
    is_let = not (others & terms.alone) and not (others and each.user in terms.alone)
    return is_let and _declared(terms, [*beside, each]) <= terms.budget + 1e-9


def _declared(terms: LeaseTerms, leases: Iterable[Lease]) -> float:
    return sum(terms.declared.get(each.user, 0.0) for each in leases)


def _prolonged(leases: tuple[Lease, ...], ticket: str, until: float) -> tuple[Lease, ...]:
    return tuple(replace(each, until=until) if each.ticket == ticket else each for each in leases)
