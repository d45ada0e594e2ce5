"""What is seen of a claim that the rules read, so that the taught heads can say whether it is worth believing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adapters.extraction.taught_features import Floats, Person
from memory.model.claims import Claim, Utterance
from memory.model.ids import fold

SAID_LATER_S = 60.0
"""A claim that begins within a minute of its words has no date of its own."""
MARKS = 16
"""Figures of a claim as the rules read it."""
DOUBTS = 5
"""Figures of what the other heads say of its sentence and its subject."""


def quoted(claim: Claim, utterance: Utterance) -> tuple[int, int]:
    """The characters of the text that a claim was read from; all of it where its quote does not stand there."""
    start = utterance.text.find(claim.quote)
    return (start, start + len(claim.quote)) if start >= 0 and claim.quote else (0, len(utterance.text))


def marks(claim: Claim, utterance: Utterance) -> Floats:
    """[MARKS] How the rules read it."""
    dated = claim.valid_from is not None and abs(claim.valid_from - utterance.at) > SAID_LATER_S
    return np.array(
        [
            claim.importance / 10,
            claim.confidence or 0.0,
            claim.predicate is None,
            claim.polarity,
            claim.tense == "state",
            claim.tense == "event",
            claim.tense == "plan",
            fold(claim.subject) == fold(utterance.speaker),
            claim.subject in utterance.listeners,
            claim.change,
            dated,
            len(claim.statement) / 100,
            len(claim.quote) / 100,
            claim.kind == "preference",
            claim.kind == "opinion",
            claim.subject_type != "person",
        ],
        np.float32,
    )


def doubts(claim: Claim, found: Sequence[Person], who: Floats, sentence: Floats) -> Floats:
    """[DOUBTS] What the heads say of where it stands: worth keeping, a trap, and how likely its subject is meant.

    `who` are the chances of `found`, `sentence` those of keeping and of a trap.
    """
    own = [chance for person, chance in zip(found, who, strict=True) if fold(person.name) == fold(claim.subject)]
    chance = float(sum(own))
    return np.array([*sentence[:2], chance, bool(own), chance >= float(who.max(initial=0.0))], np.float32)
