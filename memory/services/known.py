"""Known: which of the facts that came to mind answers a question, and how it is put."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.model.timeline import Instant, to_datetime
from memory.words.names import same_name
from memory.words.predicates import named
from memory.words.stems import terms
from memory.words.time_spans import TimeSpan, label

_TIMELESS = re.compile(r"\b(?:right now|now(?:adays)?|current(?:ly)?|these days|at the moment|any ?more|still)\b", re.I)
"""Words of a question that say when, and nothing about what."""
_NAME = re.compile(r"(?<=\s)[A-Z][\w-]+")
"""A word written large within a question."""
_GERMAN_FRAME = re.compile(
    r"\b(?:wo|wer|wen|wem|was|wann|wie|woher|wohin|welche[mnrs]?|ist|sind|hat|hatte|bin|habe|war|der|die|das|den|dem|"
    r"ein\w*|"
    r"in|im|am|an|auf|bei|beim|mit|von|zu|und|eigentlich|gerade|jetzt|heute|noch|denn|ich|du|er|sie|mein\w*)\b",
    re.I,
)
"""The words of a German question that say nothing about what is asked: it has no list of stop words."""
_GERMAN_CUES = {
    "lives_in": "wohnt wohne lebt lebe zuhause", "works_at": "arbeitet arbeite arbeitgeber firma",
    "comes_from": "kommt komme geboren", "works_as": "beruf beruflich arbeitet", "birthday_is": "geburtstag",
    "age_is": "alt", "married_to": "verheiratet", "has_wife": "frau", "has_husband": "mann",
    "has_mother": "mutter heißt", "has_father": "vater heißt", "studies_at": "studiert",
    "deadline_is": "frist fällig termin", "is_named": "heißt name",
}  # fmt: skip
"""By which German words a question asks for a predicate of one value."""
STEPS = 8
"""How many facts in turn are looked up after one whose place was taken (chosen: addresses of half a life)."""


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact that hits carry. `superseded_by` is the statement that took its place; `confidence` is of [0, 1]."""

    fact_id: str
    statement: str
    valid_from: Instant | None
    valid_to: Instant | None = None
    status: str = "active"
    superseded_by: str | None = None
    predicate: str | None = None
    object: str | None = None
    polarity: bool = True
    confidence: float = 0.0
    source_id: str = ""
    """Where it was said last."""
    disputed: bool = False


def leading(
    question: str, carried: Sequence[str], facts: Sequence[KnownFact], as_of: Instant | None, language: str
) -> KnownFact | None:
    """The fact that holds (at `as_of`, else now) and says most of what the question asks about, in the fewest words.

    `carried` are the ids of the hits' facts, best hit first. It, or what it took the place of, must have every name in
    the question and more than half of its content words. A predicate of one value answers for all its verbs: who is
    based somewhere lives there.
    """
    wanted, names = content_of(question, language), _names_in(question, facts, language)
    meant = set(terms(" ".join(names), language)[0])
    best, most = None, (0, 0)
    for fact in _in_order(carried, facts):
        now = standing(fact, facts, as_of)
        if now is None or not _names_all(names, f"{fact.statement} {now.statement}"):
            continue
        said = set(terms(now.statement, language)[0])
        shared = wanted & (said | set(terms(fact.statement, language)[0]) | meant | _verbs_of(now, language))
        match = (len(shared), -len(said - wanted))
        if len(shared) > len(wanted) / 2 and (best is None or match > most):
            best, most = now, match
    return best


def _names_in(question: str, facts: Sequence[KnownFact], language: str) -> list[str]:
    """The names of a question. German writes every noun large: only those count that some fact has, too."""
    found = _NAME.findall(question)
    return found if language != "de" else [n for n in found if any(_names_all([n], f.statement) for f in facts)]


def content_of(question: str, language: str) -> set[int]:
    """Ids of the stems of what a question asks about."""
    asked = _TIMELESS.sub(" ", question)
    return set(terms(_GERMAN_FRAME.sub(" ", asked) if language == "de" else asked, language)[0])


def holds(fact: KnownFact, as_of: Instant | None = None) -> bool:
    """Whether it is true at a moment (None: now). What has happened stays true."""
    over = fact.valid_to is not None and not happened(fact)
    if as_of is None:
        return fact.status == "active" and not over
    begun = fact.valid_from is None or fact.valid_from <= as_of
    ended = over and fact.valid_to is not None and fact.valid_to <= as_of
    return fact.status in ("active", "superseded") and begun and not ended


def standing(fact: KnownFact, facts: Sequence[KnownFact], as_of: Instant | None = None) -> KnownFact | None:
    """This fact if it is true at a moment (None: now), else what had taken its place; None if nothing is known to."""
    return fact if holds(fact, as_of) else _successor(fact, facts, as_of)


def replaced_by(fact: KnownFact, facts: Sequence[KnownFact]) -> list[KnownFact]:
    """What this fact has taken the place of, the latest first."""
    earlier = [each for each in facts if each.status == "superseded" and each.superseded_by == fact.statement]
    return sorted(earlier, key=lambda each: (each.valid_from or 0.0, each.fact_id), reverse=True)


def with_change(fact: KnownFact, facts: Sequence[KnownFact], offset_s: int = 0) -> str:
    """Maya lives in Lisbon (since 3 March 2026; before: Porto). Without a change on record just the statement.

    Since when something unchanged has been so, nobody said: only when it was first heard. What happened says its time.
    """
    earlier = replaced_by(fact, facts)
    if not earlier or happened(fact):
        return fact.statement
    since = f"since {_date(fact.valid_from, offset_s)}; " if fact.valid_from is not None else ""
    return f"{fact.statement} ({since}before: {_difference(earlier[0].statement, fact.statement)})"


def with_end(fact: KnownFact, offset_s: int = 0) -> str:
    """Maya likes Nike (until March 2026): of a fact that is over and has no successor."""
    over = "no longer so" if fact.valid_to is None else f"until {_date(fact.valid_to, offset_s)}"
    return f"{fact.statement} ({over})"


def happened(fact: KnownFact) -> bool:
    """Whether it is an event rather than a state."""
    row = named(fact.predicate)
    return row is not None and row.tense == "event"


def _in_order(carried: Sequence[str], facts: Sequence[KnownFact]) -> Iterator[KnownFact]:
    by_id = {fact.fact_id: fact for fact in facts}
    return (by_id[fact_id] for fact_id in dict.fromkeys(carried) if fact_id in by_id)


def _names_all(names: Sequence[str], statement: str) -> bool:
    """Whether every one of these names is in the statement, perhaps in full (Pri, of Priyanka)."""
    words = statement.replace("'s", "").split()
    return all(any(same_name(name, word) for word in words) for name in names)


def _verbs_of(fact: KnownFact, language: str) -> set[int]:
    """The stems by which its predicate is known, if all of them ask for the same one value."""
    row = named(fact.predicate)
    if row is None or not row.single:
        return set()
    cues = _GERMAN_CUES.get(row.name, "") if language == "de" else " ".join(row.cues)
    return set(terms(cues, language)[0])


def _successor(fact: KnownFact, facts: Sequence[KnownFact], as_of: Instant | None) -> KnownFact | None:
    """What took a superseded fact's place, or the place of that, and so on; from when on may not be known here."""
    passed: set[str] = set()
    while fact.status == "superseded" and fact.superseded_by is not None and fact.superseded_by not in passed:
        passed.add(fact.superseded_by)
        known = [other for other in facts if other.statement == fact.superseded_by]
        if not known:
            return KnownFact("", fact.superseded_by, fact.valid_to) if as_of is None else None
        fact = max(known, key=lambda other: (holds(other, as_of), other.valid_from or 0.0))
        if holds(fact, as_of):
            return fact
    return None


def _difference(old: str, new: str) -> str:
    """The old statement without the words both begin with: Porto, of "Maya lives in Porto"."""
    words, others = old.split(), new.split()
    same = next((i for i, (a, b) in enumerate(zip(words, others, strict=False)) if a != b), 0)
    return " ".join(words[same:])


def _date(at: Instant, offset_s: int) -> str:
    """The local day; the first of a month or year at midnight is how a mere month or year was dated."""
    local = to_datetime(at, offset_s)
    midnight = (local.hour, local.minute, local.second) == (0, 0, 0)
    grain = "day" if not midnight or local.day > 1 else "month" if local.month > 1 else "year"
    return label(TimeSpan(at, at, grain, "point", False, ""), offset_s)
