"""Accesses are counted in batches, once each, with the facts, entities and sources behind the segments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from actors.accesses import AccessCounter, credited, with_believed, with_sources
from memory.errors import JournalUnavailable
from memory.model.commands import RecordAccess
from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence
from memory.model.scopes import Sensitivity, View
from memory.model.working_set import WorkingSet
from memory.retrieval.query import Question
from memory.retrieval.segment_index import SegmentIndex
from tests.unit.retrieval.rows import Row, batch

BELIEVED = WorkingSet(
    "u",
    entities={each: Entity(each, "person", each, 1.0, 0.0) for each in ("e-1", "e-2")},
    evidence={
        "f-1": (Evidence("f-1", "s", 7, "q", 0.0), Evidence("f-1", "s", 8, "q", 0.0)),
        "f-2": (Evidence("f-2", "s", None, "q", 0.0),),
    },
    mentions={
        "e-1": {8: Mention("e-1", "s", 8, 0.0, "q"), 9: Mention("e-1", "t", 9, 0.0, "q")},
        "e-2": {5: Mention("e-2", "t", 5, 0.0, "q")},
    },
)
SOURCES = {7: ("s", 100.0), 8: ("s", 100.0), 9: ("t", 200.0)}


class Recorder:
    def __init__(self) -> None:
        self.away = False
        self.heard: list[tuple[str, RecordAccess]] = []

    async def record(self, user_id: str, command: RecordAccess) -> None:
        if self.away:
            raise JournalUnavailable()
        self.heard.append((user_id, command))

    async def sources(self, user_id: str, keys: Iterable[int]) -> Mapping[int, tuple[str, float]]:
        return {key: SOURCES[key] for key in keys if key in SOURCES}


async def keys(*recalled: int) -> list[int]:
    return list(recalled)


def counting() -> tuple[Recorder, AccessCounter]:
    recorder = Recorder()
    return recorder, AccessCounter("life", recorder.record, {"u": BELIEVED}.get, recorder.sources)


async def test_a_batch_is_one_command_a_user() -> None:
    recorder, accesses = counting()
    accesses.note("u", keys(7, 9))
    accesses.note("u", keys(7))
    await accesses.commit()
    await accesses.commit()
    ((user, command),) = recorder.heard
    assert (user, command.actor) == ("u", "access")
    assert dict(command.accessed) == {"f-1": 2, "e-1": 1}
    assert command.sources == (("s", 2, 100.0), ("t", 1, 200.0))


async def test_a_batch_that_could_not_be_committed_is_sent_again_as_the_same_command() -> None:
    """It may have arrived without our knowing: under another id it would count twice."""
    recorder, accesses = counting()
    recorder.away = True
    accesses.note("u", keys(9))
    await accesses.commit()
    await accesses.commit()
    recorder.away = False
    accesses.note("u", keys(9))
    await accesses.commit()
    counted = [(command.command_id, dict(command.accessed)) for _, command in recorder.heard]
    assert [each for _, each in counted] == [{"e-1": 1}, {"e-1": 1}]
    assert len({identity for identity, _ in counted}) == 2


async def test_what_was_counted_of_a_memory_that_was_deleted_does_not_bring_it_back() -> None:
    recorder, accesses = counting()
    accesses.note("gone", keys(4))
    await accesses.commit()
    assert recorder.heard == [], "what reaches nothing is no command"
    recorder.away = True
    accesses.note("u", keys(7))
    await accesses.commit()
    accesses.note("u", keys(9))
    accesses.forget("u")
    recorder.away = False
    await accesses.commit()
    assert [dict(command.accessed) for _, command in recorder.heard] == [{"e-1": 1}], "what was asked since is counted"


async def test_a_memory_that_is_deleted_while_its_batches_are_sent_gets_no_more_of_them() -> None:
    recorder, accesses = counting()
    recorder.away = True
    for key in (7, 9):
        accesses.note("u", keys(key))
        await accesses.commit()
    sent: list[str] = []

    async def deleted_meanwhile(user_id: str, command: RecordAccess) -> None:
        sent.append(command.command_id)
        accesses.forget(user_id)

    accesses._record = deleted_meanwhile
    await accesses.commit()
    await accesses.commit()
    assert len(sent) == 1


def test_each_counts_as_often_as_the_most_recalled_of_its_segments() -> None:
    assert dict(with_believed({7: 1, 8: 3}, BELIEVED)) == {"f-1": 3, "e-1": 3}
    assert with_believed({7: 1}, None) == ()
    assert with_sources({7: 1, 8: 3}, {7: ("s", 1.0), 8: ("s", 1.0)}) == (("s", 3, 1.0),)


def test_what_more_sensitive_words_bring_to_mind_strengthens_no_open_entity() -> None:
    elena = Entity("e-1", "person", "Elena", 1.0, 0.0)
    open_one = Mention("e-1", "s", 1, 0.0, "Elena")
    secret = Mention("e-1", "t", 2, 0.0, "Elena", sensitivity=Sensitivity.SENSITIVE)
    believed = WorkingSet("u", entities={"e-1": elena}, mentions={"e-1": {1: open_one, 2: secret}})
    assert (with_believed({2: 1}, believed), with_believed({1: 1, 2: 3}, believed)) == ((), (("e-1", 1),))


async def test_a_question_counts_at_each_sensitivity_for_what_it_would_find_without_the_rest() -> None:
    """The open words that only the secret ones pushed out of the answer count, and those they brought in do not."""
    segment_index = SegmentIndex(2)
    for level, key in ((Sensitivity.OPEN, 1), (Sensitivity.OPEN, 2), (Sensitivity.SENSITIVE, 3)):
        segment_index.put("user:u", level, batch([Row(key, "words")]))
    asked = []

    async def again(question: Question) -> np.ndarray:
        asked.append(question.view.clearance)
        return np.array([2], np.int64)

    found = np.array([3, 1], np.int64)
    whole = Question("Who?", View("u", clearance=Sensitivity.SENSITIVE), 0.0)
    assert await credited(whole, found, segment_index, again) == [2, 3]
    assert asked == [Sensitivity.OPEN], "a sensitivity of which there is nothing need not be asked"
    assert await credited(Question("Who?", View("u"), 0.0), found[1:], segment_index, again) == [1]
    assert len(asked) == 1, "whoever sees nothing more sensitive is not asked twice"
