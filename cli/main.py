"""The command line, composed of rooms: each module has a table `COMMANDS` of names and functions."""

from __future__ import annotations

import sys

import typer

from cli import doctor, lifecycle, status
from cli.console import Exit, NotRunning, err
from memory.errors import DomainError

ROOMS = (lifecycle, status, doctor)

app = typer.Typer(
    name="memoray",
    help="The long-lived memory of a personal AI.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for room in ROOMS:
    for name, command in room.COMMANDS:
        app.command(name)(command)


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
