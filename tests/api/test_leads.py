"""POST /v1/ask: the fact that leads an answer does not depend on how many results are shown."""

from __future__ import annotations

from memory.services.answer import NEAREST
from tests.api.conftest import Door
from tests.api.test_assembled_context import talk

LINES = (
    "Jonas is late again. Who is Jonas waiting for?",
    "Who knows where Jonas is? Jonas went to the harbour.",
    "Clara's husband is Jonas.",
    "Jonas bought a drill.",
)


async def test_the_same_fact_leads_however_many_results_are_shown(door: Door) -> None:
    for day, line in enumerate(LINES, 1):
        await door.post("/v1/sources", talk(f"day{day}", f"2026-03-0{day}", ("Tom", line)), 202)
    await door.settle()
    for limit in (1, 3, 50):
        told = await door.post("/v1/ask", {"query": "Who is Jonas?", "limit": limit, "cut": "none"})
        assert told["answer"].splitlines()[0] == "Clara's husband is Jonas"
        assert len(told["results"]) <= limit
        assert told["citations"][0]["source_id"] == "day3"
    unsaid = await door.post("/v1/ask", {"query": "Where does Jonas work?", "cut": "none"})
    first, second, *_ = unsaid["answer"].splitlines()
    assert first == NEAREST
    assert second.startswith('"')
