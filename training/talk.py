"""Invented worlds as an encoder is taught on them: lines of turns, and which of them answer a question."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.unseen_worlds import UnseenWorld, author_of, worlds
from memory.errors import Invalid
from memory.retrieval.batches import dense_text

WORLDS = Path(__file__).parent / "worlds"
MEMORIES = Path(__file__).parent / "memories"
"""Small worlds of everyday talk, with questions as an owner asks them and with what corrects what."""
UNTAUGHT = ("pe", "pj")
"""Authors whose memories are never taught, and may be read: `memoray bench lives` tells by them what answers are worth
with the weights that are shipped. One writes English, one German."""
FOR_ENCODER = tuple(f"p{letter}" for letter in "abcdfghiklmnoqrstuv")
"""Authors of the memories that `training.encoder --further` teaches. Verdicts for such an encoder are taught the
others: what it knows it meets better than it will meet anything new, and verdicts would trust it too much."""
DATES = ("%d %B %Y", "%I:%M %p on %d %B, %Y", "%Y-%m-%d", "%B-%d-%Y", "")
"""Shapes in which the day of a turn is written before it, the product's own first: the encoder must not need one."""
LEAST_QUESTIONS = 10
"""Worlds with fewer questions that have an answer teach too little for the time their turns take."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """One world: every turn of it, and the questions that some of them answer."""

    name: str
    speakers: tuple[str, ...]
    texts: tuple[str, ...]
    days: tuple[datetime, ...]
    sources: NDArray[np.int64]
    """[turns] Which session a turn is of."""
    questions: tuple[str, ...]
    gold: tuple[tuple[int, ...], ...]
    """Of each question the turns that hold its evidence."""

    @property
    def author(self) -> str:
        """Whose world it is: the letter its name begins with."""
        return author_of(self.name)

    @property
    def lengths(self) -> NDArray[np.float32]:
        """[turns] Characters of text."""
        return np.array([len(text) for text in self.texts], np.float32)

    def lines(self, draw: random.Random | None = None) -> list[str]:
        """What is embedded of each turn; a session's day is written in a shape that is drawn, or in the product's."""
        drawn = [draw.choice(DATES) if draw else DATES[0] for _ in range(int(self.sources.max()) + 1)]
        stamps = [day.strftime(drawn[source]).lstrip("0") for day, source in zip(self.days, self.sources, strict=True)]
        return [dense_text(*line) for line in zip(self.speakers, stamps, self.texts, strict=True)]


def lessons(folder: Path = WORLDS) -> list[Lesson]:
    """The worlds of a folder that have enough questions, by name. Raises Invalid, with file and line."""
    found = [lesson(world) for world in worlds(folder)]
    return [each for each in found if len(each.questions) >= LEAST_QUESTIONS]


def lesson(world: UnseenWorld) -> Lesson:
    """A world as it is taught. Raises Invalid where the evidence of a question is no turn of it."""
    bodies = world.conversation.bodies
    turns = [(place, body["started_at"], turn) for place, body in enumerate(bodies) for turn in body["segments"]]
    place_of = {turn["segment_id"]: place for place, (*_, turn) in enumerate(turns)}
    for question in world.conversation.questions:
        if unknown := [turn for turn in question.gold if turn not in place_of]:
            raise Invalid(f"{world.conversation.id}: no turn {', '.join(unknown)}, which {question.text!r} names.")
    return Lesson(
        name=world.conversation.id.removeprefix("world-"),
        speakers=tuple(turn["speaker"] for *_, turn in turns),
        texts=tuple(turn["text"] for *_, turn in turns),
        days=tuple(datetime.fromtimestamp(at, UTC) for _, at, _ in turns),
        sources=np.array([place for place, *_ in turns], np.int64),
        questions=tuple(question.text for question in world.conversation.questions),
        gold=tuple(tuple(place_of[turn] for turn in question.gold) for question in world.conversation.questions),
    )


def split(found: Sequence[Lesson], authors: Iterable[str]) -> tuple[list[Lesson], list[Lesson]]:
    """Lessons to teach, and those of these authors, which are left out to test on. Raises ValueError if none is."""
    left_out = set(authors)
    taught = [each for each in found if each.author not in left_out]
    tested = [each for each in found if each.author in left_out]
    if not taught or not tested:
        raise ValueError(
            f"Of {len(found)} worlds, {len(tested)} are by {', '.join(sorted(left_out))}: nothing to split."
        )
    return taught, tested
