"""The command line, composed of rooms: each module has a table `COMMANDS` of names and functions.

A name of two words is a command of a group, which has its room's docstring as help - or is a command itself, which
then runs if none of its own is named: `memoray entities` and `memoray entities split`.
"""

from __future__ import annotations

import sys

import typer

from cli import (
    archive,
    ask,
    bench,
    bench_lifetimes,
    bench_peers,
    diff,
    doctor,
    explain,
    import_,
    lifecycle,
    memory_verbs,
    night,
    operators,
    profile,
    rebuild,
    simulate,
    status,
    tokens,
)
from cli.console import Exit, NotRunning, err
from memory.errors import DomainError

ROOMS = (
    lifecycle,
    status,
    ask,
    memory_verbs,
    operators,
    explain,
    diff,
    profile,
    import_,
    night,
    archive,
    rebuild,
    tokens,
    doctor,
    bench,
    bench_lifetimes,
    bench_peers,
    simulate,
)

app = typer.Typer(
    name="memoray",
    help="The long-lived memory of a personal AI.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
groups = {"": app}
grouped = {name.rpartition(" ")[0] for room in ROOMS for name, _ in room.COMMANDS}
for room in ROOMS:
    for name, command in room.COMMANDS:
        group, _, verb = name.rpartition(" ")
        if name in grouped:
            groups[name] = typer.Typer(callback=command, invoke_without_command=True)
            app.add_typer(groups[name], name=name)
            continue
        if group not in groups:
            groups[group] = typer.Typer(help=room.__doc__, no_args_is_help=True)
            app.add_typer(groups[group], name=group)
        groups[group].command(verb)(command)


def main() -> None:
    """Run the command of the arguments; an error raised on purpose is a sentence and an exit code, not a trace."""
    try:
        app()
    except NotRunning as error:
        err.print(error.detail, markup=False)
        sys.exit(Exit.NOT_RUNNING)
    except DomainError as error:
        err.print(f"[red]{type(error).__name__}[/]", end=": ")
        err.print(error.detail, markup=False)
        sys.exit(Exit.FAILED)
