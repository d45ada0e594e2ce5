"""Answers questions about promises from the list of promises, with the parties and the due time."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from memory.model.ids import fold
from memory.model.timeline import Clock, Instant
from memory.rules.promises import State
from memory.services.hits import SegmentHit
from memory.services.phrasing import asks_whether, told_in_answer
from memory.services.quoting import day_of, excerpt
from memory.words.cleaning import in_quotes
from memory.words.deeds import told_as_returned
from memory.words.list_words import roots
from memory.words.names import same_name
from memory.words.promise_questions import PromiseQuestion
from memory.words.stems import STOP_WORDS, tokenise
from memory.words.vocabulary import words

MOST = 8
"""The most promises that are listed; all are counted."""
_POINTING = words("it them that this these those")
"""Words of a statement that mean nothing without those before it."""
_NO_DEED = STOP_WORDS["en"] | words("promise promised swear tomorrow today tonight soon will yes ok sure course")
"""Words of a promise that do not say what is promised, nor by which day a year later."""


@dataclass(frozen=True, slots=True)
class KnownPromise:
    """A promise as it is listed; instants are UTC epoch seconds."""

    text: str
    by: str | None
    to: str | None
    due: Instant | None
    state: State
    made: SegmentHit
    """The words by which it was made."""
    statement: str = ""
    """The fact that was read from them, if one was: Nina promised Lena to send the photos."""
    kept_on: Instant | None = None
    """The day it was kept, if that was said."""
    answering: str = ""
    """What somebody else said right before: without it nobody knows what "I'll clean it tonight" is about."""
    clock: Clock = 0
    """That of where it was made; it tells the day on which it is due."""


@dataclass(frozen=True, slots=True)
class Promised:
    """An answer about promises: its first line, and the words by which each promise was made."""

    lead: str
    made: tuple[SegmentHit, ...]


def promised(
    question: str, asked: PromiseQuestion, promises: Sequence[KnownPromise], owner: str, clock: Clock
) -> Promised | None:
    """The promises that a question asks for, or None if there is none, because a quotation may then answer better."""
    found = [each for each in promises if _is_meant(each, asked)]
    to_owner = asked.by is not None and asked.to is not None and same_name(asked.to, owner)
    if not found and to_owner and not asks_whether(question):  # to whom it was made was perhaps not said
        found = [each for each in promises if _is_meant(each, replace(asked, to=None))]
    if asked.state == "kept" and asks_whether(question):
        return _whether_kept(question, asked, promises, owner, clock)
    if not found:
        return None
    told = "; ".join(_told(each, question, owner) for each in found[:MOST])
    more = "; …" if len(found) > MOST else ""
    head = "Yes: " if asks_whether(question) else f"{len(found)} promises: " if len(found) > 1 else ""
    return Promised(f"{head}{told}{more}", tuple(each.made for each in found[:MOST]))


def _whether_kept(
    question: str, asked: PromiseQuestion, promises: Sequence[KnownPromise], owner: str, clock: Clock
) -> Promised | None:
    """Whether the promise was kept whose words are nearest to the question, half of them at least.

    None while nobody has said what became of it: what was said of it later tells more.
    """
    whose = replace(asked, state=None, deed=frozenset())
    own = [each for each in promises if _is_meant(each, whose)]
    own = own or [each for each in promises if _is_meant(each, replace(whose, to=None))]  # home for Christmas
    near = max(own, key=lambda each: len(asked.deed & _words_of(each)), default=None)
    if near is None or 2 * len(asked.deed & _words_of(near)) < max(1, len(asked.deed)):
        return None
    if near.state not in ("kept", "broken"):
        return None
    day = "" if near.kept_on is None else f", on {day_of(near.kept_on, clock)}"
    head = f"Yes{day}" if near.state == "kept" else "No"
    return Promised(f"{head}: {_told(near, question, owner)}", (near.made,))


def done(
    question: str, deed: Collection[str], promises: Sequence[KnownPromise], owner: str, clock: Clock
) -> Promised | None:
    """Whether the owner has kept a promise; None if there is no such promise, or its state is unknown."""
    own = [each for each in promises if each.by is not None and same_name(each.by, owner)]
    kept = [each for each in own if each.state == "kept" and set(deed) <= _words_of(each)]
    if not kept:
        return None
    day = "" if kept[0].kept_on is None else f" on {day_of(kept[0].kept_on, clock)}"
    return Promised(f"Yes,{day}: {_told(kept[0], question, owner)}", (kept[0].made,))


def tells_promise(hit: SegmentHit, asked: PromiseQuestion) -> bool:
    """Whether a hit without an extracted promise may contain the one asked for: Tom promised to fix the shelf."""
    said = [word for word, _ in tokenise(hit.text)]
    told = next((place for place, word in enumerate(said) if word.startswith(("promis", "verspr"))), None)
    if told is not None and asked.to is not None and not same_name(hit.speaker, asked.to):
        named = said[told + 1 : told + 2]  # promised dad: not to Petra
        if named and named[0] not in STOP_WORDS["en"] and not same_name(named[0], asked.to):
            return False
    if told is None or asked.by is None:
        return told is not None
    return same_name(hit.speaker, asked.by) or fold(asked.by).split()[0] in said[:told]


def _is_meant(promise: KnownPromise, asked: PromiseQuestion) -> bool:
    people = ((asked.by, promise.by), (asked.to, promise.to))
    if any(name is not None and (one is None or not same_name(name, one)) for name, one in people):
        return False
    states = {"open": ("open", "expired"), "expired": ("expired",), "kept": ("kept",)}
    if asked.state is not None and promise.state not in states[asked.state]:
        return False
    return asked.deed <= _words_of(promise)


def _words_of(promise: KnownPromise) -> frozenset[str]:
    """Roots of the words of a promise."""
    answering = promise.answering if _points(promise) else ""
    return told_as_returned(roots(f"{promise.text} {promise.made.text} {answering}"))


def _told(promise: KnownPromise, question: str, owner: str) -> str:
    """You promised Lena to send the photos (due 27 November 2026); nobody is told to have promised themselves."""
    standing = _standing(promise)
    to = f" {promise.to}" if promise.to and not same_name(promise.to, promise.by or "") else ""
    head = f"{promise.by or 'Somebody'} promised{to}"
    if not _tells_alone(promise):
        said, answering = (in_quotes(excerpt(text, (), "en")) for text in (promise.made.text, promise.answering))
        about = f"; answering {answering}" if promise.answering and _points(promise) else ""
        return f"{told_in_answer(head, owner, question)}: {said} ({standing}{about})"
    told = _named(promise.statement, promise.to) or f"{head}: {promise.text}"
    # a statement that tells its day needs it no second time
    day = _due_day(promise)
    told = told.removesuffix(f" ({day})") if day and day in standing else told
    return f"{told_in_answer(told, owner, question)} ({standing})"


def _named(statement: str, to: str | None) -> str:
    """A statement with the recipient for "you", whom a reader cannot know where several listened."""
    if not to:
        return statement
    return re.sub(r"\byours?\b", f"{to}'s", re.sub(r"\byou\b", to, statement))


def _tells_alone(promise: KnownPromise) -> bool:
    """Whether it says what was promised: not "I will give it back", nor a statement that begins in mid-sentence."""
    said, by = ([word for word, _ in tokenise(text)] for text in (promise.statement, promise.by or ""))
    return not _points(promise) and (not promise.statement or said[: len(by[:1])] == by[:1])


def _points(promise: KnownPromise) -> bool:
    """Whether its words mean nothing without those before: I'll clean it tonight; tomorrow, I promise."""
    said, text = ([word for word, _ in tokenise(each)] for each in (promise.statement or promise.text, promise.text))
    return not _POINTING.isdisjoint(said) or _NO_DEED.issuperset(text)


def _standing(promise: KnownPromise) -> str:
    day = _due_day(promise)
    match promise.state:
        case "kept" | "broken":
            return promise.state
        case "expired":
            return f"overdue since {day}"
    return f"due {day}" if day else "open"


def _due_day(promise: KnownPromise) -> str:
    """The day it is due by the clock of where it was made, by which it was counted."""
    return "" if promise.due is None else day_of(promise.due, promise.clock)
