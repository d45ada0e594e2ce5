"""Erases a source, an entity or a whole memory for good, and returns the receipt."""

from __future__ import annotations

from deployments.app_context import AppContext
from deployments.callers import Caller, seeing_all, writing
from deployments.use_cases.erasing import erase_entity, erase_memory, erase_source
from deployments.use_cases.forgetting_voices import forget_voices_of
from deployments.use_cases.receipts import Receipt, receipt_of
from memory.errors import NotFound


async def forget_source(app: AppContext, who: Caller, key: str, source_id: str) -> Receipt:
    """Erase a source with everything that rests on it alone. Raises NotFound; the id must be complete."""
    return await erase_source(app, who, key, source_id)


async def forget_entity(app: AppContext, who: Caller, key: str, entity_id: str) -> Receipt:
    """Erase an entity with every fact about it, and a person with their voice; segments stay.

    Raises NotFound, Ambiguous.
    """
    names = await _names(app, writing(who), entity_id)
    receipt = await erase_entity(app, who, key, entity_id)
    await forget_voices_of(app, who, key, names)
    return receipt


async def _names(app: AppContext, who: Caller, entity_id: str) -> frozenset[str]:
    """How a person is called, so that their voice goes with them; nothing of who was forgotten before.

    Where there are no voices it is not asked: the whole memory would have to come from its shard.
    """
    if not (await app.stores.sound.voices.bank(who.scope)).voices:
        return frozenset()
    try:
        _, known = await app.stores.reads.entities.resolve(who.view, entity_id)
    except NotFound:
        return frozenset()
    entity = (await app.actors.believed(who.user_id)).entities.get(known)
    return entity.names if entity is not None and entity.type == "person" else frozenset()


async def forget_memory(app: AppContext, who: Caller, key: str) -> Receipt:
    """Erase everything of a user. Raises Forbidden if something of this memory is hidden from the caller."""
    return await erase_memory(app, seeing_all(writing(who)), key)


async def receipt(app: AppContext, who: Caller, receipt_id: str) -> Receipt:
    """What a deletion has erased so far, place by place, and when the rest is due. Raises NotFound."""
    return await receipt_of(app, who.user_id, receipt_id)
