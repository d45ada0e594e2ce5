"""Versions: the only ways a fact may change. Each closes one version and opens the next."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memory.model.changes import key_of
from memory.model.facts import Evidence, Fact, Link
from memory.model.timeline import Instant
from memory.model.working_set import Draft

_JUDGED = frozenset({"status", "confidence", "protected"})
"""Whatever changes one of these has thought of the fact anew, and strength fades from there (seed 003)."""


def revise(draft: Draft, fact: Fact, reason: str, now: Instant, **changes: Any) -> Fact:
    """Open the next version of a fact with these fields changed."""
    judged = None if _JUDGED & changes.keys() else fact.since
    after = replace(fact, version=fact.version + 1, system_from=now, system_to=None, updated_at=judged, **changes)
    draft.put(reason, fact, after)
    return after


def link(draft: Draft, kind: str, from_id: str, to_id: str, weight: float = 1.0, judged_by: str = "rules") -> None:
    """Add a link unless the two are linked that way already."""
    fresh = Link(kind, from_id, to_id, weight, judged_by)
    if fresh not in draft.links:
        draft.put("linked", None, fresh)


def support(draft: Draft, evidence: Evidence) -> bool:
    """Add evidence; True if its source had not supported this fact before.

    Words that say so already vouch for the moments of both.
    """
    known = draft.evidence.get(evidence.fact_id, ())
    here = next((each for each in known if key_of(each) == key_of(evidence)), None)
    both = evidence if here is None else here.telling((*here.moments, *evidence.moments))
    if both != here:
        draft.put("supported", here, both)
    return all(each.source_id != evidence.source_id for each in known)


def supporting_sources(draft: Draft, fact_id: str) -> int:
    """How many distinct sources say so."""
    return len({each.source_id for each in draft.evidence.get(fact_id, ())})
