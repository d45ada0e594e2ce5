"""What is done with a memory: remember, forget, undo, and look at who, what and when."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.markup import escape

from cli.client import HttpClient, connect, route
from cli.clock import clock, day, home_zone
from cli.console import (
    AsOfOption,
    HomeOption,
    JsonOption,
    KnownOption,
    UserOption,
    counted,
    err,
    out,
    show,
)
from cli.listing import print_rows
from cli.night import NIGHT_S
from memory.errors import Invalid

LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=200, help="How many at most.")]

MOST_BYTES = 2_000_000
"""Bytes read from standard input: the 500,000 characters that POST /v1/facts takes, of four bytes at most."""


def remember(
    text: Annotated[str, typer.Argument(help="What to remember, in your own words; - reads standard input.")],
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remember something on purpose.

    Example: memoray remember "I am allergic to peanuts"
    """
    if text == "-":
        text = _read_in()
    with connect(home, user) as client:
        told = client.post("/v1/facts", {"text": text})
        facts = [client.get(f"/v1/facts/{each['fact_id']}") for each in told.get("facts", [told])]
    lines = [
        f"[green]{each['outcome']}[/] {escape(fact['statement'])} [dim]{fact['fact_id']}[/]"
        for each, fact in zip(told.get("facts", [told]), facts, strict=True)
    ]
    show(told, as_json, *lines)


def forget(
    thing: Annotated[str, typer.Argument(metavar="ID", help="The id of a fact, an entity, a note or a source.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before something is erased for good.")] = False,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget. A fact is no longer believed or shown (undo brings it back); an entity or a source is erased for good.

    Example: memoray forget f-0a1b2c
    """
    kind = thing[:2]
    with connect(home, user) as client:
        if kind not in _UNDOABLE and not yes:
            thing, told = _told(client, thing)
            typer.confirm(f"Erase {told} for good, with everything that rests on it alone?", abort=True, err=True)
        answer = _FORGET.get(kind, _forget_source)(client, thing)
    counts = ", ".join(counted(answer[many], one, many) for one, many in _COUNTS.items() if answer.get(many))
    show(answer, as_json, f"Forgotten{': ' + counts if counts else ''}.")
    if due := [place["due_by"] for place in answer.get("places", ()) if place["due_by"]]:
        err.print(f"Its last bytes go by {max(due)}: receipt {answer['receipt_id']}.", markup=False)
    if kind == "e-":
        err.print("What was heard stays as it was: to erase words, too, forget their source.", markup=False)


def undo(
    command_id: Annotated[
        str | None, typer.Argument(help="A command's id, as `changes --json` has it; default: the last one.")
    ] = None,
    night: Annotated[
        str | None, typer.Option("--night", help="Everything the night of this date (YYYY-MM-DD) has done.")
    ] = None,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Reverse the last command, or the one named, or all that a night has done.

    Example: memoray undo --night 2026-03-02
    """
    if night is not None:
        with connect(home, user, timeout_s=NIGHT_S) as client, err.status("Taking the night back"):
            taken_back = client.post("/v1/undo", {"command_id": command_id, "night": night})
        _show_night_undone(taken_back, as_json)
        return
    with connect(home, user) as client:
        began = time.time()
        undone = client.post("/v1/undo", {"command_id": command_id})
        log = {} if as_json else client.get("/v1/changes", since=f"{began:.3f}", limit=200)
    counts = counted(undone["changes"], "change")
    show(undone, as_json, *_what_it_did(log, undone), f"Undone: {escape(str(undone['undoes']))} ({counts}).")


def _show_night_undone(undone: dict[str, Any], as_json: bool) -> None:
    """What became of a night that was undone; what has changed since is named, so that nothing is passed over."""
    left = undone["skipped"]
    lines = [f"Undone: the night of {undone['night']} ({counted(undone['changes'], 'change')})."]
    if left:
        lines.append(f"Left as it is, for it has changed since: {', '.join(map(escape, left))}.")
    show(undone, as_json, *lines)


def entities(
    context: typer.Context,
    entity_type: Annotated[str | None, typer.Option("--type", help="person, place, topic, ...")] = None,
    name: Annotated[str | None, typer.Option(help="Name or alias.")] = None,
    as_of: AsOfOption = None,
    known: KnownOption = None,
    limit: LimitOption = 50,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List who and what is known, the latest seen first; or name, merge, split or retype one.

    Example: memoray entities --type person
    """
    if context.invoked_subcommand is not None:
        return
    with connect(home, user) as client:
        found = client.get(
            "/v1/entities", entity_type=entity_type, name=name, limit=limit, as_of=as_of, known_as_of=known
        )
        zone = home_zone(client)
        rows = [
            (
                each["entity_type"],
                each["name"],
                each["tier"],
                f"{each['salience']:.2f}",
                str(each["mention_count"]),
                day(each["last_seen"], zone),
                each["entity_id"],
            )
            for each in found["entities"]
        ]
        titles = ("type", "name", "tier", "strength", "mentions", "last seen", "id")
        print_rows(client, found, as_json, titles, rows, found["total"])


def promises(
    state: Annotated[str | None, typer.Option(help="open, kept, broken or expired.")] = None,
    limit: LimitOption = 50,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List promises: by whom, to whom, until when.

    Example: memoray promises --state open
    """
    with connect(home, user) as client:
        found = client.get("/v1/promises", state=state, limit=limit)
        zone = home_zone(client)
        rows = [
            (
                each["state"],
                each["by"] or "",
                each["to"] or "",
                day(each["due"], zone) if each["due"] else "",
                each["text"],
            )
            for each in found["promises"]
        ]
        print_rows(client, found, as_json, ("state", "by", "to", "due", "promise"), rows, found["total"])


def timeline(
    after: Annotated[str | None, typer.Option(help="YYYY-MM-DD, last_week or last_month.")] = None,
    before: Annotated[str | None, typer.Option(help="YYYY-MM-DD, last_week or last_month.")] = None,
    entity: Annotated[str | None, typer.Option(help="Only what concerns this entity.")] = None,
    as_of: AsOfOption = None,
    known: KnownOption = None,
    limit: LimitOption = 50,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what was said and what became true, in order.

    Example: memoray timeline --after 2026-03-01 --entity Maya
    """
    with connect(home, user) as client:
        found = client.get(
            "/v1/timeline", after=after, before=before, entity=entity, limit=limit, as_of=as_of, known_as_of=known
        )
        zone = home_zone(client)
        rows = [(clock(each["at"], zone), each["speaker"] or "(fact)", each["text"]) for each in found["entries"]]
        print_rows(client, found, as_json, (f"at ({zone.key})", "who", "what"), rows, len(rows))
    if found["cursor"] and not as_json:
        out.print(f"[dim]The first {len(rows)}; --limit shows more, --after and --before another time.[/]")


COMMANDS: tuple[tuple[str, Callable[..., None]], ...] = (
    ("remember", remember),
    ("forget", forget),
    ("undo", undo),
    ("entities", entities),
    ("promises", promises),
    ("timeline", timeline),
)


def _read_in() -> str:
    """What standard input holds. Raises Invalid if that is nothing, too much, or no text."""
    given = typer.get_binary_stream("stdin").read(MOST_BYTES + 1)
    if len(given) > MOST_BYTES:
        raise Invalid(f"More than {MOST_BYTES:,} bytes are too much to remember at once; `memoray import` takes files.")
    try:
        text = given.decode().strip()
    except UnicodeDecodeError as error:
        raise Invalid("Standard input is not UTF-8.") from error
    if not text:
        raise Invalid("Standard input is empty: there is nothing to remember.")
    return text


def _what_it_did(log: Mapping[str, Any], done: Mapping[str, Any]) -> Sequence[str]:
    """A line for each fact and entity that a command has changed, as the log tells it."""
    mine = (step for step in log.get("changes", ()) if step["command_id"] == done["command_id"])
    return [f"[green]{escape(step['what'])}[/] {escape(step['words'] or '')} [dim]{step['id']}[/]" for step in mine]


def _told(client: HttpClient, thing: str) -> tuple[str, str]:
    """An id in full, and what it means, so that nobody erases something else; Refused if it means nothing."""
    if thing.startswith("e-"):
        entity = client.get(route("entities", thing))
        return entity["entity_id"], f"{entity['name']} ({entity['entity_type']}, {entity['entity_id']})"
    source = client.get(_source_path(thing))
    began, said = day(source["started_at"], home_zone(client)), counted(source["segments_count"], "segment")
    return source["source_id"], f"{source['source_id']} ({source['kind']} of {began}, {said})"


def _forget_source(client: HttpClient, source_id: str) -> Any:
    return client.delete(_source_path(source_id))


def _source_path(source_id: str) -> str:
    if not source_id.strip():
        raise Invalid("Give the id of what is to be forgotten.")
    return route("sources", source_id)


_FORGET: dict[str, Callable[[HttpClient, str], Any]] = {
    "f-": lambda client, thing: client.post(route("facts", thing, "forget")),
    "e-": lambda client, thing: client.delete(route("entities", thing)),
    "n-": lambda client, thing: client.delete(route("notes", thing)),
}
"""The beginning of an id tells what it is the id of; what is none of these is a source."""
_UNDOABLE = ("f-", "n-")
_COUNTS = {
    "segment": "segments",
    "fact": "facts",
    "entity": "entities",
    "vector": "vectors",
    "piece of content": "content",
    "file": "files",
}
