"""The LLM-free extractor: rules over words and a small English parser. Far cheaper than a small model."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from adapters.extraction import german
from adapters.extraction.rules_answers import ANSWERING, PriorQuestions, with_question
from adapters.extraction.rules_claims import claims_of, relation_claims
from adapters.extraction.rules_corrections import corrected, exchanged
from adapters.extraction.rules_dating import Scene, next_frame
from adapters.extraction.rules_joints import unjoin
from adapters.extraction.rules_kinds import kinds_of
from adapters.extraction.rules_model import Doc, load, parse
from adapters.extraction.rules_nicknames import addressed, nicknames
from adapters.extraction.rules_objects import phrase
from adapters.extraction.rules_people import Company
from adapters.extraction.rules_promises import is_vow_alone
from adapters.extraction.rules_sightings import sightings_of, speaker_sighting
from adapters.extraction.rules_ties import told_otherwise
from adapters.extraction.tasks import tasks_of, without_tasks
from memory.model.claims import Claim, Reading, Sighting, Utterance
from memory.model.ids import fold
from memory.words import stage
from memory.words.languages import is_german, spoken
from memory.words.names import is_broadcast
from memory.words.normalise import SplitUtterance, UtterancePiece, questions_of, told
from memory.words.passages import PASSAGE_CHARS, last_passage, passages
from memory.words.polarity import is_boast
from memory.words.retractions import is_joke, retracts

_SILENT_ROLES = frozenset({"assistant", "tool"})
"""What an assistant or a tool said is no evidence."""


_QUESTIONS_KEPT = 3
"""Of an assistant's turn only its last questions are read: what it says is no evidence, what it asks gives context."""
_SMALL = re.compile(r"\b[a-z]{3,}\b")


class RuleExtractor:
    """Reads English talk, and plain German, with rules; other languages, assistants and context claim nothing."""

    name = "rules"

    def prepare(self) -> None:
        """Load the parser. Raises ModelFailed if it is missing."""
        load()

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        """What these utterances say; the work is done in a thread. Raises ModelFailed if the parser is missing."""
        return await asyncio.to_thread(read, tuple(utterances))


def read(utterances: Sequence[Utterance]) -> Reading:
    """What these utterances say, in their order; long ones passage by passage."""
    parts = [part for utterance in map(_without_tasks, utterances) for part in _passages(utterance)]
    sightings, claims = _read(parts)
    whole = {each.segment_key: each.text for each in utterances if _without_tasks(each) is not each}
    sightings = [_quoted(seen, whole.get(seen.segment_key, seen.quote)) for seen in sightings]
    sightings.extend(task for each in utterances if is_evidence(each) for task in tasks_of(each))
    if len(parts) > len(utterances):
        sightings, claims = _whole(sightings, claims)
    return Reading(tuple(sightings), tuple(claims), RuleExtractor.name)


def _without_tasks(utterance: Utterance) -> Utterance:
    """What is read beside its tasks; the utterance itself where there are none, or where it is read in passages."""
    text = utterance.text if len(utterance.text) > PASSAGE_CHARS else without_tasks(utterance.text)
    return utterance if text == utterance.text else replace(utterance, text=text)


def _quoted(seen: Sighting, text: str) -> Sighting:
    """A sighting in the words of this text: who speaks is seen in its beginning, which may be a task."""
    return seen if seen.quote.strip() and seen.quote in text else replace(seen, quote=text[:200])


def _passages(utterance: Utterance) -> Iterator[Utterance]:
    """An utterance as it is read. Of what is no evidence the end is enough: it is what others answer to."""
    text = utterance.text
    if len(text) <= PASSAGE_CHARS:
        yield utterance
    elif is_evidence(utterance):
        yield from (replace(utterance, text=passage) for passage in passages(text))
    else:
        yield replace(utterance, text=last_passage(text))


def _whole(sightings: Sequence[Sighting], claims: Sequence[Claim]) -> tuple[list[Sighting], list[Claim]]:
    """Of each segment that was read in passages everything once."""
    seen: dict[int, list[Sighting]] = {}
    said: dict[int, list[Claim]] = {}
    for sighting in sightings:
        seen.setdefault(sighting.segment_key, []).append(sighting)
    for claim in claims:
        said.setdefault(claim.segment_key, []).append(claim)
    return [each for own in seen.values() for each in _best(own)], [
        each for own in said.values() for each in _once(own)
    ]


def _read(utterances: Sequence[Utterance]) -> tuple[list[Sighting], list[Claim]]:
    speakers = tuple(dict.fromkeys(u.speaker for u in utterances if u.role not in _SILENT_ROLES and u.speaker))
    pieces = list(_staged(utterances, speakers))
    parses = [unjoin(doc) for doc in parse([piece.text for turn in pieces for piece in turn])]
    docs = iter(parses)
    small = frozenset(_SMALL.findall(" ".join(u.text for u in utterances)))
    company = Company(speakers, common=small, kinds=kinds_of(parses))
    sightings: list[Sighting] = []
    claims: list[Claim] = []
    speakers_of = {u.segment_key: u.speaker for u in utterances}
    asked, asker = PriorQuestions(), ""
    for utterance, turn in zip(utterances, pieces, strict=True):
        company.turn += 1
        parsed = [(piece, next(docs)) for piece in turn]
        reads = _read_german if is_german(utterance.text, utterance.language) else _read_turn
        seen, said = reads(utterance, parsed, company, asked if asker != utterance.speaker else PriorQuestions())
        asked, asker = PriorQuestions(tuple(piece.text for piece in turn if piece.question)), utterance.speaker
        if is_evidence(utterance):
            gone = _taken_back(claims, speakers_of, utterance, turn)
            claims = [claim for claim in claims if (claim.segment_key, claim.quote) != gone]
            sightings = [s for s in sightings if s.type == "person" or (s.segment_key, s.quote) != gone]
            sightings.extend(seen)
            claims.extend(said)
    return sightings, claims


def is_evidence(utterance: Utterance) -> bool:
    """Whether it is to be read, and what it says is somebody's own words."""
    silent = utterance.role in _SILENT_ROLES or is_broadcast(utterance.speaker)
    return not (utterance.context_only or silent)


def _is_english(utterance: Utterance) -> bool:
    return spoken(utterance.text, utterance.language) == "en"


def _staged(utterances: Sequence[Utterance], speakers: Sequence[str]) -> Iterator[tuple[UtterancePiece, ...]]:
    """The pieces of each utterance, read under the dream, game or page that those before it set."""
    now, cued, before = stage.Stage(), "", ""
    for utterance in utterances:
        frame = cued if before != utterance.speaker else ""
        frame = frame or (now.kind if now.binds(utterance.speaker) else "")
        found = _told(utterance, speakers, frame)
        silent = utterance.role in _SILENT_ROLES
        if not silent and _is_english(utterance):
            now = stage.after_turn(now, utterance.speaker, found.frame, opened=found.opened or frame == cued != "")
        cued, before = "" if silent else stage.cues(utterance.text), utterance.speaker
        yield found.pieces


def _told(utterance: Utterance, speakers: Sequence[str], frame: str) -> SplitUtterance:
    if not _is_english(utterance):
        return SplitUtterance(())
    if utterance.role in _SILENT_ROLES:
        return SplitUtterance(questions_of(utterance.text, _QUESTIONS_KEPT))
    others = utterance.listeners or tuple(name for name in speakers if name != utterance.speaker)
    return told(utterance.text, others, utterance.speaker, frame)


def _read_turn(
    utterance: Utterance, parsed: Sequence[tuple[UtterancePiece, Doc]], company: Company, asked: PriorQuestions
) -> tuple[list[Sighting], list[Claim]]:
    sightings = [speaker_sighting(utterance)] if utterance.speaker else []
    sightings.extend(company.newly_called(addressed(utterance, company.others(utterance))))
    claims: list[Claim] = []
    scene = Scene(utterance, company.voice(utterance, utterance.text), present=frozenset(company.others(utterance)))
    for place, (piece, doc) in enumerate(parsed):
        joke = is_boast(piece.quote) or any(is_joke(near.text) for near, _ in parsed[place : place + 2])
        related = [] if joke or not piece.asserted else list(company.relations(doc, utterance.speaker))
        voice = replace(scene.voice, referents=company.referents(doc, utterance.speaker))
        scene = replace(
            scene,
            voice=voice,
            kin=company.kin,
            common=company.common,
            kinds=company.kinds,
            answering=bool(asked.questions) and place < ANSWERING,
            vowed=any(is_vow_alone(after.text) for after, _ in parsed[place + 1 : place + 2]),
        )
        before = reversed(company.told.get(utterance.speaker, []))
        said = [] if joke else list(corrected(piece, doc, before, asked, scene))
        if not (joke or said):
            said = with_question([*claims_of(piece, doc, scene)], place, piece, doc, asked, scene)
        said = [claim for claim in said if not told_otherwise(claim, related)]
        said.extend(() if joke else relation_claims(related, piece, scene))
        claims.extend(said)
        if not joke:
            sightings.extend(nicknames(piece, doc, scene))
            sightings.extend(sightings_of(piece, doc, scene, related, said))
        company.hear(said, utterance.speaker)
        company.observe(doc, utterance.speaker)
        scene = replace(scene, frame=next_frame(scene, doc), plural=_last_plural(doc, scene) or scene.plural)
    return list(_best(sightings)), list(_once(claims))


def _read_german(
    utterance: Utterance, parsed: Sequence[tuple[UtterancePiece, Doc]], company: Company, asked: PriorQuestions
) -> tuple[list[Sighting], list[Claim]]:
    """A German turn needs no parser: its clauses are read by the order of their words."""
    if not is_evidence(utterance):
        return [], []
    listener = company.listener(utterance)
    sightings = [speaker_sighting(utterance)] if utterance.speaker else []
    sightings.extend(german.promises_of(utterance, listener))
    return list(_best(sightings)), list(_once([*german.claims_of(utterance, listener)]))


def _once(claims: Sequence[Claim]) -> Iterator[Claim]:
    """Each statement of a turn once: the typed and weightier reading of it."""
    best: dict[str, Claim] = {}
    for claim in claims:
        key = f"{fold(claim.statement)} {claim.predicate}"
        twin = fold(claim.statement)
        known = best.get(twin)
        if known is None or known.predicate is None:
            best[twin] = claim
        elif claim.predicate not in (None, known.predicate):
            best[key] = claim
    return iter(best.values())


def _best(sightings: Sequence[Sighting]) -> Iterator[Sighting]:
    """One sighting a type and name of a turn (one question), the surest; what another knows of it is kept.

    A person who is seen under a nickname of this turn is the one whose nickname it is.
    """
    aliases = [(alias, sighting.name) for sighting in sightings for alias in sighting.aliases]
    called = {fold(form): name for alias, name in aliases for form in (alias, f"{name} {alias}")}
    best: dict[tuple[str, str], Sighting] = {}
    for seen in sightings:
        sighting = replace(seen, name=called.get(fold(seen.name), seen.name)) if seen.type == "person" else seen
        key = (sighting.type, "" if sighting.type == "question" else fold(sighting.name))
        known = best.setdefault(key, sighting)
        surer = max(known, sighting, key=lambda s: s.confidence)
        names = tuple(dict.fromkeys((*known.aliases, *sighting.aliases)))
        best[key] = replace(surer, properties={**known.properties, **sighting.properties}, aliases=names)
    return iter(best.values())


def _last_plural(doc: Doc, scene: Scene) -> str | None:
    plurals = [
        t for t in doc if t.tag_ == "NNS" and t.dep_ in ("dobj", "pobj", "attr", "nsubj") and t.ent_type_ != "DATE"
    ]
    return phrase(plurals[-1], scene.voice) if plurals else None


def _taken_back(
    claims: Sequence[Claim], speakers: Mapping[int, str], utterance: Utterance, turn: Sequence[UtterancePiece]
) -> tuple[int, str] | None:
    """What "just kidding" takes back: the last sentence (segment, quote) of its speaker that claimed something.

    Where a value is exchanged, "no, not lactose, gluten", the last that has the old one.
    """
    if not turn or not (is_joke(turn[0].text) or retracts(utterance.text)):
        return None
    old = exchanged(turn[0])
    own = (c for c in reversed(claims) if speakers.get(c.segment_key) == utterance.speaker)
    return next(((c.segment_key, c.quote) for c in own if old is None or fold(old) in fold(c.statement)), None)
