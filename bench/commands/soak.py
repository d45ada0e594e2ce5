"""Measure whether the Memoray that runs keeps its size under a steady load."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from bench.commands.measuring import KeepOption, site_of
from bench.measure import markdown
from bench.soak import soak
from cli.client import address
from cli.console import HomeOption, JsonOption, out, places_of, print_json
from cli.processes import PROC, descendants, pss_bytes, title
from cli.runtime import supervisor_pid

_ESTABLISHED = "01"  # include/net/tcp_states.h
CONNECTIONS = "connections of the gateway"
IN_ALL = ("MB, all", "descriptors, all", CONNECTIONS)
"""What must not grow."""


def bench_soak(
    minutes: Annotated[float, typer.Option("--minutes", min=1, max=10_000, help="How long.")] = 30,
    rate: Annotated[float, typer.Option("--rate", min=0.1, max=1_000, help="Requests a second.")] = 5,
    segments: Annotated[int, typer.Option("--segments", min=50, help="Size of the memory.")] = 2_000,
    keep: KeepOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask steadily for a while; print what each route took, and how memory, descriptors and connections grow.

    Ends with 1 if one of them grows in all. The parts tell where; of thirty intervals of 95 % one is wrong by chance.

    Example: memoray bench soak --minutes 30 --rate 5
    """
    root, port = supervisor_pid(places_of(home)), urlsplit(address(home)[0]).port or 0
    with site_of(home, as_json) as site:
        done = soak(site, lambda: taken(root or 0, port), minutes, rate, segments, keep=keep)
    if as_json:
        print_json(asdict(done))
    else:
        out.print(markdown([each.cells() for each in done.routes]), markup=False)
        out.print(f"\n{done.late} requests began late\n", markup=False)
        out.print(
            markdown([each.cells() for each in done.slopes]) if done.slopes else "too short for slopes", markup=False
        )
    if any(each.grows for each in done.slopes if each.what in IN_ALL):
        raise typer.Exit(1)


def taken(root: int, port: int) -> Mapping[str, float]:
    """What the processes below one take, by what they are called, and in all."""
    found: Counter[str] = Counter()
    for pid in {root} | descendants(root):
        name = _part(title(pid))
        megabytes, descriptors = pss_bytes(pid) / 1e6, _descriptors(pid)
        for what in (name, "all"):
            found[f"MB, {what}"] += megabytes  # type: ignore[assignment]
            found[f"descriptors, {what}"] += descriptors
    found[CONNECTIONS] = _connections(port)
    return dict(found)


def _part(name: str) -> str:
    if name.startswith("postgres"):
        return "PostgreSQL"
    return name if name.startswith(("ray::", "python -m")) else "others"


def _descriptors(pid: int) -> int:
    try:
        return len(os.listdir(PROC / str(pid) / "fd"))
    except OSError:  # gone meanwhile
        return 0


def _connections(port: int) -> int:
    """Established connections at this port, of both families."""
    rows = [
        line.split()
        for name in ("tcp", "tcp6")
        if (path := Path(f"/proc/net/{name}")).is_file()
        for line in path.read_text().splitlines()[1:]
    ]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == _ESTABLISHED for row in rows)


COMMANDS = (("bench soak", bench_soak),)
