"""The parts of the page as HTML: plain, without a script. Whatever anybody said is escaped here."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from html import escape as escaped
from importlib.resources import files
from string import Template
from urllib.parse import quote
from zoneinfo import ZoneInfo

from deployments.use_cases.facts import FactOut
from deployments.use_cases.promises import PromiseOut
from deployments.use_cases.searching import Hit, mark_of
from deployments.use_cases.voice_sounds import VoiceSound
from deployments.use_cases.voices import VoiceProposal
from memory.words.cleaning import visible

_FOLDER = files("deployments.page")
STYLE = (_FOLDER / "style.css").read_text()
PAGE = Template((_FOLDER / "page.html").read_text())
POLICY = (
    "default-src 'none'; media-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'"
)
MOST_STATEMENT = 1_000
"""Characters of a sentence typed into a correction: a sentence, not a document."""
ENTER = Template("""<form class="enter" method="post" action="/login">
<input type="password" name="token" aria-label="Token" placeholder="Token" autocomplete="current-password" required
autofocus><button>Enter</button></form>
<p class="quiet">$said</p>""")
LEAVE = '<form method="post" action="/logout"><button class="plain">Log out</button></form>'
_SEARCH = Template("""<form class="search" method="get" action="/" role="search">
<input type="search" name="q" value="$query" aria-label="Question" placeholder="What do you want to remember?"
maxlength="1000"><button>Ask</button></form>""")
_VERB = Template("""<form method="post" action="/page/facts/$fact/$verb">$hidden
<button class="plain">$label</button></form>""")
_CORRECT = Template("""<details><summary>Correct</summary>
<form class="correct" method="post" action="/page/facts/$fact/correct">$hidden
<input name="statement" value="$statement" aria-label="What is so instead" maxlength="$most" required>
<button>Put right</button></form></details>""")
_UNDO = Template("""<form method="post" action="/page/undo">$hidden<button class="plain">Undo</button></form>""")
_PAIR = Template("""<form method="post" action="/page/voices/$verb">$hidden
<button class="plain">$label</button></form>""")
_UNDO_VOICES = Template("""<form method="post" action="/page/voices/undo">$hidden
<button class="plain">Undo</button></form>""")
_SOUND = Template('<audio controls preload="none" src="/page/segments/$place/audio"></audio>')
_BACK = Template("""<form method="get" action="/"><input type="hidden" name="q" value="$query">
<button>Back</button></form>""")
_DONE = {
    "correct": "Corrected. Now it is believed that:",
    "known": "That was believed already:",
    "confirm": "Confirmed:",
    "forget": "No longer believed:",
    "undo": "Undone.",
    "same": "They are one person's voice now.",
    "different": "They are different people's; you are not asked again.",
}
"""What was done -> how it is told."""


@dataclass(frozen=True, slots=True)
class PageContext:
    """Who looks, as the parts need it: where they live, what they asked, and the key of their forms.

    Without a key there are no forms: who may only read.
    """

    zone: ZoneInfo
    query: str = ""
    key: str | None = None

    def day(self, moment: str | None) -> str:
        """The day of a moment of UTC where the owner lives: 2026-03-01."""
        return f"{datetime.fromisoformat(moment).astimezone(self.zone):%Y-%m-%d}" if moment else ""

    def clock(self, at: float) -> str:
        """A moment in epoch seconds by the owner's clock: 2026-03-01 09:00."""
        return f"{datetime.fromtimestamp(at, UTC).astimezone(self.zone):%Y-%m-%d %H:%M}"

    def hidden(self, **fields: str) -> str:
        """What every form carries: the key, and the question that the page goes back to."""
        carried = {"key": self.key or "", "q": self.query, **fields}
        return "".join(f'<input type="hidden" name="{name}" value="{escape(told)}">' for name, told in carried.items())


def escape(words: str) -> str:
    """Words as text of the page: all of it visible, none of it HTML."""
    return escaped(visible(words))


def section(title: str, entries: Iterable[str], otherwise: str) -> str:
    """A list under its title."""
    listed = "".join(f"<li>{entry}</li>" for entry in entries)
    body = f"<ol>{listed}</ol>" if listed else f'<p class="quiet">{escape(otherwise)}</p>'
    return f"<section><h2>{escape(title)}</h2>{body}</section>"


def search(query: str) -> str:
    """The line for a question."""
    return _SEARCH.substitute(query=escape(query))


def answer(words: str) -> str:
    """The answer to a question, line by line."""
    first, *rest = words.splitlines() or [""]
    below = "".join(f'<p class="quiet">{escape(line)}</p>' for line in rest if line.strip())
    return f'<section class="answer"><h2>Answer</h2><p>{escape(first)}</p>{below}</section>'


def hit(found: Hit, desk: PageContext, *, plays: bool = False) -> str:
    """What was said, with a mark if it is refuted; by whom, when and where; and its sound, if that is kept."""
    told = _lines(f"“{found.text}”{mark_of(found)}", found.speaker, desk.clock(found.timestamp), found.source_id)
    place = _place(found.source_id, found.segment_id)
    return told + (_SOUND.substitute(place=escaped(place)) if plays else "")


def fact(believed: FactOut, desk: PageContext) -> str:
    """A fact, since when and from where, and what its owner may do with it."""
    since, until = desk.day(believed.valid_from), desk.day(believed.valid_to)
    span = f"from {since} until {until}" if until else f"since {since}"
    cited = [each.source_id for each in believed.sources[:1]]
    told = _lines(believed.statement, span, f"confidence {believed.confidence:.2f}", *cited)
    return told + (_verbs(believed, desk) if desk.key and believed.status == "active" else "")


def promise(made: PromiseOut, desk: PageContext) -> str:
    """A promise; one whose day has passed says so first."""
    to = f"to {made.to}" if made.to else None
    late = made.state == "expired"
    due = f"{'was due' if late else 'due'} {desk.day(made.due)}" if made.due else None
    return ('<p class="late">Overdue</p>' if late else "") + _lines(made.text, made.by, to, due)


def pair(alike: VoiceProposal, desk: PageContext) -> str:
    """Two voices that sound like one person: each with its sounds, and what the owner may say of them."""
    sides = zip(alike.names, alike.sources, alike.sounds, strict=True)
    told = "".join(_side(name, heard, sounds) for name, heard, sounds in sides)
    if not desk.key:
        return told
    hidden = desk.hidden(voice=alike.voice_id, other=alike.other_id)
    verbs = (("same", "Same person"), ("different", "Different people"))
    return told + f'<div class="verbs">{"".join(_verb_of(verb, label, hidden) for verb, label in verbs)}</div>'


def _verb_of(verb: str, label: str, hidden: str) -> str:
    return _PAIR.substitute(verb=verb, label=label, hidden=hidden)


def _side(name: str, heard: Iterable[str], sounds: Iterable[VoiceSound]) -> str:
    played = "".join(_SOUND.substitute(place=escaped(_place(each.source_id, each.segment_id))) for each in sounds)
    return _lines(name, ", ".join(heard) or "enrolled") + played


def _place(source_id: str, segment_id: str) -> str:
    return f"{quote(source_id)}/{quote(segment_id, safe='')}"


def figures(shown: Mapping[str, int]) -> str:
    """Numbers, each under its name."""
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{number:,}</dd></div>" for name, number in shown.items())
    return f"<section><h2>Status</h2><dl>{rows}</dl></section>"


def done(what: str, statement: str, command_id: str, desk: PageContext) -> str:
    """What was done just now, and the way back."""
    back = _UNDO_VOICES if what in ("same", "different") else _UNDO
    undo = back.substitute(hidden=desk.hidden(command=command_id)) if command_id and desk.key else ""
    words = f"{_DONE[what]} {statement}".strip()
    return f'<div class="done" role="status"><p>{escape(words)}</p>{undo}</div>'


def told_of(what: str) -> bool:
    """Whether there is something of that name to be told as done."""
    return what in _DONE


def refused(why: str, query: str) -> str:
    """Why something was not done, and the way back."""
    return f'<div class="done" role="alert"><p>{escape(why)}</p>{_BACK.substitute(query=escape(query))}</div>'


def _verbs(believed: FactOut, desk: PageContext) -> str:
    known = {"fact": escape(believed.fact_id), "hidden": desk.hidden()}
    correct = _CORRECT.substitute(known, statement=escape(believed.statement), most=MOST_STATEMENT)
    rest = (_VERB.substitute(known, verb=verb, label=verb.capitalize()) for verb in ("confirm", "forget"))
    return f'<div class="verbs">{correct}{"".join(rest)}</div>'


def _lines(words: str, *quiet: str | None) -> str:
    """What was said, and under it, smaller, whatever is known about it."""
    below = " · ".join(escape(part) for part in quiet if part)
    return f'<p>{escape(words)}</p><p class="quiet">{below}</p>'
