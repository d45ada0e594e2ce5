"""Assembles the context of an answer: hits, facts about them and neighbouring segments as one text within a budget."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo

from memory.model.timeline import Clock, Instant
from memory.retrieval.assembly import Assembled, ContextLine, Material, assemble
from memory.services.answer import numbered, said_by, spoken
from memory.services.hits import SegmentHit
from memory.services.known import KnownFact, holds, standing, with_change, with_end
from memory.services.overview import Overview, Place, place_in
from memory.services.quoting import clock_of, day_of, place_of
from memory.words.cleaning import called, harmless

TOLD_TOGETHER = 3
"""Facts of one subject on a line of a profile (chosen: one more line is about as long as the words that lead it)."""


@dataclass(frozen=True, slots=True)
class SurroundingFact:
    """A fact about the hits: its subject and object, and the ids of facts that dispute it."""

    fact: KnownFact
    subject: str
    subject_type: str
    disputes: tuple[str, ...] = ()


def context_of(
    hits: Sequence[SegmentHit],
    notes: Sequence[SurroundingFact],
    turns: Sequence[SegmentHit],
    budget: int,
    as_of: Instant | None = None,
    overview: Overview | None = None,
    home: tzinfo = UTC,
) -> Assembled:
    """The text, best hits and most important notes first; `[n]` in it is the nth hit, `turns` are those around them.

    The facts the hits carry are told with what holds now (or `as_of`), since when and what was so before, or with both
    sides where they are disputed; other notes make the profiles of whom they speak of. An `overview` that answers the
    question comes before these, without what is told already. `home` is where the owner lives.
    """
    facts = [note.fact for note in notes]
    told = _told(hits, notes, facts, as_of, home)
    seen = () if overview is None else tuple(_overview(overview, told, hits))
    known = {*told, *(fact.statement for fact, _ in (() if overview is None else overview.facts))}
    others = [note for note in notes if note.fact.statement not in known and holds(note.fact, as_of)]
    return assemble(
        Material(
            facts=tuple(dict.fromkeys(told.values())),
            profiles=(*seen, *_profiles(others, facts, home)),
            times=tuple(ContextLine(spoken(turn), at=turn.at) for turn in turns),
            evidence=tuple(_evidence(hits)),
        ),
        budget,
    )


def _overview(overview: Overview, told: Collection[str], hits: Sequence[SegmentHit]) -> Iterator[ContextLine]:
    """Its facts, what it quotes and its storylines, a line each, with the numbers of hits and places of other words."""
    numbers = {place_in(hit): number for number, hit in enumerate(hits, 1)}
    for fact, said in overview.facts:
        if fact.statement not in told:
            over = "" if holds(fact) else "No longer: "
            yield _resting(f"{over}{harmless(fact.statement)}", () if said is None else (said,), numbers)
    for hit in overview.quoted:
        if place_in(hit) not in numbers:
            yield _resting(spoken(hit), (hit,), numbers, dated=False)
    for each in overview.storylines:
        for line in each.lines:
            yield _resting(f"{called(each.around)}: {harmless(line.text)}", line.said, numbers)


def _resting(
    words: str, said: Sequence[SegmentHit], numbers: Mapping[Place, int], *, dated: bool = True
) -> ContextLine:
    """Words, and where that was said: hits by their numbers, other segments by day and place."""
    cites = tuple(numbers[place_in(hit)] for hit in said if place_in(hit) in numbers)
    others = [hit for hit in said if place_in(hit) not in numbers]
    places = ", ".join(f"{f'{day_of(hit.at, hit.offset_s)} ' if dated else ''}{place_of(hit)}" for hit in others)
    marks = "".join(f"[{number}]" for number in cites)
    return ContextLine(f"- {words}{f' {marks}' if marks else ''}{f' - {places}' if places else ''}", cites)


def _evidence(hits: Sequence[SegmentHit]) -> Iterator[ContextLine]:
    for number, (hit, line) in enumerate(zip(hits, numbered(hits), strict=True), 1):
        yield ContextLine(line, (number,), number, head=len(f"[{number}] {said_by(hit)}"))


def _told(
    hits: Sequence[SegmentHit],
    notes: Sequence[SurroundingFact],
    facts: Sequence[KnownFact],
    as_of: Instant | None,
    home: tzinfo,
) -> dict[str, ContextLine]:
    """Statement -> its line of text, in the order of the hits; both sides of a dispute share one line."""
    by_id = {note.fact.fact_id: note for note in notes}
    told: dict[str, ContextLine] = {}
    for hit in hits:
        for note in (by_id[fact_id] for fact_id in hit.fact_ids if fact_id in by_id):
            against = [by_id[each].fact for each in note.disputes if each in by_id and holds(by_id[each].fact, as_of)]
            if note.fact.statement in told:
                continue
            if against and holds(note.fact, as_of):
                sides = [note.fact, *against]
                told |= dict.fromkeys((side.statement for side in sides), _disputed(sides, hits))
            else:
                for statement, piece in _alone(note.fact, facts, hits, clock_of(hit, home), as_of):
                    told.setdefault(statement, piece)
    return told


def _alone(
    fact: KnownFact, facts: Sequence[KnownFact], hits: Sequence[SegmentHit], clock: Clock, as_of: Instant | None
) -> Iterator[tuple[str, ContextLine]]:
    """What holds now and what held before, or else when it ended; empty for what was withdrawn or is yet to come."""
    now = standing(fact, facts, as_of)
    if now is not None:
        yield now.statement, _cited(with_change(now, facts, clock), (fact.fact_id, now.fact_id), hits)
        return
    ahead = as_of is not None and fact.valid_from is not None and fact.valid_from > as_of
    if not ahead and fact.status in ("active", "superseded"):
        yield fact.statement, _cited(with_end(fact, clock), (fact.fact_id,), hits)


def _disputed(sides: Sequence[KnownFact], hits: Sequence[SegmentHit]) -> ContextLine:
    pieces = [_cited(side.statement, (side.fact_id,), hits) for side in sides]
    text = "; but also: ".join(piece.text.removeprefix("- ") for piece in pieces)
    return ContextLine(f"- Disputed: {text}", tuple(number for piece in pieces for number in piece.cites))


def _cited(words: str, fact_ids: Sequence[str], hits: Sequence[SegmentHit]) -> ContextLine:
    numbers = tuple(number for number, hit in enumerate(hits, 1) if set(fact_ids) & set(hit.fact_ids))
    return ContextLine(
        f"- {harmless(words)}{' ' if numbers else ''}{''.join(f'[{number}]' for number in numbers)}", numbers
    )


def _profiles(notes: Sequence[SurroundingFact], facts: Sequence[KnownFact], home: tzinfo) -> Iterator[ContextLine]:
    """A few facts of one subject a line, subjects as they come."""
    of: dict[tuple[str, str], list[str]] = {}
    for note in notes:
        words = with_change(note.fact, facts, home).removeprefix(f"{note.subject} ")
        of.setdefault((note.subject, note.subject_type), []).append(words)
    for (subject, kind), said in of.items():
        for start in range(0, len(said), TOLD_TOGETHER):
            yield ContextLine(
                f"- {called(subject)} ({kind}): {harmless('; '.join(said[start : start + TOLD_TOGETHER]))}"
            )
