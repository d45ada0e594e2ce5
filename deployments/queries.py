"""Queries: all parameters of a URL, checked by one model at once.

FastAPI looks anew, with every request, at what each parameter is declared to be. For the fifteen of a question that
took a third of all that lies between uvicorn and the answer (docs/decisions/0047).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

from fastapi import Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from deployments.kinds import Id

Model = TypeVar("Model", bound=BaseModel)
TeamId = Annotated[Id | None, Query(description="Of the team whose source is meant; default: the user's own first.")]


def query_of(model: type[Model]) -> Callable[[Request], Awaitable[Model]]:
    """A dependency: the parameters as this model; of a name that is given twice, the last. 422 if it refuses them.

    It stands behind the caller's among a route's: dependencies are met in order, and who is not known learns no more.
    """

    async def checked(request: Request) -> Model:
        try:
            return model.model_validate(dict(request.query_params))
        except ValidationError as error:
            refused = error.errors(include_url=False)
            raise RequestValidationError([{**each, "loc": ("query", *each["loc"])} for each in refused]) from None

    return checked


def described(model: type[BaseModel]) -> dict[str, Any]:
    """The same parameters as OpenAPI tells them."""
    schema = model.model_json_schema()
    required = schema.get("required", ())
    return {
        "parameters": [
            {"name": name, "in": "query", "required": name in required, "schema": told}
            | ({"description": told["description"]} if "description" in told else {})
            for name, told in schema["properties"].items()
        ]
    }
