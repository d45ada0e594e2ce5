"""Verdicts: does this turn answer the question, and does any? Told by weights that were taught on invented worlds.

Late interaction says how well the words of a question are met. Whether what meets them answers is another thing: "the
cats were too much" meets "how many cats do I have?", and "two of them, both ginger" beside it answers. So each word of
the question looks at the words of a turn and of those beside it once more, through weights of its own (attention, with
one layer and six heads), and what it sees is weighed together with signs that are at hand: by how much the turn leads,
which words nobody meets, who speaks, and what kind of thing is asked for. Then results are weighed beside each other:
what is said later of the same matter takes from what was said before. Nothing is encoded for it.

`training/answers.py` teaches the weights; docs/decisions/0118 and 0128 have what they are worth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.model.sources import ROLES
from memory.retrieval.compared import compared
from memory.retrieval.cut import log_shares
from memory.retrieval.late_interaction import HALVING_LENGTH, LENT, MET
from memory.retrieval.pieces import EncodedQuestion
from memory.retrieval.silence import signs
from memory.retrieval.weighting import Case
from memory.words.questions import Form, form_of

Floats = NDArray[np.float32]

JUDGED = 10
"""Results that are judged, the best ones: as many as may lead an answer (deployments/use_cases/answers.py)."""
AROUND = 3
"""Turns that are looked at: itself, the one before, the one after."""
MOST_ODDS = 6.0
"""Log-odds beyond which results are not told apart when they are weighed beside each other."""
FORMS: tuple[Form, ...] = ("who", "where", "when", "name", "age")


@dataclass(frozen=True, slots=True, eq=False)
class CloseLook:
    """What is looked at: a question beside its best results."""

    asked: EncodedQuestion
    turns: Floats
    """[pieces, dimensions] The pieces of the results and of the turns beside them, each turn once: +-1 / sqrt(d)."""
    starts: NDArray[np.int64]
    """[turns + 1] Turn i has turns[starts[i]:starts[i + 1]]."""
    around: NDArray[np.int64]
    """[results, AROUND] Turns; -1 where none is in sight."""
    vectors: Floats
    """[results, dimensions] Pooled vectors."""
    cosines: Floats
    """[question's pieces, pieces]"""
    met: Floats
    """[2, results, question's pieces] The best cosine in the turn itself, and in it or, at a discount, beside it."""
    rarity: Floats
    """[question's pieces] Their shares in late interaction, 1 in all."""
    signs: Floats
    """[results, SIGNS]"""
    others: Floats
    """[results, results, BESIDE] What the others are beside each (`memory.retrieval.compared`)."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """Log-odds, as if every second question had no answer: so it was while they were taught."""

    each: Floats
    """[results] That this turn is evidence, against no turn being it."""
    answered: float
    """That any of them is."""


@dataclass(frozen=True, slots=True, eq=False)
class VerdictWeights:
    """What was taught. H heads of d coordinates each, D dimensions of the encoder, S signs, M hidden units."""

    mean: Floats
    """[S] and `spread` [S]: of the signs that it was taught with."""
    spread: Floats
    asked: Floats
    """[D, H d] What a word of the question looks for; `asked_whole`, with a last row that is added, its vector."""
    asked_whole: Floats
    shown: Floats
    """[D, H d] By what a word of a turn is found; `shown_whole` its pooled vector."""
    shown_whole: Floats
    told: Floats
    """[D, H d] What a word of a turn then tells; `told_whole` its pooled vector."""
    told_whole: Floats
    beside: Floats
    """[AROUND, H] Added where a word stands in the turn itself, before or after it."""
    likeness: Floats
    """[H] What a cosine counts beside what is looked for."""
    word: Floats
    """[3 H d + 5, M] What one word of the question has seen, with a last row that is added; `weight` [M + 1, 1]: how
    much the word counts."""
    weight: Floats
    first: Floats
    """[S + 2 M + 1, ...] Layers that weigh what all words have seen with the signs; last rows are added."""
    second: Floats
    last: Floats
    compared: Floats
    """[BESIDE + 2 N + 3, C] What a result is in the light of another, N the width of `second`; `moved`
    [N + 2 C + 2, K] and `by` [K + 1, 1]: by how much all the others together move its odds."""
    moved: Floats
    by: Floats
    plain: Floats
    """[S + 1, 1] What the signs count by themselves."""
    nothing: Floats
    """[S + 1, 1] That none of them answers, by the signs of the best result."""


def read(
    text: str, case: Case, best: NDArray[np.int64], scores: Floats, hidden: NDArray[np.int64] | None = None
) -> CloseLook | None:
    """What there is to look at of these candidates, best first; None where turns cannot be read closely.

    `scores` are those of all candidates. Turns of `hidden` (rows of `case.traits.near.turns`) are out of sight.
    """
    near, asked, vectors = case.traits.near, case.asked, case.traits.vectors
    if asked is None or near is None or case.met is None or not case.closely or not vectors.size or not len(best):
        return None
    around = near.around[best, :AROUND]
    if hidden is not None:
        around = np.where(np.isin(around, hidden), -1, around)
    seen, place = np.unique(around, return_inverse=True)
    missing = int(seen[0] < 0)
    kept = near.turns.take(seen[missing:])
    dimensions = len(asked.vector)
    turns = np.unpackbits(kept.bits, axis=1, count=dimensions).astype(np.float32)
    turns = (2 * turns - 1) / np.float32(dimensions**0.5)
    around = place.reshape(around.shape) - missing
    cosines = asked.pieces @ turns.T
    met = _met(cosines, kept.starts)
    lent = _lent(met, around, near.lengths[seen[missing:]])
    rarity = case.met.rarity
    own = np.where(around[:, :1] >= 0, met[around[:, 0]], np.float32(-1))
    columns = (_places(best, scores), _meetings(asked, vectors[best], own, lent, rarity), _kinds(text, case, best))
    told = np.column_stack(columns).astype(np.float32)
    said = [turns[kept.starts[row] : kept.starts[row + 1]] if row >= 0 else turns[:0] for row in around[:, 0]]
    others, both = compared(case.traits, best, own, rarity, said), np.stack((own, lent))
    return CloseLook(asked, turns, kept.starts, around, vectors[best], cosines, both, rarity, told, others)


def _met(cosines: Floats, starts: NDArray[np.int64]) -> Floats:
    """[turns, question's pieces] The best cosine in each turn, -1 where it has no piece."""
    counts = starts[1:] - starts[:-1]
    best = np.full((len(counts), len(cosines)), -1, np.float32)
    known = np.flatnonzero(counts)
    if len(known):
        best[known] = np.maximum.reduceat(cosines, starts[known], axis=1).T
    return best


def _lent(met: Floats, around: NDArray[np.int64], lengths: NDArray[np.int32]) -> Floats:
    """[results, question's pieces] As `memory.retrieval.late_interaction` lends, by the turns that are in sight."""
    damping = (1 + lengths / HALVING_LENGTH) ** -0.5
    shares = LENT[:AROUND] * damping[around[:, :1]] * damping[around]
    shares[:, 0] = 1
    lent = np.where((around >= 0)[:, :, None], met[around] * shares[:, :, None].astype(np.float32), np.float32(-1))
    most: Floats = lent.max(axis=1)
    return most


def _places(best: NDArray[np.int64], scores: Floats) -> Floats:
    """[results, 4] Share of the whole, rank, how far below the best, how far above the next."""
    held = scores[best]
    ahead = np.append(held[:-1] - held[1:], 0)
    return np.column_stack((log_shares(held, scores), np.log1p(np.arange(len(best))), held - held[0], ahead))


def _meetings(asked: EncodedQuestion, vectors: Floats, own: Floats, lent: Floats, rarity: Floats) -> Floats:
    """[results, 9] How well the question is met: all of it, its least met and its rarest word, and how many are."""
    rarest = rarity.argmax()
    return np.column_stack(
        (
            own @ rarity,
            lent @ rarity,
            vectors @ asked.vector,
            own.min(axis=1),
            lent.min(axis=1),
            own[:, rarest],
            lent[:, rarest],
            (own > MET).mean(axis=1),
            (lent > MET).mean(axis=1),
        )
    )


def _kinds(text: str, case: Case, best: NDArray[np.int64]) -> Floats:
    """[results, 20] Who speaks and who is asked about, and what kind of thing is asked for and is there."""
    plan, traits = case.plan, case.traits
    named, form = plan.named(traits.speakers), form_of(text)
    about = np.isin(traits.speaker[best], list(named))
    telling = traits.first_person[best] if len(traits.first_person) else np.zeros(len(best), np.bool_)
    role = traits.role[best]
    user, assistant = (role == ROLES.index(each) for each in ("user", "assistant"))
    time, digit = traits.has_time[best], traits.has_digit[best]
    met = case.met
    silence = signs(plan, traits, met.alone) if met is not None else np.zeros(2, np.float32)
    return np.column_stack(
        (
            about,
            bool(named) & ~about,
            telling & about,
            bool(named) & telling & ~about,
            plan.first_person & telling,
            plan.first_person & user,
            plan.first_person & assistant,
            assistant,
            plan.asks_time & time,
            plan.asks_time & ~time,
            plan.asks_count & digit,
            plan.asks_count & ~digit,
            traits.question_share[best],
            np.log1p(traits.length[best]),
            np.tile(np.array([*silence, *(form == each for each in FORMS)], np.float32), (len(best), 1)),
        )
    ).astype(np.float32)


def verdicts(seen: CloseLook, weights: VerdictWeights) -> Verdicts:
    """What the weights make of what there is to see."""
    told = np.clip((seen.signs - weights.mean) / weights.spread, -5, 5).astype(np.float32)
    words = _layer(_looked(seen, weights), weights.word, bend=True)
    counts = _layer(words, weights.weight)
    counts = np.exp(counts - counts.max(axis=1, keepdims=True))
    counts /= counts.sum(axis=1, keepdims=True)
    inner = np.column_stack((told, (counts * words).sum(axis=1), words.max(axis=1)))
    for layer in (weights.first, weights.second):
        inner = _layer(inner, layer, bend=True)
    odds = (_layer(inner, weights.last) + _layer(told, weights.plain))[:, 0]
    odds += _moved(seen, inner, odds, weights)
    odds -= _layer(told[:1], weights.nothing)[0, 0]
    return Verdicts(odds, float(np.log(np.exp(odds - odds.max()).sum()) + odds.max()))


def _moved(seen: CloseLook, inner: Floats, odds: Floats, weights: VerdictWeights) -> Floats:
    """[results] By how much the odds of each are moved by what else was found."""
    count = len(odds)
    said = np.clip(odds, -MOST_ODDS, MOST_ODDS) * np.float32(2 / MOST_ODDS)
    known = np.column_stack((inner, said))
    own, other = np.repeat(known[:, None], count, axis=1), np.tile(known, (count, 1, 1))
    found = _layer(np.concatenate((seen.others, own, other), axis=2), weights.compared, bend=True)
    found[np.arange(count), np.arange(count)] = 0
    told = np.column_stack((known, found.max(axis=1), found.sum(axis=1) / max(count - 1, 1)))
    moved: Floats = _layer(_layer(told, weights.moved, bend=True), weights.by)[:, 0]
    return moved


def _layer(rows: Floats, weights: Floats, bend: bool = False) -> Floats:
    """Rows times weights, whose last row is added; below 0 nothing is left where it is bent."""
    out: Floats = rows @ weights[:-1] + weights[-1]
    return np.maximum(out, 0) if bend else out


def _looked(seen: CloseLook, weights: VerdictWeights) -> Floats:
    """[results, question's pieces + 1, 3 H d + 4] What each word, and then the question as a whole, has seen."""
    heads = len(weights.likeness)
    sought = np.concatenate((seen.asked.pieces @ weights.asked, _layer(seen.asked.vector[None], weights.asked_whole)))
    shown, told = seen.turns @ weights.shown, seen.turns @ weights.told
    whole, telling = seen.vectors @ weights.shown_whole, seen.vectors @ weights.told_whole
    alike = np.concatenate((seen.cosines, np.zeros((1, len(seen.turns)), np.float32)))
    by_head = _in_heads(sought, heads)
    scale = np.float32((sought.shape[1] / heads) ** -0.5)
    likely = by_head @ _in_heads(shown, heads).transpose(0, 2, 1) * scale + weights.likeness[:, None, None] * alike
    likely_whole = np.einsum("hnd,hkd->khn", by_head, _in_heads(whole, heads)) * scale + weights.beside[0][:, None]
    values = _in_heads(told, heads)
    out = []
    for place, turns in enumerate(seen.around):
        rows, beside = pieces_around(seen.starts, turns)
        logits = likely[:, :, rows] + weights.beside[beside].T[:, None]
        logits = np.concatenate((logits, likely_whole[place][:, :, None]), axis=2)
        shares = np.exp(logits - logits.max(axis=2, keepdims=True))
        shares /= shares.sum(axis=2, keepdims=True)
        found = np.concatenate((values[:, rows], _in_heads(telling[place : place + 1], heads)), axis=1)
        out.append((shares @ found).transpose(1, 0, 2).reshape(len(sought), -1))
    looked = np.stack(out)
    asked = np.broadcast_to(sought, looked.shape)
    extra = np.zeros((*looked.shape[:2], 4), np.float32)
    extra[:, :-1, :3] = np.stack((*seen.met, np.broadcast_to(seen.rarity, seen.met.shape[1:])), axis=2)
    extra[:, -1, 3] = 1
    return np.concatenate((looked, looked * asked, asked, extra), axis=2)


def _in_heads(rows: Floats, heads: int) -> Floats:
    """[rows, H d] as [H, rows, d]."""
    return rows.reshape(len(rows), heads, rows.shape[1] // heads).transpose(1, 0, 2)


def pieces_around(starts: NDArray[np.int64], turns: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pieces of these turns, and for each in which of the places around it stands; -1 is no turn."""
    places = [(place, np.arange(starts[turn], starts[turn + 1])) for place, turn in enumerate(turns) if turn >= 0]
    rows = [pieces for _, pieces in places] or [np.zeros(0, np.int64)]
    beside = [np.full(len(pieces), place) for place, pieces in places] or [np.zeros(0, np.int64)]
    return np.concatenate(rows), np.concatenate(beside)
