"""Reopening: when the words of a fact are taken back, so is what only that fact had ended."""

from __future__ import annotations

from memory.model.facts import Fact, Link
from memory.model.timeline import Instant
from memory.model.working_set import Draft
from memory.rules.versions import link, revise

_ENDED = ("superseded", "invalidated")


def reopen(draft: Draft, gone: Fact, now: Instant) -> None:
    """Let the facts hold again that ended where this one began and for no other reason.

    Where another fact had followed the one that is gone, it now follows them.
    """
    about = [each for each in draft.links if each.kind == "supersedes" and gone.fact_id in (each.from_id, each.to_id)]
    links = [each for each in about if _within(draft, each, gone)]
    after = sorted(each.from_id for each in links if each.to_id == gone.fact_id and _stands(draft, each.from_id))
    for old_id in sorted(each.to_id for each in links if each.from_id == gone.fact_id):
        old = draft.facts.get(old_id)
        if old is None or old_id not in draft.evidence or not _ended_with(old, gone):
            continue
        if _followed(draft, old, gone, max(old.valid_from, gone.valid_from)):
            continue
        ends = gone.valid_to
        if ends is not None and ends <= old.valid_from:  # what had ended it was over before it began
            ends = old.valid_from if after else None
        if not after:
            revise(draft, old, "holds again", now, status="active", valid_to=ends)
            continue
        revise(draft, old, "holds longer", now, status="superseded", valid_to=ends)
        for each in after:
            link(draft, "supersedes", each, old_id)


def begin_later(draft: Draft, fact: Fact, now: Instant) -> None:
    """Let a fact begin with the first of the words that are left, and what it had ended hold up to then."""
    began = min(each.since for each in draft.evidence[fact.fact_id])
    if began <= fact.valid_from or fact.status not in ("active", "superseded"):
        return
    ends = fact.valid_to if fact.valid_to is None else max(fact.valid_to, began)
    revise(draft, fact, "heard later", now, valid_from=began, valid_to=ends)
    links = [each for each in draft.links if each.kind == "supersedes" and each.from_id == fact.fact_id]
    for each in [each for each in links if _within(draft, each, fact)]:
        old = draft.facts.get(each.to_id)
        if old is None or old.status != "superseded" or old.valid_to != fact.valid_from:
            continue
        if not _followed(draft, old, fact, fact.valid_from):
            revise(draft, old, "holds longer", now, valid_to=began)


def _followed(draft: Draft, old: Fact, but: Fact, by: Instant) -> bool:
    """Whether something else that stands had taken the place of a fact by then."""
    links = (each for each in draft.links if each.kind == "supersedes" and each.to_id == old.fact_id)
    others = (each.from_id for each in links if each.from_id != but.fact_id and _within(draft, each, but))
    return any(_stands(draft, each) and draft.facts[each].valid_from <= by for each in others)


def _ended_with(old: Fact, gone: Fact) -> bool:
    return old.status in _ENDED and old.valid_to == max(old.valid_from, gone.valid_from)


def _stands(draft: Draft, fact_id: str) -> bool:
    fact = draft.facts.get(fact_id)
    return fact is not None and fact.believed


def _within(draft: Draft, each: Link, fact: Fact) -> bool:
    """Whether both ends of a link are of the sensitivity of a fact: across it nothing is ended, only linked."""
    ends = (draft.facts.get(end) for end in (each.from_id, each.to_id))
    return all(end is None or end.sensitivity == fact.sensitivity for end in ends)
