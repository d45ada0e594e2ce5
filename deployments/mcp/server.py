"""MCP by its SDK: a server made of what is offered, and an exchange of its own for every request.

It is the low-level server of the SDK: its other one sets up the logging of the whole process, and cannot give the
schemas of somebody else's tools as they are (decision 0079). By which names we may be called is looked at before
(deployments/hosts.py), so the SDK's own look stays off.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any

import mcp_types as types
import orjson
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, TypeAdapter
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from deployments.admission import Admitted
from deployments.app_context import AppContext
from deployments.callers import acting, writing
from deployments.commands import fresh_id
from deployments.findings import checked
from deployments.kinds import Id
from deployments.mcp.offer import Calling, McpOffer, McpTool
from deployments.problems import UNEXPECTED, meant_by
from deployments.protocol import GRANTED
from memory.errors import NotFound, Unauthenticated
from memory.words.cleaning import visible_json

log = logging.getLogger("memoray.gateway")
logging.getLogger("mcp").setLevel(logging.WARNING)  # its lines of INFO quote what callers send
MOST_BYTES = 1 << 40
"""The SDK's limit of a body, beyond ours, which has been kept already (deployments/limits.py)."""
CONSTANT_MS = 300_000
"""Milliseconds for which a client may take a list of tools for what there is."""
LISTS: tuple[CacheableMethod, ...] = ("tools/list", "prompts/list", "resources/list")
_USER: TypeAdapter[str] = TypeAdapter(Id)
_Context = ServerRequestContext[Any, Request]


class McpExchanges:
    """ASGI application: one MCP server, whose every exchange is complete in itself."""

    def __init__(self, offer: McpOffer) -> None:
        self._tools = {each.name: each for each in offer.tools}
        self._listed = [_described(each) for each in offer.tools]
        self._resources = {each.uri: each for each in offer.resources}
        self._prompts = {each.name: each for each in offer.prompts}
        self._failed = offer.failed
        offered: dict[str, Any] = {}
        if offer.resources:
            offered |= {"on_list_resources": self._list_resources, "on_read_resource": self._read_resource}
            offered |= {"on_list_resource_templates": self._list_templates}
        if offer.prompts:
            offered |= {"on_list_prompts": self._list_prompts, "on_get_prompt": self._get_prompt}
        self._server: Server[Any] = Server(
            offer.name,
            version=version("memoray"),
            title=offer.title,
            instructions=offer.instructions,
            cache_hints={each: CacheHint(ttl_ms=CONSTANT_MS, scope="public") for each in LISTS},
            get_tool_input_schema={each.name: each.input_schema for each in self._listed}.get,
            on_list_tools=self._list_tools,
            on_call_tool=self._call,
            **offered,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        # one for each request: there is nothing to begin and to end with the process, whose server tells no lifespan
        exchange = StreamableHTTPSessionManager(
            self._server, json_response=True, stateless=True, max_request_body_size=MOST_BYTES
        )
        async with exchange.run():
            await exchange.handle_request(scope, receive, send)

    async def _list_tools(self, _: _Context, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._listed)

    async def _call(self, context: _Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        """What a tool answers. What goes wrong is told as its answer, for models to read and to do better."""
        try:
            tool = self._tools.get(asked.name)
            if tool is None:
                raise NotFound(f"There is no tool of that name; there are {', '.join(self._tools)}.")
            calling = await calling_of(context, tool.name)
            if tool.writes:
                writing(calling.who)
            answer = await tool.run(calling, checked(tool.takes.model_validate, asked.arguments or {}, "body"))
            return _told(tool, answer)
        except Exception as error:  # each becomes an answer; one that nobody meant is logged
            why = reason_of(error)
            structured = None if self._failed is None else self._failed(why)
            text = types.TextContent(type="text", text=why)
            return types.CallToolResult(content=[text], structured_content=structured, is_error=True)

    async def _list_resources(self, _: _Context, __: Any) -> types.ListResourcesResult:
        listed = [
            types.Resource(
                uri=each.uri, name=each.name, title=each.title, description=each.purpose, mime_type=each.media_type
            )
            for each in self._resources.values()
        ]
        return types.ListResourcesResult(resources=listed)

    async def _list_templates(self, _: _Context, __: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def _read_resource(
        self, context: _Context, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        resource = self._resources.get(asked.uri)
        if resource is None:
            known = ", ".join(self._resources)
            raise MCPError(types.INVALID_PARAMS, f"There is no such resource; there is {known}.")
        text = await _or_error(context, resource.name, resource.read)
        read = types.TextResourceContents(uri=asked.uri, mime_type=resource.media_type, text=text)
        return types.ReadResourceResult(contents=[read])

    async def _list_prompts(self, _: _Context, __: Any) -> types.ListPromptsResult:
        listed = [
            types.Prompt(
                name=each.name,
                title=each.title,
                description=each.purpose,
                arguments=[
                    types.PromptArgument(name=name, description=what, required=True)
                    for name, what in each.takes.items()
                ],
            )
            for each in self._prompts.values()
        ]
        return types.ListPromptsResult(prompts=listed)

    async def _get_prompt(self, context: _Context, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt, given = self._prompts.get(asked.name), asked.arguments or {}
        if prompt is None or set(given) != set(prompt.takes):
            takes = "; ".join(f"{each.name}({', '.join(each.takes)})" for each in self._prompts.values())
            raise MCPError(types.INVALID_PARAMS, f"There is no such prompt with these arguments; there are {takes}.")
        text = await _or_error(context, prompt.name, lambda calling: prompt.say(calling, given))
        said = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=prompt.purpose, messages=[said])


async def calling_of(context: _Context, name: str) -> Calling:
    """Who calls, by the token of the request. Raises Unauthenticated, Invalid and Forbidden."""
    request = context.request
    admitted: Admitted | None = None if request is None else request.scope.get(GRANTED)
    if request is None or admitted is None:
        raise Unauthenticated()
    scope = request.scope
    app: AppContext = scope["app"].state.context
    app.look()
    admitted.route = f"{scope['path'].rstrip('/')} {name}"
    who = await acting(app, admitted.granted, _user_of(request))
    admitted.user_id, admitted.scopes = who.user_id, who.view.scopes
    return Calling(app, who, fresh_id())


def reason_of(error: Exception) -> str:
    """What an error says to a caller: what it was raised with, or nothing but that it is in the log."""
    meant = meant_by(error, "a tool of MCP")
    if meant is not None:
        return meant.detail
    log.error("a tool of MCP failed", exc_info=error)
    return UNEXPECTED


def _described(tool: McpTool) -> types.Tool:
    """The tool as clients list it."""
    hints = types.ToolAnnotations(
        title=tool.title,
        read_only_hint=not tool.writes,
        destructive_hint=tool.erases,
        idempotent_hint=tool.erases or not tool.writes,
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.purpose,
        input_schema=tool.takes.model_json_schema(),
        output_schema=None if tool.answers is None else dict(tool.answers),
        annotations=hints,
    )


def _told(tool: McpTool, answer: Any) -> types.CallToolResult:
    """The answer as text and as structured content. A string is the text alone."""
    plain = _plain(answer)
    spoken = plain if tool.says is None else tool.says(plain)
    text = spoken if isinstance(spoken, str) else orjson.dumps(spoken, option=orjson.OPT_INDENT_2).decode()
    bare = isinstance(plain, dict) and not tool.wraps
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=plain if bare else {"result": plain},
    )


async def _or_error(context: _Context, name: str, do: Callable[[Calling], Awaitable[str]]) -> str:
    """The words that something comes to, as they are shown. Raises MCPError."""
    try:
        return str(_plain(await do(await calling_of(context, name))))
    except Exception as error:
        raise MCPError(types.INTERNAL_ERROR, reason_of(error)) from error


def _user_of(request: Request) -> str | None:
    given = request.headers.get("x-user-id")
    return None if given is None else checked(_USER.validate_python, given, "x-user-id")


def _plain(answer: Any) -> Any:
    """An answer as JSON has it, with nothing hidden in it."""
    return orjson.loads(visible_json(orjson.dumps(answer, default=_modelled).decode()))


def _modelled(answer: Any) -> Any:
    """A model as JSON has it, without what it leaves open. Raises TypeError."""
    if isinstance(answer, BaseModel):
        return answer.model_dump(mode="json", exclude_none=True)
    raise TypeError(f"{type(answer).__name__} is no JSON")
