"""Keeping: a promise is kept when who made it says that it was done - who would send Ben the contract has sent it him.

Words decide: the deed itself in a past form, whom it is owed to, and all that it is of. What is only said in part, in
the passive, or of a time before the promise keeps nothing, and neither does having forgotten to. What tells it in other
words was taught (`fulfilment`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from heapq import nlargest

from memory.model.claims import Claim
from memory.model.commands import ReadSegment
from memory.model.entities import Entity, Mention
from memory.model.facts import Fact
from memory.model.ids import fact_id, fold
from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant, from_datetime, iso
from memory.model.working_set import Draft
from memory.rules.fulfilment import FulfilmentWeights, LaterTurn, Undertaking
from memory.rules.promises import settled
from memory.rules.turn import ClaimOrigin, TurnState
from memory.words.deeds import GAVE_BACK, RETURNED, SHORT_OF, is_unsure_deed, told_as_returned
from memory.words.list_words import root
from memory.words.predicates import having
from memory.words.stems import STOP_WORDS, tokenise
from memory.words.time_expressions import resolve
from memory.words.vocabulary import words

_OWED = having("owed")
_LABEL = re.compile(r" \([^)]*\)")
_UNDERTAKING = words("promise promises promised swear swears definitely surely sure try will going")
_DUE = words("by before until till on at this next latest")
_PASSIVE = words("was were been being is are got gets be")
MOST_OPEN = 300
"""Open promises that a turn is held against, the latest ones: some hundred days of talk, and a millisecond."""
QUOTED_CHARS = 200
"""Of a segment whose words tell that a promise was kept."""
TOLD = 0.8
"""How sure a mention is that the words of a segment alone show (chosen; of authors left out 87 % hold)."""
KEPT_IN, KEPT_AT, KEPT_ON = "kept_in", "kept_at", "kept_on"
"""Properties of a promise that was kept: the segment that says so, when that was said, and when it was done."""


def told_as_kept(turn: TurnState, claim: Claim, origin: ClaimOrigin) -> frozenset[str]:
    """The facts of which a judge outside says that this claim tells that they were done."""
    identity = fact_id(turn.draft.user_id, origin.key, claim.statement)
    judged = turn.judging.verdicts if turn.judging else ()
    return frozenset(
        each.rival_id for each in judged if each.fact_id == identity and each.verdict.relation == "fulfils"
    )


def keep(turn: TurnState, claim: Claim, subject_id: str, segment: ReadSegment, judged: Collection[str] = ()) -> None:
    """Mark as kept what its maker now says was done; the words that say so mean the promise from then on.

    The words tell it, or a judge did, of the facts `judged`.
    """
    draft, level = turn.draft, Sensitivity(segment.sensitivity)
    if not claim.polarity or claim.tense == "plan" or claim.predicate in _OWED or is_unsure_deed(claim.quote):
        return
    done = claim.valid_to or claim.valid_from or segment.at
    for promise in _made_by(draft, subject_id, level):
        told = promise.fact_id in judged or is_done(promise, claim.statement)
        if promise.valid_from < min(done, segment.at) and told:
            for entity in _entities_of(draft, promise, level):
                told_in = _mention(entity, segment, claim.quote, claim.confidence or 1.0)
                _mark_kept(draft, entity, told_in, claim.valid_from or segment.at)


def keep_by_words(draft: Draft, segments: Iterable[ReadSegment], weights: FulfilmentWeights) -> None:
    """Mark as kept the open promises of which the words of segments tell so, whatever was read from them."""
    every = ((each.entity_id, _undertaking(each, draft.mentions.get(each.entity_id, {}))) for each in _open(draft))
    known = ((entity_id, promise) for entity_id, promise in every if promise is not None)
    made = dict(nlargest(MOST_OPEN, known, key=lambda pair: (pair[1].at, pair[0])))
    for segment in segments:
        told = LaterTurn(segment.words, segment.speaker, segment.at)
        kept = [each for each, promise in made.items() if _is_kept(promise, told, weights)]
        for entity in (draft.entities[each] for each in kept):
            if entity.sensitivity == segment.sensitivity:
                _mark_kept(draft, entity, _mention(entity, segment, segment.words[:QUOTED_CHARS], TOLD), segment.at)
                del made[entity.entity_id]


def _is_kept(made: Undertaking, told: LaterTurn, weights: FulfilmentWeights) -> bool:
    """Whether a later turn tells that a promise was kept, and of no time before it was made."""
    if not weights.tells_kept(made, told):
        return False
    spans = resolve(told.words, told.at, 0, "past", nearest=True)
    return all(span.end is None or span.end > made.at for span in spans)


def _open(draft: Draft) -> list[Entity]:
    """The promises of which nobody has said what became of them."""
    return [each for each in draft.promises.values() if each.merged_into is None and not settled(each.properties)]


def _undertaking(entity: Entity, seen: Mapping[int, Mention]) -> Undertaking | None:
    """The promise in the words in which it was first made."""
    first = min(seen.values(), key=lambda each: each.at, default=None)
    if first is None:
        return None
    by, to = (str(entity.properties.get(side) or "") for side in ("by", "to"))
    return Undertaking(first.quote, by, to or None, first.at)


def _mention(entity: Entity, segment: ReadSegment, quote: str, confidence: float) -> Mention:
    level = Sensitivity(segment.sensitivity)
    return Mention(entity.entity_id, segment.source_id, segment.segment_key, segment.at, quote, confidence, level)


def _mark_kept(draft: Draft, entity: Entity, told_in: Mention, on: Instant) -> None:
    """A promise is kept, as a segment says; its words mean the promise from then on."""
    kept = {"state": "kept", KEPT_IN: str(told_in.segment_key), KEPT_AT: iso(told_in.at), KEPT_ON: iso(on)}
    draft.put("kept", entity, replace(entity, properties={**entity.properties, **kept}))
    if told_in.segment_key not in draft.mentions.get(entity.entity_id, {}):
        draft.put("mentioned", None, told_in)


def is_done(promise: Fact, statement: str) -> bool:
    """Whether a statement tells in the past all that a promise says will be: its deed, to whom, and what.

    What is given back may be brought back, dropped off or returned, and everybody knows to whom.
    """
    deed, (said, told) = _deed_of(promise.statement, promise.valid_from), _words_of(statement)
    due, done_so = told_as_returned(frozenset(map(root, deed))), told
    if RETURNED in due:
        due, done_so = due - _names_in(promise.statement), told_as_returned(told)
    if len(deed) < 2 or not due <= done_so:
        return False
    back = GAVE_BACK if RETURNED in due else frozenset[str]()
    done = next((place for place, word in enumerate(said) if word in back or _is_past_of(word, deed[0])), None)
    if done is None or not SHORT_OF.isdisjoint(said):
        return False
    return _PASSIVE.isdisjoint(said[max(0, done - 2) : done])


def opened_again(entity: Entity, keys: Collection[int]) -> Entity:
    """The promise as it was before the words of these segments told that it was kept."""
    if str(entity.properties.get(KEPT_IN)) not in set(map(str, keys)):
        return entity
    left = {
        name: value for name, value in entity.properties.items() if name not in ("state", KEPT_IN, KEPT_AT, KEPT_ON)
    }
    return replace(entity, properties=left)


def made_anew(entity: Entity, at: Instant) -> Entity:
    """The promise, open again if it is made once more after it was kept."""
    kept_at = entity.properties.get(KEPT_AT)
    if kept_at is None or at <= from_datetime(datetime.fromisoformat(str(kept_at))):
        return entity
    return opened_again(entity, [int(str(entity.properties[KEPT_IN]))])


def _made_by(draft: Draft, subject_id: str, level: Sensitivity) -> list[Fact]:
    facts = (draft.facts[each] for name in _OWED for each in draft.by_predicate.get((subject_id, name), ()))
    return [each for each in facts if each.status == "active" and each.polarity and each.sensitivity == level]


def _entities_of(draft: Draft, promise: Fact, level: Sensitivity) -> list[Entity]:
    """The promise that was seen in the words of a fact, unless somebody said what became of it."""
    keys = {(each.segment_key, fold(each.quote)) for each in draft.evidence.get(promise.fact_id, ())}
    return [
        entity
        for entity in draft.promises.values()
        if entity.sensitivity == level
        and not settled(entity.properties)
        and any((key, fold(seen.quote)) in keys for key, seen in draft.mentions.get(entity.entity_id, {}).items())
    ]


@lru_cache(maxsize=4)  # one statement is held against every promise of its speaker
def _words_of(statement: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The words, and their roots."""
    said = tuple(word for word, _ in tokenise(_LABEL.sub("", statement)))
    return said, frozenset(map(root, said))


@lru_cache(maxsize=8192)  # and the same promises against the next one
def _deed_of(statement: str, at: Instant) -> tuple[str, ...]:
    """The words of what a promise of that time says will be done, its verb first, without who does it and by when."""
    text = _LABEL.sub("", statement)
    for span in reversed(resolve(text, at, 0, "future")):
        text = text[: span.at] + text[span.at + len(span.text) :]
    _, _, rest = re.sub(r"\b(?:is going to|promises to|swears to|promised to)\b", "will", text).partition(" will ")
    empty = STOP_WORDS["en"] - {"you"} | _UNDERTAKING | _DUE
    return tuple(word for word, _ in tokenise(rest) if word not in empty)


def _names_in(statement: str) -> frozenset[str]:
    """Roots of the words written large in a statement."""
    return frozenset(root(word.partition("'")[0]) for word in re.findall(r"[A-ZÄÖÜ][\w'-]+", statement))


def _is_past_of(word: str, verb: str) -> bool:
    return word != verb and root(word) == root(verb) and not word.endswith(("s", "ing"))
