"""Tools for Omi's chat: a manifest of them, and calls whose results are words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from http import HTTPStatus
from typing import Any

from fastapi.encoders import jsonable_encoder
from starlette.responses import Response

from deployments.callers import Reader
from deployments.commands import Here, Key
from deployments.dialects.omi.sent import Sent
from deployments.routers import json_router
from deployments.showing import VisibleJson
from deployments.use_cases.tools import TOOLS, call_tool
from memory.errors import DomainError, Forbidden, NotFound
from memory.model.timeline import to_datetime
from memory.services.zones import zone_of

router = json_router(described=False)
_BESIDES = frozenset({"uid", "app_id", "tool_name", "geolocation"})
"""What Omi adds to the arguments of every tool."""
MOST_RESULT = 4_000
"""Characters of a tool's result (chosen: a page, which the model behind Omi's chat has to read)."""


@dataclass(frozen=True, slots=True)
class _Offered:
    """A tool as Omi's chat gets it: what it has to say, what it may, what is shown meanwhile, and its result in words.

    Times in these are those where the owner lives, whose zone `shown` is given. Omi knows no alternatives in a
    schema, so arguments of which one or the other is needed are fewer here.
    """

    required: tuple[str, ...]
    optional: tuple[str, ...]
    status: str
    shown: Callable[[Mapping[str, Any], tzinfo], str]


def _found(answer: Mapping[str, Any], home: tzinfo) -> str:
    lines = [
        f"{to_datetime(each['timestamp'], home):%Y-%m-%d %H:%M}, {each['speaker']}: {each['text']}"
        for each in answer["results"]
    ]
    if answer["abstained"]:
        lines.insert(0, "Nothing answers this for certain; the nearest is:")
    return "\n".join(lines) if answer["results"] else "Nothing is remembered about this."


def _changed(answer: Mapping[str, Any], _: tzinfo) -> str:
    return f"Done: {answer['outcome']} (fact {answer['fact_id']})."


def _facts(answer: Mapping[str, Any], _: tzinfo) -> str:
    return "\n".join(f"{each['statement']} (fact {each['fact_id']})" for each in answer["facts"]) or "There are none."


def _page(answer: Mapping[str, Any], _: tzinfo) -> str:
    lines = [f"{answer['name']} ({answer['entity_type']})", answer["description"] or ""]
    lines += [each["statement"] for each in answer["facts"]]
    if related := ", ".join(each["name"] for each in answer["related"][:10]):
        lines.append(f"Related: {related}")
    return "\n".join(filter(None, lines))


def _why(answer: Mapping[str, Any], _: tzinfo) -> str:
    words = (f"{each['speaker']}: {each['text']}" for each in answer["words"])
    return "\n".join([answer["fact"]["statement"], *words])


def _figures(answer: Mapping[str, Any], _: tzinfo) -> str:
    counted = {"conversations": "sessions_count", "utterances": "segments_count", "entities": "entities_count"}
    return ", ".join(f"{answer[name]} {what}" for what, name in counted.items())


_OFFERED = {
    "search_memory": _Offered(("query",), ("entity_name", "after", "before"), "Searching your memory...", _found),
    "remember_fact": _Offered(("text",), (), "Remembering...", _changed),
    "correct_fact": _Offered(("fact_id", "statement"), (), "Correcting...", _changed),
    "confirm_fact": _Offered(("fact_id",), (), "Confirming...", _changed),
    "get_entity_info": _Offered(("name",), (), "Looking it up...", _page),
    "memory_stats": _Offered((), (), "Counting...", _figures),
    "explain_fact": _Offered(("fact_id",), (), "Looking for the words...", _why),
    "weak_facts": _Offered((), ("limit",), "Looking for what fades...", _facts),
}


@router.get("/omi/{secret}/.well-known/omi-tools.json")
async def manifest(secret: str, who: Reader) -> dict[str, Any]:
    """The tools, for Omi's chat, which sends no header: each has the secret in its address."""
    return _manifest(f"/omi/{secret}/tools")


@router.get("/.well-known/omi-tools.json")
async def manifest_with_token(who: Reader) -> dict[str, Any]:
    """The tools, for a caller that sends its token in a header."""
    return _manifest("/omi/tools")


@router.post("/omi/tools/{name}")
@router.post("/omi/{secret}/tools/{name}")
async def use_tool(name: str, sent: Sent, who: Reader, app: Here, key: Key) -> Response:
    """Call a tool. What its caller can mend is an error with 200: Omi switches off what is refused too often."""
    if name not in _OFFERED:
        raise NotFound(f"There is no tool of that name; there are {', '.join(_OFFERED)}.")
    given = sent if isinstance(sent, Mapping) else {}
    arguments = {each: value for each, value in given.items() if each not in _BESIDES and value is not None}
    try:
        answer = await call_tool(app, who, key, name, arguments)
    except DomainError as error:
        if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR or isinstance(error, Forbidden):
            raise
        return VisibleJson({"error": error.detail})
    home = zone_of((await app.profile(who.user_id)).time_zone)
    return VisibleJson({"result": _OFFERED[name].shown(jsonable_encoder(answer), home)[:MOST_RESULT]})


def _manifest(below: str) -> dict[str, Any]:
    return {
        "tools": [
            {
                "name": name,
                "description": TOOLS[name].purpose,
                "endpoint": f"{below}/{name}",
                "method": "POST",
                "parameters": _parameters(name, offered),
                "auth_required": False,
                "status_message": offered.status,
            }
            for name, offered in _OFFERED.items()
        ]
    }


def _parameters(name: str, offered: _Offered) -> dict[str, Any]:
    fields = TOOLS[name].arguments.model_json_schema().get("properties", {})
    return {
        "properties": {each: _plain_type(each, fields[each]) for each in (*offered.required, *offered.optional)},
        "required": list(offered.required),
    }


def _plain_type(name: str, schema: Mapping[str, Any]) -> dict[str, str]:
    """A field's first type and what it is for."""
    kinds = [each.get("type") for each in (schema, *schema.get("anyOf", ())) if each.get("type")]
    return {"type": kinds[0], "description": schema.get("description") or name.replace("_", " ")}
