"""Archives taken apart and put together again, so that tests can change them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import httpx
import orjson

from memory.model.scopes import user_scope
from tests.api.conftest import Door
from tests.api.test_forgetting import living_memory

Line = dict[str, Any]


def opened(archive: bytes) -> dict[str, bytes]:
    """Member -> its bytes, in their order."""
    with zipfile.ZipFile(io.BytesIO(archive)) as whole:
        return {name: whole.read(name) for name in whole.namelist()}


def closed(members: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The archive of these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as whole:
        for name, content in members.items():
            whole.writestr(name, content)
    return out.getvalue()


def changed(archive: bytes, member: str, change: Callable[[list[Line]], Any]) -> bytes:
    """An archive with the lines of one member changed in place; `manifest.json` and `profile.json` are one line each.

    The manifest counts what is there then, unless it is what was changed.
    """
    members = opened(archive)
    lines = [orjson.loads(line) for line in members[member].splitlines()] if member.endswith("l") else []
    lines = lines or ([orjson.loads(members[member])] if member.endswith(".json") else [])
    change(lines)
    members[member] = b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines)
    if member.endswith("l"):
        manifest = orjson.loads(members["manifest.json"])
        manifest["counts"][member.removesuffix(".jsonl")] = len(lines)
        members["manifest.json"] = orjson.dumps(manifest)
    return closed(members)


async def exported(door: Door) -> bytes:
    """The archive of the door's user."""
    answer = await door.client.get("/v1/export")
    assert answer.status_code == 200, answer.text
    return answer.content


async def restored(door: Door, archive: bytes, user: str | None = None) -> httpx.Response:
    """What the door answers to an archive, for its own user or for another one."""
    return await door.client.post("/v1/import", content=archive, headers={"X-User-Id": user or door.user})


async def lived(door: Door) -> bytes:
    """A real archive of a memory that has lived, which is empty again."""
    await living_memory(door)
    whole = await exported(door)
    assert (await door.client.delete("/v1/memory")).status_code == 200
    return whole


async def empty(door: Door, user: str | None = None) -> bool:
    """Whether a memory is as if no archive had ever come."""
    user = user or door.user
    rows = await door.rows(
        "SELECT 1 FROM users WHERE user_id = %(user)s AND (version > 0 OR archive_id IS NOT NULL OR profile <> '{}')"
        " UNION ALL SELECT 1 FROM content WHERE scope = %(scope)s"
        " UNION ALL SELECT 1 FROM sources WHERE scope = %(scope)s",
        user=user,
        scope=user_scope(user),
    )
    return not rows
