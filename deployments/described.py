"""How OpenAPI tells of the token, so that a page or a generated client can ask for it once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI

from deployments.admission import GUARDED

SCHEME = "token"


def with_token(app: FastAPI) -> Callable[[], dict[str, Any]]:
    """The application's description with the token that every guarded route asks for."""
    plain = app.openapi

    def told() -> dict[str, Any]:
        document = plain()
        schemes = document.setdefault("components", {}).setdefault("securitySchemes", {})
        schemes[SCHEME] = {"type": "http", "scheme": "bearer", "description": "What `memoray token` gives."}
        for path, methods in document["paths"].items():
            if path.startswith(GUARDED):
                for operation in methods.values():
                    operation["security"] = [{SCHEME: []}]
        return document

    return told
