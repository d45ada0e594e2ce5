"""Placing: who moves to what is known as a firm, and was never heard of as a place, has not moved house."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.model.claims import Claim
from memory.model.commands import ReadSegment
from memory.model.scopes import Sensitivity
from memory.model.working_set import Draft
from memory.rules import resolution
from memory.words.predicates import named

_EMPLOYS = 0.8
"""Least confidence of an organization for which somebody works; what the parser takes for one has 0.7 at most."""


def as_placed(draft: Draft, claim: Claim, segment: ReadSegment) -> Claim | None:
    """The claim; untyped if it moves somebody to a firm, and None if it only follows that they live in one."""
    row = named(claim.predicate)
    state = named(row.entails or row.name) if row is not None else None
    if state is None or not state.home or not claim.object or not claim.polarity:
        return claim
    if not (_is_a_firm(draft, claim.object, segment) or _from_a_firm(draft, claim, segment)):
        return claim
    if row is state:
        return None if claim.change else claim
    return replace(claim, predicate=None, object=None, object_type=None)


_FROM_TO = re.compile(r"\bfrom (?P<before>[A-Z][\w&-]*(?: [A-Z][\w&-]*)*) to (?P<after>[A-Z][\w&-]*)")


def _from_a_firm(draft: Draft, claim: Claim, segment: ReadSegment) -> bool:
    """Whether who moves leaves a firm for it: from Acme, where they work, to what is then another firm."""
    told = _FROM_TO.search(claim.quote)
    onward = told is not None and (claim.object or "").startswith(told["after"])
    return told is not None and onward and _is_a_firm(draft, told["before"], segment)


def _is_a_firm(draft: Draft, name: str, segment: ReadSegment) -> bool:
    level = Sensitivity(segment.sensitivity)
    firm = resolution.find(draft, name, "organization", level=level)
    place = resolution.find(draft, name, "place", level=level)
    if firm is None or firm.type != "organization" or firm.confidence < _EMPLOYS:
        return False
    heard = set(draft.mentions.get(place.entity_id, ())) if place is not None else set()
    return heard <= {segment.segment_key}
