"""`memoray import`: what was said and written elsewhere, sent to the running system page by page."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from adapters import build_models
from adapters.capture.bodies import Body
from adapters.capture.formats import NAMES, READ, files_under, read
from adapters.capture.jsonl import Rejected
from adapters.capture.namesakes import Namesakes
from adapters.capture.text import TextFile
from adapters.hearing.apart import ApartEar
from cli.client import HttpClient, connect
from cli.console import Exit, HomeOption, JsonOption, counted, err, out, print_json
from cli.profile import UNNAMED
from config.settings import load
from memory.errors import DomainError, Invalid
from memory.model.ids import fold
from memory.model.profile import Profile
from memory.model.sound import HeardSound
from memory.services.zones import zone_of
from memory.words.languages import READ as LANGUAGES
from memory.words.languages import name_of, spoken, told_unread

RETRIES_S = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Pauses before a page is sent again when nobody answers: a restart of any part takes less than their sum, a minute."""
BUSY = (429, 503)
"""Statuses that mean: the same request, later."""

TELL_S = 10.0
"""Seconds between two lines of progress where there is no terminal (chosen: a log of a long import stays short)."""

MOST_TOLD = 1_000
"""Lines set aside that are told one by one; further ones are counted (chosen)."""

READS = ", ".join(NAMES)

AGAIN = "The same command again goes on, and stores nothing twice."

Send = Callable[[Mapping[str, Any]], int]
"""Delivers one body to POST /v1/sources; how many of its segments were new or changed."""


@dataclass(slots=True)
class Tally:
    """What an import has done: segments sent, those among them that were new or `changed`, files by the format they
    were read as, segments by language that is heard and not read (`unread`), what holds no words by its kind
    (`left_out`), files of a folder that are in no format that is read, by their suffix (`passed_over`), lines
    `rejected`, how many more there were than are told (`rejected_untold`), whole files `failed`, of which earlier pages
    may have gone in."""

    files: int = 0
    segments: int = 0
    changed: int = 0
    sources: set[str] = field(default_factory=set)
    formats: dict[str, int] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    passed_over: dict[str, int] = field(default_factory=dict)
    rejected: list[dict[str, Any]] = field(default_factory=list)
    rejected_untold: int = 0
    failed: list[dict[str, str]] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether everything went in."""
        return not self.rejected and not self.failed

    def leave_out(self, kind: str) -> None:
        """Count something without words."""
        self.left_out[kind] = self.left_out.get(kind, 0) + 1

    def pass_over(self, suffix: str) -> None:
        """Count a file of a folder that is not read."""
        self.passed_over[suffix] = self.passed_over.get(suffix, 0) + 1


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How files are to be read: as what, in which zone, who wrote notes, and the names of the owner: those that were
    given, those that readers of chats look for, and all that the memory takes for the owner."""

    form: str | None = None
    zone: tzinfo = UTC
    speaker: str | None = None
    me: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    hear: Callable[[BinaryIO], HeardSound] | None = None
    namesakes: Namesakes = field(default_factory=Namesakes)

    def bodies(self, file: TextFile) -> Iterator[Body]:
        """What is in a file, page by page, kept apart from what other files of its name have given."""
        for body in read(file, self.form, me=self.me):
            yield self.namesakes.apart(file.path, body, self._again)

    def _again(self, path: Path) -> Iterator[Body]:
        return read(self.file(path, Tally()), self.form, me=self.me)

    def file(self, path: Path, tally: Tally) -> TextFile:
        """A file as it is to be read, which tells the tally what could not be, up to a bearable number."""

        def set_aside(rejected: Rejected) -> None:
            if len(tally.rejected) < MOST_TOLD:
                tally.rejected.append({"file": str(path)} | rejected._asdict())
            else:
                tally.rejected_untold += 1

        file = TextFile(path, self.zone, self.speaker or "me", set_aside, tally.leave_out, author=self.speaker)
        return replace(file, me=self.known, labels=self.labels, hear=self.hear)


def import_(
    paths: Annotated[list[Path], typer.Argument(help="Files, exports, and folders that are searched for files.")],
    form: Annotated[str | None, typer.Option("--as", "--format", help=f"What it is: {READS}. Told by itself.")] = None,
    zone: Annotated[str | None, typer.Option("--zone", help="Where clock times were meant, say Europe/Lisbon.")] = None,
    me: Annotated[
        list[str] | None, typer.Option("--me", help="Your name in these chats, or your account's id there.")
    ] = None,
    speaker: Annotated[str | None, typer.Option("--speaker", help="Who wrote the notes, and the documents.")] = None,
    user: Annotated[str | None, typer.Option("--user", help="Whose memory it is, if not the token's.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import what was said and written elsewhere: exports of other programs, chats, mail, documents, notes.

    Slack, ChatGPT, Claude, Telegram, WhatsApp, mail, .docx, PDF, subtitles, transcripts, Markdown, text, session files.

    After `make extra ARGS=speech` also recordings, which are heard on this machine.

    What it is is told by what is inside, or by --as.

    The same file again adds only what is new in it. Exit code 1 if anything could not be read or stored.

    Example: memoray import ~/notes "WhatsApp Chat with Ben.zip" --zone Europe/Lisbon

    Example: memoray import slack-export.zip --me "Maya Lopez"
    """
    if form is not None and form not in NAMES:
        raise Invalid(f"There is no format {form!r}; there are {', '.join(NAMES)}.")
    tally = Tally()
    ear = build_models.ear(load(home))
    files = _files(paths, form, tally, hears=ear.is_installed)
    with connect(home, user) as client:
        profile = client.get("/v1/profile")
        meant = zone_of(zone or profile["time_zone"])
        asked = ImportOptions(form, meant, speaker, frozenset(me or ()), *_owner_of(profile, me), _hearing(ear))
        _import_all(client, files, asked, tally, as_json)
    if not profile["name"] and not me:
        err.print(UNNAMED, markup=False)
    if not tally.complete:
        raise typer.Exit(Exit.FAILED)


COMMANDS = (("import", import_),)


def _files(paths: Sequence[Path], form: str | None, tally: Tally, *, hears: bool) -> list[Path]:
    """The files of these paths. Raises Invalid if there are none."""
    files = [file for path in paths for file in files_under(path.expanduser(), tally.pass_over, form, hears=hears)]
    if not files:
        raise Invalid(f"There is no file to import in {', '.join(map(str, paths))}. Read are {READ}.")
    return files


def _owner_of(profile: Mapping[str, Any], me: Sequence[str] | None) -> tuple[frozenset[str], frozenset[str]]:
    """The names that readers of chats look for, and all that the memory takes for the owner."""
    labels = frozenset(map(fold, filter(None, [profile["name"], *profile["speaker_labels"]])))
    return frozenset(map(fold, me)) if me else labels - set(Profile().speaker_labels), labels


def _hearing(ear: ApartEar) -> Callable[[BinaryIO], HeardSound]:
    """What hears recordings, here and not in the system: a sound never leaves the program that reads the file."""
    return lambda file: asyncio.run(ear.hear(file))


def _import_all(client: HttpClient, files: Sequence[Path], asked: ImportOptions, tally: Tally, as_json: bool) -> None:
    with _reported(tally, len(files), as_json), _progress(as_json) as progress:
        pace = ImportProgress(tally, len(files), progress, silent=as_json or err.is_terminal)
        for path in files:
            import_file(asked.file(path, tally), asked, lambda body: pace.sent(deliver(client, body)), tally)
            pace.tell()


class ImportProgress:
    """How far an import has got: a bar on a terminal, which moves with every page that was sent; elsewhere a line now
    and then, unless it is `silent`."""

    def __init__(
        self,
        tally: Tally,
        files: int,
        progress: Progress,
        silent: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tally, self._files, self._progress, self._silent, self._clock = tally, files, progress, silent, clock
        self._task = progress.add_task("Importing", total=files, sources=0, segments=0)
        self._told = clock()

    def sent(self, changed: int) -> int:
        """A page has been sent; the number of its segments that were new or changed, as it was."""
        self.tell()
        return changed

    def tell(self) -> None:
        """Show what is done by now."""
        tally, now = self._tally, self._clock()
        self._progress.update(self._task, completed=tally.files, sources=len(tally.sources), segments=tally.segments)
        if not self._silent and now - self._told >= TELL_S:
            self._told = now
            err.print(f"{tally.files} of {counted(self._files, 'file')}, {counted(tally.segments, 'segment')} so far")


def import_file(file: TextFile, asked: ImportOptions, send: Send, tally: Tally) -> None:
    """Send a file's bodies and count them; what keeps it from being read or stored is tallied, and the next goes on."""
    taken_for = set()
    try:
        for body in asked.bodies(file):
            tally.changed += send(body)
            tally.sources.add(body["source_id"])
            tally.segments += len(body["segments"])
            taken_for.add(body["provenance"]["format"])
            for segment in body["segments"]:
                _count_unread(segment, tally)
    except DomainError as error:
        if not refused_for_good(error):
            raise
        tally.failed.append({"file": str(file.path), "error": _unnamed(error.detail, file.path.name)})
    except UnicodeEncodeError:
        name = os.fsencode(file.path).decode(errors="replace")
        tally.failed.append({"file": name, "error": "its name is not UTF-8"})
    except OSError as error:
        tally.failed.append({"file": str(file.path), "error": error.strerror or type(error).__name__})
    tally.files += 1
    for each in taken_for:
        tally.formats[each] = tally.formats.get(each, 0) + 1


def _kinds(counts: Mapping[str, int], noun: str = "") -> str:
    return ", ".join(counted(many, f"{kind} {noun}".strip()) for kind, many in sorted(counts.items()))


def _count_unread(segment: Mapping[str, Any], tally: Tally) -> None:
    code = spoken(segment["text"][:_TOLD_BY], segment.get("language"))
    if code not in LANGUAGES:
        tally.unread[name_of(code)] = tally.unread.get(name_of(code), 0) + 1


_TOLD_BY = 2_000
"""Characters of a segment by which its language is told (chosen: a page)."""


def _unnamed(detail: str, name: str) -> str:
    """What is wrong with a file, told beside its path: it need not be named twice."""
    return detail.removeprefix(f"{name}: ").removeprefix(f"{name}, ")


def deliver(
    client: HttpClient,
    body: Mapping[str, Any],
    pauses_s: Iterable[float] = RETRIES_S,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """POST one body, again after a pause while nobody answers: its ids make a second delivery harmless.

    The number of its segments that were new or changed.
    """
    for pause_s in pauses_s:
        try:
            return _post(client, body)
        except DomainError as error:
            if refused_for_good(error):
                raise
        sleep(pause_s)
    return _post(client, body)


def _post(client: HttpClient, body: Mapping[str, Any]) -> int:
    """A sweep also changes what it hides; here only what was sent is counted."""
    return min(int(client.post("/v1/sources", body)["changed"]), len(body["segments"]))


def refused_for_good(error: DomainError) -> bool:
    """Whether the same request would be refused again."""
    return error.ids.get("status", error.status) not in BUSY


def _progress(quiet: bool) -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files, {task.fields[sources]} sources, {task.fields[segments]} segments"),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=err, transient=True, disable=quiet or not err.is_terminal)


@contextmanager
def _reported(tally: Tally, files: int, as_json: bool) -> Iterator[None]:
    """Report what was done, also when somebody interrupts it, who then hears how far it got."""
    try:
        yield
    except KeyboardInterrupt:
        err.print(f"Interrupted after {tally.files} of {files} files. {AGAIN}", markup=False)
        _report(tally, as_json)
        raise
    _report(tally, as_json)


def _report(tally: Tally, as_json: bool) -> None:
    if as_json:
        print_json(asdict(tally) | {"sources": len(tally.sources)})
        return
    out.print(
        f"{counted(tally.segments, 'segment')} in {counted(len(tally.sources), 'source')}"
        f" from {counted(tally.files, 'file')}: "
        f"{tally.changed} new or changed, {tally.segments - tally.changed} there already."
    )
    if tally.formats:  # a chat that was taken for a note is not to go unseen
        err.print(f"Read as {', '.join(f'{form} {count}' for form, count in sorted(tally.formats.items()))}.")
    if tally.left_out:
        err.print(f"Left out, without words: {_kinds(tally.left_out)}.", markup=False)
    if tally.passed_over:
        err.print(f"In no format that is read: {_kinds(tally.passed_over, 'file')}.", markup=False)
    if tally.unread:
        counts = [f"{name} ({counted(many, 'segment')})" for name, many in sorted(tally.unread.items())]
        err.print(told_unread(counts), markup=False)
    for line in tally.rejected:
        place = f", line {line['line_no']}" if line["line_no"] else ""
        err.print(f"{line['file']}{place}: {line['reason']}", markup=False)
    if tally.rejected_untold:
        err.print(f"{counted(tally.rejected_untold, 'further line')} could not be read.")
    for file in tally.failed:
        err.print(f"{file['file']}: {file['error']}", markup=False)
