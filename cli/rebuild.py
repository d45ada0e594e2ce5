"""`memoray rebuild`: make an index anew."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from cli.client import connect
from cli.console import HomeOption, JsonOption, out, print_json


class What(StrEnum):
    """The indexes that can be made anew."""

    TEXT = "text"
    VECTORS = "vectors"
    GRAPH = "graph"
    ALL = "all"


def rebuild(
    what: Annotated[What, typer.Argument(help="text, vectors, graph or all")],
    user: Annotated[str | None, typer.Option(help="Whose memory; default: your own.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Drop an index and build it again from the journal. Nothing that was said or is believed is touched.

    Example: memoray rebuild vectors
    """
    answer = connect(home, user).post("/v1/rebuild", {"what": what.value})
    if as_json:
        print_json(answer)
        return
    waiting = answer["pending"]["embedding"]
    out.print(f"{what.value}: dropped; {waiting} sources are encoded again in the background." if waiting
              else f"{what.value}: dropped; read again with the next question.")  # fmt: skip


COMMANDS = (("rebuild", rebuild),)
