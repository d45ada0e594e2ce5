"""Readings: what an extractor saw becomes mentions, entities and facts; what its words lose is taken back."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from memory.model.changes import Outcome, Row
from memory.model.claims import Claim, Sighting
from memory.model.commands import AcceptReading, ReadSegment, Withdraw
from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence
from memory.model.ids import fold
from memory.model.scopes import Sensitivity
from memory.model.working_set import Draft
from memory.rules import resolution
from memory.rules.parameters import Gates
from memory.rules.revision import Origin, Turn, believe
from memory.rules.versions import revise


def accept_reading(turn: Turn, command: AcceptReading, gates: Gates) -> list[Outcome]:
    """Believe a reading: gate and deduplicate its sightings, resolve names, meet every claim with its rivals."""
    read = {each.segment_key: each for each in command.read}
    reread = tuple(key for key, segment in read.items() if segment.revision > 1)
    withdraw(turn, Withdraw(command.command_id, segment_keys=(*command.withdrawn, *reread)))
    for sighting in _gated(command.sightings, gates):
        if (segment := read.get(sighting.segment_key)) is not None:
            _mention(turn, sighting, segment)
    outcomes = []
    for claim in command.claims:
        segment = read.get(claim.segment_key)
        if segment is None or _is_no_evidence(turn, segment):
            continue
        outcomes.append(_believe_heard(turn, claim, segment, command.extractor))
    return outcomes


def withdraw(turn: Turn, command: Withdraw) -> None:
    """Take back mentions and evidence of some segments, and what rested on nothing else.

    A fact without any evidence left is invalidated, or erased if the words are to be forgotten for good; so is an
    entity that is then neither mentioned nor the subject of a fact.
    """
    keys = set(command.segment_keys)
    if not keys and command.source_id is None:
        return
    draft = turn.draft
    touched = {*command.once, *_take_back(draft, keys, command)}
    groundless = [draft.facts[each] for each in touched if each in draft.facts and each not in draft.evidence]
    for fact in sorted(groundless, key=lambda each: each.fact_id):
        if command.erase:
            erase_fact(turn, fact.fact_id)
        elif fact.status == "active":
            revise(draft, fact, "evidence withdrawn", turn.now, status="invalidated")
    if command.erase:
        spoken_of = {each for fact in groundless for each in (fact.subject_id, fact.object_id) if each is not None}
        _erase_silent(turn, sorted(touched | spoken_of))


def _take_back(draft: Draft, keys: set[int], command: Withdraw) -> set[str]:
    """Remove the mentions and the evidence; the ids of the entities and facts that lost some."""
    mentions = [rows[key] for rows in draft.mentions.values() for key in sorted(keys & rows.keys())]
    evidence = [
        each for rows in draft.evidence.values() for each in rows if each.segment_key in keys or _told_of(each, command)
    ]
    lost: list[Row] = [*mentions, *evidence]
    for row in lost:
        draft.put("withdrawn", row, None)
    return {each.entity_id for each in mentions} | {each.fact_id for each in evidence}


def _told_of(evidence: Evidence, command: Withdraw) -> bool:
    """Whether this is a statement that referred to the source which is now forgotten."""
    return command.erase and evidence.segment_key is None and evidence.source_id == command.source_id


def erase_fact(turn: Turn, fact_id: str) -> None:
    """Remove a fact with its evidence, links and notes, words included."""
    draft = turn.draft
    for evidence in draft.evidence.get(fact_id, ()):
        draft.put("erased", evidence, None)
    erase_attachments(turn, fact_id)
    draft.put("erased", draft.facts[fact_id], None)


def erase_attachments(turn: Turn, about_id: str) -> None:
    """Remove the links and notes of an entity or a fact."""
    draft = turn.draft
    for link in [each for each in draft.links if about_id in (each.from_id, each.to_id)]:
        draft.put("erased", link, None)
    for note in [each for each in draft.notes.values() if each.about_id == about_id]:
        draft.put("erased", note, None)


def _erase_silent(turn: Turn, entity_ids: Collection[str]) -> None:
    """Erase what is neither mentioned nor spoken of any more, with the entities that were merged into it."""
    draft = turn.draft
    objects = {fact.object_id for fact in draft.facts.values()}
    for entity_id in entity_ids:
        entity = draft.entities.get(entity_id)
        spoken_of = entity_id in objects or draft.by_subject.get(entity_id) or draft.mentions.get(entity_id)
        if entity is not None and not (entity.is_owner or entity.merged_into or spoken_of):
            erase_entity(turn, entity)


def erase_entity(turn: Turn, entity: Entity) -> None:
    """Remove an entity that nothing rests on any more, and those merged into it, with links, notes and words."""
    draft = turn.draft
    for loser in [each for each in draft.entities.values() if each.merged_into == entity.entity_id]:
        erase_entity(turn, loser)
    erase_attachments(turn, entity.entity_id)
    draft.put("erased", entity, None)


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


def _mention(turn: Turn, sighting: Sighting, segment: ReadSegment) -> None:
    draft = turn.draft
    entity = _entity_of(turn, sighting, segment)
    improved = _improved(entity, sighting, segment)
    if improved != entity:
        draft.put("seen again", entity, improved)
    known = draft.mentions.get(entity.entity_id, {}).get(segment.segment_key)
    mention = Mention(
        entity.entity_id, segment.source_id, segment.segment_key, segment.at, sighting.quote, sighting.confidence
    )
    if known is None or known.confidence < mention.confidence:
        draft.put("mentioned", known, mention)


def _entity_of(turn: Turn, sighting: Sighting, segment: ReadSegment) -> Entity:
    if sighting.type == "person":
        spoken = resolution.speaker(turn.draft, sighting.name)
        if spoken is not None:
            return spoken
        if turn.draft.profile.is_owner(sighting.name):
            return ensure_owner(turn)
    return resolution.ensure(
        turn.draft,
        sighting.name,
        sighting.type,
        turn.now,
        confidence=sighting.confidence,
        sensitivity=Sensitivity(segment.sensitivity),
    )


def _improved(entity: Entity, sighting: Sighting, segment: ReadSegment) -> Entity:
    """The entity with what this sighting adds: confidence, properties, new aliases, an opener sensitivity."""
    names = entity.names
    fresh = tuple(alias for alias in sighting.aliases if fold(alias) not in names)
    return replace(
        entity,
        confidence=max(entity.confidence, sighting.confidence),
        properties={**sighting.properties, **entity.properties},
        aliases=(*entity.aliases, *fresh),
        sensitivity=min(entity.sensitivity, Sensitivity(segment.sensitivity)),
    )


def ensure_owner(turn: Turn) -> Entity:
    """The owner's entity; its name comes from the profile, never from text."""
    draft = turn.draft
    known = resolution.owner(draft)
    if known is not None:
        return known
    name = draft.profile.name or "owner"
    person = resolution.find(draft, name, "person")
    if person is None:
        person = resolution.ensure(draft, name, "person", turn.now, reason="named by the profile")
    after = replace(person, is_owner=True)
    draft.put("is the owner", person, after)
    return after


def _is_no_evidence(turn: Turn, segment: ReadSegment) -> bool:
    """What an assistant or a tool said is no evidence, whatever an extractor made of it."""
    return segment.role in ("assistant", "tool") or turn.draft.profile.is_assistant(segment.speaker)


def subject_of(turn: Turn, name: str, type_: str, speaker: str) -> Entity:
    """Who or what a claim is about. A subject nobody has mentioned is kept under its name."""
    draft = turn.draft
    if draft.profile.is_owner(name) or fold(name) in resolution.OWNER_NAMES:
        return ensure_owner(turn)
    known = resolution.find(draft, name, type_) or resolution.find(draft, name)
    if known is not None:
        return known
    if speaker and fold(name) == fold(speaker):
        return resolution.ensure(draft, name, "person", turn.now)
    return resolution.ensure(draft, name, type_, turn.now, confidence=0.6, reason="spoken of")


def _believe_heard(turn: Turn, claim: Claim, segment: ReadSegment, extractor: str) -> Outcome:
    subject = subject_of(turn, claim.subject, claim.subject_type, segment.speaker)
    target = resolution.find(turn.draft, claim.object) if claim.object else None
    origin = Origin(
        source_id=segment.source_id,
        at=segment.at,
        segment_key=segment.segment_key,
        revision=segment.revision,
        sensitivity=Sensitivity(segment.sensitivity),
        judged_by=extractor,
    )
    return believe(turn, claim, subject.entity_id, target.entity_id if target else None, origin)
