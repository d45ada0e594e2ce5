"""Entities of a language model as sightings: grounded, in the shapes the rule extractor gives, sure by rule.

Confidences stand just above the gates of seed 001 (promise, decision 0.7; person, event, place, relationship 0.6; any
other 0.5). What lacks the name, or the word of its type, in the sentence is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from adapters.extraction.model_answer import SeenEntity
from adapters.extraction.model_claims import time_of
from adapters.extraction.model_grounds import Passage, UtteranceContext
from adapters.extraction.rules_dating import due_of
from adapters.extraction.rules_sightings import speaker_sighting
from memory.model.claims import Claim, Sighting
from memory.model.ids import fold
from memory.model.timeline import iso
from memory.words.names import bare, is_name, relation
from memory.words.stems import tokenise
from memory.words.vocabulary import FEELINGS

_NAMED = {"person": 0.75, "place": 0.7, "organization": 0.65, "event": 0.65, "project": 0.6, "tool": 0.6, "topic": 0.55}
"""Types whose name must stand in the utterance, and how sure a name makes them."""
_PROPER = frozenset({"person", "organization", "tool"})
_UNDERTAKEN = re.compile(
    r"\bI(?:'ll| will| promise| swear|'m going to| am going to| give you my word)\b|\bremind me\b", re.IGNORECASE
)
_DECIDED = re.compile(
    r"\b(?:decided|decision|going with|chose|chosen|settled on|opted|made up my mind)\b", re.IGNORECASE
)
_HABITUAL = re.compile(r"\b(?:every|each|always|usually|often|daily|weekly|\w+days|mornings|evenings)\b", re.IGNORECASE)

_Reader = Callable[[SeenEntity, Passage, UtteranceContext], Sighting | None]


def sightings_of(
    entities: Iterable[SeenEntity], claims: Iterable[Claim], grounds: UtteranceContext
) -> Iterator[Sighting]:
    """The speaker, what the utterance carries of the model's entities, and the kin its claims name; each once."""
    seen: set[tuple[str, str]] = set()
    for sighting in _all(entities, claims, grounds):
        key = (sighting.type, fold(sighting.name))
        if key not in seen:
            seen.add(key)
            yield sighting


def _all(entities: Iterable[SeenEntity], claims: Iterable[Claim], grounds: UtteranceContext) -> Iterator[Sighting]:
    if grounds.utterance.speaker:
        yield speaker_sighting(grounds.utterance)
    for claim in claims:
        yield from _kin(claim)
    for entity in entities:
        passage = grounds.passage(entity.evidence)
        if passage is None or passage.joke or passage.question != (entity.type == "question"):
            continue
        sighting = _READERS.get(entity.type, _name)(entity, passage, grounds)
        if sighting is not None:
            yield sighting


def _kin(claim: Claim) -> Iterator[Sighting]:
    """Has a sister Vera: the relationship and the person, known as her brother's sister."""
    kin = (claim.predicate or "").removeprefix("has_")
    if kin == claim.predicate or relation(kin) is None or not claim.polarity or not is_name(claim.object or ""):
        return
    title, name = f"{claim.subject}'s {kin}", bare(claim.object or "")
    properties = {"of": claim.subject, "relation": kin}
    yield Sighting(
        "relationship", f"{title} {name}", 0.65, claim.quote, claim.segment_key, {**properties, "name": name}
    )
    yield Sighting("person", name, 0.75, claim.quote, claim.segment_key, properties, (title,))


def _sighting(
    entity: SeenEntity, name: str, confidence: float, passage: Passage, grounds: UtteranceContext, **known: object
) -> Sighting:
    return Sighting(entity.type, name, confidence, passage.quote, grounds.utterance.segment_key, known)


def _name(entity: SeenEntity, passage: Passage, grounds: UtteranceContext) -> Sighting | None:
    name = bare(entity.name)
    if not grounds.names(name) or (entity.type in _PROPER and not is_name(name)):
        return None
    return _sighting(entity, name, _NAMED[entity.type], passage, grounds)


def _promise(entity: SeenEntity, passage: Passage, grounds: UtteranceContext) -> Sighting | None:
    if not passage.asserted or not _UNDERTAKEN.search(passage.clause):
        return None
    speaker = grounds.utterance.speaker
    span = time_of(passage, grounds)
    due = due_of(span) if span is not None else None
    due = due if due is not None and due > grounds.utterance.at else None
    reminder = passage.clause.lower().find("remind me") >= 0
    to = speaker if reminder else next(iter(grounds.listeners), None)
    text = (passage.clause if len(passage.clause.split()) > 3 else passage.part).strip(" .!?")
    return _sighting(entity, f"{speaker}: {text}", 0.75, passage, grounds, by=speaker, to=to, due=iso(due), text=text)


def _decision(entity: SeenEntity, passage: Passage, grounds: UtteranceContext) -> Sighting | None:
    decided = passage.asserted and _DECIDED.search(passage.clause) and grounds.says(entity.name, passage)
    return _sighting(entity, entity.name, 0.72, passage, grounds, by=grounds.utterance.speaker) if decided else None


def _habit(entity: SeenEntity, passage: Passage, grounds: UtteranceContext) -> Sighting | None:
    usual = passage.asserted and _HABITUAL.search(passage.part) and grounds.says(entity.name, passage)
    return _sighting(entity, entity.name, 0.6, passage, grounds) if usual else None


def _emotion(entity: SeenEntity, passage: Passage, grounds: UtteranceContext) -> Sighting | None:
    """One of the twelve classes, by a feeling word that was said."""
    felt = [word for word, _ in tokenise(passage.clause) if word in FEELINGS]
    if not felt or not passage.asserted:
        return None
    return _sighting(entity, FEELINGS[felt[0]], 0.6, passage, grounds, by=grounds.utterance.speaker, word=felt[0])


def _question(entity: SeenEntity, passage: Passage, grounds: UtteranceContext) -> Sighting | None:
    if len(passage.part.split()) < 4:
        return None
    return _sighting(entity, passage.part, 0.5, passage, grounds, by=grounds.utterance.speaker)


def _relationship(entity: SeenEntity, passage: Passage, grounds: UtteranceContext) -> Sighting | None:
    kin = next((kin for word, _ in tokenise(passage.clause) if (kin := relation(word))), None)
    if kin is None or not grounds.says(entity.name, passage):
        return None
    speaker = grounds.utterance.speaker
    return _sighting(entity, f"{speaker}'s {kin}", 0.62, passage, grounds, of=speaker, relation=kin)


_READERS: dict[str, _Reader] = {
    "promise": _promise,
    "decision": _decision,
    "habit": _habit,
    "emotion": _emotion,
    "question": _question,
    "relationship": _relationship,
}
