"""The sample recording of the demonstration: two invented voices, heard on this machine as an import hears them."""

from __future__ import annotations

import asyncio
from importlib.resources import as_file, files
from pathlib import Path
from zoneinfo import ZoneInfo

from adapters.capture.text import TextFile
from adapters.capture.voice_memos import read
from cli.client import HttpClient, RequestRefused, route
from cli.console import err, out
from memory.errors import DomainError
from memory.services.ears import MISSING, Ear
from memory.services.hearing import source_id_of

NAME = "demo_recording.ogg"
"""What it is and how it was made stands beside it."""
MARK = "demo-recording"
"""A file in the home that says that it was told once: what was forgotten of it since must stay forgotten."""


def told(client: HttpClient, ear: Ear, home: Path, owner: str, zone: str) -> bool:
    """Tell the sample recording, once; whether it is there to be asked about. Without the extra say how to get it."""
    mark = home / MARK
    with as_file(files("cli") / NAME) as path:
        if mark.exists():
            return _is_there(client, path)
        if not ear.is_installed:
            out.print(f"\n[dim]{MISSING}[/]")
            return False
        hearing = TextFile(path, ZoneInfo(zone), owner, hear=lambda file: asyncio.run(ear.hear(file)))
        try:
            with err.status("Hearing a sample recording"):
                for body in read(hearing):
                    client.post("/v1/sources", body)
        except DomainError as error:
            out.print(f"\n[dim]The sample recording was not heard: {error.detail}[/]", markup=True)
            return False
    mark.touch()
    return True


def _is_there(client: HttpClient, path: Path) -> bool:
    with path.open("rb") as file:
        source_id = source_id_of(file)
    try:
        client.get(route("sources", source_id))
    except RequestRefused:
        return False
    return True
