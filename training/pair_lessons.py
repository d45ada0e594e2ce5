"""What pairs are taught on: statements whose relation is written down, questions and turns, claims and turns."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from adapters.judging.pair_encoder import RELATIONS
from bench.reading_worlds import ReadingWorld
from memory.errors import Invalid
from memory.model.claims import Utterance
from training.talk import Lesson

PAIRS = Path(__file__).parent / "pairs"
NEAREST = 3
"""Of each question or claim, turns that do not hold it: those most like it, and one at random."""
_WORD = re.compile(r"[^\W_]{3,}")

TASKS = ("relation", "answers", "says")
"""What a pair is taught for; the first has as many labels as RELATIONS, the others no and yes."""


@dataclass(frozen=True, slots=True)
class PairLesson:
    """Two texts, what they are taught for, and the label: its number."""

    first: str
    second: str
    task: str
    label: int


def written(folder: Path = PAIRS) -> dict[str, list[PairLesson]]:
    """Author -> their pairs. Raises Invalid, with file and line."""
    found: dict[str, list[PairLesson]] = {}
    for path in sorted(folder.glob("*.txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = [each.strip() for each in line.split("|")]
            if len(fields) != 3 or fields[0] not in RELATIONS:
                raise Invalid(f"{path.name}, line {number}: not RELATION | earlier statement | later statement.")
            relation, earlier, later = fields
            found.setdefault(path.stem, []).append(PairLesson(earlier, later, "relation", RELATIONS.index(relation)))
    return found


def of_questions(lesson: Lesson, near: Sequence[Sequence[int]], draw: random.Random) -> Iterator[PairLesson]:
    """Each question with a turn that answers it and with some that do not; `near` are the turns most like each."""
    for question, gold, likely in zip(lesson.questions, lesson.gold, near, strict=True):
        for turn in draw.sample(gold, min(2, len(gold))):
            yield PairLesson(question, turn_of(lesson, turn), "answers", 1)
        wrong = [each for each in likely if each not in gold][: 2 * NEAREST]
        others = draw.sample(wrong, min(NEAREST, len(wrong)))
        for turn in (*others, draw.randrange(len(lesson.texts))):
            if turn not in gold:
                yield PairLesson(question, turn_of(lesson, turn), "answers", 0)


def turn_of(lesson: Lesson, turn: int) -> str:
    """A turn as it is read beside a question: who speaks, what is said, and what was said before it."""
    before = f" (before: {lesson.texts[turn - 1]})" if turn and lesson.sources[turn - 1] == lesson.sources[turn] else ""
    return f"{lesson.speakers[turn]}: {lesson.texts[turn]}{before}"


def of_claims(world: ReadingWorld, draw: random.Random) -> Iterator[PairLesson]:
    """Each claim with its turn, and with others that do not say it; each trap with its turn, which does not mean it."""
    turns = world.turns
    words = {key: set(_WORD.findall(each.text.lower())) for key, each in turns.items()}
    for claim in world.claims:
        said = f"{claim.subject} {claim.predicate.replace('_', ' ')} {claim.object}"
        yield PairLesson(_line(turns[claim.turn]), said, "says", 1)
        own = set(_WORD.findall(said.lower()))
        near = sorted((key for key in turns if key != claim.turn), key=lambda key: -len(words[key] & own))
        for key in draw.sample(near[:6], min(2, len(near))):
            yield PairLesson(_line(turns[key]), said, "says", 0)
    for trap in world.traps:
        yield PairLesson(_line(turns[trap.turn]), trap.statement, "says", 0)


def _line(turn: Utterance) -> str:
    return f"{turn.speaker}: {turn.text}"
