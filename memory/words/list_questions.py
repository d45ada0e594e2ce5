"""List questions: which questions ask for several things, of whom, and by which predicates those are told.

By form alone, in English: "Which instruments does Maya play?", "How many concerts did Priya go to?", "Who are Nora's
friends?", "What doesn't Tom like?"; and in German what was promised. Nothing that may ask for a single thing is taken
for a list: a list in the wrong place is worse than none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memory.model.ids import fold
from memory.model.timeline import Clock, Instant, Interval
from memory.words.list_words import GENERIC, KINDS, NEGATED, STRICT, VERBS, Test, root, singular
from memory.words.names import is_pet, relation
from memory.words.predicates import FORMERLY, single_valued, tie
from memory.words.stems import STOP_WORDS, tokenise
from memory.words.time_expressions import resolve
from memory.words.vocabulary import listed, words

_WHO = r"(?P<who>[\w.-]+(?: (?-i:[A-Z])[\w-]*)*)"
_WHOSE = r"(?:(?P<my>my|our)|(?P<whose>[\w.-]+(?: (?-i:[A-Z])[\w-]*)*)['’]s?)"
_TO = r"(?P<to>me|us|(?-i:[A-Z])[\w-]*(?: (?-i:[A-Z])[\w-]*)*)"
"""To whom something was promised: by name, or the owner."""
_ORDER = r"list|name|tell me|show me"
_SUBJECT = r"(?P<who>(?-i:I|[A-Z][\w-]*)(?: (?-i:[A-Z])[\w-]*)*)"
"""About whom, in the middle of an order: by name, or the owner."""
_AUX = r"(?P<aux>do|does|did|has|have|had|is|are|was|were)"
_FORMS = tuple(
    re.compile(form, re.I)
    for form in (
        rf"(?P<many>how many) (?P<noun>[\w'’ -]+?) {_AUX} {_WHO} (?P<rest>.+)",
        rf"(?:what|which) (?:of the )?(?:(?:kind|type|sort)s of )?(?P<noun>[\w'’+ -]+?) {_AUX} {_WHO} (?P<rest>.+)",
        rf"(?:what|who|which) (?P<aux>are|were) (?:all )?(?:of )?{_WHOSE} (?P<noun>[\w -]+?)(?:['’] names)?",
        rf"what are (?:all )?the names of (?:all )?(?:of )?{_WHOSE} (?P<noun>[\w -]+)",
        rf"(?:list|name) (?:all )?(?:of )?{_WHOSE} (?P<noun>[\w -]+)",
        rf"(?P<bare>{_ORDER}) (?:me )?(?:everything|what|all(?: of)?(?: the things)?|the things) (?:that |which )?"
        rf"{_SUBJECT} (?:(?P<aux>has|have|had) )?(?P<rest>\w+(?: to| in| with)?)",
        rf"(?:{_ORDER}) (?:me )?(?:all )?(?:of )?(?:the )?(?P<noun>[\w'’+ -]+?) (?:that |which )?"
        rf"{_SUBJECT} (?:(?P<aux>has|have|had) )?(?P<rest>.+)",
        rf"(?P<bare>what|where|who) (?P<aux>do|does|has|have)(?P<not>n['’]t)? {_WHO} (?P<never>not |never )?"
        r"(?P<rest>\w+(?: to| in| with)?)",
        rf"(?P<bare>what) (?P<aux>did|have|has) {_WHO} (?P<rest>promised?)(?:(?: to)? {_TO})?",
        rf"(?P<bare>was) (?P<aux>habe|hab) (?P<who>ich) {_TO}(?: alles)? (?P<rest>versprochen)",
        rf"(?P<bare>was) (?P<aux>habe|hab|hat|hatte) {_WHO}(?: alles)? (?P<rest>versprochen)",
    )
)
_ADVERBS = re.compile(
    r"\b(?:ever|so far|until now|by now|already|all|altogether|in total|in all|now(?:adays)?|currently|right now|"
    r"these days|at the moment|still|recently|lately|together|please|there)\b",
    re.I,
)
"""Words that change neither what is asked for nor of whom."""
_BEFORE_A_TIME = re.compile(r"\b(?:ever )?(?:since|in|on|during|over|within|from|throughout|at)(?: the)?\s*$", re.I)
_MEASURES = listed("measures")
"""What is measured or counted by the clock, and never listed."""
_LONGEST = 300
"""Characters of a question beyond which it is not read for a list: it would be about more than that."""
_PLURALS = words("people children men women mice series")
_PAST = words("did has have had was were habe hab hat hatte")
_OWNER = words("i me my we us our ich")


@dataclass(frozen=True, slots=True)
class ListQuestion:
    """Whose things are asked for, told by which predicates, and what else each must fit.

    `words` are roots every statement must hold; `noun` is the root of the class asked for, passed by a statement that
    names it, or by an object its `test` knows. `during` is the time named; `past` says that what is over counts.
    """

    who: str
    predicates: frozenset[str]
    counted: bool = False
    noun: str | None = None
    test: Test | None = None
    words: frozenset[str] = frozenset()
    verb: str | None = None
    negated: bool = False
    during: Interval | None = None
    past: bool = False
    to: str | None = None
    """Of promises, by first name whom they were made to."""


def list_question(text: str, now: Instant, clock: Clock = 0, owner: str = "") -> ListQuestion | None:
    """What a question lists or counts, None if it asks for neither, or for what no predicate tells.

    `owner` is who "I" is; "since March" is counted from `now` (UTC epoch seconds) by this clock.
    """
    if len(text) > _LONGEST:
        return None
    asked, during = _without_time(text, now, clock)
    found = next((match for form in _FORMS if (match := form.fullmatch(asked))), None)
    if found is None:
        return None
    parts = {name: words or "" for name, words in found.groupdict().items()}
    who = parts.get("who") or parts.get("my") or parts.get("whose", "")
    who = owner if fold(who) in _OWNER else who
    wanted = _bare(parts) if parts.get("bare") else _named(parts)
    past = during is not None or fold(parts.get("aux", "")) in _PAST
    if wanted is None or not who or (not past and all(map(single_valued, wanted.predicates))):
        return None
    once = {FORMERLY} if past and not wanted.negated else set()  # nobody said when: it counts wherever the past does
    predicates = wanted.predicates | once
    return replace(
        wanted,
        predicates=predicates,
        who=who,
        counted=bool(parts.get("many")),
        during=during,
        past=past,
        to=_to_whom(parts.get("to", ""), owner),
    )


def _to_whom(told: str, owner: str) -> str | None:
    """The first name of whom something was promised to; the owner's for "me"."""
    name = owner if fold(told) in _OWNER else told
    return name.split()[0] if name else None


def _without_time(text: str, now: Instant, clock: Clock) -> tuple[str, Interval | None]:
    """The question without its time expression, and the extent of that; two of them leave none."""
    spans = [span for span in resolve(text, now, clock) if span.start is not None or span.end is not None]
    for span in reversed(spans):
        text = _BEFORE_A_TIME.sub("", text[: span.at]) + text[span.at + len(span.text) :]
    kept = " ".join(_ADVERBS.sub(" ", text).split()).rstrip(" ?.!")
    return kept, spans[0].interval if len(spans) == 1 else None


def _bare(parts: dict[str, str]) -> ListQuestion | None:
    """What has Maya painted? What doesn't Tom like? Where has she been? Only the verb says what is asked for."""
    verb = root(parts["rest"].split()[0])
    predicates, denied = VERBS.get(verb, frozenset()), bool(parts.get("not") or parts.get("never"))
    if denied:
        predicates = NEGATED.get(verb, frozenset())
    test = KINDS[parts["bare"].lower()] if parts["bare"].lower() in ("where", "who") else None
    if test is not None:
        predicates &= test.predicates
    if not predicates or verb in GENERIC:
        return None
    return ListQuestion("", predicates, test=test, verb=_strict(verb, predicates), negated=denied)


def _named(parts: dict[str, str]) -> ListQuestion | None:
    """A plural noun says what is asked for, with the verb if there is one that says more than to have or to do."""
    head, _, of = parts["noun"].partition(" of ")
    *modifiers, last = fold(head).split()
    noun = singular(last)
    if not _plural(last) or noun in _MEASURES:
        return None
    kind = _kind_of(noun)
    verb, *rest = [root(word) for word, _ in tokenise(parts.get("rest") or "have")]
    predicates = VERBS.get(verb, frozenset())
    if verb in GENERIC:
        predicates = kind.predicates if kind else _having("pet") if is_pet(noun) else predicates
    if not predicates or "not" in (parts.get("rest") or "").split():
        return None
    said = (*map(root, (*modifiers, *fold(of).split())), *rest)
    further = frozenset(word for word in said if word not in STOP_WORDS["en"])
    return ListQuestion("", predicates, noun=root(noun), test=kind, words=further, verb=_strict(verb, predicates))


def _kind_of(noun: str) -> Test | None:
    """What is known of a class of things: its own row, or a relation."""
    kin = relation(noun)
    return KINDS.get(noun) or (Test(_having(kin)) if kin is not None else None)


def _having(kind: str) -> frozenset[str]:
    row = tie(kind)
    return frozenset({row.name} if row is not None else ())


def _strict(verb: str, predicates: frozenset[str]) -> str | None:
    """The verb itself, if its predicates are told by verbs that do not mean the same."""
    return verb if predicates & STRICT and verb not in GENERIC | {"make"} else None


def _plural(word: str) -> bool:
    return word in _PLURALS or (word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3)
