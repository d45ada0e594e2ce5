"""Promises: who owes what to whom, and by when."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from deployments.callers import Who
from deployments.house import House, house_of
from deployments.use_cases.promises import Asked, PromiseList, list_promises

router = APIRouter(prefix="/v1", tags=["promises"])


@router.get("/promises")
async def promises(
    asked: Annotated[Asked, Query()], who: Who, house: Annotated[House, Depends(house_of)]
) -> PromiseList:
    """What was promised.

    Example: `GET /v1/promises?state=open&by=Maya`
    """
    return await list_promises(house, who, asked)
