"""Contradiction by words: what can be seen of two statements without a model.

A denied deed that was done, another figure for the same thing, a date that was moved. What was measured on real talk,
and why entailment does not see updates, is told in docs/decisions/0019.
"""

from __future__ import annotations

import re

from memory.model.verdicts import ComparedStatement, StatementPair, Verdict
from memory.words.contrast import COUNT, COUNTS, MOVES, Denial, Figure, dates, denials, figures, same_measure, topic_of
from memory.words.polarity import has_change_cue, is_unreal
from memory.words.tense import has_been_done, tells_deed

LEAST_ALIKE = 0.30
"""Calibrated similarity below which no two statements are compared: the words alone would mislead (dev data)."""
_DENIED_ALIKE = 0.38
"""The same for a denial and a deed."""
_DATED_ALIKE = 0.40
"""The same for two dates."""
_MATCH = 1.05
"""Least score of two figures; each kind of evidence below adds to it (fitted on six conversations of dev data)."""
_BARE = 1.35
"""The same where neither side says more than "problems"."""
_CHANGED, _COUNTED, _ALIKE = 0.25, 0.30, 0.30
"""What a word of change adds, the same counted thing, and full similarity."""
SURE, UNSURE = 0.75, 0.60
"""Scores of a verdict with a word of change beside it, and of one without."""

_TOTAL = re.compile(r"\b(?:total of|in total|(?:now|has) reached)\b", re.IGNORECASE)
"""What makes a count that of everything."""
_MOVES = re.compile(rf"\b{MOVES}\b", re.IGNORECASE)
_LATELY = re.compile(r"\b(?:just|recently|already)\b", re.IGNORECASE)
_MEANT = re.compile(r"\b(?:will|can|wants?|needs?|plans?|hopes?|how to)\b", re.IGNORECASE)
"""What is meant, or thought of, and not done."""
_VALUED = re.compile(r"(?P<what>.+['’]s (?:\w+ ){1,4}is )[€$£]?(?P<value>\d[\d.,]*)(?: ?(?P<unit>[\w€$£]+))?")
"""What has one figure at a time. A weight of another unit may be the same."""


def judge(pair: StatementPair) -> Verdict:
    """What the words of two statements show; "unrelated" if they show nothing."""
    if pair.similarity < LEAST_ALIKE:
        return Verdict()
    denied = _denied(pair.later, pair.earlier, pair.similarity) or _denied(pair.earlier, pair.later, pair.similarity)
    if denied:
        return Verdict("contradicts", UNSURE)
    return _revalued(pair) or _refigured(pair) or _redated(pair) or Verdict()


def _about(said: ComparedStatement) -> frozenset[str]:
    return topic_of(f"{said.context} {said.statement}")


def _denied(denial: ComparedStatement, deed: ComparedStatement, similarity: float) -> bool:
    """Whether one says that something was never done which the other tells of."""
    said = denials(denial.statement)
    if not said or similarity < _DENIED_ALIKE or denials(deed.statement) or not _is_deed(deed.statement):
        return False
    if denial.context == deed.context and " any " in deed.statement:
        return False  # the denied words themselves, read as a statement
    return any(_is_of(each, deed) for each in said)


def _tells_change(statement: str) -> bool:
    return has_change_cue(statement) or _MOVES.search(statement) is not None or _TOTAL.search(statement) is not None


def _is_deed(statement: str) -> bool:
    """Whether it tells what was done; of what is only meant a perfect does: hopes for bread, which she has baked."""
    meant = _MEANT.search(statement) is not None or is_unreal(statement)
    told = tells_deed(statement) or _LATELY.search(statement) is not None
    return has_been_done(statement) or (told and not meant)


def _is_of(denial: Denial, deed: ComparedStatement) -> bool:
    """Whether the deed is of a denied thing: all of its words in the sentence, most of them in the statement."""
    stated, spoken = topic_of(deed.statement), _about(deed)
    if denial.rest and len(denial.rest & spoken) < 0.4 * len(denial.rest):
        return False
    for thing in denial.things:
        alone = len(thing) == 1 and denial.verb not in stated and not denial.rest & stated
        if thing <= spoken and len(thing & stated) >= 0.6 * len(thing) and not alone:
            return True
    return False


def _revalued(pair: StatementPair) -> Verdict | None:
    """What has one figure at a time, in the same words with another: my rent is 980."""
    before, after = _VALUED.fullmatch(pair.earlier.statement), _VALUED.fullmatch(pair.later.statement)
    if before is None or after is None or before["what"] != after["what"] or before["value"] == after["value"]:
        return None
    measured = {each["unit"] for each in (before, after)} - {None}
    return Verdict("updates", SURE) if len(measured) < 2 else None


def _refigured(pair: StatementPair) -> Verdict | None:
    """The same thing with another figure, or with the figure it had before."""
    before, after = figures(pair.earlier.statement), figures(pair.later.statement)
    if not before or not after:
        return None
    told = _tells_change(pair.later.statement)
    moves = told or tells_deed(pair.earlier.statement)
    about = _about(pair.earlier), _about(pair.later)
    for old in before:
        for new in after:
            if (moves or old.value == new.value) and _score(pair, old, new, told, *about) >= 0:
                if old.value == new.value:
                    return Verdict("same", SURE)
                if not _restated(old, after) and not _restated(new, before):
                    return Verdict("updates", SURE) if told else Verdict("contradicts", UNSURE)
    return None


def _restated(figure: Figure, others: tuple[Figure, ...]) -> bool:
    return any((figure.unit, figure.value) == (other.unit, other.value) for other in others)


def _score(
    pair: StatementPair, old: Figure, new: Figure, told: bool, about_old: frozenset[str], about_new: frozenset[str]
) -> float:
    """By how much two figures are of one thing; negative if they are not."""
    if not same_measure(old, new, about_old, about_new):
        return -1.0
    shared = (_share(old.near, about_new) + _share(new.near, about_old)) / 2
    totalled = bool(_TOTAL.search(pair.later.statement))
    score = shared + _CHANGED * (told + totalled) + _COUNTED * (old.unit in COUNTS) + _ALIKE * pair.similarity
    bare = old.unit == COUNT and len(old.counted) == len(new.counted) == 1 and not totalled
    return score - (_BARE if bare else _MATCH)


def _share(near: frozenset[str], about: frozenset[str]) -> float:
    return len(near & about) / max(1, len(near))


def _redated(pair: StatementPair) -> Verdict | None:
    """The same dated thing on another day, with a word of change."""
    if pair.similarity < _DATED_ALIKE or not _tells_change(pair.later.statement):
        return None
    before, after = dates(pair.earlier.statement), dates(pair.later.statement)
    moved = any(old != new and things & others for old, things in before for new, others in after)
    stays = {day for day, _ in before} & {day for day, _ in after}
    return Verdict("updates", SURE) if moved and not stays else None
