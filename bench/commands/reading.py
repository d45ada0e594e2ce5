"""`memoray bench read`: which facts are read out of talk, and which of them are right, by reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from bench.commands.measuring import steps
from bench.measure import Tell, markdown
from bench.reading import ReadingModels, WorldReading, figures_by_kind, measure_reading
from bench.reading_worlds import CHOSEN_ON, SEALED, ReadingWorld, reading_worlds
from cli.console import HomeOption, JsonOption, out, places_of, print_json
from config.settings import load
from memory.errors import Invalid

PARTS: Mapping[str, tuple[str, ...]] = {"chosen": CHOSEN_ON, "sealed": SEALED}
"""Names of parts -> authors."""
READERS = ("rules", "taught", "openai")
"""Kinds of readers; openai as the settings say."""


def bench_read(
    folder: Annotated[Path, typer.Argument(help="Invented worlds, .txt, as CONTRIBUTING.md describes them.")],
    readers: Annotated[
        list[str] | None,
        typer.Option("--reader", help=f"{', '.join(READERS)}; may be repeated. Default: rules and taught."),
    ] = None,
    authors: Annotated[
        str, typer.Option("--authors", help="chosen (what cuts are chosen on), sealed, or letters: a,b.")
    ] = "chosen",
    judge: Annotated[
        str, typer.Option("--judge", help="What says which facts contradict each other: rules, taught, local, openai.")
    ] = "rules",
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N worlds.")] = None,
    causes: Annotated[bool, typer.Option("--causes", help="Print why facts are wrong and claims missed, too.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what is believed of invented talk against its claims and traps. Needs nothing running. Prints rows.

    Example: memoray bench read training/worlds --reader rules --reader taught --causes
    """
    worlds = list(reading_worlds(folder.expanduser(), PARTS.get(authors) or tuple(authors.split(","))))[:limit]
    if not worlds:
        raise Invalid(f"{folder} holds no world by {authors}.")
    if unknown := set(readers or ()) - set(READERS):
        raise typer.BadParameter(f"there is no {unknown.pop()}", param_hint="--reader")
    with steps(as_json) as tell:
        told = {kind: figures_by_kind(_read(worlds, kind, judge, home, tell)) for kind in readers or READERS[:2]}
    if as_json:
        print_json({kind: {name: asdict(each) for name, each in rows.items()} for kind, rows in told.items()})
        return
    found = [
        {"reader": kind, "worlds": name} | row.cells() for kind, rows in told.items() for name, row in rows.items()
    ]
    out.print(markdown(found), markup=False, soft_wrap=True)
    for kind, rows in told.items() if causes else ():
        out.print(f"\n{kind}\n\n" + markdown(list(rows["all"].causes())), markup=False, soft_wrap=True)


def _read(worlds: Sequence[ReadingWorld], kind: str, judge: str, home: Path | None, tell: Tell) -> list[WorldReading]:
    from adapters import build_models

    chosen = {"models": {"extraction": {"kind": kind}, "contradiction": {"kind": judge}}}
    settings = load(places_of(home).home, chosen)
    models = ReadingModels(
        build_models.extractor(settings), build_models.embedder(settings), build_models.judge(settings)
    )
    return measure_reading(worlds, models, lambda name, done, all_: tell(f"{kind}: {name}", done, all_))


COMMANDS = (("bench read", bench_read),)
