"""What is listed of the promises of worlds: by the rules alone, by the taught head alone, and by both.

    python -m training.promise_scores HEAD [--sealed]

A promise is found where its turn is listed under who made it. Promises are those that claims name and, but for sealed
worlds, those that `training/promises.txt` adds; turns of which readers differ count neither way.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from adapters.embedding.minilm import MiniLm, TaughtMiniLmEmbedder
from adapters.extraction.promise_head import PromiseHead, load_head
from adapters.extraction.rules import read
from adapters.extraction.taught_promises import marked
from bench.reading_worlds import CHOSEN_ON, SEALED, ReadingWorld, reading_worlds
from memory.model.claims import Utterance
from training.promise_lessons import Notes, lessons_of, noted
from training.talk import WORLDS

BATCH, LEAD = 16, 4
"""Turns read at once, and those before them that are read again, as in `memory.services.extract`."""
WAYS = ("rules", "head", "both")
Turn = tuple[str, str]
"""World and turn."""


def listed(world: ReadingWorld, head: PromiseHead, encoder: MiniLm, spent: dict[str, float]) -> dict[str, set[Turn]]:
    """Way -> the turns listed; CPU seconds are added to `spent`."""
    found: dict[str, set[Turn]] = {way: set() for way in WAYS}
    for batch in (batch for session in world.sessions for batch in _batches(session)):
        turns = {each.segment_key: (world.name, each.segment_id) for each in batch}
        began = time.process_time()
        told = marked(batch, head, encoder)
        between = time.process_time()
        found["rules"] |= set(_turns(batch, turns))
        spent["rules"] += time.process_time() - between
        spent["head"] += between - began
        found["both"] |= set(_turns(told, turns))
        found["head"] |= {turns[each.segment_key] for each in told if any(so for _, so in each.promises)}
    spent["turns"] += len(world.turns)
    return found


def _batches(session: Sequence[Utterance]) -> Iterator[tuple[Utterance, ...]]:
    for start in range(0, len(session), BATCH):
        lead = (replace(each, context_only=True) for each in session[max(0, start - LEAD) : start])
        yield (*lead, *session[start : start + BATCH])


def _turns(utterances: Sequence[Utterance], turns: dict[int, Turn]) -> Iterator[Turn]:
    speakers = {each.segment_key: each.speaker for each in utterances}
    for seen in read(utterances).sightings:
        if seen.type == "promise" and seen.properties["by"] == speakers[seen.segment_key]:
            yield turns[seen.segment_key]


def promised(world: ReadingWorld, notes: Notes) -> tuple[set[Turn], set[Turn], set[Turn]]:
    """The turns in which something is promised, those of them that claims name, and those that do not count."""
    every: set[Turn] = set()
    named: set[Turn] = set()
    unsure: set[Turn] = set()
    for lesson in lessons_of(world, notes):
        turn = world.name, lesson.utterance.segment_id
        every |= {turn} if lesson.promise and lesson.weight else set()
        named |= {turn} if lesson.named else set()
        unsure |= set() if lesson.weight else {turn}
    return every, named, unsure - every


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table: by way and kind of world, then what a turn costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("head", type=Path)
    parser.add_argument("--sealed", action="store_true", help="the sealed authors, and not those for cuts")
    options = parser.parse_args(arguments)
    head, encoder, notes = load_head(options.head), TaughtMiniLmEmbedder(), noted()
    spent = dict.fromkeys(("rules", "head", "turns"), 0.0)
    counts: dict[tuple[str, str], Counter[str]] = {}
    for world in reading_worlds(WORLDS, SEALED if options.sealed else CHOSEN_ON):
        every, named, unsure = promised(world, notes)
        for way, turns in listed(world, head, encoder, spent).items():
            for kind in (world.kind, *(("German",) if world.languages[0] == "de" else ()), "all"):
                told = counts.setdefault((kind, way), Counter())
                told.update(promises=len(every), named=len(named), listed=len(turns - unsure))
                told.update(right=len(turns & every), claimed=len(turns & named))
    print("\n".join(_rows(counts)))
    costs = (f"{1000 * spent[way] / spent['turns']:.2f} ms a turn by the {way}" for way in WAYS[:2])
    print(", ".join(costs))
    return 0


def _rows(counts: dict[tuple[str, str], Counter[str]]) -> Iterable[str]:
    for (kind, way), told in sorted(counts.items()):
        right, promises, shown = told["right"], told["promises"], told["listed"]
        yield (
            f"{kind:10} {way:6} found {right} of {promises} ({100 * right / max(1, promises):.0f} %), of claims "
            f"{told['claimed']} of {told['named']} ({100 * told['claimed'] / max(1, told['named']):.0f} %), "
            f"right {right} of {shown} ({100 * right / max(1, shown):.0f} %)"
        )


if __name__ == "__main__":
    raise SystemExit(main())
