"""Upkeep: what an owner has done to facts as facts - protect, merge, generalise, let go, put in their place (seed 003).

What to do was found beforehand (`memory.rules.reflection`, `memory.rules.backfill`) and comes as ids. What has changed
between the looking and the doing is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.errors import Conflict
from memory.model.changes import Outcome
from memory.model.commands import BackfillSubjects, MergeFacts, MetaFact, ProtectFact, PruneFacts, Synthesize
from memory.model.facts import Fact
from memory.model.ids import meta_id
from memory.rules.across import settle_slots
from memory.rules.parameters import Reflection
from memory.rules.reflection import as_claim, is_one
from memory.rules.revision import IN_PLACE
from memory.rules.settled import is_final
from memory.rules.statements import entity_of, fact_of
from memory.rules.support import GENERALLY, supports
from memory.rules.turn import TurnState
from memory.rules.versions import link, revise, support


def protect(turn: TurnState, command: ProtectFact) -> list[Outcome]:
    """Let a fact fade no more, or again (seed 004); its confidence stays as it is."""
    fact = fact_of(turn, command.fact_id)
    if fact.status != "active":
        raise Conflict("Only a fact that is believed can be protected.", fact_id=fact.fact_id, status=fact.status)
    if fact.protected != command.protected:
        reason = "protected" if command.protected else "protection ended"
        revise(turn.draft, fact, reason, turn.now, protected=command.protected)
    return [Outcome(fact.fact_id, "reinforced")]


def merge_facts(turn: TurnState, command: MergeFacts) -> list[Outcome]:
    """Duplicates become one: the first of each cluster keeps the evidence of all and is reinforced once (seed 003).

    The others are invalidated as never having been facts of their own, and superseded by the one that stays. They keep
    their evidence, so that words forgotten later take them along.
    """
    return [outcome for cluster in command.clusters if (outcome := _merge(turn, cluster)) is not None]


def _merge(turn: TurnState, cluster: Sequence[str]) -> Outcome | None:
    draft = turn.draft
    kept, *others = [draft.facts.get(each) for each in dict.fromkeys(cluster)]
    if kept is None or kept.status != "active":
        return None
    same = [each for each in others if each is not None and _says_the_same(each, kept)]
    if not same:
        return None
    ends = [fact.valid_to for fact in (kept, *same)]
    for fact in same:
        for evidence in draft.evidence.get(fact.fact_id, ()):
            support(draft, replace(evidence, fact_id=kept.fact_id))
        revise(draft, fact, "merged as a duplicate", turn.now, status="invalidated", valid_to=fact.valid_from)
        link(draft, "supersedes", kept.fact_id, fact.fact_id)
    revise(
        draft,
        kept,
        "reinforced by a merge",
        turn.now,
        confidence=min(1.0, round(kept.confidence + turn.rules.reinforce_by, 6)),
        valid_from=min(fact.valid_from for fact in (kept, *same)),
        valid_to=None if any(end is None for end in ends) else max(end for end in ends if end is not None),
        protected=any(fact.protected for fact in (kept, *same)),
        judged_by=_judge_of(kept, same),
    )
    return Outcome(kept.fact_id, "reinforced", tuple(fact.fact_id for fact in same))


def _judge_of(kept: Fact, same: Sequence[Fact]) -> str:
    """Who has decided on what is one now: a judge that is to be asked of a part still is, unless it judged `kept`."""
    unanswered = (each.judged_by for each in (kept, *same) if each.judged_by.startswith(IN_PLACE))
    return next((each for each in unanswered if each != f"{IN_PLACE}{kept.judged_by}"), kept.judged_by)


def _says_the_same(fact: Fact, kept: Fact) -> bool:
    near = (fact.subject_id, fact.sensitivity) == (kept.subject_id, kept.sensitivity) and fact.fact_id != kept.fact_id
    return fact.status == "active" and near and is_one(as_claim(fact), kept)


def synthesize(turn: TurnState, command: Synthesize, rules: Reflection) -> list[Outcome]:
    """Believe meta facts, each on facts that all stand, are about one subject and of one sensitivity.

    The same support is the same meta fact: told again, nothing changes; regained, it is believed again; forgotten or
    corrected by the owner, or let go, it stays so. One that rests on part of a larger support gives way to the larger
    one.
    """
    told = (_generalise(turn, meta, rules) for meta in command.meta_facts)
    return [outcome for outcome in told if outcome is not None]


def _generalise(turn: TurnState, meta: MetaFact, rules: Reflection) -> Outcome | None:
    draft = turn.draft
    grounds = [draft.facts.get(each) for each in sorted(set(meta.support))]
    standing = [each for each in grounds if each is not None and each.status == "active" and each.kind != "meta"]
    alike = {(each.subject_id, each.sensitivity) for each in standing}
    if len(standing) < len(grounds) or len(alike) != 1 or not meta.statement.strip():
        return None
    identity = meta_id(draft.user_id, meta.support)
    known = draft.facts.get(identity)
    if known is not None and is_final(known):
        return Outcome(identity, "duplicate")
    began = min(each.valid_from for each in standing)
    if known is not None:
        revise(draft, known, "supported again", turn.now, status="active", valid_from=began, valid_to=None)
        return Outcome(identity, "reinforced")
    draft.put("synthesized", None, _meta_fact(turn, meta, standing, rules))
    for each in standing:
        link(draft, "derived_from", identity, each.fact_id)
    return Outcome(identity, "created", _give_way(turn, identity, {each.fact_id for each in standing}))


def _meta_fact(turn: TurnState, meta: MetaFact, grounds: Sequence[Fact], rules: Reflection) -> Fact:
    return Fact(
        fact_id=meta_id(turn.draft.user_id, meta.support),
        version=1,
        subject_id=grounds[0].subject_id,
        statement=" ".join(meta.statement.split()),
        kind="meta",
        predicate=GENERALLY,
        importance=max(each.importance for each in grounds),
        confidence=rules.meta_confidence,
        stability=rules.meta_stability,
        valid_from=min(each.valid_from for each in grounds),
        system_from=turn.now,
        judged_by=meta.judged_by,
        sensitivity=grounds[0].sensitivity,
    )


def _give_way(turn: TurnState, fresh_id: str, grounds: set[str]) -> tuple[str, ...]:
    """Supersede the meta facts that rest on a part of these grounds; their ids."""
    draft = turn.draft
    gone = []
    for meta_fact, support_ids in supports(draft, {draft.facts[fresh_id].subject_id}).items():
        if meta_fact != fresh_id and support_ids < grounds:
            older = draft.facts[meta_fact]
            revise(draft, older, "superseded", turn.now, status="superseded", valid_to=older.valid_from)
            link(draft, "supersedes", fresh_id, meta_fact)
            gone.append(meta_fact)
    return tuple(gone)


def prune(turn: TurnState, command: PruneFacts) -> list[Outcome]:
    """Let go of faded facts for good, short of undoing it: they are neither shown nor found as facts (seed 003)."""
    outcomes = []
    for fact_id, version in command.chosen:
        fact = turn.draft.facts.get(fact_id)
        if fact is not None and fact.version == version and fact.status == "active" and not fact.protected:
            revise(turn.draft, fact, "pruned", turn.now, status="pruned")
            outcomes.append(Outcome(fact_id, "invalidated"))
    return outcomes


def backfill_subjects(turn: TurnState, command: BackfillSubjects) -> list[Outcome]:
    """Put facts under the entity they are about; in a slot of one value they take their place in its chain."""
    moved = []
    for fact_id, entity_id in command.placements:
        fact, entity = turn.draft.facts.get(fact_id), entity_of(turn, entity_id)
        if fact is None or fact.status != "active" or fact.subject_id == entity.entity_id or entity.merged_into:
            continue
        moved.append(revise(turn.draft, fact, "subject filled in", turn.now, subject_id=entity.entity_id))
    settle_slots(turn, moved)
    return [Outcome(fact.fact_id, "reinforced") for fact in moved]
