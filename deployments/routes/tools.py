"""Tools: what an agent may do with this memory, described for function calling (seed 004).

Every tool is a route under another name: arguments in one JSON object, the route's own answer back.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Path
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, ValidationError, model_validator

from deployments.callers import Caller, Reader, writing
from deployments.commands import Here, Key
from deployments.house import House
from deployments.kinds import MOST_QUERY, Body, Id, ShortText, Text
from deployments.routes import entities_read, explain, facts_read, facts_write, stats
from deployments.showing import as_it_is
from deployments.use_cases import searching
from memory.errors import NotFound
from memory.model.commands import BackfillSubjects, MergeFacts, PruneFacts, Synthesize
from memory.model.timeline import iso
from memory.rules.census import FactColumns, columns_of, fact_anchors
from memory.rules.decay import strength_of

router = APIRouter(prefix="/v1/tools", tags=["tools"])


class SearchMemory(Body):
    """A question, and what it may be narrowed to. Dates are YYYY-MM-DD, last_week or last_month."""

    query: Annotated[Text, Field(min_length=1, max_length=MOST_QUERY)]
    limit: Annotated[int, Field(ge=1, le=searching.MOST_RESULTS)] = 5
    type: ShortText | None = Field(default=None, description="Only what mentions an entity of this type.")
    entity_name: Id | None = Field(default=None, description="Only what mentions this entity.")
    after: ShortText | None = None
    before: ShortText | None = None
    budget_tokens: searching.Tokens | Literal["auto"] = Field(
        default="auto", description="Tokens of `context`, the briefing to read; auto: by the question."
    )


class CorrectFact(facts_write.Correction):
    """The fact that is wrong, and what is so instead."""

    fact_id: Id


class OneFact(Body):
    """A fact, by its id or the beginning of it."""

    fact_id: Id


class OneEntity(Body):
    """An entity, by name or alias, or by its id."""

    name: Id | None = None
    entity_id: Id | None = None

    @model_validator(mode="after")
    def _is_one(self) -> OneEntity:
        if (self.name is None) == (self.entity_id is None):
            raise ValueError("give either name or entity_id")
        return self


class WeakFacts(Body):
    """How many, and how weak: strength below `below`, of at most 1."""

    below: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 1.0

    limit: Annotated[int, Field(ge=1, le=200)] = 20


class Nothing(Body):
    """No arguments."""


@dataclass(frozen=True, slots=True)
class Request:
    """Who calls a tool, where, and under which command id."""

    who: Caller
    house: House
    key: str


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what it is for, what it takes, what it does, and whether it writes."""

    purpose: str
    arguments: type[Body]
    run: Callable[[Any, Request], Awaitable[Any]]
    writes: bool = False


async def _search(body: SearchMemory, request: Request) -> Any:
    given = body.model_dump(exclude={"entity_name"}, exclude_unset=True) | {"budget_tokens": body.budget_tokens}
    asked = searching.Asked(**given, entity=body.entity_name)
    return as_it_is(await searching.search(request.house, request.who, asked))


async def _remember(body: facts_write.Told, request: Request) -> Any:
    return await facts_write.remember(body, request.who, request.house, request.key)


async def _correct(body: CorrectFact, request: Request) -> Any:
    return await facts_write.correct(body.fact_id, body, request.who, request.house, request.key)


async def _confirm(body: OneFact, request: Request) -> Any:
    return await facts_write.confirm(body.fact_id, request.who, request.house, request.key)


async def _explain(body: OneFact, request: Request) -> Any:
    return await explain.explain(body.fact_id, request.who, request.house)


async def _entity(body: OneEntity, request: Request) -> Any:
    given = body.entity_id
    if given is None:
        named = await request.house.stores.entities.page(request.who.view, 1, name=body.name)
        if not named.shown:
            raise NotFound("There is no entity of that name in this memory.")
        given = named.shown[0].entity.entity_id
    return await entities_read.entity(given, request.who, request.house)


async def _stats(_: Nothing, request: Request) -> Any:
    house, who = request.house, request.who
    shape = await house.stores.figures.shape(who.view)
    last = await house.stores.nights.last(who.user_id)
    done = await house.stores.figures.upkeep(who.user_id, tuple(UPKEEP))
    return {
        **(await stats.stats_of(house, who)).model_dump(),
        **shape,
        "maintenance": {
            "last_night": last.isoformat() if last else None,
            "hour": house.settings.night.hour,
            **{name: iso(done.get(kind)) for kind, name in UPKEEP.items()},
        },
    }


async def _weak(body: WeakFacts, request: Request) -> Any:
    """The facts of least strength now."""
    facts, now = request.house.stores.facts, request.house.clock.now()
    rows = await facts.fading(request.who.view)
    life = request.house.settings.life
    strength = strength_of("fact", fact_anchors(columns_of(FactColumns, rows), life), now, life)
    order = [index for index in np.argsort(strength, kind="stable") if strength[index] <= body.below]
    ids = [rows[index]["fact_id"] for index in order[: body.limit]]
    shown = {row["fact_id"]: row for row in await facts.current(request.who.view, ids)}
    return {"facts": facts_read.shown_facts([shown[fact_id] for fact_id in ids if fact_id in shown], now, life)}


UPKEEP = {
    MergeFacts.__name__: "last_merge",
    Synthesize.__name__: "last_synthesis",
    PruneFacts.__name__: "last_pruning",
    BackfillSubjects.__name__: "last_backfill",
}
"""Command -> under which name the figures tell when it was last carried out."""
TOOLS: dict[str, Tool] = {
    "search_memory": Tool("Search everything that was heard for what answers a question.", SearchMemory, _search),
    "remember_fact": Tool("Remember something the user wants kept.", facts_write.Told, _remember, writes=True),
    "correct_fact": Tool("Replace a fact that is wrong by what is so.", CorrectFact, _correct, writes=True),
    "confirm_fact": Tool("Confirm a fact: full confidence, and it fades no more.", OneFact, _confirm, writes=True),
    "get_entity_info": Tool("The page of an entity: facts, timeline, notes, relations.", OneEntity, _entity),
    "memory_stats": Tool("Figures: counts, orphans, storage size in bytes, maintenance times.", Nothing, _stats),
    "explain_fact": Tool("Why a fact is believed, down to the words, and all its changes.", OneFact, _explain),
    "weak_facts": Tool("Facts that may need confirmation, or will soon have faded.", WeakFacts, _weak),
}


class Function(BaseModel):
    """A tool as a function: `parameters` is the JSON schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]


class Described(BaseModel):
    """One entry of a language model's list of tools."""

    type: str = "function"
    function: Function


@router.get("")
async def describe(who: Reader) -> list[Described]:
    """The tools, as a language model's function calling wants them.

    Example: `GET /v1/tools`
    """
    return [
        Described(function=Function(name=name, description=tool.purpose, parameters=tool.arguments.model_json_schema()))
        for name, tool in TOOLS.items()
    ]


@router.post("/{name}")
async def call(
    name: Annotated[Id, Path(description=f"One of {', '.join(TOOLS)}.")],
    who: Reader,
    house: Here,
    key: Key,
    arguments: dict[str, Any] | None = None,
) -> Any:
    """Call a tool with its arguments; the answer is that of the route it stands for. A reading tool needs no more.

    Example: `POST /v1/tools/search_memory` with `{"query": "What coffee does Maya like?"}`
    """
    tool = TOOLS.get(name)
    if tool is None:
        raise NotFound(f"There is no tool of that name; there are {', '.join(TOOLS)}.")
    try:
        body = tool.arguments.model_validate(arguments or {})
    except ValidationError as error:
        raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in error.errors()]) from error
    return await tool.run(body, Request(writing(who) if tool.writes else who, house, key))
