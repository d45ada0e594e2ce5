"""Embeddings: the vectors of texts, as memory itself makes them."""

from __future__ import annotations

import base64
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field
from starlette.responses import Response

from deployments.callers import Reader
from deployments.commands import Here
from deployments.dialects.openai.names import OWN, known
from deployments.kinds import ShortText, Words
from deployments.routers import json_router
from deployments.showing import VisibleJson
from deployments.use_cases.encoding import embed, serving_encoder
from memory.errors import Invalid
from memory.retrieval.packing import tokens

EMBEDDINGS = "/v1/embeddings"
MOST_INPUTS = 2_048
"""Texts of one request for embeddings (OpenAI's own bound)."""
router = json_router(described=False)


def _listed(given: Any) -> Any:
    """One text as a list of one. Lists of tokens are refused: it is not known whose they are."""
    listed = [given] if isinstance(given, str) else given
    if isinstance(listed, list) and any(isinstance(each, int | list) for each in listed):
        raise ValueError("must be a text or a list of texts: tokens are not read, for their tokenizer is not known")
    return listed


class EmbeddingsIn(BaseModel):
    """A request for embeddings."""

    model: ShortText
    input: Annotated[list[Words], Field(min_length=1, max_length=MOST_INPUTS), BeforeValidator(_listed)]
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None


@router.post(EMBEDDINGS)
async def embeddings(body: EmbeddingsIn, _: Reader, app: Here) -> Response:
    """The vectors of texts, as memory itself makes them."""
    encoder = serving_encoder(app)
    name = known(body.model, [OWN, encoder.name])
    if body.dimensions not in (None, encoder.dimensions):
        raise Invalid(f"dimensions: this encoder has {encoder.dimensions}.", param="dimensions", code="invalid_value")
    told: list[Any] = []
    async for vectors in embed(app, body.input):
        told += [
            base64.b64encode(each.tobytes()).decode() if body.encoding_format == "base64" else each.tolist()
            for each in vectors.astype("<f4")
        ]
    read = sum(map(tokens, body.input))
    return VisibleJson(
        {
            "object": "list",
            "data": [{"object": "embedding", "index": place, "embedding": each} for place, each in enumerate(told)],
            "model": name,
            "usage": {"prompt_tokens": read, "total_tokens": read},
        }
    )
