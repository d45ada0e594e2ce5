"""Sessions as a reader is taught on them: word pieces, stretches of these, and what is right of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
import torch
from tokenizers import Tokenizer

from adapters.embedding.minilm import MAX_WORD_PIECES, ReadPieces
from adapters.extraction.rules import read
from adapters.extraction.taught_features import (
    DIMENSIONS,
    WHOLE,
    Person,
    ReadTurn,
    line_of,
    signs,
    ways,
)
from adapters.extraction.taught_votes import marks, quoted
from adapters.model_files import MINILM_TOKENIZER
from bench.reading import batches
from bench.reading_worlds import ReadingWorld
from memory.model.claims import Claim, Utterance
from memory.model.ids import fold
from training.reader_model import PieceStretches, SessionLesson
from training.reading_lessons import SentenceLesson, lessons_of, meant, verdict_of


@lru_cache(maxsize=1)
def tokenizer() -> Tokenizer:
    """The encoder's, which cuts as the product does."""
    found = Tokenizer.from_file(str(MINILM_TOKENIZER.checked(MINILM_TOKENIZER.find())))
    found.no_padding()
    found.enable_truncation(MAX_WORD_PIECES)
    return found


def sessions_of(worlds: Iterable[ReadingWorld]) -> Iterator[SessionLesson]:
    """Every session that says anything, world by world; the rules read it meanwhile."""
    for world in worlds:
        for session, lessons in zip(world.sessions, lessons_of(world), strict=True):
            if lessons:
                yield session_lesson(world, session, lessons)


def session_lesson(
    world: ReadingWorld, session: Sequence[Utterance], lessons: Sequence[SentenceLesson]
) -> SessionLesson:
    """One session."""
    turns, ids, kept = _turns(session)
    firsts = np.cumsum([0, *(int(each.sum()) for each in kept[:-1])]).tolist()
    said = [each for batch in batches(session) for each in read(batch).claims]
    place = {utterance.segment_key: number for number, utterance in enumerate(session)}
    people = [meant(turns, lesson) for lesson in lessons if lesson.subjects]
    about = [number for number, lesson in enumerate(lessons) if lesson.subjects]
    placed = [(place[claim.segment_key], claim) for claim in said]
    asked = [_candidates(turns, lessons, at, claim) for at, claim in placed]
    return SessionLesson(
        ids=ids,
        kept=kept,
        whole=_stretch(turns, firsts, [(at, WHOLE) for at in range(len(turns))]),
        spans=_stretch(turns, firsts, [(each.turn, _moved(turns[each.turn], each.span)) for each in lessons]),
        turns=torch.tensor([each.turn for each in lessons]),
        signs=_rows([signs(session[each.turn], each.span) for each in lessons]),
        kinds=torch.tensor([each.kind for each in lessons]),
        moods=torch.tensor([each.mood for each in lessons]),
        weights=torch.tensor([each.weight for each in lessons]),
        about=torch.tensor(about, dtype=torch.long),
        persons=_people(turns, firsts, [lessons[each] for each in about], [found for found, _ in people]),
        meant=torch.tensor([right for _, right in people], dtype=torch.long),
        quotes=_stretch(turns, firsts, [(at, _moved(turns[at], quoted(c, session[at]))) for at, c in placed]),
        quote_turns=torch.tensor([at for at, _ in placed], dtype=torch.long),
        quote_signs=_rows([signs(session[at], quoted(claim, session[at])) for at, claim in placed]),
        marks=_rows([marks(claim, session[at]) for at, claim in placed]),
        sentences=torch.tensor([number for number, _ in asked], dtype=torch.long),
        subjects=_people(turns, firsts, [lessons[number] for number, _ in asked], [found for _, found in asked]),
        own=[
            [fold(person.name) == fold(claim.subject) for person in found]
            for (_, found), (_, claim) in zip(asked, placed, strict=True)
        ],
        verdicts=torch.tensor(
            [verdict_of(claim, world, session[at].segment_id, session[at].at) for at, claim in placed],
            dtype=torch.long,
        ),
    )


def _turns(session: Sequence[Utterance]) -> tuple[list[ReadTurn], list[list[int]], list[np.ndarray]]:
    """Of each utterance its pieces without vectors, their numbers, and which of these stand somewhere in the line."""
    lines = [line_of(each) for each in session]
    encodings = tokenizer().encode_batch([line for line, _ in lines])
    turns, kept = [], []
    for utterance, (_, shift), encoding in zip(session, lines, encodings, strict=True):
        spans = np.array(encoding.offsets, np.int64).reshape(-1, 2)
        kept.append(spans[:, 1] > spans[:, 0])
        pieces = ReadPieces(spans[kept[-1]], np.zeros((0, DIMENSIONS), np.float32))
        turns.append(ReadTurn(utterance, pieces, shift))
    return turns, [each.ids for each in encodings], kept


def _candidates(
    turns: Sequence[ReadTurn], lessons: Sequence[SentenceLesson], at: int, claim: Claim
) -> tuple[int, list[Person]]:
    """The sentence that a claim of the rules begins in, and whom that may be about."""
    start, _ = quoted(claim, turns[at].utterance)
    own = [number for number, lesson in enumerate(lessons) if lesson.turn == at]
    within = [number for number in own if lessons[number].span[0] <= start]
    number = (within or own or [0])[-1 if within else 0]
    return number, meant(turns, lessons[number])[0]


def _moved(turn: ReadTurn, span: tuple[int, int]) -> tuple[int, int]:
    return span[0] + turn.shift, span[1] + turn.shift


def _stretch(
    turns: Sequence[ReadTurn], firsts: Sequence[int], placed: Sequence[tuple[int, tuple[int, int] | None]]
) -> PieceStretches:
    """Which rows of all pieces, one turn after the other, lie in each stretch."""
    found = [np.zeros(0, np.intp) if span is None else turns[at].rows(span) + firsts[at] for at, span in placed]
    rows = np.concatenate(found) if found else np.zeros(0, np.intp)
    return PieceStretches(torch.from_numpy(rows.astype(np.int64)), torch.tensor([len(each) for each in found]))


def _people(
    turns: Sequence[ReadTurn],
    firsts: Sequence[int],
    lessons: Sequence[SentenceLesson],
    found: Sequence[Sequence[Person]],
) -> tuple[PieceStretches, torch.Tensor, list[int]]:
    """Of all candidates, one sentence after the other: their names' pieces, how they come up, how many there are."""
    listed = [(lesson, person) for lesson, own in zip(lessons, found, strict=True) for person in own]
    names = _stretch(turns, firsts, [(lesson.turn, person.span) for lesson, person in listed])
    coming = _rows([ways(turns[lesson.turn], lesson.span, person) for lesson, person in listed])
    return names, coming, [len(own) for own in found]


def _rows(rows: Sequence[np.ndarray]) -> torch.Tensor:
    return torch.from_numpy(np.stack(rows)) if rows else torch.zeros(0, 1)
