"""Facts, read: what is believed or was, at any point of either time axis, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel

from deployments.callers import Who
from deployments.house import House, house_of
from deployments.kinds import Id, Moment, ShortText
from deployments.paging import Part, cursor_of
from memory.model.facts import NOTE_LIFETIME_DAYS
from memory.model.shown import History
from memory.model.timeline import DAY_S, Instant, iso
from memory.rules.decay import stability

router = APIRouter(prefix="/v1", tags=["facts"])
Kind = Literal["factual", "preference", "procedural", "architectural", "opinion", "meta"]
Status = Literal["active", "superseded", "invalidated", "forgotten", "pruned", "all"]
EVERY_STATUS = ("active", "superseded", "invalidated", "forgotten", "pruned")
HELD = ("active", "superseded")
"""What is the case now, or was until something took its place."""
_FACT = {
    "fact_id": "f-0a1b2c3d4e5f6071",
    "subject": "Maya",
    "predicate": "lives_in",
    "object": "Lisbon",
    "slot": None,
    "statement": "Maya lives in Lisbon.",
    "kind": "factual",
    "confidence": 0.8,
    "importance": 6,
    "strength": 0.76,
    "status": "active",
    "state": "active",
    "valid_from": "2026-02-01T00:00:00Z",
    "valid_to": None,
    "system_from": "2026-03-01T08:00:05Z",
    "system_to": None,
    "supersedes": ["f-1122334455667788"],
    "superseded_by": [],
    "sources": [{"source_id": "breakfast", "segment_id": "1", "quote": "I moved to Lisbon last month."}],
}


class Cited(BaseModel):
    """Words a fact rests on; without a segment they were told by a command."""

    source_id: str
    segment_id: str | None
    quote: str


class FactOut(BaseModel, json_schema_extra={"examples": [_FACT]}):
    """One version of a fact: `valid_*` is when it was true, `system_*` when believed; half-open, null is open."""

    fact_id: str
    subject: str
    predicate: str | None
    object: str | None
    slot: str | None
    statement: str
    kind: str
    confidence: float
    importance: int
    strength: float
    status: str
    state: str
    valid_from: str
    valid_to: str | None
    system_from: str
    system_to: str | None
    supersedes: list[str]
    superseded_by: list[str]
    sources: list[Cited]


class FactList(BaseModel):
    """Facts, the latest valid first; `total` counts them all, `cursor` leads to the next part."""

    facts: list[FactOut]
    total: int
    cursor: str | None


class NoteOut(BaseModel):
    """A remark on an entity or a fact."""

    note_id: str
    text: str
    author: str
    created_at: str
    lifetime: str


class Said(Cited):
    """The whole utterance a fact was read from."""

    source_kind: str | None
    speaker: str | None
    at: str
    text: str | None


class LinkedFact(BaseModel):
    """Another fact this one is linked with."""

    fact_id: str
    statement: str
    status: str


class LinkedEntity(BaseModel):
    """An entity a fact speaks of."""

    entity_id: str
    entity_type: str
    name: str
    role: str


class ChangeOut(BaseModel):
    """One change: the turn that made it (a position in the journal), who asked for it, and why."""

    turn: int
    at: str
    actor: str
    command: str
    command_id: str
    undoes: str | None
    noun: str
    reason: str
    version: int | None
    confidence: float | None
    status: str | None
    valid_from: str | None
    valid_to: str | None


class Explained(BaseModel):
    """Why a fact is believed: the words, who judged them, what stands against it, and every change since."""

    fact: FactOut
    judged_by: str
    protected: bool
    stability: float
    words: list[Said]
    disputes: list[LinkedFact]
    supersedes: list[LinkedFact]
    superseded_by: list[LinkedFact]
    similar: list[LinkedFact]
    entities: list[LinkedEntity]
    notes: list[NoteOut]
    changes: list[ChangeOut]
    text: str


class Asked(Part):
    """The parameters of a list of facts."""

    subject: Annotated[ShortText | None, Query(description="Name, alias or id of the entity it is about.")] = None
    predicate: ShortText | None = None
    kind: Kind | None = None
    status: Annotated[Status | None, Query(description="Default: active; with as_of also superseded.")] = None
    as_of: Annotated[Moment | None, Query(description="What was true then.")] = None
    known_as_of: Annotated[Moment | None, Query(description="What was believed then.")] = None


@router.get("/facts")
async def facts(asked: Annotated[Asked, Query()], who: Who, house: Annotated[House, Depends(house_of)]) -> FactList:
    """What is believed; with `as_of` what was true then, with `known_as_of` what was believed then.

    Example: `GET /v1/facts?subject=Maya&predicate=lives_in&as_of=2026-01-15T00:00:00Z`
    """
    page = await house.stores.facts.page(
        who.view,
        _statuses(asked),
        asked.limit,
        subject=asked.subject,
        predicate=asked.predicate,
        kind=asked.kind,
        as_of=asked.as_of,
        known=asked.known_as_of,
        **asked.place(),
    )
    return FactList(facts=shown_facts(page.shown, house.clock.now()), total=page.total, cursor=cursor_of(page.last))


def _statuses(asked: Asked) -> Sequence[str]:
    if asked.status == "all":
        return EVERY_STATUS
    if asked.status is not None:
        return (asked.status,)
    return ("active",) if asked.as_of is None else HELD


@router.get("/facts/{fact_id}")
async def fact(fact_id: Id, who: Who, house: Annotated[House, Depends(house_of)]) -> FactOut:
    """One fact as it is believed now, whatever its status; by its id or the beginning of it."""
    return shown_facts([await house.stores.facts.one(who.view, fact_id)], house.clock.now())[0]


@router.get("/facts/{fact_id}/explain")
async def explain(fact_id: Id, who: Who, house: Annotated[House, Depends(house_of)]) -> Explained:
    """Why a fact is believed, down to the words, and every change it has been through; `text` says it in lines."""
    now = house.clock.now()
    history = await house.stores.facts.history(who.view, fact_id)
    notes = await house.stores.entities.notes(who.view, history.fact["fact_id"])
    fact = shown_facts([history.fact], now)[0]
    links = {name: _linked(history, *rule) for name, rule in _LINKS.items()}
    explained = Explained(
        fact=fact,
        judged_by=history.fact["judged_by"],
        protected=history.fact["protected"],
        stability=history.fact["stability"],
        words=[Said(**{**row, "at": iso(row["at"])}) for row in history.words],
        entities=[LinkedEntity(**row) for row in history.entities],
        notes=shown_notes(notes, now),
        changes=[_change(row) for row in history.changes],
        text="",
        **links,
    )
    return explained.model_copy(update={"text": "\n".join(_told(explained))})


_LINKS: dict[str, tuple[str, bool | None]] = {
    "disputes": ("disputes", None),
    "supersedes": ("supersedes", True),
    "superseded_by": ("supersedes", False),
    "similar": ("similar", None),
}
"""Field -> kind of link, and whether it goes out from the fact (None: either way)."""


def _linked(history: History, kind: str, outgoing: bool | None) -> list[LinkedFact]:
    return [
        LinkedFact(fact_id=row["fact_id"], statement=row["statement"] or "", status=row["status"])
        for row in history.links
        if row["kind"] == kind and outgoing in (None, row["outgoing"])
    ]


def _change(row: Mapping[str, Any]) -> ChangeOut:
    times = {name: iso(row[name]) for name in ("at", "valid_from", "valid_to")}
    return ChangeOut(**{**row, **times})


def shown_facts(rows: Sequence[Mapping[str, Any]], now: Instant) -> list[FactOut]:
    """Rows of facts as they are sent, with their strength at `now`."""
    columns = [np.array([row[name] for row in rows], np.float64) for name in ("confidence", "stability", "system_from")]
    protected = np.array([row["protected"] for row in rows], np.bool_)
    strengths = stability(columns[0], columns[1], columns[2], protected, now)
    return [_shown(row, float(strength)) for row, strength in zip(rows, strengths, strict=True)]


def _shown(row: Mapping[str, Any], strength: float) -> FactOut:
    words = {
        "subject": row["subject"] or "",
        "statement": row["shown_statement"] or "",
        "object": row["shown_object"],
        "slot": row["shown_slot"],
    }
    times = {name: iso(row[name]) for name in ("valid_from", "valid_to", "system_from", "system_to")}
    return FactOut(**{**row, **words, **times, "strength": round(strength, 4)})


def shown_notes(rows: Iterable[Mapping[str, Any]], now: Instant) -> list[NoteOut]:
    """The remarks that have not expired."""
    return [NoteOut(**{**row, "created_at": iso(row["created_at"])}) for row in rows if not _expired(row, now)]


def _expired(note: Mapping[str, Any], now: Instant) -> bool:
    days = NOTE_LIFETIME_DAYS[note["lifetime"]]
    return days is not None and now >= note["created_at"] + days * DAY_S


def _told(explained: Explained) -> Iterator[str]:
    """The explanation in lines of text."""
    fact = explained.fact
    yield f"{fact.statement} ({fact.status}, confidence {fact.confidence:.2f}, strength {fact.strength:.2f})"
    yield f"True from {fact.valid_from} " + (f"until {fact.valid_to}." if fact.valid_to else "on.")
    for said in explained.words:
        yield f'{said.speaker or "Told"} at {said.at} in {said.source_id}: "{said.text or said.quote}"'
    yield f"Judged by {explained.judged_by}" + ("; confirmed, so it does not fade." if explained.protected else ".")
    for title, linked in (
        ("In dispute with", explained.disputes),
        ("Took the place of", explained.supersedes),
        ("Replaced by", explained.superseded_by),
    ):
        for other in linked:
            yield f"{title}: {other.statement} ({other.fact_id}, {other.status})"
    for note in explained.notes:
        yield f"Note by {note.author}: {note.text}"
    for change in explained.changes:
        yield f"{change.at} {change.noun} {change.reason}, by {change.actor} (turn {change.turn}, {change.command})"
