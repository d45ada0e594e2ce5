"""Erases a source, an entity or a whole memory for good, and returns the receipt."""

from __future__ import annotations

from deployments import forgetting
from deployments.app_context import AppContext
from deployments.callers import Caller, seeing_all, writing
from deployments.receipts import Receipt, receipt_of


async def forget_source(app: AppContext, who: Caller, key: str, source_id: str) -> Receipt:
    """Erase a source with everything that rests on it alone. Raises NotFound; the id must be complete."""
    return await forgetting.forget_source(app, writing(who), source_id, key)


async def forget_entity(app: AppContext, who: Caller, key: str, entity_id: str) -> Receipt:
    """Erase an entity with every fact about it; segments stay. Raises NotFound, Ambiguous."""
    return await forgetting.forget_entity(app, writing(who), entity_id, key)


async def forget_memory(app: AppContext, who: Caller, key: str) -> Receipt:
    """Erase everything of a user. Raises Forbidden if something of this memory is hidden from the caller."""
    return await forgetting.forget_memory(app, seeing_all(writing(who)), key)


async def receipt(app: AppContext, who: Caller, receipt_id: str) -> Receipt:
    """What a deletion has erased so far, place by place, and when the rest is due. Raises NotFound."""
    return await receipt_of(app, who.user_id, receipt_id)
