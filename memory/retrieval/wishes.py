"""Standing wishes and the requests they apply to, told by their form, in English and German.

"Always show code with its imports when I ask about scripts" shares neither a word with "How do I rename these files?"
nor a meaning that a pooled vector could see. Patterns are matched against text with plain apostrophes.
"""

from __future__ import annotations

import re

from memory.model.sources import ROLES
from memory.retrieval.matters import Spoken, spoken, takes_back

PREFERENCE, INSTRUCTION, LIFTING = 1, 2, 3
"""Kinds of wishes, and what only takes wishes back; 0 is none of these."""

_OWNER = ROLES.index("user")
_CUES = ("always", "never", "i ask", "i request", "i mention", "from now on", "going forward", "future", "call me",
         "prefer", "rather", " best", "bitte", "frage", "nenn", "ab jetzt", "ab sofort", "immer", "nie", "bevorzuge",
         "lieb")  # fmt: skip
"""Every wish holds one: looked for first, in a fortieth of the time that the patterns take."""
# What starts a sentence takes no further line breaks with it: a run of n of them would be read n * n / 2 times.
_INSTRUCTION = re.compile(
    r"(?:^|[.!?;\n][^\S\n]*|\b(?:please,?|must|should) )(?:always|never) "
    r"(?!(?:been|had|got|was|were|is|are|mind|the|an?|my|so|too|such|good|nice|happy|fun|great|again|ever|in|on|at|here|"
    r"there)\b)(?!\w+(?:ed|ing)\b)[a-z]+"
    r"|\b(?:when(?:ever)?|each time|every time|if) i (?:ask|request|mention)\b"
    r"|(?:^|[.!?;,\n][^\S\n]*)(?:from now on|going forward|in (?:the )?future),? "
    r"(?!(?:i|i'\w+|we|it|he|she|they|my|our|the|this|that)\b)"
    r"|\b(?:please|just|you can|you may) call me (?-i:[A-Z])"
    r"|\bbitte (?:immer|nie(?:mals)?)\b|\b(?:wenn|falls) ich\b[^.!?]{0,80}\bfrage\b|\bnenne? mich\b"
    r"|\bab (?:jetzt|sofort) (?!(?:bin|habe|will|werde|geht|wird|ist)\b)"
    r"|(?:^|[.!?]\s*)(?:antworte|schreib|nutze|verwende|zeige?) (?:mir )?(?:bitte )?(?:immer|nie)\b",
    re.I,
)
_PREFERENCE = re.compile(
    r"\bi(?:'d| would| do)?(?: \w+ly| always)? prefer\b|\bmy (?:strong )?preference\b|\bi(?:'d| would) rather\b"
    r"|\b(?:works|suits me) best\b|\bich bevorzuge\b|\b(?:mir|ist) [^.!?]{0,40}\blieber\b|\bam liebsten\b",
    re.I,
)
_WISH = re.compile(f"{_INSTRUCTION.pattern}|{_PREFERENCE.pattern}", re.I)
_REQUEST = re.compile(
    r"\bhow (?:do|can|could|should|would|might) (?:i|we|you|one)\b|\bhow (?:to|about)\b"
    r"|\b(?:can|could|would|will) you\b|\bplease\b|\bshould (?:i|we)\b|\bwhat [^.?!]{0,40}\bwould you\b"
    r"|\bwhat(?:'s| are| is) (?:some\b|(?:the |a )?(?:\w+ )?(?:best|common|different|typical|good|ways?|steps?)\b)"
    r"|(?:^|[.!?,]\s*)(?:show|tell|give|help|teach|explain|write|draft|suggest|recommend|walk|describe|create|make|plan|"
    r"design|compare|list)\b"
    r"|\bi(?:'m| am) (?:\w+ly )?(?:planning|working|looking|trying|updating|applying|thinking|building|preparing)\b"
    r"|\bi(?:'d like| would like| want| need) (?:to|you|help|an?|some)\b"
    r"|\bwie (?:kann|soll|sollte|könnte|mache|schreibe|baue) (?:ich|man|wir)\b|\b(?:kannst|könntest|würdest) du\b"
    r"|\bbitte\b|\bwas (?:soll|sollte|würdest)\b|(?:^|[.!?]\s*)(?:zeig|erklär|schreib|hilf|gib|empfiehl|plane?)",
    re.I,
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


def spoken_in(text: str) -> Spoken:
    """What a turn that is a wish, or takes one back, is about."""
    return spoken(text.replace("’", "'"), _WISH)


def requests(text: str) -> bool:
    """Whether a question wants something made, shown or advised, and does not ask what was."""
    plain = text.replace("’", "'")
    return _REQUEST.search(plain) is not None and _ABOUT_THE_PAST.search(plain) is None
