"""`memoray daily`: look back on a day."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.client import connect
from cli.console import HomeOption, JsonOption, UserOption, out, print_json


def daily(
    date: Annotated[str | None, typer.Argument(help="YYYY-MM-DD; default: today, where you live.")] = None,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look back on a day: what was said, about whom, what was promised on it or is due, and how it felt.

    Example: memoray daily 2026-03-01
    """
    with connect(home, user) as client:
        day = client.get("/v1/daily", date=date)
    if as_json:
        print_json(day)
        return
    out.print(day["date"], style="bold")
    out.print(day["summary"], markup=False)
    lists = (("People", day["people"]), ("Topics", day["topics"]), ("Promises", day["promises"]))
    for title, names in lists:
        if names:
            out.print(f"{title}: {', '.join(names)}", markup=False)
    if day["emotional_arc"]:
        out.print(f"Felt: {day['emotional_arc']}", markup=False)


COMMANDS = (("daily", daily),)
