"""Standing wishes and the requests they apply to, told by their form, in English and German.

"Never put cream in when I ask for soups" shares neither a word with "What could I cook for eight?" nor a meaning that a
pooled vector could see. Patterns are matched against text with plain apostrophes.
"""

from __future__ import annotations

import re

from memory.model.sources import ROLES
from memory.retrieval.matters import TurnMatters, spoken, takes_back

PREFERENCE, INSTRUCTION, LIFTING = 1, 2, 3
"""Kinds of wishes, and what only takes wishes back; 0 is none of these."""

_OWNER = ROLES.index("user")
_CUES = (
    "always",
    "never",
    "i ask",
    "i request",
    "i mention",
    "from now on",
    "going forward",
    "future",
    "call me",
    "prefer",
    "rather",
    " best",
    "bitte",
    "frage",
    "nenn",
    "ab jetzt",
    "ab sofort",
    "immer",
    "nie",
    "bevorzuge",
    "lieb",
)
"""Every wish holds one: looked for first, in a fortieth of the time that the patterns take."""
# What starts a sentence takes no further line breaks with it: a run of n of them would be read n * n / 2 times.
INSTRUCTIONS = (
    r"(?:^|[.!?;\n][^\S\n]*|\b(?:please,?|must|should) )(?:always|never) "
    r"(?!(?:been|had|got|was|were|is|are|mind|the|an?|my|so|too|such|good|nice|happy|fun|great|again|ever|in|on|at|here|"
    r"there)\b)(?!\w+(?:ed|ing)\b)[a-z]+",
    r"\b(?:when(?:ever)?|each time|every time|if) i (?:ask|request|mention)\b",
    r"(?:^|[.!?;,\n][^\S\n]*)(?:from now on|going forward|in (?:the )?future),? "
    r"(?!(?:i|i'\w+|we|it|he|she|they|my|our|the|this|that)\b)",
    r"\b(?:please|just|you can|you may) call me (?-i:[A-Z])",
    r"\bbitte (?:immer|nie(?:mals)?)\b",
    r"\b(?:wenn|falls) ich\b[^.!?]{0,80}\bfrage\b",
    r"\bnenne? mich\b",
    r"\bab (?:jetzt|sofort) (?!(?:bin|habe|will|werde|geht|wird|ist)\b)",
    r"(?:^|[.!?]\s*)(?:antworte|schreib|nutze|verwende|zeige?) (?:mir )?(?:bitte )?(?:immer|nie)\b",
)
"""Forms of an instruction; `bench.unseen` tells how few of the wishes of other talk have one."""
PREFERENCES = (
    r"\bi(?:'d| would| do)?(?: \w+ly| always)? prefer\b",
    r"\bmy (?:strong )?preference\b",
    r"\bi(?:'d| would) rather\b",
    r"\b(?:works|suits me) best\b",
    r"\bich bevorzuge\b",
    r"\b(?:mir|ist) [^.!?]{0,40}\blieber\b",
    r"\bam liebsten\b",
)
"""Forms of a preference."""
REQUESTS = (
    r"\bhow (?:do|can|could|should|would|might) (?:i|we|you|one)\b",
    r"\bhow (?:to|about)\b",
    r"\b(?:can|could|would|will) you\b",
    r"\bplease\b",
    r"\bshould (?:i|we)\b",
    r"\bwhat(?:'s| are| is) (?:some\b|(?:the |a )?(?:\w+ )?(?:best|good|ways?|steps?)\b)",
    r"(?:^|[.!?,]\s*)(?:show|tell|give|help|teach|explain|write|draft|suggest|recommend|walk|describe|create|make|plan|"
    r"design|compare|list)\b",
    r"\bi(?:'m| am) (?:\w+ly )?(?:planning|working|looking|trying|thinking|building|preparing)\b",
    r"\bi(?:'d like| would like| want| need) (?:to|you|help|an?|some)\b",
    r"\bwie (?:kann|soll|sollte|könnte|mache|schreibe|baue) (?:ich|man|wir)\b",
    r"\b(?:kannst|könntest|würdest) du\b",
    r"\bbitte\b",
    r"\bwas (?:soll|sollte|würdest)\b",
    r"(?:^|[.!?]\s*)(?:zeig|erklär|schreib|hilf|gib|empfiehl|plane?)",
)
"""Forms of a request."""
_INSTRUCTION, _PREFERENCE, _WISH, _REQUEST = (
    re.compile("|".join(forms), re.I) for forms in (INSTRUCTIONS, PREFERENCES, INSTRUCTIONS + PREFERENCES, REQUESTS)
)
_ABOUT_THE_PAST = re.compile(
    r"\b(?:did|didn't|was|were|had|have (?:i|you|we)|has|how (?:many|much|often|long)|when (?:is|are|will)|remind|"
    r"mentioned|brought up|discussed|talked|told|summar\w+|hast|habe|war|wann|wie (?:viele?|oft|lange))\b",
    re.I,
)


def wish(text: str, role: int) -> int:
    """Whether the owner instructs whoever helps, tells a preference, or takes such back; 0 is none of these.

    `role` is an index into memory.model.sources.ROLES: what others say binds nobody.
    """
    if role != _OWNER:
        return 0
    plain = text.replace("’", "'")
    folded = plain.lower()
    if any(cue in folded for cue in _CUES):
        if _INSTRUCTION.search(plain):
            return INSTRUCTION
        if _PREFERENCE.search(plain):
            return PREFERENCE
    return LIFTING if takes_back(plain) else 0


def spoken_in(text: str) -> TurnMatters:
    """What a turn that is a wish, or takes one back, is about."""
    return spoken(text.replace("’", "'"), _WISH)


def requests(text: str) -> bool:
    """Whether a question wants something made, shown or advised, and does not ask what was."""
    plain = text.replace("’", "'")
    return _REQUEST.search(plain) is not None and _ABOUT_THE_PAST.search(plain) is None
