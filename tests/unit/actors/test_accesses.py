"""Accesses are counted in batches, once each, with the facts behind the segments."""

from __future__ import annotations

from actors.accesses import Accesses, with_facts
from memory.errors import JournalUnavailable
from memory.model.commands import RecordAccess
from memory.model.facts import Evidence
from memory.model.working_set import WorkingSet

BELIEVED = WorkingSet("u", evidence={"f-1": (Evidence("f-1", "s", 7, "q", 0.0), Evidence("f-1", "s", 8, "q", 0.0)),
                                     "f-2": (Evidence("f-2", "s", None, "q", 0.0),)})  # fmt: skip


class Recorder:
    def __init__(self) -> None:
        self.away = False
        self.heard: list[tuple[str, RecordAccess]] = []

    async def record(self, user_id: str, command: RecordAccess) -> None:
        if self.away:
            raise JournalUnavailable()
        self.heard.append((user_id, command))


async def test_a_batch_is_one_command_a_user() -> None:
    recorder = Recorder()
    accesses = Accesses("life", recorder.record, {"u": BELIEVED}.get)
    accesses.note("u", [7, 9])
    accesses.note("u", [7])
    await accesses.commit()
    await accesses.commit()
    ((user, command),) = recorder.heard
    assert (user, command.actor) == ("u", "access")
    assert dict(command.accessed) == {"7": 2, "9": 1, "f-1": 2}


async def test_what_cannot_be_committed_now_is_kept() -> None:
    recorder = Recorder()
    accesses = Accesses("life", recorder.record, {"u": BELIEVED}.get)
    recorder.away = True
    accesses.note("u", [9])
    await accesses.commit()
    recorder.away = False
    accesses.note("u", [9])
    await accesses.commit()
    assert [dict(command.accessed) for _, command in recorder.heard] == [{"9": 2}]


def test_a_fact_counts_as_often_as_its_most_recalled_segment() -> None:
    assert dict(with_facts({7: 1, 8: 3}, BELIEVED)) == {"7": 1, "8": 3, "f-1": 3}
    assert with_facts({5: 1}, None) == (("5", 1),)
