"""German ties: who is somebody's boss, partner or sister, and who is so no longer."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.model.claims import Claim
from memory.words.names import is_name
from memory.words.predicates import named

KIN = {
    "schwester": "sister", "bruder": "brother", "mutter": "mother", "mama": "mother", "vater": "father",
    "papa": "father", "tochter": "daughter", "sohn": "son", "frau": "wife", "mann": "husband", "freundin": "partner",
    "freund": "friend", "oma": "grandmother", "opa": "grandfather", "tante": "aunt", "onkel": "uncle",
    "chefin": "boss", "chef": "boss", "cousine": "cousin", "cousin": "cousin", "nichte": "niece", "neffe": "nephew",
}  # fmt: skip
"""A German noun of kin and its English one, as `has_<kin>` is called."""
_NAME = r"(?P<name>[A-ZÄÖÜ][\wäöüß-]+(?: [A-ZÄÖÜ][\wäöüß-]+)?)"
_OVER = r"(?:(?P<over>nicht mehr|nicht|nicht länger|(?:jetzt|nun|inzwischen|seit \w+)) )?"
_TIE = r"(?:[Mm]ein|[Uu]nser)e? (?P<noun>[A-ZÄÖÜ]\w+)"
_TIES = (re.compile(rf"{_NAME} ist {_OVER}{_TIE}"), re.compile(rf"{_TIE} ist (?P<over>nicht mehr) {_NAME}"))
"""Tom ist nicht mehr mein Chef. What my boss is, Schweizer, is mostly no name: there only the end is read."""


def tied(claim: Claim, clause: str, speaker: str) -> Claim:
    """The claim, of its speaker where it says or denies whose kin, boss or partner somebody is."""
    found = next((match for form in _TIES if (match := form.fullmatch(clause))), None)
    kin = KIN.get(found["noun"].lower()) if found else None
    row = named(f"has_{kin}")
    if found is None or row is None or not is_name(found["name"]):
        return claim
    denied = (found["over"] or "").startswith("nicht")
    return replace(
        claim, subject=speaker, subject_type="person", predicate=row.name, object=found["name"], object_type="person",
        slot=None, kind=row.kind, importance=4 + row.weight, polarity=not denied, tense="state",
        change=found["over"] not in (None, "nicht"),
    )  # fmt: skip
