"""German ties: who is somebody's boss, partner or sister, and who is so no longer."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.model.claims import Claim
from memory.model.ids import fold
from memory.words.everyday import GERMAN_KIN
from memory.words.names import is_name
from memory.words.predicates import tie

_NAME = r"(?P<name>[A-ZÄÖÜ][\wäöüß-]+(?: [A-ZÄÖÜ][\wäöüß-]+)?)"
_OVER = r"(?:(?P<over>nicht mehr|nicht|nicht länger|(?:jetzt|nun|inzwischen|seit \w+)) )?"
_TIE = r"(?:[Mm]ein|[Uu]nser)e? (?P<noun>[A-ZÄÖÜ]\w+)"
_NO_GENITIVE = (
    r"(?!(?:Lukas|Jonas|Thomas|Tobias|Andreas|Matthias|Elias|Niklas|Markus|Klaus|Hans|Jens|Chris|Doris|Iris) )"
)
"""Names that end like a genitive: Jonas Freund may be a man's whole name."""
THEIRS = rf"{_NO_GENITIVE}(?P<owner>[A-ZÄÖÜ][\wäöüß-]+?)(?:s|['’]s?) (?P<noun>[A-ZÄÖÜ]\w+)"
"""Lenas Bruder, Jonas' Schwester."""
_TIES = (
    re.compile(rf"{_NAME} ist {_OVER}{_TIE}"),
    re.compile(rf"{_NAME} ist {_OVER}{THEIRS}"),
    re.compile(rf"{_TIE} ist (?P<over>nicht mehr) {_NAME}"),
)
"""Tom ist nicht mehr mein Chef. What my boss is, Schweizer, is mostly no name: there only the end is read."""


def tied(claim: Claim, clause: str, speaker: str) -> Claim:
    """The claim, of its speaker, or of whom it names, where it tells or denies whose kin or boss somebody is."""
    found = next((match for form in _TIES if (match := form.fullmatch(clause))), None)
    kin = GERMAN_KIN.get(fold(found["noun"])) if found else None
    row = tie(kin)
    if found is None or row is None or not is_name(found["name"]):
        return claim
    denied = (found["over"] or "").startswith("nicht")
    return replace(
        claim,
        subject=found.groupdict().get("owner") or speaker,
        subject_type="person",
        predicate=row.name,
        object=found["name"],
        object_type="person",
        slot=None,
        kind=row.kind,
        importance=4 + row.weight,
        polarity=not denied,
        tense="state",
        change=found["over"] not in (None, "nicht"),
    )
