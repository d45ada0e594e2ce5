"""Fit the weights of memory/retrieval/weighting.py, and print what they are worth.

    python -m bench.fit_fusion WORLDS [DATA.jsonl.gz...] [--encoder KIND] [--conversations N] [--cache FOLDER]

Runs the retrieval of Memoray in process (columns, encoder, legs, features; no server) on the invented worlds of a
folder that the encoder was not taught (`bench.unseen_worlds.LEFT_OUT`), and on data files of the shape of
`bench.conversations`. It is fitted to worlds alone; data files are tests. The weights in the repository are older: they
were fitted to LoCoMo (Maharana et al. 2024), BEAM 100K and QMSum, and three of them chosen anew by these and by worlds
left out; docs/decisions/0077 has the figures of both, and why. No facts are read here; with them more is found, and
`hot` and `alone` were chosen with them (docs/decisions/0029).

Fit: listwise softmax over the candidates of each question, gold mass spread evenly over its gold turns, L2 on
standardised weights. Printed are rank fusion, the weights in the repository, and the fit: each author's worlds by one
without them, data files by one to all worlds.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import gettempdir

import numpy as np
from numpy.typing import NDArray

from bench.conversations import UNDATED, Conversation, read
from bench.conversations import GoldQuestion as Question
from bench.fit_calibration import ENCODERS
from bench.metrics import SEPARATE, percentages, scores
from bench.unseen_worlds import author_of, worlds_left_out
from memory.model.ids import digest, segment_key
from memory.model.scopes import Sensitivity, View, user_scope
from memory.model.sources import ROLES
from memory.ports import Index
from memory.retrieval.batches import SegmentBatch, dense_text, local_date
from memory.retrieval.fusion import FusionRules, fuse, fused_scores
from memory.retrieval.legs import MemoryText, MemoryVectors
from memory.retrieval.pieces import Encoded, EncodedQuestion, Pieces
from memory.retrieval.query import Probe
from memory.retrieval.routing import route
from memory.retrieval.segment_index import MemoryTraits, SegmentIndex
from memory.retrieval.standing import MemoryStanding
from memory.retrieval.weighting import FEATURES, Case, features
from memory.services.recall import RecallSettings

FITTED = "worlds"
RIDGE = 0.01
FITTED_CANDIDATES = 150
"""Candidates a question, by rank fusion, that the fit looks at, beside all gold."""
UNFITTED = frozenset({"graph", "hot", "standing", "recency", "overtaken", "calendar"})
"""Features these data cannot teach: no working set, so no event whose time is known, no question asked at a meaningful
now, and few wishes."""
NOW = datetime(2026, 1, 1, tzinfo=UTC).timestamp()

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Weighed:
    """One question with its candidates: features [candidates, FEATURES], their turns, which of them are gold."""

    dataset: str
    conversation: str
    rows: Floats
    fused: Floats
    turns: NDArray[np.str_]
    gold: NDArray[np.bool_]
    wanted: tuple[str, ...]
    """All gold turns, candidates or not."""
    sources: NDArray[np.int64]
    """The session of each candidate."""
    wanted_sources: frozenset[int]
    """The sessions of the gold turns."""


def batch_of(conversation: Conversation) -> tuple[SegmentBatch, list[str]]:
    """All turns of a conversation, ten seconds apart, and their ids in the same order."""
    turns = [
        (body["source_id"], body["started_at"], order, turn)
        for body in conversation.bodies
        for order, turn in enumerate(body["segments"])
    ]
    scope = user_scope(conversation.id)
    return SegmentBatch(
        keys=np.array([segment_key(scope, source, turn["segment_id"]) for source, *_, turn in turns], np.int64),
        source=np.array([int.from_bytes(digest(scope, row[0])[:7], "big") for row in turns], np.int64),
        order=np.array([row[2] for row in turns], np.int32),
        at=np.array([row[1] + 10.0 * row[2] for row in turns], np.float64),
        known_from=np.full(len(turns), NOW),
        roles=np.array([ROLES.index(turn["role"]) for *_, turn in turns], np.int8),
        alive=np.ones(len(turns), np.bool_),
        dates=tuple(local_date(row[1], 0) if row[1] != UNDATED else "" for row in turns),
        speakers=tuple(turn["speaker"] for *_, turn in turns),
        texts=tuple(turn["text"] for *_, turn in turns),
        languages=("en",) * len(turns),
    ), [turn["segment_id"] for *_, turn in turns]


class CachedEncoder:
    """An encoder with word pieces, remembering in a folder between runs what it made of texts."""

    def __init__(self, folder: Path, kind: str = "taught") -> None:
        self._folder = folder
        self._encoder = ENCODERS[kind]()
        self.dimensions = self._encoder.dimensions
        folder.mkdir(parents=True, exist_ok=True)

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Unit vectors and word pieces of the texts."""
        name = hashlib.sha256("\x1f".join((self._encoder.name, *texts)).encode()).hexdigest()
        path = self._folder / f"{name}.npz"
        if not path.exists():
            fresh = self._encoder.encode(texts)
            np.savez(path, vectors=fresh.vectors, bits=fresh.pieces.bits, starts=fresh.pieces.starts)
        with np.load(path) as held:
            return Encoded(held["vectors"], Pieces(held["bits"], held["starts"]))

    def ask(self, text: str) -> EncodedQuestion:
        """A question's vector and word pieces."""
        return self._encoder.ask(text)


def index_of(conversation: Conversation, batch: SegmentBatch, encoder: CachedEncoder) -> SegmentIndex:
    """A segment index of these turns alone, with their vectors and word pieces."""
    segment_index, scope = SegmentIndex(encoder.dimensions), user_scope(conversation.id)
    segment_index.put(scope, Sensitivity.OPEN, batch)
    lines = [dense_text(*line) for line in zip(batch.speakers, batch.dates, batch.texts, strict=True)]
    encoded = encoder.encode(lines)
    segment_index.put_vectors(scope, batch.keys, encoded.vectors, encoded.pieces)
    return segment_index


async def ask_all(conversation: Conversation, encoder: CachedEncoder, settings: RecallSettings) -> list[Weighed]:
    """Every question of a conversation that asks for turns."""
    wanted = [question for question in conversation.questions if question.category not in SEPARATE]
    return await asked_of(conversation, wanted, encoder, settings)


async def asked_of(
    conversation: Conversation,
    wanted: Sequence[Question],
    encoder: CachedEncoder,
    settings: RecallSettings,
    standing: bool = True,
) -> list[Weighed]:
    """Each of these questions, put to a conversation; with the owner's wishes at hand, or without."""
    batch, turn_ids = batch_of(conversation)
    segment_index = index_of(conversation, batch, encoder)
    turn_of = dict(zip(batch.keys.tolist(), turn_ids, strict=True))
    source_of = dict(zip(turn_ids, batch.source.tolist(), strict=True))
    dataset = re.split(r"[\d_-]", conversation.dataset.lower())[0]
    view = View(conversation.id)
    legs: list[Index] = [MemoryText(segment_index), MemoryVectors(segment_index)]
    legs += [MemoryStanding(segment_index)] if standing else []
    weighed = []
    for question in wanted:
        asked = encoder.ask(question.text)
        probe = Probe(question.text, asked.vector, limit=settings.leg_limit)
        rankings = tuple([await leg.search(view, probe) for leg in legs])
        pool = fuse(rankings, FusionRules(), settings.pool)
        traits = await MemoryTraits(segment_index).traits(view, pool.keys, probe, settings.closely)
        case = Case(route(question.text, NOW), rankings, traits, asked, NOW)
        fused = fused_scores(rankings, traits.keys, FusionRules()).astype(np.float64)
        turns = np.array([turn_of[key] for key in traits.keys.tolist()], np.str_)
        weighed.append(
            Weighed(
                dataset,
                conversation.id,
                features(case).astype(np.float64),
                fused,
                turns,
                np.isin(turns, question.gold),
                question.gold,
                traits.source,
                frozenset(source_of[turn] for turn in question.gold if turn in source_of),
            )
        )
    return weighed


def fit(asked: Sequence[Weighed], steps: int = 200, rate: float = 0.1) -> Floats:
    """Weights that maximise the softmax likelihood of the worlds' gold, by Adam on standardised features.

    Raises ValueError without a question about a world.
    """
    known = [head(one) for one in asked if one.dataset == FITTED and one.gold.any()]
    if not known:
        raise ValueError("Weights are fitted to worlds: name their folder (training/worlds) before the data files.")
    fitted = np.array([name not in UNFITTED for name in FEATURES])
    spread = np.concatenate([one.rows for one in known]).std(axis=0)
    scale = np.where(fitted & (spread > 1e-6), 1 / np.maximum(spread, 1e-6), 0.0)
    starts = np.cumsum([0, *(len(one.rows) for one in known)])[:-1]
    counts = np.array([len(one.rows) for one in known])
    rows = np.concatenate([one.rows for one in known]) * scale
    mass = np.concatenate([one.gold / one.gold.sum() for one in known])
    solution, first, second = np.zeros((3, len(FEATURES)))
    for step in range(1, steps + 1):
        scores = rows @ solution
        scores -= np.repeat(np.maximum.reduceat(scores, starts), counts)
        likely = np.exp(scores)
        likely /= np.repeat(np.add.reduceat(likely, starts), counts)
        slope = (mass - likely) @ rows / len(known) - 2 * RIDGE * solution
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        solution += rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return solution * scale


def head(one: Weighed) -> Weighed:
    """A question with its best candidates by rank fusion, and its gold."""
    kept = np.union1d(np.argsort(-one.fused, kind="stable")[:FITTED_CANDIDATES], np.flatnonzero(one.gold))
    return replace(one, rows=one.rows[kept], fused=one.fused[kept], turns=one.turns[kept], gold=one.gold[kept])


def ranked(weights: Floats, one: Weighed) -> dict[str, float]:
    """The metrics of one question whose candidates are ordered by these scores."""
    order = np.argsort(-weights, kind="stable")
    best = one.turns[order].tolist()
    sessions = list(dict.fromkeys(one.sources[order].tolist()))[:5]
    return {
        **scores(best, one.wanted, {}),
        "session any@5": float(not one.wanted_sources.isdisjoint(sessions)),
    }


def report(name: str, asked: Sequence[Weighed], score: Callable[[Weighed], Floats]) -> None:
    """One row a data set."""
    for dataset in dict.fromkeys(one.dataset for one in asked):
        rows = [ranked(score(one), one) for one in asked if one.dataset == dataset]
        means = "  ".join(f"{name} {percent:5.1f}" for name, percent in percentages(rows).items())
        print(f"{name:<16} {dataset:<7} {len(rows):4d} questions  {means}")


def folds(asked: Sequence[Weighed]) -> dict[str, Floats]:
    """Weights for each conversation: for a world fitted without its author's, for others to all worlds."""
    author = {one.conversation: author_of(one.conversation) if one.dataset == FITTED else "" for one in asked}
    fitted = {name: fit([one for one in asked if author[one.conversation] != name]) for name in set(author.values())}
    return {conversation: fitted[name] for conversation, name in author.items()}


def told_in(path: Path) -> Sequence[Conversation]:
    """The conversations of a data file, or the worlds of a folder that the encoder was not taught."""
    return [world.conversation for world in worlds_left_out(path)] if path.is_dir() else read(path)


def asked_for(description: str | None) -> argparse.Namespace:
    """The command line of a fit: which data, how much of it, and where vectors are kept between runs."""
    arguments = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", nargs="+", type=Path)
    arguments.add_argument("--conversations", type=int, help="read only the first N of each file")
    arguments.add_argument("--encoder", choices=sorted(ENCODERS), default="taught")
    arguments.add_argument("--cache", type=Path, default=Path(gettempdir()) / "memoray-vectors")
    return arguments.parse_args()


def main() -> None:
    """Read, ask, fit, print."""
    options = asked_for(__doc__)
    encoder, settings = CachedEncoder(options.cache, options.encoder), RecallSettings()
    asked = [
        one
        for path in options.data
        for conversation in told_in(path)[: options.conversations]
        for one in asyncio.run(ask_all(conversation, encoder, settings))
    ]
    current = np.array(astuple(settings.weights))
    by_fold = folds(asked)
    report("rank fusion", asked, lambda one: one.fused)
    report("current weights", asked, lambda one: one.rows @ current)
    report("cross-validated", asked, lambda one: one.rows @ by_fold[one.conversation])
    for name, weight in zip(FEATURES, fit(asked), strict=True):
        print(f"    {name}: float = {weight:.3f}" if name not in UNFITTED else f"    {name}: set by hand")


if __name__ == "__main__":
    main()
