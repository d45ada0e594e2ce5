"""Naming: who an entity is - profile, rename, alias, merge, forget. Every one can be undone but forgetting."""

from __future__ import annotations

from dataclasses import replace

from memory.errors import Conflict, Invalid, NameTaken
from memory.model.changes import WORDS_ERASED, Outcome, Row
from memory.model.commands import AddAlias, ForgetEntity, MergeEntities, RenameEntity, SetProfile
from memory.model.entities import Entity
from memory.model.ids import fold
from memory.model.scopes import Sensitivity
from memory.model.working_set import Draft
from memory.rules import resolution
from memory.rules.merging import merge_into
from memory.rules.readings import ensure_owner
from memory.rules.statements import entity_of
from memory.rules.turn import TurnState
from memory.rules.withdrawal import erase_entity, erase_fact, erase_silent, spoken_of


def set_profile(turn: TurnState, command: SetProfile) -> list[Outcome]:
    """Say who the owner is. A person already heard under that name turns out to be the owner."""
    draft = turn.draft
    draft.put("profile set", draft.profile, command.profile)
    name = command.profile.name.strip()
    if not name:
        return []
    owner = resolution.owner(draft)
    namesake = resolution.find(draft, name, "person", level=Sensitivity.OPEN)
    if owner is None:
        ensure_owner(turn)
    elif namesake is not None and namesake.entity_id != owner.entity_id:
        merge_into(turn, owner, namesake)
        _rename(turn, draft.entities[owner.entity_id], name)
    elif fold(owner.name) != fold(name):
        _rename(turn, owner, name)
    return []


def rename(turn: TurnState, command: RenameEntity) -> list[Outcome]:
    """Give an entity another name; the old one stays as an alias."""
    entity = living(turn, command.entity_id)
    name = cleaned(command.name)
    entity = with_name(turn, entity, name)
    if name != entity.name:
        for other in _bearers(turn.draft, entity, name):
            entity = instead_of(turn, entity, other)  # before the name is given: two of one name are never stored
        _rename(turn, entity, name)
    return []


def add_alias(turn: TurnState, command: AddAlias) -> list[Outcome]:
    """Let another name mean this entity too."""
    entity = living(turn, command.entity_id)
    alias = cleaned(command.alias)
    entity = with_name(turn, entity, alias)
    if fold(alias) not in entity.names:
        turn.draft.put("alias added", entity, replace(entity, aliases=(*entity.aliases, alias)))
    return []


def with_name(turn: TurnState, entity: Entity, name: str) -> Entity:
    """The entity, once nobody else of its type has this name. Raises NameTaken."""
    other = resolution.find(turn.draft, name, entity.type, level=entity.sensitivity)
    return entity if other is None or other.entity_id == entity.entity_id else instead_of(turn, entity, other)


def instead_of(turn: TurnState, entity: Entity, other: Entity) -> Entity:
    """The entity, once another one has given way that has its name. Raises NameTaken.

    One that is silent is in no list: nobody could merge it by hand, so it becomes this one.
    """
    if not is_silent(turn.draft, other, entity.sensitivity):
        raise NameTaken(entity_id=entity.entity_id, merge_with=other.entity_id)
    return merge_into(turn, entity, other)


def is_silent(draft: Draft, entity: Entity, level: Sensitivity) -> bool:
    """Whether nothing of this sensitivity or less speaks of an entity: its words are gone, and no fact is about it."""
    spoken = spoken_of(draft, {entity.entity_id}).get(entity.entity_id)
    return not entity.is_owner and (spoken is None or spoken > level)


def _bearers(draft: Draft, entity: Entity, name: str) -> list[Entity]:
    """Who else would be this entity under that name, also if more sensitive words alone have used it."""
    wanted = _natural_key(replace(entity, name=name))
    bearers = [draft.entities[each] for each in draft.names.get(fold(name), ()) if each != entity.entity_id]
    return [each for each in bearers if _natural_key(each) == wanted]


def merge(turn: TurnState, command: MergeEntities) -> list[Outcome]:
    """Let two entities be one: the loser is redirected, its mentions and facts move to the winner.

    The owner stays, and so does what is known less sensitively.
    """
    winner, loser = living(turn, command.winner_id), living(turn, command.loser_id)
    if winner.entity_id == loser.entity_id:
        raise Invalid("An entity cannot be merged with itself.", entity_id=winner.entity_id)
    if loser.is_owner or (loser.sensitivity < winner.sensitivity and not winner.is_owner):
        winner, loser = loser, winner
    merge_into(turn, winner, loser)
    return []


def forget_entity(turn: TurnState, command: ForgetEntity) -> list[Outcome]:
    """Erase an entity with its mentions, notes and every fact about it or of it.

    Whatever those facts alone spoke of goes with them, unless somebody wrote a note about it.
    """
    draft = turn.draft
    entity = living(turn, command.entity_id)
    if entity.is_owner:
        raise Conflict("The owner cannot be forgotten; delete the whole memory instead.", entity_id=entity.entity_id)
    facts = [each for each in draft.facts.values() if entity.entity_id in (each.subject_id, each.object_id)]
    for fact in facts:
        erase_fact(turn, fact.fact_id)
    for mention in list(draft.mentions.get(entity.entity_id, {}).values()):
        draft.put("erased", mention, None)
    erase_entity(turn, entity)
    _erase_kin(turn, entity)
    others = {each for fact in facts for each in (fact.subject_id, fact.object_id) if each is not None}
    erase_silent(turn, sorted(each for each in others if not draft.notes_of(each)))
    return []


def _erase_kin(turn: TurnState, gone: Entity) -> None:
    """Who is told by whose they are keeps their own name alone: Tobi, but nobody's boyfriend any more.

    A relation goes with either of the two it is between.
    """
    draft = turn.draft
    for other in list(draft.entities.values()):
        of, name = (fold(str(other.properties.get(key, ""))) in gone.names for key in ("of", "name"))
        if not (of or (name and other.type == "relationship")):
            continue
        if other.type == "relationship":
            for mention in list(draft.mentions.get(other.entity_id, {}).values()):
                draft.put("erased", mention, None)
            erase_entity(turn, other)
            continue
        kept = {name: value for name, value in other.properties.items() if name not in ("of", "relation")}
        whose = tuple(f"{name}'s " for name in gone.names)
        aliases = tuple(alias for alias in other.aliases if not fold(alias).startswith(whose))
        draft.put(WORDS_ERASED, other, replace(other, properties=kept, aliases=aliases))


def living(turn: TurnState, entity_id: str) -> Entity:
    """An entity that was not merged into another. Raises NotFound, Conflict."""
    entity = entity_of(turn, entity_id)
    if entity.merged_into is not None:
        raise Conflict("This entity was merged into another.", entity_id=entity_id, merged_into=entity.merged_into)
    return entity


def cleaned(name: str) -> str:
    """A name without needless white space. Raises Invalid if nothing is left."""
    name = " ".join(name.split())
    if not name:
        raise Invalid("A name needs at least one letter.")
    return name


def _rename(turn: TurnState, entity: Entity, name: str) -> None:
    kept = tuple(alias for alias in entity.aliases if fold(alias) != fold(name))
    old = (entity.name,) if fold(entity.name) != fold(name) else ()
    turn.draft.put("renamed", entity, replace(entity, name=name, aliases=(*kept, *old)))


def settle_names(turn: TurnState) -> None:
    """At the end of a turn: what bears the whole name of something known less sensitively is that.

    Otherwise a name that only more sensitive words have used would stand in the way of a new or renamed entity.
    """
    draft = turn.draft
    named = {
        change.after.entity_id
        for change in draft.changes
        if isinstance(change.after, Entity) and _claim(change.before) != _claim(change.after)
    }
    for entity_id in sorted(named & draft.entities.keys()):
        entity = draft.entities[entity_id]
        for other_id in draft.names.get(fold(entity.name), ()) if entity.merged_into is None else ():
            other = draft.entities[other_id]
            if other.sensitivity > entity.sensitivity and _natural_key(other) == _natural_key(entity):
                merge_into(turn, draft.entities[entity_id], other)


def _claim(row: Row | None) -> tuple[object, ...]:
    """What an entity claims a name by; thousands that only fade or rise in a night claim nothing anew."""
    return (*_natural_key(row), row.sensitivity, row.merged_into) if isinstance(row, Entity) else ()


def _natural_key(entity: Entity) -> tuple[str, str, str]:
    return entity.type, fold(entity.name), fold(entity.qualifier)
