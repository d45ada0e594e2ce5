"""Parting: who was taken for one speaker is two people, and what was read from the words of each is theirs."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from memory.model.changes import Outcome
from memory.model.commands import PartSpeaker
from memory.model.entities import Entity, Mention
from memory.model.facts import Fact
from memory.model.ids import fold
from memory.model.working_set import Draft
from memory.rules import naming, resolution
from memory.rules.across import settle_slots
from memory.rules.following import follow_split
from memory.rules.merging import merge_into
from memory.rules.speakers import persons
from memory.rules.turn import TurnState
from memory.rules.versions import revise

PARTED = "speaker parted"


@dataclass(frozen=True, slots=True)
class _Call:
    """Who was believed to speak, who it was, and in which segments."""

    name: str
    label: str
    keys: Set[int]


def part_speaker(turn: TurnState, command: PartSpeaker) -> list[Outcome]:
    """Let what was read from these segments as said by one person be another's, whom the label calls.

    That is: mentions, facts that rest on these segments alone, and promises made there. Words in which the speaker says
    the name of the first one mean that person, not themselves; what rests on them stays.
    """
    call = _Call(naming.cleaned(command.name), naming.cleaned(command.label), frozenset(command.segment_keys))
    if fold(call.name) == fold(call.label):
        return []
    for entity_id in persons(turn, call.name):
        entity = turn.draft.entities[entity_id]
        if entity.merged_into is None:
            _part(turn, entity, call)
    for made in [each for each in turn.draft.entities.values() if each.properties.get("by") == call.name]:
        if made.merged_into is None:
            _part_made(turn, made, call)
    return []


def _part(turn: TurnState, entity: Entity, call: _Call) -> None:
    draft, mentioned = turn.draft, turn.draft.mentions.get(entity.entity_id, {})
    mentions = [mentioned[key] for key in sorted(call.keys & mentioned.keys())]
    concerned = [each for each in draft.facts.values() if entity.entity_id in (each.subject_id, each.object_id)]
    facts = [each for each in concerned if _said_of_themselves(draft, each, call)]
    if not mentions and not facts:
        return
    whole = len(mentions) == len(mentioned) and len(facts) == len(concerned)
    fresh = _the_other(turn, entity, call, mentions, facts, whole=whole)
    for mention in mentions:
        if fresh.entity_id != entity.entity_id:
            _move_mention(draft, mention, fresh.entity_id, stays=_says(mention.quote, call.name))
    moved = [_move_fact(turn, each, entity.entity_id, fresh.entity_id, call) for each in facts]
    settle_slots(turn, moved)
    if fresh.entity_id != entity.entity_id:
        follow_split(draft, entity, fresh)


def _said_of_themselves(draft: Draft, fact: Fact, call: _Call) -> bool:
    """Whether all the words of a fact stand in the segments, and none of them says the name of the first person."""
    evidence = draft.evidence.get(fact.fact_id, ())
    return bool(evidence) and all(
        each.segment_key in call.keys and not _says(each.quote, call.name) for each in evidence
    )


def _the_other(
    turn: TurnState, entity: Entity, call: _Call, mentions: Sequence[Mention], facts: Sequence[Fact], *, whole: bool
) -> Entity:
    """The person whom the label calls: known, brought back from having been merged, or new.

    Where nothing would be left of the first one, it is the same row under the label; of an owner something always is.
    """
    draft = turn.draft
    kept = tuple(each for each in entity.aliases if fold(each) not in (fold(call.label), fold(call.name)))
    bearers = (draft.entities[each] for each in sorted(draft.names.get(fold(call.label), ())))
    known = [each for each in bearers if each.type == "person" and each.entity_id != entity.entity_id]
    known = [each for each in known if each.sensitivity <= entity.sensitivity]
    merged = [each for each in _merged_into(draft, entity) if fold(call.label) in each.names]
    if whole and not (entity.is_owner or known or merged):
        after = replace(entity, name=call.label, aliases=kept)
        draft.put(PARTED, entity, after)
        return after
    if fold(call.label) in entity.names:
        draft.put(PARTED, entity, replace(entity, name=call.name, aliases=kept))
    if known:
        return known[0]
    if merged:
        back = replace(merged[0], merged_into=None)
        draft.put(PARTED, merged[0], back)
        return back
    told = [each.sensitivity for each in mentions] + [each.sensitivity for each in facts]
    level = max(entity.sensitivity, min(told))
    fresh = Entity(
        entity_id=resolution.free_id(draft, "person", call.label, level=level),
        type="person",
        name=call.label,
        confidence=max((each.confidence for each in mentions), default=entity.confidence),
        created_at=turn.now,
        sensitivity=level,
    )
    resolution.bear(draft, fresh, PARTED)
    return fresh


def _merged_into(draft: Draft, entity: Entity) -> list[Entity]:
    """What became this entity, by id."""
    found, asked = list[Entity](), [entity.entity_id]
    while asked:
        merged = draft.merged_into(asked.pop())
        found += merged
        asked += [each.entity_id for each in merged]
    return sorted(found, key=lambda each: each.entity_id)


def _move_mention(draft: Draft, mention: Mention, to_id: str, *, stays: bool) -> None:
    if not stays:
        draft.put(PARTED, mention, None)
    if mention.segment_key not in draft.mentions.get(to_id, {}):
        draft.put(PARTED, None, replace(mention, entity_id=to_id))


def _move_fact(turn: TurnState, fact: Fact, from_id: str, to_id: str, call: _Call) -> Fact:
    """The fact about the other one, in whose words the label stands where the name stood for the speaker.

    Nobody says of themselves what relates them to themselves: that is said of the first one.
    """
    is_subject, is_object = fact.subject_id == from_id, fact.subject_id != from_id and fact.object_id == from_id
    return revise(
        turn.draft,
        fact,
        PARTED,
        turn.now,
        subject_id=to_id if is_subject else fact.subject_id,
        object_id=to_id if is_object else fact.object_id,
        statement=_told(fact.statement, call),
        object=_told(fact.object, call) if is_object and fact.object else fact.object,
    )


def _part_made(turn: TurnState, made: Entity, call: _Call) -> None:
    """Let a promise, a question or a feeling be the other one's, as far as it was told in these segments."""
    draft, mentioned = turn.draft, turn.draft.mentions.get(made.entity_id, {})
    theirs = [mentioned[key] for key in sorted(call.keys & mentioned.keys())]
    own = [each for each in _merged_into(draft, made) if each.properties.get("by") == call.label]
    if theirs and len(theirs) == len(mentioned):
        _made_by_other(turn, made, call)
    elif theirs and own:  # both have made it, and it had become one
        draft.put(PARTED, own[0], replace(own[0], merged_into=None))
        draft.put(PARTED, made, replace(made, aliases=tuple(each for each in made.aliases if each != own[0].name)))
        for mention in theirs:
            _move_mention(draft, mention, own[0].entity_id, stays=False)


def _made_by_other(turn: TurnState, made: Entity, call: _Call) -> None:
    """What is the other one's alone; one that they have made already is the same."""
    said = {key: _told(each, call) if isinstance(each, str) else each for key, each in made.properties.items()}
    after = replace(made, name=_told(made.name, call), properties=said)
    namesake = resolution.find(turn.draft, after.name, after.type, level=after.sensitivity)
    if namesake is not None and namesake.entity_id != made.entity_id and after.name != made.name:
        merge_into(turn, namesake, made)
    else:
        turn.draft.put(PARTED, made, after)


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)


def _says(words: str, name: str) -> bool:
    return _pattern(name).search(words) is not None


def _told(words: str, call: _Call) -> str:
    """Words that say the label where they first said the name."""
    return _pattern(call.name).sub(lambda _: call.label, words, count=1)
