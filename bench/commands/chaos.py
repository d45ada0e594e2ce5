"""`memoray chaos`: hurt the Memoray that runs, on purpose, and see what that costs whoever writes and asks."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from pathlib import Path
from typing import Annotated

import typer

from actors.placement import living as living_shards
from adapters.serving_turn import serving
from bench.chaos import FAULTS, STOP, Chaos, ChaosPlan
from bench.chaos_report import ChaosFault
from bench.commands.measuring import steps
from bench.measure import markdown
from cli.client import address
from cli.console import Exit, HomeOption, JsonOption, out, places_of, print_json
from cli.processes import descendants, title
from cli.runtime import Places, read_runtime, supervisor_pid

TITLES = {
    "worker": "ray::Worker",
    "gateway": "ray::ServeReplica:memoray:Gateway",
    "controller": "ray::ServeController",
    "GCS": "gcs_server",
    "raylet": "raylet",
}
"""Part -> how its process calls itself; the others are in the runtime file."""
PIDS = {"PostgreSQL": "postgres", "supervisor": "supervisor"}
PARTS = tuple(dict.fromkeys(fault.part for fault in FAULTS))


def chaos(
    minutes: Annotated[float, typer.Option("--minutes", min=0.1, max=600, help="How long.")],
    seed: Annotated[int, typer.Option("--seed", help="Draws which faults come when.")] = 0,
    writes: Annotated[float, typer.Option("--writes", min=0.1, max=200, help="A second.")] = 20,
    reads: Annotated[float, typer.Option("--reads", min=0.1, max=200, help="A second.")] = 20,
    parts: Annotated[
        list[str] | None, typer.Option("--part", help=f"Only this one, may be repeated: {', '.join(PARTS)}.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Kill and stop parts of the Memoray that runs while somebody writes and asks; exit code 1 if a bar does not hold.

    Shows how long each fault was noticed, and whether every acknowledged write is there once.

    Those who write, `chaos-0` to `chaos-4`, have their memories erased before and afterwards. Others may have to wait.

    Example: memoray chaos --minutes 10 --seed 7 --yes
    """
    if unknown := set(parts or ()) - set(PARTS):
        raise typer.BadParameter(f"there is no {unknown.pop()}", param_hint="--part")
    url, token = address(home)
    if not yes:
        typer.confirm("This kills parts of the Memoray that runs, again and again. Go on?", abort=True, err=True)
    places = places_of(home)
    plan = ChaosPlan(minutes, seed, writes, reads, frozenset(parts or ()))
    draw = random.Random(seed)
    with steps(as_json) as tell:
        report = asyncio.run(Chaos(url, token, plan, lambda fault: harm(places, fault, draw), tell).run())
    if as_json:
        print_json(report.as_json())
    else:
        out.print(markdown(report.rows()), markup=False)
        out.print("\n" + report.summary(), markup=False)
    if not report.holds:
        raise typer.Exit(Exit.FAILED)


def harm(places: Places, fault: ChaosFault, draw: random.Random) -> bool:
    """Kill or stop the process of a part; False if there is none at present."""
    found = victim(places, fault.part, draw)
    if found is None:
        return False
    try:
        os.kill(found, signal.SIGSTOP if fault.how == STOP else signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def victim(places: Places, part: str, draw: random.Random) -> int | None:
    """The process of a part that is in use: one of the shards, of gateways the one that serves, else the youngest, for
    an old one is about to go.
    """
    root, runtime = supervisor_pid(places), read_runtime(places)
    if root is None or runtime is None:
        return None
    if part in PIDS:
        pid = runtime.pids.get(PIDS[part])
        return pid if pid is not None and Path(f"/proc/{pid}").exists() else None
    if part == "shard":
        shards = sorted(descendants(root) & set(living_shards(places.home).values()))
        return draw.choice(shards) if shards else None
    living = [pid for pid in descendants(root) if title(pid).startswith(TITLES[part])]
    if part == "gateway":
        turn = serving(places.home, int(runtime.url.rpartition(":")[2]))
        if turn in descendants(root):  # the spare one, too
            return turn
    return max(living, key=_begun, default=None)


def _begun(pid: int) -> int:
    """When a process began, in the kernel's ticks."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return 0


COMMANDS = (("chaos", chaos),)
