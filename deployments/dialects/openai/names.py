"""Names of models in OpenAI's protocol."""

from __future__ import annotations

from collections.abc import Sequence

from deployments.app_context import AppContext
from memory.errors import NotFound

OWN = "memoray"
"""The model that is always there: what memory knows, told by the language model of the settings if they name one."""


def names(app: AppContext) -> list[str]:
    """The models there are."""
    return list(dict.fromkeys((OWN, *(() if app.model is None else (app.model.name,)))))


def known(name: str, there_are: Sequence[str]) -> str:
    """The name of a model that there is. Raises NotFound."""
    if name not in there_are:
        raise NotFound(
            f"There is no such model here; there is {' and '.join(there_are)}.", param="model", code="model_not_found"
        )
    return name
