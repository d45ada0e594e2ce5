"""POST /v1/ask: a question answered in sentences, with citations."""

from __future__ import annotations

from typing import Any

from deployments.callers import Reader
from deployments.commands import Here
from deployments.routers import json_router
from deployments.use_cases import asking
from deployments.use_cases.asking import Answer, AskIn

router = json_router("/v1", ["context"])


@router.post("/ask", response_model=Answer, response_model_exclude_none=True)
async def answer(body: AskIn, who: Reader, app: Here) -> Any:
    """Answer a question from memory. Without a language model the answer is composed of quoted evidence."""
    return await asking.answer(app, who, body)
