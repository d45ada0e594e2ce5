"""Sentences of worlds as the head of promises is taught by them: which of them promise something.

A claim names a turn, in words of its own. It is laid onto the sentence that shares the most words with it. Where none
shares any, no other sentence of the turn counts. Where somebody else promises it, that sentence is no promise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from adapters.embedding.minilm import MiniLm, ReadPieces
from adapters.extraction.promise_features import BUCKETS, line_of, runs, seen, sentences, signs
from bench.reading_worlds import GoldClaim, ReadingWorld
from memory.errors import Invalid
from memory.model.claims import Utterance
from memory.model.ids import fold
from memory.words.stems import STOP_PARTS, STOP_WORDS, stem, tokenise

NOTES = Path(__file__).parent / "promises.txt"
TOGETHER = 64
"""Turns that are encoded at once."""
Notes = Mapping[tuple[str, str, int], bool]
"""World, turn and number of a sentence -> whether it promises something (True), or nobody can tell."""


@dataclass(frozen=True, slots=True)
class PromiseLesson:
    """A sentence; `weight` is 0 where nobody can tell. `named` says that a claim names it."""

    world: str
    kind: str
    utterance: Utterance
    span: tuple[int, int]
    place: int
    last: bool
    promise: bool
    named: bool
    weight: float


def noted(path: Path = NOTES) -> Notes:
    """What was read by hand. Raises Invalid, with the line."""
    found: dict[tuple[str, str, int], bool] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match line.split():
            case [world, turn, place, "yes" | "maybe" as told] if place.isdigit():
                found[world, turn, int(place) - 1] = told == "yes"
            case _:
                raise Invalid(f"{path.name}, line {number}: no world, turn, number and yes or maybe.")
    return found


def lessons_of(world: ReadingWorld, notes: Notes) -> Iterator[PromiseLesson]:
    """The sentences of a world that somebody says who is no assistant, in order."""
    promised: dict[str, list[GoldClaim]] = {}
    for claim in world.claims:
        if claim.kind == "promise":
            promised.setdefault(claim.turn, []).append(claim)
    for utterance in (each for session in world.sessions for each in session if each.role != "assistant"):
        spans = sentences(utterance.text)
        own, others, unsure = _laid(promised.get(utterance.segment_id, ()), utterance, spans, world.languages[0])
        for place, span in enumerate(spans):
            note = notes.get((world.name, utterance.segment_id, place))
            promise = place in own or note is True
            yield PromiseLesson(
                world.name,
                world.kind,
                utterance,
                span,
                place,
                place == len(spans) - 1,
                promise,
                place in own,
                float(promise or not ((unsure and place not in others) or note is False)),
            )


def author(lesson: PromiseLesson) -> str:
    """Whose world it is of."""
    return lesson.world.partition("-")[0]


def _laid(
    claims: Sequence[GoldClaim], utterance: Utterance, spans: Sequence[tuple[int, int]], language: str
) -> tuple[set[int], set[int], bool]:
    """The sentences in which the speaker promises what claims name, those in which others do, and whether a claim is
    laid onto none."""
    own, others = set[int](), set[int]()
    unsure = False
    for claim in claims if spans else ():
        best, shared = laid_onto(f"{claim.predicate} {claim.object}", utterance, spans, language)
        if shared == 0 and len(spans) > 1:
            unsure = True
        else:
            (own if same_person(claim.subject, utterance.speaker) else others).add(best)
    return own, others - own, unsure


def laid_onto(claimed: str, utterance: Utterance, spans: Sequence[tuple[int, int]], language: str) -> tuple[int, int]:
    """The sentence of an utterance that shares the most words with a claim, and how many these are."""
    wanted = _stems(claimed, language)
    shared = [len(wanted & _stems(utterance.text[slice(*span)], language)) for span in spans]
    best = max(range(len(shared)), key=shared.__getitem__)
    return best, shared[best]


def same_person(one: str, other: str) -> bool:
    """Whether one of two names has all words of the other."""
    first, second = (set(re.findall(r"\w+", fold(name))) for name in (one, other))
    return bool(first and second) and (first <= second or second <= first)


def _stems(text: str, language: str) -> set[str]:
    stop = STOP_PARTS if language == "en" else STOP_WORDS["de"] | STOP_PARTS
    words = (word.removesuffix("'s") for word, _ in tokenise(text.replace("_", " ")))
    return {stem(word, language) for word in words if word not in stop}


def words_of(lessons: Sequence[PromiseLesson]) -> sparse.csr_matrix:
    """[sentences, BUCKETS] 1 where a run of words stands in a sentence."""
    rows = [runs(each.utterance.text[slice(*each.span)]) for each in lessons]
    ends = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    columns = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    return sparse.csr_matrix((np.ones(len(columns)), columns, ends), (len(lessons), BUCKETS))


def dense_of(lessons: Sequence[PromiseLesson], encoder: MiniLm) -> NDArray[np.float64]:
    """[sentences, SEEN + SIGNS] The encoder's view of sentences; each turn is encoded once."""
    lines = {line_of(each.utterance): None for each in lessons}
    order = list(lines)
    found: dict[tuple[str, int], ReadPieces] = {}
    for start in range(0, len(order), TOGETHER):
        part = order[start : start + TOGETHER]
        found.update(zip(part, encoder.pieces([line for line, _ in part]), strict=True))
    rows = []
    for each in lessons:
        line, shift = line_of(each.utterance)
        view = seen(found[line, shift], (each.span[0] + shift, each.span[1] + shift))
        rows.append(np.concatenate([view, signs(each.utterance, each.span, each.place, each.last)]))
    return np.array(rows, np.float64).reshape(len(rows), -1)


def average_precision(odds: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """The mean over promises of the share that is right down to each."""
    told = truth[np.argsort(-odds, kind="stable")]
    ranks = np.flatnonzero(told)
    return float(((np.arange(len(ranks)) + 1) / (ranks + 1)).mean()) if len(ranks) else 0.0
