"""POST /v1/rebuild: let an index be made anew from the journal."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel

from deployments.callers import Administrator
from deployments.house import House, house_of
from deployments.kinds import Body

router = APIRouter(prefix="/v1", tags=["operation"])


class RebuildIn(Body):
    """Which index of the user's memory: its text, its vectors, its graph, or all of them."""

    what: Literal["text", "vectors", "graph", "all"]


class Rebuilt(BaseModel):
    """What was dropped, and how many pieces of work that has left."""

    what: str
    pending: dict[str, int]


@router.post("/rebuild")
async def rebuild(body: RebuildIn, who: Administrator, house: Annotated[House, Depends(house_of)]) -> Rebuilt:
    """Drop an index of the user's own scope and build it again; nothing that was said or is believed is touched.

    Text and graph are read again from the journal with the next question. Vectors are encoded again in the
    background; until they are there, questions are answered by the other indexes.
    """
    if body.what in ("vectors", "all"):
        await house.stores.capture.drop_vectors(who.scope)
        await house.stores.journal.drop_fact_vectors(who.user_id)
    await house.minds.forget_user(who.user_id)
    await house.minds.wake()
    return Rebuilt(what=body.what, pending=await house.stores.reads.pending(who.view))
