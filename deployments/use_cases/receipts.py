"""Receipts: what was erased, in which places, and when; readable again for as long as there is a database."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from deployments.app_context import AppContext
from memory.errors import NotFound
from memory.model.erasing import FILES, MEMORY, KeptReceipt
from memory.model.timeline import Instant, iso

HIDDEN = "Hidden until then: a memory that cannot be written at the moment follows as soon as it can."
BACKUPS = "Backups are not rewritten; delete those that may hold it by hand."
SWEPT = ("tables", "indexes", "statistics", "write_ahead_log")
"""Places of the database's own files, which one sweep cleans (adapters/postgres/sweeping.py)."""


class ErasedPlace(BaseModel):
    """One place where it stood: erased at a time, or due by one."""

    place: str
    """words (segments, vectors, search, quotations), session_files, beliefs (facts, entities and history, in the asking
    user's memory, with its captured commands), beliefs_of_others, voice_prints (of a voice alone), tables, indexes,
    statistics, write_ahead_log, backups."""
    erased_at: str | None = None
    due_by: str | None = None
    note: str | None = None


class Receipt(BaseModel):
    """What was erased for good. Facts, entities and vectors are counted in the caller's own memory."""

    receipt_id: str
    """`GET /v1/receipts/{receipt_id}` tells it again, as it stands then."""
    what: str
    id: str
    """Where it is told again: a keyed hash, but of a whole memory its user."""
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
    places: list[ErasedPlace] = []


async def receipt_of(app: AppContext, user_id: str, receipt_id: str, identity: str | None = None) -> Receipt:
    """A receipt of a user as it stands; `identity` is told in the place of the hash. Raises NotFound."""
    kept = await app.stores.erasure.receipts.receipt(user_id, receipt_id)
    if kept is None:
        raise NotFound("There is no such receipt.", receipt_id=receipt_id)
    folder = app.settings.home / "backups"
    backups = len(list(folder.iterdir())) if folder.is_dir() else 0
    known = {name: figure for name, figure in kept.counts.items() if name in Receipt.model_fields}
    places = [*_queued(kept, kept.at + app.settings.erasure.due_s), *_swept(kept, app.settings.erasure.due_s)]
    places += [ErasedPlace(place="backups", note=BACKUPS)] if backups else []
    return Receipt(
        receipt_id=receipt_id,
        what=kept.what,
        id=identity or kept.id,
        at=iso(kept.at) or "",
        backups=backups,
        places=places,
        **known,
    )


def _queued(kept: KeptReceipt, due: Instant) -> list[ErasedPlace]:
    """What the transaction and the queue erase."""
    if kept.what == "voice":
        return [_place("voice_prints", [kept.settled_at], due)]
    own = [each.done_at for each in kept.pieces if each.own and each.task != FILES]
    files = [each.done_at for each in kept.pieces if each.task in (FILES, MEMORY)]
    others = [each.done_at for each in kept.pieces if not each.own]
    at_once = own if kept.what == "entity" else [kept.at]
    found = (("words", at_once), ("session_files", files), ("beliefs", own), ("beliefs_of_others", others))
    return [_place(name, times, due) for name, times in found if times]


def _place(name: str, times: Sequence[Instant | None], due: Instant) -> ErasedPlace:
    done = [each for each in times if each is not None]
    if len(done) == len(times):
        return ErasedPlace(place=name, erased_at=iso(max(done)))
    return ErasedPlace(place=name, due_by=iso(due), note=HIDDEN if name.startswith("beliefs") else None)


def _swept(kept: KeptReceipt, within_s: float) -> list[ErasedPlace]:
    """The database's files: clean once a sweep is over that began when all else was erased."""
    settled, begun = kept.settled_at, kept.swept_from
    over = settled is not None and begun is not None and begun >= settled
    due = iso((settled or kept.at) + within_s)
    places = []
    for name in SWEPT:
        why = kept.denied.get(name)
        if over and why is None:
            places.append(ErasedPlace(place=name, erased_at=iso(kept.swept_at)))
        else:
            places.append(ErasedPlace(place=name, due_by=None if why else due, note=why))
    return places
