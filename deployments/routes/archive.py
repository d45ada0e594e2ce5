"""A whole memory, out and in, as one documented archive."""

from __future__ import annotations

from typing import Any

from fastapi import Request, status
from fastapi.responses import StreamingResponse

from deployments.callers import Whole
from deployments.commands import Here
from deployments.routers import json_router
from deployments.use_cases import archives
from deployments.use_cases.archives import Restored

router = json_router("/v1", ["archive"])
MEDIA_TYPE = "application/zip"
_BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}


@router.get("/export", response_class=StreamingResponse, responses={200: {"content": {MEDIA_TYPE: _BINARY}}})
async def export(who: Whole, app: Here) -> StreamingResponse:
    """The whole memory of the user as a ZIP of JSON lines: `manifest.json` first says what is in it.

    Holds everything, whatever its sensitivity: needs clearance sensitive, or an administrator's token. What teams share
    is not in it. Vectors are not either: they are made anew on import.

    Example: `GET /v1/export`
    """
    file, manifest = await archives.export(app, who)
    name = f"memoray-{manifest['exported_at'][:10]}-{manifest['archive_id']}.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Archive-Id": manifest["archive_id"]}
    return StreamingResponse(archives.chunks(file), media_type=MEDIA_TYPE, headers=headers)


@router.post(
    "/import",
    status_code=status.HTTP_201_CREATED,
    response_model=Restored,
    openapi_extra={"requestBody": {"required": True, "content": {MEDIA_TYPE: _BINARY}}},
)
async def restore(request: Request, who: Whole, app: Here) -> Any:
    """Restore an archive into an empty memory, ids, versions and history exactly as they were.

    All of it is read and checked before anything is stored: 422 names the member, line and field that is wrong, and
    leaves the memory as it was. 409 if the memory holds something, or if the archive is another user's. The same
    archive again changes nothing (`already restored`).
    """
    return await archives.restore(app, who, request.stream())
