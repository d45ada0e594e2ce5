"""Who read or changed what of a memory, and when."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from cli.client import connect
from cli.console import HomeOption, JsonOption, UserOption, show

SHOWN_IDS = 3
"""Ids told in a line; `--json` has them all."""


def audit(
    token: Annotated[str | None, typer.Option(help="Only what was done with the token of this name.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="The latest so many.")] = 20,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell who read or changed what of a memory: ids alone, never words.

    Example: memoray audit --token phone
    """
    with connect(home, user) as client:
        told = client.get("/v1/audit", token=token, limit=limit)
    lines = []
    for each in told["entries"]:
        ids = [*each["sources"], *each["ids"]]
        more = f" and {each['count'] - SHOWN_IDS} more" if each["count"] > SHOWN_IDS else ""
        named = f"  [dim]{escape(', '.join(ids[:SHOWN_IDS]))}{more}[/]" if ids else ""
        lines.append(
            f"{each['at']}  [bold]{escape(each['token'])}[/]  {escape(each['route'])}  {each['status']}{named}"
        )
    show(told, as_json, *(lines or ["Nothing yet."]))


COMMANDS = (("audit", audit),)
