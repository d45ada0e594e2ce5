"""What a reader is taught of a world: which sentences hold what, of whom, and which of the rules' claims hold.

Claims and traps name turns, in words of their own. They are laid onto the sentences of their turns by the stems they
share; what shares too little with any is laid onto none, and the other sentences of such a turn count less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from adapters.extraction.taught_features import Person, ReadTurn, persons, sentences
from adapters.extraction.taught_heads import KINDS, VERDICTS
from bench.reading_match import JudgedFact, same_subject, verdict, words_of
from bench.reading_worlds import GoldClaim, GoldTrap, ReadingWorld
from memory.model.claims import Claim
from training.check import TRAPS

MOODS = ("said", *sorted(TRAPS))
"""How a sentence may be meant, by place: said, or a trap of a kind."""
LAID = 0.25
"""Least share of a claim's words that the sentence it is laid onto holds."""
LAID_TRAP = 0.4
"""The same of a trap: its statement repeats more of the sentence."""
UNSURE = 0.3
"""Weight of a sentence without a claim in a turn of which a claim could not be laid."""


@dataclass(frozen=True, slots=True)
class SentenceLesson:
    """A sentence: `turn` is the place of its turn in the session, `span` are characters of its text."""

    turn: int
    span: tuple[int, int]
    kind: int
    mood: int
    weight: float
    subjects: tuple[str, ...]


def lessons_of(world: ReadingWorld) -> Iterator[list[SentenceLesson]]:
    """The sentences of each session, in order."""
    claims = _by_turn(world.claims)
    traps = _by_turn(world.traps)
    language = world.languages[0]
    for session in world.sessions:
        found: list[SentenceLesson] = []
        for place, utterance in enumerate(session):
            spans = sentences(utterance.text)
            stems = [words_of(utterance.text[slice(*span)], language) for span in spans]
            held: dict[int, list[GoldClaim]] = {}
            unlaid = False
            for claim in claims.get(utterance.segment_id, ()):
                at = laid(words_of(f"{claim.predicate} {claim.object}", language), stems, LAID)
                unlaid |= at is None
                if at is not None:
                    held.setdefault(at, []).append(claim)
            moods: dict[int, int] = {}
            for trap in traps.get(utterance.segment_id, ()):
                at = laid(words_of(trap.statement, language), stems, LAID_TRAP)
                if at is not None:
                    moods[at] = MOODS.index(trap.kind)
            for number, span in enumerate(spans):
                own = held.get(number, [])
                kind = KINDS.index(own[0].kind) if own else 0
                weight = UNSURE if unlaid and not own else 1.0
                found.append(
                    SentenceLesson(place, span, kind, moods.get(number, 0), weight, tuple(each.subject for each in own))
                )
        yield found


def laid(words: frozenset[str], sentences_: Sequence[frozenset[str]], least: float) -> int | None:
    """The sentence that holds most of these words; None if none holds enough."""
    if not words or not sentences_:
        return None
    shares = [len(words & each) / len(words) for each in sentences_]
    best = max(range(len(shares)), key=shares.__getitem__)
    return best if shares[best] >= least else None


def meant(turns: Sequence[ReadTurn], lesson: SentenceLesson) -> tuple[list[Person], int]:
    """The persons a sentence may be about, and the place of the right one: nobody, if none of them is."""
    found = persons(turns, lesson.turn, lesson.span)
    for subject in lesson.subjects:
        for place, person in enumerate(found[:-1]):
            if same_subject(person.name, subject):
                return found, place
    return found, len(found) - 1


def verdict_of(claim: Claim, world: ReadingWorld, turn: str, at: float) -> int:
    """What a claim of the rules comes to, as the benchmark judges it."""
    fact = JudgedFact(
        frozenset([turn]),
        claim.subject,
        claim.statement,
        claim.object or "",
        claim.polarity,
        at if claim.valid_from is None else claim.valid_from,
        claim.valid_to,
        claim.valid_from is not None and abs(claim.valid_from - at) > 60.0,
        False,
    )
    judged = verdict(fact, world.claims, world.traps, world.languages[0])
    return VERDICTS.index(judged if judged in VERDICTS else "wrong")


Told = TypeVar("Told", GoldClaim, GoldTrap)


def _by_turn(rows: Sequence[Told]) -> Mapping[str, list[Told]]:
    found: dict[str, list[Told]] = {}
    for each in rows:
        found.setdefault(each.turn, []).append(each)
    return found
