"""Retractions: by which words somebody takes back what they said just before - just kidding; no, not lactose."""

from __future__ import annotations

import re

_LONGEST = 12
"""Words of a line beyond which it tells more than that something is taken back."""
_JESTED = (
    r"(?:just |only |was |i'?m |i am |i was |no |totally |obviously )*(?:kidding|joking)",
    r"j/?k",
    r"(?:it |that |this )?(?:was|is|'s)? ?(?:just |only |all )?a joke",
    r"(?:war |ist |das war |das ist )?(?:nur |bloß |doch nur )?(?:ein )?(?:spaß|spass|scherz|witz)",
)
_MENDED = (
    r"(?:scratch|strike|forget|ignore) that",
    r"i take (?:that|it) back",
    r"(?:no,? wait|wait,? no|hang on,? no|hold on,? no|sorry,? no|nope,? sorry)",
    r"(?:no|nope|sorry|wait|oops|nein|nee),? (?:not|nicht|kein\w*) [^,;.]{1,40}(?:[,;.–-]+ ?| but | sondern )\w+",
    r"correction",
    r"(?:streich|vergiss) das",
    r"(?:ach )?quatsch",
)
_BEFORE = r"(?:(?:lol|haha\w*|hehe|ok(?:ay)?|oh|ah|well|and|but|nah|sorry|ach|ne)[,.! ]+)*"
_RETRACTS = re.compile(
    rf"\W*{_BEFORE}(?:(?:{'|'.join(_JESTED)})(?:[,.! ]+(?:lol|haha\w*|of course|obviously))?\W*$|"
    rf"(?:{'|'.join(_MENDED)})\b)",
    re.IGNORECASE,
)


def retracts(line: str) -> bool:
    """Whether a line takes back what its speaker said in the line before."""
    return len(line.split()) <= _LONGEST and _RETRACTS.match(line.replace("’", "'")) is not None
