"""Measure the Memoray that runs, in memories of its own that are removed afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench import immune
from bench.as_of import measure_as_of
from bench.at_rest import AtRestRow, measure_at_rest
from bench.contradictions import measure_contradictions, sample
from bench.conversations import read
from bench.doors import MeasuredClient, doors
from bench.invented import Filling, filling
from bench.latency import LatencyRow, measure_latency
from bench.measure import Site, Tell, markdown
from bench.plain_door import PlainDoor, Wire
from bench.recall import measure_recall
from cli.client import address
from cli.console import HomeOption, JsonOption, NotRunning, err, out, places_of, print_json
from cli.processes import descendants, pss_bytes
from cli.runtime import Places, read_runtime, supervisor_pid
from config.settings import load

LimitOption = Annotated[
    int | None, typer.Option("--limit-questions", min=1, help="Only the first N, and what they are about.")
]
LabelsOption = Annotated[Literal["evidence", "evidence_audited"], typer.Option("--labels", help="Which gold.")]
KeepOption = Annotated[bool, typer.Option("--keep", help="Leave the memories of the benchmark in place.")]


def bench_recall(
    data: Annotated[Path, typer.Option("--data", help="Conversations with questions, JSONL, may be gzipped.")],
    limit_questions: LimitOption = None,
    labels: LabelsOption = "evidence",
    wait: Annotated[
        Literal["embedding", "extraction"], typer.Option("--wait", help="What must be done before the questions.")
    ] = "extraction",
    nights: Annotated[
        int, typer.Option("--nights", min=0, max=30, help="Run N nights afterwards, and ask everything again.")
    ] = 0,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print a row for each category, too.")] = False,
    keep: KeepOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what is found, how fast, and what it costs, with the questions of a public data set. Prints one row.

    Example: memoray bench recall --data locomo.jsonl.gz --verbose
    """
    conversations = read(data.expanduser(), labels, limit_questions)
    with site_of(home, as_json) as site:
        row = measure_recall(conversations, site, labels, wait=wait, nights=nights, keep=keep)
    if as_json:
        print_json(asdict(row))
        return
    out.print(markdown([row.cells()]), markup=False)
    if verbose:
        out.print("\n" + markdown(row.category_cells()), markup=False)


def bench_latency(
    segments: Annotated[int, typer.Option("--segments", min=1, help="Size of the memory.")] = 10_000,
    requests: Annotated[int, typer.Option("--requests", min=1, max=10_000, help="Of each kind.")] = 200,
    users: Annotated[
        int, typer.Option("--users", min=1, max=1_000, help="Among whom the memory is shared out, asked in turn.")
    ] = 1,
    synthetic: Annotated[
        bool, typer.Option("--synthetic", help="Write the memory into the database, with made-up vectors; no import.")
    ] = False,
    keep: KeepOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how long requests take with a memory of invented talk, at rest and while others import. Prints one row.

    Example: memoray bench latency --segments 10000

    Example: memoray bench latency --segments 500000 --synthetic
    """
    if users > segments:
        raise typer.BadParameter("there are fewer segments than users", param_hint="--users")
    with ExitStack() as stack:
        site = stack.enter_context(site_of(home, as_json))
        row: LatencyRow | AtRestRow
        if synthetic:
            made = stack.enter_context(_filling(home))
            row = measure_at_rest(site, made, segments, requests, users=users, keep=keep)
        else:
            row = measure_latency(site, segments, requests, users=users, keep=keep)
    if as_json:
        print_json(asdict(row))
    else:
        out.print(markdown([row.cells()]), markup=False)


def bench_contradictions(
    data: Annotated[Path, typer.Option("--data", help="Conversations with questions, JSONL, may be gzipped.")],
    judge: Annotated[
        Literal["rules", "local", "openai"], typer.Option("--judge", help="Who judges; openai as the settings say.")
    ] = "rules",
    links: Annotated[int, typer.Option("--links", min=0, help="Also print the turns of N random links.")] = 0,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure which contradictions and updates are linked, and how many links are false. Needs nothing running.

    Example: memoray bench contradictions --data beam.jsonl.gz --judge rules
    """
    from adapters import build_models

    settings = load(places_of(home).home, {"models": {"contradiction": {"kind": judge}}})
    with steps(as_json) as tell:
        encoder, asked = build_models.embedder(settings), build_models.judge(settings)
        row = measure_contradictions(read(data.expanduser()), encoder, asked, tell)
    if as_json:
        print_json({**asdict(row), "false_per_1000": row.false_per_1000})
        return
    out.print(markdown([row.cells()]), markup=False)
    for each in sample(row.links, links, seed=0):
        out.print(f"{each.conversation} {each.earlier} {each.later} {each.kind} {each.key}", markup=False)


def bench_as_of(
    versions: Annotated[int, typer.Option("--versions", min=1_000, help="Fact versions.")] = 1_000_000,
    questions: Annotated[int, typer.Option("--questions", min=1, max=10_000, help="Of each kind.")] = 100,
    as_json: JsonOption = False,
) -> None:
    """Measure questions of two times - true then, as believed then - over invented fact versions. Prints one row.

    Example: memoray bench as-of --versions 1000000
    """
    row = measure_as_of(versions, questions)
    if as_json:
        print_json(asdict(row))
    else:
        out.print(markdown([row.cells()]), markup=False)


def bench_immune(
    files: Annotated[list[Path], typer.Argument(help="Lines as tests/quality/README.md describes them, JSONL.")],
    faults: Annotated[bool, typer.Option("--faults", help="Print each line that went wrong, and why.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure what becomes a fact and what must not: a table for each file. Needs nothing running.

    Example: memoray bench immune tests/quality/redteam_open.jsonl tests/quality/must_become.jsonl
    """
    measured = {path: immune.measure(path.expanduser()) for path in files}
    if as_json:
        print_json({path.name: immune.counted(verdicts, with_faults=faults) for path, verdicts in measured.items()})
        return
    for path, verdicts in measured.items():
        out.print(immune.report(path, verdicts), markup=False)
        if faults:
            out.print(immune.faults(verdicts), markup=False)


def bench_doors(
    segments: Annotated[int, typer.Option("--segments", min=50, help="Size of the memory.")] = 2_000,
    questions: Annotated[int, typer.Option("--questions", min=1, max=10_000, help="How many.")] = 200,
    keep: KeepOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask through HTTP, MCP, mem0 and OpenAI, and be an Omi; print what each costs, and whether all find the same.

    Ends with 1 if one of them finds something else.

    Example: memoray bench doors --questions 200
    """
    with site_of(home, as_json) as site:
        rows = doors(site, segments, questions, MeasuredClient(*address(home)), keep=keep)
    if as_json:
        print_json([asdict(row) for row in rows])
    else:
        out.print(markdown([row.cells() for row in rows]), markup=False)
    if any(row.same is not None and row.same < row.asked for row in rows):
        raise typer.Exit(1)


COMMANDS = (
    ("bench as-of", bench_as_of),
    ("bench doors", bench_doors),
    ("bench contradictions", bench_contradictions),
    ("bench immune", bench_immune),
    ("bench recall", bench_recall),
    ("bench latency", bench_latency),
)


@contextmanager
def site_of(home: Path | None, quiet: bool) -> Iterator[Site]:
    """The running system, a connection for each user, the encoder it is set to, and a progress bar."""
    from adapters import build_models

    places = places_of(home)
    encoder = build_models.embedder(load(places.home))
    with ExitStack() as stack:
        wire = stack.enter_context(closing(Wire(*address(home))))
        yield Site(
            door=lambda user: PlainDoor(wire, user),
            encode=lambda text: encoder.embed([text]),
            encode_heard=encoder.encode,
            pss_bytes=lambda: _pss(places),
            tell=stack.enter_context(steps(quiet)),
        )


@contextmanager
def steps(quiet: bool) -> Iterator[Tell]:
    """A progress bar, as a way to tell of a step: what is done, how much of it, and how much there is."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=quiet or not err.is_terminal) as bar:
        task = bar.add_task("Starting", total=None)
        yield lambda step, done, total: bar.update(task, description=step, completed=done, total=total)


@contextmanager
def _filling(home: Path | None) -> Iterator[Filling]:
    """A way to write memories into the running system's database. Raises NotRunning."""
    from adapters import build_models

    places = places_of(home)
    runtime = read_runtime(places)
    if runtime is None:
        raise NotRunning
    with filling(runtime.owner_dsn, build_models.embedder(load(places.home))) as made:
        yield made


def _pss(places: Places) -> int:
    """What all processes of the running system take, as `memoray status` counts it."""
    root = supervisor_pid(places)
    return 0 if root is None else sum(map(pss_bytes, {root} | descendants(root)))
