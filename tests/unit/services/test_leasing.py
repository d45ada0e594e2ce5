"""Reading by a model that shares the GPU: each batch waits for its lease, and is read on it."""

from __future__ import annotations

import asyncio

from memory.services.leasing import LeasedExtractor
from tests.fakes.extractor import ScriptedExtractor
from tests.fakes.leases import FakeLeases


async def test_a_batch_waits_for_its_lease() -> None:
    leases, own = FakeLeases(), ScriptedExtractor({})
    extractor = LeasedExtractor(own, leases)
    assert extractor.name == own.name
    leases.is_free.clear()
    reading = asyncio.create_task(extractor.read(()))
    await asyncio.sleep(0.05)
    assert not reading.done()
    leases.is_free.set()
    await reading
    assert leases.held == ["extraction"]
