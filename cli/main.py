"""The command line, composed of rooms: each module has a table `COMMANDS` of names and functions.

A name of two words is a command of a group, which has its room's docstring as help - or is a command itself, which
then runs if none of its own is named: `memoray entities` and `memoray entities split`.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import entry_points, version
from types import ModuleType
from typing import NoReturn

import typer

from cli.console import Exit, NotRunning, err, out
from cli.described import described
from memory.errors import DomainError

COMMAND_MODULES: dict[str, Sequence[str]] = {
    "cli.lifecycle": ("up", "down"),
    "cli.status": ("status", "logs"),
    "cli.ask": ("recall", "ask"),
    "cli.chat": ("chat",),
    "cli.listen": ("listen",),
    "cli.sweep": ("sweep",),
    "cli.memory_verbs": ("remember", "forget", "undo", "entities", "promises", "timeline"),
    "cli.operators": (
        "reflect",
        "merge",
        "synthesize",
        "prune",
        "find-contradictions",
        "backfill-subjects",
        "changes",
        "protect",
        "unprotect",
    ),
    "cli.entities": ("entities",),
    "cli.facts": ("facts", "correct", "confirm"),
    "cli.sources": ("sources",),
    "cli.communities": ("communities", "patterns"),
    "cli.voices": ("voices",),
    "cli.explain": ("explain",),
    "cli.diff": ("diff",),
    "cli.daily": ("daily",),
    "cli.storylines": ("storylines", "macros", "consolidations"),
    "cli.profile": ("profile",),
    "cli.import_": ("import",),
    "cli.night": ("night",),
    "cli.archive": ("export", "restore", "backup"),
    "cli.rebuild": ("rebuild",),
    "cli.tokens": ("token",),
    "cli.mcp": ("mcp",),
    "cli.audit": ("audit",),
    "cli.doctor": ("doctor",),
}
"""Module -> the first words of its commands: our own."""
BROUGHT = "memoray.commands"
"""The group of entry points by which other rooms bring commands: each names a mapping like COMMAND_MODULES."""
COMPLETING = "_MEMORAY_COMPLETE"
"""The variable by which a shell asks for completions, as `--install-completion` sets it up."""


def every_room() -> Mapping[str, Sequence[str]]:
    """Our own rooms and those that are brought."""
    brought = (point.load() for point in entry_points(group=BROUGHT))
    return COMMAND_MODULES | {room: words for each in brought for room, words in each.items()}


def rooms(first: str | None = None) -> list[ModuleType]:
    """The rooms of the commands that begin with this word, opened; without a word every room, which takes seconds."""
    named = [room for room, words in COMMAND_MODULES.items() if first in words]
    named = named or [room for room, words in every_room().items() if first is None or first in words]
    return [import_module(room) for room in named]


def command_line(opened: Sequence[ModuleType]) -> typer.Typer:
    """The commands of these rooms."""
    app = typer.Typer(
        name="memoray",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_memoray)
    groups = {"": app}
    grouped = {name.rpartition(" ")[0] for room in opened for name, _ in room.COMMANDS}
    for room in opened:
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
    return app


def _asked_for(arguments: Sequence[str], environ: Mapping[str, str]) -> typer.Typer:
    """The commands that the arguments ask for, or what completes the line of a shell, which should not wait long."""
    if COMPLETING not in environ:
        first = next((each for each in arguments[1:] if not each.startswith("-")), "")
        return command_line(rooms(first) or [described(room) for room in every_room()])
    line = environ.get("_TYPER_COMPLETE_ARGS") or environ.get("COMP_WORDS", "")
    words = line.split()
    if len(words) > 2 or (len(words) == 2 and line[-1].isspace()):
        return command_line(rooms(words[1]))
    names = typer.Typer(name="memoray")
    for name in dict.fromkeys(word for words in every_room().values() for word in words):
        names.command(name)(lambda: None)
    return names


def _tell_version(wanted: bool) -> None:
    if wanted:
        out.print(f"memoray {version('memoray')}")
        raise typer.Exit


def _memoray(
    wanted: bool = typer.Option(False, "--version", help="Show the version.", is_eager=True, callback=_tell_version),
) -> None:
    """The long-lived memory of a personal AI."""


def main() -> None:
    """Run the command of the arguments; an error raised on purpose is a sentence and an exit code, not a trace."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name or a sign that a terminal lacks must not end a command
    try:
        _asked_for(sys.argv, os.environ)()
    except NotRunning as error:
        err.print(error.detail, markup=False)
        sys.exit(Exit.NOT_RUNNING)
    except DomainError as error:
        _fail(type(error).__name__, error.detail)
    except OSError as error:
        _fail(type(error).__name__, f"{error.strerror or error}" + (f": {error.filename}" if error.filename else ""))
    except UnicodeEncodeError:
        _fail("Invalid", "What was given is not UTF-8.")


def _fail(kind: str, words: str) -> NoReturn:
    err.print(f"[red]{kind}[/]", end=": ")
    err.print(words, markup=False)
    sys.exit(Exit.FAILED)
