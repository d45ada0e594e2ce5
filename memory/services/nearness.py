"""Nearness: whether what was said answers a question, and in which order it is quoted.

A turn is near if it shares a word of what is asked and is more likely evidence than not, or if it is about whom is
asked about and shares most of what else is asked. What only asks is no answer, and where a later turn tells a change
of the same matter, it comes first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from memory.model.ids import fold
from memory.services.asking import NAME, TIMELESS
from memory.services.hits import SegmentHit
from memory.services.known import KnownFact
from memory.words.assertion import is_asked
from memory.words.calendar_names import MONTH, WEEKDAY
from memory.words.deeds import asks_whether_done, is_ahead
from memory.words.features import MYSELF
from memory.words.languages import is_german
from memory.words.list_words import root
from memory.words.normalise import split_sentences
from memory.words.predicates import named
from memory.words.questions import Form, asks_what_was, form_of, is_own, plainly, spoken_in
from memory.words.stems import STOP_WORDS, telling, tokenise
from memory.words.vocabulary import words

_ASKS_NOTHING = re.compile(
    r"\b(?:many|much|kind|sort|type|get\w*|got|have|has|had|do|does|did|done|tell\w*|told|happen\w*|know\w*|new|says?|said|talk\w*|mention\w*|remember\w*|think|thought|last|next|past|"
    rf"(?:week|month|year|day)\w*|today|yesterday|tomorrow|(?:{WEEKDAY})s?|{MONTH})\b",
    re.I,
)
"""Words of a question that only say that something is asked, or of which time."""
_GERMAN_ROOT = 4
"""Letters of a German word that its forms share (chosen)."""
_FORM_WORDS: Mapping[Form, str] = {"name": "name names called named", "age": "old age"}
"""Words of a form of question that an answer of this form need not have."""
_FIRST_PERSON = re.compile(rf"\b(?:{MYSELF}|im|ive|ich|mein\w*|mir|mich)\b", re.I)
_YOU = re.compile(r"\b(?:you|your|yours|du|dein\w*|dir|dich)\b", re.I)
_CHANGES = re.compile(
    r"\b(?:moved|cancelled|canceled|called off|changed|switched|instead|now|new|no longer|any ?more|"
    r"verlegt|abgesagt|jetzt|neue[mnrs]?|stattdessen|nicht mehr)\b",
    re.I,
)
"""Words by which a turn tells that something is otherwise than before."""
_PUTS_OFF = re.compile(
    r"\b(?:postponed|pushed back|brought forward|rescheduled|rebooked|extended|extension|"
    r"verschoben|vorgezogen|verlängert)\b",
    re.I,
)
"""The same of a time alone."""
_ANY_CHANGE = re.compile(f"{_CHANGES.pattern}|{_PUTS_OFF.pattern}", re.I)
_NOT_THIS = re.compile(
    r"\b(?:not|nicht|kein\w*) (?:(?:the|a|an|my|our|in|on|at|to|for|der|die|das|den|dem|am|im) )*(?P<value>[\w'-]{3,})",
    re.I,
)
"""What stands behind "not"."""
_NO_VALUES = words("sure yet really much going know think want today tonight even quite enough bad good late long far")
"""What is often said not to be, and is no value."""
_FIRST = re.compile(r"\b(?:before|first|originally|vorher|zuerst|ursprünglich)\b", re.I)
"""Words of a question about what was once, which no later change answers."""
_DID = re.compile(r"\b(?:did|had|hatte\w*)\b", re.I)
"""Words of a question about what was done: only what was put off is answered by a later turn."""
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|thousand|half|once|"
    r"twice|first|second|third|\w+th|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|\w+zig|hundert)\b",
    re.I,
)
_ASKS_NUMBER = re.compile(
    r"\b(?:how (?:old|much|many|long|tall|far|often)|(?:phone |house )?number|what (?:time|year|age)|"
    r"wie (?:alt|viele?|lange|groß|weit|oft)|nummer)\b",
    re.I,
)
"""Words of a question that nothing without a number answers."""
ANSWERED = -0.4
"""Log-odds that one of the hits answers, from which quotations stand without a word of caution. In small memories by an
author who was not taught 87 % of the questions without an answer get it, and 20 % of the right quotations; of a sealed
author 81 and 27 % (docs/benchmarks.md)."""
REPLY_S = 600.0
"""Seconds within which what follows a question may answer it (chosen)."""
AS_WELL = 0.6
"""Log-odds within which a later turn answers as well. In worlds left out the last turn about what has changed then
stands first in 36.8 % (31.2 % by verdicts alone), and of other questions 0.3 points fewer begin right."""
FAR_LESS = 4.0
"""Log-odds by which a turn that tells a change may answer less than what it changes; beyond, it is of another matter.
Chosen on two open lives: changes of what is asked are within 3.3, those of another matter more than 6 below."""
LEAST_DEED = -2.5
"""Log-odds from which a later turn is told before what only lay ahead (as REFUSED in `answer`, so chosen on open lives;
of questions for yes or no in sealed ones as many are right with it)."""
_HALF = 0.5
LIKELY = 0.5
"""Relevance from which a turn that shares any word is near."""
POSSIBLE = 0.32
"""Relevance from which one that shares most of the words is. Both were chosen on invented talk, 2,029 questions in
worlds and 109 in lives: of first quotations that are evidence 48 % (worlds) and 89 % (lives) stand without a word of
caution, of those to questions without an answer 26 and 19 %. By words alone it is 27 and 87 %, and 25 and 19 %."""


@dataclass(frozen=True, slots=True)
class QuestionSubject:
    """What a question is about: roots of names, and of what else is asked; whether of the owner, who asks."""

    names: frozenset[str]
    content: frozenset[str]
    own: bool
    owner: str
    language: str
    changing: re.Pattern[str] | None
    """Words by which a later turn tells a change of it; None if it is asked what was so."""
    done: bool
    """Whether it asks for yes or no about what was done."""
    number: bool
    """Whether only a number answers it. A time need not be named: what was said has its day."""


def matter_of(question: str, language: str, owner: str) -> QuestionSubject:
    """The matter of a question. Names and times count as content if nothing else is asked about."""
    language, question = spoken_in(question, language), plainly(question)
    asked = TIMELESS.sub(" ", question)
    content = _roots(telling(asked, language), language)
    empty = _roots(" ".join(_ASKS_NOTHING.findall(question)), language)
    told = content - empty
    names = set[str]() if language == "de" else _roots(" ".join(NAME.findall(question)), language) - empty
    form = form_of(question)
    matter = told - names - _roots(_FORM_WORDS.get(form, ""), language)
    return QuestionSubject(
        names=frozenset(names),
        content=frozenset(matter if matter or names else told),
        own=is_own(question),
        owner=owner,
        language=language,
        changing=_changing(question, form),
        done=asks_whether_done(question),
        number=form != "when" and _ASKS_NUMBER.search(question) is not None,
    )


def _changing(question: str, form: Form) -> re.Pattern[str] | None:
    """By which words a later turn changes what a question asks."""
    if asks_what_was(question) or _FIRST.search(question):
        return None
    if _DID.search(question):
        return _PUTS_OFF if form == "when" else None
    return _ANY_CHANGE if form == "when" else _CHANGES


def in_order(
    matter: QuestionSubject, hits: Sequence[SegmentHit], facts: Sequence[KnownFact], answered: float | None = None
) -> tuple[list[SegmentHit], bool]:
    """The hits in the order they are quoted in, and whether the first of them is near to what is asked.

    Verdicts tell both where there are any: `answered` are the log-odds that one of the hits answers. Else words do.
    """
    if answered is not None:
        asking = {hit for hit in hits if asks_it(matter, hit)}
        ordered = sorted(hits, key=lambda hit: (hit in asking, -_verdict(hit)))
        ordered = _with_deed(matter, ordered, asking)
        told = _with_change(matter, _with_reply(_with_latest(matter, ordered, asking), asking))
        return told, bool(told) and told[0] not in asking and (answered >= ANSWERED or _is_told_so(matter, told[0]))
    by_id = {fact.fact_id: fact for fact in facts}
    near = {hit: is_near(matter, hit, [by_id[each] for each in hit.fact_ids if each in by_id]) for hit in hits}
    ordered = sorted(hits, key=lambda hit: (asks_it(matter, hit), not near[hit]))
    told = _with_change(matter, ordered)
    changed = told[:1] != ordered[:1]
    return told, bool(told) and (changed or (near[told[0]] and not asks_it(matter, told[0])))


def _with_latest(
    matter: QuestionSubject, ordered: list[SegmentHit], asking: Collection[SegmentHit]
) -> list[SegmentHit]:
    """The same, behind the latest of those that answer as well as the first, where it is asked how things stand."""
    if matter.changing is None or not ordered:
        return ordered
    as_well = [hit for hit in ordered if hit not in asking and _verdict(ordered[0]) - _verdict(hit) <= AS_WELL]
    latest = max(as_well, key=lambda hit: hit.at, default=ordered[0])
    return [latest, *(hit for hit in ordered if hit != latest)]


def _with_reply(ordered: list[SegmentHit], asking: Collection[SegmentHit]) -> list[SegmentHit]:
    """The same, behind what followed where the likeliest of all asks the same: its verdict is that of both."""
    likeliest = max(ordered, key=_verdict, default=None)
    if likeliest is None or likeliest not in asking:
        return ordered
    told = (hit for hit in ordered if hit.verdict is not None and hit not in asking)
    soon = (hit for hit in told if hit.source_id == likeliest.source_id and 0 < hit.at - likeliest.at <= REPLY_S)
    reply = min(soon, key=lambda hit: hit.at, default=None)
    return ordered if reply is None else [reply, *(hit for hit in ordered if hit != reply)]


def _with_deed(matter: QuestionSubject, ordered: list[SegmentHit], asking: Collection[SegmentHit]) -> list[SegmentHit]:
    """The same, behind what was said later, where it is asked whether something was done and the first lies ahead."""
    if not (matter.done and ordered and is_ahead(ordered[0].text)):
        return ordered
    later = [hit for hit in ordered if hit.at > ordered[0].at and hit not in asking and not is_ahead(hit.text)]
    deed = max(later, key=_verdict, default=None)
    if deed is None or _verdict(deed) < LEAST_DEED:
        return ordered
    return [deed, *(hit for hit in ordered if hit != deed)]


def _verdict(hit: SegmentHit) -> float:
    """What was not judged comes last."""
    return -inf if hit.verdict is None else hit.verdict


def _with_change(matter: QuestionSubject, ordered: list[SegmentHit]) -> list[SegmentHit]:
    """The hits in this order, behind a later one that tells a change of the first."""
    changed = (mended_by(matter, ordered[0], ordered) or changed_by(matter, ordered[0], ordered)) if ordered else None
    return ordered if changed is None else [changed, *(hit for hit in ordered if hit != changed)]


def is_near(matter: QuestionSubject, hit: SegmentHit, facts: Sequence[KnownFact]) -> bool:
    """Whether a hit, with the facts that were read from it, may be taken for an answer.

    Where question and words are in two languages no word can be shared, and its relevance decides.
    """
    if is_german(hit.text) != (matter.language == "de"):
        return hit.relevance > POSSIBLE
    if is_of_another(matter, hit) or not _has_number(matter, hit):
        return False
    said = _roots(" ".join((hit.speaker, hit.text, *map(_in_all_words, facts))), matter.language)
    named, shared = matter.names <= said, len(matter.content & said)
    most = named and (shared > len(matter.content) * _HALF or not matter.content)
    return (most and hit.relevance > POSSIBLE) or (shared > 0 and hit.relevance > LIKELY)


def _is_told_so(matter: QuestionSubject, hit: SegmentHit) -> bool:
    """Whether the owner told it on purpose, with every word of the question.

    Verdicts were taught talk, and refuse such a line that stands alone: "The plumber's phone number is 555 7260".
    """
    said = _roots(hit.text, matter.language) if hit.by_command else set()
    return bool(said) and matter.names | matter.content <= said and _has_number(matter, hit)


def is_of_another(matter: QuestionSubject, hit: SegmentHit) -> bool:
    """Whether somebody speaks of themself who is not asked about: "I work nights", where I ask for my work."""
    asked = {root(fold(matter.owner).split()[0])} if matter.own and matter.owner else matter.names
    speaker = _roots(hit.speaker, matter.language)
    if not asked or asked & speaker or _FIRST_PERSON.search(hit.text) is None:
        return False
    addressed = len(_YOU.findall(hit.text)) > len(_FIRST_PERSON.findall(hit.text))
    return not (asked & _roots(hit.text, matter.language) or (matter.own and addressed))


def _has_number(matter: QuestionSubject, hit: SegmentHit) -> bool:
    """Whether a hit has the number that is asked for, if one is."""
    return not matter.number or _NUMBER.search(hit.text) is not None


def mended_by(matter: QuestionSubject, said: SegmentHit, hits: Collection[SegmentHit]) -> SegmentHit | None:
    """The latest hit after this one that denies a word of it: Fergal, not Fergus. None if none does.

    It is of the same conversation, or of the same matter: elsewhere the word may be said of something else.
    """
    told = {word for word, _ in tokenise(said.text)}
    later = [
        hit
        for hit in hits
        if hit.at > said.at
        and told & _denied(hit.text)
        and not asks_it(matter, hit)
        and (hit.source_id == said.source_id or matter.content & _roots(hit.text, matter.language))
    ]
    return max(later, key=lambda hit: hit.at, default=None)


def _denied(text: str) -> set[str]:
    """The words that are named as the wrong ones beside the right ones."""
    return {fold(found["value"]) for found in _NOT_THIS.finditer(text)} - STOP_WORDS["en"] - _NO_VALUES


def changed_by(matter: QuestionSubject, first: SegmentHit, hits: Collection[SegmentHit]) -> SegmentHit | None:
    """The latest hit after the first that tells a change of the same matter, whoever it names; None if none does."""
    later = (hit for hit in hits if hit.at > first.at and hit != first)
    near = (hit for hit in later if hit.verdict is None or _verdict(first) - hit.verdict <= FAR_LESS)
    return max((hit for hit in near if _tells_change(matter, hit)), key=lambda hit: hit.at, default=None)


def _tells_change(matter: QuestionSubject, hit: SegmentHit) -> bool:
    if matter.changing is None or not matter.content or matter.changing.search(hit.text) is None:
        return False
    if asks_it(matter, hit) or is_of_another(matter, hit) or not _has_number(matter, hit):
        return False
    beside = _roots(matter.changing.sub(" ", hit.text), matter.language)
    return len(matter.content & beside) >= len(matter.content) * _HALF


def asks_it(matter: QuestionSubject, hit: SegmentHit) -> bool:
    """Whether the sentence of a turn that is nearest to what is asked asks it, too: its answer is another turn's."""
    sought, sentences = matter.names | matter.content, split_sentences(hit.text)
    shared = [len(sought & _roots(each, matter.language)) for each in sentences]
    nearest = [each for each, count in zip(sentences, shared, strict=True) if count == max(shared)]
    return all(_asks(each) for each in nearest)


def _asks(sentence: str) -> bool:
    return sentence.rstrip().endswith("?") or is_asked(sentence)


def _roots(text: str, language: str) -> set[str]:
    """What words are compared by; of German ones the beginning, for its verbs end in many ways: wohnt, wohne."""
    said = (word for word, _ in tokenise(text))
    if language == "de":
        return {word[:_GERMAN_ROOT] for word in said}
    return {root(word) for word in said if word not in STOP_WORDS["en"]}


def _in_all_words(fact: KnownFact) -> str:
    """A fact with the words by which its predicate is asked for: Tom is a nurse, and so his job, in either language."""
    row = named(fact.predicate)
    if row is None:
        return fact.statement
    named_by = row.name.replace("_", " ").replace(":", " ")  # has_pet is about a pet
    return " ".join((fact.statement, named_by, *row.cues, row.asked, row.asked_in_german))
