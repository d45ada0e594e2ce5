"""Backfill: facts that were kept under a placeholder get the entity they are about (seed 003)."""

from __future__ import annotations

from collections.abc import Collection

from memory.model.facts import Fact
from memory.model.ids import fold
from memory.model.working_set import Draft, WorkingSet
from memory.rules import resolution
from memory.rules.reflection import comparable
from memory.words.names import bare

LONGEST_NAME = 4
"""Words a name at the beginning of a statement may have (ours)."""


def backfills(believed: WorkingSet, seen: Collection[str]) -> list[tuple[str, str]]:
    """(fact id, entity id) of facts in sight that stand under a placeholder, and whose they are.

    Two kinds. What hangs on a person under one of the owner's labels is the owner's: the profile has come to list that
    label since. And what hangs on the owner for want of anybody else, mere words without a predicate, is about whoever
    its words begin with.
    """
    draft = Draft(believed)
    owner = resolution.owner(draft)
    if owner is None:
        return []
    labels = {
        each.entity_id
        for each in believed.entities.values()
        if each.type == "person" and not each.is_owner and _means_the_owner(draft, each.name)
    }
    found = []
    for fact in comparable(believed, seen):
        whose = owner.entity_id if fact.subject_id in labels else _first_named(draft, fact, owner.entity_id)
        if whose is not None and whose != fact.subject_id:
            found.append((fact.fact_id, whose))
    return found


def _means_the_owner(draft: Draft, name: str) -> bool:
    return draft.profile.is_owner(name) or fold(name) in resolution.OWNER_NAMES


def _first_named(draft: Draft, fact: Fact, owner_id: str) -> str | None:
    """The entity whose name the words of an unread statement of the owner's begin with, the longest name first."""
    if fact.subject_id != owner_id or fact.predicate is not None:
        return None
    words = fact.statement.split()[:LONGEST_NAME]
    beginnings = (bare(" ".join(words[:length])) for length in range(len(words), 0, -1))
    names = (each for each in beginnings if each and not _means_the_owner(draft, each))
    named = (resolution.find(draft, each, level=fact.sensitivity) for each in names)
    return next((each.entity_id for each in named if each is not None), None)
