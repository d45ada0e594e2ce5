"""Speakers: whoever was heard under a label gets a name later, and so does all that was read from their words."""

from __future__ import annotations

from dataclasses import replace

from memory.model.changes import Outcome
from memory.model.commands import MergeEntities, NameSpeaker, RenameEntity
from memory.model.entities import Entity, follow
from memory.model.ids import fold
from memory.model.scopes import Sensitivity
from memory.model.voices import NUMBERED, is_numbered
from memory.rules import naming, resolution
from memory.rules.merging import merge_into
from memory.rules.readings import ensure_owner
from memory.rules.turn import TurnState
from memory.rules.versions import revise

NAMED = "speaker named"


def name_speaker(turn: TurnState, command: NameSpeaker) -> list[Outcome]:
    """Let the person of that label have this name, or be one with who has it; then let words say the name.

    Only the label of a stranger is replaced in words, for it means nobody else; another name may mean several people.
    """
    label, name = naming.cleaned(command.label), naming.cleaned(command.name)
    if fold(label) == fold(name):
        return []
    if turn.draft.profile.is_owner(name):
        ensure_owner(turn)
    found = persons(turn, label)
    for entity_id in found:
        _become(turn, entity_id, name)
    if not found:
        _also_called(turn, label, name)
    if is_numbered(label):
        _in_words(turn, label, name)
    return []


def persons(turn: TurnState, label: str) -> list[str]:
    """Ids of the persons under that label, known from words of whatever sensitivity, the least sensitive first."""
    draft = turn.draft
    known = (follow(draft.entities, each) for each in draft.names.get(fold(label), ()))
    found = {each.entity_id: each for each in known if each is not None and each.type == "person"}
    return sorted(found, key=lambda each: (found[each].sensitivity, each))


def _become(turn: TurnState, entity_id: str, name: str) -> None:
    entity = turn.draft.entities[entity_id]
    if entity.merged_into is not None:  # by one of those before
        return
    other = resolution.speaker(turn.draft, name, entity.sensitivity)
    command = {"command_id": "", "actor": "user"}
    if other is None:
        naming.rename(turn, RenameEntity(entity_id=entity_id, name=name, **command))
    elif other.entity_id != entity_id:
        naming.merge(turn, MergeEntities(winner_id=other.entity_id, loser_id=entity_id, **command))


def _also_called(turn: TurnState, label: str, name: str) -> None:
    """What is being read just now may still say the label."""
    known = resolution.speaker(turn.draft, name, Sensitivity.SENSITIVE)
    if known is not None and fold(label) not in known.names:
        turn.draft.put("alias added", known, replace(known, aliases=(*known.aliases, label)))


def _in_words(turn: TurnState, label: str, name: str) -> None:
    """Statements, what promises say and by whom they are, and what nights have written."""
    draft = turn.draft
    for fact in [each for each in draft.facts.values() if label in each.statement or label in (each.object or "")]:
        statement, value = _told(fact.statement, label, name), _told(fact.object, label, name)
        if (statement, value) != (fact.statement, fact.object):
            revise(draft, fact, NAMED, turn.now, statement=statement, object=value)
    for entity in list(draft.entities.values()):
        if entity.merged_into is None:
            _in_entity(turn, entity, label, name)
    for group in [each for each in draft.groups.values() if label in (each.summary or "")]:
        draft.put(NAMED, group, replace(group, summary=_told(group.summary, label, name)))


def _in_entity(turn: TurnState, entity: Entity, label: str, name: str) -> None:
    called = entity.name if entity.type == "person" else _told(entity.name, label, name)
    said = {
        key: _told(value, label, name) if isinstance(value, str) else value for key, value in entity.properties.items()
    }
    after = replace(
        entity, name=called or entity.name, properties=said, description=_told(entity.description, label, name)
    )
    if after == entity:
        return
    namesake = resolution.find(turn.draft, after.name, entity.type, level=entity.sensitivity)
    if namesake is not None and namesake.entity_id != entity.entity_id and after.name != entity.name:
        merge_into(turn, namesake, entity)
    else:
        turn.draft.put(NAMED, entity, after)


def _told(words: str | None, label: str, name: str) -> str | None:
    """Words that say the name where they said the label; "Speaker 12 of 3 May" is not "Speaker 1"."""
    if words is None or label not in words:
        return words
    return NUMBERED.sub(lambda found: name if found[0] == label else found[0], words)
