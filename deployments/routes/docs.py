"""GET /docs: every route to read and to try, from files on this machine."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from fastapi import Response
from fastapi.responses import FileResponse, HTMLResponse

from deployments.routers import json_router
from memory.errors import NotFound

router = json_router("/docs", described=False)
FILES = {
    "swagger-ui.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "favicon-32x32.png": "image/png",
}
"""What the page loads of Swagger UI -> its media type."""
POLICY = {
    # Swagger UI styles itself as it goes, which only `unsafe-inline` lets it do; scripts are files alone
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Memoray: the API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="page"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
"""
START = """SwaggerUIBundle({url: "/openapi.json", dom_id: "#page", docExpansion: "none", validatorUrl: null,
  persistAuthorization: false});
"""
"""`validatorUrl` would send the description of this API to somebody else's server."""


@router.get("")
async def page() -> HTMLResponse:
    """The page. "Authorize" takes the token, and forgets it when the page is closed."""
    return HTMLResponse(PAGE, headers=POLICY)


@router.get("/start.js")
async def start() -> Response:
    """What shows the description in the page."""
    return Response(START, media_type="text/javascript", headers=POLICY)


@router.get("/{name}")
async def file(name: str) -> FileResponse:
    """A file of Swagger UI."""
    if name not in FILES:
        raise NotFound("There is no such file; /docs shows the API.")
    return FileResponse(_folder() / name, media_type=FILES[name], headers=POLICY)


@cache
def _folder() -> Path:
    """Where the package keeps Swagger UI. Nothing of the package itself is run."""
    found = find_spec("swagger_ui")
    if found is None:
        raise NotFound("The files of this page are not installed; `make up` installs them.")
    return Path(str(found.origin)).parent / "static"
