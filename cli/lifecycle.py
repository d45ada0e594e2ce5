"""`memoray up` and `memoray down`: the supervisor's beginning and end, seen from a terminal."""

from __future__ import annotations

import importlib
import importlib.util
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from actors import placement
from adapters import temporary
from adapters.modules import module_command
from adapters.postgres.account import SERVICE
from cli.accounts import provide_account
from cli.console import Exit, HomeOption, JsonOption, err, out, places_of, print_json
from cli.processes import send
from cli.runtime import Places, Runtime, read_runtime, rotate, supervised, supervisor_pid
from cli.supervisor import clear_up
from config.settings import load, project_root

POLL_S = 0.2
UP_TIMEOUT_S = 900.0
"""Longer than every wait of the supervisor together: it gives up first and says why."""
DOWN_TIMEOUT_S = 120.0
LAST_LINES = 20


def up(
    home: HomeOption = None,
    demo: Annotated[bool, typer.Option(help="Ask about a sample conversation and recording afterwards.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Start Memoray and wait until it answers. When it runs already, only another number of shards is put in force.

    Example: memoray up --no-demo
    """
    places = places_of(home)
    places.prepare()
    runtime, running = read_runtime(places), supervised(places)
    if running and runtime is not None and runtime.state == "stopping":
        running = not _ended(places)
    if runtime is not None and runtime.state == "ready" and running:
        _announce(runtime, _replaced(places), as_json)
        return
    started = time.monotonic()
    if not running:
        settings = load(places.home)  # a mistake there is told here as a sentence, not in a log as a trace
        if not settings.dsn and provide_account(places.home):
            err.print(f"Made the account {SERVICE!r} of this machine, which PostgreSQL runs as.")
    supervisor = None if running else _spawn(places)
    try:
        runtime = _follow(places, supervisor, quiet=as_json)
    except KeyboardInterrupt:
        err.print("Memoray goes on starting: `memoray status` tells how far it is, `memoray down` stops it.")
        raise
    if runtime.state != "ready":
        _explain_failure(places, runtime)
        raise typer.Exit(Exit.FAILED)
    if demo and not as_json and importlib.util.find_spec("cli.demo"):
        from adapters import build_models

        token, ear = Path(runtime.token_file).read_text().strip(), build_models.ear(load(places.home))
        importlib.import_module("cli.demo").run(runtime.url, token, ear, places.home)
    _announce(runtime, f"Memoray is up after {time.monotonic() - started:.0f} s.", as_json)


def down(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Stop Memoray and wait until none of its processes is left, also after a crash. The memory stays.

    Example: memoray down
    """
    places = places_of(home)
    started = time.monotonic()
    running = supervised(places)
    if running:
        with err.status("Stopping"):
            _stop_supervisor(places)
    orphans = clear_up(places.home) if places.home.exists() else 0
    temporary.vacate(places.home)
    places.runtime.unlink(missing_ok=True)
    if as_json:
        print_json({"stopped": running, "orphans_ended": orphans, "seconds": round(time.monotonic() - started, 1)})
    elif running or orphans:
        out.print(f"Memoray is down after {time.monotonic() - started:.1f} s.")
    else:
        out.print("Memoray was not running.")


def _ended(places: Places) -> bool:
    """Wait for the end of what is being stopped; whether it came in time."""
    deadline = time.monotonic() + DOWN_TIMEOUT_S
    with err.status("Waiting for its end"):
        while supervised(places) and time.monotonic() < deadline:
            time.sleep(POLL_S)
    return not supervised(places)


def _replaced(places: Places) -> str:
    """Let as many shards be in force as are set now, and say so."""
    before, shards = placement.in_force(places.home), load(places.home).shards
    if before in (None, shards):
        return "Memoray is already up."
    placement.put_in_force(places.home, shards)
    return f"Memoray is already up. Its memories move from {before} to {shards} shards."


def _spawn(places: Places) -> subprocess.Popen[bytes]:
    places.runtime.unlink(missing_ok=True)  # or the last run's word would be taken for this one's
    rotate(places.log("supervisor"))
    paths = [str(project_root()), os.environ.get("PYTHONPATH", "")]
    with places.log("supervisor").open("ab") as log:
        return subprocess.Popen(
            module_command("cli.supervisor", "--home", str(places.home)),
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _follow(places: Places, supervisor: subprocess.Popen[bytes] | None, quiet: bool) -> Runtime:
    """Show each step until the supervisor is ready or gone; the last state it wrote."""
    deadline = time.monotonic() + UP_TIMEOUT_S
    step, since = "", time.monotonic()
    with err.status("Starting") as status:
        while True:
            # ours ends at once where somebody else has just started it, too: then theirs is followed
            gone = (supervisor is None or supervisor.poll() is not None) and not supervised(places)
            runtime = read_runtime(places)
            if runtime is not None and runtime.step != step:
                if step and not quiet:
                    err.print(f"  [green]✓[/] {step} [dim]{time.monotonic() - since:.1f} s[/]")
                step, since = runtime.step, time.monotonic()
                status.update(step)
            if runtime is not None and runtime.state == "ready":
                return runtime
            if gone or time.monotonic() > deadline:  # why it failed is told before all that was begun has ended
                if runtime is not None and runtime.state == "failed":
                    return runtime
                return Runtime(home=str(places.home), state="failed", error="The supervisor ended without a word.")
            time.sleep(POLL_S)


def _announce(runtime: Runtime, headline: str, as_json: bool) -> None:
    if as_json:
        print_json(runtime.shown)
        return
    out.print(f"[bold green]{headline}[/]")
    for name, value in (("Memoray", runtime.url), ("Ray", runtime.dashboard_url), ("Token", runtime.token_file)):
        out.print(f"  {name:<8} {value}")
    out.print("  Stop it with `memoray down` (or `make down`); `memoray status` and `memoray logs` tell more.")


def _explain_failure(places: Places, runtime: Runtime) -> None:
    log = places.log("supervisor")
    err.print(f"[bold red]Memoray did not start.[/] {escape(runtime.error or '')}")
    err.print(f"The last lines of {log}:")
    for line in log.read_text(errors="replace").splitlines()[-LAST_LINES:]:
        err.print(f"  {line}", markup=False)
    err.print("`memoray doctor` looks for the usual causes.")


def _stop_supervisor(places: Places) -> None:
    """Ask, and insist if it does not end; the lock tells when it has."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        told = None
        deadline = time.monotonic() + DOWN_TIMEOUT_S
        while supervised(places) and time.monotonic() < deadline:
            pid = supervisor_pid(places)
            if pid is not None and pid != told:
                send(pid, number)
                if number == signal.SIGKILL and (runtime := read_runtime(places)) is not None:
                    send(runtime.pids.get("supervisor", pid), number)  # its guardian does not follow it any more
                told = pid
            time.sleep(POLL_S)


COMMANDS = (("up", up), ("down", down))
