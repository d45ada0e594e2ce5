"""`memoray bench communities`: what a night of communities costs, and how good what it finds is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from bench.communities import SIZES, compare, invented, measured_apart
from bench.measure import markdown
from cli.console import JsonOption, err, out, print_json
from memory.rules.parameters import Communities
from memory.rules.ties import graph_of


def bench_communities(
    edges: Annotated[
        list[int] | None, typer.Option("--edges", min=100, help="About how many, may be repeated. Default: five sizes.")
    ] = None,
    circle: Annotated[
        int | None, typer.Option("--circle", min=2, help="Members of a circle. Default: as many as there are circles.")
    ] = None,
    libraries: Annotated[
        bool, typer.Option("--compare", help="Give the same graphs to the libraries that are installed here, instead.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure three nights of communities in invented lives. Prints a row a size.

    Example: memoray bench communities --edges 100000 --circle 30
    """
    rows: list[dict[str, str]] = []
    measured = []
    for size in edges or SIZES:
        with err.status(f"{size:,} edges"):
            if libraries:
                rows += compare(graph_of(invented(size, circle).ties, Communities()))
            else:
                measured.append(measured_apart(size, circle))
    if as_json:
        print_json(rows or [asdict(row) for row in measured])
    else:
        out.print(markdown(rows or [row.cells() for row in measured]), markup=False, soft_wrap=True)


COMMANDS = (("bench communities", bench_communities),)
