"""A night links facts with what was told as their reason, fifty pairs at most."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory.model.timeline import Instant
from memory.rules.causes import CausalSegment, StatedFact
from memory.rules.night_steps import NightName
from memory.services.night_causes import LOOKS_BACK_S, link_causes

OF = NightName("ann", "2026-03-02")
NOW = 1_772_420_400.0


class Told:
    """So many segments, each with a cause and an effect of its own."""

    def __init__(self, count: int) -> None:
        self.count, self.since = count, 0.0

    async def told(self, user_id: str, since: Instant) -> Sequence[CausalSegment]:
        self.since = since
        return [
            CausalSegment(
                f"The pump{number} broke, so we bought filter{number}.",
                (
                    StatedFact(f"a{number}", f"The pump{number} broke"),
                    StatedFact(f"b{number}", f"bought filter{number}"),
                ),
            )
            for number in range(self.count)
        ]


@pytest.mark.conforms("004:causal_links")
@pytest.mark.parametrize(("count", "linked", "more"), [(1, 1, False), (50, 50, False), (51, 50, True)])
async def test_a_night_links_fifty_pairs(count: int, linked: int, more: bool) -> None:
    reads = Told(count)
    found = await link_causes(OF, NOW, reads)
    [command] = found.commands
    assert command.pairs[0] == ("a0", "b0")
    assert (len(command.pairs), found.figures) == (linked, {"linked": linked, "more": more})
    assert reads.since == NOW - LOOKS_BACK_S
    assert (await link_causes(OF, NOW, Told(count))).commands == found.commands


async def test_without_reasons_nothing_is_done() -> None:
    assert (await link_causes(OF, NOW, Told(0))).commands == ()
    assert (await link_causes(OF, NOW, None)).figures == {}
