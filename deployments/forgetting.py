"""Forgetting: a source, an entity or a whole memory leaves every store, index, cache and raw file, with a receipt."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from weakref import WeakValueDictionary

from pydantic import BaseModel

from adapters.capture.erasure import remove_files, session_files, strike_source
from adapters.capture.sessions import Part
from deployments.callers import Caller
from deployments.commands import TOLD, turn
from deployments.house import House
from memory.errors import NotFound
from memory.model.changes import ChangeSet
from memory.model.commands import ForgetEntity, Withdraw
from memory.model.facts import Evidence
from memory.model.ids import command_id
from memory.model.scopes import user_scope
from memory.model.timeline import iso


class Receipt(BaseModel):
    """What was erased for good. Facts, entities and vectors are counted in the caller's own memory."""

    what: str
    id: str
    at: str
    segments: int = 0
    facts: int = 0
    entities: int = 0
    vectors: int = 0
    content: int = 0
    """Pieces of text."""
    files: int = 0
    """Raw session files that were rewritten or removed."""
    captures: int = 0
    """Files of captured commands that were removed; a snapshot without the words has taken their place."""
    backups: int = 0
    """Dumps in the backups folder: they are not rewritten and may still hold it; delete them by hand."""


_LOCKS: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
"""user id -> who forgets, alone: what is erased is told by counting before and after, and a snapshot without the words
takes the place of captured commands, which two must not write at once."""


def _alone(who: Caller) -> asyncio.Lock:
    return _LOCKS.setdefault(who.user_id, asyncio.Lock())


async def forget_source(house: House, who: Caller, source_id: str, key: str) -> Receipt:
    """Forget a source for everybody who reads its scope. Raises NotFound; only a whole id will do."""
    async with _alone(who):
        return await _forget_source(house, who, source_id, key)


async def _forget_source(house: House, who: Caller, source_id: str, key: str) -> Receipt:
    stores = house.stores
    scope, known = await stores.sources.resolve(who.view, source_id, None)
    if known != source_id:
        raise NotFound("There is no such source in this memory.", id=source_id)
    session_id = (await stores.sources.one(who.view, scope, source_id))["session_id"]
    keys, parts = await stores.capture.keys(scope, source_id), await stores.capture.parts(scope, session_id)
    mine, scopes = who.user_id, (scope, user_scope(who.user_id))
    before = await stores.forgetting.vectors(scope, mine, keys), await stores.forgetting.words(scopes)
    readers = sorted({mine, *await stores.capture.readers(scope), *await stores.forgetting.resting(keys)})
    captures = sum([await stores.commands.count(user) for user in readers])
    done = [await _withdraw(house, user, source_id, keys, command_id("forget", key, user)) for user in readers]
    segments = await stores.capture.forget(scope, source_id)
    # what a reading committed in between, on words that stood until now
    for user in await stores.forgetting.resting(keys):
        await _withdraw(house, user, source_id, keys, command_id("forget", key, user, "again"))
    own = done[readers.index(mine)]
    after = await stores.forgetting.vectors(scope, mine, keys), await stores.forgetting.words(scopes)
    files = await _strike(house, scope, session_id, source_id, parts)
    return _receipt(house, "source", source_id, segments=segments, files=files, captures=captures,
                    vectors=max(0, before[0] - after[0]), content=max(0, before[1] - after[1]),
                    facts=_erased(own, "fact"), entities=_erased(own, "entity"))  # fmt: skip


async def forget_entity(house: House, who: Caller, entity_id: str, key: str) -> Receipt:
    """Forget an entity with its mentions, notes and every fact about it or of it.

    What was heard stays as it was; what was told of it alone by a command goes, too.
    """
    async with _alone(who):
        return await _forget_entity(house, who, entity_id, key)


async def _forget_entity(house: House, who: Caller, entity_id: str, key: str) -> Receipt:
    stores, scopes = house.stores, (who.scope,)
    _, known = await stores.entities.resolve(who.view, entity_id)
    before = await stores.forgetting.vectors(who.scope, who.user_id, ()), await stores.forgetting.words(scopes)
    captures = await stores.commands.count(who.user_id)
    done = await turn(house, who, ForgetEntity(key, entity_id=known))
    await stores.forgetting.drop_accesses(who.user_id, _ids(done))
    segments = await _forget_told(house, who, done)
    if segments:  # their words were quoted until now, and the turn's snapshot has them
        await stores.commands.condense(who.user_id)
    after = await stores.forgetting.vectors(who.scope, who.user_id, ()), await stores.forgetting.words(scopes)
    return _receipt(house, "entity", known, segments=segments, captures=captures, facts=_erased(done, "fact"),
                    entities=_erased(done, "entity"), vectors=max(0, before[0] - after[0]),
                    content=max(0, before[1] - after[1]))  # fmt: skip


async def _forget_told(house: House, who: Caller, done: ChangeSet) -> int:
    """Erase the commands' own words of which nothing is believed any more; how many segments those were."""
    capture, count = house.stores.capture, 0
    for source_id in {
        change.row.source_id for change in done.changes if isinstance(change.row, Evidence) and change.after is None
    }:
        if source_id.startswith(f"{TOLD}-"):
            keys = await capture.keys(who.scope, source_id)
            if not await house.stores.forgetting.resting(keys):
                count += await capture.forget(who.scope, source_id)
    return count


async def forget_memory(house: House, who: Caller) -> Receipt:
    """Forget everything of a user. Tokens stay; what a team shares belongs to the team."""
    async with _alone(who):
        return await _forget_memory(house, who)


async def _forget_memory(house: House, who: Caller) -> Receipt:
    user, default = who.user_id, house.settings.auth.default_user
    folders = [user, *([""] if user == default else [])]
    erased = await house.stores.forgetting.memory(user, folders)
    captures = await house.stores.commands.remove(user)
    house.readers = {each for each in house.readers if each[1] != user}
    await house.minds.forget_user(user)
    files = await asyncio.to_thread(remove_files, _transcripts(house), user, default)
    return _receipt(house, "memory", user, files=files, captures=captures, **erased)


async def _withdraw(house: House, user: str, source_id: str, keys: Sequence[int], identity: str) -> ChangeSet:
    once = await house.stores.forgetting.once(user, keys)
    command = Withdraw(identity, segment_keys=tuple(keys), erase=True, source_id=source_id, once=tuple(once))
    done = await house.minds.turn(user, command, {})
    await house.stores.forgetting.drop_accesses(user, [*_ids(done), *map(str, keys)])
    return done


async def _strike(house: House, scope: str, session_id: str, source_id: str, parts: Sequence[Part]) -> int:
    """Take the source out of the session files it came from; how many were changed."""
    kind, _, user = scope.partition(":")
    if kind != "user":
        return 0
    capture, struck = house.stores.capture, 0
    files = session_files(_transcripts(house), user, session_id, house.settings.auth.default_user)
    for key, path in files.items():
        offset = await asyncio.to_thread(strike_source, path, await capture.offset(key), source_id, parts)
        if offset is not None:
            struck += 1
            await (capture.set_offset(key, offset) if path.exists() else house.stores.forgetting.drop_offset(key))
    return struck


def _transcripts(house: House) -> Path:
    return house.settings.home / "transcripts"


def _erased(done: ChangeSet, noun: str) -> int:
    return sum(change.noun == noun and change.after is None for change in done.changes)


def _ids(done: ChangeSet) -> list[str]:
    return [str(each) for each in done.erased]


def _receipt(house: House, what: str, identity: str, **counts: int) -> Receipt:
    folder = house.settings.home / "backups"
    backups = len(list(folder.iterdir())) if folder.is_dir() else 0
    return Receipt(what=what, id=identity, at=iso(house.clock.now()) or "", backups=backups, **counts)
