"""Tools for agents, described for function calling (seed 004).

Every tool is a use case under another name: arguments in one JSON object, the use case's own answer back.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, Field, model_validator

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.findings import checked
from deployments.kinds import MOST_QUERY, Body, Id, ShortText, Text
from deployments.use_cases import searching
from deployments.use_cases.entities import entity
from deployments.use_cases.explaining import explain
from deployments.use_cases.exploring import ExploreParameters, TraverseParameters, explore, traverse
from deployments.use_cases.facts import shown_facts
from deployments.use_cases.figures import stats_of
from deployments.use_cases.remembering import Correction, FactToRemember, confirm, correct, remember
from memory.errors import NotFound
from memory.model.commands import BackfillSubjects, MergeFacts, PruneFacts, Synthesize
from memory.model.timeline import iso
from memory.rules.census import fact_anchors
from memory.rules.decay import strength_of


class SearchMemory(Body):
    """A question and its filters. Dates are YYYY-MM-DD, last_week or last_month."""

    query: Annotated[Text, Field(min_length=1, max_length=MOST_QUERY)]
    limit: Annotated[int, Field(ge=1, le=searching.MOST_RESULTS)] = 5
    type: ShortText | None = Field(default=None, description="Only what mentions an entity of this type.")
    entity_name: Id | None = Field(default=None, description="Only what mentions this entity.")
    after: ShortText | None = None
    before: ShortText | None = None
    budget_tokens: searching.Tokens | Literal["auto"] = Field(
        default="auto", description="Tokens of `context`, the briefing to read; auto: by the question."
    )
    effort: Literal["normal", "careful"] = Field(
        default="normal", description="careful: results in the order in which they answer; abstained tells more."
    )


class CorrectFactArguments(Correction):
    """The wrong fact, and what is true instead."""

    fact_id: Id


class OneFact(Body):
    """A fact, by its id or a unique prefix."""

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
class Tool:
    """A tool: what it is for, what it takes, what it does, and whether it writes.

    It takes the application context, a caller, a command id and its arguments.
    """

    purpose: str
    arguments: type[Body]
    run: Callable[[AppContext, Caller, str, Any], Awaitable[Any]]
    writes: bool = False


async def _search(app: AppContext, who: Caller, _: str, body: SearchMemory) -> Any:
    given = body.model_dump(exclude={"entity_name"}, exclude_unset=True) | {"budget_tokens": body.budget_tokens}
    asked = searching.ContextParameters(**given, entity=body.entity_name)
    return (await searching.search(app, who, asked)).model_dump(exclude_none=True)


async def _remember(app: AppContext, who: Caller, key: str, body: FactToRemember) -> Any:
    return (await remember(app, who, key, body)).model_dump(exclude_none=True)


async def _correct(app: AppContext, who: Caller, key: str, body: CorrectFactArguments) -> Any:
    return await correct(app, who, key, body.fact_id, body)


async def _confirm(app: AppContext, who: Caller, key: str, body: OneFact) -> Any:
    return await confirm(app, who, key, body.fact_id)


async def _explain(app: AppContext, who: Caller, _: str, body: OneFact) -> Any:
    return await explain(app, who, body.fact_id)


async def _entity(app: AppContext, who: Caller, _: str, body: OneEntity) -> Any:
    given = body.entity_id
    if given is None:
        named = await app.stores.reads.entities.page(who.view, 1, name=body.name)
        if not named.shown:
            raise NotFound("There is no entity of that name in this memory.")
        given = named.shown[0].entity.entity_id
    return await entity(app, who, given)


async def _explore(app: AppContext, who: Caller, _: str, body: ExploreParameters) -> Any:
    return (await explore(app, who, body)).model_dump(by_alias=True)


async def _traverse(app: AppContext, who: Caller, _: str, body: TraverseParameters) -> Any:
    return (await traverse(app, who, body)).model_dump(by_alias=True)


async def _stats(app: AppContext, who: Caller, _: str, __: Nothing) -> Any:
    shape = await app.stores.reads.figures.shape(who.view)
    last = await app.stores.nights.kept.last(who.user_id)
    done = await app.stores.reads.figures.upkeep(who.user_id, tuple(UPKEEP))
    return {
        **(await stats_of(app, who)).model_dump(),
        **asdict(shape),
        "maintenance": {
            "last_night": last.isoformat() if last else None,
            "hour": app.settings.night.hour,
            **{name: iso(done.get(kind)) for kind, name in UPKEEP.items()},
        },
    }


async def _weak(app: AppContext, who: Caller, _: str, body: WeakFacts) -> Any:
    """The facts of least strength now."""
    facts, now, life = app.stores.reads.facts, app.clock.now(), app.settings.life
    fading, columns = await facts.fading(who.view)
    strength = strength_of("fact", fact_anchors(columns, life), now, life)
    order = [index for index in np.argsort(strength, kind="stable") if strength[index] <= body.below]
    ids = [fading[index] for index in order[: body.limit]]
    shown = {each.fact_id: each for each in await facts.current(who.view, ids)}
    return {"facts": shown_facts([shown[fact_id] for fact_id in ids if fact_id in shown], now, life)}


UPKEEP = {
    MergeFacts.__name__: "last_merge",
    Synthesize.__name__: "last_synthesis",
    PruneFacts.__name__: "last_pruning",
    BackfillSubjects.__name__: "last_backfill",
}
"""Command -> under which name the figures tell when it was last carried out."""
TOOLS: dict[str, Tool] = {
    "search_memory": Tool("Search everything that was heard for what answers a question.", SearchMemory, _search),
    "remember_fact": Tool("Remember something the user wants kept.", FactToRemember, _remember, writes=True),
    "correct_fact": Tool("Replace a fact that is wrong by what is so.", CorrectFactArguments, _correct, writes=True),
    "confirm_fact": Tool("Confirm a fact: full confidence, and it fades no more.", OneFact, _confirm, writes=True),
    "get_entity_info": Tool("The page of an entity: facts, timeline, notes, relations.", OneEntity, _entity),
    "explore": Tool("What is known of an entity, and to whom and what it is related.", ExploreParameters, _explore),
    "traverse": Tool("Who and what relations lead to from an entity, step by step.", TraverseParameters, _traverse),
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


def described() -> list[Described]:
    """The tools in the format of function calling."""
    return [
        Described(function=Function(name=name, description=tool.purpose, parameters=tool.arguments.model_json_schema()))
        for name, tool in TOOLS.items()
    ]


async def call_tool(app: AppContext, who: Caller, key: str, name: str, arguments: Mapping[str, Any]) -> Any:
    """Call a tool with its arguments. The answer is that of its use case.

    Raises NotFound of a name that is no tool's, Invalid of arguments it does not take, and Forbidden of a caller that
    may only read, where the tool writes.
    """
    tool = TOOLS.get(name)
    if tool is None:
        raise NotFound(f"There is no tool of that name; there are {', '.join(TOOLS)}.")
    return await tool.run(app, writing(who) if tool.writes else who, key, read_arguments(tool, arguments))


def read_arguments(tool: Tool, arguments: Mapping[str, Any]) -> Body:
    """Arguments as a tool takes them. Raises Invalid."""
    return checked(tool.arguments.model_validate, arguments, "body")
