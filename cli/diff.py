"""`memoray diff`: what changed in belief between two times, and why."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.client import connect
from cli.clock import home_zone, on_clock
from cli.console import HomeOption, JsonOption, UserOption, out, print_json

_COLOURS = {"+": "green", "-": "red"}


def diff(
    since: Annotated[str | None, typer.Option("--from", help="A date, last_week, last_month; default: all.")] = None,
    until: Annotated[str | None, typer.Option("--to", help="The same; default: now.")] = None,
    subject: Annotated[str | None, typer.Option(help="Only what concerns this entity, by name or id.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200, help="Changes at most.")] = 50,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what was believed at one time and not at the other (+ and -), and every change in between with its words.

    Example: memoray diff --from last_week --subject Maya
    """
    parameters = {"from": since, "to": until, "subject": subject, "limit": limit}
    with connect(home, user) as client:
        told = client.get("/v1/diff", **parameters)
        zone = home_zone(client)
    if as_json:
        print_json(told)
        return
    for line in on_clock(told["text"], zone).splitlines():
        out.print(line, style=_COLOURS.get(line[:1]), markup=False)
    if told["changes"]:
        out.print(f"[dim]Times are of {zone.key}.[/]")
    if told["cursor"]:
        out.print(f"[dim]The first {limit} changes; --limit shows more, --from a later stretch.[/]")


COMMANDS = (("diff", diff),)
