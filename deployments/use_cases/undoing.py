"""Undoing: what was asked of the memory is reversed, as far as it can be; or a whole night."""

from __future__ import annotations

from datetime import date

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller, seeing_all, sees_all, writing
from deployments.kinds import Body, Id
from memory.errors import Invalid, NothingToUndo
from memory.model.changes import ChangeSet
from memory.model.commands import Undo
from memory.model.entities import Entity
from memory.model.facts import Fact, Note
from memory.model.groups import Group
from memory.model.profile import Profile
from memory.rules.night_steps import ACTOR as NIGHT
from memory.services.undoing_nights import undo_night


class Undoing(Body):
    """Which command, or which night; by default the owner's last command that changed something."""

    command_id: Id | None = None
    night: date | None = None


class Undone(BaseModel):
    """The command that was reversed, and how many rows that put back.

    Of a night `undoes` is null and `commands` is the number that were reversed. `skipped` names what has changed since
    and was left as it is: ids of facts, entities, notes and sources, and of commands whose words were erased.
    """

    command_id: str
    undoes: str | None
    changes: int
    night: date | None = None
    commands: int = 1
    skipped: list[str] = []


async def undo(app: AppContext, who: Caller, key: str, body: Undoing) -> Undone:
    """Reverse a command, or a night. Raises Forbidden of a caller that may only read.

    Raises Conflict if there is none in the caller's sight, if it was undone before, or if words were erased for good;
    for a night NotFound if it was not run, and Forbidden of a caller that does not see all it has changed.
    """
    who = writing(who)
    if body.night is not None:
        return await _undo_night(app, who, key, body, body.night)
    undone_id = body.command_id if sees_all(who) else await _in_sight(app, who, body.command_id)
    changes = await app.actors.undo(who.user_id, key, undone_id, "user")
    return Undone(command_id=changes.command_id, undoes=changes.undoes, changes=len(changes.changes))


async def _undo_night(app: AppContext, who: Caller, key: str, body: Undoing, night: date) -> Undone:
    if body.command_id is not None:
        raise Invalid("Give a command or a night, not both.")
    done = await undo_night(seeing_all(who).user_id, night, key, app.stores.nights.kept, app.actors)
    return Undone(
        command_id=key,
        undoes=None,
        changes=done.changes,
        night=night,
        commands=done.commands,
        skipped=list(done.skipped),
    )


async def _in_sight(app: AppContext, who: Caller, undone_id: str | None) -> str:
    """The id of the command that is meant, by default the last one. Raises NothingToUndo if the caller sees none.

    A night's step is no single caller's: it works on the whole memory.
    """
    done = await app.stores.memory.journal.committed(who.user_id, undone_id)
    if done is not None and done.actor != NIGHT and await _sees_what_it_did(app, who, done):
        return done.command_id
    if undone_id is None:
        raise NothingToUndo()
    raise NothingToUndo("There is no such command, or nothing of it is left to undo.", command_id=undone_id)


async def _sees_what_it_did(app: AppContext, who: Caller, done: ChangeSet) -> bool:
    """Whether a command is known to who sees so much: all facts that it was about, or else something it changed.

    What follows from a command may be out of the sight of whoever gave it, as when a name that only more sensitive
    words have used becomes somebody's. If that kept them from taking it back, it would tell them of it.
    """
    rows = [change.row for change in done.changes]
    facts = {row.fact_id for row in rows if isinstance(row, Fact)}
    about = {each for outcome in done.outcomes for each in (outcome.fact_id, *outcome.rivals)}
    if done.kind == Undo.__name__:  # it tells no outcomes; what it has taken back was about some of these
        about = facts
    history = app.stores.reads.history
    if about:
        return about <= (await history.statements(who.view, about)).keys()
    named = {row.entity_id for row in rows if isinstance(row, Entity)}
    named |= {row.about_id for row in rows if isinstance(row, Note)}
    if await history.statements(who.view, facts | named) or await history.names(who.view, named):
        return True
    groups = any(isinstance(row, Group) and row.sensitivity <= who.view.clearance for row in rows)
    return groups or any(isinstance(row, Profile) for row in rows)
