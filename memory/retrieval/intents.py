"""Intents: whether a question asks why, when, who or what, or nothing of these (seed 004).

Two classifiers: cue words in English and German, at once; and where they find none, the nearest of some example
questions, once the question is encoded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.words.everyday import asked_in_german
from memory.words.languages import is_german

GENERAL = "general"
"""The intent of a question that asks none of the four."""

INTENTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (intent, re.compile(pattern, re.I))
    for intent, pattern in (
        (
            "why",
            r"\b(?:why|what (?:made|caused|led|motivated|inspired|prompted|drove)|how come|reasons?|because of|"
            r"what for|for what purpose|the cause of|what's behind|explanation for|"
            r"warum|wieso|weshalb|weswegen|wozu|gr[uü]nde?|aus welchem anlass|wie kam es|"
            r"steckt hinter|erklärung für)\b",
        ),
        (
            "when",
            r"\b(?:when|how long|since when|how (?:recently|soon)|(?:what|which) (?:date|day|time|week|weekend|"
            r"month|year|season)|(?:what|which) (?:point|moment)|"
            r"how many (?:days|weeks|months|years)|wann|wie lange|"
            r"welche[mnrs]? (?:tag|datum|woche|wochenende|monat|jahr|uhrzeit|zeit|zeitpunkt)|wie ?viel uhr|"
            r"(?:vor|seit) wie ?vielen?)\b",
        ),
        (
            "who",
            r"\b(?:who|whom|whose|who's|(?:which|what) (?:person|people|man|woman|friends?|colleagues?|relatives?)|"
            r"the names? of the (?:person|people|one)|"
            r"wer|wen|wem|wessen|welche[mnrs]? (?:person\w*|leute|mann|frau|freund\w*|kolleg\w*|verwandte\w*))\b",
        ),
        (
            "what",
            r"\b(?:what|what's|which|where|how many|how much|how often|how old|welche[mnrs]?|wohin|woher|wo|"
            r"wie ?viele?|wie oft|wie alt|wie hei(?:ß|ss)t|woran|worüber|womit|wofür)\b",
        ),
    )
)
"""The first whose cue words a question has is its intent."""

WHEN = dict(INTENTS)["when"]
"""The cue words that ask for a time."""

_GERMAN_WHAT = re.compile(r"\bwas\b", re.I)
"""German writes "what" as English writes a past tense."""

NEAR = 0.45
"""The least cosine to an example that decides (seed 004); below it the cue words do."""

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "why": (
        "Why did that happen?",
        "Explain what was behind the decision.",
        "What is the explanation for the change?",
        "What was the motivation?",
        "What brought this about?",
    ),
    "when": (
        "When did that happen?",
        "At what point in time was it?",
        "Tell me the date of the appointment.",
        "How many months ago was the trip?",
        "Give me the time of the meeting.",
    ),
    "who": (
        "Who did that?",
        "Name the person responsible.",
        "Tell me the name of the one who helped.",
        "Whom did they meet?",
        "Give me the names of everybody who came.",
    ),
    "what": (
        "What is it?",
        "Which one was chosen?",
        "Where did they go?",
        "Name the place they visited.",
        "How many are there?",
    ),
    GENERAL: (
        "Tell me about it.",
        "Summarise the conversation.",
        "Help me with this.",
        "Write a plan for me.",
        "Give me an overview.",
    ),
}
"""Questions of each intent about nothing in particular, so that likeness is of kind rather than of topic. English: to
the bundled encoder, which knows no other language, all German questions look alike, and none is near one of these."""


@dataclass(frozen=True, slots=True, eq=False)
class Exemplars:
    """The example questions as one encoder understands them."""

    vectors: NDArray[np.float32]
    """[examples, dimensions], each row of unit length, in the order of `EXAMPLES`."""

    def nearest(self, vector: NDArray[np.float32]) -> tuple[str, float]:
        """The intent of the nearest example, and its cosine."""
        cosines = self.vectors @ vector
        best = int(cosines.argmax())
        return _INTENT_OF[best], float(cosines[best])


def examples() -> list[str]:
    """The example questions, to be encoded once a process."""
    return [text for texts in EXAMPLES.values() for text in texts]


_INTENT_OF = tuple(intent for intent, texts in EXAMPLES.items() for _ in texts)


def by_words(text: str) -> str:
    """The intent by cue words."""
    found = next((intent for intent, pattern in INTENTS if pattern.search(text)), GENERAL)
    if found != GENERAL or not _GERMAN_WHAT.search(text):
        return found
    return "what" if is_german(_GERMAN_WHAT.sub(" ", text)) or asked_in_german(text) else GENERAL


def by_example(vector: NDArray[np.float32], exemplars: Exemplars) -> str:
    """The intent of the nearest example, `general` if none is near."""
    intent, cosine = exemplars.nearest(vector)
    return intent if cosine >= NEAR else GENERAL
