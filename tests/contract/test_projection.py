"""The contract of the Projection port, on every implementation.

An implementation joins by a name and a function in `TRUTHS` that gives the journal it follows, and how it is made.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass

import pytest

from memory.errors import Stale
from memory.model.scopes import Sensitivity, View
from memory.ports import Feed, Keys, Projection
from memory.retrieval.batches import SegmentBatch
from memory.retrieval.pieces import Encoded
from memory.retrieval.projected import ORIGIN, Position, ProjectionBatch
from memory.retrieval.registry import LEGS
from memory.services.project import follow, run
from tests.contract.followed import BELIEVED, CELLO, NEXT, TOLD, VIOLIN, Life, Listed, Paged, Stored, Truth

TRUTHS: dict[str, Callable[[pytest.FixtureRequest], Truth]] = {
    "columns": lambda request: Listed(),
    "page": lambda request: Paged(),
    "postgres": lambda request: Stored(request.getfixturevalue("pool")),
}


@pytest.fixture(params=["columns", "page", pytest.param("postgres", marks=pytest.mark.postgres)])
def truth(request: pytest.FixtureRequest) -> Truth:
    return TRUTHS[request.param](request)


@pytest.fixture
def life(truth: Truth, user: str) -> Life:
    return Life(truth, user)


async def test_it_is_called_something_and_serves_registered_legs(life: Life) -> None:
    assert life.built.name
    assert life.built.generation == life.generation
    names = [each.name for each in life.built.serves]
    assert len(names) == len(set(names))
    assert TOLD & set(names)
    assert set(names) <= {leg.name for leg in LEGS}


async def test_nothing_is_held_of_a_scope_that_nobody_wrote_to(life: Life) -> None:
    assert await life.built.positions([life.scope, "team:nobody"]) == {}
    assert await life.keys() == life.all_of()
    assert await life.follows() == ORIGIN


async def test_what_was_applied_is_found_and_the_position_says_so(life: Life) -> None:
    violin = await life.told("a", VIOLIN)
    await life.believes(violin)
    held = await life.follows()
    [truth] = (await life.truth.feed(life.generation).positions([life.scope])).values()
    assert held == truth._replace(believed=1)
    assert held.heard > 0 < held.encoded
    assert await life.keys() == life.all_of(violin)


async def test_what_comes_later_is_found_later(life: Life) -> None:
    violin = await life.told("a", VIOLIN)
    await life.believes(violin)
    before = await life.follows()
    cello = await life.told("b", CELLO)
    await life.believes(cello)
    after = await life.follows()
    assert all(late > early for early, late in zip(before, after, strict=True))
    assert await life.keys() == life.all_of(violin, cello)


async def test_what_was_forgotten_leaves(life: Life) -> None:
    violin, cello = await life.told("a", VIOLIN), await life.told("b", CELLO)
    await life.follows()
    await life.truth.forget(violin)
    await life.follows()
    assert await life.said() == life.all_of(cello, besides=BELIEVED)


async def test_following_twice_is_following_once(life: Life) -> None:
    await life.believes(await life.told("a", VIOLIN))
    once, answers = await life.follows(), await life.answers()
    assert await life.follows() == once
    assert await life.answers() == answers


async def test_batches_that_are_known_already_change_nothing(life: Life) -> None:
    await life.told("a", VIOLIN)
    feed = life.truth.feed(life.generation)
    aim = (await feed.positions([life.scope]))[life.scope]
    first_run = [each async for each in run(feed, life.scope, ORIGIN, aim)]
    await life.follows()
    await life.told("b", CELLO)
    held, answers = await life.follows(), await life.answers()
    for each in first_run:
        await life.built.apply(each)
    assert await life.held() == held
    assert await life.answers() == answers


async def test_a_batch_from_beyond_its_position_is_refused(life: Life) -> None:
    await life.told("a", VIOLIN)
    held, answers = await life.follows(), await life.answers()
    beyond = held._replace(heard=held.heard + 1)
    with pytest.raises(Stale):
        await life.built.apply(ProjectionBatch(life.scope, beyond, beyond._replace(heard=beyond.heard + 1)))
    turned = held._replace(believed=held.believed + 1)
    with pytest.raises(Stale):
        await life.built.apply(ProjectionBatch(life.scope, turned, turned._replace(believed=turned.believed + 1)))
    assert await life.held() == held
    assert await life.answers() == answers


async def test_a_run_is_numbered_and_its_last_batch_alone_carries_the_position(life: Life) -> None:
    await life.told("a", VIOLIN)
    feed = life.truth.feed(life.generation)
    aim = (await feed.positions([life.scope]))[life.scope]
    batches = [each async for each in run(feed, life.scope, ORIGIN, aim)]
    assert [each.number for each in batches] == list(range(len(batches)))
    assert len(batches) > 1
    assert [each.until for each in batches] == [*([ORIGIN] * (len(batches) - 1)), aim]
    assert {each.since for each in batches} == {ORIGIN}


class Broken(Exception):
    """The connection is gone."""


@dataclass
class LosingReplies:
    """A projection whose replies are lost: what it was told is done, and nobody learns of it."""

    there: Projection
    left: int

    @property
    def name(self) -> str:
        return self.there.name

    @property
    def generation(self) -> str:
        return self.there.generation

    @property
    def serves(self) -> Sequence:
        return self.there.serves

    async def positions(self, scopes: Sequence[str]) -> Mapping[str, Position]:
        return await self.there.positions(scopes)

    async def apply(self, told: ProjectionBatch) -> None:
        await self.there.apply(told)
        await self._lose()

    async def drop(self, scope: str) -> None:
        await self.there.drop(scope)
        await self._lose()

    async def _lose(self) -> None:
        self.left -= 1
        if self.left >= 0:
            raise Broken


@pytest.mark.parametrize("lost", range(4))
async def test_a_lost_reply_costs_a_look_at_the_position(life: Life, lost: int) -> None:
    violin = await life.told("a", VIOLIN)
    await life.believes(violin)
    losing = LosingReplies(life.built, lost)
    for _ in range(lost + 1):
        try:
            await life.follows(losing)
        except Broken:
            continue
        break
    assert await life.held() == await life.follows()
    assert await life.keys() == life.all_of(violin)
    fresh = life.truth.projection(life.generation)
    await life.follows(fresh)
    assert await life.answers() == await life.answers(fresh)


@dataclass(frozen=True)
class BreakingFeed:
    """Breaks when vectors are asked for: words have gone out by then."""

    whole: Feed

    async def positions(self, scopes: Sequence[str]) -> Mapping[str, Position]:
        return await self.whole.positions(scopes)

    async def removed(self, scope: str, since: int) -> Keys:
        return await self.whole.removed(scope, since)

    def changed(self, scope: str, since: int) -> AsyncIterator[tuple[Sensitivity, SegmentBatch]]:
        return self.whole.changed(scope, since)

    async def changed_vectors(self, scope: str, since: int, keys: Keys) -> AsyncIterator[tuple[Keys, Encoded]]:
        raise Broken
        yield


async def test_a_run_that_breaks_off_leaves_the_position_and_nothing_that_was_forgotten_since(life: Life) -> None:
    violin, cello = await life.told("a", VIOLIN), await life.told("b", CELLO)
    feed = life.truth.feed(life.generation)
    await life.built.drop(life.scope)
    with pytest.raises(Broken):
        await follow(life.built, BreakingFeed(feed), life.scope)
    assert await life.held() == ORIGIN
    await life.truth.forget(violin)
    await follow(life.built, feed, life.scope)
    assert await life.said() == life.all_of(cello, besides=BELIEVED)


async def test_a_dropped_scope_is_out_of_sight_and_can_be_read_again(life: Life) -> None:
    violin = await life.told("a", VIOLIN)
    await life.believes(violin)
    held, answers = await life.follows(), await life.answers()
    for _ in range(2):  # a lost reply: dropped again
        await life.built.drop(life.scope)
        assert await life.keys() == life.all_of()
        assert await life.built.positions([life.scope]) == {}
    assert await life.follows() == held
    assert await life.answers() == answers


async def test_dropping_leaves_other_scopes_alone(life: Life) -> None:
    violin = await life.told("a", VIOLIN)
    team = f"team:{life.user}"
    cello = await life.told("b", CELLO, team)
    await life.follows()
    await follow(life.built, life.truth.feed(life.generation), team)
    await life.built.drop(life.scope)
    await life.built.drop("team:nobody")
    assert await life.held(scope=team) != ORIGIN
    both = View(life.user, (life.user,))
    assert await life.said(both) == life.all_of(cello, besides=BELIEVED)
    await life.follows()
    assert await life.said(both) == life.all_of(violin, cello, besides=BELIEVED)


async def test_a_generation_is_built_beside_the_one_that_answers(life: Life) -> None:
    violin = await life.told("a", VIOLIN)
    await life.believes(violin)
    await life.follows()
    answers = await life.answers()
    following = life.truth.projection(NEXT)
    await life.truth.encode(violin, NEXT)
    await life.follows()
    assert await life.answers() == answers
    assert await life.follows(following) == await life.held()
    assert await life.answers() == answers
    assert await life.answers(following) == answers, "the same words and vectors"
    await life.built.drop(life.scope)
    assert await life.keys() == life.all_of()
    assert await life.answers(following) == answers
    assert await life.held(following) != ORIGIN
