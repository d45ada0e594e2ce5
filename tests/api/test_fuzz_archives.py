"""A share of `python -m bench.fuzz_archives`: damaged archives, drawn from a seed, break nothing and leave nothing."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from bench import fuzz_archives
from bench.archive_faults import Faults
from tests.api.conftest import Door

pytestmark = pytest.mark.postgres

CASES = int(os.environ.get("MEMORAY_FUZZ_ARCHIVES", "250"))
"""Archives that are drawn; the suite repeats the same ones, a larger number looks at more."""


@pytest.mark.filterwarnings("ignore:Duplicate name")
async def test_no_archive_breaks_it(door: Door) -> None:
    loop = asyncio.get_running_loop()

    def here(call: Callable[[], Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(call(), loop).result()

    def send(method: str, path: str, *, user: str, **rest: Any) -> httpx.Response:
        answer: httpx.Response = here(lambda: door.client.request(method, path, headers={"X-User-Id": user}, **rest))
        if answer.status_code >= 500:
            raise fuzz_archives.Broken(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer

    def fuzz() -> tuple[Counter[int], list[str]]:
        archive, foreign = fuzz_archives.prepare(send, lambda: here(door.settle))
        faults, statuses, broken = Faults(1, foreign), Counter[int](), list[str]()
        for case in range(CASES):
            kind, changed = faults.draw(archive)
            try:
                statuses[fuzz_archives.try_one(send, changed)] += 1
            except fuzz_archives.Broken as error:
                broken.append(f"case {case} ({kind}): {error}")
                here(lambda: door.client.delete("/v1/memory", headers={"X-User-Id": fuzz_archives.USER}))
        return statuses, broken

    statuses, broken = await asyncio.to_thread(fuzz)
    assert broken == []
    assert set(statuses) <= {201, 409, 422}
    assert statuses[201], "some are sound by chance, and what they bring is asked"
    assert statuses[422] > CASES / 2
