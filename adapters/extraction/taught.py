"""The taught reader: rules read, and what was learnt from invented talk votes on it and adds what they miss.

One pass of a small encoder over each turn serves three heads. They say which of the rules' claims are not worth
believing, which sentences hold something that the rules did not read, and of whom it is. Sightings stay those of the
rules. docs/reference/reader-card.md has the figures and what it cannot do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from adapters.embedding.minilm import ReaderMiniLm
from adapters.extraction import rules
from adapters.extraction.rules_model import parse
from adapters.extraction.taught_features import (
    Floats,
    Person,
    ReadTurn,
    beside,
    context,
    is_of_another,
    line_of,
    persons,
    seen,
    sentences,
)
from adapters.extraction.taught_heads import KINDS, Heads, load
from adapters.extraction.taught_statements import KeptSentence, claim_of, says_as_much
from adapters.extraction.taught_votes import doubts, marks, quoted
from adapters.model_files import READER_HEADS
from memory.model.claims import Claim, Reading, Utterance
from memory.words.languages import is_german
from memory.words.normalise import told
from memory.words.polarity import is_question

Read = Callable[[Sequence[Utterance]], Reading]


@dataclass(frozen=True, slots=True)
class Cuts:
    """Chances from which something is believed or not, chosen by hand on worlds that were left out: `memoray bench read
    --reader taught --authors chosen` judges a choice."""

    useful: float = 0.0
    """Least chance that a claim of the rules without a predicate is worth keeping: 0, all are kept. Every choice above
    loses plain sentences."""
    wrong: float = 0.8
    """Greatest chance that it is wrong."""
    keep: float = 0.5
    """Least chance that a sentence holds something to keep."""
    trap: float = 0.1
    """Greatest chance that it is a trap."""
    who: float = 0.4
    """Least chance of the person it is about."""
    covered: float = 0.35
    """A sentence of which a claim of the rules with this chance is kept needs no other."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoredSentence:
    """A sentence of a turn, by the turn's place, with what the heads say."""

    turn: int
    span: tuple[int, int]
    keep: float
    trap: float
    kind: str
    people: tuple[Person, ...]
    who: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """What the rules read and the heads say, before anything is cut."""

    reading: Reading
    turns: tuple[Utterance, ...]
    sentences: tuple[ScoredSentence, ...]
    votes: Floats
    """[claims, VERDICTS]."""
    within: tuple[int | None, ...]
    """Of each claim the sentence it begins in."""


@dataclass(slots=True)
class TaughtReader:
    """An Extractor: the rules' reading, voted on and completed."""

    trusted: Collection[str] = ()
    folder: Path | None = None
    """One with files of one's own, whose digests are trusted."""
    cuts: Cuts = field(default_factory=Cuts)
    read_by_rules: Read = rules.read
    name: str = "taught"
    _loaded: _Models | None = None

    def prepare(self) -> None:
        """Load parser, encoder and heads. Raises ModelFailed or ConfigError if one is missing."""
        rules.RuleExtractor().prepare()
        self.models.pieces([Utterance("", "", 0, 1, "", "x", 0.0)])  # of nothing at all the encoder is not opened

    @property
    def models(self) -> _Models:
        """Encoder and heads, loaded once."""
        if self._loaded is None:
            self._loaded = _Models(self.trusted, self.folder)
        return self._loaded

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        """What these utterances say; the work is done in a thread."""
        return await asyncio.to_thread(lambda: self.chosen(self.scored(tuple(utterances))))

    def scored(self, utterances: Sequence[Utterance]) -> Scored:
        """What the rules read, and what the heads say of it and of every sentence."""
        reading = self.read_by_rules(utterances)
        turns = self.models.pieces(utterances)
        if not turns:
            return Scored(reading, (), (), np.zeros((0, 3), np.float32), ())
        around = context(turns)
        found = list(_sentences(turns, around, self.models.heads))
        within = tuple(_within(found, turns, claim) for claim in reading.claims)
        votes = _votes(
            self.models.heads, reading.claims, turns, around, [found[w] if w is not None else None for w in within]
        )
        return Scored(reading, tuple(turn.utterance for turn in turns), tuple(found), votes, within)

    def chosen(self, scored: Scored) -> Reading:
        """What is claimed of that, in the order of the turns."""
        cuts = self.cuts
        kept = [
            (claim, float(vote[0]), within)
            for claim, vote, within in zip(scored.reading.claims, scored.votes, scored.within, strict=True)
            if within is None or (vote[2] <= cuts.wrong and (claim.predicate is not None or vote[0] >= cuts.useful))
        ]
        covered = {within for _, chance, within in kept if chance >= cuts.covered}
        added = _claims(
            [
                KeptSentence(
                    scored.turns[each.turn], each.span, each.kind, each.people[best], each.keep, float(each.who[best])
                )
                for place, each in enumerate(scored.sentences)
                if place not in covered and (best := self._meant(each, scored)) is not None
            ]
        )
        claims = [claim for claim, *_ in kept]
        claims += [claim for claim in added if not any(says_as_much(known, claim) for known in claims)]
        order = {turn.segment_key: place for place, turn in enumerate(scored.turns)}
        claims.sort(key=lambda claim: order.get(claim.segment_key, 0))
        return Reading(scored.reading.sightings, tuple(claims), self.name)

    def _meant(self, sentence: ScoredSentence, scored: Scored) -> int | None:
        """The place of the person a sentence is told of, None where it is not to be believed."""
        utterance, cuts = scored.turns[sentence.turn], self.cuts
        words = utterance.text[slice(*sentence.span)]
        if not rules.is_evidence(utterance) or not _is_asserted(utterance, sentence.span):
            return None
        who = sentence.who * (not is_of_another(words) or [each.how != "speaker" for each in sentence.people])
        best = int(who.argmax())
        sure = sentence.keep >= cuts.keep and sentence.trap <= cuts.trap and who[best] >= cuts.who
        return best if sure and sentence.people[best].name else None


class _Models:
    """Encoder and heads of a process."""

    def __init__(self, trusted: Collection[str], folder: Path | None) -> None:
        self._encoder = ReaderMiniLm(folder, trusted)
        self.heads: Heads = load(READER_HEADS.checked(READER_HEADS.find(folder), trusted))

    def pieces(self, utterances: Sequence[Utterance]) -> list[ReadTurn]:
        """Each utterance that says something, with its word pieces."""
        said = [each for each in utterances if each.text.strip()]
        lines = [line_of(each) for each in said]
        found = self._encoder.pieces([line for line, _ in lines])
        return [ReadTurn(*each) for each in zip(said, found, (shift for _, shift in lines), strict=True)]


def _sentences(turns: Sequence[ReadTurn], around: Floats, heads: Heads) -> Iterator[ScoredSentence]:
    """Every sentence of what may be evidence, of which a piece was encoded."""
    placed = [
        (place, span)
        for place, turn in enumerate(turns)
        if rules.is_evidence(turn.utterance)
        for span in sentences(turn.utterance.text)
        if len(turn.rows((span[0] + turn.shift, span[1] + turn.shift)))
    ]
    if not placed:
        return
    rows = np.stack([seen(turns[place], around[place], span) for place, span in placed])
    chances, kinds = heads.sentences(rows)
    for (place, span), row, chance, kind in zip(placed, rows, chances, kinds, strict=True):
        people = persons(turns, place, span)
        who = heads.persons(np.stack([beside(turns, place, span, each, row) for each in people]))
        best = KINDS[1 + int(kind.argmax())]
        yield ScoredSentence(place, span, float(chance[0]), float(chance[1]), best, tuple(people), who)


def _is_asserted(utterance: Utterance, span: tuple[int, int]) -> bool:
    """Whether the rules of talk see an assertion in a sentence: no question, wish, supposition, report or play."""
    words = utterance.text[slice(*span)]
    if is_question(words):
        return False
    if is_german(utterance.text, utterance.language):
        return True
    pieces = told(words, utterance.listeners, utterance.speaker, "").pieces
    return bool(pieces) and all(piece.asserted and not piece.question for piece in pieces)


def _within(found: Sequence[ScoredSentence], turns: Sequence[ReadTurn], claim: Claim) -> int | None:
    """The sentence that a claim begins in; None for what was not encoded."""
    own = (place for place, each in enumerate(found) if turns[each.turn].utterance.segment_key == claim.segment_key)
    for place in own:
        start, end = found[place].span
        if start <= quoted(claim, turns[found[place].turn].utterance)[0] < end:
            return place
    return None


def _votes(
    heads: Heads,
    claims: Sequence[Claim],
    turns: Sequence[ReadTurn],
    around: Floats,
    within: Sequence[ScoredSentence | None],
) -> Floats:
    """[claims, VERDICTS] Chances; a claim without a sentence is taken for useful."""
    votes = np.tile(np.array([1.0, 0.0, 0.0], np.float32), (len(claims), 1))
    asked = [place for place, sentence in enumerate(within) if sentence is not None]
    rows = []
    for place in asked:
        claim, sentence = claims[place], within[place]
        assert sentence is not None
        turn = turns[sentence.turn]
        told = seen(turn, around[sentence.turn], quoted(claim, turn.utterance))
        chances = np.array([sentence.keep, sentence.trap], np.float32)
        rows.append(
            np.concatenate([told, marks(claim, turn.utterance), doubts(claim, sentence.people, sentence.who, chances)])
        )
    if rows:
        votes[asked] = heads.votes(np.stack(rows))
    return votes


def _claims(kept: Sequence[KeptSentence]) -> list[Claim]:
    english = [each for each in kept if not is_german(each.utterance.text, each.utterance.language)]
    docs = dict(zip(map(id, english), parse([each.words for each in english]), strict=True))
    return [claim_of(each, docs.get(id(each))) for each in kept]
