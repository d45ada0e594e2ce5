"""`memoray bench read`: which facts are read out of talk, and which of them are right, by reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from bench.commands.measuring import steps
from bench.measure import markdown
from bench.reading import figures_by_kind, measure_reading
from bench.reading_worlds import CHOSEN_ON, SEALED, reading_worlds
from cli.console import HomeOption, JsonOption, out, places_of, print_json
from config.settings import load
from memory.errors import Invalid

PARTS: Mapping[str, tuple[str, ...]] = {"chosen": CHOSEN_ON, "sealed": SEALED}
"""Names of parts -> authors."""


def bench_read(
    folder: Annotated[Path, typer.Argument(help="Invented worlds, .txt, as CONTRIBUTING.md describes them.")],
    readers: Annotated[
        list[Literal["rules", "taught", "openai"]] | None,
        typer.Option("--reader", help="May be repeated; openai as the settings say. Default: rules and taught."),
    ] = None,
    authors: Annotated[
        str, typer.Option("--authors", help="chosen (what cuts are chosen on), sealed, or letters: a,b.")
    ] = "chosen",
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N worlds.")] = None,
    causes: Annotated[bool, typer.Option("--causes", help="Print why facts are wrong and claims missed, too.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what is believed of invented talk against its claims and traps. Needs nothing running. Prints rows.

    Example: memoray bench read training/worlds --reader rules --reader taught --causes
    """
    from adapters import build_models

    worlds = list(reading_worlds(folder.expanduser(), PARTS.get(authors) or tuple(authors.split(","))))[:limit]
    if not worlds:
        raise Invalid(f"{folder} holds no world by {authors}.")
    told = {}
    with steps(as_json) as tell:
        for kind in readers or ["rules", "taught"]:
            settings = load(places_of(home).home, {"models": {"extraction": {"kind": kind}}})
            read = measure_reading(
                worlds, build_models.extractor(settings), lambda *a, k=kind: tell(f"{k}: {a[0]}", *a[1:])
            )
            told[kind] = figures_by_kind(read)
    if as_json:
        print_json({kind: {name: asdict(each) for name, each in rows.items()} for kind, rows in told.items()})
        return
    rows = [
        {"reader": kind, "worlds": name} | each.cells() for kind, found in told.items() for name, each in found.items()
    ]
    out.print(markdown(rows), markup=False, soft_wrap=True)
    if causes:
        for kind, found in told.items():
            out.print(f"\n{kind}\n\n" + markdown(list(found["all"].causes())), markup=False, soft_wrap=True)


COMMANDS = (("bench read", bench_read),)
