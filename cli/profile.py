"""`memoray profile`: who the owner of a memory is."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from cli.client import connect
from cli.console import HomeOption, JsonOption, UserOption, show
from memory.errors import Invalid
from memory.words.languages import told_unread, unread

UNNAMED = 'Whose memory this is, nobody has said yet: memoray profile --name "Maya" --zone Europe/Lisbon'


def profile(
    name: Annotated[str | None, typer.Option("--name", help="Your name, as it stands in your chats.")] = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", help="Another name you write or speak under; may be repeated.")
    ] = None,
    zone: Annotated[str | None, typer.Option("--zone", help="Where you live, such as Europe/Lisbon.")] = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", help="A language you speak, such as en; may be repeated.")
    ] = None,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say who you are, or show what is known: what was heard from you is then told of you, by name.

    Labels are added to those there are; languages take their place.

    Example: memoray profile --name Maya --zone Europe/Lisbon
    """
    if any(not each.strip() for each in label or ()):
        raise Invalid("A label is a name, not nothing.")
    with connect(home, user) as client:
        known = client.get("/v1/profile")
        labels = list(dict.fromkeys((*known["speaker_labels"], *label))) if label else None
        given = {"name": name, "speaker_labels": labels, "time_zone": zone, "languages": language or None}
        if any(value is not None for value in given.values()):
            known = client.put("/v1/profile", {key: value for key, value in given.items() if value is not None})
    show(
        known,
        as_json,
        f"[bold]{escape(known['name'])}[/]" if known["name"] else UNNAMED,
        f"  also heard as {escape(', '.join(known['speaker_labels']))}",
        f"  lives in {known['time_zone']}, speaks {', '.join(known['languages'])}",
        *(f"  {told_unread(names)}" for names in (unread(known["languages"]),) if names),
    )


COMMANDS = (("profile", profile),)
