"""Meeting: facts that came without a vector, or without their judge, meet their rivals once they have one."""

from __future__ import annotations

from memory.model.changes import Outcome
from memory.model.commands import MeetRivals, MergeFacts
from memory.model.facts import Fact
from memory.rules.contrary import contraries
from memory.rules.reflection import JUDGED, as_claim
from memory.rules.revision import IN_PLACE, apply_verdicts, judged_by, relate, rivals_of, same_meaning
from memory.rules.turn import Meeting, Origin, Turn
from memory.rules.upkeep import merge_facts
from memory.rules.versions import revise


def meet_rivals(turn: Turn, command: MeetRivals) -> list[Outcome]:
    """What the facts would have met when they were created: a duplicate is merged, a rival judged, neighbours linked.

    A fact that is gone or no longer believed is passed over, and so is a rival that it was weighed against before.
    """
    outcomes = []
    for identity in command.fact_ids:
        fact = turn.draft.facts.get(identity)
        if fact is not None and fact.status == "active":
            outcomes.append(_meet(turn, fact))
    return outcomes


def _meet(turn: Turn, fact: Fact) -> Outcome:
    draft = turn.draft
    origin = Origin("", fact.valid_from, sensitivity=fact.sensitivity, judged_by=fact.judged_by)
    met = Meeting(as_claim(fact), fact.subject_id, fact.object_id, origin, fact.fact_id)
    rivals = [each for each in rivals_of(turn, met) if each.fact_id != fact.fact_id]
    same = same_meaning(turn, met, rivals)
    if same is not None:
        first, second = sorted((fact, same), key=lambda each: (each.valid_from, each.fact_id))
        merge_facts(turn, MergeFacts("", clusters=((first.fact_id, second.fact_id),)))
        return Outcome(first.fact_id, "reinforced", (second.fact_id,))
    weighed = {each.to_id for each in draft.links if each.kind in JUDGED and each.from_id == fact.fact_id}
    weighed |= {each.from_id for each in draft.links if each.kind in JUDGED and each.to_id == fact.fact_id}
    against = [each for each in contraries(turn, met, rivals) if each.rival_id not in weighed]
    relate(turn, fact, rivals)
    if fact.judged_by.startswith(IN_PLACE) and not turn.asked:
        judge = judged_by(turn, met)
        fact = revise(draft, fact, "judged", turn.now, judged_by="rules" if judge.startswith(IN_PLACE) else judge)
    return (apply_verdicts(turn, fact, against) if against else None) or Outcome(fact.fact_id, "duplicate")
