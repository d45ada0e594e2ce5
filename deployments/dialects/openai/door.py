"""OpenAI's dialect: models, chat completions, embeddings and transcriptions. See docs/howto/use-openai-clients.md."""

from __future__ import annotations

import re
from typing import Any

from deployments.callers import Reader
from deployments.commands import Here
from deployments.dialect import Dialect
from deployments.dialects.openai import chats, embeddings, transcriptions
from deployments.dialects.openai.names import OWN, known, names
from deployments.dialects.openai.telling import response_of
from deployments.routers import json_router, routes_of

router = json_router(described=False)


@router.get("/v1/models")
async def models(_: Reader, app: Here) -> dict[str, Any]:
    """The models there are."""
    return {"object": "list", "data": [_model(name) for name in names(app)]}


@router.get("/v1/models/{name:path}")
async def model(name: str, _: Reader, app: Here) -> dict[str, Any]:
    """One model."""
    return _model(known(name, names(app)))


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": OWN}


router.routes.extend(routes_of(chats.router))
router.routes.extend(routes_of(embeddings.router))
router.routes.extend(routes_of(transcriptions.router))
DIALECT = Dialect(
    name="openai",
    # what is not answered here is spoken too, so that a client reads why: it would take problem details for no reason
    spoken=re.compile(
        r"/v1/(?:models(?:/.*)?|chat/completions|embeddings|completions|responses(?:/.*)?|moderations|audio/.*)",
        re.DOTALL,
    ),
    told=response_of,
    router=router,
    asking=(chats.CHAT, embeddings.EMBEDDINGS),
    uploads=(transcriptions.TRANSCRIPTIONS,),
)
