"""Chat tools: what a language model may do while it answers somebody who talks with their memory (seed 001).

The tools of an agent that read, `remember_fact` for a caller who may write, a place to think, and two that only show
something: their input goes out to whoever talks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic_core import to_jsonable_python
from ray.exceptions import RayError

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.kinds import Body, Number, ShortText, Text
from deployments.problems import meant_by
from deployments.use_cases.asking import Citation
from deployments.use_cases.model_turns import ToolCall
from deployments.use_cases.tools import TOOLS, Tool, read_arguments
from memory.errors import DomainError, NotFound, Unavailable
from memory.words.cleaning import harmless

MOST_RESULT = 6_000
"""Characters of a tool's result that a model is given (chosen: ten results of a search with their words)."""
Cell = ShortText | Number | bool | None


class Thought(Body):
    """A thought on the way to an answer; it is no part of it."""

    thought: Annotated[Text, Field(max_length=4_000)]


class ShownTable(Body):
    """A table: names of its columns, and rows with a cell for each."""

    title: ShortText = ""
    columns: Annotated[list[ShortText], Field(min_length=1, max_length=20)]
    rows: Annotated[list[Annotated[list[Cell], Field(max_length=20)]], Field(max_length=200)]

    @model_validator(mode="after")
    def _is_even(self) -> ShownTable:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError("every row needs a cell for each column")
        return self


class ShownChart(Body):
    """A chart: labels, and a value for each."""

    title: ShortText = ""
    type: Literal["bar", "line", "pie"] = "bar"
    labels: Annotated[list[ShortText], Field(min_length=1, max_length=200)]
    values: Annotated[list[Number], Field(min_length=1, max_length=200)]

    @model_validator(mode="after")
    def _is_even(self) -> ShownChart:
        if len(self.labels) != len(self.values):
            raise ValueError("every label needs a value")
        return self


async def _noted(*_: Any) -> Any:
    return {"noted": True}


async def _shown(*_: Any) -> Any:
    return {"shown": True}


class WebQuery(Body):
    """What to look for on the web."""

    query: Annotated[ShortText, Field(min_length=1)]


class PageAddress(Body):
    """The address of a page, http or https."""

    url: Annotated[ShortText, Field(min_length=1)]


async def _search_web(app: AppContext, _: Caller, __: str, body: WebQuery) -> Any:
    return {"results": await app.web.search(body.query)} if app.web is not None else {}


async def _fetch(app: AppContext, _: Caller, __: str, body: PageAddress) -> Any:
    return {"url": body.url, "words": await app.web.fetch(body.url)} if app.web is not None else {}


SEARCHING = {"web_search": Tool("Search the web for what memory cannot know.", WebQuery, _search_web)}
FETCHING = {"fetch_webpage": Tool("Read a public page of the web.", PageAddress, _fetch)}
OWN: Mapping[str, Tool] = {
    "think": Tool("Think before you answer; it is not a part of the answer.", Thought, _noted),
    "render_table": Tool("Show a table: columns are texts, rows are lists with a cell a column.", ShownTable, _shown),
    "render_chart": Tool("Show a chart (type bar, line or pie): labels, and a number for each.", ShownChart, _shown),
}
REMEMBER = "remember_fact"


def offered(app: AppContext, who: Caller) -> Mapping[str, Tool]:
    """The tools of a caller's chat; those of the web only where the settings let it be reached."""
    reading = {name: tool for name, tool in TOOLS.items() if not tool.writes}
    remembering = replace(TOOLS[REMEMBER], purpose="Remember what the user asks you to: text alone, in their words.")
    tools = {**reading, **({} if who.permission == "read" else {REMEMBER: remembering}), **OWN}
    if app.web is not None:
        tools |= {**(SEARCHING if app.web.searches else {}), **(FETCHING if app.web.fetches else {})}
    return tools


def told_of(tools: Mapping[str, Tool]) -> str:
    """The tools as a model reads of them, a line each; what may be left out has a question mark."""
    lines = []
    for name, tool in tools.items():
        schema = tool.arguments.model_json_schema()
        required = schema.get("required", ())
        given = (each if each in required else f"{each}?" for each in schema.get("properties", ()))
        lines.append(f"- {name}({', '.join(given)}): {tool.purpose}")
    return "\n".join(lines)


def accepted(call: ToolCall, tools: Mapping[str, Tool]) -> tuple[Tool, Body]:
    """The tool and its checked arguments. Raises NotFound of a tool that was not offered, and Invalid."""
    tool = tools.get(call.name)
    if tool is None:
        raise NotFound(f"There is no such tool; there is {', '.join(tools)}.")
    return tool, read_arguments(tool, call.given)


async def result_of(
    app: AppContext, who: Caller, command_id: str, tool: Tool, body: Body, found: list[Citation], after: int
) -> str:
    """What a tool gives, as a model reads it. What a search finds is numbered on from `after`, and joins `found`."""
    try:
        given = await tool.run(app, writing(who) if tool.writes else who, command_id, body)
    except (DomainError, RayError) as error:
        return failed(meant_by(error, "a tool of a chat") or Unavailable())
    told = to_jsonable_python(given)
    if tool.arguments is TOOLS["search_memory"].arguments:
        told = {"results": [_cited(each, found, after) for each in told["results"]]}
    return _as_data(told)


def failed(error: DomainError) -> str:
    """Why a call gives nothing."""
    return _as_data({"error": error.detail, **{name: error.ids[name] for name in ("errors",) if name in error.ids}})


def _cited(hit: Mapping[str, Any], found: list[Citation], after: int) -> dict[str, Any]:
    places = {(each.source_id, each.segment_id): each for each in found}
    known = places.get((hit["source_id"], hit["segment_id"]))
    if known is None:
        known = Citation(
            number=after + len(found) + 1,
            **{name: hit[name] for name in ("source_id", "segment_id", "speaker", "timestamp", "text")},
        )
        found.append(known)
    return {"number": known.number, "speaker": hit["speaker"], "text": hit["text"], "refuted": hit.get("refuted")}


def _as_data(told: Any) -> str:
    """A result between tags that nothing in it can close."""
    words = json.dumps(each_text(told, harmless), ensure_ascii=False, separators=(",", ":"), default=str)
    cut = words if len(words) <= MOST_RESULT else f"{words[:MOST_RESULT]}…"
    return f"<tool_result>\n{cut}\n</tool_result>"


def each_text(value: Any, changed: Callable[[str], str]) -> Any:
    """A JSON value with every text in it changed, keys too."""
    if isinstance(value, str):
        return changed(value)
    if isinstance(value, Mapping):
        return {changed(str(key)): each_text(each, changed) for key, each in value.items()}
    return [each_text(each, changed) for each in value] if isinstance(value, list | tuple) else value
