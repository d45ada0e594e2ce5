"""Describing: what is told of an entity in a few words, the facts it rests on, and when it goes (seed 002).

A description stands while every fact it rests on stands. What it rests on is kept as links, so whoever reads it can see
whether all of that is in sight. Behind the facts it quotes what the owner has noted of the entity, as a note and never
as a fact. It goes with a note that it quotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memory.model.changes import Change, key_of
from memory.model.commands import DescribeEntities, Description
from memory.model.entities import Entity
from memory.model.facts import NOTE_LIFETIME_DAYS, Fact, Link, Note
from memory.model.timeline import DAY_S, Instant
from memory.model.working_set import Draft, WorkingSet
from memory.rules.parameters import Life
from memory.rules.reflection import Likeness
from memory.rules.turn import TurnState
from memory.rules.versions import link
from memory.words.cleaning import in_quotes
from memory.words.stems import tokenise

DESCRIBES = "describes"
"""The kind of link from an entity to a fact its description rests on."""
QUOTED = "Quoted: "
"""How a description begins that no language model has put into words."""
NOTED = "Noted: "
"""What stands before the notes that it quotes."""
MOST_NOTES = 2
"""Notes it quotes at most, the latest (chosen: a description is a few words)."""
_OWN = "user"
"""Who has written the notes that are quoted: the owner, and no client in their name."""
_OF = "'s"
MOST_QUOTED = 200
"""Characters of a statement that are quoted; a statement may be a whole message (chosen: two lines of a terminal)."""

MOST_ABOUT = 50
"""Facts about an entity that its description is chosen from, the most important (chosen: ten times what is told)."""


@dataclass(frozen=True)
class Surroundings:
    """Some entities, facts about them and what their descriptions rest on, as a working set of nothing else."""

    believed: WorkingSet
    likeness: Likeness
    """How alike the facts are."""


def grounds(around: Surroundings, entity: Entity, now: Instant, life: Life) -> tuple[Fact, ...]:
    """The facts a description of this entity should rest on, in the order they are told.

    The most important come first, and of these the latest. None is as like an earlier one as duplicates are. More
    sensitive facts than the entity, ended, archived and general ones are left out.
    """
    believed, rules = around.believed, life.descriptions
    held = [each for each in believed.facts.values() if tells(each, entity, now)]
    held.sort(key=order)
    near = around.likeness.pairs(held, life.reflection.duplicate_above).neighbours()
    chosen: list[Fact] = []
    for fact in held:
        if len(chosen) < rules.rests_on and not any(each.fact_id in near.get(fact.fact_id, ()) for each in chosen):
            chosen.append(fact)
    return tuple(chosen)


def notes_about(around: Surroundings, entity: Entity, now: Instant) -> tuple[Note, ...]:
    """What the owner has noted of this entity and what lives at `now`, the latest first.

    What is more sensitive than the entity is left out, and what refers to a source, which not everybody may see.
    """
    held = [each for each in around.believed.notes.values() if _may_be_quoted(each, entity) and _lives(each, now)]
    return tuple(sorted(held, key=lambda each: (-each.created_at, each.note_id))[:MOST_NOTES])


def _may_be_quoted(note: Note | None, entity: Entity) -> bool:
    if note is None or (note.about_id, note.author, note.source_id) != (entity.entity_id, _OWN, None):
        return False
    return note.sensitivity <= entity.sensitivity


def _lives(note: Note, now: Instant) -> bool:
    days = NOTE_LIFETIME_DAYS[note.lifetime]
    return days is None or now < note.created_at + days * DAY_S


def noted(notes: Iterable[Note]) -> str:
    """What a description says of notes: nothing but what they say."""
    told = "; ".join(_quotation(each.text) for each in notes)
    return f"{NOTED}{told}" if told else ""


def _quotation(text: str) -> str:
    told = " ".join(text.split())
    return in_quotes(told if len(told) <= MOST_QUOTED else f"{told[:MOST_QUOTED].rstrip()}…")


def order(fact: Fact) -> tuple[int, float, str]:
    """The most important facts first, and of these the latest."""
    return -fact.importance, -fact.valid_from, fact.fact_id


def tells(fact: Fact, entity: Entity, now: Instant) -> bool:
    """Whether a fact that holds at this instant may be told of an entity in its description."""
    fresh = fact.valid_from <= now and (fact.valid_to is None or fact.valid_to > now)
    return _bears(fact, entity) and fresh and fact.kind != "meta" and fact.state != "archived"


def _bears(fact: Fact | None, entity: Entity) -> bool:
    if fact is None or fact.status != "active" or fact.sensitivity > entity.sensitivity:
        return False
    return entity.entity_id in (fact.subject_id, fact.object_id)


def rests_on(believed: WorkingSet | Draft, entity_id: str) -> frozenset[str]:
    """The ids of the facts a description rests on."""
    linked = believed.links_of(entity_id) if isinstance(believed, Draft) else believed.linked.get(entity_id, ())
    return frozenset(each.to_id for each in linked if each.kind == DESCRIBES and each.from_id == entity_id)


def is_dirty(
    around: Surroundings, entity: Entity, facts: Sequence[Fact], notes: Sequence[Note] = (), *, generated: bool
) -> bool:
    """Whether a description should be written anew: it rests on other facts, or quotes other notes.

    Where a model writes also one that only quotes, or that calls the entity as it was called before it was renamed or
    merged. Quotations stay as they are: what was said does not change with a name.
    """
    support = {each.fact_id for each in facts}
    outdated = entity.description is not None and (
        entity.description.startswith(QUOTED) or _misnames(entity.description, entity)
    )
    told, quotes = entity.description or "", noted(notes)
    other_notes = not told.endswith(quotes) or (not quotes and NOTED in told)
    return support != rests_on(around.believed, entity.entity_id) or other_notes or (generated and outdated)


def _misnames(text: str, entity: Entity) -> bool:
    """Whether a text calls an entity by another name and nowhere by its own."""
    told, own = _spaced(text), _spaced(entity.name)
    return own not in told and any(_spaced(alias) in told for alias in entity.aliases)


def _spaced(text: str) -> str:
    """The words of a text, folded and without 's, each between spaces."""
    return f" {' '.join(word.removesuffix(_OF) for word, _ in tokenise(text))} "


def quoted(statements: Iterable[str]) -> str:
    """A description without a language model: it quotes, and says that it does no more."""
    return QUOTED + "; ".join(map(_quotation, statements))


def describe(turn: TurnState, command: DescribeEntities) -> None:
    """Put descriptions; a text that is the same is not written again. Empty text takes the description away."""
    for each in command.descriptions:
        entity = turn.draft.entities.get(each.entity_id)
        if entity is None or entity.merged_into is not None:
            continue
        notes = [(turn.draft.notes.get(note_id), text) for note_id, text in each.notes]
        if all(_bears(turn.draft.facts.get(fact_id), entity) for fact_id in each.support) and all(
            _may_be_quoted(note, entity) and note is not None and note.text == text for note, text in notes
        ):
            _write(turn.draft, entity, each)


def _write(draft: Draft, entity: Entity, told: Description) -> None:
    text = told.text if (told.support or told.notes) and told.text.strip() else None
    if entity.description != text:
        draft.put("described", entity, replace(entity, description=text))
    support = told.support if text else ()
    _unlink(draft, entity.entity_id, set(support))
    for fact_id in support:
        link(draft, DESCRIBES, entity.entity_id, fact_id)


def withdraw_descriptions(turn: TurnState) -> None:
    """Take back, at the end of a turn, the descriptions that lost a fact they rest on, and what that leaves linked.

    Where a fact about an entity is erased its description goes in any case: an earlier one may have quoted it, and the
    words of all of them are erased together where words are kept.
    """
    draft = turn.draft
    touched = {each for change in draft.changes for each in _touched(draft, change)}
    robbed = {each for change in draft.changes if _is_erased(change) for each in _about(change.row)}
    robbed |= {each for change in draft.changes for each in _unquoted(draft, change)}
    for entity_id in sorted(touched | robbed):
        entity = draft.entities.get(entity_id)
        if entity is None or entity.description is None:
            _unlink(draft, entity_id, set())
        elif entity_id in robbed or not all(
            _bears(draft.facts.get(each), entity) for each in rests_on(draft, entity_id)
        ):
            draft.put("description withdrawn", entity, replace(entity, description=None))
            _unlink(draft, entity_id, set())


def _touched(draft: Draft, change: Change) -> Iterator[str]:
    """The entities whose description a change may concern."""
    row = change.row
    if isinstance(row, Entity):
        yield row.entity_id
    elif isinstance(row, Link) and row.kind == DESCRIBES:
        yield row.from_id
    elif isinstance(row, Fact):
        yield from (each.from_id for each in draft.links_of(row.fact_id) if each.kind == DESCRIBES)


def _unquoted(draft: Draft, change: Change) -> Iterator[str]:
    """The entity of whose description a change takes a note: it is gone, says something else, or is not to be seen."""
    before, after = change.before, change.after
    if isinstance(before, Note):
        entity = draft.entities.get(before.about_id)
        gone = not isinstance(after, Note) or (after.text, after.about_id) != (before.text, before.about_id)
        if gone and entity is not None and _quotation(before.text) in (entity.description or ""):
            yield entity.entity_id
    elif isinstance(before, Entity) and isinstance(after, Entity) and _opened(before, after):
        yield after.entity_id


def _opened(before: Entity, after: Entity) -> bool:
    """Whether more people may see an entity by now, and its description quotes notes that were not written for them."""
    return after.sensitivity < before.sensitivity and NOTED in (after.description or "")


def _is_erased(change: Change) -> bool:
    return change.reason == "erased" and isinstance(change.row, Fact) and change.after is None


def _about(row: object) -> Iterator[str]:
    assert isinstance(row, Fact)
    yield from (each for each in (row.subject_id, row.object_id) if each is not None)


def _unlink(draft: Draft, entity_id: str, but: set[str]) -> None:
    links = (each for each in draft.links_of(entity_id) if each.kind == DESCRIBES and each.from_id == entity_id)
    for each in sorted((each for each in links if each.to_id not in but), key=key_of):
        draft.put("unlinked", each, None)
