"""What every command shares: its options, the way it prints, and the exit codes a script can trust."""

from __future__ import annotations

import json
import shlex
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from cli.runtime import Places
from config.settings import default_home
from memory.errors import Unavailable
from memory.words.cleaning import visible, visible_json


class Screen(Console):
    """A terminal that what was remembered cannot steer: what nobody sees is left out, whoever prints it."""

    def render_str(self, text: str, **how: Any) -> Text:
        """Words as they are shown; every string printed and every cell of a table comes by here."""
        return super().render_str(visible(text), **how)


out = Screen(highlight=False, soft_wrap=True, emoji=False)
"""What was asked for."""
err = Screen(stderr=True, highlight=False, soft_wrap=True, emoji=False)
"""What went wrong, and progress."""

_ENDLESS = 1_000_000
"""Characters of a line, where nobody looks at it."""

HomeOption = Annotated[
    Path | None,
    typer.Option("--home", help="The folder of all data.", show_default="MEMORAY_HOME, else data beside the packages"),
]
UserOption = Annotated[str | None, typer.Option("--user", help="Whose memory it is, if not the token's.")]
AsOfOption = Annotated[
    str | None, typer.Option("--as-of", help="What was true then: a date, ISO 8601, last_week or last_month.")
]
KnownOption = Annotated[str | None, typer.Option("--known-as-of", help="What was believed then; written alike.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a program.")]


class Exit(IntEnum):
    """Exit codes."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_RUNNING = 3


class NotRunning(Unavailable):
    """Memoray is not running; start it with `memoray up`."""

    kind = "not-running"


def places_of(home: Path | None) -> Places:
    """The folders of the home that was named, or of the default one."""
    return Places(home.expanduser().resolve() if home else default_home())


def counted(number: int, noun: str, several: str = "") -> str:
    """A number and what it counts; `several` where that is more than the noun and an s."""
    return f"{number} {noun if number == 1 else several or noun + 's'}"


def command(words: str, user: str | None, home: Path | None) -> str:
    """A command that goes on with the same memory, to be copied: markup and what a shell reads are escaped."""
    options = ((name, str(value)) for name, value in (("--user", user), ("--home", home)) if value)
    return escape(" ".join((f"memoray {words}", *(f"{name} {shlex.quote(value)}" for name, value in options))))


def show(value: Any, as_json: bool, *lines: str) -> None:
    """Print an answer: as JSON for a program, or as these lines for a person."""
    if as_json:
        print_json(value)
        return
    for line in lines:
        out.print(line)


def print_table(table: Table) -> None:
    """Print a table as wide as the terminal, or where it is none a line a row, for whatever reads the pipe."""
    (out if out.is_terminal else Screen(highlight=False, emoji=False, width=_ENDLESS)).print(table)


def print_json(value: Any) -> None:
    """Print a value as JSON, one document, however wide the terminal is."""
    typer.echo(visible_json(json.dumps(value, ensure_ascii=False, indent=2, default=str)))


def print_json_line(value: Any) -> None:
    """Print a value as JSON on one line, for a program that reads a stream of them."""
    typer.echo(visible_json(json.dumps(value, ensure_ascii=False, default=str)))
