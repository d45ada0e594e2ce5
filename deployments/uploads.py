"""Uploads: a form with a sound file, which comes in pieces and goes to disk, so that no sound stands in memory."""

from __future__ import annotations

import asyncio
import logging
import tempfile
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
    if not _is_form(request):
        raise Unreadable("Content-Type: send the sound in a form, as multipart/form-data.")
    async with _form(request, app) as form:
        yield _upload(form, named)


@asynccontextmanager
async def received_sound(request: Request, app: AppContext, named: str) -> AsyncIterator[BinaryIO]:
    """The sound of a request, on disk: its body, or the file of its form that is called `named`.

    Raises Unavailable where too many come at once, and Invalid of what ends early or lacks its file.
    """
    if _is_form(request):
        async with _form(request, app) as form:
            yield _upload(form, named).file
        return
    with tempfile.TemporaryFile() as file:
        async with _one_of_few(app):
            try:
                async for block in request.stream():
                    await asyncio.to_thread(file.write, block)
            except ClientDisconnect as error:
                raise Invalid("The sound ended before its end.") from error
        file.seek(0)
        yield file


def _is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").lower().startswith("multipart/form-data")


def _one_of_few(app: AppContext) -> asyncio.Semaphore:
    """Held by whoever sends a sound. Raises Unavailable where too many do."""
    if app.uploads.locked():
        raise Unavailable("Other sounds are coming in; try again in a moment.", retry_after_s=10)
    return app.uploads


@asynccontextmanager
async def _form(request: Request, app: AppContext) -> AsyncIterator[FormData]:
    async with _one_of_few(app):
        try:
            form = await request.form(max_files=1, max_fields=MOST_FIELDS, max_part_size=MOST_FIELD)
        except HTTPException as error:
            raise Invalid(f"The form cannot be read: {error.detail}") from error
        except ClientDisconnect as error:
            raise Invalid("The form ended before its end.") from error
        except (UnicodeDecodeError, ValueError, KeyError) as error:
            raise Invalid("The form cannot be read.") from error
    try:
        yield form
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
