"""What communities are found in, of one memory without a database."""

from __future__ import annotations

from collections.abc import Callable

from memory.model.groups import COMMUNITY, PATTERN, Group
from memory.model.working_set import WorkingSet
from memory.rules.ties import Ties, ties_of


class InMemoryCommunityReads:
    """Reads one memory."""

    def __init__(self, believed: Callable[[], WorkingSet]) -> None:
        self._believed = believed

    async def ties(self, user_id: str) -> Ties:
        """See memory.services.night_communities.CommunityReads."""
        return ties_of(self._believed())

    async def standing(self, user_id: str) -> list[Group]:
        """See memory.services.night_communities.CommunityReads."""
        groups = self._believed().groups.values()
        return sorted((each for each in groups if each.kind in (COMMUNITY, PATTERN)), key=lambda each: each.group_id)
