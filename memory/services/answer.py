"""Answer: a question, what came to mind and what is known, as a few sentences with citations.

With a language model the answer is generated and must cite; without one, or when it fails, it is made of quotations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from functools import cache
from importlib.resources import files
from math import inf

from memory.errors import ModelFailed
from memory.model.prompts import Prompt
from memory.model.timeline import Clock, Instant
from memory.ports import LanguageModel
from memory.retrieval.briefing import BRIEFING_CHARS, briefing, fitting
from memory.retrieval.flags import bare
from memory.services.asking import content_of
from memory.services.best_fact import BestFact
from memory.services.hits import SegmentHit, corrections_first, told_with_marks
from memory.services.known import KnownFact, holds, replaced_by, with_change, with_day
from memory.services.listing import Listing
from memory.services.nearness import ANSWERED, AS_WELL, asks_it, changed_by, in_order, matter_of, mended_by
from memory.services.overview import Overview, StorylineLine
from memory.services.phrasing import asks_whether, told_in_answer
from memory.services.promised import Promised
from memory.services.quoting import clock_of, day_of, place_of, quotation
from memory.words.cleaning import called, harmless, sentence, written
from memory.words.deeds import asks_whether_done, is_ahead
from memory.words.polarity import is_negated
from memory.words.predicates import named
from memory.words.questions import form_of
from memory.words.stems import terms, tokenise

NOTHING = "I have nothing about that."
NEAREST = "Nobody said that in so many words. The nearest:"
"""Before quotations none of which is near to what is asked (`memory.services.nearness`): they
may mean the same, or nothing of it."""
UNGENERATED = "(The language model gave no usable answer; these are the words themselves.)"
QUOTED = "(Answered from memory, in words that are kept there.)"
"""What is remembered of an answer in a talk that was not generated: a copy of quotations would stay when the words
themselves are forgotten. It answers nothing."""
QUOTES = 3
TOLD = 8
"""Facts told after a list: with it and the quotations, an answer has twelve lines at most."""
REFUSED, REFUSED_PART = -2.5, -1.5
"""Log-odds below which no turn that a fact rests on answers, if the fact has all words of the question and if it has
but most of them. Chosen on the leads of two open lives."""
_MAX_TOKENS = 256
_CITED = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class CitedSegment:
    """Where something was said; `number` is what stands in brackets in a generated text."""

    number: int
    source_id: str
    segment_id: str


@dataclass(frozen=True, slots=True)
class ComposedAnswer:
    """The words, what they rest on, and whether a model wrote them."""

    text: str
    citations: tuple[CitedSegment, ...] = ()
    generated: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """What an answer is made of: the question, what came to mind, best first, and what is known of that."""

    question: str
    hits: Sequence[SegmentHit]
    facts: Sequence[KnownFact] = ()
    lead: BestFact | None = None
    """The fact that answers, if one does."""
    reasons: Sequence[KnownFact] = ()
    """Facts that were told as its reason, where a reason is asked for."""
    generated_reasons: frozenset[str] = frozenset()
    """Ids of those that only a language model has seen as its reason."""
    listed: Listing | None = None
    """All that answers, where that is several things."""
    promised: Promised | None = None
    """What answers a question about promises."""
    overview: Overview | None = None
    """What answers a question for all of somebody, or of a time."""
    abstained: bool = False
    """Nothing that came to mind is worth saying."""
    language: str = "en"
    owner: str = ""
    """Whom an answer calls "you", unless the question calls them by their name; empty if nobody is known."""
    as_of: Instant | None = None
    """The moment asked about (None: now)."""
    answered: float | None = None
    """Log-odds that any of the hits answers, as it was judged of what came to mind; None where nothing was."""
    unknown: bool = False
    """Nothing known answers it, so that what is quoted is no more than near to it."""
    home: tzinfo = UTC
    """Where its owner lives."""

    @property
    def composed(self) -> bool:
        """Whether what answers is at hand, so that no model need write it."""
        return self.promised is not None or self.overview is not None

    @property
    def cited(self) -> Sequence[SegmentHit]:
        """Every hit that an answer may cite."""
        made = self.promised.made if self.promised is not None else ()
        overview = self.overview.cited if self.overview is not None else ()
        return [*made, *overview, *self.hits]


async def answer(found: Findings, model: LanguageModel | None) -> ComposedAnswer:
    """The answer. A model that fails, or cites nothing, costs its words and never the answer."""
    composed = compose(found)
    if model is None or found.abstained or found.composed or not found.hits:
        return composed
    prompt = prompt_of(found.question, found.hits, found.facts, found.as_of, found.home)
    try:
        text = await model.complete(Prompt(instructions(), prompt, max_tokens=_MAX_TOKENS))
        return generated(text, found.hits[: len(list(fitting(list(numbered(found.hits)), BRIEFING_CHARS)))])
    except ModelFailed:
        return replace(composed, text=f"{composed.text}\n{UNGENERATED}")


def compose(found: Findings) -> ComposedAnswer:
    """The fact that answers, if there is one, and up to three quotations with their places: its evidence first.

    Where several things are asked for and known, they lead, and what says so follows. Refuted words are quoted only
    where there are no others, and what tells nothing by itself ("ok", "great") only where nothing else is there.
    """
    if found.promised is not None:
        return _of_promises(found, found.promised)
    if found.overview is not None:
        return _all_of(found, found.overview)
    if found.abstained or not (found.hits or found.lead):
        return ComposedAnswer(NOTHING)
    standing = [hit for hit in found.hits if not hit.is_refuted]
    found = replace(found, hits=standing) if standing or found.lead else found
    told = [hit for hit in found.hits if hit.fact_ids or not bare(hit.text)]
    found = replace(found, hits=told) if told else found
    if found.listed is not None:
        return _enumerated(found, found.listed)
    if found.lead is None or _is_overtaken(found, found.lead) or _is_refused(found, found.lead):
        return _quoted(found)
    return _led(found, found.lead)


def _is_refused(found: Findings, lead: BestFact) -> bool:
    """Whether verdicts say that no turn which the fact rests on answers, or that another answers better.

    They are of turns, and where few are kept all are low. So what has every word, and was told by a command or is a
    state that there is one of, is refused only where another does answer, and better.
    """
    row, resting = named(lead.fact.predicate), [hit for hit in found.hits if lead.fact.fact_id in hit.fact_ids]
    grounds = [hit.verdict for hit in resting if hit.verdict is not None]
    if not grounds:
        return False
    matter = matter_of(found.question, found.language, found.owner)
    answers = (hit.verdict for hit in found.hits if hit.verdict is not None and not asks_it(matter, hit))
    best = max(answers, default=-inf)
    beaten = best - max(grounds) > AS_WELL
    is_state = row is not None and row.single and row.tense == "state"
    if lead.whole and (is_state or any(hit.by_command for hit in resting)):
        return beaten and best >= ANSWERED
    return beaten or max(grounds) < (REFUSED if lead.whole else REFUSED_PART)


def _is_overtaken(found: Findings, lead: BestFact) -> bool:
    """Whether a later turn denies a value of the fact, or tells a change of one that no rule of revision may end.

    What was to be done does not tell whether it was.
    """
    if asks_whether_done(found.question) and is_ahead(lead.fact.statement):
        return True
    grounds = [hit for hit in found.hits if lead.fact.fact_id in hit.fact_ids]
    matter = matter_of(found.question, found.language, found.owner)
    if not grounds:
        return False
    last = max(grounds, key=lambda hit: hit.at)
    if mended_by(matter, replace(last, text=lead.fact.statement), found.hits) is not None:
        return True
    row = named(lead.fact.predicate)  # of facts that end no others, or only those told in the same words
    return (row is None or row.appointed) and changed_by(matter, last, found.hits) is not None


def _of_promises(found: Findings, told: Promised) -> ComposedAnswer:
    """What is known of promises, and the words by which they were made."""
    return _composed([sentence(told.lead), *(quotation(hit, (), found.language) for hit in told.made)], told.made)


def _all_of(found: Findings, overview: Overview) -> ComposedAnswer:
    """Its first line; the facts, each with its day and place; what is quoted; and what has been going on."""
    lines = [sentence(overview.lead)]
    for fact, said in overview.facts:
        lines.append(f"{'' if holds(fact) else 'No longer: '}{_told(found, fact)}{_where(said)}")
    lines.extend(quotation(hit, (), found.language) for hit in overview.quoted)
    for each in overview.storylines:
        lines.append(each.lead(overview.clock))
        lines.extend(f"{_of_storyline(found, line, each.generated)}{_where(*line.said)}" for line in each.lines)
    return _composed(lines, overview.cited)


def _of_storyline(found: Findings, line: StorylineLine, generated: bool) -> str:
    """A line of a summary as its owner is told it. What somebody said stays as it was said."""
    if generated:
        return sentence(told_in_answer(line.text, found.owner, found.question))
    own, text = f"{called(found.owner)}: ", harmless(line.text)
    if not found.owner or not text.startswith(own):
        return text
    return f"{told_in_answer(found.owner, found.owner, found.question)}: {text.removeprefix(own)}"


def _led(found: Findings, lead: BestFact) -> ComposedAnswer:
    """The fact, and what it rests on."""
    own = set(terms(found.owner, found.language)[0])  # whoever is spoken of, the owner speaks
    matter = content_of(found.question, found.language) | (set(terms(lead.fact.statement, found.language)[0]) - own)
    quoted = _about(lead.fact, found, matter)
    lines, cited = [_head(found, lead, clock_of(quoted[0], found.home) if quoted else found.home)], list(quoted)
    for fact in found.reasons:
        hit = _said(found, fact)
        lines.append(f"{_reason(found, fact)}: {_told(found, fact)}{_where(hit)}")
        cited += [hit] if hit is not None and hit not in cited else []
    said = [hit for hit in quoted if _is_said_so(hit, lead.fact, found.owner)]
    lines.extend(
        f"You said so on {day_of(hit.at, hit.offset_s)} {place_of(hit)}"
        if hit in said
        else quotation(hit, matter, found.language)
        for hit in quoted
    )
    if not quoted and lead.fact.told_at is not None:
        lines.append(f"You said so on {day_of(lead.fact.told_at, found.home)}")
    return _composed(lines, cited)


def _reason(found: Findings, fact: KnownFact) -> str:
    """How a reason is announced: whether words tell it, or a language model sees it."""
    word, model = (
        ("Grund", " (laut Sprachmodell)") if found.language == "de" else ("Reason", " (a language model's guess)")
    )
    return f"{word}{model if fact.fact_id in found.generated_reasons else ''}"


def _head(found: Findings, lead: BestFact, clock: Clock) -> str:
    """The first line: the fact, told to its owner, behind yes or no where that was asked."""
    told = _told(found, lead.fact, with_change(lead.fact, found.facts, clock))
    whether = asks_whether(found.question)
    if whether or form_of(found.question) == "when":
        told = with_day(lead.fact, told, clock)
    if not lead.whole or not whether or is_negated(found.question):
        return told
    yes, no = ("Ja", "Nein") if found.language == "de" else ("Yes", "No")
    return f"{yes if lead.affirms else no}: {told}"


def _is_said_so(hit: SegmentHit, fact: KnownFact, owner: str) -> bool:
    """Whether the owner said just this: as a quotation it would be the same line again."""
    said, told = ([word for word, _ in tokenise(text)] for text in (hit.text, fact.statement))
    return hit.speaker == owner and said == told


def _quoted(found: Findings) -> ComposedAnswer:
    """The best quotations, below a word of caution where they may be about something else."""
    ordered, near = in_order(
        matter_of(found.question, found.language, found.owner), found.hits, found.facts, found.answered
    )
    quoted, matter = corrections_first(ordered)[:QUOTES], content_of(found.question, found.language)
    caution = () if near and not found.unknown else (NEAREST,)
    lines = [*caution, *(quotation(hit, matter, found.language) for hit in quoted)]
    return _composed(lines, quoted)


def _enumerated(found: Findings, listed: Listing) -> ComposedAnswer:
    """The list; the facts that say so, each with its day and place; and the best quotations beside."""
    lines, cited = [sentence(listed.lead)], list[SegmentHit]()
    for fact in dict.fromkeys(listed.facts[:TOLD]):
        said = _said(found, fact)
        lines.append(f"{_told(found, fact)}{' (disputed)' if fact.disputed else ''}{_where(said)}")
        cited += [said] if said is not None and said not in cited else []
    matter = content_of(found.question, found.language)
    near = [hit for hit in found.hits if hit not in cited and matter & set(terms(hit.text, found.language)[0])]
    quoted = near[:QUOTES]
    lines.extend(quotation(hit, matter, found.language) for hit in quoted)
    return _composed(lines, (*cited, *quoted))


def _composed(lines: Sequence[str], cited: Sequence[SegmentHit]) -> ComposedAnswer:
    """Lines, and the words they rest on."""
    return ComposedAnswer("\n".join(lines), tuple(_citation(number, hit) for number, hit in enumerate(cited, 1)))


def _told(found: Findings, fact: KnownFact, statement: str | None = None) -> str:
    """A fact as it is told to whoever asks, in its own statement if no other is given."""
    told = statement or fact.statement
    said = next((hit.text for hit in found.hits if fact.fact_id in hit.fact_ids and hit.speaker == found.owner), "")
    return sentence(told_in_answer(told, found.owner, found.question, said))


def _said(found: Findings, fact: KnownFact) -> SegmentHit | None:
    """The best hit that a fact was read from."""
    return next((hit for hit in found.hits if fact.fact_id in hit.fact_ids), None)


def _where(*said: SegmentHit | None) -> str:
    """Behind a statement: the days and places at which it was said; empty if none is at hand."""
    places = ", ".join(f"{day_of(hit.at, hit.offset_s)} {place_of(hit)}" for hit in said if hit is not None)
    return f" - {places}" if places else ""


def _about(lead: KnownFact, found: Findings, matter: set[int]) -> list[SegmentHit]:
    """What says the leading fact; then what says the value before it, or shares a word with it or the question."""
    earlier = {fact.fact_id for fact in replaced_by(lead, found.facts)}
    own = [hit for hit in found.hits if lead.fact_id in hit.fact_ids][: QUOTES - 1]
    near = [
        hit for hit in found.hits if earlier & set(hit.fact_ids) or matter & set(terms(hit.text, found.language)[0])
    ]
    return list(dict.fromkeys((*own, *near)))[:QUOTES]


def _fact_ids(hits: Sequence[SegmentHit]) -> list[str]:
    """The facts of the hits, in the hits' order, each once."""
    return list(dict.fromkeys(fact_id for hit in hits for fact_id in hit.fact_ids))


def generated(text: str, hits: Sequence[SegmentHit]) -> ComposedAnswer:
    """A model's answer with the hits it cites; other brackets are taken out. Raises ModelFailed if it cites none."""
    if text.strip().rstrip(".").casefold() == NOTHING.rstrip(".").casefold():
        return ComposedAnswer(NOTHING, (), generated=True)
    cited = dict.fromkeys(int(number) for number in _CITED.findall(text) if 1 <= int(number) <= len(hits))
    if not cited:
        raise ModelFailed("The language model's answer cites nothing it was shown.")
    return ComposedAnswer(
        written(text, cited), tuple(_citation(number, hits[number - 1]) for number in sorted(cited)), generated=True
    )


@cache
def instructions() -> str:
    """The system prompt."""
    return (files("memory.services") / "prompts" / "answer.md").read_text(encoding="utf-8").strip()


def prompt_of(
    question: str,
    hits: Sequence[SegmentHit],
    facts: Sequence[KnownFact],
    as_of: Instant | None = None,
    home: tzinfo = UTC,
) -> str:
    """The question behind the memory: numbered lines, then what is known of them, 2000 characters in all."""
    return f"{briefing([*numbered(hits), *_noted(hits, facts, as_of, home)])}\n\nQuestion: {harmless(question)}"


def numbered(hits: Sequence[SegmentHit]) -> Iterator[str]:
    """The hits as a language model reads them: number, speaker, day, words."""
    return (f"[{number}] {spoken(hit)}" for number, hit in enumerate(hits, 1))


def spoken(hit: SegmentHit) -> str:
    """Who said it, when, and what, as data."""
    return f"{said_by(hit)}{told_with_marks(hit)}"


def said_by(hit: SegmentHit) -> str:
    """What stands before the words: who said them, and when."""
    return f"{called(hit.speaker)}, {day_of(hit.at, hit.offset_s)}: "


def _noted(
    hits: Sequence[SegmentHit], facts: Sequence[KnownFact], as_of: Instant | None, home: tzinfo
) -> Iterator[str]:
    by_id = {fact.fact_id: fact for fact in facts if holds(fact, as_of)}
    for fact_id in _fact_ids(hits):
        if fact_id in by_id:
            resting = [number for number, hit in enumerate(hits, 1) if fact_id in hit.fact_ids]
            known = with_change(by_id[fact_id], facts, clock_of(hits[resting[0] - 1], home))
            yield f"{''.join(f'[{number}]' for number in resting)} Known: {harmless(known)}"


def _citation(number: int, hit: SegmentHit) -> CitedSegment:
    return CitedSegment(number, hit.source_id, hit.segment_id)
