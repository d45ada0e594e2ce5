"""The inventory of predicates: what kinds of statement there are, by which words they are known, and how they change.

One table, in `lists/predicates.yaml`; rules ask for what a row says of its predicate and not for its name. `cues` are
verb lemmas with an optional preposition or particle ("live in"), `be ADJ` for adjectives. What the inventory has no
word for keeps its statement alone; nothing is forced into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memory.words.stems import stem
from memory.words.vocabulary import CLASSES, KIN, ONLY_ONE, read, words


@dataclass(frozen=True, slots=True)
class Predicate:
    """One row. `object_type` is an entity type, None for plain words; `weight` the importance it adds (of 1-10)."""

    name: str
    cues: tuple[str, ...] = ()
    object_type: str | None = None
    single: bool = False
    """A new object closes the old one; where it is `slotted`, only within one slot (a favourite a class)."""
    slotted: str | None = None
    """What tells its slot: the noun of its `subject`, the `class` of its object, the `kind` of thing, or `unknown`."""
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
    entails: str | None = None
    """The state that follows from an event: who moved to a town lives there."""
    sort: str | None = None
    """What its object must be, where its verb also says other things: live in fear, work for hours."""
    value: str | None = None
    """In what way its object is told, if not as any other is: the day of a birthday, the employer one left."""
    sighted: str | None = None
    """As what its object is seen: a topic, a tool, an employer, a venue, a decision."""
    tells: frozenset[str] = frozenset()
    """What it tells who asks: `who` its subject or `whom` its object is, a `name`, its subject's `own_name`, an `age`,
    or the `day` something is on."""
    asked: str = ""
    """By which words a question asks for it, beside those it is said with; `asked_in_german` by which German ones."""
    asked_in_german: str = ""
    asked_of_denied: str = ""
    """By which words what is not so is asked for: who hates coriander does not like it."""
    listed_by: tuple[str, ...] = ()
    """Verbs of questions that ask for all its objects; `listed_by_denied` of those for what somebody does not do."""
    listed_by_denied: tuple[str, ...] = ()
    said_with: str | None = None
    """A pattern of the words it is said with, where these are not its cues."""
    strict: bool = False
    """Its verbs mean different things: what was baked was not painted."""
    passing: bool = False
    """Its past tense says that it is over. Who was born or named somewhere is so still."""
    lasting: bool = False
    """Its perfect tells a state: who is divorced or born somewhere is so from then on."""
    own: bool = False
    """It does not change, and whoever is present knows best of themselves: others' words of it close nothing."""
    of_people: bool = False
    """Only somebody can be its subject."""
    personal: bool = False
    """A name the parser does not know, and of which it is told, is somebody's."""
    together: bool = False
    """A family has it as one: the Millers moved."""
    home: bool = False
    """Who is told of lives in its object."""
    born: bool = False
    """It tells the day on which its subject was born."""
    diet: bool = False
    """Its object may be a diet, which excludes what is eaten."""
    owed: bool = False
    """It is promised, or to be remembered."""
    intended: bool = False
    """It is only meant to be: without a time for it, it is kept and found, and not promoted."""
    negative: bool = False
    """It may say without a "not" what was said with one: can't stand, no longer."""
    things: bool = True
    """Its object is something that is, or was done; False where it holds somebody else's words, or nothing."""
    events: bool = True
    """Its statements tell that, and when, what they name was; False where they only name it."""

    @property
    def disliked(self) -> bool:
        """Whether it says that somebody does not like its object."""
        return self.negative and self.opposite is not None

    @property
    def appointed(self) -> bool:
        """Whether it tells the day of what has one at a time: a deadline, not a birthday."""
        return self.slotted is not None and "day" in self.tells


_SEVERAL = ("closes", "listed_by", "listed_by_denied")


def _row(name: str, columns: Mapping[str, Any]) -> Predicate:
    """A row as it is written: cues with commas between them, other columns of several words with spaces."""
    several = {key: tuple(told.split()) for key, told in columns.items() if key in _SEVERAL}
    cues = tuple(cue.strip() for cue in columns.get("cues", "").split(",") if cue)
    return Predicate(name, **{**columns, **several, "cues": cues, "tells": words(columns.get("tells", ""))})


def _tie_row(kin: str) -> Predicate:
    """Has a mother, a neighbour: a state, of one value where one can have but one."""
    told = {"object_type": "person", "tense": "state", "single": kin in ONLY_ONE, "weight": 2, "tells": "whom name"}
    return _row(f"has_{kin}", {**told, **read("predicates")["ties"].get(kin, {})})


TABLE: tuple[Predicate, ...] = (
    *(_row(name, columns) for name, columns in read("predicates")["rows"].items()),
    *map(_tie_row, sorted(set(KIN.values()))),
)

_BY_NAME = {row.name: row for row in TABLE}
_CLOSERS = {name: tuple(row.name for row in TABLE if name in row.closes) for row in TABLE for name in row.closes}
_BY_CUE = {cue: row for row in reversed(TABLE) for cue in row.cues}
VERBS = frozenset(stem(cue.split()[0], "en") for cue in _BY_CUE) - {"be"}
"""Stems of the verbs by which statements are known."""
STRONG = frozenset(row.name for row in TABLE if row.weight >= 2)
"""Predicates that make a fact of a clause even inside another sentence."""
ANSWERED, NEVER, HABIT = "answered", "never_did", "habit"
"""Rows without a cue, which rules give: an answer with its question, what was never done, and what is done often."""


def named(name: str | None) -> Predicate | None:
    """The row of that name; `habit:run` and `formerly:smoke` are rows of their stem."""
    return _BY_NAME.get((name or "").partition(":")[0])


def tie(kind: str | None) -> Predicate | None:
    """The row of having such a relation, or a pet."""
    return _BY_NAME.get(f"has_{kind}")


def cued(*cues: str) -> Predicate | None:
    """The row known by the first of these cues that is in the table."""
    return next((_BY_CUE[cue] for cue in cues if cue in _BY_CUE), None)


def known_by(cue: str) -> Predicate:
    """The row known by this cue, which is in the table."""
    return _BY_CUE[cue]


def having(mark: str) -> frozenset[str]:
    """Names of the rows of which a column says anything: of what is `owed`, what is `strict`."""
    return frozenset(row.name for row in TABLE if getattr(row, mark))


FORMERLY = known_by("used to").name
"""What was so once: `formerly:smoke`, of whom smoked."""
PROMISE = known_by("promise").name


def habit_of(verb: str) -> str:
    """The predicate of doing something often."""
    return f"{HABIT}:{verb}"


def is_former(predicate: str | None) -> bool:
    """Whether it says what was so once."""
    return named(predicate) is _BY_NAME[FORMERLY]


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
