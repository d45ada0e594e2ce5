"""How far PostgreSQL walks from the entities a question names, and what each step counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.embedding.hashing import HashingEmbedder
from adapters.postgres.indexes import PostgresGraph
from adapters.postgres.pool import Pool
from memory.model.entities import Entity, Mention
from memory.model.facts import Fact
from memory.model.working_set import WorkingSet, assemble
from memory.retrieval.query import Probe
from tests.contract.test_index import ANN, NOON, Heard, World, tell
from tests.unit.retrieval.rows import Row

pytestmark = pytest.mark.postgres

CHAIN = ("Adam", "Berta", "Carla", "Dora")
KNOWS = ((0, 1), (2, 1), (2, 3), (2, 0))
"""Adam knows Berta; Carla knows Berta, Dora and, which closes a circle, Adam."""


def knows(number: int, one: int, other: int) -> Fact:
    statement = f"{CHAIN[one]} knows {CHAIN[other]}."
    told = Fact(f"f-{number}", 1, f"e-{one}", statement, "factual", 5, 0.9, NOON, NOON)
    return replace(told, predicate="knows", object=CHAIN[other], object_id=f"e-{other}")


class Acquainted(World):
    """A world in which each is mentioned once, and nothing is evidence."""

    links: tuple[tuple[int, int], ...] = KNOWS[:-1]

    @property
    def believed(self) -> WorkingSet:
        entities = [Entity(f"e-{place}", "person", name, 0.9, NOON) for place, name in enumerate(CHAIN)]
        mentions = [Mention(f"e-{place}", "s", place + 1, NOON, name) for place, name in enumerate(CHAIN)]
        facts = [knows(number, *pair) for number, pair in enumerate(self.links)]
        return assemble("ann", 1, WorkingSet("ann").profile, [*entities, *mentions, *facts])


class Circle(Acquainted):
    """The same, and Carla knows Adam."""

    links = KNOWS


HEARD = tuple(Heard(Row(place + 1, f"{name} waves", order=place, at=NOON)) for place, name in enumerate(CHAIN))


@pytest.mark.parametrize(
    ("world", "asked", "found"),
    [
        (Acquainted(HEARD), "Who is Adam?", {1: 1.0, 2: 0.5, 3: 0.25}),
        (Acquainted(HEARD), "Who are Adam and Carla?", {1: 1.0, 3: 1.0, 2: 0.5, 4: 0.5}),
        (Circle(HEARD), "Who is Adam?", {1: 1.0, 2: 0.5, 3: 0.5, 4: 0.25}),
        (Circle(HEARD), "Who is it?", {}),
    ],
)
async def test_each_of_two_steps_counts_half_and_whoever_was_passed_counts_by_the_shortest_way(
    own_pool: Pool, world: World, asked: str, found: dict[int, float]
) -> None:
    await tell(own_pool, world)
    ranking = await PostgresGraph(own_pool, HashingEmbedder().name).search(ANN, Probe(asked, None))
    assert dict(zip(ranking.keys.tolist(), ranking.scores.tolist(), strict=True)) == found
