"""Answer: a question, what came to mind and what is known, as a few sentences with citations.

With a language model the answer is generated and must cite; without one, or when it fails, it is made of quotations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from memory.errors import ModelFailed
from memory.model.timeline import Instant
from memory.ports import LanguageModel
from memory.retrieval.briefing import BRIEFING_CHARS, briefing, fitting, harmless
from memory.services.asking import content_of
from memory.services.known import KnownFact, holds, replaced_by, with_change
from memory.services.leading import says_something_of
from memory.services.listing import Listing
from memory.words.stems import terms
from memory.words.time_spans import TimeSpan, label

NOTHING = "I have nothing about that."
NEAREST = "Nobody said that in so many words. The nearest:"
"""Before quotations that share no word with what is asked, nor what was read from them: they
may mean the same, or nothing of it."""
UNGENERATED = "(The language model gave no usable answer; these are the words themselves.)"
QUOTES = 3
TOLD = 8
"""Facts told after a list: with it and the quotations, an answer has twelve lines at most."""
_QUOTE_CHARS = 300
_MAX_TOKENS = 256
_CITED = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Hit:
    """A segment that came to mind: when it was said (UTC epoch seconds), the speaker's offset in seconds, its facts."""

    text: str
    speaker: str
    at: Instant
    offset_s: int
    source_id: str
    segment_id: str
    fact_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """Where something was said; `number` is what stands in brackets in a generated text."""

    number: int
    source_id: str
    segment_id: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The words, what they rest on, and whether a model wrote them."""

    text: str
    citations: tuple[Citation, ...] = ()
    generated: bool = False


async def answer(
    question: str,
    hits: Sequence[Hit],
    facts: Sequence[KnownFact],
    model: LanguageModel | None,
    *,
    as_of: Instant | None = None,
    abstained: bool = False,
    language: str = "en",
    lead: KnownFact | None = None,
    listed: Listing | None = None,
) -> Answer:
    """The answer, best hits first; `lead` is the fact that answers, if one does.

    A model that fails, or cites nothing, costs its words and never the answer.
    """
    composed = compose(question, hits, facts, lead=lead, abstained=abstained, language=language, listed=listed)
    if model is None or abstained or not hits:
        return composed
    try:
        text = await model.complete(instructions(), prompt_of(question, hits, facts, as_of), max_tokens=_MAX_TOKENS)
        return generated(text, hits[: len(list(fitting(list(numbered(hits)), BRIEFING_CHARS)))])
    except ModelFailed:
        return replace(composed, text=f"{composed.text}\n{UNGENERATED}")


def compose(
    question: str,
    hits: Sequence[Hit],
    facts: Sequence[KnownFact],
    *,
    lead: KnownFact | None = None,
    abstained: bool = False,
    language: str = "en",
    listed: Listing | None = None,
) -> Answer:
    """The fact that answers, if there is one, and up to three quotations with their places: its evidence first.

    Where several things are asked for and known, they lead, and what says so follows.
    """
    if abstained or not hits:
        return Answer(NOTHING)
    if listed is not None:
        return _enumerated(listed, hits)
    quoted = hits[:QUOTES] if lead is None else _about(lead, question, hits, facts, language)
    lines: list[str] = []
    if lead is not None:
        lines.append(with_change(lead, facts, quoted[0].offset_s if quoted else 0))
    else:
        carried = [fact for fact in facts if fact.fact_id in _fact_ids(quoted)]
        near = says_something_of([f"{hit.speaker} {hit.text}" for hit in quoted], question, language, carried)
        lines.extend(() if near else (NEAREST,))
    lines.extend(_quotation(hit) for hit in quoted)
    return Answer("\n".join(lines), tuple(_citation(number, hit) for number, hit in enumerate(quoted, 1)))


def _enumerated(listed: Listing, hits: Sequence[Hit]) -> Answer:
    """The list; the facts that say so, each with its day and place; and the best quotations beside."""
    lines, cited = [listed.lead], list[Hit]()
    for fact in dict.fromkeys(listed.facts[:TOLD]):
        said = next((hit for hit in hits if fact.fact_id in hit.fact_ids), None)
        disputed = " (disputed)" if fact.disputed else ""
        lines.append(f"{fact.statement}{disputed}{_place(said)}")
        cited += [said] if said is not None and said not in cited else []
    quoted = [hit for hit in hits if hit not in cited][:QUOTES]
    lines.extend(_quotation(hit) for hit in quoted)
    return Answer("\n".join(lines), tuple(_citation(number, hit) for number, hit in enumerate((*cited, *quoted), 1)))


def _place(hit: Hit | None) -> str:
    return "" if hit is None else f" - {_day(hit)} [{hit.source_id}/{hit.segment_id}]"


def _about(lead: KnownFact, question: str, hits: Sequence[Hit], facts: Sequence[KnownFact], language: str) -> list[Hit]:
    """What says the leading fact; then what says the value before it, or shares a word with it or the question."""
    matter = content_of(question, language) | set(terms(lead.statement, language)[0])
    earlier = {fact.fact_id for fact in replaced_by(lead, facts)}
    own = [hit for hit in hits if lead.fact_id in hit.fact_ids][: QUOTES - 1]
    near = [hit for hit in hits if earlier & set(hit.fact_ids) or matter & set(terms(hit.text, language)[0])]
    return [*own, *(hit for hit in near if hit not in own)][:QUOTES]


def _fact_ids(hits: Sequence[Hit]) -> list[str]:
    """The facts of the hits, in the hits' order, each once."""
    return list(dict.fromkeys(fact_id for hit in hits for fact_id in hit.fact_ids))


def generated(text: str, hits: Sequence[Hit]) -> Answer:
    """A model's answer with the hits it cites; other brackets are taken out. Raises ModelFailed if it cites none."""
    if text.strip().rstrip(".").casefold() == NOTHING.rstrip(".").casefold():
        return Answer(NOTHING, (), generated=True)
    cited = dict.fromkeys(int(number) for number in _CITED.findall(text) if 1 <= int(number) <= len(hits))
    if not cited:
        raise ModelFailed("The language model's answer cites nothing it was shown.")
    shown = _CITED.sub(lambda match: match.group() if int(match.group(1)) in cited else "", text).strip()
    return Answer(shown, tuple(_citation(number, hits[number - 1]) for number in sorted(cited)), generated=True)


@cache
def instructions() -> str:
    """The system prompt."""
    return (files("memory.services") / "prompts" / "answer.md").read_text(encoding="utf-8").strip()


def prompt_of(question: str, hits: Sequence[Hit], facts: Sequence[KnownFact], as_of: Instant | None = None) -> str:
    """The question behind the memory: numbered lines, then what is known of them, 2000 characters in all."""
    return f"{briefing([*numbered(hits), *_noted(hits, facts, as_of)])}\n\nQuestion: {harmless(question)}"


def numbered(hits: Sequence[Hit]) -> Iterator[str]:
    """The hits as a language model reads them: number, speaker, day, words."""
    return (f"[{number}] {spoken(hit)}" for number, hit in enumerate(hits, 1))


def spoken(hit: Hit) -> str:
    """Who said it, when, and what, as data."""
    return f"{said_by(hit)}{harmless(hit.text)}"


def said_by(hit: Hit) -> str:
    """What stands before the words: who said them, and when."""
    return f"{harmless(hit.speaker)}, {_day(hit)}: "


def _noted(hits: Sequence[Hit], facts: Sequence[KnownFact], as_of: Instant | None) -> Iterator[str]:
    by_id = {fact.fact_id: fact for fact in facts if holds(fact, as_of)}
    for fact_id in _fact_ids(hits):
        if fact_id in by_id:
            resting = [number for number, hit in enumerate(hits, 1) if fact_id in hit.fact_ids]
            known = with_change(by_id[fact_id], facts, hits[resting[0] - 1].offset_s)
            yield f"{''.join(f'[{number}]' for number in resting)} Known: {harmless(known)}"


def _quotation(hit: Hit) -> str:
    words = " ".join(hit.text.split())
    cut = words if len(words) <= _QUOTE_CHARS else words[: _QUOTE_CHARS - 1].rstrip() + "…"
    return f'"{cut}" - {hit.speaker}, {_day(hit)} [{hit.source_id}/{hit.segment_id}]'


def _day(hit: Hit) -> str:
    return label(TimeSpan(hit.at, hit.at, "day", "point", False, ""), hit.offset_s)


def _citation(number: int, hit: Hit) -> Citation:
    return Citation(number, hit.source_id, hit.segment_id)
