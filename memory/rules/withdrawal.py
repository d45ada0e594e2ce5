"""Withdrawal: what rested on words that are gone is taken back; forgotten words are erased with all they taught."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import replace
from functools import partial

from memory.model.accesses import SOURCE
from memory.model.changes import WORDS_ERASED, Row
from memory.model.commands import Withdraw
from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence, Fact
from memory.model.ids import digest, fold
from memory.model.scopes import Sensitivity
from memory.model.working_set import Draft
from memory.rules.across import settle_slots
from memory.rules.keeping import opened_again
from memory.rules.reopening import begin_later, reopen
from memory.rules.settled import is_settled
from memory.rules.turn import TurnState
from memory.rules.versions import revise

Mentions = Mapping[str, Mapping[int, Mention]]
_WORD = re.compile(r"\w{3,}")
"""Words of three letters or more: shorter ones tell nothing of where they were heard."""


def withdraw(turn: TurnState, command: Withdraw) -> None:
    """Take back mentions and evidence of some segments, and what rested on nothing else.

    A fact without any evidence left is invalidated, or erased if the words are to be forgotten for good; so is an
    entity that is then neither mentioned nor the subject of a fact.
    """
    keys = set(command.segment_keys)
    if not keys and command.source_id is None:
        return
    draft, before = turn.draft, turn.draft.mentions
    if command.erase and command.source_id is not None:
        _unrecall(draft, f"{SOURCE}{command.source_id}")
        _unname(draft, command.source_id)
    touched = {*command.once, *_take_back(draft, keys, command)}
    _reopen_promises(draft, touched, keys)
    groundless = [draft.facts[each] for each in touched if each in draft.facts and each not in draft.evidence]
    opened: list[Fact] = []
    for fact in sorted(groundless, key=lambda each: each.fact_id):
        if fact.believed:
            opened += reopen(turn, fact)
        if command.erase:
            erase_fact(turn, fact.fact_id)
        elif fact.believed:
            revise(draft, fact, "evidence withdrawn", turn.now, status="invalidated")
    weaker = sorted(touched & draft.facts.keys() & draft.evidence.keys())
    for fact_id in weaker:
        begin_later(turn, draft.facts[fact_id])
    settle_slots(turn, [*groundless, *opened, *(draft.facts[each] for each in weaker)])
    if command.erase:
        spoken_of = {each for fact in groundless for each in (fact.subject_id, fact.object_id) if each is not None}
        erase_silent(turn, sorted(touched | spoken_of))
        _unlearn(turn, before, dict(command.taught))


def _take_back(draft: Draft, keys: set[int], command: Withdraw) -> set[str]:
    """Remove the mentions and the evidence; the ids of the entities and facts that lost some.

    What a person has settled keeps its words unless they are forgotten: by them it is known when they are read again.
    """
    mentions = [rows[key] for rows in draft.mentions.values() for key in sorted(keys & rows.keys())]
    evidence = [
        each
        for rows in draft.evidence.values()
        for each in rows
        if (each.segment_key in keys and (command.erase or not is_settled(draft.facts[each.fact_id])))
        or _told_of(each, command)
    ]
    lost: list[Row] = [*mentions, *evidence]
    for row in lost:
        draft.put("withdrawn", row, None)
    return {each.entity_id for each in mentions} | {each.fact_id for each in evidence}


def _reopen_promises(draft: Draft, touched: Collection[str], keys: set[int]) -> None:
    """Let a promise be open again where the words that told it was kept are gone."""
    for entity in [draft.entities[each] for each in sorted(touched) if each in draft.entities]:
        if (again := opened_again(entity, keys)) != entity:
            draft.put("open again", entity, again)


def _unname(draft: Draft, source_id: str) -> None:
    """Let notes that were written about something in the source stand without it."""
    for note in [each for each in draft.notes.values() if each.source_id == source_id]:
        draft.put("source forgotten", note, replace(note, source_id=None))


def _told_of(evidence: Evidence, command: Withdraw) -> bool:
    """Whether this is a statement that referred to the source which is now forgotten."""
    return command.erase and evidence.segment_key is None and evidence.source_id == command.source_id


def erase_fact(turn: TurnState, fact_id: str) -> None:
    """Remove a fact with its evidence, links and notes, words included."""
    draft = turn.draft
    for evidence in draft.evidence.get(fact_id, ()):
        draft.put("erased", evidence, None)
    erase_attachments(turn, fact_id)
    draft.put("erased", draft.facts[fact_id], None)


def erase_attachments(turn: TurnState, about_id: str) -> None:
    """Remove the links, notes and recalls of an entity or a fact."""
    draft = turn.draft
    _unrecall(draft, about_id)
    for link in draft.links_of(about_id):
        draft.put("erased", link, None)
    for note in draft.notes_of(about_id):
        draft.put("erased", note, None)


def _unrecall(draft: Draft, identity: str) -> None:
    """Forget that something was ever recalled."""
    if (access := draft.accesses.get(identity)) is not None:
        draft.put("erased", access, None)


def erase_silent(turn: TurnState, entity_ids: Collection[str]) -> None:
    """Erase what is neither mentioned nor spoken of any more, with the entities that were merged into it."""
    draft, spoken = turn.draft, spoken_of(turn.draft, set(entity_ids))
    for entity_id in entity_ids:
        entity = draft.entities.get(entity_id)
        if entity is None or entity.is_owner or entity.merged_into:
            continue
        if entity_id in spoken:
            hide_above(draft, entity, spoken[entity_id])
        else:
            erase_entity(turn, entity)


def spoken_of(draft: Draft, entity_ids: Collection[str], *, but: Collection[str] = ()) -> Mapping[str, Sensitivity]:
    """entity id -> the least sensitivity at which it is mentioned or a fact speaks of it, for those that are.

    Facts whose ids are in `but` do not count.
    """
    found: dict[str, Sensitivity] = {}
    wanted = frozenset(entity_ids)
    for fact in draft.facts.values():
        for entity_id in wanted & {fact.subject_id, fact.object_id} if fact.fact_id not in but else ():
            found[str(entity_id)] = min(fact.sensitivity, found.get(str(entity_id), fact.sensitivity))
    for entity_id in entity_ids:
        for mention in draft.mentions.get(entity_id, {}).values():
            found[entity_id] = min(mention.sensitivity, found.get(entity_id, mention.sensitivity))
    return found


def hide_above(draft: Draft, entity: Entity, level: Sensitivity) -> None:
    """Let an entity that only more sensitive words still speak of be as sensitive as they are."""
    if level > entity.sensitivity:
        draft.put("spoken of more sensitively", entity, None)
        draft.put("spoken of more sensitively", None, replace(entity, sensitivity=level))


def _unlearn(turn: TurnState, before: Mentions, taught: Mapping[str, tuple[str, ...]]) -> None:
    """Take from entities that stay what only the forgotten words said of them: aliases, properties, merged names."""
    draft = turn.draft
    for entity_id, known in before.items():
        entity = draft.entities.get(entity_id)
        if entity is None:
            continue
        # more sensitive words have taught it nothing
        mentions = {key: each for key, each in known.items() if each.sensitivity <= entity.sensitivity}
        left = {key: each for key, each in draft.mentions.get(entity_id, {}).items() if key in mentions}
        if len(left) == len(mentions):
            continue
        kept = _words(entity.name, *(mention.quote for mention in left.values()))
        gone = _words(*(mention.quote for key, mention in mentions.items() if key not in left)) - kept
        lost = partial(_is_lost, gone, kept, frozenset(taught.get(entity_id, ())))
        for loser in draft.merged_into(entity_id):
            if loser.sensitivity <= entity.sensitivity and lost(loser.name):
                draft.put("erased", loser, None)
        unlearnt = replace(
            entity,
            aliases=tuple(alias for alias in entity.aliases if not lost(alias)),
            properties={name: value for name, value in entity.properties.items() if not lost(value)},
        )
        if unlearnt != entity:
            draft.put(WORDS_ERASED, entity, unlearnt)


def _is_lost(gone: Set[str], kept: Set[str], taught: Set[str], said: object) -> bool:
    """Whether a text has a word that only forgotten words said, known as they were or, without them, by digests."""
    words = _words(str(said))
    return bool(gone & words) or any(word_digest(word) in taught for word in words - kept)


def taught_by(quotes: Iterable[str]) -> tuple[str, ...]:
    """Digests of the words of some quotes, for a command that is carried out when the quotes are gone."""
    return tuple(sorted(map(word_digest, _words(*quotes))))


def word_digest(word: str) -> str:
    """What tells a folded word again without holding it."""
    return digest("taught", word).hex()


def _words(*texts: str) -> set[str]:
    return {word for text in texts for word in _WORD.findall(fold(text))}


def erase_entity(turn: TurnState, entity: Entity) -> None:
    """Remove an entity that nothing rests on any more, and those merged into it, with links, notes and words."""
    draft = turn.draft
    for loser in draft.merged_into(entity.entity_id):
        erase_entity(turn, loser)
    erase_attachments(turn, entity.entity_id)
    draft.put("erased", entity, None)
