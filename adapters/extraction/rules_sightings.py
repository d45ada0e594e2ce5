"""Sightings: the named and typed things of a piece, each with how sure the rules are of it.

Confidences are meant for the gates of seed 001 (promise, decision 0.7; person, event, place, relationship 0.6; any
other 0.5): what reads right by hand lies above its gate, what is a guess below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adapters.extraction.rules_dating import Scene
from adapters.extraction.rules_kinds import name_of, settled
from adapters.extraction.rules_model import Doc, Span, Token
from adapters.extraction.rules_people import Relation
from adapters.extraction.rules_promises import promise_of, sighting_of, told_of
from memory.model.claims import Claim, Sighting, Utterance
from memory.model.ids import fold
from memory.words.names import bare, is_name, is_pet
from memory.words.normalise import UtterancePiece
from memory.words.predicates import habit_of, named
from memory.words.vocabulary import EVENT_NOUNS, FEELINGS, PLACE_NOUNS, words

_TYPES = {
    "PERSON": ("person", 0.75),
    "GPE": ("place", 0.75),
    "LOC": ("place", 0.7),
    "FAC": ("place", 0.65),
    "ORG": ("organization", 0.6),
    "EVENT": ("event", 0.7),
    "PRODUCT": ("tool", 0.55),
}
_OBJECTS = {"place": 0.75, "organization": 0.7, "person": 0.75, "event": 0.7}
"""What a verb asks for is seen as that: who lives in Ghent names a place, whatever the parser takes Ghent for."""


def speaker_sighting(utterance: Utterance) -> Sighting:
    """Who speaks is seen for certain."""
    return Sighting("person", utterance.speaker, 0.95, utterance.text[:200], utterance.segment_key)


def sightings_of(
    piece: UtterancePiece, doc: Doc, scene: Scene, related: Sequence[Relation], claims: Sequence[Claim]
) -> Iterator[Sighting]:
    """Everything seen in one piece; of what is not asserted, only who and what is named."""
    if not piece.asserted and not piece.question:
        yield from _named(piece, doc, scene)
        return
    for relation in related:
        yield from _relation(relation, piece, scene)
    yield from _promises(piece, scene, claims)
    if piece.question:
        yield from _questions(piece, scene)
        return
    for claim in claims:
        yield from _claimed(claim)
    objects = {fold(claim.object) for claim in claims if claim.object and claim.object_type in _OBJECTS}
    yield from (seen for seen in _named(piece, doc, scene) if fold(seen.name) not in objects)
    yield from _compounds(piece, doc, scene)
    yield from _feelings(piece, claims)


def _named(piece: UtterancePiece, doc: Doc, scene: Scene) -> Iterator[Sighting]:
    for entity in doc.ents:
        name = bare(_uncalled(entity))
        if entity.label_ not in _TYPES or not is_name(name) or _is_common(entity, scene):
            continue
        type_, confidence = _TYPES[entity.label_]
        if name in _pets(scene):
            continue
        if settled(type_, name, scene.kinds) != type_:
            type_, confidence = settled(type_, name, scene.kinds), 0.7
        if name in scene.kin.values():
            type_, confidence = "person", 0.8  # the sister who was named is no organization
        if type_ == "organization" and len(entity) == 1 and entity.root.dep_ != "pobj":
            confidence = 0.45  # at Google is one; Super and Challenges are not
        if entity.start == 0 and len(entity) == 1 and not _acts(entity.root):
            confidence -= 0.2  # the parser takes what opens a sentence for a name
        yield Sighting(type_, name, round(confidence, 2), piece.quote, scene.utterance.segment_key)
    for token in doc:
        name = name_of(token) if token.pos_ == "PROPN" and not token.ent_type_ and token.dep_ != "compound" else ""
        if scene.kinds.get(fold(name)) == "person" and name.lower() not in scene.common and name not in _pets(scene):
            yield Sighting("person", name, 0.65, piece.quote, scene.utterance.segment_key)


def _uncalled(entity: Span) -> str:
    """Ben, of "Tell Ben": the parser takes an order at the beginning for a part of the name."""
    order = len(entity) > 1 and entity[0].is_sent_start and entity[0].lower_ in _ORDERS
    return str(entity[1:].text if order else entity.text)


_ORDERS = words("tell ask remind call text email message ping invite thank thanks meet show give send bring let")


def _pets(scene: Scene) -> set[str]:
    return {name for (_, noun), name in scene.kin.items() if is_pet(noun)}


def _is_common(entity: Span, scene: Scene) -> bool:
    """A single word that the same conversation also writes small (Skating, Welding), or that is no proper noun."""
    if len(entity) > 1:
        return False
    return entity.text.lower() in scene.common or entity.root.pos_ not in ("PROPN", "NOUN")


def _acts(token: Token) -> bool:
    return bool(token.dep_ in ("nsubj", "nsubjpass", "poss") and token.tag_ == "NNP")


def _compounds(piece: UtterancePiece, doc: Doc, scene: Scene) -> Iterator[Sighting]:
    """Lantern parade, boat yard: nouns of event and place with what specifies them (13 of 14 right by hand)."""
    for token in doc:
        type_ = "event" if token.lower_ in EVENT_NOUNS else "place" if token.lower_ in PLACE_NOUNS else None
        if type_ is None or token.pos_ not in ("NOUN", "PROPN") or (token.i and token.nbor(-1).text == "-"):
            continue
        specifics = [c for c in token.children if c.dep_ == "compound" and c.i < token.i and c.pos_ != "PUNCT"]
        if specifics:
            yield Sighting(type_, _span_name(specifics[0], token), 0.62, piece.quote, scene.utterance.segment_key)


def _span_name(first: Token, last: Token) -> str:
    return str(last.doc[first.i : last.i + 1].text)


def _relation(found: Relation, piece: UtterancePiece, scene: Scene) -> Iterator[Sighting]:
    key, quote = scene.utterance.segment_key, piece.quote
    label = f"{found.owner}'s {found.noun}"
    properties = {"of": found.owner, "relation": found.kind} | ({"name": found.name} if found.name else {})
    if found.name:
        yield Sighting("relationship", f"{label} {found.name}", 0.85, quote, key, properties)
        type_ = "topic" if found.kind == "pet" else "person"
        yield Sighting(type_, found.name, 0.85, quote, key, {"relation": found.kind, "of": found.owner}, (label,))
    else:
        yield Sighting("relationship", label, 0.65, quote, key, properties)


def _promises(piece: UtterancePiece, scene: Scene, claims: Sequence[Claim]) -> Iterator[Sighting]:
    others = (told_of(claim, piece.text, scene.utterance.speaker) for claim in claims)
    for found in (promise_of(piece, scene), *others):
        if found is not None:
            yield sighting_of(found, piece.quote, scene.utterance.segment_key)


def _questions(piece: UtterancePiece, scene: Scene) -> Iterator[Sighting]:
    words = piece.text.split()
    if len(words) >= 4 and piece.text.endswith("?"):
        yield Sighting(
            "question", piece.text, 0.5, piece.quote, scene.utterance.segment_key, {"by": scene.utterance.speaker}
        )


def _claimed(claim: Claim) -> Iterator[Sighting]:
    """What a typed claim shows: topics, projects, decisions, habits, and the named thing it is about."""
    row = named(claim.predicate)
    sighted, object_ = row.sighted if row is not None else None, claim.object or ""
    type_, name, confidence = None, claim.object, 0.0
    if sighted == "topic" and claim.object_type == "topic":
        type_, confidence = "topic", _topic_confidence(object_)
    elif claim.object_type == "project" and " " in object_:
        type_, confidence = "project", 0.55
    elif sighted == "tool" and object_[:1].isupper():
        type_, confidence = "tool", 0.6
    elif sighted == "employer" and object_:
        type_, confidence = "organization", 0.8
    elif sighted == "venue" and object_:
        type_, confidence = "place" if object_.split()[-1] in PLACE_NOUNS else "organization", 0.7
    elif sighted == "decision":
        type_, name, confidence = "decision", claim.statement, 0.75
    elif (claim.predicate or "").startswith(habit_of("")) and claim.polarity:
        type_, name, confidence = "habit", claim.statement, 0.65
    elif claim.object_type in _OBJECTS and is_name(object_):
        type_, confidence = claim.object_type, _OBJECTS[claim.object_type]
    if type_ and name:
        yield Sighting(type_, name, confidence, claim.quote, claim.segment_key)


def _topic_confidence(words: str) -> float:
    """A compound 0.6, one word 0.5; plurals, clauses and persons' affairs stay below the gate of 0.5."""
    parts = words.split()
    if len(parts) > 4 or "'s" in words or "," in words or (len(parts) == 1 and words.endswith("s")):
        return 0.4
    return 0.6 if len(parts) > 1 else 0.5


def _feelings(piece: UtterancePiece, claims: Sequence[Claim]) -> Iterator[Sighting]:
    for claim in claims:
        row = named(claim.predicate)
        felt = row is not None and row.value == "feeling" and claim.polarity
        feeling = FEELINGS.get((claim.object or "").lower()) if felt else None
        if feeling:
            yield Sighting(
                "emotion", feeling, 0.6, piece.quote, claim.segment_key, {"by": claim.subject, "word": claim.object}
            )
