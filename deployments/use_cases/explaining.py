"""Explains why a fact is believed, how an entity became known, and what rests on a segment, with the words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.use_cases.entities import (
    PROFILE_FACTS,
    PROFILE_NOTES,
    PROFILE_SEGMENTS,
    EntityOut,
    Spoken,
    shown_entity,
    shown_spoken,
)
from deployments.use_cases.facts import EVERY_STATUS, Cited, FactOut, NoteOut, shown_facts, shown_notes
from memory.model.shown_changes import ChangeStep, FactGrounds
from memory.model.timeline import iso
from memory.rules import explaining
from memory.rules.telling import line_of


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
    """An entity a fact or a segment speaks of."""

    entity_id: str
    entity_type: str
    name: str
    role: str


class Quoted(BaseModel):
    """A segment, cited."""

    source_id: str
    segment_id: str
    speaker: str
    at: str
    text: str


class StepOut(BaseModel):
    """One change of belief: when it was made, who asked, what it did, and why.

    `what` tells the effect, `reason` names the rule; `changed` maps a field to its value before and after; `because`
    are the facts that took its place or speak against it.
    """

    at: str
    actor: str
    command: str
    command_id: str
    undoes: str | None
    noun: str
    id: str
    what: str
    reason: str
    words: str
    changed: dict[str, tuple[Any, Any]]
    because: list[str]
    cited: list[Quoted]


class Node(BaseModel):
    """A fact, an entity or a segment; `label` is the beginning of its words."""

    id: str
    kind: str
    label: str


class Edge(BaseModel):
    """A relation, read from left to right: this fact `supersedes` that one."""

    from_id: str
    kind: str
    to_id: str


class Graph(BaseModel):
    """The explanation as a small graph."""

    nodes: list[Node] = []
    edges: list[Edge] = []


class Explanation(BaseModel):
    """The common part of explanations: every change, the graph, and `text`, which has it all as lines."""

    changes: list[StepOut]
    graph: Graph = Graph()
    text: str = ""


class Explained(Explanation):
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


class Became(BaseModel):
    """An entity that was merged into another."""

    entity_id: str
    name: str


class ExplainedEntity(Explanation):
    """How an entity became known: its latest mentions, its facts, and what was merged into it."""

    entity: EntityOut
    merged_from: list[Became]
    words: list[Spoken]
    facts: list[LinkedFact]
    notes: list[NoteOut]


class SegmentHistory(BaseModel):
    """A segment, its revision (the number of texts it has had), the one that was read, and what replaced what."""

    source_id: str
    segment_id: str
    source_kind: str
    speaker: str
    role: str
    at: str
    text: str
    language: str | None
    stt_engine: str | None
    is_sweep: bool
    pinned: bool
    revision: int
    read_revision: int | None
    replaced_by: str | None
    replaces: list[str]


class RestingFact(LinkedFact):
    """A fact that a segment supports, or has supported in an earlier reading."""

    judged_by: str
    supported: bool


class ExplainedSegment(Explanation):
    """What rests on a segment: its facts and entities now, and every change of belief from its readings."""

    segment: SegmentHistory
    facts: list[RestingFact]
    entities: list[LinkedEntity]


async def explain(app: AppContext, who: Caller, fact_id: str) -> Explained:
    """Why a fact is believed, with the words, and every change of it; `text` has it as lines."""
    grounds = await app.stores.reads.facts.grounds(who.view, fact_id)
    known = grounds.fact.fact_id
    steps, _ = await app.stores.reads.history.steps(who.view, ids=[known])
    notes = (await app.stores.reads.entities.notes(who.view, known, PROFILE_NOTES, app.clock.now())).shown
    told = Explained(
        fact=shown_facts([grounds.fact], app.clock.now(), app.settings.life)[0],
        judged_by=grounds.fact.judged_by,
        protected=grounds.fact.protected,
        stability=grounds.fact.stability,
        words=[Said(**{**asdict(each), "at": iso(each.at)}) for each in grounds.words],
        entities=[LinkedEntity(**asdict(each)) for each in grounds.entities],
        notes=shown_notes(notes),
        changes=shown_steps(steps),
        **{name: _linked(grounds, *rule) for name, rule in _LINKS.items()},
    )
    return await _finish(app, who, told, steps, explaining.graph_of_fact, explaining.lines_of_fact)


async def explain_entity(app: AppContext, who: Caller, entity_id: str) -> ExplainedEntity:
    """How an entity became known: mentions, facts, merges, and every change of its name, tier and state."""
    reads, now = app.stores.reads.entities, app.clock.now()
    _, known = await reads.resolve(who.view, entity_id)
    entity = await reads.one(who.view, known)
    losers = await app.stores.reads.history.merged_into(who.view, known)
    steps, _ = await app.stores.reads.history.steps(who.view, ids=[known, *losers])
    names = await app.stores.reads.history.names(who.view, losers)
    facts = await app.stores.reads.facts.about(who.view, known, EVERY_STATUS, PROFILE_FACTS)
    told = ExplainedEntity(
        entity=shown_entity(entity, now, app.settings.life),
        merged_from=[Became(entity_id=each, name=name) for each, name in names.items()],
        words=shown_spoken(await reads.segments(who.view, known, PROFILE_SEGMENTS)),
        facts=[LinkedFact(fact_id=each.fact_id, statement=each.statement, status=each.status) for each in facts],
        notes=shown_notes((await reads.notes(who.view, known, PROFILE_NOTES, now)).shown),
        changes=shown_steps(steps),
    )
    return await _finish(app, who, told, steps, explaining.graph_of_entity, explaining.lines_of_entity)


async def explain_segment(
    app: AppContext, who: Caller, source_id: str, segment_id: str, team_id: str | None = None
) -> ExplainedSegment:
    """What rests on a segment, its revisions, and what replaced it. Ids may be shortened to a unique prefix."""
    history = app.stores.reads.history
    scope, known = await app.stores.reads.sources.resolve(who.view, source_id, team_id)
    segment = await history.segment(who.view, scope, known, segment_id)
    resting = await history.resting_on(who.view, segment.segment_key)
    steps, _ = await history.steps(who.view, ids=resting.ids)
    steps = [step for step in steps if segment.segment_key in step.heard]
    told = ExplainedSegment(
        segment=SegmentHistory(**{**asdict(segment), "at": iso(segment.at)}),
        facts=[RestingFact(**asdict(each)) for each in resting.facts],
        entities=[LinkedEntity(**asdict(each)) for each in resting.entities],
        changes=shown_steps(steps),
    )
    return await _finish(app, who, told, steps, explaining.graph_of_segment, explaining.lines_of_segment)


_LINKS: dict[str, tuple[str, bool | None]] = {
    "disputes": ("disputes", None),
    "supersedes": ("supersedes", True),
    "superseded_by": ("supersedes", False),
    "similar": ("similar", None),
}
"""Field -> kind of link, and whether it goes out from the fact (None: either way)."""
AnyExplanation = TypeVar("AnyExplanation", bound=Explanation)


async def _finish(
    app: AppContext,
    who: Caller,
    told: AnyExplanation,
    steps: Sequence[ChangeStep],
    graph: Callable[[explaining.Explained], explaining.ExplanationGraph],
    lines: Callable[[explaining.Explained, Sequence[str]], Iterator[str]],
) -> AnyExplanation:
    """The explanation with its graph and its text."""
    plain, drawn = told.model_dump(), graph(told.model_dump())
    text = "\n".join(lines(plain, await lines_of(app, who, steps)))
    nodes = [Node(**asdict(node)) for node in drawn.nodes.values()]
    return told.model_copy(
        update={"graph": Graph(nodes=nodes, edges=[Edge(**asdict(edge)) for edge in drawn.edges]), "text": text}
    )


async def lines_of(app: AppContext, who: Caller, steps: Sequence[ChangeStep]) -> list[str]:
    """Every step in one line of text."""
    named = {each for step in steps for each in step.because}
    statements = await app.stores.reads.history.statements(who.view, named) if named else {}
    return [line_of(step, statements) for step in steps]


def shown_steps(steps: Sequence[ChangeStep]) -> list[StepOut]:
    """Steps as they are sent."""
    return [
        StepOut(
            **{
                **{name: getattr(step, name) for name in StepOut.model_fields},
                "at": iso(step.at),
                "because": list(step.because),
                "cited": [Quoted(**{**asdict(each), "at": iso(each.at)}) for each in step.cited],
            }
        )
        for step in steps
    ]


def _linked(grounds: FactGrounds, kind: str, outgoing: bool | None) -> list[LinkedFact]:
    found = {
        each.fact_id: LinkedFact(fact_id=each.fact_id, statement=each.statement, status=each.status)
        for each in grounds.links
        if each.kind == kind and outgoing in (None, each.outgoing)
    }
    return list(found.values())
