"""Questions about invented worlds beside the best that the product finds for them: what verdicts are taught on.

Each question is asked in process, like `bench.fit_fusion` asks: text, vectors and wishes at hand, no facts. A question
that has an answer is asked once more of a memory without its evidence. Those who write questions without an answer
write them in their own way; that way alone tells nothing of a question that is asked with and without.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.fit_fusion import NOW, CachedEncoder, batch_of, index_of
from bench.unseen_worlds import UnseenWorld, author_of, worlds
from memory.model.scopes import View
from memory.ports import Index
from memory.retrieval.fusion import FusionRules, fuse
from memory.retrieval.legs import MemoryText, MemoryVectors
from memory.retrieval.named_later import named_later
from memory.retrieval.query import Probe
from memory.retrieval.routing import route
from memory.retrieval.segment_index import MemoryTraits, SegmentIndex
from memory.retrieval.silence import sureness
from memory.retrieval.standing import MemoryStanding
from memory.retrieval.verdicts import JUDGED, CloseLook, read
from memory.retrieval.weighting import Case, contributions
from memory.services.recall import RecallSettings

UNANSWERABLE = "abstention"


@dataclass(frozen=True, eq=False)
class AnswerCase:
    """One question with its best results, by the order in which the product finds them."""

    name: str
    """Of the world."""
    author: str
    world: str
    """Its kind: friends, family, assistant, work, memos."""
    category: str
    seen: CloseLook
    """Its `turns` are empty: they stand packed in `bits`."""
    bits: NDArray[np.uint8]
    gold: NDArray[np.bool_]
    """[results] Which are evidence."""
    wanted: int
    """How many turns are evidence, found or not."""
    sureness: float
    """What the sign of silence that came before says."""
    taken: bool
    """Whether its evidence was taken out of the memory."""

    @property
    def answerable(self) -> bool:
        """Whether what it asks for was said."""
        return self.category != UNANSWERABLE and not self.taken


def cases(
    folder: Path, cache: Path, kept: Path, results: int = JUDGED, without: Collection[str] = ()
) -> list[AnswerCase]:
    """Those of the worlds of a folder, without those of some authors.

    Each world's are kept in a file below `kept`, vectors below `cache`.
    """
    encoder, found = CachedEncoder(cache), list[AnswerCase]()
    kept.mkdir(parents=True, exist_ok=True)
    for world in worlds(folder):
        if author_of(world.conversation.id) in without:
            continue
        path = kept / f"{world.conversation.id}-{results}.pickle"
        if not path.exists():
            path.write_bytes(pickle.dumps(asked_of(world, encoder, results)))
        found += pickle.loads(path.read_bytes())
    return found


def asked_of(world: UnseenWorld, encoder: CachedEncoder, results: int = JUDGED) -> list[AnswerCase]:
    """Every question of a world, and those that have an answer once more without their evidence."""
    return asyncio.run(_asked(world, encoder, RecallSettings(), results))


async def _asked(
    world: UnseenWorld, encoder: CachedEncoder, settings: RecallSettings, results: int
) -> list[AnswerCase]:
    batch, turn_ids = batch_of(world.conversation)
    name = world.conversation.id
    segment_index, view = index_of(world.conversation, batch, encoder), View(name)
    key_of = dict(zip(turn_ids, batch.keys.tolist(), strict=True))
    found = list[AnswerCase]()
    for question in world.asked:
        case = await _case(question.text, segment_index, view, encoder, settings)
        gold = np.isin(case.traits.keys, [key_of[turn] for turn in question.gold if turn in key_of])
        scores = contributions(case, settings.weights).scores
        for without in (False, True) if gold.any() else (False,):
            seen = _seen(question.text, case, np.where(gold & without, -np.inf, scores), gold & without, results)
            if seen is not None:
                best, reading, bits = seen
                said = gold[best] & (not without)
                told = (reading, bits, said, len(question.gold), sureness(case, settings.silence), without)
                found.append(AnswerCase(name, author_of(name), world.kind, question.category, *told))
    return found


async def _case(
    text: str, segment_index: SegmentIndex, view: View, encoder: CachedEncoder, settings: RecallSettings
) -> Case:
    """A question with its candidates."""
    legs: list[Index] = [MemoryText(segment_index), MemoryVectors(segment_index), MemoryStanding(segment_index)]
    asked = encoder.ask(text)
    probe = Probe(text, asked.vector, limit=settings.leg_limit)
    rankings = tuple([await leg.search(view, probe) for leg in legs])
    pool = fuse(rankings, FusionRules(), settings.pool)
    traits = await MemoryTraits(segment_index).traits(view, pool.keys, probe, settings.closely)
    return Case(route(text, NOW), rankings, traits, asked, NOW)


def _seen(
    text: str, case: Case, scores: NDArray[np.float32], taken: NDArray[np.bool_], results: int
) -> tuple[NDArray[np.int64], CloseLook, NDArray[np.uint8]] | None:
    """The rows that are judged, what there is to see of them, and their pieces; None where that is nothing."""
    near = case.traits.near
    if near is None:
        return None
    best = np.lexsort((case.traits.keys, -scores))
    best = best[np.isfinite(scores[best])]
    best = np.concatenate((best[:results], named_later(case.traits, best[:results], best[results:])))
    seen = read(text, case, best, scores, near.around[taken, 0])
    if seen is None:
        return None
    bits = np.packbits(seen.turns > 0, axis=1)
    return best, replace(seen, turns=np.zeros((0, seen.turns.shape[1]), np.float32)), bits


def pieces_of(case: AnswerCase) -> NDArray[np.float32]:
    """[pieces, dimensions] What was packed."""
    dimensions = case.seen.turns.shape[1]
    turns = np.unpackbits(case.bits, axis=1, count=dimensions).astype(np.float32)
    return (2 * turns - 1) / np.float32(dimensions**0.5)
