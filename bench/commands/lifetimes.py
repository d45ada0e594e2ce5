"""`memoray bench strength` and `memoray bench night`: what fading costs, as arithmetic and as a whole night."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from datetime import date
from typing import Annotated

import typer

from bench.measure import markdown
from bench.nightly import USER, NightSite, measure_night
from bench.plain_door import PlainDoor, Wire
from bench.strength import measure_strength
from cli.client import address, connect
from cli.console import HomeOption, JsonOption, NotRunning, err, out, places_of, print_json
from cli.processes import descendants, pss_bytes
from cli.ray_jobs import job_client, run_job
from cli.runtime import Places, read_runtime, supervisor_pid
from config.settings import load

KeepOption = Annotated[bool, typer.Option("--keep", help="Leave the memory of the benchmark in place.")]


def bench_strength(
    rows: Annotated[int, typer.Option("--rows", min=1, help="Rows of the columns.")] = 1_000_000,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure the four laws of fading, with the numbers of a home, beside the bare expression. Prints one row.

    Example: memoray bench strength --rows 1000000
    """
    row = measure_strength(rows, load(places_of(home).home).life)
    if as_json:
        print_json(asdict(row))
    else:
        out.print(markdown([row.cells()]), markup=False)


def bench_night(
    entities: Annotated[
        int, typer.Option("--entities", min=1_000, help="Of the memory; thrice as many facts.")
    ] = 100_000,
    keep: KeepOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure two nights over an invented memory, as Ray jobs, and questions asked meanwhile. Prints one row.

    Making the memory takes minutes.

    Example: memoray bench night --entities 100000
    """
    places = places_of(home)
    runtime, root = read_runtime(places), supervisor_pid(places)
    if runtime is None or root is None:
        raise NotRunning
    with connect(home, USER) as client, closing(Wire(*address(home))) as wire:
        site = NightSite(
            dsn=runtime.owner_dsn,
            door=lambda _: client,
            run_job=_job_runner(places),
            pss_bytes=lambda: sum(map(pss_bytes, {root} | descendants(root))),
            tell=lambda step, done, total: err.print(f"{step} ({done + 1} of {total})", markup=False),
            asking=lambda user: PlainDoor(wire, user),
        )
        row = measure_night(site, entities, time.time(), keep=keep)
    if as_json:
        print_json(asdict(row))
    else:
        out.print(markdown([row.cells()]), markup=False)


def _job_runner(places: Places) -> Callable[[str, date], None]:
    """How a night is run as a job of the cluster of this home. Raises Unavailable if it fails."""

    def run(user: str, night: date) -> None:
        words = ("python", "-m", "jobs.nightly", "--home", str(places.home), "--user", user, "--night", str(night))
        run_job(job_client(places), words, look_s=0.1)

    return run


COMMANDS = (("bench strength", bench_strength), ("bench night", bench_night))
