"""Answers: what a question is answered from - words, facts, lists and promises - gathered from the stores."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.use_cases.contexts import hit_of
from deployments.use_cases.overviews import overview
from deployments.use_cases.questions import Recalled
from memory.model.profile import Profile
from memory.model.scopes import View
from memory.model.shown import MadePromise, ShownEntity, ShownFact, ShownSegment
from memory.model.timeline import Instant
from memory.retrieval.query import Question
from memory.rules.keeping import KEPT_ON
from memory.rules.promises import MOST_PROMISES, due_of, moment_in, promise_state
from memory.services.answer import QUOTES, TOLD, Findings
from memory.services.best_fact import BestFact, RecalledMaterial, best_fact_of_each, leads, who_asked
from memory.services.hits import SegmentHit, retraction
from memory.services.known import STEPS, KnownFact, known_fact
from memory.services.listing import Listing, listing, namesakes, told_each, told_together
from memory.services.promised import KnownPromise, Promised, done, promised, tells_promise
from memory.services.zones import clock_there, zone_of
from memory.words.causes import asks_why
from memory.words.list_questions import ListQuestion, list_question
from memory.words.predicates import named
from memory.words.promise_questions import deed_question, promise_question
from memory.words.questions import uncounted

FactsById = Mapping[str, ShownFact]
CONSIDERED = 10
"""The best hits, one of whose facts may lead, however many are shown (chosen: twice what is shown by default)."""


async def findings(app: AppContext, who: Caller, question: Question, recalled: Recalled) -> Findings:
    """What a question is answered from: what was recalled for it, and what the stores know about that.

    Of what was known at some earlier time the words alone are told.
    """
    profile, verdicts = await app.profile(who.user_id), recalled.recollection.verdicts
    found = Findings(
        question.text,
        [hit_of(each, score, verdicts.get(each.segment_key)) for each, score in recalled.considered],
        answered=recalled.recollection.answered,
        abstained=recalled.recollection.abstained,
        language=profile.languages[0],
        owner=profile.name,
        as_of=question.as_of,
        home=zone_of(profile.time_zone),
    )
    if question.known_as_of is not None:
        return found
    kept = await _promised(app, who, question, profile)
    if kept is not None:
        return replace(found, promised=kept)
    seen = recalled.seen or await overview(app, question, profile, recalled.recollection.dated)
    if seen is not None:
        return replace(found, overview=seen, abstained=False)
    asked = promise_question(question.text, profile.name)
    if asked is None or question.as_of is not None:  # the list of promises is that of today; facts are of any day
        return await _with_facts(app, who.view, question, recalled, found)
    hits = sorted(found.hits, key=lambda hit: not tells_promise(hit, asked))
    return replace(found, hits=hits, unknown=not hits or not tells_promise(hits[0], asked))


async def _promised(app: AppContext, who: Caller, question: Question, profile: Profile) -> Promised | None:
    """What a question about promises is told of them, or whether what was promised once is done."""
    asked, deed = promise_question(question.text, profile.name), deed_question(question.text)
    if question.as_of is not None or (asked is None and deed is None):
        return None
    seen = (await app.stores.reads.entities.page(who.view, MOST_PROMISES, type="promise")).shown
    made = await app.stores.reads.entities.promised(who.view, [each.entity.entity_id for each in seen])
    home = zone_of(profile.time_zone)
    known = [
        _known_promise(each, made[each.entity.entity_id], question.now, home)
        for each in seen
        if each.entity.entity_id in made
    ]
    if asked is not None:
        return promised(question.text, asked, known, profile.name, home)
    return done(question.text, deed or frozenset(), known, profile.name, home)


def _known_promise(seen: ShownEntity, made: MadePromise, now: Instant, home: tzinfo) -> KnownPromise:
    said = seen.entity.properties
    by, to = (None if said.get(side) is None else str(said[side]) for side in ("by", "to"))
    text = str(said.get("text") or seen.entity.name)
    words = made.quote or text
    return KnownPromise(
        text=text,
        by=by,
        to=to,
        due=due_of(said),
        state=promise_state(said, now),
        made=SegmentHit(words, by or "", seen.first_seen, made.offset_s, made.source_id, made.segment_id),
        statement=made.statement or "",
        kept_on=moment_in(said, KEPT_ON),
        answering=made.answering or "",
        clock=clock_there(home, seen.first_seen, made.offset_s),
    )


async def _with_facts(app: AppContext, view: View, question: Question, recalled: Recalled, found: Findings) -> Findings:
    """The findings with what is known of the hits and of what is asked about, and which of that answers."""
    asked = list_question(question.text, question.now, found.home, found.owner)
    shown, carried = _carried(recalled.shown), _carried([each for each, _ in recalled.considered])
    told = {} if asked is None else await _told(app, view, asked)
    facts = await _facts(app, view, {*shown, *carried, *told}, question.as_of)
    known = _all_known(facts, told, question.now)
    listed = _listed(question, asked, [each for each in known if each.fact_id in told], known, found.language)
    mind = RecalledMaterial(carried, known, found.language, question.as_of, found.owner)
    lead = next(iter(leads(uncounted(question.text)[0], mind)), None)
    if listed is None and lead is not None and _is_one_of_many(lead):
        listed, facts = await _together(app, view, question, mind, lead, facts)
    elif listed is None and lead is None:
        listed = told_each(best_fact_of_each(question.text, mind))
    first = listed.facts[:TOLD] if listed is not None else [lead.fact] if lead is not None else []
    reasons: dict[str, str] = {}
    if listed is None and lead is not None and asks_why(question.text):
        reasons = await app.stores.nights.causes.of(view, lead.fact.fact_id)
        facts = {**facts, **await _facts(app, view, reasons.keys() - facts.keys(), question.as_of)}
    evidence = await _evidence(app, view, shown, [*(each.fact_id for each in first), *reasons], facts)
    return replace(
        found,
        hits=_each_once([*(hit_of(each) for each in evidence), *found.hits]),
        facts=_all_known(facts, told, question.now),
        lead=lead,
        reasons=[_known(facts[each], facts, told, question.now) for each in reasons if each in facts],
        generated_reasons=frozenset(each for each, by in reasons.items() if by != "rules"),
        listed=listed,
        abstained=found.abstained and not first,
    )


def _each_once(hits: Sequence[SegmentHit]) -> list[SegmentHit]:
    """Hits without those of a segment that came before: what a fact rests on may be among what was recalled."""
    found: dict[tuple[str, str], SegmentHit] = {}
    for hit in hits:
        found.setdefault((hit.source_id, hit.segment_id), hit)
    return list(found.values())


def _is_one_of_many(lead: BestFact) -> bool:
    """Whether it is a state of which there may be several, and all of them were asked for."""
    row = named(lead.fact.predicate)
    return lead.open and row is not None and row.tense == "state" and (row.slotted is not None or not row.single)


async def _together(
    app: AppContext, view: View, question: Question, mind: RecalledMaterial, lead: BestFact, facts: FactsById
) -> tuple[Listing | None, FactsById]:
    """All that answers as well as a fact does, of the same kind and subject; and the facts with these."""
    plain, counted = uncounted(question.text)
    kind = frozenset({lead.fact.predicate or ""})
    more = await app.stores.reads.facts.told_of(view, lead.fact.subject, kind, frozenset())
    every = await _facts(app, view, {*facts, *more}, question.as_of)
    wider = replace(mind, carried=[*mind.carried, *more], facts=_all_known(every, more, question.now))
    return told_together(question.text, leads(plain, wider), counted), every


def _all_known(facts: FactsById, disputed: Mapping[str, bool], now: Instant) -> list[KnownFact]:
    return [_known(each, facts, disputed, now) for each in facts.values()]


def _listed(
    question: Question, asked: ListQuestion | None, told: Sequence[KnownFact], known: Sequence[KnownFact], language: str
) -> Listing | None:
    """What a question lists, or everybody of the first name it asks about."""
    listed = None if asked is None else listing(asked, told, question.as_of)
    who_is = who_asked(question.text, known, language) if listed is None else None
    return listed if who_is is None else namesakes(who_is, known, question.as_of)


async def _told(app: AppContext, view: View, asked: ListQuestion) -> Mapping[str, bool]:
    """The facts that may belong on the list, and whether each is disputed: one statement."""
    members = asked.test.members if asked.test is not None else frozenset[str]()
    return await app.stores.reads.facts.told_of(view, asked.who, asked.predicates, members)


async def _facts(app: AppContext, view: View, ids: set[str], as_of: Instant | None) -> FactsById:
    """These facts, whose place they took, and what took theirs, however often, as it is told on a day; by id.

    Believed now, whenever that was asked.
    """
    facts = {each.fact_id: each for each in await _current(app, view, ids, as_of)}
    wanted, asked = {other for each in facts.values() for other in each.supersedes}, set(facts)
    for _ in range(STEPS):
        wanted |= {other for each in facts.values() for other in each.superseded_by}
        facts |= {each.fact_id: each for each in await _current(app, view, wanted - asked, as_of)}
        asked |= wanted
    return facts


async def _evidence(
    app: AppContext, view: View, carried: Collection[str], leads: Sequence[str], facts: FactsById
) -> list[ShownSegment]:
    """What the leading facts and those before them rest on, the latest first, if no hit carries it: one statement."""
    first = [facts[each] for each in leads if each in facts]
    told = [*first, *(facts[other] for each in first for other in each.supersedes if other in facts)]
    missing = [each for each in told if each.fact_id not in carried]
    keys = [said.segment_key for each in missing for said in each.sources[-QUOTES:] if said.segment_key]
    found = await app.stores.questions.segments.hydrate(view, keys) if keys else {}
    return sorted(found.values(), key=lambda each: each.at, reverse=True)


def _carried(hits: Sequence[ShownSegment]) -> list[str]:
    """The facts of the hits, and those that were read from them once and have been corrected since.

    What was taken back in the next breath answers nothing.
    """
    return [
        fact_id
        for hit in hits
        if not retraction(hit.next_words)
        for fact_id in (*hit.fact_ids, *(each.fact_id for each in hit.refuted if each.instead))
    ]


async def _current(app: AppContext, view: View, ids: set[str], as_of: Instant | None) -> Sequence[ShownFact]:
    return await app.stores.reads.facts.current(view, sorted(ids), as_of) if ids else ()


def _known(fact: ShownFact, known: FactsById, disputed: Mapping[str, bool], now: Instant) -> KnownFact:
    later = [known[each] for each in fact.superseded_by if each in known]
    successor = min(later, key=lambda each: each.predicate != fact.predicate, default=None)
    return replace(
        known_fact(fact, now),
        superseded_by=successor.statement or None if successor else None,
        disputed=disputed.get(fact.fact_id, False),
    )
