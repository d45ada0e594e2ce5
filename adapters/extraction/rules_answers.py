"""Answers: a fragment or a pronoun sentence says something only beside the question it answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from adapters.extraction.rules_claims import claims_of, is_assertion
from adapters.extraction.rules_dating import Scene
from adapters.extraction.rules_model import Doc, Token, parse
from memory.model.claims import Claim
from memory.words.normalise import UtterancePiece
from memory.words.polarity import is_phatic, is_unreal
from memory.words.predicates import ANSWERED, known_by
from memory.words.vocabulary import JOBS

ANSWERING = 2
"""Only the first two sentences of a turn answer what was asked before it."""
_LONGEST = 60
"""Characters of a bare answer; how it looks is tried in ways that take long for long ones."""
_NAME_LETTERS = 3
"""Letters by which a misspelt name is still known."""
_VAGUE = re.compile(r"^(?:it|he|she|they|this|that|these|those)\b", re.IGNORECASE)
_WORDS = re.compile(r"[a-z]{4,}")


_LEADING = re.compile(r"^(?:(?:in|at|as|on|for|an?|about|around|now)\s+|well, |now,? )+", re.IGNORECASE)
_NO_ANSWER = re.compile(
    r"(?:no|not|none|nothing|nowhere|never|why|depends|here|there|same|home|guess)\b|"
    r".*\b(?:questions?|things?|stuff|lots?|whatever|secret|anything|everything|everywhere|anywhere|somewhere|"
    r"upstairs|downstairs|outside|nearby|freelance|remote(?:ly)?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b",
    re.IGNORECASE,
)
_A_NUMBER = re.compile(r"\d[\d.,]*(?: ?(?:kg|kilos?|kilograms?|pounds?|lbs?|stones?|st))?(?: now)?", re.IGNORECASE)
_A_NAME = re.compile(r"(?:[A-Z][\w'-]*(?: of| the| de)?,? ?){1,4}")
_A_NOUN = re.compile(r"[\w-]+(?: [\w-]+){0,2}")
_A_TRADE = re.compile(
    rf"(?:[\w-]+ ){{0,2}}(?:{'|'.join(sorted(JOBS))}|[\w-]{{3,}}(?:er|or|ist|ian|eer|ant|ess|m[ae]n))"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_A_DAY = re.compile(
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?|{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?"
    r"(?:,? \d{4})?|\d{1,2}[./-]\d{1,2}(?:[./-]\d{2,4})?",
    re.IGNORECASE,
)
_FULL = tuple(
    (re.compile(asks, re.IGNORECASE), full, known_by(cue).name, fits)
    for asks, full, cue, fits in (
        (r"(?:what|how much) do you weigh|what(?:'s| is) your (?:current )?weight", "I weigh {}.", "weigh", _A_NUMBER),
        (r"how old are you|what(?:'s| is) your age", "I am {} years old.", "be AGE", re.compile(r"\d{1,3}")),
        (r"where (?:do you live|are you (?:living|based))", "I live in {}.", "live in", _A_NAME),
        (r"where (?:are|do) you (?:come )?from", "I am from {}.", "be from", _A_NAME),
        (r"where do you work|who do you work for", "I work at {}.", "work at", _A_NAME),
        (
            r"what do you do (?:for (?:a living|work)|professionally)|what(?:'s| is) your (?:job|profession)",
            "I work as {}.",
            "be JOB",
            _A_TRADE,
        ),
        (r"when(?:'s| is) your birthday", "My birthday is on {}.", "be BIRTHDAY", _A_DAY),
        (r"what (?:do you study|are you studying)", "I study {}.", "study", _A_NOUN),
    )
)
"""What is asked of somebody, the answer in full, a cue of the predicate it then states, and how a bare answer looks."""
_BESIDE = re.compile(
    r"(?:[\s,]|\b(?:and|so|but|hey|hi|oh|now|then|again|these days|nowadays|currently|at the moment|right now|exactly|"
    r"originally|actually|anyway|by the way|at|if i may ask)\b)*",
    re.IGNORECASE,
)
"""What may stand beside such a question; more makes another of it: where do you work out, why did you quit your job."""


@dataclass(frozen=True, slots=True)
class PriorQuestions:
    """The questions of the turn before, by somebody else."""

    questions: tuple[str, ...] = ()

    def fits(self, text: str) -> str:
        """The question that shares most words with the answer, else the last."""
        words = set(_WORDS.findall(text.lower()))
        return max(reversed(self.questions), key=lambda q: len(words & set(_WORDS.findall(q.lower()))))


def with_question(
    claims: Sequence[Claim], place: int, piece: UtterancePiece, doc: Doc, asked: PriorQuestions, scene: Scene
) -> list[Claim]:
    """The claims of a piece, those that only answer a question given with it."""
    if (
        not asked.questions
        or place >= ANSWERING
        or piece.question
        or not piece.asserted
        or not is_assertion(piece.text)
    ):
        return list(claims)
    if not claims:
        return list(_fragment(piece, doc, asked, scene))
    return [_answered(claim, asked, scene) if _VAGUE.match(claim.statement) else claim for claim in claims]


def _fragment(piece: UtterancePiece, doc: Doc, asked: PriorQuestions, scene: Scene) -> Iterator[Claim]:
    tokens = [token for token in doc if not token.is_space]
    solid = [t for t in tokens if t.pos_ in ("NOUN", "PROPN", "NUM", "VERB")]
    if (
        not solid
        or is_phatic(piece.quote)  # thanks for the check: what is left of it answers nothing
        or is_unreal(piece.text)
        or (all(t.is_punct for t in tokens[1:]) and _calls_somebody(tokens[0], scene))
        or any(t.dep_ == "nsubj" and t.lower_ in ("you", "i") for t in tokens)
        or tokens[0].tag_ == "VB"
    ):
        return
    full = list(_in_full(piece, asked, scene))
    if full:
        yield from full
        return
    said = scene.voice.say(tokens)
    weight = 2 if _VAGUE.match(said) else 3 + any(t.pos_ in ("PROPN", "NUM") for t in solid)
    yield _answered(
        Claim(
            subject=scene.utterance.speaker,
            statement=said,
            segment_key=scene.utterance.segment_key,
            quote=piece.quote,
            importance=weight,
            confidence=0.6,
            tense="event",
            valid_from=scene.utterance.at,
        ),
        asked,
        scene,
        keep=tokens[0].pos_ == "PROPN",
    )


def _in_full(piece: UtterancePiece, asked: PriorQuestions, scene: Scene) -> Iterator[Claim]:
    """Asked where they live, who says "Bonn." says that they live in Bonn: read as if said in full."""
    if len(piece.text) > _LONGEST:
        return
    question = asked.fits(piece.text)
    answer = _LEADING.sub("", piece.text).strip(" .!")
    for asks, full, predicate, fits in _FULL:
        noun = answer.lower() if fits in (_A_NOUN, _A_TRADE) else answer
        if _asks(asks, question, scene) and fits.fullmatch(noun) and not _NO_ANSWER.match(answer):
            text = full.format(noun)
            alone = replace(scene, voice=replace(scene.voice, referents={}))
            doc = next(iter(parse([text])))
            yield from (c for c in claims_of(replace(piece, text=text), doc, alone) if c.predicate == predicate)
            return


def _asks(asks: re.Pattern[str], question: str, scene: Scene) -> bool:
    """Whether a question asks just this, of nobody in particular or of who speaks now."""
    found = asks.search(question)
    if found is None:
        return False
    first = scene.utterance.speaker.split()[0]
    beside = (question[: found.start()], question[found.end() :].strip(" ?!."))
    return all(_BESIDE.fullmatch(re.sub(rf"\b{re.escape(first)}\b", "", words)) for words in beside)


def _calls_somebody(token: Token, scene: Scene) -> bool:
    """Vall!, said to Valerie: a misspelt name is no answer."""
    return str(token.lower_)[:_NAME_LETTERS] == (scene.voice.listener or "").lower()[:_NAME_LETTERS]


def _answered(claim: Claim, asked: PriorQuestions, scene: Scene, *, keep: bool = False) -> Claim:
    """The claim as an answer; `keep` leaves its first letter as it is, for a name."""
    question = asked.fits(claim.statement).rstrip("? ") + "?"
    said = claim.statement if keep else claim.statement[:1].lower() + claim.statement[1:]
    statement = f"Asked “{question}”, {scene.utterance.speaker} answers: {said}"
    return replace(
        claim, statement=statement, predicate=claim.predicate or ANSWERED, importance=max(2, claim.importance)
    )
