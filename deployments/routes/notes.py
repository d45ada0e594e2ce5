"""Notes: remarks are edited and removed."""

from __future__ import annotations

from typing import Any

from deployments.callers import Who
from deployments.commands import Here, Key
from deployments.kinds import Id
from deployments.routers import json_router
from deployments.use_cases import notes
from deployments.use_cases.notes import NoteEdit, WrittenNote

router = json_router("/v1/notes", ["notes"])


@router.put("/{note_id}", response_model=WrittenNote)
async def edit_note(note_id: Id, body: NoteEdit, who: Who, app: Here, key: Key) -> Any:
    """Change the words of a note, and its lifetime if one is given."""
    return await notes.edit_note(app, who, key, note_id, body)


@router.delete("/{note_id}", response_model=WrittenNote)
async def remove_note(note_id: Id, who: Who, app: Here, key: Key) -> Any:
    """Remove a note; the answer holds it as it was. It can be undone.

    Example: `DELETE /v1/notes/n-0a1b2c3d4e5f6071`
    """
    return await notes.remove_note(app, who, key, note_id)
