"""Tiers: how an entity climbs from episode (L0) to knowledge (L1) to pattern (L2), and falls back (seed 000)."""

from __future__ import annotations

import numpy as np

from memory.model.entities import TIERS
from memory.model.facts import STATUSES
from memory.model.timeline import DAY_S, Instant
from memory.rules.census import ACTIVE, Codes, EntityRows, FactRows
from memory.rules.decay import Column, Flags
from memory.rules.parameters import Tiers

L0, L1, L2 = range(len(TIERS))
TAKEN_BACK = ("superseded", "invalidated")
"""The statuses by which a fact speaks against what it was about."""
_TAKEN_BACK = tuple(map(STATUSES.index, TAKEN_BACK))
NEVER = float("-inf")
"""The instant of what nobody said."""


def tiers_of(entities: EntityRows, denied: Flags, now: Instant, rules: Tiers) -> Codes:
    """[n] the tier every entity has at `now`, as places in TIERS. Age counts from the first mention, in event time.

    `denied` says which are contradicted: those fall from L2 to L1 and climb nowhere. What was never mentioned stays.
    """
    age_days = np.maximum(0.0, now - entities.first_seen) / DAY_S
    settled = entities.lasting & (entities.in_community | (not rules.l2_requires_community))
    second = (age_days >= rules.l2_after_days) & (entities.sessions >= rules.l2_sources) & settled
    first = (age_days >= rules.l1_after_days) & (entities.sessions >= rules.l1_sources)
    earned = np.where(second, L2, np.where(first, L1, L0))
    stays = np.where(denied, np.minimum(entities.tier, L1), entities.tier)
    tiers: Codes = np.where(denied | (entities.sessions == 0), stays, earned).astype(np.int8)
    return tiers


def contradictions(entities: EntityRows, facts: FactRows) -> Flags:
    """[n] whether the last word on each entity was a contradiction (decision 0061, 11).

    A contradiction is a superseded or invalidated fact of which it is the object, or without an object the subject;
    it stands until a later re-affirmation or confirmation: what ends a fact begins at the same instant and may have the
    same object (who liked coffee gave up coffee), and affirms nothing. The owner is never contradicted.
    """
    place = {identity: row for row, identity in enumerate(entities.ids)}
    about = np.fromiter((place.get(each, -1) for each in facts.about), np.intp, len(facts.about))
    known = about >= 0
    against = np.where(np.isnan(facts.valid_to), facts.system_from, facts.valid_to)
    affirmed = np.fmax(facts.valid_from, facts.said_at)
    affirmed = np.where(facts.protected, np.maximum(affirmed, facts.system_from), affirmed)
    denied = known & np.isin(facts.status, _TAKEN_BACK)
    held = known & (facts.status == ACTIVE)
    last_against, last_affirmed = np.full(len(place), NEVER), np.full(len(place), NEVER)
    np.maximum.at(last_against, about[denied], against[denied])
    np.maximum.at(last_affirmed, about[held], affirmed[held])
    return last_word_is_against(last_against, last_affirmed) & ~entities.owner


def last_word_is_against(against: Column, affirmed: Column) -> Flags:
    """[n] whether something was said against it, and nothing for it later. NEVER stands where nothing was said."""
    found: Flags = (against >= affirmed) & (against > NEVER)
    return found
