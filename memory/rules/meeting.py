"""Meeting: facts that came without a vector, or without their judge, meet their rivals once they have one."""

from __future__ import annotations

from memory.model.changes import Outcome
from memory.model.commands import MeetRivals, MergeFacts
from memory.model.facts import Fact
from memory.rules.contrary import contraries
from memory.rules.reflection import JUDGED, as_claim
from memory.rules.revision import IN_PLACE, apply_verdicts, judged_by, relate, rivals_of, same_meaning
from memory.rules.turn import ClaimOrigin, Meeting, TurnState
from memory.rules.upkeep import merge_facts
from memory.rules.versions import revise

Compared = set[frozenset[str]]
"""Pairs that one command has compared."""


def meet_rivals(turn: TurnState, command: MeetRivals) -> list[Outcome]:
    """What the facts would have met when they were created: a duplicate is merged, a rival judged, neighbours linked.

    A fact that is gone, no longer believed or without a vector is passed over, and so is a rival that it was weighed
    against before.
    """
    compared: Compared = set()
    return [outcome for identity in command.fact_ids for outcome in _meet(turn, identity, compared)]


def _meet(turn: TurnState, identity: str, compared: Compared) -> list[Outcome]:
    draft, fact = turn.draft, turn.draft.facts.get(identity)
    if fact is None or fact.status != "active" or fact.statement not in turn.resemblance.statements:
        return []
    if fact.kind == "meta":  # it would reinforce what it rests on
        return []
    origin = ClaimOrigin("", fact.valid_from, sensitivity=fact.sensitivity, judged_by=fact.judged_by)
    met = Meeting(as_claim(fact), fact.subject_id, fact.object_id, origin, fact.fact_id)
    rivals = [each for each in rivals_of(turn, met) if each.fact_id != fact.fact_id]
    same = same_meaning(turn, met, rivals)
    if same is not None:
        return _join(turn, fact, same, compared)
    weighed = {
        end for each in draft.links_of(fact.fact_id) if each.kind in JUDGED for end in (each.from_id, each.to_id)
    }
    weighed |= {each.fact_id for each in rivals if frozenset((fact.fact_id, each.fact_id)) in compared}
    compared |= {frozenset((fact.fact_id, each.fact_id)) for each in rivals}
    against = contraries(turn, met, rivals, weighed)
    relate(turn, fact, rivals)
    fact = _judged(turn, met, fact)
    return [(apply_verdicts(turn, fact, against) if against else None) or Outcome(fact.fact_id, "duplicate")]


def _join(turn: TurnState, fact: Fact, same: Fact, compared: Compared) -> list[Outcome]:
    """Let two that say the same be one; it goes on meeting its rivals, unless it had met them before."""
    first, second = sorted((fact, same), key=lambda each: (each.valid_from, each.fact_id))
    merge_facts(turn, MergeFacts(command_id="", clusters=((first.fact_id, second.fact_id),)))
    done = Outcome(first.fact_id, "reinforced", (second.fact_id,))
    unmet = first is fact or turn.draft.facts[first.fact_id].judged_by.startswith(IN_PLACE)
    return [done, *_meet(turn, first.fact_id, compared)] if unmet else [done]


def _judged(turn: TurnState, met: Meeting, fact: Fact) -> Fact:
    """The fact with who has decided: a judge that did not answer is to be asked again, one with no question is not."""
    if turn.judging is None:
        return fact
    judge = judged_by(turn, met)
    if judge.startswith(IN_PLACE) and all(each.fact_id != fact.fact_id for each in turn.asked):
        judge = "rules"
    return fact if judge == fact.judged_by else revise(turn.draft, fact, "judged", turn.now, judged_by=judge)
