"""`memoray rebuild`: make an index anew, or the journal itself."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from cli.client import connect
from cli.console import HomeOption, JsonOption, counted, err, out, print_json


class What(StrEnum):
    """What can be made anew: indexes from the journal, the journal from captured commands."""

    TEXT = "text"
    VECTORS = "vectors"
    GRAPH = "graph"
    ALL = "all"
    JOURNAL = "journal"


REBUILD_S = 3_600.0
"""Seconds a rebuilding may take: all that was ever asked of a memory is decided again."""


def rebuild(
    what: Annotated[What, typer.Argument(help="text, vectors, graph or all of them; or journal")],
    user: Annotated[str | None, typer.Option(help="Whose memory; default: your own.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build an index again from the journal, or write the journal anew from captured commands.

    Nothing that was said is touched. `all` means all indexes.

    Example: memoray rebuild vectors
    """
    with connect(home, user, timeout_s=REBUILD_S) as client, err.status("Rebuilding"):
        answer = client.post("/v1/rebuild", {"what": what.value})
    if as_json:
        print_json(answer)
        return
    if journal := answer["journal"]:
        out.print(
            f"journal: {counted(journal['turns'], 'command')} decided again after version {journal['snapshot']}, "
            f"{journal['otherwise']} otherwise than then ({journal['refused']} refused); "
            f"{counted(journal['facts'], 'fact')}, {counted(journal['entities'], 'entity', 'entities')} "
            f"at version {journal['version']}."
        )
        return
    if told := changing(answer["encoder"]):
        out.print(told, markup=False)
        return
    waiting = answer["pending"]["embedding"] if what in (What.VECTORS, What.ALL) else 0
    encoded = f"{counted(waiting, 'source')} to be encoded again in the background; the old vectors serve until then."
    out.print(f"{what.value}: {encoded if waiting else 'read again with the next question.'}")


def changing(encoder: Mapping[str, Any]) -> str | None:
    """How far another encoder has come to take the place of the serving one; None if none is to."""
    if encoder["successor"] is None:
        return None
    return (
        f"{encoder['successor']} has encoded {encoder['encoded']} of {encoder['segments']} segments in the background; "
        f"{encoder['serving']} serves until nothing is missing."
    )


COMMANDS = (("rebuild", rebuild),)
