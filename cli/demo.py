"""The demonstration at the end of `memoray up`: a few days of somebody's life, and questions about it.

It lives in a memory of its own (user `demo`), so that nobody's own memory holds anything that was not said to it.
"""

from __future__ import annotations

import json
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from cli import demo_sound
from cli.ask import print_answer
from cli.client import HttpClient, RequestRefused, route
from cli.clock import home_zone
from cli.console import err, out
from memory.services.ears import Ear

PATIENCE_S = 120.0
"""Seconds to wait for the conversation to be read; questions are answered before that, only with less."""
POLL_S = 0.3


def run(url: str, token: str, ear: Ear, home: Path) -> None:
    """Tell the sample conversation and a recording once, wait until they are read, and ask about them.

    A second run changes nothing.
    """
    demo = json.loads((files("cli") / "demo_conversation.json").read_text(encoding="utf-8"))
    with HttpClient(url, token, demo["user"]) as client:
        if _told(client, demo):
            out.print("[dim]The sample conversation is there already; nothing was changed.[/]")
        else:
            _tell(client, demo)
        profile = demo["profile"]
        is_heard = demo_sound.told(client, ear, home, profile["name"], profile["time_zone"])
        _wait(client)
        zone = home_zone(client)
        for question in demo["questions"] + (demo["questions_of_recording"] if is_heard else []):
            out.print(f"\n[bold]{question}[/]")
            print_answer(client.post("/v1/ask", {"query": question, "limit": 3}), zone)
    out.print(f'\nAsk on: [bold]memoray ask --user {demo["user"]} "Who is Pri?"[/]')


def _told(client: HttpClient, demo: dict[str, Any]) -> bool:
    """Whether any of it is there, archived or not: what was forgotten of it since must stay forgotten."""
    return any(_known(client, source["source_id"]) for source in demo["sources"])


def _known(client: HttpClient, source_id: str) -> bool:
    try:
        client.get(route("sources", source_id))
    except RequestRefused:
        return False
    return True


def _tell(client: HttpClient, demo: dict[str, Any]) -> None:
    client.put("/v1/profile", demo["profile"])
    with _progress() as progress:
        for source in progress.track(demo["sources"], description="Telling a sample conversation"):
            client.post("/v1/sources", source)


def _wait(client: HttpClient) -> None:
    """Show how the open work dwindles."""
    deadline, most = time.monotonic() + PATIENCE_S, 0
    with _progress() as progress:
        task = progress.add_task("Reading it", total=None)
        while (left := sum(client.get("/v1/stats")["pending"].values())) and time.monotonic() < deadline:
            most = max(most, left)
            progress.update(task, total=most, completed=most - left)
            time.sleep(POLL_S)


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)
