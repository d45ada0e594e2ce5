"""Finding segments by when they were said or what they tell of was, where a question tells a time.

"What did I do during my trip to Lisbon?": facts say when the trip was, and what was said then, or is of then, comes
along. The words that tell of the trip itself are found by the other legs, and not by this one. "What happened on
Wednesday?" names the time itself, and asks for nothing else: then the best of each conversation come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from memory.model.facts import Fact
from memory.model.scopes import View
from memory.model.sources import ROLES
from memory.model.timeline import DAY_S
from memory.retrieval.beliefs import Beliefs, VisibleFacts
from memory.retrieval.bm25 import Bm25Rules, bm25
from memory.retrieval.calendar import Dated, Happening, Moments, Window, fullest, latest, stretch, whole, window
from memory.retrieval.candidates import Ranking, best_first
from memory.retrieval.columns import ScopeColumns
from memory.retrieval.fact_table import Flags, Numbers
from memory.retrieval.fusion import FusionRules, reciprocal_ranks
from memory.retrieval.leg import Leg, Vote, own_score
from memory.retrieval.legs import compared, ranked
from memory.retrieval.query import Probe
from memory.words.event_words import EventKind
from memory.words.predicates import named
from memory.words.stems import query_terms, tokenise
from memory.words.time_anchors import Anchored, AnchorEvent, anchored, vague
from memory.words.time_retold import Retelling

_NONE = np.zeros(0, np.int64)

LOOKED_AT = 200
"""Facts that hold an event's words and are read for its kind, the latest: a bound on time, not on what is true."""
RETOLD = 0.5
"""How far what calls the time by a name lies inside: "on Wednesday" may be the next one."""
_ASKS = 0.5
"""A turn that asks for so much of its length tells of no event."""


@dataclass(frozen=True, slots=True, eq=False)
class _Meant:
    """The time that a question means."""

    dated: Dated
    windows: tuple[Window, ...]
    rest: tuple[str, ...]
    """What else is asked for."""
    share: float = 1.0
    """How much of the question the time is."""
    ahead: Numbers = field(default_factory=lambda: _NONE)
    """Segments that belong to it whenever they were said."""
    retold: tuple[Retelling, ...] = ()
    """By which words it is told of later."""
    telling: Numbers = field(default_factory=lambda: _NONE)
    """Segments that tell of the event it is told by."""


class MemoryCalendar:
    """What was said or happened at the time a question tells, by name or by an event; nothing for any other."""

    name = "calendar"

    def __init__(self, beliefs: Beliefs) -> None:
        self._beliefs = beliefs

    async def search(self, view: View, probe: Probe) -> Ranking:
        """Scores are how far inside the window a segment lies (0 to 1), and as much again if it is near to the rest.

        Where the window is named and more is asked, both count by the share of the question that it is.
        """
        return self.begin(view, probe)(probe)

    def begin(self, view: View, probe: Probe) -> Callable[[Probe], Ranking]:
        """When it was, and what lies in the window; only how near that is to the rest waits for the vector."""
        meant = self._by_event(view, probe) or _by_name(probe)
        if meant is None:
            return lambda _: ranked(self.name, (), probe.limit)
        within, degrees = self._inside(view, probe, meant)
        ahead = meant.ahead[~np.isin(meant.ahead, within)]
        keys, degrees = np.append(within, ahead), np.append(degrees, np.ones(len(ahead)))

        def end(probe: Probe) -> Ranking:
            near = self._near(view, probe, meant, keys)
            kept = (near > 0) | (np.arange(len(keys)) < len(within))
            found, scores = keys[kept], (meant.share * degrees * (1 + near)).astype(np.float32)[kept]
            top = best_first(found, scores, probe.limit)
            return Ranking(self.name, found[top], scores[top], dated=meant.dated)

        return end

    def _by_event(self, view: View, probe: Probe) -> _Meant | None:
        """The time told by an event, if it is known when that was."""
        asked = anchored(probe.text)
        events = [] if asked is None else [self._happening(view, probe, event) for event in asked.events]
        known = tuple(event for event in events if event is not None)
        if asked is None or len(known) < len(events):
            return None
        dated, ahead = Dated(asked.said, window(asked, known), known), self._named(view, probe, asked)
        telling = np.array([*ahead.tolist(), *(key for event in known for key in event.keys)], np.int64)
        rest = tuple(word for word, _ in tokenise(asked.rest) if not vague(word))
        return _Meant(dated, (dated.window,), rest, ahead=ahead, telling=telling)

    def _named(self, view: View, probe: Probe, asked: Anchored) -> Numbers:
        """Keys of what names the event that something was of, or during: the hotel was booked before the trip."""
        keys = [np.zeros(0, np.int64)]
        for columns in self._beliefs.segment_index.sight(view) if asked.relation in ("during", "of") else ():
            keys.append(columns["key"][columns.visible(probe) & _holds(columns, asked.events[0], probe)])
        return np.concatenate(keys)

    def _happening(self, view: View, probe: Probe, event: AnchorEvent) -> Happening | None:
        outlook = self._beliefs.outlook(view, probe.known_as_of, probe.as_of)
        told = None if outlook is None else _Told(outlook, probe).when(event)
        return told if told is not None or not event.kinds else self._mentioned(view, probe, event)

    def _mentioned(self, view: View, probe: Probe, event: AnchorEvent) -> Happening | None:
        """Where nothing was read of it: the days on which its words were said, by the asker if it is his."""
        keys, at = [np.zeros(0, np.int64)], [np.zeros(0, np.float64)]
        for columns in self._beliefs.segment_index.sight(view):
            said = columns.visible(probe) & (columns["question_share"] < _ASKS) & _holds(columns, event, probe)
            said &= (columns["role"] == ROLES.index("user")) | (not event.own)
            keys.append(columns["key"][said])
            at.append(columns["at"][said])
        times = np.concatenate(at)
        if not len(times):
            return None
        chosen = fullest(times)
        start, days = float(times[chosen].min()), event.kinds[0].days if event.kinds else 1
        end = np.inf if not days else max(start + days * DAY_S, float(times[chosen].max()))
        return Happening(start, end, tuple(sorted(np.concatenate(keys)[chosen].tolist())))

    def _inside(self, view: View, probe: Probe, meant: _Meant) -> tuple[Numbers, Moments]:
        """Keys of what lies in a window, by when it was said or by when a fact that rests on it began to be true."""
        segment_index, keys, degrees = self._beliefs.segment_index, [np.zeros(0, np.int64)], [np.zeros(0, np.float64)]
        for columns in segment_index.sight(view):
            degree = np.maximum(_degree(meant.windows, columns["at"]), RETOLD * _retold(columns, meant, probe))
            rows = np.flatnonzero((degree > 0) & columns.visible(probe))
            keys.append(columns["key"][rows])
            degrees.append(degree[rows])
        outlook = self._beliefs.outlook(view, probe.known_as_of, probe.as_of)
        if outlook is not None:
            degree = _degree(meant.windows, outlook.facts.table.begun)
            facts = np.flatnonzero((degree > 0) & outlook.begun(probe.as_of))
            owners, grounds = outlook.evidence(facts)
            seen = segment_index.visible(view, grounds, probe)
            keys.append(grounds[seen])
            degrees.append(degree[facts[owners[seen]]])
        every, inverse = np.unique(np.concatenate(keys), return_inverse=True)
        best = np.zeros(len(every))
        np.maximum.at(best, inverse, np.concatenate(degrees))
        return every, best

    def _near(self, view: View, probe: Probe, meant: _Meant, keys: Numbers) -> NDArray[np.float32]:
        """How near each key is to what else is asked, as a share of the best.

        Where that is whatever there is, all of an event's time is near, and of a named time the best of each source.
        Those that tell of the event itself are near if they hold a word of the rest: they are like any question that
        names it, and are found by its words anyway.
        """
        telling = np.isin(keys, meant.telling)
        if not meant.rest:
            by_event = bool(meant.dated.events)
            return np.where(telling, np.float32(0), np.float32(1)) if by_event else self._leading(view, probe, keys)
        wanted = " ".join(meant.rest)
        sight = self._beliefs.segment_index.sight(view)
        inside = [np.zeros(len(columns["key"]), np.bool_) for columns in sight]
        for columns, rows in zip(sight, inside, strict=True):
            rows[columns.rows_of(keys)[0]] = True
        scores = bm25(sight, query_terms(wanted, probe.languages), Bm25Rules(neighbours=False), inside)
        found = (
            (columns["key"][rows & (score > 0)], score[rows & (score > 0)])
            for columns, rows, score in zip(sight, inside, scores, strict=True)
        )
        legs = [ranked("words", found, len(keys))]
        if probe.vector is not None:
            rows_of = [
                np.flatnonzero(rows & columns["has_vector"]) for columns, rows in zip(sight, inside, strict=True)
            ]
            near_by = compared(self._beliefs.segment_index, sight, rows_of, probe.vector)
            cosines = ((columns["key"][rows], cosine) for columns, (rows, cosine) in zip(sight, near_by, strict=True))
            legs.append(ranked("vectors", cosines, len(keys)))
        near = sum((reciprocal_ranks(leg, keys, FusionRules().k) for leg in legs), np.zeros(len(keys), np.float32))
        near[telling & ~np.isin(keys, legs[0].keys)] = 0
        best = float(near.max(initial=0.0))
        return near / np.float32(best) if best else near

    def _leading(self, view: View, probe: Probe, keys: Numbers) -> NDArray[np.float32]:
        """1 for the best of each source, 1/2 for the next, 1/3 ...; 0 for what tells nothing.

        What became a fact is better than what did not, and what says more than what says less.
        """
        near = np.zeros(len(keys), np.float32)
        outlook = self._beliefs.outlook(view, probe.known_as_of, probe.as_of)
        believed = np.zeros(0, np.int64) if outlook is None else outlook.ended_keys
        for columns in self._beliefs.segment_index.sight(view):
            rows, found = columns.rows_of(keys)
            tells = ~columns["bare"][rows] & (columns["question_share"][rows] < _ASKS)
            rows, found = rows[tells], found[tells]
            source = columns["source"][rows]
            order = np.lexsort((-columns["length"][rows], ~np.isin(keys[found], believed), source))
            first = np.searchsorted(source[order], source[order])
            near[found[order]] = 1 / (1 + np.arange(len(order)) - first)
        return near


CALENDAR = Leg(MemoryCalendar.name, MemoryCalendar, vote=Vote.DATED, column=own_score)


def _by_name(probe: Probe) -> _Meant | None:
    """The time that a question names, where it asks for what was then."""
    if not probe.dated:
        return None
    named = probe.named
    windows = tuple(map(stretch, named.stretches))
    retold = tuple(each for one in named.stretches for each in one.retold)
    return _Meant(Dated(named.said, whole(windows)), windows, named.left, named.share, retold=retold)


def _retold(columns: ScopeColumns, meant: _Meant, probe: Probe) -> Flags:
    """[rows] Which rows call the time meant by a name that means it when they were said."""
    found, at = np.zeros(len(columns["key"]), np.bool_), columns["at"]
    for each in meant.retold:
        found |= _held(columns, each.words, probe) & (at >= each.after) & (at < each.before)
    return found


def _degree(windows: Sequence[Window], at: Moments) -> Moments:
    """How far moments lie inside one of these."""
    degrees: Moments = np.maximum.reduce([each.degree(at) for each in windows])
    return degrees


class _Told:
    """When events were, as far as facts in sight tell."""

    def __init__(self, outlook: VisibleFacts, probe: Probe) -> None:
        self._outlook, self._probe = outlook, probe
        self._table = outlook.facts.table
        self._facts = outlook.working_set.facts

    def when(self, event: AnchorEvent) -> Happening | None:
        """The latest time such a thing was; None if no fact tells of it."""
        rows = self._about(event)
        told = {row: _words(self._fact(row).statement) for row in rows.tolist()}
        ends = np.array(
            [row for row, words in told.items() if any(words & kind.ends for kind in event.kinds)], np.int64
        )
        begins = [row for row, words in told.items() if row not in ends and _tells(words, event)]
        if not begins and len(ends) and not event.over:
            return None
        if event.over:
            begins, ends = ends.tolist(), ends[:0]  # after she came back: the end is what is named
        if not begins:
            return None
        chosen = self._of_owner(np.array(begins, np.int64))
        chosen = chosen[latest(self._table.begun[chosen])]
        over = self._over(event, chosen, ends)
        start = float(self._table.begun[chosen].min())
        end = self._lasted(event, chosen, start) if over is None else float(self._table.begun[over])
        facts = chosen if over is None else np.append(chosen, over)
        return Happening(
            start,
            end,
            tuple(sorted(self._outlook.evidence(facts)[1].tolist())),
            tuple(self._table.ids[row] for row in facts),
        )

    def _about(self, event: AnchorEvent) -> Numbers:
        """Rows of the facts that hold the event's own words, or a word of its kind where it has none."""
        columns, table = self._outlook.facts.columns, self._table
        among = self._outlook.begun(self._probe.as_of)
        if event.own:
            owners = [each.entity_id for each in self._outlook.working_set.entities.values() if each.is_owner]
            among = among & np.isin(table.subject, [table.entities[each] for each in owners if each in table.entities])
        words = event.needs or tuple(word for kind in event.kinds for word in (*kind.alone, *kind.ends))
        held = _held(columns, words, self._probe, every=bool(event.needs)) & _held_any(
            columns, event.names, self._probe
        )
        rows = np.flatnonzero(among & held[table.statement])
        rows = rows[np.argsort(-table.begun[rows], kind="stable")][:LOOKED_AT]
        known = (np.isfinite(self._outlook.over[rows]) | bool(event.kinds)).tolist()
        happened = (
            row for row, each in zip(rows.tolist(), known, strict=True) if _happened(self._fact(row), known=each)
        )
        return np.array(list(happened), np.int64)

    def _fact(self, row: int) -> Fact:
        return self._facts[self._table.ids[row]]

    def _of_owner(self, rows: Numbers) -> Numbers:
        """Whose move, nobody said: the owner's, if there was one."""
        entities = self._outlook.working_set.entities
        own = [row for row in rows.tolist() if (who := entities.get(self._fact(row).subject_id)) and who.is_owner]
        return np.array(own, np.int64) if own else rows

    def _over(self, event: AnchorEvent, begins: Numbers, ends: Numbers) -> int | None:
        """The first fact after these that tells of the end, of the same person."""
        later = ends[np.isin(self._table.subject[ends], self._table.subject[begins])]
        later = later[self._table.begun[later] > self._table.begun[begins].min()]
        return int(later[np.argmin(self._table.begun[later])]) if len(later) else None

    def _lasted(self, event: AnchorEvent, rows: Numbers, start: float) -> float:
        """Until when: as the facts say, else as such a thing usually lasts."""
        over, facts = self._outlook.over[rows], [self._fact(row) for row in rows.tolist()]
        states = [float(end) for end, fact in zip(over, facts, strict=True) if _lasts(fact)]
        said = [fact.valid_to for fact in facts if fact.valid_to is not None and fact.status == "active"]
        days = event.kinds[0].days if event.kinds else 1
        told = max([*states, *said, float(self._table.begun[rows].max()) + DAY_S])
        if not days:
            return max(states, default=np.inf)
        return told if told > start + DAY_S else start + days * DAY_S


def _words(statement: str) -> frozenset[str]:
    """The words of a statement, and each with those up to three before it: lisbon, in lisbon."""
    words = [word.removesuffix("'s") for word, _ in tokenise(statement)]
    pairs = {f"{before} {word}" for at, word in enumerate(words) for before in words[max(0, at - 3) : at]}
    return frozenset(words) | pairs


def _tells(words: frozenset[str], event: AnchorEvent) -> bool:
    return all(
        words & kind.alone or any(f"{place} {need}" in words for place in kind.places for need in event.needs)
        for kind in event.kinds
    )


def _happened(fact: Fact, *, known: bool) -> bool:
    """Whether a fact tells of what was: no plan, no taste or habit, nothing denied.

    What is of no `known` kind or end must say so itself, by what it is told with.
    """
    row = named(fact.predicate)
    if not known and (row is None or row.tense != "event"):
        return False
    told = row is None or (row.tense != "plan" and row.events)
    return told and fact.polarity and fact.kind not in ("meta", "preference", "opinion")


def _lasts(fact: Fact) -> bool:
    row = named(fact.predicate)
    return row is not None and row.tense == "state"


def _holds(columns: ScopeColumns, event: AnchorEvent, probe: Probe) -> Flags:
    """[rows] Which rows hold every word of an event, or of its kinds, and one of the names it may belong to."""
    kinds = [_held(columns, _sorted(kind), probe, every=False) for kind in event.kinds]
    return reduce(np.logical_and, kinds, _held(columns, event.needs, probe) & _held_any(columns, event.names, probe))


def _sorted(kind: EventKind) -> tuple[str, ...]:
    return tuple(sorted(kind.alone))


def _held_any(columns: ScopeColumns, words: tuple[str, ...], probe: Probe) -> Flags:
    return _held(columns, words, probe, every=not words)


def _held(columns: ScopeColumns, words: Iterable[str], probe: Probe, *, every: bool = True) -> Flags:
    """[rows] Which rows hold every one of these words, or any; stop words are held by none."""
    count = len(columns["key"])
    each = (_rows_with(columns, query_terms(word, probe.languages)) for word in words)
    flags: Flags = (
        reduce(np.logical_and, each, np.ones(count, np.bool_))
        if every
        else reduce(np.logical_or, each, np.zeros(count, np.bool_))
    )
    return flags


def _rows_with(columns: ScopeColumns, terms: Iterable[int]) -> Flags:
    """[rows] Which living rows hold one of these stems."""
    held = np.zeros(len(columns["key"]), np.bool_)
    for term in terms:
        held[columns.frequencies(term, False)[0]] = True
    return held
