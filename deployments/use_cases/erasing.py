"""Erasing: a source, an entity or a whole memory leaves every store, index, cache and raw file, with a receipt.

Words go first, in one transaction. What follows is begun at once and waited for as long as it takes one's own memory,
and a moment for others'; whatever is not over by then is carried out from the queue (memory/services/erasing.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.use_cases.receipts import Receipt, receipt_of
from memory.errors import Conflict, DomainError, NotFound, Unavailable
from memory.model.erasing import CapturedSource, ErasureRequest, WithdrawnEntity
from memory.model.events import COMPLETE
from memory.model.heard import KnownSegment
from memory.model.ids import segment_named
from memory.model.sources import SessionPart
from memory.model.timeline import Instant
from memory.services.erasing import Eraser
from memory.services.told import DATABASE

OWN_S = 10.0
"""Seconds that a request waits for the caller's own memory and files."""
OTHERS_S = 1.0
"""Seconds it then waits for the memories of others: they take as long as one's own, unless they cannot be written."""


async def erase_source(app: AppContext, who: Caller, key: str, source_id: str) -> Receipt:
    """Erase a source for everybody who reads its scope. Raises Forbidden, and NotFound: only a whole id will do."""
    writing(who)

    async def begin(receipt_id: str) -> None:
        captured = await _captured(app, who, *await _source_of(app, who, source_id))
        await app.stores.erasure.receipts.source(ErasureRequest(receipt_id, who.user_id), captured)

    receipt_id = await _asked(app, who.user_id, key, "source", source_id, begin)
    await _carry_out(app, who.user_id, receipt_id, who.view.scopes)
    return await _told(app, who, receipt_id, source_id)


async def erase_segment(app: AppContext, who: Caller, key: str, source_id: str, segment_id: str) -> Receipt:
    """Erase one segment for everybody who reads its scope; the last of a source takes that along.

    Raises Forbidden, NotFound, and Conflict for words of a session file: a source leaves its files as a whole.
    """
    writing(who)
    receipts = app.stores.erasure.receipts

    async def begin(receipt_id: str) -> None:
        scope, _, session_id = place = await _source_of(app, who, source_id)
        asked, said = ErasureRequest(receipt_id, who.user_id), await app.stores.reads.sources.segments(scope, source_id)
        if all(segment_id in (each.segment_id, each.replaced_by) for each in said):
            await receipts.source(asked, await _captured(app, who, *place), segment_id)
        elif app.session_files().hold(scope, session_id):
            raise Conflict("These words stand in a session file; forget their whole source.", source_id=source_id)
        else:
            heard = SessionPart(session_id, source_id, *_span(said, segment_id))  # its words lie in no file
            spared = await _spared(app, who, scope, heard)
            await receipts.segment(asked, CapturedSource(*place, (heard,), spared), segment_id)

    receipt_id = await _asked(app, who.user_id, key, "source", segment_named(source_id, segment_id), begin)
    await _carry_out(app, who.user_id, receipt_id, who.view.scopes)
    return await _told(app, who, receipt_id, source_id)


def _span(said: Sequence[KnownSegment], segment_id: str) -> tuple[Instant, Instant]:
    """When a segment, or what it has replaced, began and ended. Raises NotFound if there is none."""
    meant = [each for each in said if segment_id in (each.segment_id, each.replaced_by)]
    if not meant:
        raise NotFound("There is no such segment in this memory any more.")
    return min(each.at for each in meant), max(each.ended_at for each in meant)


async def _asked(
    app: AppContext, user_id: str, key: str, what: str, identity: str, begin: Callable[[str], Awaitable[None]]
) -> str:
    """The receipt of a request, which is begun unless it was before; the same one at the same time begins once."""
    receipt_id, asked = await app.stores.erasure.receipts.asked(user_id, key, what, identity)
    if not asked:
        try:
            await begin(receipt_id)
        except (Conflict, NotFound):  # here or at another gateway, the same request was faster
            if not (await app.stores.erasure.receipts.asked(user_id, key, what, identity))[1]:
                raise
    return receipt_id


async def _source_of(app: AppContext, who: Caller, source_id: str) -> tuple[str, str, str]:
    """Scope, id and session of a source. Raises NotFound; only a whole id will do."""
    scope, known = await app.stores.reads.sources.resolve(who.view, source_id, None)
    if known != source_id:
        raise NotFound(f"What is erased is named whole: {known}.", id=source_id)
    return scope, source_id, (await app.stores.reads.sources.one(who.view, scope, source_id)).session_id


async def _captured(app: AppContext, who: Caller, scope: str, source_id: str, session_id: str) -> CapturedSource:
    """A source in its files. What may be of a source that the caller does not see is left to that one."""
    parts = await app.stores.intake.capture.parts(scope, session_id)
    spared = [
        hidden for each in parts if each.source_id == source_id for hidden in await _spared(app, who, scope, each)
    ]
    kept = {each.source_id for each in spared}
    parts.sort(key=lambda each: each.source_id in kept)
    return CapturedSource(scope, source_id, session_id, tuple(parts), tuple(spared))


async def _spared(app: AppContext, who: Caller, scope: str, part: SessionPart) -> tuple[SessionPart, ...]:
    """What the caller does not see of what was heard in the same session, or by the same device, as a part."""
    if scope != who.scope:  # a team has neither sound nor session files
        return ()
    told = (part.session_id, part.started_at, part.ended_at)
    return tuple(await app.stores.reads.sources.out_of_sight(who.view, *told))


async def erase_entity(app: AppContext, who: Caller, key: str, entity_id: str) -> Receipt:
    """Erase an entity with its mentions, notes and every fact about it or of it.

    What was heard stays as it was; what was told of it alone by a command goes, too. Raises Forbidden and NotFound.
    """
    writing(who)
    known = entity_id

    async def begin(receipt_id: str) -> None:
        nonlocal known
        _, known = await app.stores.reads.entities.resolve(who.view, entity_id)
        await app.stores.erasure.receipts.entity(ErasureRequest(receipt_id, who.user_id), WithdrawnEntity(known, key))
        await _try_entity(app, receipt_id)

    receipt_id = await _asked(app, who.user_id, key, "entity", entity_id, begin)
    await _carry_out(app, who.user_id, receipt_id, who.view.scopes)
    return await _told(app, who, receipt_id, known)


async def _try_entity(app: AppContext, receipt_id: str) -> None:
    """Forget it now. Raises what refuses it for good, and then it was not asked; what may pass is left to the queue."""
    eraser = _eraser(app)
    for task in await app.stores.erasure.receipts.tasks(receipt_id):
        try:
            async with asyncio.timeout(OWN_S):
                await eraser.carry_out(task)
        except TimeoutError:
            await app.stores.erasure.receipts.failed(task, "timeout")
        except DomainError as error:
            if not isinstance(error, Unavailable):
                await app.stores.erasure.receipts.cancel(receipt_id)
                raise
            await app.stores.erasure.receipts.failed(task, error.kind)


async def erase_voice(
    app: AppContext, who: Caller, key: str, voice_id: str, erase: Callable[[], Awaitable[object]]
) -> Receipt:
    """Erase by what a voice is known: `erase` does it between the beginning of the receipt and its end.

    So the pages and the log that hold its prints are swept also if whoever erases them dies. Raises Forbidden.
    """
    writing(who)

    async def begin(receipt_id: str) -> None:
        await app.stores.erasure.receipts.voice(ErasureRequest(receipt_id, who.user_id), voice_id)

    receipt_id = await _asked(app, who.user_id, key, "voice", voice_id, begin)
    await erase()
    await app.stores.erasure.receipts.settled(receipt_id)
    return await _told(app, who, receipt_id, voice_id)


async def erase_memory(app: AppContext, who: Caller, key: str) -> Receipt:
    """Erase everything of a user. Tokens stay; what a team shares belongs to the team. Raises Forbidden."""
    writing(who)
    user, default = who.user_id, app.settings.auth.default_user
    receipts = app.stores.erasure.receipts

    async def begin(receipt_id: str) -> None:
        listed = await asyncio.to_thread(app.session_files().standing, user)
        folders = [user, *([""] if user == default else [])]
        await receipts.memory(ErasureRequest(receipt_id, user), folders, listed)
        app.readers = {each for each in app.readers if each[1] != user}

    receipt_id = await _asked(app, user, key, "memory", user, begin)
    await _carry_out(app, user, receipt_id)
    await app.rings.renew()
    return await receipt_of(app, user, receipt_id, user)


async def _told(app: AppContext, who: Caller, receipt_id: str, identity: str) -> Receipt:
    """The receipt, also as an event. Of a whole memory there is none: nothing of it is left, not even that."""
    receipt = await receipt_of(app, who.user_id, receipt_id, identity)
    app.stores.events.tell(
        who.user_id,
        DATABASE,
        COMPLETE,
        sensitivity=who.view.clearance,
        work="erasure",
        receipt_id=receipt_id,
        segments=receipt.segments,
        facts=receipt.facts,
    )
    await app.rings.renew()
    return receipt


async def _carry_out(app: AppContext, user_id: str, receipt_id: str, scopes: Collection[str] = ()) -> None:
    """Begin with everything that is left for a receipt, and wait for as much as a request may.

    What is held of these scopes is let go of before, and so is what was seen while facts were still on their way out.
    """
    _let_go(app, user_id, scopes)
    eraser, own, others = _eraser(app), list[asyncio.Task[None]](), list[asyncio.Task[None]]()
    for task in await app.stores.erasure.receipts.tasks(receipt_id):
        begun = app.begin(eraser.attempt(task))
        (own if task.user_id == user_id else others).append(begun)
    for tasks, seconds in ((own, OWN_S), (others, OTHERS_S)):
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
    _let_go(app, user_id, scopes)


def _let_go(app: AppContext, user_id: str, scopes: Collection[str]) -> None:
    app.chats.drop(user_id, scopes)
    app.looks.drop(user_id)


def _eraser(app: AppContext) -> Eraser:
    return app.eraser()
