"""Scoring answers about an invented life at a glance, and labels that tell which believed facts are wrong.

What counts is what a person sees first: the first line of an answer, and below a question for a list also the lines
that are listed, up to the first quotation. Where a file tells which turns answer, the first turn that is cited counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bench.life_model import CORRECTION, UNANSWERABLE, WHEN, LifeQuestion
from memory.errors import Invalid
from memory.services.answer import NEAREST, NOTHING

LISTED = ("list", "promise")
"""Kinds of questions whose answer may be spread over listed lines."""
WHOLE_WORDS = frozenset({"yes", "no", "not", "ja", "nein", "nicht"})
"""Short words that others begin with: nothing, know, yesterday, January. They count as words of their own."""
LABELS = ("right", "wrong", "useless")
_QUOTED = ('"', "“", "„", "»")
_CITED = re.compile(r"-(\d+)/(\d+)\]")
"""The place of a turn at the end of a line, `[NAME-SESSION/TURN]`."""
_PLACE = re.compile(r"\s*\[[^\[\]]*\]$")
_QUOTATION = re.compile(r"""(?P<words>["“„»].*["”“«]) - .*, (?P<day>[^,]*)""")
""" `"words" - speaker, day`: whoever asks who or how many is not answered by who said it, or when."""


@dataclass(frozen=True, slots=True)
class JudgedReply:
    """An answer and its verdicts.

    `right`: at a glance; an unanswerable question is rightly met with silence or with a disclaimer, a question about
    something forgotten with an answer that says it nowhere. `wrong_first`: what stands first misleads.
    """

    question: LifeQuestion
    answer: str
    right: bool
    wrong_first: bool
    silent: bool
    disclaimed: bool


def score(question: LifeQuestion, answer: str) -> JudgedReply:
    """The verdicts on an answer."""
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    first = lines[0] if lines else ""
    silent, disclaimed = first in ("", NOTHING), first == NEAREST
    if question.turns:
        right = _cited(answer) in question.turns and not (silent or disclaimed)
        return JudgedReply(question, answer, right, not (right or silent or disclaimed), silent, disclaimed)
    seen = "\n".join(_said(line, question.kind) for line in _glance(lines, question.kind))
    said = all(any(_holds(seen, each) for each in part) for part in question.must)
    forbidden = any(_holds(seen, each) for each in question.mustnot)
    if question.kind == UNANSWERABLE:
        right = silent or disclaimed
    elif question.must:
        right = said and not forbidden
    else:
        right = not any(_holds(answer, each) for each in question.mustnot)
    unmet = question.kind in (UNANSWERABLE, CORRECTION) and not right
    return JudgedReply(question, answer, right, forbidden or unmet, silent, disclaimed)


def _cited(answer: str) -> str:
    """The first turn that an answer cites, such as 3.2."""
    found = _CITED.search(answer)
    return ".".join(found.groups()) if found else ""


def _glance(lines: Sequence[str], kind: str) -> list[str]:
    """The first line, and of a list the ones below it that are no quotations."""
    seen = list(lines[:1])
    if kind in LISTED and seen and not seen[0].startswith(_QUOTED):
        for line in lines[1:]:
            if line.startswith(_QUOTED):
                break
            seen.append(line)
    return seen


def _said(line: str, kind: str) -> str:
    """What a line says, without its place; of a quotation the words alone, and the day where one is asked for."""
    words = _PLACE.sub("", line)
    quoted = _QUOTATION.fullmatch(words)
    if quoted is None:
        return words
    return f"{quoted['words']} {quoted['day']}" if kind == WHEN else quoted["words"]


def _holds(text: str, words: str) -> bool:
    """Whether a text says the words, in any case; a number is no part of a longer one."""
    text, words = _plain(text), _plain(words)
    pattern = re.escape(words)
    if words in WHOLE_WORDS:
        pattern = rf"\b{pattern}\b"
    if words[:1].isdigit():
        pattern = rf"(?<!\d){pattern}"
    if words[-1:].isdigit():
        pattern = rf"{pattern}(?!\d)"
    return re.search(pattern, text) is not None


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())


@dataclass(frozen=True, slots=True)
class LifeShares:
    """Shares in percent, None where there is nothing to count."""

    questions: int
    right: float | None
    wrong_first: float | None
    corrections: float | None
    """Of the questions about a correction, those whose answer obeys it."""
    unanswerable: float | None
    """Of the unanswerable questions, those met with silence or a disclaimer."""


def figures(replies: Sequence[JudgedReply]) -> LifeShares:
    """The figures of these replies."""
    return LifeShares(
        len(replies),
        _share([each.right for each in replies]),
        _share([each.wrong_first for each in replies]),
        _share([each.right for each in replies if each.question.kind == CORRECTION]),
        _share([each.right for each in replies if each.question.kind == UNANSWERABLE]),
    )


def _share(held: Sequence[bool]) -> float | None:
    return 100 * sum(held) / len(held) if held else None


@dataclass(frozen=True, slots=True)
class JudgedFacts:
    """How many believed facts somebody has called right, wrong or useless, and how many nobody has looked at."""

    right: int
    wrong: int
    useless: int
    unlabelled: int

    @property
    def wrong_share(self) -> float | None:
        """Of those with a label, in percent."""
        labelled = self.right + self.wrong + self.useless
        return 100 * self.wrong / labelled if labelled else None


def judged(statements: Iterable[str], labels: Mapping[str, str]) -> JudgedFacts:
    """The labels of these statements, counted."""
    found = [labels.get(statement) for statement in statements]
    return JudgedFacts(found.count("right"), found.count("wrong"), found.count("useless"), found.count(None))


def parse_labels(text: str, name: str) -> dict[str, str]:
    """Statement -> label, of lines `label | statement`; `?` is no label yet, and what follows is for who reads.

    Raises Invalid with the line that is wrong.
    """
    labels: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        label, *rest = (part.strip() for part in line.split(" | "))
        if label not in (*LABELS, "?") or not rest or not rest[0]:
            raise Invalid(f"{name}, line {number}: it is not `LABEL | statement`, of {', '.join(LABELS)} and ?.")
        if labels.setdefault(rest[0], label) != label:
            raise Invalid(f"{name}, line {number}: the statement has another label above.")
    return {statement: label for statement, label in labels.items() if label in LABELS}
