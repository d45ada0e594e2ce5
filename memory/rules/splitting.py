"""Splitting and retyping: what was taken for one entity is two, or is of another type. Both can be undone."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memory.errors import Conflict, Invalid, NameTaken
from memory.model.changes import Outcome
from memory.model.commands import RetypeEntity, SplitEntity
from memory.model.entities import ENTITY_TYPES, Entity, Mention
from memory.model.facts import Fact
from memory.model.ids import fold
from memory.model.working_set import Draft
from memory.rules import resolution
from memory.rules.across import settle_slots
from memory.rules.following import follow_split
from memory.rules.merging import move
from memory.rules.naming import cleaned, instead_of, living
from memory.rules.turn import TurnState


@dataclass(frozen=True, slots=True)
class Share:
    """What of an entity is another's: the mentions and the facts that move."""

    mentions: tuple[Mention, ...]
    facts: tuple[Fact, ...]


def split(turn: TurnState, command: SplitEntity) -> list[Outcome]:
    """Let the chosen mentions and facts be those of another entity of the same type.

    Facts move if all their words stand in the chosen segments, or if they are chosen themselves; what rests on words of
    both stays. The old id stays with the old entity, and so do entities merged into it.
    """
    draft, entity = turn.draft, living(turn, command.entity_id)
    share = _share(draft, entity, command)
    fresh = _born(turn, entity, command, share)
    if fold(fresh.name) != fold(entity.name) and fold(fresh.name) in entity.names:
        kept = tuple(alias for alias in entity.aliases if fold(alias) != fold(fresh.name))
        draft.put("split", entity, replace(entity, aliases=kept))
    resolution.bear(draft, fresh, "split off")
    for mention in share.mentions:
        draft.put("split off", mention, None)
        draft.put("split off", None, replace(mention, entity_id=fresh.entity_id))
    moved = [move(turn, fact, entity.entity_id, fresh.entity_id, "split off") for fact in share.facts]
    settle_slots(turn, moved)
    follow_split(draft, entity, fresh)
    return []


def _share(draft: Draft, entity: Entity, command: SplitEntity) -> Share:
    keys, mentioned = set(command.segment_keys), draft.mentions.get(entity.entity_id, {})
    mentions = tuple(mentioned[key] for key in sorted(keys & mentioned.keys()))
    concerned = [each for each in draft.facts.values() if entity.entity_id in (each.subject_id, each.object_id)]
    strangers = set(command.fact_ids) - {each.fact_id for each in concerned}
    if strangers:
        raise Invalid("A chosen fact does not speak of this entity.", fact_id=min(strangers))
    facts = tuple(
        each for each in concerned if each.fact_id in command.fact_ids or _rests_on(draft, each.fact_id, keys)
    )
    if not mentions and not facts:
        raise Invalid("Nothing that speaks of this entity was chosen; name segments, sources or facts that do.")
    left = [each.sensitivity for each in mentioned.values() if each not in mentions]
    left += [each.sensitivity for each in concerned if each not in facts]
    if not any(each <= entity.sensitivity for each in left):
        raise Conflict("Nothing would be left of it; rename it instead.", entity_id=entity.entity_id)
    return Share(mentions, facts)


def _rests_on(draft: Draft, fact_id: str, keys: set[int]) -> bool:
    """Whether all the words of a fact stand in these segments."""
    evidence = draft.evidence.get(fact_id, ())
    return bool(evidence) and all(each.segment_key in keys for each in evidence)


def _born(turn: TurnState, entity: Entity, command: SplitEntity, share: Share) -> Entity:
    draft = turn.draft
    name = entity.name if command.name is None else cleaned(command.name)
    qualifier = " ".join(command.qualifier.split())
    _refuse_taken(draft, entity, name, qualifier)
    return Entity(
        entity_id=resolution.free_id(draft, entity.type, name, qualifier, level=entity.sensitivity),
        type=entity.type,
        name=name,
        qualifier=qualifier,
        confidence=max((each.confidence for each in share.mentions), default=entity.confidence),
        created_at=turn.now,
        sensitivity=entity.sensitivity,
    )


def _refuse_taken(draft: Draft, entity: Entity, name: str, qualifier: str) -> None:
    """Two entities of one type and name must differ in their qualifier."""
    for known in draft.names.get(fold(name), ()):
        other = draft.entities[known]
        if other.type != entity.type or other.sensitivity > entity.sensitivity:
            continue
        same_key = (fold(other.name), fold(other.qualifier)) == (fold(name), fold(qualifier))
        if same_key and other.entity_id != entity.entity_id:
            raise NameTaken(entity_id=entity.entity_id, merge_with=other.entity_id)
        if same_key:
            raise Invalid("Two of one name need a qualifier that tells them apart, such as a surname or a place.")


def retype(turn: TurnState, command: RetypeEntity) -> list[Outcome]:
    """Let an entity be of another type. Its id stays, and sightings of the old type go on finding it."""
    entity = living(turn, command.entity_id)
    if command.type not in ENTITY_TYPES:
        raise Invalid(f"There is no such type; there are {', '.join(ENTITY_TYPES)}.")
    if entity.is_owner:
        raise Conflict("The owner is a person and stays one.", entity_id=entity.entity_id)
    if command.type == entity.type:
        return []
    other = _namesake(turn.draft, entity, command.type)
    if other is not None:
        entity = instead_of(turn, entity, other)
    former = [each for each in dict.fromkeys((*resolution.former_types(entity), entity.type)) if each != command.type]
    properties = {**entity.properties, resolution.FORMER_TYPES: former}
    turn.draft.put("retyped", entity, replace(entity, type=command.type, properties=properties))
    return []


def _namesake(draft: Draft, entity: Entity, type_: str) -> Entity | None:
    """Another living entity of that type with one of its names, known no more sensitively."""
    known = (draft.entities[each] for name in sorted(entity.names) for each in draft.names.get(name, ()))
    others = (each for each in known if each.type == type_ and each.entity_id != entity.entity_id)
    return next((each for each in others if each.sensitivity <= entity.sensitivity), None)
