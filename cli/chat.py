"""`memoray chat`: talk with a memory in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from rich.markup import escape
from rich.table import Table

from cli.ask import tell_limits
from cli.client import HttpClient, RequestRefused, connect
from cli.clock import clock, home_zone
from cli.console import HomeOption, JsonOption, UserOption, counted, err, out, print_json_line, print_table
from memory.errors import DomainError, Invalid, Unavailable
from memory.words.cleaning import visible

BAR = 40
"""Signs of the longest bar of a chart."""
HELP = "/sessions lists your talks, /new begins one, /quit ends (so does Ctrl-D); Ctrl-C breaks an answer off."


def chat(
    message: Annotated[str | None, typer.Argument(help="Say this and leave; else talk, line by line.")] = None,
    session: Annotated[str | None, typer.Option("--session", "-s", help="Go on with this session.")] = None,
    backend: Annotated[
        str | None, typer.Option("--backend", "-b", help="auto, quoted, or the configured model's name.")
    ] = None,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Talk with a memory: answers come as they are made, with what they rest on; both sides are remembered.

    Example: memoray chat "What did I talk about yesterday?"
    """
    with connect(home, user) as client:
        talk = ChatTerminal(client, home_zone(client), session, backend, as_json)
        if message is not None:
            talk.say(message)
            return
        if sys.stdin.isatty():
            err.print(f"[dim]{HELP}[/]")
        for line in _lines():
            if line in ("/quit", "/exit"):
                return
            _obey(talk, line)


COMMANDS = (("chat", chat),)


@dataclass
class ChatTerminal:
    """A talk as it goes on: its session, and how it is shown."""

    client: HttpClient
    zone: ZoneInfo
    session_id: str | None
    backend: str | None
    as_json: bool

    def say(self, message: str) -> None:
        """Say something and show the answer as it comes. Raises Refused, and Unavailable of one that breaks off."""
        asked = {"message": message, "session_id": self.session_id, "llm_backend": self.backend}
        body = {name: value for name, value in asked.items() if value is not None}
        for event in self.client.events("/v1/chat", body):
            if event.get("type") == "session":
                self.session_id = event["session_id"]
            if self.as_json:
                print_json_line(event)
            else:
                self._show(event)
            if event.get("type") == "error":
                raise RequestRefused(str(event.get("detail")), status=int(event.get("status", 500)))
            if event.get("type") == "done":
                return
        raise Unavailable("The answer broke off; see `memoray status`.")

    def sessions(self) -> None:
        """The sessions there are; this one has a star."""
        found = self.client.get("/v1/chat/sessions")
        if self.as_json:
            print_json_line(found)
            return
        for each in found["sessions"]:
            star = "*" if each["session_id"] == self.session_id else " "
            told = f"{clock(each['last_at'], self.zone)} {counted(each['messages'], 'message')}, {each['llm_backend']}"
            out.print(f"{star} {escape(each['session_id'])} [dim]{escape(told)}[/]")
        if not found["sessions"]:
            out.print("There are no active sessions.")

    def _show(self, event: Mapping[str, Any]) -> None:
        if event.get("type") == "token":
            typer.echo(visible(event["text"]), nl=False)
        elif event.get("type") == "tool_use":
            _show_tool(event["name"], event["input"])
        elif event.get("type") == "done":
            typer.echo()
            self._show_citations(event["citations"], event["generated"])
            tell_limits(event)

    def _show_citations(self, cited: Sequence[Mapping[str, Any]], generated: bool) -> None:
        """What the answer rests on; a quoted one tells who said it and when itself."""
        for each in cited:
            place = f"{each['source_id']}/{each['segment_id']}"
            said = f"{each['speaker']}, {clock(each['timestamp'], self.zone)}: {each['text']} " if generated else ""
            told = f"[{each['number']}] {said}{place}"
            out.print(f"[dim]{escape(told)}[/]")


def _obey(talk: ChatTerminal, line: str) -> None:
    """Do what a line says. Somebody at a terminal goes on after what went wrong; what reads a pipe does not."""
    try:
        if line == "/sessions":
            talk.sessions()
        elif line == "/new":
            talk.session_id = None
        elif line == "/help":
            err.print(f"[dim]{HELP}[/]")
        elif line.startswith("/"):
            raise Invalid(f"There is no such command. {HELP}")
        elif line:
            talk.say(line)
    except DomainError as error:
        if not sys.stdin.isatty():
            raise
        err.print(error.detail, style="red", markup=False)
    except KeyboardInterrupt:
        typer.echo()


def _lines() -> Iterator[str]:
    """What is typed, or read from a pipe, until it ends."""
    shown = ""
    if sys.stdin.isatty():
        shown = "> "
        with suppress(ImportError):  # Windows has none, and a line is typed all the same
            import readline  # noqa: F401  (lines can be edited from now on)
    while True:
        try:
            yield input(shown).strip()
        except (EOFError, KeyboardInterrupt):
            typer.echo()
            return
        except UnicodeDecodeError as error:
            raise Invalid("What was given is not UTF-8.") from error


def _show_tool(name: str, given: Mapping[str, Any]) -> None:
    """What a model does on its way to the answer: tables and charts as such, all else on a dimmed line."""
    title = visible(str(given.get("title") or "")) or None
    if name == "render_table":
        table = Table(*(escape(str(each)) for each in given["columns"]), title=title and escape(title))
        for row in given["rows"]:
            table.add_row(*("" if each is None else escape(str(each)) for each in row))
        print_table(table)
    elif name == "render_chart":
        if title:
            out.print(title, markup=False)
        most = max(map(abs, given["values"])) or 1
        for label, value in zip(given["labels"], given["values"], strict=False):
            out.print(f"{label} {'█' * round(BAR * abs(value) / most)} {value:g}", markup=False)
    else:
        told = ", ".join(f"{key}: {value}" for key, value in given.items())
        out.print(f"[dim]({escape(f'{name} {told}'.strip())})[/]")
