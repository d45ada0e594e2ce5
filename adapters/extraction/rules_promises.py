"""Promises: what somebody undertakes to do for another, and what they ask to be reminded of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from adapters.extraction.rules_dating import Scene, due_of
from memory.model.claims import Claim, Sighting, Utterance
from memory.model.ids import fold
from memory.model.timeline import Instant, iso
from memory.words.calendar_names import MONTH, WEEKDAY
from memory.words.normalise import UtterancePiece
from memory.words.predicates import PROMISE
from memory.words.vocabulary import listed

_VOWED = re.compile(
    r"\bI(?: do)? promise\b(?=\W*\w|.*\w)|\bI swear (?:to you )?(?:that )?(?:I(?:'ll| will)\b|to (?!you\b|god\b))"
    r"|\bI give you my word\b|\bI gave you my word\b",
    re.IGNORECASE,
)
"""A vow; who swears that the cat winked promises nothing."""
_VOW_ALONE = re.compile(r"\W*(?:and |but )?I (?:do )?(?:promise|swear)(?: (?:you|it|that))?\W*", re.IGNORECASE)
"""It says that something is promised, and not what."""
_GAVE = re.compile(
    r"\bI(?:'ve| have| did)? promised? (?!you\b|him\b|her\b|them\b|nothing\b|it\b)"
    r"(?:(?P<to>(?-i:[A-Z])\w+|(?:my|our) (?P<noun>\w+)) (?!nothing\b)|(?=(?:to|that|I'?)\b))",
    re.IGNORECASE,
)
"""A vow that is told of: I promised Lena to call, I promised my sister that I'd call, I promised to call Lena."""
_TOLD = re.compile(r"\bI(?:'ve| have)? told (?P<to>(?-i:[A-Z])\w+) (?:that )?I(?:'d| would|'ll| will)\b", re.IGNORECASE)
"""To whom it was promised: I told Felix I'd pay him back."""
_DENIED = re.compile(r"\b(?:not|n't|can't|never) (?:\w+ )?promised?\b", re.IGNORECASE)
_OFFERED = re.compile(
    r"\bI(?:'ll| will|(?: am|'m) going to) (?:definitely |surely |be sure to |make sure to |try to )?(?P<verb>\w+)",
    re.IGNORECASE,
)
_DEEDS = listed("promised_deeds")
_REMINDER = re.compile(
    r"^(?:please |(?:can|could|will|would) you (?:please )?|also |and )?"
    r"(?:remind me (?:to|about|of)|don't let me forget)\b",
    re.IGNORECASE,
)
_BY = re.compile(r"\b(?:by|before|no later than)\b", re.IGNORECASE)
_DIRECTLY = re.compile(r" (?P<to>(?-i:[A-Z])\w+)")
_DEED_TO = re.compile(r"(?:\bto|'d|\bwould) \w+ (?P<to>(?-i:[A-Z])\w+)", re.IGNORECASE)
_TO_SOMEBODY = re.compile(r"\b(?:to|for) (?P<to>(?-i:[A-Z])\w+)")
_TO_ME = re.compile(r"\bpromised? me\b", re.IGNORECASE)
_TIME_NAME = re.compile(rf"{MONTH}|{WEEKDAY}", re.IGNORECASE)
_TO_LISTENER = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Promise:
    """Who owes what to whom, by when (UTC epoch seconds), and how sure the rules are."""

    by: str
    to: str | None
    text: str
    due: Instant | None
    confidence: float


def sighting_of(promise: Promise, quote: str, segment_key: int) -> Sighting:
    """A promise as it is seen in a segment."""
    properties = {"by": promise.by, "to": promise.to, "due": iso(promise.due), "text": promise.text}
    return Sighting("promise", f"{promise.by}: {promise.text}", promise.confidence, quote, segment_key, properties)


def promise_of(piece: UtterancePiece, scene: Scene) -> Promise | None:
    """The promise or reminder in a piece: a vow 0.9, a reminder 0.85, a deed owed to somebody or by a time 0.78.

    An undertaking to nobody and without a deadline is a plan, not a promise.
    """
    text, speaker = piece.text, scene.utterance.speaker
    reminder = _REMINDER.search(text) is not None
    confidence = 0.85 if reminder else weighed(_confidence(piece, scene), is_taught(piece, scene.utterance))
    if confidence is None:
        return None
    due = next((due_of(span) for span in scene.spans(text, "future") if _is_ahead(due_of(span), scene)), None)
    to = speaker if reminder else _named_recipient(text, speaker) or scene.voice.listener
    return Promise(speaker, to, _undertaking(text).rstrip(".!? "), due, confidence)


TAUGHT = 0.78
"""How sure a promise is that the taught head alone finds: as a deed that the rules find; of both three in four hold."""
_VOW = 0.9


def is_taught(piece: UtterancePiece, utterance: Utterance) -> bool | None:
    """What the taught head says of a piece: of its sentence, and there of what its speaker will do, where that is told.

    None if it says nothing.
    """
    told = verdict_of(piece.quote, utterance)
    if told is None or piece.question or not piece.asserted:
        return None
    elsewhere = _OFFERED.search(piece.quote) is not None and _OFFERED.search(piece.text) is None
    return told and not (elsewhere or _VOW_ALONE.fullmatch(piece.text)) if told else False


def is_offer(sentence: str) -> bool:
    """Whether somebody says what they will do, which the rules may take for a promise."""
    return _OFFERED.search(sentence) is not None


def verdict_of(sentence: str, utterance: Utterance) -> bool | None:
    """What the taught head says of a sentence; None if it says nothing."""
    return dict(utterance.promises).get(sentence)


def weighed(confidence: float | None, taught: bool | None) -> float | None:
    """How sure a promise is by rules and head together: the head adds promises, and takes back what is no vow."""
    if taught is False and confidence is not None and confidence < _VOW:
        return None
    return TAUGHT if confidence is None and taught else confidence


_BEFORE_IT = re.compile(
    r"^.*[,;] (?:but |and |so |then )*(?=I(?:'ll| will| promise| am going to|'m going to)\b)", re.DOTALL
)


def _undertaking(text: str) -> str:
    """What is promised, without what was done or is so before it: I sent it, but I'll send it again."""
    told = text if _REMINDER.search(text) else _BEFORE_IT.sub("", text)
    return text if is_vow_alone(told) else told


def _named_recipient(text: str, speaker: str) -> str | None:
    """Lena, of "I'll send Lena the report" and "I promised Lena to call", whoever hears it; you are whom it is told."""
    if (told := _TOLD.search(text)) is not None:
        return str(told["to"])
    gave = _GAVE.search(text)
    if gave is not None and gave["to"] is not None:
        return f"{speaker}'s {gave['noun']}" if gave["noun"] else gave["to"]
    if gave is not None and (done := _DEED_TO.search(text, gave.end())) is not None:
        return str(done["to"])
    offer = gave or (None if _TO_LISTENER.search(text) else _OFFERED.search(text))
    after = _DIRECTLY.match(text, offer.end()) if offer is not None else None
    named = after or (None if offer is None else _TO_SOMEBODY.search(text, offer.end()))
    return named.group("to") if named is not None and not _TIME_NAME.fullmatch(named.group("to")) else None


def _confidence(piece: UtterancePiece, scene: Scene) -> float | None:
    if (
        piece.question
        or _DENIED.search(piece.text)
        or _VOW_ALONE.fullmatch(piece.text)
        or re.match(r"(?:if|maybe|perhaps)\b", piece.text, re.IGNORECASE)
    ):
        return None
    if _VOWED.search(piece.text) or _GAVE.search(piece.text):
        return 0.9
    offer = _OFFERED.search(piece.text)
    if offer is not None and scene.vowed:
        return 0.9
    if offer is None or offer.group("verb").lower() not in _DEEDS:
        return None
    owed = _TO_LISTENER.search(piece.text) is not None
    return 0.78 if owed or (_BY.search(piece.text) and scene.spans(piece.text, "future")) else None


def told_of(claim: Claim, text: str, speaker: str) -> Promise | None:
    """What somebody else promised, as it is told of them: Tom promised me to fix the shelf."""
    if claim.predicate != PROMISE or claim.subject_type != "person" or fold(claim.subject) == fold(speaker):
        return None
    to_me = _TO_ME.search(text) is not None
    return Promise(claim.subject, speaker if to_me else None, text.rstrip(".!? "), claim.due, TAUGHT)


def is_vow_alone(text: str) -> bool:
    """I promise, said after what is promised: I'll be there. I promise."""
    return _VOW_ALONE.fullmatch(text) is not None


def _is_ahead(due: Instant | None, scene: Scene) -> bool:
    return due is not None and due > scene.utterance.at
