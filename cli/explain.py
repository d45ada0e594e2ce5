"""`memoray explain`: why a fact, an entity or a recalled segment is there, as text, JSON or a graph to draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from cli.client import connect, route
from cli.clock import home_zone, on_clock
from cli.console import HomeOption, JsonOption, UserOption, out, print_json
from memory.errors import Invalid

Graph = Mapping[str, Any]


class OutputFormat(StrEnum):
    """How an explanation is printed."""

    TEXT = "text"
    JSON = "json"
    DOT = "dot"
    MERMAID = "mermaid"


def explain(
    thing: Annotated[
        str, typer.Argument(metavar="ID", help="A fact's or an entity's id, or a segment as recall prints it.")
    ],
    form: Annotated[
        OutputFormat, typer.Option("--format", "-f", help="text, json, dot or mermaid.")
    ] = OutputFormat.TEXT,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell why something is believed: the words, who judged them, what stands against it, every change.

    The beginning of an id is enough.

    Example: memoray explain f-0a1b2c --format mermaid
    """
    path = path_of(thing)
    with connect(home, user) as client:
        explained = client.get(path)
        zone = home_zone(client)
    if as_json or form is OutputFormat.JSON:
        print_json(explained)
        return
    if form is not OutputFormat.TEXT:
        out.print(DRAW[form](explained["graph"]), markup=False)
        return
    out.print(on_clock(explained["text"], zone), markup=False)
    out.print(f"[dim]Times are of {zone.key}.[/]")


COMMANDS = (("explain", explain),)


def path_of(thing: str) -> str:
    """The route that explains a thing, by the look of its id. Raises Invalid."""
    source, slash, segment = thing.rpartition("/")
    if slash:
        return route("segments", source, segment, "explain")
    for beginning, room in _ROOMS.items():
        if thing.startswith(beginning):
            return route(room, thing, "explain")
    raise Invalid("Give the id of a fact (f-...), of an entity (e-...), or source/segment as `memoray recall` does.")


_ROOMS = {"f-": "facts", "e-": "entities"}
"""The beginning of an id tells what it is the id of."""


def dot(graph: Graph) -> str:
    """The graph in the language of Graphviz."""
    shapes = {"fact": "box", "entity": "ellipse", "segment": "note"}
    nodes = [f"  {_quoted(n['id'])} [label={_quoted(n['label'])}, shape={shapes[n['kind']]}];" for n in graph["nodes"]]
    edges = [
        f"  {_quoted(e['from_id'])} -> {_quoted(e['to_id'])} [label={_quoted(e['kind'])}];" for e in graph["edges"]
    ]
    return "\n".join(["digraph memory {", "  rankdir=LR;", *nodes, *edges, "}"])


def mermaid(graph: Graph) -> str:
    """The graph in the language of Mermaid, whose ids may be numbers only."""
    number = {node["id"]: f"n{place}" for place, node in enumerate(graph["nodes"])}
    shapes = {"fact": ("[", "]"), "entity": ("([", "])"), "segment": ("[/", "/]")}
    nodes = [
        f'  {number[node["id"]]}{shapes[node["kind"]][0]}"{_escaped(node["label"])}"{shapes[node["kind"]][1]}'
        for node in graph["nodes"]
    ]
    edges = [f"  {number[e['from_id']]} -->|{e['kind']}| {number[e['to_id']]}" for e in graph["edges"]]
    return "\n".join(["flowchart LR", *nodes, *edges])


DRAW: Mapping[OutputFormat, Callable[[Graph], str]] = {OutputFormat.DOT: dot, OutputFormat.MERMAID: mermaid}


def _quoted(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _escaped(words: str) -> str:
    """Mermaid reads entity codes within quotes."""
    return words.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")
