"""`memoray status` and `memoray logs`: what runs, what it costs, what it said."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from actors import placement
from cli.accounts import account_of
from cli.client import HttpClient
from cli.console import Exit, HomeOption, JsonOption, NotRunning, err, out, places_of, print_json, print_table
from cli.processes import descendants, pss_bytes, title
from cli.rebuild import changing
from cli.runtime import Places, Runtime, read_runtime, supervisor_pid
from memory.errors import DomainError, Invalid

OURS = ("supervisor", "postgres", "ray", "spare")
"""Parts whose log lies in the home; the others' lie with Ray."""
PARTS = (*OURS, "serve", "workers")
SHOWN_LINES = 20
POLL_S = 0.3


def status(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Show the addresses, processes with their memory, versions and pending work. Exit code 3 when it does not run.

    Example: memoray status --json
    """
    places = places_of(home)
    runtime = read_runtime(places)
    root = supervisor_pid(places)
    if runtime is None or root is None:
        _not_running(runtime, as_json)
        raise typer.Exit(Exit.NOT_RUNNING)
    seen = runtime.shown | _measured(runtime, root)
    if as_json:
        print_json(seen)
    else:
        _show(seen)


def logs(
    part: Annotated[str | None, typer.Argument(help=f"One of {', '.join(PARTS)}; all of them by default.")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what is written from now on.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="Lines of each file.")] = SHOWN_LINES,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the last lines of every log, or of one part.

    Example: memoray logs -f serve
    """
    if part is not None and part not in PARTS:
        raise Invalid(f"There is no part {part!r}; there are {', '.join(PARTS)}.")
    files = _log_files(places_of(home), part)
    if as_json:
        print_json([{"part": name, "file": str(file), "lines": _tail(file, lines)} for name, file in files])
        return
    if not files:
        err.print("There is no log yet.")
    for name, file in files:
        out.print(f"[bold]{name}[/] [dim]{file}[/]")
        for line in _tail(file, lines):
            out.print(f"  {line}", markup=False)
    if follow:
        _follow(files)


def _not_running(runtime: Runtime | None, as_json: bool) -> None:
    failed = runtime is not None and runtime.state == "failed"
    reason = runtime.error if runtime is not None and failed else None
    if as_json:
        print_json({"state": "failed" if failed else "stopped", "error": reason})
        return
    err.print(NotRunning().detail)
    if reason:
        err.print(f"The last start failed: {reason}", markup=False)


def _measured(runtime: Runtime, root: int) -> dict[str, Any]:
    home = Path(runtime.home)
    processes = [
        {"pid": pid, "title": title(pid), "pss_bytes": pss_bytes(pid)} for pid in sorted({root} | descendants(root))
    ]
    living = [process for process in processes if process["pss_bytes"]]
    return {
        "uptime_s": round((datetime.now(UTC) - datetime.fromisoformat(runtime.started_at)).total_seconds()),
        "pss_bytes": sum(int(str(process["pss_bytes"])) for process in living),
        "processes": living,
        "accounts": {name: account_of(pid) for name, pid in runtime.pids.items()},
        "python": ".".join(map(str, sys.version_info[:3])),
        "pending": None if (stats := _told(runtime, "/v1/stats")) is None else stats.get("pending", {}),
        "encoder": _told(runtime, "/v1/rebuild"),
        "lease": (_told(runtime, "/health") or {}).get("lease"),
        "shards": {"in_force": placement.in_force(home), "pids": placement.living(home)},
    }


def _told(runtime: Runtime, path: str) -> dict[str, Any] | None:
    """What the front door tells of itself; None while it does not answer."""
    try:
        with HttpClient(runtime.url, Path(runtime.token_file).read_text().strip(), timeout_s=5.0) as client:
            told: dict[str, Any] = client.get(path)
            return told
    except (DomainError, OSError):
        return None


def _show(seen: dict[str, Any]) -> None:
    colour = {"ready": "green", "failed": "red"}.get(seen["state"], "yellow")
    out.print(f"[bold {colour}]{seen['state']}[/] {seen['step']}, up {seen['uptime_s']} s")
    pending, encoder = seen["pending"], seen["encoder"]
    waiting = ", ".join(f"{kind} {count}" for kind, count in pending.items()) if pending is not None else "unknown"
    rows = {
        "Memoray": seen["url"],
        "Ray": seen["dashboard_url"],
        "Token": seen["token_file"],
        "Home": seen["home"],
        "Database": f"as its owner: {seen['owner_serves']}" if seen["owner_serves"] else "a role without other rights",
        "Accounts": ", ".join(f"{name} as {account}" for name, account in seen["accounts"].items()),
        "Versions": ", ".join(f"{name} {number}" for name, number in seen["versions"].items()),
        "Shards": _shards(seen["shards"]),
        "Pending": waiting,
        "Lease": shown_lease(seen["lease"]),
        "Encoder": (changing(encoder) or encoder["serving"]) if encoder else "unknown",
    } | ({"Error": seen["error"]} if seen["error"] else {})
    for name, value in rows.items():
        out.print(f"  {name:<9} {value}", markup=False)
    table = Table(box=None, padding=(0, 2))
    for column, side in (("pid", "right"), ("MB", "right"), ("process", "left")):
        table.add_column(column, justify=side)  # type: ignore[arg-type]
    for process in sorted(seen["processes"], key=lambda one: -one["pss_bytes"]):
        table.add_row(str(process["pid"]), f"{process['pss_bytes'] / 1e6:.0f}", process["title"])
    table.add_row("", f"{seen['pss_bytes'] / 1e6:.0f}", "in all (PSS: shared pages counted once)", style="bold")
    print_table(table)


def _shards(seen: dict[str, Any]) -> str:
    """How many there are to be, and which of them answer; without ours nobody has said how many."""
    answering = ", ".join(f"{name} by process {pid}" for name, pid in seen["pids"].items())
    return f"{seen['in_force'] or 'as set'} in force; {answering or 'none answers yet'}"


def shown_lease(seen: dict[str, Any] | None) -> str:
    """Who holds the GPU, or the processors, who waits, and how much of it is declared."""
    if seen is None:
        return "unknown"
    unit = "GB of the GPU" if seen["device"] == "gpu" else "processors"
    held, waiting = (", ".join(f"{one['user']} {one['since_s']} s" for one in seen[who]) for who in ("held", "waiting"))
    told = f"{seen['declared']:g} of {seen['budget']:g} {unit}"
    return f"{told}; {f'held by {held}' if held else 'held by nobody'}{f'; waiting: {waiting}' if waiting else ''}"


def _log_files(places: Places, part: str | None) -> list[tuple[str, Path]]:
    runtime = read_runtime(places)
    session = Path(runtime.ray_temp_dir) / "session_latest" / "logs" if runtime and runtime.ray_temp_dir else None
    found = [(name, places.log(name)) for name in OURS]
    if session is not None:
        found += [("serve", file) for file in sorted(session.glob("serve/*.log"))]
        found += [("workers", file) for file in sorted(session.glob("worker-*.err"))]
    return [(name, file) for name, file in found if file.exists() and part in (None, name) and file.stat().st_size]


def _tail(file: Path, lines: int) -> list[str]:
    """The last lines, from at most the last 256 kB."""
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - 262_144))
        text = stream.read().decode(errors="replace").splitlines()
    return text[-lines:] if lines else []


def _follow(files: list[tuple[str, Path]]) -> None:
    grown = {file: _growth(file) for _, file in files}
    try:
        while True:
            for name, file in files:
                for line in next(grown[file]):
                    out.print(f"[bold]{name}[/]", end=" ")
                    out.print(line, markup=False)
            time.sleep(POLL_S)
    except KeyboardInterrupt:
        return


def _growth(file: Path) -> Iterator[list[str]]:
    """Again and again the whole lines written since the last time."""
    with file.open("rb") as stream:
        stream.seek(0, os.SEEK_END)
        rest = b""
        while True:
            *whole, rest = (rest + stream.read()).split(b"\n")
            yield [line.decode(errors="replace") for line in whole]


COMMANDS = (("status", status), ("logs", logs))
