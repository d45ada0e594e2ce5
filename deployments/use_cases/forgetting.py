"""Forgetting for good: a source, an entity, a whole memory; and the receipt of it."""

from __future__ import annotations

from deployments import forgetting
from deployments.callers import Caller, seeing_all, writing
from deployments.house import House
from deployments.receipts import Receipt, receipt_of


async def forget_source(house: House, who: Caller, key: str, source_id: str) -> Receipt:
    """Forget a source with everything that rests on it alone. Raises NotFound; only a whole id will do."""
    return await forgetting.forget_source(house, writing(who), source_id, key)


async def forget_entity(house: House, who: Caller, key: str, entity_id: str) -> Receipt:
    """Forget an entity with every fact about it; what was heard stays. Raises NotFound, Ambiguous."""
    return await forgetting.forget_entity(house, writing(who), entity_id, key)


async def forget_memory(house: House, who: Caller, key: str) -> Receipt:
    """Forget everything of a user. Raises Forbidden if something of this memory is hidden from the caller."""
    return await forgetting.forget_memory(house, seeing_all(writing(who)), key)


async def receipt(house: House, who: Caller, receipt_id: str) -> Receipt:
    """What a deletion has erased by now, place by place, and by when the rest is due. Raises NotFound."""
    return await receipt_of(house, who.user_id, receipt_id)
