"""What leases keep, whoever keeps them: work is done on them, they end with it, and they can be looked at."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from actors.leases import KeptLeases, OwnBook
from memory.errors import NotFound
from memory.ports import Leases
from memory.rules.leases import USERS, LeaseTerms
from memory.services.leasing import FreeLeases
from tests.fakes.leases import FakeLeases

TERMS = LeaseTerms(10.0, dict.fromkeys(USERS, 1.0))
made = pytest.mark.parametrize(
    "made", [FreeLeases, FakeLeases, lambda: KeptLeases(OwnBook(TERMS), TERMS)], ids=["free", "fake", "kept"]
)


@made
async def test_each_user_may_work_when_nobody_else_does(made: Callable[[], Leases]) -> None:
    leases = made()
    for user in USERS:
        async with leases.lease(user) as granted:
            assert granted
        async with leases.lease(user, patience_s=0.0) as granted:
            assert granted


@made
async def test_what_is_raised_comes_through_and_the_lease_is_over(made: Callable[[], Leases]) -> None:
    leases = made()
    with pytest.raises(NotFound):
        async with leases.lease("sweep"):
            raise NotFound()
    async with leases.lease("live", patience_s=0.0) as granted:
        assert granted


@made
async def test_the_state_tells_who_holds_and_who_waits_or_nothing(made: Callable[[], Leases]) -> None:
    leases = made()
    async with leases.lease("live"):
        state = await leases.state()
    if state is not None:
        assert [each.user for each in state.held] == ["live"]
        assert (state.device, state.declared, state.waiting) == ("gpu", 1.0, ())
