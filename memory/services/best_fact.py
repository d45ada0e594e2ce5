"""Leading: which of the facts that came to mind answers a question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memory.model.ids import fold
from memory.model.timeline import Instant
from memory.services.asking import LARGE, QuestionFocus, asked_of, names_all
from memory.services.known import KnownFact, happened, replaced_by, standing, with_end
from memory.words.classes import GERMAN_PETS, tells_one
from memory.words.everyday import GERMAN_KIN, alike
from memory.words.german_times import in_english
from memory.words.names import is_pet, relation, same_name
from memory.words.polarity import is_negated, is_negated_in_german
from memory.words.predicates import ANSWERED, is_former, named
from memory.words.questions import plainly, spoken_in
from memory.words.stems import terms
from memory.words.time_expressions import resolve

_NAMED = re.compile(r"\b(?:names? (?:is|are)|named|(?:is|are) called|hei(?:ß|ss)\w*|genannt)\b", re.I)
"""Words by which a statement tells a name, and not that somebody called."""
_ONE = rf"{LARGE}(?:\s+{LARGE}){{0,2}}"
_SEVERAL = re.compile(rf"(?<=\s){_ONE}(?:, {_ONE}){{0,10}},? (?:and|und) {_ONE}")
"""Tom, Anna Berg and Lisa: up to twelve, for each is looked for."""
_BETWEEN_NAMES = re.compile(r",\s*|\s+(?:and|und)\s+")
_PLACES = frozenset({"place", "organization"})
"""Types of the objects that tell where somebody is."""
_TIMELESS_VERB = re.compile(r"\b(?:is|are|has|have|ist|sind|hat|haben)\b", re.I)
"""Verbs of a state: without a time in it, its statement tells of no moment."""
_AGED = re.compile(
    r"\b(?:\d+|\w+) (?:years? old|jahre? alt)\b|\b(?:turn(?:s|ed)?|aged|wurde|wird) \d+\b|\b(?:born|geboren)\b.*\d{4}",
    re.I,
)
"""Words by which a statement tells an age, or the year it is counted from."""
_FORMER = re.compile(r"\b(?:used to|formerly|previously|früher|ehemals|einst|damals)\b", re.I)
"""Words by which a statement tells what was so and is no more."""
_POSSESSED = re.compile(
    r"(?P<who>[A-ZÀ-ÖØ-Þ][\w-]*?)(?:['’]s? (?P<noun>[\w-]+)|s (?P<german>[A-ZÄÖÜ][\w-]+))(?P<rest>.*)"
)
"""How a statement begins that is about what is somebody's: Tom's sister, Toms Schwester."""
_BIRTHDAYS = frozenset({"birthday", "geburtstag"})
_BIRTHDAY_OF = re.compile(r"(?P<who>[A-ZÀ-ÖØ-Þ][\w-]*?)(?:['’]s?|s) (?:\d+(?:st|nd|rd|th) )?(?:birthday|Geburtstag)\b")
_AHEAD = re.compile(r"\b(?:will|won't|is going to|are going to|plans? to|promise[sd]?|wird|werden|will)\b", re.I)
_PLACED = re.compile(r"\b(?:in|at|from|to|on|near|by|of|aus|bei|nach|auf|zu)\b", re.I)
"""Words beside a place."""
_LONGEST_NAME = 3
"""Words beyond which it is more than a name."""
_A_ROLE = re.compile(r"(?:now )?(?:(?:an?|the|my|our|his|her|their)\b|\w+'s\b|\w+ing\b)", re.I)
"""How it begins what somebody is: the plumber, Nora's cousin, leading the QA."""
_PRONOUN = re.compile(r"(?:he|she|it|they|his|her|its|their|er|sie|es|sein\w*|ihre?\w*)\b", re.I)
"""How a statement begins whose subject nobody knows."""


@dataclass(frozen=True, slots=True)
class RecalledMaterial:
    """What came to mind with a question."""

    carried: Sequence[str]
    """Ids of the hits' facts, best hit first."""
    facts: Sequence[KnownFact]
    """Those, what they took the place of, and what took theirs."""
    language: str
    as_of: Instant | None = None
    """The moment asked about (None: now)."""
    owner: str = ""
    """Who "I" is, empty if nobody knows."""


@dataclass(frozen=True, slots=True)
class BestFact:
    """The fact that answers a question, and how."""

    fact: KnownFact
    said: KnownFact
    """The fact with the words of the question: the same, or one whose place it took."""
    whole: bool
    """Whether the two have every word that is asked about, and not just most of them."""
    affirms: bool
    """Whether the fact itself has them, and says that it is so."""
    open: bool
    """Whether a what or a where was asked for, so that all that is as good an answer is one, too."""


def best_fact(question: str, material: RecalledMaterial) -> KnownFact | None:
    """The fact of the best of `leads`, None if nothing leads."""
    found = leads(question, material)
    return found[0].fact if found else None


def leads(question: str, material: RecalledMaterial) -> list[BestFact]:
    """The fact that holds at the moment asked about and says most of what is asked, in the fewest words.

    It, or what it took the place of, must have every name in the question, more than half of its other content words,
    and be of the asked form. A predicate of one value answers for all its verbs: who is based somewhere lives there.
    Without such a fact nothing leads: the words themselves are the better answer. Behind it stand those that say as
    much of the same kind, of the same subject.
    """
    language = spoken_in(question, material.language)
    candidates = list(_in_order(material.carried, material.facts))
    question = plainly(question)
    asked = asked_of(question, candidates, language, material.owner)
    others = alike(question, language)
    least = len(asked.content) // 2 + bool(asked.content)
    found: list[tuple[_Match, BestFact]] = []
    for fact in candidates if asked.names or asked.content else ():
        now = _at_that_time(fact, material, asked)
        if now is None or (asked.done and _lies_ahead(now)):
            continue
        both, said = f"{fact.statement} {now.statement}", set(terms(now.statement, language)[0])
        shared = asked.content & (said | set(terms(fact.statement, language)[0]) | _verbs_of(now, asked, language))
        shared |= _in_other_words(asked.content - shared, others, both)
        shared |= {term for term, kind in asked.classes.items() if tells_one(kind, now.statement, now.predicate)}
        if len(shared) < least or not names_all(asked.names, both) or not _answers(now, asked):
            continue
        plain = _denies(now) == asked.denied
        match = (len(shared), _fits(now, asked), plain, -len(said - asked.content - asked.meant))
        affirms = not _denies(now) and names_all(asked.names, now.statement)
        affirms &= now == fact or asked.content <= said | _verbs_of(now, asked, language)
        found.append((match, BestFact(now, fact, asked.content <= shared, affirms, asked.open)))
    return _as_good(found)


_Match = tuple[int, bool, bool, int]
"""Words shared, the form that is asked for, the sign that is asked for, how few other words."""


def _as_good(found: Sequence[tuple[_Match, BestFact]]) -> list[BestFact]:
    """The best lead, the first of those that are alike; then others of its subject and predicate that say as much."""
    if not found:
        return []
    most, best = max(found, key=lambda pair: pair[0])
    told = {best.fact.statement: best}
    for match, lead in found:
        same = (lead.fact.subject, lead.fact.predicate) == (best.fact.subject, best.fact.predicate)
        if same and match[:3] == most[:3]:
            told.setdefault(lead.fact.statement, lead)
    return list(told.values())


def _at_that_time(fact: KnownFact, material: RecalledMaterial, asked: QuestionFocus) -> KnownFact | None:
    """What holds of a fact at the moment asked about, what was done then, or, where it is asked for, what was once."""
    now = standing(fact, material.facts, material.as_of)
    if now is None and asked.behind and fact.valid_to is not None and with_end(fact) == fact.statement:
        begun = material.as_of is None or fact.valid_from is None or fact.valid_from <= material.as_of
        now = fact if begun else None
    if now is None:
        return None
    former = is_former(now.predicate) or _FORMER.search(now.statement) is not None
    if asked.formerly:
        return now if former or replaced_by(now, material.facts) else None
    return None if former and asked.open and not asked.behind else now


def best_fact_of_each(question: str, material: RecalledMaterial) -> list[KnownFact]:
    """Of a question about several by name, what answers it for each: Tom in Rome, Anna in Oslo. None, unless all do."""
    found = _SEVERAL.search(question)
    if found is None:
        return []
    names = [name for name in _BETWEEN_NAMES.split(found.group()) if name]
    asked = [f"{question[: found.start()]}{name}{question[found.end() :]}" for name in names]
    answers = [lead for each in asked if (lead := best_fact(each, material)) is not None]
    return answers if len(answers) == len(set(answers)) == len(names) else []


def who_asked(question: str, facts: Sequence[KnownFact], language: str) -> str | None:
    """The one word of a name that a question asks about and nothing else: Anna, of "Who is Anna?"."""
    asked = asked_of(plainly(question), facts, spoken_in(question, language), "")
    alone = asked.form == "who" and not asked.own and not asked.content and len(asked.names) == 1
    return asked.names[0] if alone else None


def _in_other_words(content: frozenset[int], others: Mapping[int, frozenset[int]], statement: str) -> frozenset[int]:
    """What of the content a statement says in another language, or another form: trinke and trinkt, drinks."""
    wanted = {each: others[each] for each in content if each in others}
    if not wanted:
        return frozenset()
    said = {term for language in ("en", "de") for term in terms(statement, language)[0]}
    return frozenset(each for each, ids in wanted.items() if ids & said)


def _answers(fact: KnownFact, asked: QuestionFocus) -> bool:
    """Whether a fact is about who asks, if he asks about himself, and tells what is asked for."""
    if fact.predicate == ANSWERED or (asked.own and _is_of_another(fact, asked)) or _is_of_what_is_theirs(fact, asked):
        return False
    if not _denies(fact) if asked.denied else asked.open and fact.predicate is not None and not fact.polarity:
        return False
    if asked.form == "age":
        return "age" in _tells(fact) or _AGED.search(fact.statement) is not None
    if asked.form == "name" and not asked.content:
        return "own_name" in _tells(fact)
    if asked.form == "name":
        return "name" in _tells(fact) or _NAMED.search(fact.statement) is not None
    if asked.form == "where" and not _fits(fact, asked) and _PLACED.search(fact.statement) is None:
        return False
    if asked.form == "who" and any(f"{word}'s " in fold(fact.statement) for word in asked.words - _called(asked)):
        return False
    if asked.form == "when":
        return _is_their_birthday(fact, asked) if asked.words & _BIRTHDAYS else _says_when(fact)
    if asked.content or not asked.single:
        return True
    return _fits(fact, asked) or (asked.form == "who" and fact.predicate is None and _is_told_of(fact, asked.names))


def _tells(fact: KnownFact) -> frozenset[str]:
    """What its predicate tells who asks."""
    row = named(fact.predicate)
    return row.tells if row is not None else frozenset()


def _called(asked: QuestionFocus) -> set[str]:
    """The names of a question, as its words are told."""
    return {fold(name).removesuffix("'s") for name in asked.names}


def _fits(fact: KnownFact, asked: QuestionFocus) -> bool:
    """Whether the kind of statement is the one asked for: a place for where, what somebody is for who."""
    row, statement = named(fact.predicate), fact.statement
    if asked.form == "where":
        return row is not None and row.object_type in _PLACES
    if asked.form != "who" or asked.content:
        return False
    if row is None:
        return _PRONOUN.match(statement) is None and _is_them(statement.partition(" is ")[2], asked.names)
    if "whom" in row.tells:
        return names_all(asked.names, fact.object or statement)
    return "who" in row.tells and names_all(asked.names, statement.split("'s ")[0])


def _is_told_of(fact: KnownFact, names: Sequence[str]) -> bool:
    """Whether the statement says what somebody is or does: Sasha is leading the QA, but not: Sasha is late."""
    who, _, what = fact.statement.partition(" is ")
    return _is_them(who, names) and _A_ROLE.match(what) is not None


def _is_them(words: str, names: Sequence[str]) -> bool:
    """Whether these are the names, perhaps in full, and nothing else: Anna Berg, but not Anna Berg's cat."""
    return "'s" not in words and 0 < len(words.split()) <= _LONGEST_NAME and names_all(names, words)


def _is_of_another(fact: KnownFact, asked: QuestionFocus) -> bool:
    """Whether it is of nobody known, or of somebody who is neither asked about nor asks, whom it does not name."""
    if _PRONOUN.match(fact.statement):
        return True
    known = [name for name in (asked.owner, *asked.names) if name]
    if not asked.owner or not fact.subject[:1].isupper() or any(same_name(fact.subject, name) for name in known):
        return False
    return not names_all(asked.owner.split()[:1], fact.statement)


def _is_of_what_is_theirs(fact: KnownFact, asked: QuestionFocus) -> bool:
    """Whether it is about the sister, or of an age anything, of who is asked about, and no sister was asked about."""
    found = _POSSESSED.match(fact.statement)
    names = asked.names or ((asked.owner,) if asked.own and asked.owner else ())
    if found is None or not names or "whom" in _tells(fact) or asked.form in ("who", "name"):
        return False
    noun = fold(found["noun"] or found["german"])
    tie = relation(noun) or GERMAN_KIN.get(noun)
    ties = {relation(word) or GERMAN_KIN.get(word) for word in asked.words}
    if noun in asked.words or (tie is not None and tie in ties):
        return False
    theirs = tie is not None or is_pet(noun) or noun in GERMAN_PETS or asked.form == "age"
    return theirs and not names_all(names, found["rest"])


def _is_their_birthday(fact: KnownFact, asked: QuestionFocus) -> bool:
    """Whether it tells a day, and not the birthday of another: Lena was at Tom's birthday on 3 May."""
    found = _BIRTHDAY_OF.search(fact.statement)
    names = asked.names or ((asked.owner,) if asked.own else ())
    theirs = found is None or not names or any(same_name(name, found["who"]) for name in names)
    row = named(fact.predicate)
    return theirs and ((row is not None and row.born) or "day" in _times_in(fact))


def _times_in(fact: KnownFact) -> Iterator[str]:
    """How fine each time is that a statement names: day, month, year."""
    return (span.grain for span in resolve(in_english(fact.statement), fact.valid_from or 0.0, 0))


def _denies(fact: KnownFact) -> bool:
    """Whether a fact says that something is not so, or not liked."""
    denied = not fact.polarity or is_negated(fact.statement) or is_negated_in_german(fact.statement)
    row = named(fact.predicate)
    return denied or (row is not None and row.disliked)


def _says_when(fact: KnownFact) -> bool:
    """Whether a statement tells of a moment: by its predicate, a time it names, or as something that was done."""
    timeless = _TIMELESS_VERB.search(fact.statement) is not None
    return "day" in _tells(fact) or happened(fact) or not timeless or any(_times_in(fact))


def _in_order(carried: Sequence[str], facts: Sequence[KnownFact]) -> Iterator[KnownFact]:
    by_id = {fact.fact_id: fact for fact in facts}
    return (by_id[fact_id] for fact_id in dict.fromkeys(carried) if fact_id in by_id)


def _lies_ahead(fact: KnownFact) -> bool:
    """Whether a statement tells what will be: that it was done does not follow."""
    row = named(fact.predicate)
    return (row is not None and row.owed) or _AHEAD.search(fact.statement) is not None


def _verbs_of(fact: KnownFact, asked: QuestionFocus, language: str) -> set[int]:
    """The stems by which its predicate is asked for; those it is said with, if all of them tell the same one value."""
    row = named(fact.predicate)
    if row is None:
        return set()
    if asked.denied and row.asked_of_denied:
        return set(terms(row.asked_of_denied, language)[0])
    if language == "de":
        return set(terms(row.asked_in_german, language)[0])
    cues = row.cues if row.single else ()
    return set(terms(" ".join((*cues, row.asked)), language)[0])
