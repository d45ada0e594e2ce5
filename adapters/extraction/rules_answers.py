"""Answers: a fragment or a pronoun sentence says something only beside the question it answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from adapters.extraction.rules_claims import is_assertion
from adapters.extraction.rules_dating import Scene
from adapters.extraction.rules_model import Doc, Token
from memory.model.claims import Claim
from memory.words.normalise import Piece
from memory.words.polarity import is_unreal

_ANSWERING = 2
"""Only the first two sentences of a turn answer what was asked before it."""
_NAME_LETTERS = 3
"""Letters by which a misspelt name is still known."""
_VAGUE = re.compile(r"^(?:it|he|she|they|this|that|these|those)\b", re.IGNORECASE)
_WORDS = re.compile(r"[a-z]{4,}")


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of the turn before, by somebody else."""

    questions: tuple[str, ...] = ()

    def fits(self, text: str) -> str:
        """The question that shares most words with the answer, else the last."""
        words = set(_WORDS.findall(text.lower()))
        return max(reversed(self.questions), key=lambda q: len(words & set(_WORDS.findall(q.lower()))))


def with_question(
    claims: Sequence[Claim], place: int, piece: Piece, doc: Doc, asked: Asked, scene: Scene
) -> list[Claim]:
    """The claims of a piece, those that only answer a question given with it."""
    if (
        not asked.questions
        or place >= _ANSWERING
        or piece.question
        or not piece.asserted
        or not is_assertion(piece.text)
    ):
        return list(claims)
    if not claims:
        return list(_fragment(piece, doc, asked, scene))
    return [_answered(claim, asked, scene) if _VAGUE.match(claim.statement) else claim for claim in claims]


def _fragment(piece: Piece, doc: Doc, asked: Asked, scene: Scene) -> Iterator[Claim]:
    tokens = [token for token in doc if not token.is_space]
    solid = [t for t in tokens if t.pos_ in ("NOUN", "PROPN", "NUM", "VERB")]
    if (
        not solid
        or is_unreal(piece.text)
        or (all(t.is_punct for t in tokens[1:]) and _calls_somebody(tokens[0], scene))
        or any(t.dep_ == "nsubj" and t.lower_ in ("you", "i") for t in tokens)
        or tokens[0].tag_ == "VB"
    ):
        return
    named = any(t.pos_ in ("PROPN", "NUM") for t in solid)
    yield _answered(
        Claim(
            subject=scene.utterance.speaker, statement=scene.voice.say(tokens), segment_key=scene.utterance.segment_key,
            quote=piece.quote, importance=3 + named, confidence=0.6, tense="event", valid_from=scene.utterance.at,
        ), asked, scene, keep=tokens[0].pos_ == "PROPN",
    )  # fmt: skip


def _calls_somebody(token: Token, scene: Scene) -> bool:
    """Mell!, said to Melanie: a misspelt name is no answer."""
    return str(token.lower_)[:_NAME_LETTERS] == (scene.voice.listener or "").lower()[:_NAME_LETTERS]


def _answered(claim: Claim, asked: Asked, scene: Scene, *, keep: bool = False) -> Claim:
    """The claim as an answer; `keep` leaves its first letter as it is, for a name."""
    question = asked.fits(claim.statement).rstrip("? ") + "?"
    said = claim.statement if keep else claim.statement[:1].lower() + claim.statement[1:]
    statement = f"Asked “{question}”, {scene.utterance.speaker} answers: {said}"
    return replace(
        claim, statement=statement, predicate=claim.predicate or "answered", importance=max(2, claim.importance)
    )
