"""Uploads: a form with a sound file, which comes in pieces and goes to disk, so that no sound stands in memory."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import BinaryIO, TypeVar

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from deployments.app_context import AppContext
from memory.errors import Invalid, Unavailable, Unreadable
from memory.services.ears import must_be_installed

MOST_FIELDS = 40
"""Fields of a form beside its file (chosen: OpenAI's transcriptions know a dozen)."""
MOST_FIELD = 100_000
"""Bytes of one of them (chosen: a prompt of some pages)."""
LOOK_S = 1.0
"""Seconds between looks whether somebody still waits for what is heard."""
T = TypeVar("T")
log = logging.getLogger("memoray.gateway")


@dataclass(frozen=True, slots=True)
class SoundUpload:
    """A form as it came: its file on disk, and all values of each field."""

    file: BinaryIO
    fields: Mapping[str, Sequence[str]]


@asynccontextmanager
async def received(request: Request, app: AppContext, named: str) -> AsyncIterator[SoundUpload]:
    """The form of a request, whose file is called `named`; it is gone afterwards.

    Before a byte of it is read it is refused where nothing can hear it. Raises Unavailable, also where too many come
    at once, Unreadable of what is no form, and Invalid of one that is damaged or lacks its file.
    """
    must_be_installed(app.ear)
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise Unreadable("Content-Type: send the sound in a form, as multipart/form-data.")
    if app.uploads.locked():
        raise Unavailable("Other sounds are coming in; try again in a moment.", retry_after_s=10)
    async with app.uploads:
        try:
            form = await request.form(max_files=1, max_fields=MOST_FIELDS, max_part_size=MOST_FIELD)
        except HTTPException as error:
            raise Invalid(f"The form cannot be read: {error.detail}") from error
        except ClientDisconnect as error:
            raise Invalid("The form ended before its end.") from error
        except (UnicodeDecodeError, ValueError, KeyError) as error:
            raise Invalid("The form cannot be read.") from error
    try:
        yield _upload(form, named)
    finally:
        await form.close()


def _upload(form: FormData, named: str) -> SoundUpload:
    file = form.get(named)
    if not isinstance(file, UploadFile):
        raise Invalid(f"{named}: is required, as a file.", param=named)
    fields: dict[str, list[str]] = {}
    for name, value in form.multi_items():
        if isinstance(value, str):
            fields.setdefault(name, []).append(value)
    return SoundUpload(file.file, fields)


async def unless_left(request: Request, work: Awaitable[T]) -> T:
    """What comes of work that takes long; it is ended when its caller has left. Raises Unavailable then."""
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=LOOK_S)
            if not task.done() and await request.is_disconnected():
                raise Unavailable("Whoever asked for it has left.")
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
