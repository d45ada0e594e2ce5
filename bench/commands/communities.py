"""`memoray bench communities`: what a night of communities costs, and how good what it finds is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from bench.communities import SIZES, invented, measure_communities
from bench.measure import markdown
from cli.console import HomeOption, JsonOption, err, out, places_of, print_json
from config.settings import load


def bench_communities(
    edges: Annotated[
        list[int] | None, typer.Option("--edges", min=100, help="About how many, may be repeated. Default: five sizes.")
    ] = None,
    circle: Annotated[
        int | None, typer.Option("--circle", min=2, help="Members of a circle. Default: as many as there are circles.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure three nights of communities in invented lives, with the numbers of a home. Prints a row a size.

    Example: memoray bench communities --edges 100000 --circle 30
    """
    rules = load(places_of(home).home).life.communities
    rows = []
    for size in edges or SIZES:
        with err.status(f"{size:,} edges"):
            rows.append(measure_communities(invented(size, circle), rules))
    if as_json:
        print_json([asdict(row) for row in rows])
    else:
        out.print(markdown([row.cells() for row in rows]), markup=False, soft_wrap=True)


COMMANDS = (("bench communities", bench_communities),)
