"""The command line, composed of rooms: each module has a table `COMMANDS` of names and functions.

A name of two words is a command of a group, which has its room's docstring as help.
"""

from __future__ import annotations

import sys

import typer

from cli import archive, ask, bench, doctor, import_, lifecycle, memory_verbs, night, rebuild, status, tokens
from cli.console import Exit, NotRunning, err
from memory.errors import DomainError

ROOMS = (lifecycle, status, ask, memory_verbs, import_, night, archive, rebuild, tokens, doctor, bench)

app = typer.Typer(
    name="memoray",
    help="The long-lived memory of a personal AI.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
groups = {"": app}
for room in ROOMS:
    for name, command in room.COMMANDS:
        group, _, verb = name.rpartition(" ")
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
