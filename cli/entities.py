"""What entities are called, and which of them are one: renamed, given another name, merged, split, retyped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from cli.client import RequestRefused, connect, route
from cli.console import HomeOption, JsonOption, UserOption, command, show
from memory.errors import Invalid

EntityArgument = Annotated[str, typer.Argument(metavar="ENTITY", help="An entity's id, or the beginning of it.")]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The name, in quotation marks if it has blanks.")]


def rename(
    entity: EntityArgument,
    name: NameArgument,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give an entity another name; the old one goes on meaning it.

    Example: memoray entities rename e-0a1b2c "Elena Costa"
    """
    with connect(home, user) as client, _merge_instead(user, home):
        done = client.post(route("entities", entity, "rename"), {"name": name})
    show(done, as_json, f"Now called {escape(name)}: {done['entity_id']}.")


def alias(
    entity: EntityArgument,
    name: NameArgument,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let another name mean an entity, too.

    Example: memoray entities alias e-0a1b2c Leni
    """
    with connect(home, user) as client, _merge_instead(user, home):
        done = client.post(route("entities", entity, "alias"), {"alias": name})
    show(done, as_json, f"Also called {escape(name)}: {done['entity_id']}.")


def merge(
    entity: EntityArgument,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The id of the one that is the same.")],
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let two entities be one: names, mentions and facts of the other move to the first. `memoray undo` parts them.

    Example: memoray entities merge e-0a1b2c e-4d5e6f
    """
    with connect(home, user) as client:
        done = client.post(route("entities", entity, "merge"), {"other_id": other})
        kept = client.get(route("entities", done["entity_id"]))
    names = ", ".join(each for each in kept["aliases"])
    show(
        done,
        as_json,
        f"Merged into {escape(kept['name'])}{escape(f' ({names})' if names else '')}: {done['entity_id']}.",
    )


def split(
    entity: EntityArgument,
    qualifier: Annotated[str, typer.Option(help="What tells the other one apart: a surname, a place.")] = "",
    name: Annotated[str | None, typer.Option(help="The other one's name; default: the same.")] = None,
    source: Annotated[list[str] | None, typer.Option(help="A source in which the other one is meant.")] = None,
    segment: Annotated[list[str] | None, typer.Option(help="A segment of one, as SOURCE/SEGMENT.")] = None,
    fact: Annotated[list[str] | None, typer.Option(help="A fact of the other one.")] = None,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let some of what is taken for one entity be another: its mentions there, and the facts that rest on them alone.

    Example: memoray entities split e-0a1b2c --qualifier "the plumber" --source kitchen
    """
    body = {
        "qualifier": qualifier,
        "name": name,
        "sources": source or [],
        "segments": [_segment(each) for each in segment or []],
        "facts": fact or [],
    }
    with connect(home, user) as client, _merge_instead(user, home):
        done = client.post(route("entities", entity, "split"), body)
    show(done, as_json, f"Split off: {done['split_off']}.")


def retype(
    entity: EntityArgument,
    type_: Annotated[str, typer.Argument(metavar="TYPE", help="person, place, organization, topic, ...")],
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let an entity be of another type. Its id stays.

    Example: memoray entities retype e-0a1b2c organization
    """
    with connect(home, user) as client, _merge_instead(user, home):
        done = client.post(route("entities", entity, "retype"), {"type": type_})
    show(done, as_json, f"Now of type {escape(type_)}: {done['entity_id']}.")


COMMANDS: tuple[tuple[str, Callable[..., None]], ...] = (
    ("entities rename", rename),
    ("entities alias", alias),
    ("entities merge", merge),
    ("entities split", split),
    ("entities retype", retype),
)


@contextmanager
def _merge_instead(user: str | None, home: Path | None) -> Iterator[None]:
    """Whoever has the name or the type already is told with the command that merges the two."""
    try:
        yield
    except RequestRefused as refused:
        other = refused.ids.get("merge_with")
        if other is None:
            raise
        how = command(f"entities merge {refused.ids['entity_id']} {other}", user, home)
        raise RequestRefused(
            f"Another entity of this type already has that name; merge them instead: {how}"
        ) from refused


def _segment(given: str) -> dict[str, str]:
    source_id, slash, segment_id = given.rpartition("/")
    if not (source_id and slash and segment_id):
        raise Invalid("A segment is given as SOURCE/SEGMENT, such as breakfast/3.")
    return {"source_id": source_id, "segment_id": segment_id}
