"""Placing: what is known as a firm or a place is neither moved to nor somebody.

Who moves to what is known as a firm, and was never heard of as a place, has not moved house. And a town where somebody
lives breaks up with nobody.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memory.model.claims import Claim
from memory.model.commands import ReadSegment
from memory.model.ids import fold
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


def is_deed_of_a_place(draft: Draft, claim: Claim, segment: ReadSegment) -> bool:
    """Whether it says what only people do of a name that was heard as a place's elsewhere, and never as somebody's."""
    row = named(claim.predicate)
    speaks = fold(claim.subject) == fold(segment.speaker) or draft.profile.is_owner(claim.subject)
    if row is None or not row.of_people or speaks or not _is_heard(draft, claim.subject, "place", segment):
        return False
    level = Sensitivity(segment.sensitivity)
    person = resolution.find(draft, claim.subject, "person", level=level)
    spoken_of = person is not None and bool(draft.by_subject.get(person.entity_id))
    return not (spoken_of or _is_heard(draft, claim.subject, "person", segment))


def _is_heard(draft: Draft, name: str, type_: str, segment: ReadSegment) -> bool:
    """Whether other words than these have named something of that type so."""
    known = resolution.find(draft, name, type_, level=Sensitivity(segment.sensitivity))
    return known is not None and not draft.mentions.get(known.entity_id, {}).keys() <= {segment.segment_key}


_FROM_TO = re.compile(r"\bfrom (?P<before>[A-Z][\w&-]*(?: [A-Z][\w&-]*)*) to (?P<after>[A-Z][\w&-]*)")


def _from_a_firm(draft: Draft, claim: Claim, segment: ReadSegment) -> bool:
    """Whether who moves leaves a firm for it: from Acme, where they work, to what is then another firm."""
    told = _FROM_TO.search(claim.quote)
    onward = told is not None and (claim.object or "").startswith(told["after"])
    return told is not None and onward and _is_a_firm(draft, told["before"], segment)


def _is_a_firm(draft: Draft, name: str, segment: ReadSegment) -> bool:
    level = Sensitivity(segment.sensitivity)
    firm = resolution.find(draft, name, "organization", level=level)
    if firm is None or firm.type != "organization" or firm.confidence < _EMPLOYS:
        return False
    return not _is_heard(draft, name, "place", segment)
