"""What is seen at one sensitivity follows from words of that and lesser ones alone (decision 0025).

Random lives are lived twice, with their secret words and without: whatever is open is the same to the last figure -
ids, names, confidence, versions, times, states, tiers and recalls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.accesses import with_believed
from memory.errors import DomainError
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.claims import Claim, Sighting
from memory.model.facts import Link
from memory.model.scopes import Sensitivity
from memory.model.working_set import WorkingSet
from memory.rules.census import Fresh, census
from memory.rules.parameters import Life
from memory.rules.reflection import Likeness
from memory.services.night import commands_of, plan_night
from tests.fakes.nights import OF
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says

OPEN, PRIVATE, SENSITIVE = Sensitivity
WHO = ("Maya", "Zoe", "Zora", "Zo")
WHERE = ("Porto", "Faro", "Lagos")
SAYINGS = (
    ("{who} lives in {where}", {"predicate": "lives_in"}),
    ("{who} lives in {where}", {"predicate": "lives_in", "change": True}),
    ("{who} likes {where}", {"predicate": "likes"}),
    ("{who} does not like {where}", {"predicate": "likes", "polarity": False}),
    ("{who} works at {where}", {"predicate": "works_at"}),
    ("{who} gave up {where}", {"predicate": "stopped", "tense": "event"}),
    ("{who} spent two nights in {where}", {}),
    ("{who} spent three nights in {where} now", {}),
)


def _vectors() -> dict[str, np.ndarray]:
    """Statements of one person and one pattern are near one another, like paraphrases."""
    chance, vectors = np.random.default_rng(5), {}
    for pattern, _ in SAYINGS:
        for who in WHO:
            centre = chance.normal(size=16)
            for where in WHERE:
                vectors[pattern.format(who=who, where=where)] = centre + 0.2 * chance.normal(size=16)
    return vectors


VECTORS = _vectors()
RULES = Life()
SECRETLY_TOLD = {("told", PRIVATE), ("told", SENSITIVE)}


@dataclass(frozen=True)
class Event:
    """Something that happens, and how secret it is; `number` chooses what it happens to."""

    kind: str
    level: int
    number: int
    who: str
    where: str
    nickname: str | None


EVENTS = st.lists(
    st.builds(
        Event,
        kind=st.sampled_from(
            (
                "heard",
                "heard",
                "heard",
                "told",
                "erased",
                "hidden",
                "recalled",
                "night",
                "renamed",
                "aliased",
                "merged",
                "confirmed",
                "forgotten",
                "split",
                "retyped",
                "undone",
            )
        ),
        level=st.sampled_from(Sensitivity),
        number=st.integers(0, 40),
        who=st.sampled_from(WHO),
        where=st.sampled_from(WHERE),
        nickname=st.sampled_from((None, *WHO)),
    ),
    min_size=2,
    max_size=14,
)


class TwiceLived:
    """A memory, and what was said in it; every event has its own time, whether or not others happened."""

    def __init__(self, up_to: Sensitivity) -> None:
        self.memory = Memory(vectors=VECTORS)
        self.up_to = up_to
        self.read: dict[int, int] = {}
        self.last: ChangeSet | None = None
        """What the last open command that can be undone has done."""

    def live(self, events: Sequence[Event]) -> TwiceLived:
        for place, event in enumerate(events):
            self.memory.now = NOON + (1000 + 9 * place) * DAY
            if event.kind in ("heard", "told") and event.level > self.up_to:
                continue
            try:
                self._happen(place, event)
            except DomainError:
                continue
        return self

    def _happen(self, place: int, event: Event) -> None:
        if event.kind == "night":
            return self._night(place)
        if event.kind in ("erased", "hidden", "recalled"):
            return self._of_segments(place, event)
        command = self._heard(place, event) if event.kind in ("heard", "told") else self._of_rows(place, event)
        if command is not None:
            changes = self.memory.turn(command)
            if event.kind not in ("heard", "undone") and (event.kind, event.level) not in SECRETLY_TOLD:
                self.last = changes
        return None

    def _heard(self, place: int, event: Event) -> c.Command:
        pattern, how = SAYINGS[event.number % len(SAYINGS)]
        statement = pattern.format(who=event.who, where=event.where)
        claim = Claim(event.who, statement, place, statement, object=event.where if how else None, **how)
        if event.kind == "told":
            return c.Remember(
                command_id=f"c-{place}",
                claims=(replace(claim, object_type="place"),),
                sensitivity=Sensitivity(event.level),
            )
        at = NOON + ((event.number * 37) % 900) * DAY
        self.read[place] = event.level
        read = c.ReadSegment("user:u", f"s{place}", place, 1, at, event.who, "other", event.level)
        aliases = (event.nickname,) if event.nickname and event.nickname != event.who else ()
        properties = {"seen": statement} if event.number % 3 == 0 else {}
        seen = (
            Sighting("person", event.who, 0.6 + event.number / 100, statement, place, properties, aliases),
            Sighting("place", event.where.upper() if event.number % 5 == 0 else event.where, 0.9, statement, place),
        )
        claims = (claim,) if event.number % 4 else ()
        return c.AcceptReading(command_id=f"c-{place}", actor="extraction", read=(read,), sightings=seen, claims=claims)

    def _of_segments(self, place: int, event: Event) -> None:
        """Some segments are erased, hidden or recalled: the open ones always, secret ones as well as may be."""
        for level in range(self.up_to + 1):
            keys = [key for key, its in self.read.items() if its == level and key % 3 == event.number % 3]
            if not keys:
                continue
            self.memory.now = NOON + (1000 + 9 * place) * DAY + 60 * (1 + level)
            if event.kind == "recalled":
                counted = with_believed(dict.fromkeys(keys, 1), self.memory.believed)
                self.memory.turn(c.RecordAccess(command_id=f"c-{place}-{level}", actor="access", accessed=counted))
            elif level in (OPEN, event.level):
                erase = event.kind == "erased"
                self.memory.turn(c.Withdraw(command_id=f"c-{place}-{level}", segment_keys=tuple(keys), erase=erase))
                self.read = {key: its for key, its in self.read.items() if key not in keys}

    def _of_rows(self, place: int, event: Event) -> c.Command | None:
        """Commands of somebody who sees what is open."""
        seen, identity = seen_at(OPEN, self.memory.believed), f"c-{place}"
        entities = [each for each in sorted(seen["entities"]) if not seen["entities"][each].is_owner]
        facts = sorted(seen["facts"])
        entity = entities[event.number % len(entities)] if entities else "nothing"
        fact = facts[event.number % len(facts)] if facts else "nothing"
        match event.kind:
            case "renamed":
                return c.RenameEntity(command_id=identity, entity_id=entity, name=event.who)
            case "aliased":
                return c.AddAlias(command_id=identity, entity_id=entity, alias=event.who)
            case "merged":
                return c.MergeEntities(command_id=identity, winner_id=entity, loser_id=entities[-1] if entities else "")
            case "confirmed":
                return c.ConfirmFact(command_id=identity, fact_id=fact)
            case "forgotten":
                return c.ForgetFact(command_id=identity, fact_id=fact)
            case "retyped":
                return c.RetypeEntity(command_id=identity, entity_id=entity, type="organization")
            case "split" if facts:
                about = seen["facts"][fact].subject_id
                return c.SplitEntity(command_id=identity, entity_id=about, qualifier="other", fact_ids=(fact,))
            case "undone" if self.last is not None:
                done, self.last = self.last, None
                return c.Undo(command_id=identity, done=done)
        return None

    def _night(self, place: int) -> None:
        rows = replace(census(self.memory.believed), fresh=Fresh(self.memory.believed, self._likeness()))
        plan = plan_night(OF, rows, self.memory.now, RULES)
        for number, command in enumerate(commands_of(plan)):
            named = f"c-{place}-{getattr(command, 'step', 'merge')}-{number}"
            self.memory.now = NOON + (1000 + 9 * place) * DAY  # one instant, however many turns it takes
            self.memory.turn(replace(command, command_id=named))

    def _likeness(self) -> Likeness:
        facts = self.memory.believed.facts.values()
        vectors = {each.fact_id: self.memory.vectors[each.statement] for each in facts if each.statement in VECTORS}
        return Likeness({key: np.asarray(each, np.float32) for key, each in vectors.items()}, lambda cosine: cosine)


def seen_at(level: Sensitivity, believed: WorkingSet) -> dict[str, dict[Any, Any]]:
    """All that is seen of a memory at a sensitivity, row by row."""
    facts = {key: each for key, each in believed.facts.items() if each.sensitivity <= level}
    entities = {key: each for key, each in believed.entities.items() if each.sensitivity <= level}
    mentions = ((key, each) for key, rows in believed.mentions.items() for each in rows.values())
    return {
        "facts": facts,
        "entities": entities,
        "mentions": {(key, each.segment_key): each for key, each in mentions if each.sensitivity <= level},
        "evidence": {key: rows for key, rows in believed.evidence.items() if key in facts},
        "links": {each: each.weight for each in believed.links if each.from_id in facts and each.to_id in facts},
        "recalls": {key: each for key, each in believed.accesses.items() if key in facts or key in entities},
    }


def differences(one: dict[str, dict[Any, Any]], other: dict[str, dict[Any, Any]]) -> list[Any]:
    """What stands in one view and not, or otherwise, in the other."""
    return [
        (noun, key, rows.get(key), other[noun].get(key))
        for noun, rows in one.items()
        for key in sorted({*rows, *other[noun]}, key=str)
        if rows.get(key) != other[noun].get(key)
    ]


@settings(max_examples=200)
@given(st.sampled_from((OPEN, PRIVATE)), EVENTS)
def test_what_is_seen_at_a_sensitivity_is_the_same_without_the_words_above_it(
    level: Sensitivity, events: list[Event]
) -> None:
    whole = seen_at(level, TwiceLived(SENSITIVE).live(events).memory.believed)
    alone = seen_at(level, TwiceLived(level).live(events).memory.believed)
    assert differences(whole, alone) == []


def test_the_same_words_said_in_confidence_are_a_fact_of_their_own() -> None:
    memory = Memory()
    hear(memory, 1, lives("Porto"))
    hear(memory, 2, lives("Porto"), level=SENSITIVE)
    said = sorted(memory.believed.facts.values(), key=lambda each: each.sensitivity)
    assert [(each.sensitivity, each.confidence, each.version) for each in said] == [(OPEN, 0.6, 1), (SENSITIVE, 0.6, 1)]


@pytest.mark.conforms("model:across")
def test_a_secret_change_is_linked_and_ends_nothing() -> None:
    """Who sees both takes the later for what holds now; who does not, sees nothing of it."""
    memory = Memory()
    hear(memory, 1, lives("Porto"))
    hear(memory, 2, lives("Faro", 2), level=PRIVATE, at=NOON + DAY)
    porto, faro = memory.fact("Maya lives in Porto"), memory.fact("Maya lives in Faro")
    assert (porto.status, porto.valid_to, porto.version) == ("active", None, 1)
    assert (faro.status, Link("supersedes", faro.fact_id, porto.fact_id) in memory.believed.links) == ("active", True)


@pytest.mark.conforms("model:across")
def test_an_open_value_between_two_secret_ones_is_linked_both_ways() -> None:
    memory = Memory()
    hear(memory, 1, lives("Porto"), level=PRIVATE)
    hear(memory, 3, lives("Lagos", 3), level=PRIVATE, at=NOON + 2 * DAY)
    hear(memory, 2, lives("Faro", 2), at=NOON + DAY)
    porto, faro, lagos = (memory.fact(f"Maya lives in {where}").fact_id for where in ("Porto", "Faro", "Lagos"))
    assert {Link("supersedes", faro, porto), Link("supersedes", lagos, faro)} <= memory.believed.links
    assert memory.fact("Maya lives in Faro").status == "active"


@pytest.mark.conforms("model:across")
def test_a_secret_event_ends_a_state_for_those_who_know_of_it() -> None:
    memory = Memory()
    hear(memory, 1, says("Maya likes chess", predicate="likes", object="chess"))
    hear(
        memory,
        2,
        says("Maya gave up chess", 2, predicate="stopped", object="chess", tense="event"),
        level=SENSITIVE,
        at=NOON + DAY,
    )
    liked, stopped = memory.fact("Maya likes chess"), memory.fact("Maya gave up chess")
    assert (liked.status, liked.version) == ("active", 1)
    assert Link("supersedes", stopped.fact_id, liked.fact_id) in memory.believed.links


@pytest.mark.conforms("model:across")
def test_a_secret_denial_is_in_dispute_and_weakens_nothing() -> None:
    memory = Memory()
    hear(memory, 1, says("Maya likes rain", predicate="likes", object="rain"))
    hear(
        memory,
        2,
        says("Maya does not like rain", 2, predicate="likes", object="rain", polarity=False),
        level=PRIVATE,
        at=NOON + DAY,
    )
    liked, denied = memory.fact("Maya likes rain"), memory.fact("Maya does not like rain")
    assert (liked.status, liked.confidence, liked.version) == ("active", 0.6, 1)
    assert Link("disputes", denied.fact_id, liked.fact_id) in memory.believed.links


def test_who_was_known_in_confidence_is_met_anew_openly_and_stays_one() -> None:
    """Neither an alias nor a property, a tier or a birthday of the secret row is seen; its mentions stay."""
    memory = Memory()
    nick = Sighting("person", "Priyanka", 0.9, "Pri", 1, {"kin": "sister"}, ("Pri",))
    hear(memory, 1, level=SENSITIVE, seen=nick)
    hear(memory, 2, seen=Sighting("person", "Priyanka", 0.8, "Priyanka", 2))
    (priyanka,) = (each for each in memory.believed.entities.values() if each.name == "Priyanka")
    assert (priyanka.sensitivity, priyanka.aliases, priyanka.properties, priyanka.confidence) == (OPEN, (), {}, 0.8)
    assert priyanka.created_at == memory.now
    assert sorted(memory.believed.mentions[priyanka.entity_id]) == [1, 2]


@pytest.mark.conforms("model:withdrawn")
def test_who_is_openly_forgotten_is_still_known_in_confidence() -> None:
    memory = Memory()
    hear(memory, 1, seen=Sighting("person", "Zora", 0.9, "Zora", 1))
    hear(memory, 2, level=PRIVATE, seen=Sighting("person", "Zora", 0.9, "Zora", 2))
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(1,), erase=True))
    (zora,) = (each for each in memory.believed.entities.values() if each.name == "Zora")
    assert zora.sensitivity == PRIVATE


@pytest.mark.conforms("model:names")
def test_a_name_that_only_secret_words_used_is_free_to_be_given() -> None:
    memory = Memory()
    hear(memory, 1, level=PRIVATE, seen=Sighting("person", "Zoe", 0.9, "Zoe", 1))
    hear(memory, 2, seen=Sighting("person", "Zora", 0.9, "Zora", 2))
    zora = next(each for each in memory.believed.entities.values() if each.name == "Zora")
    memory.turn(c.RenameEntity(command_id="r", entity_id=zora.entity_id, name="Zoe"))
    named = [each for each in memory.believed.entities.values() if each.name == "Zoe" and each.merged_into is None]
    assert [each.entity_id for each in named] == [zora.entity_id]
    assert sorted(memory.believed.mentions[zora.entity_id]) == [1, 2]


@pytest.mark.conforms("model:commands")
def test_a_note_is_as_sensitive_as_what_it_is_about() -> None:
    memory = Memory()
    hear(memory, 1, level=PRIVATE, seen=Sighting("person", "Zoe", 0.9, "Zoe", 1))
    zoe = next(each for each in memory.believed.entities.values() if each.name == "Zoe")
    memory.turn(c.WriteNote(command_id="n", about_id=zoe.entity_id, text="a patient"))
    hear(memory, 2, seen=Sighting("person", "Zoe", 0.9, "Zoe", 2))
    (note,) = memory.believed.notes.values()
    assert note.sensitivity == PRIVATE


def hear(
    memory: Memory, key: int, *claims: Claim, level: Sensitivity = OPEN, at: float = NOON, seen: Sighting | None = None
) -> None:
    """One segment of a source of its own, of this sensitivity."""
    read = c.ReadSegment("user:u", f"s{key}", key, 1, at, "Maya", "user", level)
    heard = tuple(replace(each, segment_key=key) for each in claims)
    sightings = (seen,) if seen else ()
    memory.turn(
        c.AcceptReading(command_id=f"hear-{key}", actor="extraction", read=(read,), claims=heard, sightings=sightings)
    )
