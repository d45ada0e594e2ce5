"""Lists facts at any point of either time axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.dates import moments_of, then_of
from deployments.kinds import ShortText, When
from deployments.paging import PageParameters, cursor_of
from deployments.use_cases.searching import ContextParameters, search
from memory.errors import NotFound
from memory.model.origins import ProvenanceFilter
from memory.model.shown import ShownFact, ShownNote
from memory.model.shown_times import NOW, Then
from memory.model.timeline import Instant, iso
from memory.rules.census import FactStrengthColumns, Recalls, columns_of, fact_anchors
from memory.rules.decay import strength_of
from memory.rules.parameters import Life

Kind = Literal["factual", "preference", "procedural", "architectural", "opinion", "meta"]
Status = Literal["active", "superseded", "invalidated", "forgotten", "pruned", "all"]
EVERY_STATUS = ("active", "superseded", "invalidated", "forgotten", "pruned")
HELD = ("active", "superseded")
"""What is the case now, or was until something took its place."""
STEPS = 20
"""Corrections that are followed from a fact to what holds now."""
AsOf = Annotated[When | None, Field(description="What was true then, or had been said by then: a date, ISO 8601...")]
KnownAsOf = Annotated[When | None, Field(description="What was believed then, by what had been committed.")]
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
    """The words a fact rests on; without a segment they came with a command."""

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


_TIMES = ("valid_from", "valid_to", "system_from", "system_to")
_AS_READ = tuple(FactOut.model_fields.keys() - {*_TIMES, "strength", "sources"})
"""Fields that are sent as they were read."""
_OF_STRENGTH = tuple({each.name for each in fields(FactStrengthColumns)} - {each.name for each in fields(Recalls)})
"""What the strength of a fact is made of, beside its recalls."""


class FactWithEnds(FactOut):
    """A fact with the ids of the entities it relates, if there are two."""

    subject_id: str
    object_id: str | None

    @property
    def source_ids(self) -> list[str]:
        """The sources it rests on, each once, in their order."""
        return list(dict.fromkeys(each.source_id for each in self.sources))


class FactList(BaseModel):
    """Facts, the latest valid first; `cursor` leads to the next part.

    `total` is exact below 200; at 200 there are at least so many, for each that is counted has to be in sight.
    """

    facts: list[FactOut]
    total: int
    cursor: str | None


class NoteOut(BaseModel):
    """A note on an entity or a fact."""

    note_id: str
    text: str
    author: str
    created_at: str
    lifetime: str


class NoteList(BaseModel):
    """A part of the notes on an entity or a fact, the latest first."""

    notes: list[NoteOut]
    total: int
    cursor: str | None


class FactParameters(PageParameters):
    """The parameters of a list of facts."""

    subject: Annotated[ShortText | None, Field(description="Name, alias or id of the entity it is about.")] = None
    predicate: ShortText | None = None
    kind: Kind | None = None
    status: Annotated[Status | None, Field(description="Default: active; with as_of also superseded.")] = None
    as_of: AsOf = None
    known_as_of: KnownAsOf = None


async def listing(app: AppContext, who: Caller, asked: FactParameters) -> FactList:
    """What is believed; with `as_of` what was true then, with `known_as_of` what was believed then."""
    then = await then_of(app, who, asked.as_of, asked.known_as_of)
    page = await app.stores.reads.facts.page(
        who.view,
        _statuses(asked),
        asked.limit,
        subject=asked.subject,
        predicate=asked.predicate,
        kind=asked.kind,
        as_of=then.as_of,
        known=then.known,
        **asked.place(),
    )
    shown = shown_facts(page.shown, then.now(app.clock.now()), app.settings.life)
    return FactList(facts=shown, total=page.total, cursor=cursor_of(page.last))


def _statuses(asked: FactParameters) -> Sequence[str]:
    if asked.status == "all":
        return EVERY_STATUS
    if asked.status is not None:
        return (asked.status,)
    return ("active",) if asked.as_of is None else HELD


async def one(app: AppContext, who: Caller, fact_id: str, known_as_of: str | None = None) -> FactOut:
    """One fact as it is believed now, or was at `known_as_of`, whatever its status; by its id or its beginning."""
    [known] = await moments_of(app, who, known_as_of=known_as_of)
    row = await app.stores.reads.facts.one(who.view, fact_id, known)
    now = Then(known=known).now(app.clock.now())
    return shown_facts([row], now, app.settings.life)[0]


async def versions(app: AppContext, who: Caller, fact_id: str) -> list[FactOut]:
    """A fact and what took its place since, the oldest first. Raises NotFound if it is believed no more."""
    found = [await one(app, who, fact_id)]
    while found[-1].status != "active" and found[-1].superseded_by and len(found) < STEPS:
        found.append(await one(app, who, found[-1].superseded_by[-1]))
    if found[-1].status not in HELD:
        raise NotFound("This is believed no more.")
    return found


async def named(app: AppContext, who: Caller, ids: Sequence[str]) -> list[FactWithEnds]:
    """The facts of these ids as they stand, whatever their status; what is out of sight is absent."""
    rows = await app.stores.reads.facts.current(who.view, ids) if ids else []
    shown = shown_facts(rows, app.clock.now(), app.settings.life)
    return [
        FactWithEnds(**fact.model_dump(), subject_id=row.subject_id, object_id=row.object_id)
        for fact, row in zip(shown, rows, strict=True)
    ]


async def found(
    app: AppContext, who: Caller, asked: ContextParameters, origins: Sequence[ProvenanceFilter] | None = None
) -> list[FactWithEnds]:
    """The facts that were read from what answers a question, in its order. Raises Invalid."""
    hits = (await search(app, who, asked, origins)).results
    ids = list(dict.fromkeys(fact_id for hit in hits for fact_id in hit.fact_ids))
    known = {each.fact_id: each for each in await named(app, who, ids)}
    return [known[each] for each in ids if each in known]


async def notes_on_fact(app: AppContext, who: Caller, fact_id: str, asked: PageParameters) -> NoteList:
    """The remarks on a fact that have not expired."""
    known = (await app.stores.reads.facts.one(who.view, fact_id)).fact_id
    return await notes_on(app, who, known, asked)


async def notes_on(app: AppContext, who: Caller, about_id: str, asked: PageParameters) -> NoteList:
    """A part of the remarks on an entity or a fact that is in sight."""
    now, reads = app.clock.now(), app.stores.reads.entities
    page = await reads.notes(who.view, about_id, asked.limit, now, NOW, **asked.place())
    return NoteList(notes=shown_notes(page.shown), total=page.total, cursor=cursor_of(page.last))


def shown_facts(facts: Sequence[ShownFact], now: Instant, life: Life) -> list[FactOut]:
    """Facts as they are sent, with their strength at `now`."""
    rows = [{**asdict(each.recalls), **{name: getattr(each, name) for name in _OF_STRENGTH}} for each in facts]
    strengths = strength_of("fact", fact_anchors(columns_of(FactStrengthColumns, rows), life), now, life)
    return [_shown(fact, strength) for fact, strength in zip(facts, strengths.tolist(), strict=True)]


def _shown(fact: ShownFact, strength: float) -> FactOut:
    return FactOut(
        **{name: getattr(fact, name) for name in _AS_READ},
        **{name: iso(getattr(fact, name)) for name in _TIMES},
        strength=round(strength, 4),
        sources=[
            Cited(source_id=each.source_id, segment_id=each.segment_id, quote=each.quote) for each in fact.sources
        ],
    )


def shown_notes(notes: Iterable[ShownNote]) -> list[NoteOut]:
    """Remarks as they are sent."""
    return [NoteOut(**{**asdict(each), "created_at": iso(each.created_at)}) for each in notes]
