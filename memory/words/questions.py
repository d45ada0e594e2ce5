"""Questions: in which form something is asked for - who, where, when, how old - and whether of the asker, or denied.

What is put as an order - "tell me where Nora lives" - is the question that stands in it.
"""

from __future__ import annotations

import re
from typing import Literal

from memory.words.everyday import asked_in_german
from memory.words.names import relation
from memory.words.polarity import GERMAN_NEGATION

Form = Literal["who", "where", "when", "name", "age", "what"]
_FORMS: dict[Form, re.Pattern[str]] = {
    "name": re.compile(r"(?:what|wie|was)\b.*\b(?:names?|called|hei(?:ß|ss)\w*|genannt)\b", re.I),
    "age": re.compile(r"(?:how old|wie alt|(?:what(?:['’]s| is)|which) .*\bage)\b", re.I),
    "where": re.compile(r"(?:where|wo|woher|wohin)\b", re.I),
    "when": re.compile(r"(?:when|wann|(?:what(?:['’]s| is)|was ist) .*(?:birthday|geburtstag))\b", re.I),
    "who": re.compile(r"(?:who|wer|what (?:is|about)|was ist)\b", re.I),
}
"""A question is of the first form that it begins like."""
_WHOSE = re.compile(r"(?:who|wer)(?:['’]s| is| are| was| were| ist| war)\b.*?(\w+)\W*", re.I)
_ENGLISH = re.compile(r"(?:what|who|whom|whose|where|when|which|why|how|does|do|did|has|have|is|are)\b", re.I)
"""How a question begins that can only be English."""
_ASK_EN = r"(?:what|where|when|who|whose|whom|which|how|why)"
_ASK_DE = r"(?:wo|wer|was|wann|wie|warum|welche[mnrs]?|wem|wen|wessen|woher|wohin)"
_OF_A_PERSON = r"(?:person|people|ones?|some(?:one|body)|every(?:one|body))"
_ORDERS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"\W*(?:please |bitte )?{begins}", re.I), asks)
    for begins, asks in (
        (rf"(?:(?:can|could|would) you )?(?:please )?(?:tell|show) (?:me|us)(?: again)?,? (?={_ASK_EN}\b)", ""),
        (rf"do you (?:know|remember),? (?={_ASK_EN}\b)", ""),
        (rf"(?:name|list|identify)(?: all)?(?: the)? {_OF_A_PERSON} (?:who|that)\b", "who"),
        (r"(?:name|list|tell me|show me) (?:everything|all|all the things)(?: that| which)?(?= (?-i:[A-Z]))", "what"),
        (r"(?:name|tell me|give me) (?=(?:the (?!same)|my |[\w-]+['’]s? )[\w ]+\W*$)", "what is "),
        (rf"(?:sag|erzähl|zeig|verrat|erklär)e?(?: (?:mir|uns))?(?: bitte| mal| doch| noch)*,? (?={_ASK_DE}\b)", ""),
        (rf"(?:weißt du(?: noch)?|kannst du mir sagen),? (?={_ASK_DE}\b)", ""),
        (r"(?:nenne?|sage?)(?: mir)? (?:die (?:person|leute)|den(?:jenigen)?|diejenigen?),? (?:die|der)\b", "wer"),
        (r"(?:nenne?|liste|sage?)(?: mir)?(?: auf)?,? alles,? was\b", "was"),
    )
)
"""How an order begins that asks something, and how the question in it does."""
_OWN = re.compile(r"\b(?:i|i'm|me|my|mine|ich|mir|mich|mein\w*)\b", re.I)


_DENIED = re.compile(
    r"(?:what|which|who|whom|where|was|wer|wen|wem|wo|wohin|welche[mnrs]?)\b.*"
    rf"(?:n['’]t\b|\b(?:not|never)\b|{GERMAN_NEGATION})",
    re.I,
)
"""What somebody does not do is asked for; "doesn't Maya live here?" asks to be told that she does."""
_HOW_MANY = re.compile(r"^\W*(?:how many|wie viele)(?: different)?(?: (?:things|dinge|sachen)\b)?", re.I)
_FORMERLY = re.compile(
    r"\b(?:before|beforehand)\W*$|\b(?:formerly|previously|used? to|früher(?! als)|vorher|davor|ehemals)\b", re.I
)
"""What was so once is asked for. "Before lunch" is a time."""


def form_of(question: str) -> Form:
    """How something is asked for. Who somebody's mother is asks for a name as much as how she is called."""
    asked = question.strip()
    whose = _WHOSE.fullmatch(asked)
    if whose is not None and relation(whose.group(1)) is not None:
        return "name"
    return next((form for form, begins in _FORMS.items() if begins.match(asked)), "what")


def is_own(question: str) -> bool:
    """Whether the asker asks about himself: my dog, what did I promise."""
    return _OWN.search(question) is not None


def is_denied(question: str) -> bool:
    """Whether it is asked what is not so: what doesn't Maya eat, was isst Maya nicht."""
    return _DENIED.match(question.strip()) is not None


def asks_what_was(question: str) -> bool:
    """Whether it is asked what was so once and is no more: where did Maya live before, wo hat sie früher gewohnt."""
    return _FORMERLY.search(question) is not None


def plainly(question: str) -> str:
    """The question that an order holds: who knits, of "Name the person who knits"; any other as it stands."""
    found = ((begins.match(question), asks) for begins, asks in _ORDERS)
    return next((asks + question[match.end() :] for match, asks in found if match is not None), question)


def uncounted(question: str) -> tuple[str, bool]:
    """A question for a number as one for the things - how many pets, what pets - and whether it was one."""
    plain, counted = _HOW_MANY.subn("what", question, count=1)
    return plain, bool(counted)


def spoken_in(question: str, language: str) -> str:
    """The language of a question: German or English if its words are, else what the asker speaks first."""
    asked = question.strip()
    if asked_in_german(asked):
        return "de"
    return "en" if _ENGLISH.match(asked) else language
