"""Forgetting for good: a source, an entity, a whole memory."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from deployments.callers import Who, Whole
from deployments.commands import Here, Key
from deployments.kinds import Id
from deployments.routers import json_router
from deployments.use_cases import forgetting
from deployments.use_cases.receipts import Receipt

router = json_router("/v1", ["forgetting"])
WholeId = Annotated[Id, Path(description="The whole id: a beginning will not do.")]


@router.delete("/sources/{source_id:path}", response_model=Receipt)
async def delete_source(source_id: WholeId, who: Who, app: Here, key: Key) -> Receipt:
    """Forget a source for good, with everything that rests on it alone. There is no undo; telling it again is new.

    Its words are gone with the answer; `places` tells when each place was cleaned, or by when it will be.

    Example: `DELETE /v1/sources/breakfast`
    """
    return await forgetting.forget_source(app, who, key, source_id)


@router.delete("/entities/{entity_id}", response_model=Receipt)
async def delete_entity(entity_id: Id, who: Who, app: Here, key: Key) -> Receipt:
    """Forget an entity for good, with every fact about it. What was heard stays: delete its sources to erase that.

    Example: `DELETE /v1/entities/e-0a1b2c3d4e5f6071`
    """
    return await forgetting.forget_entity(app, who, key, entity_id)


@router.delete("/memory", response_model=Receipt)
async def delete_memory(who: Whole, app: Here, key: Key) -> Receipt:
    """Forget everything of this user for good. Needs a token from which nothing of this memory is hidden.

    Example: `DELETE /v1/memory`
    """
    return await forgetting.forget_memory(app, who, key)


@router.get("/receipts/{receipt_id}", response_model=Receipt)
async def receipt(receipt_id: Id, who: Who, app: Here) -> Receipt:
    """What a deletion has erased by now, place by place, and by when the rest is due.

    Example: `GET /v1/receipts/r-0a1b2c3d4e5f60718293a4b5c6d7e8f9`
    """
    return await forgetting.receipt(app, who, receipt_id)
