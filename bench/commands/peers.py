"""`memoray bench peers` and `memoray bench large`: beside other memories, and with very much to remember."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import psycopg
import typer

from bench.commands.measuring import LabelsOption, LimitOption, site_of, steps
from bench.conversations import Conversation, read, together
from bench.large import measure_large
from bench.measure import Site, markdown, memories
from bench.peer_process import PEERS, REQUIREMENTS, peer_process
from bench.peers import Encodings, MemoraySystem, MemorySystem, PeerRow, Spent, measure_peer
from cli.console import HomeOption, JsonOption, NotRunning, err, out, places_of, print_json
from cli.processes import PROC, descendants, pss_bytes
from cli.runtime import Places, read_runtime, supervisor_pid
from config.settings import load
from memory.errors import Invalid, Unavailable

MEMORAY = "memoray"
SYSTEMS = (*PEERS, MEMORAY)
_MADE = "made"
"""A file of the peers' environment: written when everything is in it, with what that is."""


def bench_peers(
    data: Annotated[list[Path], typer.Option("--data", help="Conversations with questions, JSONL, may be gzipped.")],
    systems: Annotated[str, typer.Option("--systems", help="Which of them, with commas between.")] = ",".join(SYSTEMS),
    limit_questions: LimitOption = None,
    labels: LabelsOption = "evidence",
    in_one: Annotated[
        bool,
        typer.Option("--together", help="A file's conversations in one memory: much to search."),
    ] = False,
    peers_python: Annotated[
        Path | None, typer.Option("--peers-python", help="The Python of an environment that holds the peers.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure other memories and this one side by side: the same turns, questions and vectors. Prints a row each.

    Without --peers-python an environment is made in the home at the first run: some minutes, about 5 GB.

    Example: memoray bench peers --data locomo.jsonl.gz --systems mem0,txtai,memoray
    """
    wanted = _chosen(systems)
    sets = [read(path.expanduser(), labels, limit_questions) for path in data]
    if in_one:
        sets = [[together(each)] for each in sets]
    places = places_of(home)
    python = _python(places, peers_python) if set(wanted) & set(PEERS) else None
    with ExitStack() as stack:
        site = stack.enter_context(site_of(home, as_json))
        rows = [row for each in sets for row in _rows(places, site, each, wanted, python)]
    if as_json:
        print_json([asdict(row) for row in rows])
    else:
        out.print(markdown([row.cells() for row in rows]), markup=False)


def bench_large(
    segments: Annotated[int, typer.Option("--segments", min=100, help="Of all users together.")] = 500_000,
    users: Annotated[int, typer.Option("--users", min=1, help="Who share them, in one shard.")] = 1,
    questions: Annotated[int, typer.Option("--questions", min=1, max=1000, help="How many.")] = 100,
    as_json: JsonOption = False,
) -> None:
    """Measure recall in process over invented talk with made-up vectors. Needs nothing running. Prints one row.

    Example: memoray bench large --segments 500000
    """
    if segments < users:
        raise Invalid(f"{users} users cannot share {segments} segments: give --segments at least as many.")
    with steps(as_json) as tell:
        row = measure_large(segments, users, questions, lambda: pss_bytes(os.getpid()), tell)
    if as_json:
        print_json(asdict(row))
    else:
        out.print(markdown([row.cells()]), markup=False)


def _chosen(systems: str) -> list[str]:
    wanted = [name.strip() for name in systems.split(",")]
    unknown = [name for name in wanted if name not in SYSTEMS]
    if unknown:
        raise Invalid(f"There is no system {unknown[0]!r}; there are {', '.join(SYSTEMS)}.")
    return wanted


def _rows(
    places: Places, site: Site, conversations: Sequence[Conversation], wanted: Sequence[str], python: Path | None
) -> Iterator[PeerRow]:
    """A row for each system over one set. Raises NotRunning, before anything is measured, where Memoray is wanted."""
    from adapters import build_models

    encode = build_models.embedder(load(places.home)).embed
    if MEMORAY in wanted and read_runtime(places) is None:
        raise NotRunning
    encodings = Encodings.of(conversations, encode, site.tell)
    for name in wanted:
        with _system(name, places, site, conversations, python) as system:
            yield measure_peer(name, system, conversations, encodings, encode, site.tell)


@contextmanager
def _system(
    name: str, places: Places, site: Site, conversations: Sequence[Conversation], python: Path | None
) -> Iterator[MemorySystem]:
    if python is not None and name != MEMORAY:
        with peer_process(name, python, pss_bytes) as process:
            yield process
        return
    with memories(site, [f"bench-{conversation.id}" for conversation in conversations]) as doors:
        by_conversation = dict(zip((each.id for each in conversations), doors.values(), strict=True))
        yield MemoraySystem(site, by_conversation, lambda: _spent(places, site))


def _spent(places: Places, site: Site) -> Spent:
    """What the running system has taken: CPU of its living processes, their memory, and its database."""
    runtime, root = read_runtime(places), supervisor_pid(places)
    if runtime is None or root is None:
        raise NotRunning
    with psycopg.connect(runtime.owner_dsn) as connection:
        size = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return Spent(
        cpu_s=sum(map(_cpu_s, {root} | descendants(root))),
        pss_bytes=site.pss_bytes(),
        disk_bytes=int(size[0]) if size else 0,
    )


def _cpu_s(pid: int) -> float:
    """CPU-seconds of a process up to now; none if it is gone."""
    try:
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # utime and stime, proc(5)


def _python(places: Places, given: Path | None) -> Path:
    """The Python of the peers: the one that was named, or that of an environment in the home, made if need be."""
    if given is not None:
        if not given.expanduser().is_file():
            raise Invalid(f"{given} is not there: name the Python of an environment that holds {_listed()}.")
        return given.expanduser()
    folder = places.home / "peers-venv"
    made = folder / _MADE
    if not made.is_file() or made.read_text() != _listed():
        _make(folder, places.log("peers-venv"))
        made.write_text(_listed())
    return folder / "bin" / "python"


def _make(folder: Path, log: Path) -> None:
    """A new environment with the peers in it. Raises Unavailable if they cannot be had."""
    err.print(f"Making an environment for {_listed()} in {folder}; it takes some minutes.", markup=False)
    log.parent.mkdir(parents=True, exist_ok=True)
    environment = [sys.executable, "-m", "venv", "--clear", str(folder)]
    peers = [str(folder / "bin" / "python"), "-m", "pip", "install", "--no-input", *REQUIREMENTS]
    with log.open("w") as said:
        for command in (environment, peers):
            if subprocess.run(command, stdout=said, stderr=subprocess.STDOUT, check=False).returncode:
                raise Unavailable(
                    f"{_listed()} cannot be installed; {log} says why. Where they can be had elsewhere, "
                    "name that environment's Python by --peers-python."
                )


def _listed() -> str:
    return ", ".join(REQUIREMENTS)


COMMANDS = (("bench peers", bench_peers), ("bench large", bench_large))
