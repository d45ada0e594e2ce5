"""`memoray night`: run the night by hand."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.client import connect
from cli.console import HomeOption, JsonOption, UserOption, show

NowOption = Annotated[
    str | None, typer.Option("--now", help="The night of this date (YYYY-MM-DD); default: the last that is over.")
]


def night(now: NowOption = None, user: UserOption = None, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Run a night, after the missed ones before it, and tell what it found. One that was is only told again.

    Example: memoray night --now 2026-03-02
    """
    with connect(home, user) as client:
        report = client.post("/v1/night", {"night": now})
    decay, tiers = report["decay"], report["tiers"]
    strength = f"mean strength {decay['mean_strength'] or 0:.2f}, {decay['low_salience']} fading"
    moves = f"{len(tiers['promoted'])} climbed, {len(tiers['demoted'])} sank, {tiers['contradicted']} contradicted"
    states, gone = report["states"], report["pruning"]["pruned"]
    rest = f"{states['archived']} archived, {states['returned']} returned, {len(gone)} pruned"
    show(
        report,
        as_json,
        f"[bold]The night of {report['night']}[/]",
        f"  {decay['entities']} entities, {strength}",
        f"  {', '.join(f'{tier} {count}' for tier, count in tiers['after'].items())}; {moves}",
        f"  {rest}, {report['notes']['expired']} notes expired",
    )


COMMANDS = (("night", night),)
