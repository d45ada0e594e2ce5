"""Corrections: "Flat 9, not 7." and "No, not 7, 9." say again what was said before, with one value exchanged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from adapters.extraction.rules_answers import PriorQuestions
from adapters.extraction.rules_consequences import called_off
from adapters.extraction.rules_dating import Scene
from adapters.extraction.rules_model import Doc
from memory.model.claims import Claim
from memory.words.normalise import UtterancePiece

_VALUE = r"[\w€$£.:'’ -]{1,40}?"
_CORRECTED = re.compile(
    r"(?:(?:no|nope|oh|sorry|wait|oops|actually|i mean|i meant|it['’]s|it is|that['’]s|make (?:that|it)|in|at|on|"
    r"for|to)\b(?![-'’])[, ]*)*"
    rf"(?P<new>{_VALUE}),? (?:and )?not (?P<old>{_VALUE})[.!]*",
    re.IGNORECASE,
)
_EXCHANGED = re.compile(
    rf"(?:(?:no|nope|oh|sorry|wait|oops|actually)\b[,. ]*)*not (?P<old>{_VALUE})"
    rf"(?:,|;| -| –|\.) ?(?:but )?(?P<new>{_VALUE})[.!]*",
    re.IGNORECASE,
)
"""No, not lactose, gluten: here both sides are told, so that what was denied is meant with the new value, too."""
_LONGEST = 5
"""Words of a value: what is longer tells a tale of its own."""
_ARTICLE = re.compile(r"^(?:an?|the|this|that|my|our|his|her|their)\s+(?=\S)", re.IGNORECASE)
_NUMBER = re.compile(r"\d")


def corrected(
    piece: UtterancePiece, doc: Doc, said: Iterable[Claim], asked: PriorQuestions, scene: Scene
) -> Iterator[Claim]:
    """What the speaker `said` with the old value, latest first, told with the new one; nothing if none of it has it.

    What has a verb of its own is read as it is said. Where something was asked just before, this answers that, unless
    the question has the old value. What names a time with its date is left, for the date would stay the old one; and
    what was denied, unless the old value is named first: else nobody knows whether its other side is meant.
    """
    both = None if piece.question else _EXCHANGED.fullmatch(piece.text.strip())
    match = both or (None if piece.question else _CORRECTED.fullmatch(piece.text.strip()))
    if match is None or max(len(match[part].split()) for part in ("new", "old")) > _LONGEST:
        return
    if both is None and not _is_value(doc):
        return
    new, old = (_ARTICLE.sub("", match[part].strip(" ,.")) for part in ("new", "old"))
    if asked.questions and not any(_found(old, question) for question in asked.questions):
        return
    for claim in said:
        meant = (claim.polarity or both is not None) and "(" not in claim.statement
        statement = _exchanged(claim.statement, new, old) if meant else claim.statement
        if statement != claim.statement:
            anew = replace(
                claim,
                segment_key=scene.utterance.segment_key,
                quote=piece.quote,
                change=True,
                valid_from=scene.utterance.at,
            )
            yield replace(
                anew, statement=statement, object=_exchanged(claim.object, new, old) if claim.object else None
            )
            yield from called_off(anew, claim.statement, claim.object)
            return


def exchanged(piece: UtterancePiece) -> str | None:
    """The value that is named as the wrong one beside the right one: lactose, of "no, not lactose, gluten"."""
    match = None if piece.question else _EXCHANGED.fullmatch(piece.text.strip())
    return None if match is None else _ARTICLE.sub("", match["old"].strip(" ,."))


def _is_value(doc: Doc) -> bool:
    """Whether it names something and has no verb but that of "it's 9": neither "we need 3" nor "certainly"."""
    before = [token for token in doc[: next((t.i for t in doc if t.lower_ == "not"), 0)] if not token.is_punct]
    said = any(token.dep_.startswith("nsubj") and token.lower_ not in ("it", "that") for token in doc)
    if said or not before:
        return False
    return before[-1].pos_ in ("NOUN", "PROPN", "NUM", "ADJ", "SYM") or _NUMBER.match(before[-1].text) is not None


def _exchanged(text: str, new: str, old: str) -> str:
    """The text with the old value exchanged; words both values share are said once: Flat 9, not 7.

    A number is one of something: 7 plants are no Flat 7, and 500 euros are said instead of 400 euros.
    """
    words, more = new.split(), len(new.split()) - len(old.split())
    shared = [f"{' '.join(words[:more])} {old}", f"{old} {' '.join(words[-more:])}"] if more > 0 else []
    for value in (*shared, *(() if shared and _NUMBER.search(old) else (old,))):
        found = _found(value, text)
        if found is not None:
            return text[: found.start()] + new + text[found.end() :]
    return text


def _found(value: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE)
