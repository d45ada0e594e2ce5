"""Listing: the facts that answer a question for several things, each thing once, the surest of every session first.

It must be right rather than complete: what is not told by a fact of the asked predicate is left out, so a number is
always "at least", and fewer than two things are no list.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from memory.model.ids import fold
from memory.model.timeline import Instant, Interval
from memory.services.best_fact import BestFact
from memory.services.known import KnownFact, happened, holds
from memory.words.list_questions import ListQuestion
from memory.words.list_words import Test, root, roots
from memory.words.numerals import SEVERAL
from memory.words.points import thing
from memory.words.polarity import is_negated
from memory.words.predicates import FORMERLY, Predicate, is_former, named
from memory.words.stems import STOP_WORDS, tokenise
from memory.words.vocabulary import VAGUE, words

FEWEST = 2
"""Things that make a list."""
MOST_NAMED = 12
"""Things that are named; all are counted."""
_LONGEST = 4
"""Words of an object beyond which it is a clause that was cut off, not a thing."""
_NAME_WORDS = 3
"""Words a name has at most after its first."""
_REACH = 4
"""Words from a verb to what it is about: signed up for a welding course."""
_DAYS = words("yesterday today tomorrow tonight often recently lately here")
_NUMBERS = tuple(SEVERAL)
_AND = re.compile(r",\s+(?:and |und )?|\s+(?:and|und)\s+")
_ARTICLES = words("a an the some his her their my our its own another new")


@dataclass(frozen=True, slots=True)
class Listing:
    """What is listed, with the facts that say so, in the same order; `total` counts what is not named, too."""

    things: tuple[str, ...]
    facts: tuple[KnownFact, ...]
    total: int
    counted: bool

    @property
    def lead(self) -> str:
        """At least three: cello, piano, guitar."""
        named_ = ", ".join(self.things) + (", …" if self.total > len(self.things) else "")
        if not self.counted:
            return f"As far as I know: {named_}."
        number = _NUMBERS[self.total - FEWEST] if self.total <= len(_NUMBERS) + 1 else str(self.total)
        return f"At least {number}: {named_}."


def listing(asked: ListQuestion, facts: Sequence[KnownFact], as_of: Instant | None = None) -> Listing | None:
    """The list of a question from the facts about whom it asks; None if fewer than two things are known."""
    told = [(each, fact) for fact in facts if _counts(fact, asked, as_of) for each in _things(fact, asked)]
    if asked.counted and any(each[:1].isdigit() for each, _ in told):
        return None  # somebody told the number itself: "12 books"
    things = _distinct(asked, told)
    if len(things) < FEWEST:
        return None
    shown = _spread(things)[:MOST_NAMED]
    return Listing(tuple(each for each, _ in shown), tuple(fact for _, fact in shown), len(things), asked.counted)


def told_each(answers: Sequence[KnownFact]) -> Listing | None:
    """What answers a question for each of several; None where nothing does, or what it tells has no name."""
    things = tuple(_shown(fact.object) for fact in answers if fact.object)
    whole = bool(things) and len(things) == len(answers)
    return Listing(things, tuple(answers), len(things), counted=False) if whole else None


def told_together(question: str, found: Sequence[BestFact], counted: bool) -> Listing | None:
    """All things that facts tell which answer a question equally well; None if that is one at most.

    What the question says already is not told again: peanuts, of who is asked to be "allergic to peanuts".
    """
    asked = {word for word, _ in tokenise(question)} - {"and", "und"}
    told = [(each, lead.fact) for lead in found for each in _parts(_unsaid(lead.fact.object or "", asked))]
    things = dict({fold(each): (each, fact) for each, fact in reversed(told)})
    if len(things) < FEWEST:
        return None
    named_, facts = zip(*reversed(things.values()), strict=True)
    return Listing(named_[:MOST_NAMED], facts[:MOST_NAMED], len(named_), counted)


def _unsaid(object_: str, asked: Collection[str]) -> str:
    """An object without the words of the question that it begins with."""
    words = object_.split()
    while len(words) > 1 and fold(words[0]) in asked:
        words = words[1:]
    return " ".join(words)


def _parts(object_: str) -> list[str]:
    """The things an object names: peanuts and dogs are two."""
    return [_shown(part) for part in _AND.split(object_) if part.strip()]


def namesakes(name: str, facts: Sequence[KnownFact], as_of: Instant | None = None) -> Listing | None:
    """Everybody known under this first name, each with the first fact that holds of them; None if that is one at most.

    Who asks who Anna is may mean Anna Berg, Anna Keller, or the Anna of whom no other name is known: all are named. She
    counts by what is told of her: words that mention an Anna may mean any of them.
    """
    found: dict[str, tuple[str, KnownFact]] = {}
    for fact in facts:
        for person in (fact.subject, fact.object or ""):
            first, *rest = person.split() or [""]
            plain = not rest and person is fact.subject
            whole = plain or ("'" not in person and 0 < len(rest) < _NAME_WORDS and rest[-1][0].isupper())
            if fold(first) == fold(name) and whole and holds(fact, as_of):
                found.setdefault(fold(person), (person, fact))
    if len(found) < FEWEST:
        return None
    named_, told = zip(*list(found.values())[:MOST_NAMED], strict=True)
    return Listing(tuple(named_), tuple(told), len(found), counted=False)


def _counts(fact: KnownFact, asked: ListQuestion, as_of: Instant | None) -> bool:
    """Whether it is so when it is asked about: what is over counts only where the past is asked for."""
    if asked.past:
        begun = as_of is None or fact.valid_from is None or fact.valid_from <= as_of
        so = begun and fact.status in ("active", "superseded")
    else:
        so = holds(fact, as_of)
    return so and (asked.during is None or _within(fact, asked.during))


def _within(fact: KnownFact, during: Interval) -> bool:
    """An event or a promise that begins in that time, a state that reaches into it."""
    begun, ended = fact.valid_from, fact.valid_to
    if begun is None or (during.end is not None and begun >= during.end):
        return False
    row = named(fact.predicate)
    if happened(fact) or (row is not None and row.owed):
        return during.start is None or begun >= during.start
    return during.start is None or ended is None or ended > during.start


def _things(fact: KnownFact, asked: ListQuestion) -> list[str]:
    """What a fact tells of the kind that is asked for."""
    fact = _as_it_was(fact, asked)
    row, said = named(fact.predicate), roots(fact.statement)
    if not asked.words <= said or (asked.verb is not None and asked.verb not in said):
        return []
    disliked = row is not None and row.disliked
    denied = not fact.polarity or (not disliked and is_negated(fact.statement))
    if asked.test is not None and asked.test.members:
        done = row is None or (row.things and row.tense != "plan")
        return _members(fact.statement, asked.test) if done and not denied else []
    if row is None or row.name not in asked.predicates or denied != (asked.negated and not disliked):
        return []
    if row.owed:
        return [_deed(fact.statement)] if asked.to is None or _is_owed_to(asked.to, fact.statement) else []
    return [_shown(fact.object or "")] if _is_a_thing(fact.object) and _is_of(fact, row, asked) else []


def _as_it_was(fact: KnownFact, asked: ListQuestion) -> KnownFact:
    """What was so once, as the state it was: who once did "live in York" lived in York."""
    if not is_former(fact.predicate):
        return fact
    for name in sorted(asked.predicates - {FORMERLY}):
        row, deed = named(name), fold(fact.object or "")
        cue = next((each for each in row.cues if deed.startswith(f"{each} ")), None) if row is not None else None
        if cue is not None:
            return replace(fact, predicate=name, object=(fact.object or "")[len(cue) + 1 :])
    return fact


def _members(statement: str, test: Test) -> list[str]:
    """The members of a closed class that follow one of its verbs closely: signed up for a welding course."""
    spoken = [word for word, _ in tokenise(statement)]
    told = [place for place, word in enumerate(spoken) if root(word) in test.verbs]
    return [
        word
        for place, word in enumerate(spoken)
        if {word, word.removesuffix("s")} & test.members and any(0 < place - verb <= _REACH for verb in told)
    ]


def _is_a_thing(object_: str | None) -> bool:
    """Whether an object names something: neither vague, nor a pronoun or a day, nor half a sentence."""
    spoken = [word for word, _ in tokenise(object_ or "")]
    empty = STOP_WORDS["en"] | VAGUE | _DAYS
    return len(spoken) <= _LONGEST and any(word not in empty for word in spoken)


def _is_of(fact: KnownFact, row: Predicate, asked: ListQuestion) -> bool:
    """Whether its object is of the class: the words name the class, or this predicate tells no other."""
    test, called = asked.test, asked.noun is None or asked.noun in roots(fact.statement)
    if test is None:
        return called
    if test.named and not (fact.object or "")[:1].isupper():
        return False
    if asked.noun is not None and called:
        return True
    of_class = not test.heads or bool(roots(fact.object or "") & set(map(root, test.heads)))
    return row.name in test.predicates and of_class


def _distinct(asked: ListQuestion, told: Iterable[tuple[str, KnownFact]]) -> list[tuple[str, KnownFact]]:
    """The surest fact of each thing. What only names the class, or is said more fully elsewhere, is none of its own."""
    best: dict[frozenset[str], tuple[str, KnownFact]] = {}
    for each, fact in sorted(told, key=lambda pair: (-pair[1].confidence, pair[1].fact_id)):
        best.setdefault(frozenset(thing(each)), (each, fact))
    return [
        pair
        for stems, pair in best.items()
        if not set(map(root, stems)) <= {asked.noun} and not any(stems < other for other in best)
    ]


def _spread(things: Sequence[tuple[str, KnownFact]]) -> list[tuple[str, KnownFact]]:
    """The surest of every session, then the second of each."""
    earlier: Counter[str] = Counter()
    ranked: list[tuple[int, float, str, KnownFact]] = []
    for each, fact in things:
        ranked.append((earlier[fact.source_id], -fact.confidence, each, fact))
        earlier[fact.source_id] += 1
    return [(each, fact) for _, _, each, fact in sorted(ranked, key=lambda row: row[:3])]


_UNDERTAKES = re.compile(
    r"^.{1,80}?\b(?:will|is going to|promise[sd] (?:\w+ )?(?:to|that)|"
    r"promised \w+ (?:that )?\w+ would|swears to|wird|verspricht(?: \w+)?,? dass) ",
    re.I,
)


def _deed(promise: str) -> str:
    """What is promised, without who does and the verb: send Anna the report."""
    return _UNDERTAKES.sub("", promise, count=1)


def _is_owed_to(name: str, promise: str) -> bool:
    """Whether somebody is named as whom a promise is owed to: not the photos of Lena, nor what is said about her."""
    spoken = [word.removesuffix("'s") for word, _ in tokenise(promise)]
    before = (spoken[place - 1] for place, word in enumerate(spoken) if word == fold(name) and place)
    return any(word not in _NOT_OWED for word in before)


_NOT_OWED = words("of about from against without like than and or")


def _shown(object_: str) -> str:
    """An object without its article."""
    words = object_.split()
    while len(words) > 1 and words[0].lower() in _ARTICLES:
        words = words[1:]
    return " ".join(words)
