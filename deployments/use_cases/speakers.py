"""Speakers: what was read from what somebody said follows the name of their voice, and can be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ray.exceptions import RayError

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.commands import turn
from memory.errors import Conflict, DomainError, NothingToUndo
from memory.model.commands import AddAlias, Command, MergeEntities, RenameEntity
from memory.model.entities import Entity
from memory.model.ids import command_id, fold
from memory.model.scopes import Sensitivity
from memory.model.voices import BankChange
from memory.model.working_set import WorkingSet, follow
from memory.rules.voice_bank import undoing


async def following(app: AppContext, who: Caller, key: str, old: str, new: str) -> list[Command]:
    """The commands by which whoever is called `old` becomes the person who is called `new`.

    Their ids follow from the key and from whom they concern: asked for again they are carried out once.
    """
    believed, level = await app.actors.believed(who.user_id), who.view.clearance
    kept = _person(believed, new, level)
    found = [each for each in _persons(believed, old, level) if kept is None or each.entity_id != kept.entity_id]
    commands: list[Command] = []
    for each in found:
        made = command_id("voice", key, each.entity_id)
        if kept is None:
            commands.append(RenameEntity(command_id=made, entity_id=each.entity_id, name=new))
            kept = each
        else:
            commands.append(MergeEntities(command_id=made, winner_id=kept.entity_id, loser_id=each.entity_id))
    if kept is not None and not found and fold(old) not in kept.names:  # what is being read just now still says `old`
        commands.append(AddAlias(command_id=command_id("voice", key, kept.entity_id), entity_id=kept.entity_id, alias=old))
    return commands


def _persons(believed: WorkingSet, name: str, level: Sensitivity) -> list[Entity]:
    """Persons of this name or alias, merges followed, whoever was mentioned most first."""
    ids = believed.names.get(fold(name), ())
    living = {each.entity_id: each for one in ids if (each := follow(believed.entities, one)) is not None}
    found = [each for each in living.values() if each.type == "person" and each.sensitivity <= level]
    return sorted(found, key=lambda each: (-len(believed.mentions.get(each.entity_id, {})), each.entity_id))


def _person(believed: WorkingSet, name: str, level: Sensitivity) -> Entity | None:
    if believed.profile.is_owner(name):
        return next((each for each in believed.entities.values() if each.is_owner and not each.merged_into), None)
    return next(iter(_persons(believed, name, level)), None)


async def carried_out(
    app: AppContext, who: Caller, change: BankChange, commands: Sequence[Command], before: Sequence[str] = ()
) -> list[str]:
    """Change the bank, then the memory; the ids of the turns, those that went `before` included.

    The bank goes first, so that whoever asks again finds what is left to be done. If the memory refuses, the bank is as
    it was.
    """
    ids = [*before, *(each.command_id for each in commands)]
    if change.voices or change.prints:
        await app.stores.voices.commit(who.scope, replace(change, commands=tuple(ids)))
    try:
        for command in commands:
            await turn(app, who, command)
    except (DomainError, RayError):
        await _as_it_was(app, who, change, ids)
        raise
    return ids


async def _as_it_was(app: AppContext, who: Caller, change: BankChange, ids: Sequence[str]) -> None:
    back = command_id("voice refused", change.change_id)
    await taken_back(app, who, back, ids)
    if change.voices or change.prints:
        await app.stores.voices.commit(who.scope, undoing(change, back, app.clock.now()))


async def taken_back(app: AppContext, who: Caller, key: str, commands: Sequence[str]) -> list[str]:
    """Undo turns of the memory, the last one first, as far as they still stand; the ids of the turns that did."""
    undone = []
    for each in reversed(commands):
        made = command_id("voice undo", key, each)
        try:
            await app.actors.undo(who.user_id, made, each, "user", partly=True)
        except (Conflict, RayError) as error:
            if not isinstance(getattr(error, "cause", None) or error, NothingToUndo):
                raise
        else:
            undone.append(made)
    return undone
