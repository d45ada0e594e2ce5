"""Edits and removes notes."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.commands import turn
from deployments.kinds import Body, Words
from memory.errors import Invalid, NotFound
from memory.model.changes import ChangeSet
from memory.model.commands import EditNote
from memory.model.facts import Note
from memory.model.timeline import iso

Lifetime = Literal["week", "month", "year", "forever"]


class NoteEdit(Body):
    """The new words; the lifetime stays unless it is given."""

    text: Words
    lifetime: Lifetime | None = None

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"text": "Likes to be called May."}]}}


class WrittenNote(BaseModel):
    """A note as it stands, or as it last stood."""

    note_id: str
    about_id: str
    text: str
    author: str
    created_at: str
    lifetime: Lifetime


async def edit_note(app: AppContext, who: Caller, key: str, note_id: str, body: NoteEdit) -> WrittenNote:
    """Change the words of a note, and its lifetime if one is given. Raises Invalid, NotFound."""
    writing(who)
    if not body.text.strip():
        raise Invalid("text: there are no words in it; DELETE removes a note.")
    known = await _in_sight(app, who, note_id)
    return written(
        await turn(app, who, EditNote(command_id=key, note_id=known, text=body.text, lifetime=body.lifetime))
    )


async def remove_note(app: AppContext, who: Caller, key: str, note_id: str) -> WrittenNote:
    """Remove a note; the answer holds it as it was. It can be undone. Raises NotFound."""
    writing(who)
    return written(await turn(app, who, EditNote(command_id=key, note_id=await _in_sight(app, who, note_id))))


def written(changes: ChangeSet) -> WrittenNote:
    """The note that a command wrote, changed or removed."""
    note = next(change.row for change in changes.changes if isinstance(change.row, Note))
    return WrittenNote(
        note_id=note.note_id,
        about_id=note.about_id,
        text=note.text,
        author=note.author,
        created_at=iso(note.created_at) or "",
        lifetime=note.lifetime,
    )


async def _in_sight(app: AppContext, who: Caller, note_id: str) -> str:
    """A note is as visible as what it is about."""
    about_id = await app.stores.erasure.forgetting.about(who.view, note_id)
    if about_id is None:
        raise NotFound("There is no such note.", note_id=note_id)
    if about_id.startswith("f-"):
        await app.stores.reads.facts.one(who.view, about_id)
    else:
        await app.stores.reads.entities.resolve(who.view, about_id)
    return note_id
