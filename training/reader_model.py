"""The reader while it is taught: the packaged encoder, pooled over stretches of talk, and four small heads upon it.

What is pooled here with gradients is what `adapters.extraction.taught_features` pools without; a test compares them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import onnx
import torch
import transformers
from torch import Tensor
from torch.nn import functional as F

from adapters.embedding.minilm import weights
from adapters.embedding.minilm_torch import bert_of, dequantised
from adapters.extraction.taught_features import DIMENSIONS, SEEN, SIZED
from adapters.extraction.taught_heads import KINDS, VERDICTS
from adapters.extraction.taught_votes import DOUBTS, MARKS
from adapters.model_files import MINILM_TAUGHT
from training.model import Student, export

WIDE, NARROW = 160, 96
"""Hidden units of the heads of sentences and votes, and of the head of persons (chosen among 96, 160, 256)."""
DROPPED, DROPPED_IN = 0.4, 0.2
"""Shares of hidden units and of features that are left out while it learns."""


@dataclass(frozen=True, slots=True, eq=False)
class PieceStretches:
    """Stretches of talk: `rows` of all pieces, one stretch after the other, and how many each has."""

    rows: Tensor
    counts: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class SessionLesson:
    """A session: pieces, sentences and their labels, persons and the right one, claims of the rules and their verdicts.

    `persons` and `subjects` are names' pieces, how they come up, and how many belong to each sentence or claim.
    """

    ids: list[list[int]]
    kept: list[np.ndarray]
    whole: PieceStretches
    spans: PieceStretches
    turns: Tensor
    signs: Tensor
    kinds: Tensor
    moods: Tensor
    weights: Tensor
    about: Tensor
    persons: tuple[PieceStretches, Tensor, list[int]]
    meant: Tensor
    quotes: PieceStretches
    quote_turns: Tensor
    quote_signs: Tensor
    marks: Tensor
    sentences: Tensor
    subjects: tuple[PieceStretches, Tensor, list[int]]
    own: list[list[bool]]
    verdicts: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class SessionTold:
    """Logits: of each sentence, of the persons of each that holds a claim, and of each claim of the rules."""

    keep: Tensor
    trap: Tensor
    kind: Tensor
    who: list[Tensor]
    votes: Tensor


class Head(torch.nn.Module):
    """Features, made comparable, through one hidden layer."""

    def __init__(self, features: int, hidden: int, out: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("scale", torch.ones(features))
        self.inner, self.outer = torch.nn.Linear(features, hidden), torch.nn.Linear(hidden, out)

    def settle(self, rows: Tensor) -> None:
        """Take mean and scale from a sample, before anything is taught."""
        self.mean.copy_(rows.mean(0))  # type: ignore[operator]
        self.scale.copy_(rows.std(0) + 1e-2)  # type: ignore[operator]

    def forward(self, rows: Tensor) -> Tensor:
        """[rows, out]."""
        put = F.dropout((rows - self.mean) / self.scale, DROPPED_IN, self.training)
        found: Tensor = self.outer(F.dropout(F.relu(self.inner(put)), DROPPED, self.training))
        return found


class ReaderNet(torch.nn.Module):
    """Encoder and heads."""

    def __init__(self, *, frozen: bool, half: bool = False) -> None:
        """With `half`, the encoder's products are taken in bfloat16: faster where the processor has them."""
        super().__init__()
        self._half = half
        path = weights(MINILM_TAUGHT, MINILM_TAUGHT.find(), ())
        self.bert = bert_of(torch, transformers, dequantised(onnx, path))
        self.frozen = frozen
        for name, weight in self.bert.named_parameters():
            weight.requires_grad_(not frozen and "embeddings" not in name)
        self.sentence = Head(SEEN, WIDE, 2 + len(KINDS) - 1)
        self.person = Head(SIZED, NARROW, 1)
        self.vote = Head(SEEN + MARKS + DOUBTS, WIDE, len(VERDICTS))

    def heads(self) -> Iterator[torch.nn.Parameter]:
        """What is always taught."""
        return (weight for head in (self.sentence, self.person, self.vote) for weight in head.parameters())

    def layers(self) -> Iterator[torch.nn.Parameter]:
        """What of the encoder is taught."""
        return (weight for weight in self.bert.parameters() if weight.requires_grad)

    def pieces(self, lesson: SessionLesson) -> Tensor:
        """[pieces, 384] The last layer of all pieces of a session, one turn after the other."""
        order = np.argsort([len(each) for each in lesson.ids], kind="stable").tolist()
        found: dict[int, Tensor] = {}
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen):
            for start in range(0, len(order), 8):
                part = order[start : start + 8]
                ids = [torch.tensor(lesson.ids[each]) for each in part]
                put = torch.nn.utils.rnn.pad_sequence(ids, batch_first=True)
                mask = torch.nn.utils.rnn.pad_sequence([torch.ones_like(each) for each in ids], batch_first=True)
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._half and self.training):
                    last = self.bert(put, mask, torch.zeros_like(put)).last_hidden_state.float()
                for row, each in enumerate(part):
                    found[each] = last[row, : len(lesson.ids[each])][torch.from_numpy(lesson.kept[each])]
        return torch.cat([found[each] for each in range(len(lesson.ids))])

    def features(self, lesson: SessionLesson) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Of sentences, of their persons, of claims (without doubts), and of the claims' subjects."""
        pieces = self.pieces(lesson)
        whole = means(pieces, lesson.whole)
        none = torch.zeros(1, DIMENSIONS)
        around = torch.hstack([whole, torch.vstack([none, whole[:-1]]), torch.vstack([whole[1:], none])])
        told = _seen(pieces, lesson.spans, around[lesson.turns], lesson.signs)
        said = _seen(pieces, lesson.quotes, around[lesson.quote_turns], lesson.quote_signs)
        people = _beside(pieces, told, lesson.about, lesson.persons)
        subjects = _beside(pieces, told, lesson.sentences, lesson.subjects)
        return told, people, said, subjects

    def forward(self, lesson: SessionLesson) -> SessionTold:
        """What is thought of a session."""
        return self.thought(lesson, self.features(lesson))

    def thought(self, lesson: SessionLesson, features: tuple[Tensor, Tensor, Tensor, Tensor]) -> SessionTold:
        """The same, of features that are known."""
        told, people, said, subjects = features
        found = self.sentence(told)
        who = list(self.person(people)[:, 0].split(lesson.persons[2])) if len(people) else []
        votes = (
            self.vote(torch.hstack([said, lesson.marks, self.doubts(lesson, found, subjects)]))
            if len(said)
            else (torch.zeros(0, len(VERDICTS)))
        )
        return SessionTold(found[:, 0], found[:, 1], found[:, 2:], who, votes)

    def doubts(self, lesson: SessionLesson, found: Tensor, subjects: Tensor) -> Tensor:
        """[claims, DOUBTS] As `adapters.extraction.taught_votes.doubts`; nothing is learnt through them."""
        with torch.no_grad():
            kept = torch.sigmoid(found[lesson.sentences, :2])
            rows = []
            for logits, own in zip(self.person(subjects)[:, 0].split(lesson.subjects[2]), lesson.own, strict=True):
                chances = torch.softmax(logits, 0)
                chance = float(chances[torch.tensor(own)].sum())
                rows.append([chance, float(any(own)), float(chance >= float(chances.max()))])
            return torch.hstack([kept, torch.tensor(rows).reshape(-1, 3)])

    @torch.no_grad()
    def settle(self, sample: Sequence[SessionLesson]) -> None:
        """Make the features comparable, by a sample of sessions."""
        self.eval()
        found = [self.features(each) for each in sample]
        self.sentence.settle(torch.vstack([each[0] for each in found]))
        self.person.settle(torch.vstack([each[1] for each in found if len(each[1])]))
        rows = [
            torch.hstack([each[2], lesson.marks]) for each, lesson in zip(found, sample, strict=True) if len(each[2])
        ]
        claims = torch.vstack(rows)
        self.vote.settle(torch.hstack([claims, torch.randn(len(claims), DOUBTS) * 0.3 + 0.5]))


def means(pieces: Tensor, stretches: PieceStretches) -> Tensor:
    """[stretches, 384] The mean of each stretch's pieces, of unit length; zeros where it has none."""
    owner = torch.repeat_interleave(torch.arange(len(stretches.counts)), stretches.counts)
    sums = torch.zeros(len(stretches.counts), DIMENSIONS).index_add(0, owner, pieces[stretches.rows])
    return F.normalize(sums / stretches.counts.clamp(min=1)[:, None], dim=-1)


def _most(pieces: Tensor, stretches: PieceStretches) -> Tensor:
    owner = torch.repeat_interleave(torch.arange(len(stretches.counts)), stretches.counts)
    start = torch.zeros(len(stretches.counts), DIMENSIONS)
    index = owner[:, None].expand(-1, DIMENSIONS)
    return start.scatter_reduce(0, index, pieces[stretches.rows], "amax", include_self=False)


def _seen(pieces: Tensor, stretches: PieceStretches, around: Tensor, signs: Tensor) -> Tensor:
    if not len(stretches.counts):
        return torch.zeros(0, SEEN)
    return torch.hstack([means(pieces, stretches), _most(pieces, stretches), around, signs])


def _beside(
    pieces: Tensor, told: Tensor, sentences: Tensor, persons: tuple[PieceStretches, Tensor, list[int]]
) -> Tensor:
    names, ways, counts = persons
    if not counts:
        return torch.zeros(0, SIZED)
    of = told[torch.repeat_interleave(sentences, torch.tensor(counts))]
    return torch.hstack([of[:, :DIMENSIONS], of[:, 2 * DIMENSIONS : 3 * DIMENSIONS], means(pieces, names), ways])


@dataclass(frozen=True, slots=True)
class ReaderScores:
    """Of worlds that are not taught: areas under curves, and shares in percent."""

    keep: float
    trap: float
    kind: float
    who: float
    useful: float
    wrong: float

    def __str__(self) -> str:
        return ", ".join(f"{each.name} {getattr(self, each.name):.1f}" for each in fields(self))


@torch.no_grad()
def figures(net: ReaderNet, judged: Sequence[SessionLesson]) -> ReaderScores:
    """AUC of keeping, traps, useful and wrong claims; how often kind and person are right."""
    net.eval()
    told = [net(each) for each in judged]
    kinds, moods = torch.cat([each.kinds for each in judged]), torch.cat([each.moods for each in judged])
    verdicts, votes = (
        torch.cat([each.verdicts for each in judged]),
        torch.softmax(torch.cat([t.votes for t in told]), 1),
    )
    right = [
        int(row.argmax()) == int(gold)
        for each, lesson in zip(told, judged, strict=True)
        for row, gold in zip(each.who, lesson.meant, strict=True)
    ]
    kind = torch.cat([each.kind for each in told])[kinds > 0].argmax(1) + 1 == kinds[kinds > 0]
    return ReaderScores(
        _area(kinds > 0, torch.cat([each.keep for each in told])),
        _area(moods > 0, torch.cat([each.trap for each in told])),
        100 * float(kind.float().mean()),
        100 * float(np.mean(right)),
        _area(verdicts == 0, votes[:, 0]),
        _area(verdicts == 2, votes[:, 2]),
    )


def _area(right: Tensor, scores: Tensor) -> float:
    """The chance that one that is right is scored above one that is not, in percent."""
    places, good = scores.argsort().argsort().double(), right.sum().item()
    return float(100 * (places[right].sum() - good * (good - 1) / 2) / max(1, good * (len(right) - good)))


def save(net: ReaderNet, folder: Path) -> None:
    """Write heads.npz, and, where the encoder has learnt, reader.onnx with int8 weights and full.onnx with its own."""
    net.eval()
    parts = {
        f"{name}.{part}": value.detach().numpy().astype(np.float32)
        for name in ("sentence", "person", "vote")
        for part, value in getattr(net, name).state_dict().items()
    }
    np.savez(folder / "heads.npz", **parts)
    if not net.frozen:
        student = Student.__new__(Student)
        student.bert = net.bert
        export(student, folder / "full.onnx")
        (folder / "full-int8.onnx").replace(folder / "reader.onnx")
