"""Voices: whose they are, which are one person's, what becomes of what they say; and samples of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from rich.markup import escape

from cli.client import HttpClient, connect, route
from cli.clock import clock, home_zone
from cli.console import HomeOption, JsonOption, UserOption, command, counted, err, show
from cli.facts import LimitOption
from cli.listing import print_rows
from memory.errors import Invalid, Unavailable
from memory.words.cleaning import visible

VoiceArgument = Annotated[str, typer.Argument(metavar="VOICE", help="A voice's id, or the beginning of it.")]
HOW = {"drop": "not told at all", "without_name": "told as [somebody]'s", "none": "told"}
"""What may become of what a voice says, as the door calls it -> in words."""


def voices(
    context: typer.Context,
    proposals: Annotated[
        bool, typer.Option("--proposals", help="Only pairs that are probably one person, and where each was heard.")
    ] = False,
    sounds: Annotated[
        Path | None, typer.Option("--sounds", metavar="FOLDER", help="With --proposals: put sounds of each there.")
    ] = None,
    limit: LimitOption = 50,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List whose voices are known and by which prints, or which of them are probably one person.

    Example: memoray voices --proposals --sounds compare
    """
    if context.invoked_subcommand is not None:
        return
    with connect(home, user) as client:
        found = client.get("/v1/voices", limit=limit, proposals=True if proposals or sounds else None)
        if sounds:
            _put_sounds(client, found["proposals"], sounds)
        if proposals or sounds:
            show(found, as_json, *([_proposal(each, user, home) for each in found["proposals"]] or [NO_PAIR]))
            return
        zone = home_zone(client)
        rows = [_row(each, zone) for each in found["voices"]]
        titles = ("name", "heard as", "prints", "told", f"since ({zone.key})", "id")
        print_rows(client, found, as_json, titles, rows, found["total"])


def name(
    voice: VoiceArgument,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose voice it is.")],
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say whose a voice is: what it said, and what was read from it, is theirs. `memoray voices undo` reverts that.

    Example: memoray voices name v-0a1b2c Tom
    """
    with connect(home, user) as client:
        done = client.put(route("voices", voice), {"name": name})
    show(done, as_json, f"{_heard_as(done['voice'])} is {escape(done['voice']['name'])} now.")


def merge(
    voice: VoiceArgument,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The id of the one that is the same person's.")],
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let two voices be one person's; the first one's name stays. `memoray voices undo` parts them.

    Example: memoray voices merge v-0a1b2c v-4d5e6f
    """
    with connect(home, user) as client:
        done = client.post("/v1/voices/merge", {"voice_id": voice, "other_id": other})
    show(done, as_json, f"{_heard_as(done['voice'])} is {escape(done['voice']['name'])}.")


def split(
    voice: VoiceArgument,
    labels: Annotated[list[str] | None, typer.Option("--label", help="What it was heard as; may be repeated.")] = None,
    prints: Annotated[list[str] | None, typer.Option("--print", help="A print's id; may be repeated.")] = None,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that a voice is two people's: labels or prints, and what was said by them, become a voice of their own.

    `memoray voices undo` reverts that.

    Example: memoray voices split v-0a1b2c --label "Speaker 1 of 6 May"
    """
    with connect(home, user) as client:
        done = client.post(route("voices", voice, "split"), {"labels": labels or [], "prints": prints or []})
    own = done["voice"]
    naming = command(f"voices name {own['voice_id']} NAME", user, home)
    show(done, as_json, f"{escape(own['name'])} is a voice of their own now: {naming}")


def differ(
    voice: VoiceArgument,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The id of the one that is somebody else's.")],
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that two voices are different people's: they are proposed no more. `memoray voices undo` reverts that.

    Example: memoray voices differ v-0a1b2c v-4d5e6f
    """
    with connect(home, user) as client:
        done = client.post("/v1/voices/differ", {"voice_id": voice, "other_id": other})
    show(done, as_json, f"{escape(done['voice']['name'])} is somebody else. They are proposed no more.")


def exclude(
    voice: VoiceArgument,
    how: Annotated[str, typer.Option("--how", help="drop, without_name, or none to tell it again.")] = "drop",
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what becomes of what a voice says from now on: it is dropped, told as [somebody]'s, or told again.

    Example: memoray voices exclude v-0a1b2c --how without_name
    """
    if how not in HOW:
        raise Invalid(f"--how is one of {', '.join(HOW)}.")
    with connect(home, user) as client:
        done = client.post(route("voices", voice, "exclude"), {"exclusion": how})
    show(done, as_json, f"What {escape(done['voice']['name'])} says is {escape(HOW[how])} from now on.")


def forget(
    voice: VoiceArgument,
    words: Annotated[bool, typer.Option("--words", help="Also what it said, with all that rests on that.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Erase a voice with its prints for good, and with --words all that it said.

    Example: memoray voices forget v-0a1b2c --words
    """
    with connect(home, user) as client:
        known = _known(client, voice)
        if not yes:
            heard, beside = ", ".join(known["labels"]) or "enrolled", " with all that it said" if words else ""
            asked = f"Erase the voice of {known['name']} ({heard}) for good{beside}?"
            typer.confirm(visible(asked), abort=True, err=True)
        done = _forgotten(client, known["voice_id"], words)
    counts = f"{counted(done['prints'], 'print')}, {counted(done['segments'], 'segment')}"
    if done["left"]:
        left = counted(done["left"], "segment")
        raise Unavailable(f"{left} could not be forgotten, so the voice stays. Forgotten: {counts}. Try again later.")
    show(done, as_json, f"Forgotten: {counts}.")


def undo(
    change: Annotated[str | None, typer.Argument(metavar="[CHANGE]", help="A change's id; default: the last.")] = None,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take back a change of the voices with what it changed of entities and facts, by default your last one.

    Example: memoray voices undo
    """
    with connect(home, user) as client:
        done = client.post("/v1/voices/undo", {"change_id": change} if change else None)
    show(done, as_json, f"Undone: {done['kind']} ({escape(done['undoes'])}).")


def enrol(
    sound: Annotated[Path, typer.Argument(metavar="FILE", help="A recording of one voice, five seconds or more.")],
    name: Annotated[str | None, typer.Option("--name", help="Whose voice it is; default: yours.")] = None,
    style: Annotated[str, typer.Option("--style", help="A device, a language, a mood.")] = "default",
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give a sample of a voice, so that it is recognised from then on. It needs the extra `speech`.

    Example: memoray voices enrol me.wav --style phone
    """
    if not sound.is_file():
        raise Invalid(f"There is no file {sound}.")
    asked = {"style": style} | ({"name": name} if name else {})
    with connect(home, user) as client, sound.open("rb") as file:
        headers = {"Content-Type": "audio/x-any"}
        done = client.ask("POST", "/v1/enroll", params=asked, content=file.read(MOST_SAMPLE), headers=headers)
    known = "" if done["change_id"] else " (it was known already)"
    show(done, as_json, f"{escape(done['name'])} is known by {done['seconds']:.0f} s as {escape(style)}{known}.")


MOST_SAMPLE = 100_000_000
"""Bytes of a sample that are read: whatever is longer, the door refuses."""
AT_ONCE = 200
"""Voices of a page."""
NO_PAIR = "No two voices sound like one person."


def _known(client: HttpClient, voice: str) -> Mapping[str, Any]:
    """The voice with this id, or with the only one that begins so. Raises Invalid."""
    meant: list[Mapping[str, Any]] = []
    page = client.get("/v1/voices", limit=AT_ONCE)
    while True:
        meant += [each for each in page["voices"] if each["voice_id"].startswith(voice)]
        if "cursor" not in page:
            break
        page = client.get("/v1/voices", limit=AT_ONCE, cursor=page["cursor"])
    if len(meant) != 1:
        raise Invalid(f"{'Several voices begin' if meant else 'No voice begins'} with {voice}; see `memoray voices`.")
    return meant[0]


def _forgotten(client: HttpClient, voice: str, words: bool) -> dict[str, Any]:
    """What was erased in all: the door erases words in parts."""
    total = {"prints": 0, "segments": 0}
    while True:
        part = client.delete(route("voices", voice) + ("?words=true" if words else ""))
        total = {each: total[each] + part[each] for each in total}
        if not (part["left"] and part["segments"]):
            return {**part, **total}


def _row(voice: Mapping[str, Any], zone: ZoneInfo) -> tuple[str, ...]:
    told = HOW[voice["exclusion"] or "none"]
    heard = ", ".join(voice["labels"])
    return voice["name"], heard, str(len(voice["prints"])), told, clock(voice["created_at"], zone), voice["voice_id"]


def _heard_as(voice: Mapping[str, Any]) -> str:
    return escape(", ".join(voice["labels"]))


def _proposal(pair: Mapping[str, Any], user: str | None, home: Path | None) -> str:
    one, other = (
        f"{escape(name)} ({escape(', '.join(heard) or 'enrolled')})"
        for name, heard in zip(pair["names"], pair["sources"], strict=True)
    )
    ids = f"{pair['voice_id']} {pair['other_id']}"
    merge, differ = (command(f"voices {verb} {ids}", user, home) for verb in ("merge", "differ"))
    how = f"If it is one person: {merge}\nIf not: {differ}"
    return f"{one} sounds like {other}: {pair['similarity']:.2f}. {how}"


def _put_sounds(client: HttpClient, pairs: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Write the sounds of each pair, named so that they lie side by side."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, pair in enumerate(pairs, 1):
        for side, pieces in zip(("a", "b"), pair["sounds"], strict=True):
            for place, piece in enumerate(pieces, 1):
                client.save(piece["url"], folder / f"pair-{number:02}-{side}-{place}.wav")
    count = sum(len(pieces) for pair in pairs for pieces in pair["sounds"])
    err.print(f"{counted(count, 'sound')} in {folder}: of each pair those of a and of b.", markup=False)


COMMANDS: tuple[tuple[str, Callable[..., None]], ...] = (
    ("voices", voices),
    ("voices name", name),
    ("voices merge", merge),
    ("voices split", split),
    ("voices differ", differ),
    ("voices exclude", exclude),
    ("voices forget", forget),
    ("voices undo", undo),
    ("voices enrol", enrol),
)
