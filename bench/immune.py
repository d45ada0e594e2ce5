"""The immune system measured: `memoray bench immune FILE ...`.

Each line of a file is one utterance (tests/quality/README.md gives the format). It is read by the rule extractor and
decided into an empty memory that Sam owns, so that roles, gates and the owner's profile count as they do in a memory
that runs; no server, no database. A line that carries `expect` must become a fact that fits; every other line must not
become a fact but one its `allow` names, or, if it carries `forbid`, one that says that. Languages are not told: the
profile has English and German.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.extraction.rules import read as extract
from memory.errors import Invalid
from memory.model.claims import Reading, Utterance
from memory.model.commands import AcceptReading, ReadSegment, SetProfile
from memory.model.facts import Fact
from memory.model.ids import fold
from memory.model.profile import Profile
from memory.model.working_set import WorkingSet, evolve
from memory.rules.decider import Rules, decide
from memory.words.stems import STOP_WORDS, stem, tokenise

OWNER = Profile(name="Sam", languages=("en", "de"))
NOON = 1_750_420_800.0
"""When every line is said: Friday 20 June 2025, 12:00 UTC."""
_TURN_S = 5.0
"""Seconds between two turns."""
_OVER = re.compile(
    r"\b(?:used to|was|were|had|did|went|drank|ate|sang|ran|wrote|kept|formerly|no longer|früher|war|hatte|habe|hat|"
    r"(?!need)[a-z]{2,}ed)\b",
    re.IGNORECASE,
)
"""Words that put a statement into the past."""


@dataclass(frozen=True, slots=True)
class ScriptTurn:
    """Somebody's words: speaker, role (user, assistant, other), text."""

    speaker: str
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """One line of a file: what is said after what, and what may (`allow`) or must (`expect`) come of it."""

    id: str
    category: str
    said: ScriptTurn
    before: tuple[ScriptTurn, ...]
    allow: str | tuple[str, ...] = "none"
    expect: Mapping[str, Any] | None = None
    forbid: str | None = None
    """The one thing that must not be believed, in the third person; without it nothing may be."""


@dataclass(frozen=True, slots=True)
class LeftFact:
    """A fact that a line left behind, and the name of what it is about."""

    subject: str
    fact: Fact


@dataclass(frozen=True, slots=True)
class LineVerdict:
    """A line, what was believed of it, whether that is right, and whether there is nothing that may not be."""

    line: ScriptLine
    believed: tuple[LeftFact, ...]
    good: bool
    silent: bool = True


def read(path: Path) -> list[ScriptLine]:
    """The lines of a file. Raises Invalid, with the line's number, for what is not of the format."""
    found = []
    try:
        rows = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"{path} cannot be read: it must be a file of JSON lines in UTF-8.") from error
    for number, row in enumerate(rows, start=1):
        try:
            found.append(_line(json.loads(row)))
        except (ValueError, LookupError, TypeError) as error:
            raise Invalid(f"{path.name}, line {number}: not a line as tests/quality/README.md describes.") from error
    return found


def _line(row: Mapping[str, Any]) -> ScriptLine:
    allow = row.get("allow", "none")
    return ScriptLine(
        id=row["id"],
        category=row["category"],
        said=_turn(row),
        before=tuple(_turn(turn) for turn in row.get("before", ())),
        allow=allow if isinstance(allow, str) else tuple(allow),
        expect=row.get("expect"),
        forbid=row.get("forbid"),
    )


def _turn(row: Mapping[str, Any]) -> ScriptTurn:
    return ScriptTurn(row["speaker"], row["role"], row["text"])


def utterances_of(line: ScriptLine) -> list[Utterance]:
    """What was said before, and the line itself, which comes last."""
    return [
        Utterance("s", str(key), key, 1, turn.speaker, turn.text, NOON + _TURN_S * key, role=turn.role)
        for key, turn in enumerate((*line.before, line.said), start=1)
    ]


def command_of(identity: str, utterances: Sequence[Utterance], reading: Reading) -> AcceptReading:
    """The command by which these words enter a memory."""
    read_segments = tuple(
        ReadSegment("user:u", u.source_id, u.segment_key, u.revision, u.at, u.speaker, u.role, 0) for u in utterances
    )
    return AcceptReading(
        command_id=identity, actor="extraction", read=read_segments, sightings=reading.sightings, claims=reading.claims
    )


def empty_memory() -> WorkingSet:
    """Sam's memory, before anything is in it."""
    empty = WorkingSet("u")
    return evolve(empty, decide(empty, SetProfile(command_id="profile", profile=OWNER), NOON, Rules()).changes)


def believed_of(line: ScriptLine) -> tuple[LeftFact, ...]:
    """The facts that rest on the line itself, once it and what came before it are read and decided."""
    memory, utterances = empty_memory(), utterances_of(line)
    command = command_of(line.id, utterances, extract(utterances))
    after = evolve(memory, decide(memory, command, NOON + 3600.0, Rules()).changes)
    last = utterances[-1].segment_key
    return tuple(
        LeftFact(after.entities[fact.subject_id].name, fact)
        for fact in after.facts.values()
        if any(evidence.segment_key == last for evidence in after.evidence.get(fact.fact_id, ()))
    )


def judge(line: ScriptLine) -> LineVerdict:
    """Whether a line left what it must, or nothing that it must not."""
    believed = believed_of(line)
    if line.expect is not None:
        return LineVerdict(line, believed, any(_fits(each, line.expect) for each in believed))
    wrong = [each for each in believed if not _allowed(each.fact, line.allow)]
    good = not wrong if line.forbid is None else not any(_says(each, line.forbid) for each in wrong)
    return LineVerdict(line, believed, good, silent=not wrong)


def _fits(found: LeftFact, expect: Mapping[str, Any]) -> bool:
    words = f"{found.fact.statement} {found.fact.object or ''}".lower()
    named = expect["subject"] if isinstance(expect["subject"], list) else [expect["subject"]]
    return (
        fold(found.subject) in map(fold, named)
        and found.fact.polarity == expect["polarity"]
        and any(about in words for about in expect["about"])
    )


def _allowed(fact: Fact, allow: str | tuple[str, ...]) -> bool:
    if not isinstance(allow, str):
        return any(part in fact.statement.lower() for part in allow)
    if allow == "negative":
        return not fact.polarity
    return allow == "past" and _is_over(fact)


_ENOUGH = 0.5
"""Share of the content words of what is forbidden that a fact holds if it says that."""


def _says(found: LeftFact, forbidden: str) -> bool:
    """Whether a fact says, word by word, what is forbidden; whom it is about does not count."""
    said = set(_content(f"{found.fact.statement} {found.fact.object or ''}"))
    wanted = set(_content(forbidden)[1:])
    return found.fact.polarity != bool(_DENIED.search(forbidden)) and len(wanted & said) >= _ENOUGH * len(wanted)


_DENIED = re.compile(r"n't\b|\b(?:not|never|no|kein\w*|nicht)\b", re.IGNORECASE)


def _content(text: str) -> list[str]:
    return [stem(word, "en") for word, _ in tokenise(text) if word not in STOP_WORDS["en"] and len(word) > 1]


def _is_over(fact: Fact) -> bool:
    closed = fact.valid_to is not None and fact.valid_to <= NOON
    return closed or not fact.polarity or bool(_OVER.search(fact.statement))


def measure(path: Path) -> list[LineVerdict]:
    """Every line of a file, judged."""
    return [judge(line) for line in read(path)]


def shares(verdicts: Iterable[LineVerdict]) -> dict[str, tuple[int, int]]:
    """category -> (right, all), and `all` of them last."""
    counts: dict[str, tuple[int, int]] = {}
    for verdict in verdicts:
        for name in (verdict.line.category, "all"):
            right, lines = counts.get(name, (0, 0))
            counts[name] = (right + verdict.good, lines + 1)
    counts["all"] = counts.pop("all", (0, 0))
    return counts


def report(path: Path, verdicts: Sequence[LineVerdict]) -> str:
    """A table in Markdown: precision of lines that must not become facts, recall of those that must."""
    must = any(verdict.line.expect is not None for verdict in verdicts)
    rows = [f"| {path.name} | {'became a fact' if must else 'clean'} | lines | share |", "|---|---|---|---|"]
    for name, (right, lines) in shares(verdicts).items():
        rows.append(f"| {name} | {right} | {lines} | {100 * right / max(1, lines):.1f} % |")
    return "\n".join(rows)


def counted(verdicts: Sequence[LineVerdict], *, with_faults: bool) -> dict[str, Any]:
    """The same in figures: category -> [right, all], and the ids of what went wrong if they are wanted."""
    counts: dict[str, Any] = {"counts": shares(verdicts)}
    return counts | ({"faults": [each.line.id for each in verdicts if not each.good]} if with_faults else {})


def faults(verdicts: Iterable[LineVerdict]) -> str:
    """Each line that went wrong, with what was believed of it."""
    told = []
    for verdict in verdicts:
        if not verdict.good:
            told.append(
                f"{verdict.line.id} {verdict.line.category} {verdict.line.said.speaker}: {verdict.line.said.text}"
            )
            told += [f"    {each.subject}: {each.fact.statement}" for each in verdict.believed] or ["    nothing"]
    return "\n".join(told)
