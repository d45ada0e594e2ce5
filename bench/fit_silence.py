"""Fit when to be silent, where to cut and how sure to be, and print what that is worth on conversations left out.

    python -m bench.fit_silence DATA.jsonl.gz... [--conversations N] [--cache FOLDER]

Asks every question of data files of the shape of `bench.conversations` in process, like `bench.fit_fusion`, with the
weights of memory/retrieval/weighting.py as they are; fit it anew whenever those change. What it prints last belongs
into memory/retrieval/silence.py and memory/retrieval/cut.py. LoCoMo's adversarial questions (they ask of one person
what another did) and BEAM's abstention questions (they ask for a detail that was never told) have no answer. QMSum has
none of that kind, and its gold are long spans, of which a reader would not want every turn: only silence heeds it.

1. Sureness: a logistic model of `memory.retrieval.silence.SIGNS`; both sets, and with and without answer, count alike.
2. Silence: the sureness below which `REFUSED` of the questions with an answer lie, all sets counting alike.
3. Relevance: a logistic model of log share and sureness, over the first `DEPTH` hits.
4. The cut: the largest share, by tempered scores, that keeps `KEPT` of recall@20. No facts are read here; with them
   scores differ more, and the share in the repository was chosen there (docs/decisions/0043).
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.conversations import LABELS, Conversation, conversation_of
from bench.fit_fusion import NOW, CachedEncoder, asked_for, batch_of, index_of
from bench.metrics import SEPARATE
from memory.model.scopes import View
from memory.retrieval.cut import CutRules, cut, log_shares, relevance
from memory.retrieval.fusion import FusionRules, fuse
from memory.retrieval.legs import MemoryText, MemoryVectors
from memory.retrieval.query import Probe
from memory.retrieval.routing import route
from memory.retrieval.segment_index import MemoryTraits
from memory.retrieval.silence import SIGNS, SilenceRules, signs
from memory.retrieval.weighting import Case, contributions
from memory.services.recall import RecallSettings

FITTED = ("locomo", "beam")
UNANSWERABLE = frozenset({"adversarial", "abstention"})
REFUSED = 0.04
"""Aimed at one in twenty-five, so that on new conversations one in twenty is not exceeded."""
KEPT = 0.955
"""A little more than the 95 % that are wanted, for the same reason."""
DEPTH = 20
BINS = 10
RIDGE = 1.0
"""On standardised signs; a fold has some 300 questions."""

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SilenceCase:
    """One question: its signs, the descending scores of all its candidates, and which of the first are evidence."""

    dataset: str
    conversation: str
    category: str
    signs: Floats
    scores: NDArray[np.float32]
    gold: Flags
    """[up to DEPTH]"""
    wanted: int
    """How many gold turns there are, found or not."""

    @property
    def answerable(self) -> bool:
        """Whether what it asks for was said."""
        return self.category not in UNANSWERABLE

    @property
    def plain(self) -> bool:
        """Whether it asks for turns, or for what is not there; not for a summary, an order or a preference."""
        return self.category not in SEPARATE - UNANSWERABLE


@dataclass(frozen=True)
class Fitted:
    """What one fit found."""

    silence: SilenceRules
    cut: CutRules


async def judged(
    conversation: Conversation,
    asked: Sequence[tuple[str, str, frozenset[str]]],
    encoder: CachedEncoder,
    settings: RecallSettings,
) -> list[SilenceCase]:
    """Every one of these questions - text, category, gold - of a conversation."""
    batch, turn_ids = batch_of(conversation)
    segment_index, view = index_of(conversation, batch, encoder), View(conversation.id)
    turn_of = dict(zip(batch.keys.tolist(), turn_ids, strict=True))
    legs, found = (MemoryText(segment_index), MemoryVectors(segment_index)), []
    for text, category, gold in asked:
        understood = encoder.ask(text)
        probe = Probe(text, understood.vector, limit=settings.leg_limit)
        rankings = tuple([await leg.search(view, probe) for leg in legs])
        pool = fuse(rankings, FusionRules(), settings.pool)
        traits = await MemoryTraits(segment_index).traits(view, pool.keys, probe, settings.closely)
        case = Case(route(text, NOW), rankings, traits, understood, NOW)
        if case.met is None:
            raise ValueError(f"{conversation.id}: nothing was read closely.")
        added = contributions(case, settings.weights).scores
        order = np.lexsort((traits.keys, -added))
        evidence = np.array([turn_of[key] in gold for key in traits.keys[order[:DEPTH]].tolist()], np.bool_)
        found.append(
            SilenceCase(
                re.split(r"[\d_-]", conversation.dataset.lower())[0],
                conversation.id,
                category,
                signs(case.plan, traits, case.met.alone).astype(np.float64),
                added[order],
                evidence & (category not in UNANSWERABLE),
                len(gold),
            )
        )
    return found


def asked_in(path: Path) -> Iterator[tuple[Conversation, list[tuple[str, str, frozenset[str]]]]]:
    """Conversations with their questions, those without gold among them if they are meant to have none."""
    packed = path.read_bytes()
    lines = (gzip.decompress(packed) if path.suffix == ".gz" else packed).decode().strip().split("\n")
    for row in map(json.loads, lines):
        asked = [
            (each["question"], each["category"], frozenset(each[LABELS[0]]))
            for each in row["questions"]
            if each[LABELS[0]] or each["category"] in UNANSWERABLE
        ]
        yield conversation_of(row, LABELS[0]), asked


def logistic(rows: Floats, truth: Flags, weight: Floats, ridge: float = RIDGE) -> Floats:
    """Coefficients, the constant last, of the most likely logistic model, by Newton's steps."""
    mean, spread = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-9)
    design = np.column_stack(((rows - mean) / spread, np.ones(len(rows))))
    penalty = np.diag([*[ridge] * rows.shape[1], 1e-6])
    found = np.zeros(design.shape[1])
    for _ in range(30):
        likely = 1 / (1 + np.exp(-design @ found))
        slope = design.T @ (weight * (likely - truth)) + penalty @ found
        found -= np.linalg.solve((design.T * (weight * likely * (1 - likely))) @ design + penalty, slope)
    worth = found[:-1] / spread
    return np.append(worth, found[-1] - worth @ mean)


def even(groups: Sequence[object], total: float = 200.0) -> Floats:
    """Weights with which each group counts as `total` in all."""
    _, number = np.unique([str(group) for group in groups], return_inverse=True)
    share: Floats = total / np.bincount(number)[number]
    return share


def fit(asked: Sequence[SilenceCase]) -> Fitted:
    """Everything, from the questions of the fitted sets among these."""
    known = [one for one in asked if one.dataset in FITTED]
    rows = np.array([one.signs for one in known])
    found = logistic(
        rows, np.array([one.answerable for one in known]), even([(one.dataset, one.answerable) for one in known])
    )
    usual = -float((rows @ found[:-1]).mean())
    sure = {id(one): float(one.signs @ found[:-1]) + usual for one in known}
    spoken = [one for one in asked if one.answerable and one.plain]
    least = lowest(
        [float(one.signs @ found[:-1]) + usual for one in spoken], even([one.dataset for one in spoken]), REFUSED
    )
    silence = SilenceRules(
        **dict(zip(SIGNS, found[:-1].round(2).tolist(), strict=True)), usual=round(usual, 2), least=round(least, 2)
    )
    hits = [
        (
            one,
            np.column_stack(
                (log_shares(one.scores[: len(one.gold)], one.scores), np.full(len(one.gold), sure[id(one)]))
            ),
        )
        for one in known
        if one.plain
    ]
    odds = logistic(
        np.concatenate([each for _, each in hits]),
        np.concatenate([one.gold for one, _ in hits]),
        even([one.dataset for one, each in hits for _ in each], 2000.0),
    )
    steep, counts, always = odds.round(2).tolist()
    told = [one for one in spoken if one.dataset in FITTED]
    return Fitted(silence, CutRules(largest_share(told), even=always, steep=steep, sure=counts))


def lowest(values: Sequence[float], weight: Floats, share: float) -> float:
    """The value below which that share of the weight lies."""
    order = np.argsort(values)
    reached = np.cumsum(weight[order]) / weight.sum()
    return float(np.array(values)[order][np.searchsorted(reached, share)])


def largest_share(asked: Sequence[SilenceCase]) -> float:
    """The share that cuts most and yet keeps `KEPT` of what the first twenty hold; all questions count alike."""
    shares = np.arange(0.04, 0.001, -0.0005).round(4).tolist()
    return next((share for share in shares if kept(asked, CutRules(share))[0] >= KEPT), 0.0)


def kept(asked: Sequence[SilenceCase], rules: CutRules) -> tuple[float, float]:
    """The share of recall@20 that the cut leaves, and how many results."""
    counts = [min(DEPTH, cut(one.scores, "auto", rules)) for one in asked]
    left = sum(one.gold[:count].sum() / one.wanted for one, count in zip(asked, counts, strict=True))
    return float(left / sum(one.gold.sum() / one.wanted for one in asked)), float(np.mean(counts))


def sureness_of(one: SilenceCase, rules: SilenceRules) -> float:
    """As `memory.retrieval.silence.sureness`, from signs already read."""
    return float(one.signs @ np.array(astuple(rules)[: len(SIGNS)])) + rules.usual


def auc(higher: Floats, lower: Floats) -> float:
    """How often one of the first lies above one of the second; ties are half."""
    return float((np.sign(higher[:, None] - lower) + 1).mean() / 2)


def calibration(likely: Floats, truth: Flags) -> tuple[float, list[tuple[float, float, int]]]:
    """The expected calibration error, and of each tenth: mean probability, share of evidence, how many hits."""
    bins = np.minimum((likely * BINS).astype(np.int64), BINS - 1)
    rows = [
        (float(likely[bins == each].mean()), float(truth[bins == each].mean()), int((bins == each).sum()))
        for each in np.unique(bins)
    ]
    return sum(abs(told - true) * count for told, true, count in rows) / len(likely), rows


Chosen = Callable[[SilenceCase], Fitted]


def report(name: str, asked: Sequence[SilenceCase], chosen: Chosen) -> None:
    """What one set's questions show, each judged by the fit chosen for it."""
    sure = np.array([sureness_of(one, chosen(one).silence) for one in asked])
    refused = sure < np.array([chosen(one).silence.least for one in asked])
    answerable, plain = (np.array([getattr(one, each) for one in asked]) for each in ("answerable", "plain"))
    print(f"{name}: {(answerable & plain).sum()} questions with an answer, {(~answerable).sum()} without")
    if not answerable.all():
        least = f"AUC {100 * auc(sure[answerable & plain], sure[~answerable]):.1f}"
        print(f"  recognised: {least}; refused {100 * refused[~answerable].mean():.1f} %")
    print(f"  wrongly refused {100 * refused[answerable & plain].mean():.1f} %", end="")
    rest = answerable & ~plain
    print(f", of summaries, orders, preferences {100 * refused[rest].mean():.1f} %" if rest.any() else "")
    found = [one for one in asked if one.answerable and one.plain]
    counts = np.array([min(DEPTH, cut(one.scores, "auto", chosen(one).cut)) for one in found])
    left = sum(one.gold[:count].sum() / one.wanted for one, count in zip(found, counts, strict=True))
    whole = sum(one.gold.sum() / one.wanted for one in found)
    print(
        f"  cut: {counts.mean():.1f} results, {100 * left / whole:.1f} % of recall@20 ({100 * whole / len(found):.1f})"
    )
    told = [
        (relevance(one.scores[: len(one.gold)], one.scores, each, chosen(one).cut), one.gold)
        for one, each in zip(asked, sure.tolist(), strict=True)
        if one.plain
    ]
    likely = np.concatenate([each for each, _ in told]).astype(np.float64)
    error, rows = calibration(likely, np.concatenate([gold for _, gold in told]))
    print(f"  relevance: ECE {100 * error:.1f} % over the first {DEPTH} of {len(told)} questions")
    print("  " + "  ".join(f"{told:.2f}:{true:.2f} ({count})" for told, true, count in rows))


def folds(asked: Sequence[SilenceCase]) -> dict[str, Fitted]:
    """A fit for each conversation, made without it (meetings are left out in thirds)."""
    names = dict.fromkeys(one.conversation for one in asked)
    alone = {one.conversation for one in asked if one.dataset in FITTED}
    fold = {name: name if name in alone else f"a third/{place % 3}" for place, name in enumerate(names)}
    fitted = {
        left_out: fit([one for one in asked if fold[one.conversation] != left_out]) for left_out in set(fold.values())
    }
    return {name: fitted[left_out] for name, left_out in fold.items()}


def tell(asked: Sequence[SilenceCase], chosen: Chosen) -> None:
    """Every set, and those that were fitted to together."""
    for name in dict.fromkeys(one.dataset for one in asked):
        report(name, [one for one in asked if one.dataset == name], chosen)
    report(" and ".join(FITTED), [one for one in asked if one.dataset in FITTED], chosen)


def main() -> None:
    """Read, ask, fit, print."""
    options = asked_for(__doc__)
    encoder, settings = CachedEncoder(options.cache, options.encoder), RecallSettings()
    asked = [
        one
        for path in options.data
        for conversation, questions in list(asked_in(path))[: options.conversations]
        for one in asyncio.run(judged(conversation, questions, encoder, settings))
    ]
    without = folds(asked)
    print("Each conversation judged by a fit without it:")
    tell(asked, lambda one: without[one.conversation])
    for conversation in dict.fromkeys(one.conversation for one in asked if one.dataset == "locomo"):
        report(
            conversation,
            [one for one in asked if one.conversation == conversation],
            lambda one: without[one.conversation],
        )
    current, whole = Fitted(settings.silence, settings.cut), fit(asked)
    print("Each judged by the numbers in the repository:")
    tell(asked, lambda _: current)
    print(f"Fitted to all:\n  {whole.silence}\n  {whole.cut}")


if __name__ == "__main__":
    main()
