"""Answer: a question, what came to mind and what is known, as a few sentences with citations.

With a language model the answer is generated and must cite; without one, or when it fails, it is made of quotations.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from memory.errors import ModelFailed
from memory.model.timeline import Instant
from memory.ports import LanguageModel
from memory.words.stems import terms
from memory.words.time_spans import TimeSpan, label

NOTHING = "I have nothing about that."
UNGENERATED = "(The language model gave no usable answer; these are the words themselves.)"
MEMORY_CHARS = 2000
"""Most memory a prompt carries, in characters (seed 001, ARCH-8)."""
QUOTES = 3
_QUOTE_CHARS = 300
_MAX_TOKENS = 256
_CITED = re.compile(r"\[(\d+)\]")
_SAFE = str.maketrans("<>[]", "‹›()")
"""Inside a memory nothing can close its tag or pass for a citation."""


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
class KnownFact:
    """A fact that hits carry. `superseded_by` is the statement that took its place."""

    fact_id: str
    statement: str
    valid_from: Instant | None
    valid_to: Instant | None = None
    status: str = "active"
    superseded_by: str | None = None


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
    abstained: bool = False,
    language: str = "en",
) -> Answer:
    """The answer, best hits first. A model that fails, or cites nothing, costs its words and never the answer."""
    composed = compose(question, hits, facts, abstained=abstained, language=language)
    if model is None or abstained or not hits:
        return composed
    try:
        text = await model.complete(instructions(), prompt_of(question, hits, facts), max_tokens=_MAX_TOKENS)
        return generated(text, hits[: len(list(_fitting(list(_numbered(hits)), MEMORY_CHARS)))])
    except ModelFailed:
        return replace(composed, text=f"{composed.text}\n{UNGENERATED}")


def compose(
    question: str, hits: Sequence[Hit], facts: Sequence[KnownFact], *, abstained: bool = False, language: str = "en"
) -> Answer:
    """What is known now about the question, if a hit carries it, and up to three quotations with their places."""
    if abstained or not hits:
        return Answer(NOTHING)
    known = _known_now(question, hits, facts, language)
    quoted = hits[:QUOTES]
    lines = [_with_validity(known, facts)] if known is not None else []
    lines.extend(_quotation(hit) for hit in quoted)
    return Answer("\n".join(lines), tuple(_citation(number, hit) for number, hit in enumerate(quoted, 1)))


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


def prompt_of(question: str, hits: Sequence[Hit], facts: Sequence[KnownFact]) -> str:
    """The question behind the memory: numbered lines, then what is known of them, 2000 characters in all."""
    lines = list(_fitting([*_numbered(hits), *_noted(hits, facts)], MEMORY_CHARS))
    return "\n".join(("<memory>", *lines, "</memory>", "", f"Question: {harmless(question)}"))


def harmless(text: str) -> str:
    """Words as data: on one line, without control and format characters, unable to close a tag or to cite."""
    visible = (" " if unicodedata.category(letter).startswith(("C", "Z")) else letter for letter in text)
    return " ".join("".join(visible).split()).translate(_SAFE)


def _numbered(hits: Sequence[Hit]) -> Iterator[str]:
    for number, hit in enumerate(hits, 1):
        yield f"[{number}] {harmless(hit.speaker)}, {_day(hit)}: {harmless(hit.text)}"


def _noted(hits: Sequence[Hit], facts: Sequence[KnownFact]) -> Iterator[str]:
    for fact in _carried(hits, facts):
        if _holds(fact):
            numbers = "".join(f"[{n}]" for n, hit in enumerate(hits, 1) if fact.fact_id in hit.fact_ids)
            yield f"{numbers} Known: {harmless(_with_validity(fact, facts))}"


def _fitting(lines: Sequence[str], room: int) -> Iterator[str]:
    """Whole lines while they fit; the first that does not is cut to what is left."""
    for line in lines:
        if room <= 0:
            return
        yield line[:room]
        room -= len(line) + 1


def _known_now(question: str, hits: Sequence[Hit], facts: Sequence[KnownFact], language: str) -> KnownFact | None:
    """The fact that holds now and has most of the question's content words, more than half of them."""
    wanted = set(terms(question, language)[0])
    best, most = None, len(wanted) / 2
    for fact in _carried(hits, facts):
        now = fact if _holds(fact) else _successor(fact, facts)
        shared = len(wanted & set(terms(fact.statement, language)[0]))
        if now is not None and shared > most:
            best, most = now, shared
    return best


def _carried(hits: Sequence[Hit], facts: Sequence[KnownFact]) -> Iterator[KnownFact]:
    """The facts of the hits, in the hits' order, each once."""
    by_id = {fact.fact_id: fact for fact in facts}
    ids = dict.fromkeys(fact_id for hit in hits for fact_id in hit.fact_ids)
    return (by_id[fact_id] for fact_id in ids if fact_id in by_id)


def _holds(fact: KnownFact) -> bool:
    return fact.status == "active" and fact.valid_to is None


def _successor(fact: KnownFact, facts: Sequence[KnownFact]) -> KnownFact | None:
    """What took a superseded fact's place; from when on may not be known here."""
    if fact.status != "superseded" or fact.superseded_by is None:
        return None
    known = next((other for other in facts if other.statement == fact.superseded_by and _holds(other)), None)
    return known or KnownFact("", fact.superseded_by, fact.valid_to)


def _with_validity(fact: KnownFact, facts: Sequence[KnownFact]) -> str:
    """Maya lives in Lisbon (since March 2026; before: Porto)."""
    since = f"since {label(_span(fact.valid_from, 'month'))}" if fact.valid_from is not None else ""
    earlier = [each for each in facts if each.status == "superseded" and each.superseded_by == fact.statement]
    last = max(earlier, key=lambda each: (each.valid_from or 0.0, each.fact_id), default=None)
    before = f"before: {_difference(last.statement, fact.statement)}" if last is not None else ""
    notes = "; ".join(note for note in (since, before) if note)
    return f"{fact.statement} ({notes})" if notes else fact.statement


def _difference(old: str, new: str) -> str:
    """The old statement without the words both begin with: Porto, of "Maya lives in Porto"."""
    words, others = old.split(), new.split()
    same = next((i for i, (a, b) in enumerate(zip(words, others, strict=False)) if a != b), 0)
    return " ".join(words[same:])


def _quotation(hit: Hit) -> str:
    words = " ".join(hit.text.split())
    cut = words if len(words) <= _QUOTE_CHARS else words[: _QUOTE_CHARS - 1].rstrip() + "…"
    return f'"{cut}" - {hit.speaker}, {_day(hit)} [{hit.source_id}/{hit.segment_id}]'


def _day(hit: Hit) -> str:
    return label(_span(hit.at, "day"), hit.offset_s)


def _span(at: Instant, grain: str) -> TimeSpan:
    return TimeSpan(at, at, grain, "point", False, "")


def _citation(number: int, hit: Hit) -> Citation:
    return Citation(number, hit.source_id, hit.segment_id)
