"""`memoray bench lives`: invented casual lives, told to the Memoray that runs and asked about."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from bench.commands.measuring import KeepOption, site_of
from bench.life_files import read_life
from bench.life_reports import cells, fact_lines, report
from bench.life_scores import figures, judged, parse_labels
from bench.lives import LifeResult, measure_life
from bench.measure import markdown
from cli.console import HomeOption, JsonOption, out, print_json
from memory.errors import Invalid


def bench_lives(
    files: Annotated[list[Path], typer.Argument(help="Lives, .life (tests/quality/README.md), or training/memories.")],
    out_folder: Annotated[
        Path | None, typer.Option("--out", help="Write what became of each life there: NAME.md and NAME.json.")
    ] = None,
    show_facts: Annotated[
        bool, typer.Option("--facts", help="Print every believed fact with the turn it came from, to be labelled.")
    ] = False,
    labels: Annotated[
        list[Path] | None, typer.Option("--labels", help="Printed facts, each ? made right, wrong or useless.")
    ] = None,
    keep: KeepOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what becomes of half a year of casual talk: answers, corrections, facts. Prints a row a life.

    Example: memoray bench lives tests/quality/lives/*.life --out reports
    In a checkout, small memories that were never taught: memoray bench lives training/memories/pe-*.txt
    """
    lives = [read_life(path.expanduser()) for path in files]
    if len({life.name.lower() for life in lives}) < len(lives):
        raise Invalid("Two of these lives have the same name.")
    known = {statement: label for path in labels or () for statement, label in _labels(path).items()}
    with site_of(home, as_json) as site:
        measured = [measure_life(life, site, keep=keep) for life in lives]
    if out_folder is not None:
        out_folder.mkdir(parents=True, exist_ok=True)
        for lived in measured:
            _write(out_folder, lived, known)
    if as_json:
        print_json([_told(lived, known) for lived in measured])
        return
    if show_facts:
        for lived in measured:
            out.print("\n".join((f"# {lived.life.name}", *fact_lines(lived, known))), markup=False, soft_wrap=True)
        out.print()
    out.print(markdown([cells(lived, known) for lived in measured]), markup=False)


def _labels(path: Path) -> dict[str, str]:
    return parse_labels(path.expanduser().read_text(encoding="utf-8"), path.name)


def _write(folder: Path, lived: LifeResult, labels: dict[str, str]) -> None:
    name = lived.life.name
    (folder / f"{name}.md").write_text(report(lived, labels), encoding="utf-8")
    told = json.dumps(_told(lived, labels), ensure_ascii=False, indent=1)
    (folder / f"{name}.json").write_text(told + "\n", encoding="utf-8")


def _told(lived: LifeResult, labels: dict[str, str]) -> dict[str, Any]:
    """Everything about a life but what its file says."""
    return {
        "life": lived.life.name,
        "figures": asdict(figures(lived.replies)),
        "labels": asdict(judged((fact.statement for fact in lived.facts), labels)),
        "commands": [asdict(each) for each in lived.commands],
        "replies": [asdict(each) for each in lived.replies],
        "facts": [asdict(each) | {"label": labels.get(each.statement)} for each in lived.facts],
        "promises": list(lived.promises),
    }


COMMANDS = (("bench lives", bench_lives),)
