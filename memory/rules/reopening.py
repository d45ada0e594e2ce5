"""Reopening: when the words of a fact are taken back, so is what only that fact had ended."""

from __future__ import annotations

from memory.model.facts import Fact
from memory.model.timeline import Instant
from memory.model.working_set import Draft
from memory.rules.versions import link, revise

_ENDED = ("superseded", "invalidated")


def reopen(draft: Draft, gone: Fact, now: Instant) -> None:
    """Let the facts hold again that ended where this one began and for no other reason.

    Where another fact had followed the one that is gone, it now follows them.
    """
    links = [each for each in draft.links if each.kind == "supersedes"]
    after = sorted(each.from_id for each in links if each.to_id == gone.fact_id and _stands(draft, each.from_id))
    for old_id in sorted(each.to_id for each in links if each.from_id == gone.fact_id):
        old = draft.facts.get(old_id)
        others = [each.from_id for each in links if each.to_id == old_id and each.from_id != gone.fact_id]
        if old is None or old_id not in draft.evidence or not _ended_with(old, gone):
            continue
        if any(_stands(draft, each) and draft.facts[each].valid_from <= gone.valid_from for each in others):
            continue
        if not after:
            revise(draft, old, "holds again", now, status="active", valid_to=gone.valid_to)
            continue
        revise(draft, old, "holds longer", now, status="superseded", valid_to=gone.valid_to)
        for each in after:
            link(draft, "supersedes", each, old_id)


def begin_later(draft: Draft, fact: Fact, now: Instant) -> None:
    """Let a fact begin with the first of the words that are left, and what it had ended hold up to then."""
    began = min(each.since for each in draft.evidence[fact.fact_id])
    if began <= fact.valid_from or fact.status not in ("active", "superseded"):
        return
    ends = fact.valid_to if fact.valid_to is None else max(fact.valid_to, began)
    revise(draft, fact, "heard later", now, valid_from=began, valid_to=ends)
    for each in [each for each in draft.links if each.kind == "supersedes" and each.from_id == fact.fact_id]:
        old = draft.facts.get(each.to_id)
        if old is not None and old.status == "superseded" and old.valid_to == fact.valid_from:
            revise(draft, old, "holds longer", now, valid_to=began)


def _ended_with(old: Fact, gone: Fact) -> bool:
    return old.status in _ENDED and old.valid_to == max(old.valid_from, gone.valid_from)


def _stands(draft: Draft, fact_id: str) -> bool:
    fact = draft.facts.get(fact_id)
    return fact is not None and fact.believed
