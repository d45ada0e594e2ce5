"""The inventory of predicates: what kinds of statement there are, by which words they are known, and how they change.

One table. `cues` are verb lemmas with an optional preposition or particle ("live in"), `be ADJ` for adjectives.
`single` means that a new object closes the old one; with `slotted` only within one slot (a favourite a class).
What the inventory has no word for keeps its statement alone; nothing is forced into it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memory.words.stems import stem
from memory.words.vocabulary import CLASSES, KIN, ONLY_ONE


@dataclass(frozen=True, slots=True)
class Predicate:
    """One row. `object_type` is an entity type, None for plain words; `weight` the importance it adds (of 1-10)."""

    name: str
    cues: tuple[str, ...] = ()
    object_type: str | None = None
    single: bool = False
    slotted: bool = False
    tense: str = "event"
    kind: str = "factual"
    weight: int = 0
    opposite: str | None = None
    closes: tuple[str, ...] = ()
    past: str | None = None
    """The predicate its past tense means ("plays" in the past is an event, "used" is no state)."""
    ends: str = "same"
    """Of the states an event `closes`, which: those of the `same` object, of any `other`, of its `kind`, or `all`; a
    `diet` and what it excludes, whichever is later, the `pair` of who is named, or the `deed` that is told in full."""


def _row(
    name: str,
    cues: str = "",
    object_type: str | None = None,
    tense: str = "event",
    *,
    kind: str = "factual",
    single: bool = False,
    slotted: bool = False,
    weight: int = 0,
    opposite: str | None = None,
    closes: tuple[str, ...] = (),
    past: str | None = None,
    ends: str = "same",
) -> Predicate:
    listed = tuple(cue.strip() for cue in cues.split(",") if cue.strip())
    return Predicate(name, listed, object_type, single, slotted, tense, kind, weight, opposite, closes, past, ends)


TABLE: tuple[Predicate, ...] = (
    # where and with whom a life is led
    _row(
        "lives_in",
        "live in, live at, live near, reside in, base in, settle in",
        "place",
        "state",
        single=True,
        weight=2,
    ),
    _row(
        "moved_to",
        "move to, relocate to, move into, move in, emigrate to",
        "place",
        weight=2,
        closes=("lives_in",),
        ends="other",
    ),
    _row("moved_from", "move from, relocate from, move out, emigrate from", "place", weight=2, closes=("lives_in",)),
    _row(
        "left",
        "leave HOME",
        weight=2,
        closes=("lives_in", "works_at", "studies_at", "member_of", "volunteers_at"),
    ),
    _row(
        "separated_from",
        "part PAIR",
        "person",
        weight=2,
        closes=("has_partner", "has_husband", "has_wife", "married_to", "has_status"),
        ends="pair",
    ),
    _row(
        "comes_from",
        "be from, come from, grow in, bear in, raise in, hail from",
        "place",
        "state",
        single=True,
        weight=2,
    ),
    _row("works_at", "work at, work for, employ by, employ at", "organization", "state", single=True, weight=2),
    _row("works_as", "work as, be JOB", None, "state", single=True, weight=2),
    _row(
        "left_job",
        "quit job, leave job, lose job, lay off, resign from, fire from, retire from, retire",
        "organization",
        weight=2,
        closes=("works_at",),
    ),
    _row(
        "studies_at", "study at, enrol at, enroll at, go to school at", "organization", "state", single=True, weight=2
    ),
    _row("studies", "study, major in, study for", "topic", "state", weight=2),
    _row("works_on", "work on, implement, try to, build app, develop", "project", "state", weight=1),
    _row("uses", "use, integrate, deploy", "tool", "state", kind="architectural", weight=1),
    _row("is_named", "be NAMED, call NAMED, name NAMED", None, "state", single=True, weight=2),
    _row("goes_by", "be NICKNAME, go by, know as", None, "state", weight=1),
    _row("married_to", "marry to, marry", "person", "state", single=True, weight=2),
    _row("has_status", "be STATUS", None, "state", single=True, weight=2),
    _row("knows", "know PERSON", "person", "state", weight=1),
    _row("met", "meet, meet with, run into, catch with", "person", weight=1),
    _row(
        "talked_to",
        "talk to, talk with, speak to, speak with, chat to, chat with, call PERSON, phone PERSON",
        "person",
    ),
    _row(
        "died",
        "die, pass away, die of",
        None,
        single=True,
        weight=3,
        closes=("has_pet", "lives_in", "works_at"),
        ends="all",
    ),
    _row("age_is", "be AGE, turn AGE", None, "state", single=True, weight=2),
    _row("birthday_is", "be BIRTHDAY, be BIRTHDAY on, be BIRTHDAY in", None, "state", single=True, weight=2),
    _row(
        "has_condition",
        "be CONDITION, diagnose with, suffer from",
        None,
        "state",
        single=True,
        slotted=True,
        weight=2,
        closes=("habit",),
        ends="diet",
    ),
    _row("weighs", "weigh", None, "state", single=True, weight=2),
    _row("has_pet", "", None, "state", weight=2),
    # things had and done
    _row("owns", "own", None, "state", weight=1),
    _row("acquired", "buy, purchase, adopt, receive, inherit, order", None, weight=1),
    _row("lost", "lose, sell, donate, give away", None, weight=1, closes=("owns",)),
    _row(
        "likes",
        "love, like, enjoy, adore, be fond of, be into, get into, be fan of, be passionate about, be keen on, "
        "be obsessed with",
        "topic",
        "state",
        kind="preference",
        weight=2,
        opposite="dislikes",
    ),
    _row(
        "dislikes",
        "hate, dislike, detest, loathe, can stand, be sick of, be tired of",
        "topic",
        "state",
        kind="preference",
        weight=2,
        opposite="likes",
    ),
    _row("prefers", "prefer, be FAVORITE", "topic", "state", kind="preference", single=True, slotted=True, weight=2),
    _row(
        "switched_to",
        "switch to, change to, convert to, migrate to",
        "topic",
        kind="preference",
        weight=2,
        closes=("uses", "prefers"),
        ends="kind",
    ),
    _row(
        "stopped",
        "stop, quit, give up, drop, cancel CONTRACT",
        None,
        weight=2,
        closes=("habit", "likes", "uses", "plays", "teaches", "learns", "studies", "member_of", "volunteers_at"),
    ),
    _row(
        "formerly",
        "used to",
        None,
        "state",
        weight=1,
        closes=("lives_in", "works_at", "studies_at", "member_of", "habit", "uses", "plays"),
        ends="deed",
    ),
    _row("habit", "", "habit", "state", weight=2, closes=("has_condition",), ends="diet"),
    _row("plays", "play", "topic", "state", weight=1, past="played"),
    _row("played", "", "topic", weight=1),
    _row("teaches", "teach, tutor, coach, mentor", None, "state", weight=2, past="taught"),
    _row("taught", "", None, weight=1),
    _row("learns", "learn, learn about, take class", "topic", "state", weight=1, past="learned"),
    _row("learned", "", "topic", weight=1),
    _row("reads", "read", None, "state", weight=1, past="read"),
    _row("read", "", None, weight=1),
    _row("watches", "watch", None, "state", weight=1, past="watched"),
    _row("watched", "", None, weight=1),
    _row(
        "volunteers_at", "volunteer at, volunteer for, volunteer in, volunteer with", "organization", "state", weight=2
    ),
    _row("member_of", "belong to, be member of, be part of", "organization", "state", weight=2),
    _row("joined", "join, sign up, sign for, enrol in, enroll in", None, weight=2),
    _row("attended", "attend, participate in, take in, compete in, perform at, perform in", "event", weight=2),
    _row("visited", "visit, go to, travel to, fly to, drive to, hike to, explore, go on", None, weight=1),
    _row("went", "go", None, weight=1),
    _row("celebrates", "celebrate", "event", weight=1),
    _row("hosts", "host, organize, organise, throw, hold", "event", weight=2),
    _row("started", "start, launch, open, found, begin, set up", None, weight=2),
    _row("completed", "finish, complete, pass, win, graduate from, graduate, earn", None, weight=2),
    _row("made", "make, paint, write, build, cook, bake, draw, create, design, knit, compose, plant", None, weight=1),
    # what is to come
    _row(
        "plans",
        "plan, plan to, plan on, go to V, think of, think about, consider, intend to, prepare for",
        None,
        "plan",
        weight=2,
    ),
    _row(
        "wants",
        "want, want to, hope to, hope for, dream of, would love, would like, wish to, look to, aim to, be GOAL",
        None,
        "plan",
        weight=1,
    ),
    _row("promises", "promise, promise to, swear to", "promise", "plan", weight=3),
    _row("reminder", "remind me", "promise", "plan", weight=3),
    _row(
        "decides",
        "decide, decide to, decide on, choose, choose to, settle on, opt for",
        "decision",
        single=True,
        slotted=True,
        weight=2,
    ),
    _row(
        "deadline_is",
        "be DEADLINE, be DEADLINE on, schedule for, be due",
        None,
        "state",
        single=True,
        slotted=True,
        weight=2,
    ),
    # inner life
    _row("feels", "feel, be FEELING, get FEELING", "emotion"),
    _row("thinks_of", "", None, "state", kind="opinion"),
    _row("never_did", "", None, "state", weight=1),
    _row("symbolizes", "symbolize, symbolise, stand for, represent", None, "state", kind="opinion"),
    _row("reminds_of", "remind of", None, "state", kind="opinion"),
    _row("says_to", "", None, kind="opinion"),
    _row("answered", "", None, weight=1),
    *(_row(f"has_{kin}", "", "person", "state", single=kin in ONLY_ONE, weight=2) for kin in sorted(set(KIN.values()))),
)

_BY_NAME = {row.name: row for row in TABLE}
_CLOSERS = {name: tuple(row.name for row in TABLE if name in row.closes) for row in TABLE for name in row.closes}
_BY_CUE = {cue: row for row in reversed(TABLE) for cue in row.cues}
VERBS = frozenset(stem(cue.split()[0], "en") for cue in _BY_CUE) - {"be"}
"""Stems of the verbs by which statements are known."""
STRONG = frozenset(row.name for row in TABLE if row.weight >= 2)
"""Predicates that make a fact of a clause even inside another sentence."""


def named(name: str | None) -> Predicate | None:
    """The row of that name; `habit:run` and `formerly:smoke` are rows of their stem."""
    return _BY_NAME.get((name or "").partition(":")[0])


def cued(*cues: str) -> Predicate | None:
    """The row known by the first of these cues that is in the table."""
    return next((_BY_CUE[cue] for cue in cues if cue in _BY_CUE), None)


def single_valued(predicate: str | None, slot: str | None = None) -> bool:
    """Whether a new object closes the old one. A slotted predicate is single-valued only when its slot is known."""
    row = named(predicate)
    return bool(row and row.single and (slot or not row.slotted))


def opposite(predicate: str | None) -> str | None:
    """The predicate that says the contrary: likes and dislikes."""
    row = named(predicate)
    return row.opposite if row else None


def closes(predicate: str | None) -> tuple[str, ...]:
    """The states an event of this predicate puts an end to."""
    row = named(predicate)
    return row.closes if row else ()


def closers(predicate: str | None) -> tuple[str, ...]:
    """The events that put an end to states of this predicate."""
    row = named(predicate)
    return _CLOSERS.get(row.name, ()) if row else ()


def class_of(words: str) -> str | None:
    """The class of things a preferred thing belongs to ("oat milk lattes" -> coffee), by its longest known ending."""
    parts = [_singular(word) for word in words.lower().split()]
    return next(_classes(parts), None)


def _classes(parts: list[str]) -> Iterator[str]:
    for start in range(len(parts)):
        found = CLASSES.get(" ".join(parts[start:]))
        if found:
            yield found


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
