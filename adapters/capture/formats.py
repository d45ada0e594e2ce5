"""Which format a file is in, told by what is inside, and its contents as bodies for POST /v1/sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from adapters.capture import (
    assistants,
    documents,
    mail,
    notes,
    recordings,
    slack,
    subtitles,
    telegram,
    transcripts,
    voice_memos,
    whatsapp,
)
from adapters.capture.bodies import Body, pages
from adapters.capture.text import TextFile
from memory.errors import Invalid, NotFound
from memory.model.ids import fold


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One way in which words are kept in files; `reads` says for a person what it is.

    With `knows_accounts` its reader tells by accounts who is the owner, since names are anybody's choice.
    """

    name: str
    sniff: Callable[[TextFile], bool]
    read: Callable[[TextFile], Iterator[Body]]
    reads: str
    knows_accounts: bool = False


PACKED = (
    FileFormat("slack", slack.sniff, slack.read, "a Slack export, ZIP or folder", True),
    FileFormat(
        "chatgpt", assistants.sniff_chatgpt, assistants.read_chatgpt, "ChatGPT's export, ZIP or conversations.json"
    ),
    FileFormat("claude", assistants.sniff_claude, assistants.read_claude, "Claude's export, ZIP or conversations.json"),
    FileFormat("telegram", telegram.sniff, telegram.read, "Telegram Desktop's result.json", True),
    FileFormat("docx", documents.sniff_docx, documents.read_docx, "Word's .docx"),
    FileFormat("pdf", documents.sniff_pdf, documents.read_pdf, "a PDF with text"),
    FileFormat("sound", voice_memos.sniff, voice_memos.read, "a recording of speech, with the extra `speech`"),
)
"""Told by their first bytes; what is none of them is read as lines of text, but for the ZIP of a chat."""
LINES = (
    FileFormat("mail", mail.sniff, mail.read, "mail: .eml, .mbox or pasted"),
    FileFormat("jsonl", recordings.sniff, recordings.read, "session files of a capture device"),
    FileFormat("vtt", subtitles.sniff_vtt, subtitles.read_vtt, "WebVTT subtitles"),
    FileFormat("srt", subtitles.sniff_srt, subtitles.read_srt, "SubRip subtitles"),
    FileFormat("whatsapp", whatsapp.sniff, whatsapp.read, "an exported WhatsApp chat, ZIP or text"),
    FileFormat("transcript", transcripts.sniff, transcripts.read, "a transcript of `Name: words`"),
    FileFormat("note", notes.sniff, notes.read, "notes: Markdown or text"),
)
FORMATS = PACKED + LINES
"""From the most to the least particular: the first that recognises a file reads it."""
NAMES = tuple(form.name for form in FORMATS)
READ = "; ".join(f"{form.name} ({form.reads})" for form in FORMATS)
"""What is read, for a person."""
SUFFIXES = notes.SUFFIXES - {""} | mail.SUFFIXES | {".jsonl", ".vtt", ".srt", ".docx", ".pdf"}
"""What is looked for in a folder; a file named outright may be called anything."""
FOLDERS = {"slack"}
"""What a folder is read as, as a whole."""
EXPORTS = {".json", ".zip"}
"""Suffixes of exports, which are looked into: much else is called so."""

_MARKS = """
89504e47 ffd8ff 47494638 52494646 4f676753 494433 1f8b 377abcaf 526172 7f454c46 d0cf11e0 53514c69 2142444e 504b0304
504b0506 425a68 fd377a585a 00000018 0000001c 00000020
"""
_BINARY = tuple(map(bytes.fromhex, _MARKS.split()))
"""How files begin that hold no lines of text: pictures, sound, films, packed files, old documents, databases."""
_ADVISED = {
    "save it as .docx": ".doc .odt .rtf .pages",
    "export its mail as .mbox or .eml": ".pst .ost .msg",
    "save it as text": ".html .htm .mht .epub .xlsx .ods .csv",
    "save it as a PDF with text": ".pptx .ppt .odp .key",
    "unpack it": ".gz .tar .tgz .7z .rar .bz2 .xz",
    "transcribe it": ".mkv .avi .wma",
    "have its text recognised": ".png .jpg .jpeg .heic .gif .tiff .webp",
}
_ADVICE = {suffix: advice for advice, suffixes in _ADVISED.items() for suffix in suffixes.split()}
"""What to do with what is not read, by suffix."""


def read(file: TextFile, name: str | None = None, *, me: Collection[str] = ()) -> Iterator[Body]:
    """The sources of a file or folder, page by page, each body small enough for one request.

    The format is told from what is inside unless it is named. Who is called by one of the names `me` is the owner.
    Raises Invalid with the file and the line, NotFound, and OSError if it cannot be opened.
    """
    if not file.path.exists():
        raise NotFound(f"There is no file {file.path}.")
    if file.path.is_dir():
        next(file.path.iterdir(), None)
    form = recognise(file, name)
    for body in form.read(file):
        yield from pages(body if form.knows_accounts else _owned(body, file.owner, frozenset(map(fold, me))))


def _owned(body: Body, owner: str, me: frozenset[str]) -> Body:
    """The body with the owner's turns told by the owner; ids stay what they are."""
    mine = {each["speaker"] for each in body["segments"] if fold(each["speaker"]) in me}
    if not mine:
        return body
    segments = [
        each | {"speaker": owner, "role": "user"} if each["speaker"] in mine else each for each in body["segments"]
    ]
    named = dict.fromkeys(owner if each in mine else each for each in body["participants"])
    return body | {"segments": segments, "participants": list(named)}


def recognise(file: TextFile, name: str | None = None) -> FileFormat:
    """The format of that name, or the first that fits. Raises Invalid, also for a chat that none but a note fits."""
    found = next(form for form in FORMATS if form.name == name) if name is not None else _told(file)
    if found is None:
        raise Invalid(f"{file.path.name}: {_why_unread(file)}", file=file.path.name)
    return found


def _told(file: TextFile) -> FileFormat | None:
    """The first format that fits; None if none does."""
    chats = tuple(form for form in LINES if form.read is whatsapp.read and file.package is not None)
    for form in FORMATS if _holds_lines(file) else PACKED + chats:
        if form.sniff(file):
            if form.read is notes.read:
                whatsapp.refuse_unknown(file)
            return form
    return None


def _holds_lines(file: TextFile) -> bool:
    """Whether it may be text for people: no folder, no ZIP, and neither another known file nor JSON of a program."""
    if file.package is not None or file.head.startswith(_BINARY):
        return False
    begins = file.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    return not (
        file.suffix == ".json" or (begins in (b"[", b"{") and b"\n" not in file.head[:4096] and len(file.head) == 4096)
    )


def _why_unread(file: TextFile) -> str:
    if file.package is None and not file.head:
        return "is empty."
    inside = Counter(Path(name).suffix.lower() for name in file.package.members) if file.package else Counter[str]()
    if inside.get(".zip") and inside.total() == inside[".zip"]:
        return "holds another ZIP: unpack it, and import that."
    advice = _ADVICE.get(file.suffix, "save or export it as one of them, or unpack it" if file.package else "")
    what = advice or "save or export it as one of them, or name the one it is with --as"
    return f"is in no format that is read: {what}. Read are {READ}."


def files_under(
    path: Path,
    left_out: Callable[[str], None] = lambda suffix: None,
    name: str | None = None,
    *,
    hears: bool = False,
) -> Iterator[Path]:
    """The file itself, or all files below a folder that could be read, in order; hidden ones are left out.

    A folder that is an export, or is named as one, is given whole. Of what is not read `left_out` hears the suffix:
    recordings, too, unless whoever imports `hears` them.
    """
    wanted = SUFFIXES | voice_memos.SUFFIXES if hears else SUFFIXES
    inside = _inside(path, name)
    if inside is None:
        yield path
        return
    for each in inside:
        is_folder, is_file = _kind_of(each)
        if is_folder:
            yield from files_under(each, left_out, name, hears=hears)
        elif is_file and (
            each.suffix.lower() in wanted or (hears and voice_memos.of_omi(each.name)) or _looks_exported(each)
        ):
            yield each
        elif is_file:
            left_out(each.suffix.lower() or "no suffix")


def _inside(path: Path, name: str | None) -> list[Path] | None:
    """What is in a folder and not hidden, in order. None for what is given whole: also a folder that cannot be opened,
    so that whoever reads it is told why.
    """
    try:
        if not path.is_dir() or name in FOLDERS or (name is None and slack.is_folder(path)):
            return None
        return sorted(each for each in path.iterdir() if not each.name.startswith("."))
    except OSError:
        return None


def _kind_of(path: Path) -> tuple[bool, bool]:
    """Whether it is a folder, and no link to one, and whether it is a file: so is what nobody lets us look at."""
    try:
        return path.is_dir() and not path.is_symlink(), path.is_file()
    except OSError:
        return False, True


def _looks_exported(path: Path) -> bool:
    """Whether a file is an export of a known program; one that is damaged or hostile is to be told of."""
    if path.suffix.lower() not in EXPORTS:
        return False
    try:
        return _told(TextFile(path)) is not None
    except (Invalid, OSError):
        return True
