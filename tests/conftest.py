"""What every test shares: no developer's Ray, one PostgreSQL and one Ray session a process.

`make test` runs two processes, for much of what is tested here waits: a file stays in one of them, and what starts a
whole Ray, end to end or in a session, stays together in one.

Property tests draw the same examples in every run, so that a red suite means a changed product; `make search` draws
new ones.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from tests.rooms import room, sweep

# a busy machine is slow to draw an example or to run it, which tells nothing about either
_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("new", _UNTIMED)
settings.register_profile("same", _UNTIMED, derandomize=True)
settings.load_profile("same")

# Before any import of ray: its default for authentication differs between `ray.init` and `ray start`.
os.environ.setdefault("RAY_AUTH_MODE", "disabled")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.pop("RAY_ADDRESS", None)  # never attach to a developer's running cluster
os.environ.setdefault("OMP_NUM_THREADS", "1")


SHARDS = int(os.environ.get("MEMORAY_TEST_SHARDS", "1"))
"""In how many shards the memories of tests live."""
RAY_TESTS = ("tests/e2e/", "tests/ray/")


class InRooms(LoadScopeScheduling):  # type: ignore[misc]  # no types
    """What is shared out among processes: a file, and what starts a whole Ray as one."""

    def _split_scope(self, nodeid: str) -> str:
        return "ray" if nodeid.startswith(RAY_TESTS) else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> InRooms:
    """How `-n 2` shares out the tests."""
    return InRooms(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What starts a whole Ray comes first: it takes longest, and one process runs all of it."""
    items.sort(key=lambda item: not item.nodeid.startswith(RAY_TESTS))


def pytest_configure(config: pytest.Config) -> None:
    """One process of a run removes what killed runs have left."""
    if not hasattr(config, "workerinput"):
        sweep()


@pytest.fixture(scope="session")
def postgres_dsn() -> Iterator[str]:
    """The DSN of a server that lasts for the run: MEMORAY_TEST_DSN's, or an embedded one with a folder of its own.

    Tests share the server: make a schema or a database of your own in it.
    """
    if given := os.environ.get("MEMORAY_TEST_DSN"):
        yield given
        return
    from adapters.postgres.embedded import EmbeddedPostgres
    from adapters.temporary import vacate

    with room() as home:
        server = EmbeddedPostgres(home)
        yield server.start()
        server.stop()
        vacate(home)


@pytest.fixture(scope="session")
def ray_session() -> Iterator[ModuleType]:
    """A local Ray with four logical CPUs and one logical GPU, the dashboard off, in a namespace of its own."""
    import ray

    ray.init(
        address="local",
        num_cpus=4,
        num_gpus=1,
        include_dashboard=False,
        object_store_memory=100_000_000,
        namespace=f"test-{os.getpid()}",
        log_to_driver=False,
        configure_logging=False,
    )
    yield ray
    ray.shutdown()
