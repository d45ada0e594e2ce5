"""Readings: what an extractor saw becomes mentions, entities and facts; what its words lose is taken back."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from memory.model.changes import Outcome
from memory.model.claims import Claim, Sighting
from memory.model.commands import AcceptReading, ReadSegment, Withdraw
from memory.model.entities import Entity, Mention
from memory.model.ids import fold
from memory.model.scopes import Sensitivity
from memory.model.working_set import Draft
from memory.rules import resolution
from memory.rules.asserted import as_asserted
from memory.rules.fulfilment import FulfilmentWeights
from memory.rules.keeping import keep, keep_by_words, made_anew, told_as_kept
from memory.rules.merging import merge_into
from memory.rules.parameters import Gates
from memory.rules.placing import as_placed, is_deed_of_a_place
from memory.rules.revision import believe
from memory.rules.settled import refuse
from memory.rules.turn import ClaimOrigin, TurnState
from memory.rules.withdrawal import withdraw
from memory.words.names import bare, is_broadcast, is_name


def accept_reading(
    turn: TurnState, command: AcceptReading, gates: Gates, fulfilment: FulfilmentWeights | None = None
) -> list[Outcome]:
    """Believe a reading: gate and deduplicate its sightings, resolve names, meet every claim with its rivals.

    `fulfilment` tells of words that no claim was read from whether they tell of a promise kept.
    """
    read = {each.segment_key: each for each in command.read}
    reread = tuple(key for key, segment in read.items() if segment.revision > 1)
    withdraw(turn, Withdraw(command_id=command.command_id, segment_keys=(*command.withdrawn, *reread)))
    for sighting in _gated(command.sightings, gates):
        if (segment := read.get(sighting.segment_key)) is not None:
            mention(turn, sighting, segment)
    outcomes = []
    for claim in command.claims:
        segment = read.get(claim.segment_key)
        if segment is None or _is_no_evidence(turn, segment) or is_deed_of_a_place(turn.draft, claim, segment):
            continue
        asserted = as_asserted(claim, segment.at)
        placed = None if asserted is None else as_placed(turn.draft, asserted, segment)
        if placed is not None:
            outcomes.append(_believe_heard(turn, placed, segment, command))
    if fulfilment is not None:
        heard = [each for each in command.read if each.words and not _is_no_evidence(turn, each)]
        keep_by_words(turn.draft, heard, fulfilment)
    return outcomes


def _gated(sightings: Collection[Sighting], gates: Gates) -> list[Sighting]:
    """Sightings confident enough for their type, once a (type, name, segment); the most confident wins (seed 001)."""
    best: dict[tuple[str, str, int], Sighting] = {}
    for sighting in sightings:
        if sighting.confidence < gates.of(sighting.type) or not fold(sighting.name):
            continue
        key = (sighting.type, fold(sighting.name), sighting.segment_key)
        if key not in best or best[key].confidence < sighting.confidence:
            best[key] = sighting
    return list(best.values())


def mention(turn: TurnState, sighting: Sighting, segment: ReadSegment) -> None:
    """What was seen in a segment becomes an entity, or a further mention of one."""
    draft, level = turn.draft, Sensitivity(segment.sensitivity)
    entity = _entity_of(turn, sighting, level)
    if entity.sensitivity == level:  # what more sensitive words say of it shows in no row that others see
        for namesake in _nicknamed(turn, entity, sighting):
            entity = merge_into(turn, entity, namesake)
        again = entity.type == "promise" and _is_latest(draft, entity, segment)
        improved = made_anew(_improved(entity, sighting, again=again), segment.at)
        if improved != entity:
            draft.put("seen again", entity, improved)
    known = draft.mentions.get(entity.entity_id, {}).get(segment.segment_key)
    seen = Mention(
        entity.entity_id, segment.source_id, segment.segment_key, segment.at, sighting.quote, sighting.confidence, level
    )
    if known is None or known.confidence < seen.confidence:
        draft.put("mentioned", known, seen)


def _entity_of(turn: TurnState, sighting: Sighting, level: Sensitivity) -> Entity:
    if sighting.type == "person":
        spoken = resolution.speaker(turn.draft, sighting.name, level)
        if spoken is not None:
            return spoken
        if turn.draft.profile.is_owner(sighting.name):
            return ensure_owner(turn)
    return resolution.ensure(
        turn.draft,
        sighting.name,
        sighting.type,
        turn.now,
        level=level,
        confidence=sighting.confidence,
    )


def _nicknamed(turn: TurnState, entity: Entity, sighting: Sighting) -> list[Entity]:
    """Persons known only by a name of which this sighting says that it is another's: Pri, when Priyanka is called so.

    Who has other names or relations of their own, or owns this memory, may be somebody else.
    """
    if entity.type != "person":
        return []
    names = (alias for alias in sighting.aliases if is_name(alias) and bare(alias) == alias and "'s " not in alias)
    level = entity.sensitivity
    found = {
        each.entity_id: each for name in names if (each := resolution.find(turn.draft, name, "person", level=level))
    }
    return [
        each
        for each in found.values()
        if each.entity_id != entity.entity_id
        and each.sensitivity == level
        and not (each.is_owner or each.aliases or each.properties)
    ]


def _is_latest(draft: Draft, entity: Entity, segment: ReadSegment) -> bool:
    """Whether nothing that was said later mentions an entity."""
    return all(each.at <= segment.at for each in draft.mentions.get(entity.entity_id, {}).values())


def _improved(entity: Entity, sighting: Sighting, *, again: bool) -> Entity:
    """The entity with what this sighting adds: confidence, properties, new aliases.

    What is known of it stays, but a promise that is made `again` is owed as its latest words say: by another day.
    """
    names = entity.names
    fresh = tuple(alias for alias in sighting.aliases if fold(alias) not in names)
    old, new = (entity, sighting) if again else (sighting, entity)
    said = {name: value for each in (old, new) for name, value in each.properties.items() if value is not None}
    return replace(
        entity,
        confidence=max(entity.confidence, sighting.confidence),
        properties={**sighting.properties, **entity.properties, **said},
        aliases=(*entity.aliases, *fresh),
    )


def ensure_owner(turn: TurnState) -> Entity:
    """The owner's entity; its name comes from the profile, never from text."""
    draft = turn.draft
    known = resolution.owner(draft)
    if known is not None:
        return known
    name = draft.profile.name or "owner"
    person = resolution.ensure(draft, name, "person", turn.now, level=Sensitivity.OPEN, reason="named by the profile")
    after = replace(person, is_owner=True)
    draft.put("is the owner", person, after)
    return after


def _is_no_evidence(turn: TurnState, segment: ReadSegment) -> bool:
    """What an assistant, a tool or a programme said is no evidence, whatever an extractor made of it."""
    silent = segment.role in ("assistant", "tool") or is_broadcast(segment.speaker)
    return silent or turn.draft.profile.is_assistant(segment.speaker)


def subject_of(turn: TurnState, name: str, type_: str, speaker: str, level: Sensitivity) -> Entity:
    """Who or what a claim is about. A subject nobody has mentioned is kept under its name."""
    draft = turn.draft
    if draft.profile.is_owner(name) or fold(name) in resolution.OWNER_NAMES:
        return ensure_owner(turn)
    known = resolution.find(draft, name, type_, level=level) or resolution.find(draft, name, level=level)
    if known is not None:
        return known
    if speaker and fold(name) == fold(speaker):
        return resolution.ensure(draft, name, "person", turn.now, level=level)
    return resolution.ensure(draft, name, type_, turn.now, level=level, confidence=0.6, reason="spoken of")


def _believe_heard(turn: TurnState, claim: Claim, segment: ReadSegment, command: AcceptReading) -> Outcome:
    level = Sensitivity(segment.sensitivity)
    subject = subject_of(turn, claim.subject, claim.subject_type, segment.speaker, level)
    refused = refuse(turn.draft, claim, subject.entity_id, segment, command)
    if refused is not None:
        return refused
    target = resolution.find(turn.draft, claim.object, level=level) if claim.object else None
    origin = ClaimOrigin(
        source_id=segment.source_id,
        at=segment.at,
        segment_key=segment.segment_key,
        revision=segment.revision,
        sensitivity=level,
        judged_by=command.extractor,
    )
    outcome = believe(turn, claim, subject.entity_id, target.entity_id if target else None, origin)
    keep(turn, claim, subject.entity_id, segment, told_as_kept(turn, claim, origin))
    return outcome
