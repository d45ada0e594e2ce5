"""Support: a meta fact stands while every fact it rests on stands, is of its subject, and has not been erased."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from memory.model.changes import Change
from memory.model.facts import Fact, Link
from memory.model.working_set import Draft
from memory.rules.turn import TurnState
from memory.rules.versions import revise
from memory.rules.withdrawal import erase_fact

GENERALLY = "generally"
"""The predicate of every meta fact, by which those of a subject are found."""


def supports(draft: Draft, subject_ids: Collection[str]) -> Mapping[str, frozenset[str]]:
    """Meta fact -> the facts it rests on, for those about these subjects that are believed."""
    meta_facts = {
        fact_id
        for subject_id in subject_ids
        for fact_id in draft.by_predicate.get((subject_id, GENERALLY), ())
        if draft.facts[fact_id].status == "active"
    }
    links = ((meta_id, draft.links_of(meta_id)) for meta_id in sorted(meta_facts))
    resting = {
        meta_id: frozenset(each.to_id for each in about if each.kind == "derived_from" and each.from_id == meta_id)
        for meta_id, about in links
    }
    return {meta_id: ids for meta_id, ids in resting.items() if ids}


def withdraw_unsupported(turn: TurnState) -> None:
    """Take back, at the end of a turn, the meta facts that have lost support in it; erase those it was erased from."""
    draft = turn.draft
    for meta_id in sorted({each for change in draft.changes if (each := _robbed(change)) is not None}):
        if meta_id in draft.facts:
            erase_fact(turn, meta_id)
    subjects = {each for change in draft.changes for each in _shaken(change)}
    for meta_id, ids in supports(draft, subjects).items():
        meta = draft.facts[meta_id]
        if not all(_bears(draft.facts.get(each), meta) for each in ids):
            revise(draft, meta, "support lost", turn.now, status="invalidated", valid_to=meta.valid_from)


def _bears(fact: Fact | None, meta: Fact) -> bool:
    return fact is not None and fact.status == "active" and fact.subject_id == meta.subject_id


def _robbed(change: Change) -> str | None:
    """The meta fact that loses a support which is erased: it quotes words that are to be gone."""
    link = change.before
    erased = change.reason == "erased" and isinstance(link, Link) and link.kind == "derived_from"
    return link.from_id if erased and isinstance(link, Link) else None


def _shaken(change: Change) -> tuple[str, ...]:
    """The subjects whose meta facts a change of a fact may concern."""
    before, after = change.before, change.after
    if not isinstance(before, Fact):
        return ()
    if isinstance(after, Fact) and after.status == "active" and after.subject_id == before.subject_id:
        return ()
    return (before.subject_id,) if not isinstance(after, Fact) else (before.subject_id, after.subject_id)
