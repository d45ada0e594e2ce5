"""The transcript folder: nothing missed, nothing early, nothing that is not ours."""

import asyncio
import os
from contextlib import aclosing

import pytest

from adapters.capture.jsonl import append
from adapters.capture.watcher import TranscriptFolder, _Wait, drain
from memory.errors import NotFound

QUIET_S = 0.15


def payload(session: str, number: int) -> dict:
    segment = {
        "segment_id": f"s{number}",
        "speaker": "ana",
        "text": "hello",
        "start": float(number),
        "end": number + 1.0,
    }
    return {"session_id": session, "session_started_at": 1709542800.0, "segments": [segment]}


class Ledger:
    """Offsets and what was taken, in memory."""

    def __init__(self) -> None:
        self.offsets: dict[str, int] = {}
        self.taken: list[tuple[str, str]] = []
        self.rejected: list[str] = []
        self.broken = False

    async def get(self, key: str) -> int:
        return self.offsets.get(key, 0)

    async def set(self, key: str, offset: int) -> None:
        self.offsets[key] = offset

    async def take(self, change, payloads, rejected) -> None:
        if self.broken:
            raise ConnectionError
        self.taken += [(change.key, segment.segment_id) for each in payloads for segment in each.segments]
        self.rejected += [each.reason for each in rejected]


@pytest.fixture
def refused() -> list[str]:
    return []


@pytest.fixture
def folder(tmp_path, refused):
    root = tmp_path / "transcripts"
    return TranscriptFolder(root, lambda path, why: refused.append(str(path.relative_to(root))), quiet_s=QUIET_S)


@pytest.fixture
def root(tmp_path):
    (tmp_path / "transcripts").mkdir()
    return tmp_path / "transcripts"


async def following(folder, count: int, then=()) -> list:
    """The first `count` changes; before the n-th is awaited, the n-th thing of `then` is done."""
    seen, steps = [], list(then)
    async with aclosing(folder.changes()) as changes:
        while len(seen) < count:
            seen.append(await asyncio.wait_for(anext(changes), 60))
            if steps:
                steps.pop(0)()
    return seen


async def test_what_is_no_file_keeps_no_file_from_being_read(folder, root):
    (root / "around.jsonl").symlink_to("around.jsonl")
    (root / "folder.jsonl").mkdir()
    os.mkfifo(root / "pipe.jsonl")  # to open it would wait for a writer
    append(root / "walk.jsonl", payload("walk", 0))
    (change,) = await following(folder, 1)
    assert change.session_id == "walk"


async def test_what_was_there_before_is_found(folder, root):
    append(root / "walk.jsonl", payload("walk", 0))
    append(root / "ben" / "talk.jsonl", payload("talk", 0))
    changes = await following(folder, 2)
    assert {(each.user, each.session_id) for each in changes} == {(None, "walk"), ("ben", "talk")}
    assert {each.key for each in changes} == {"/walk", "ben/talk"}


async def test_what_is_written_while_watching_is_found_also_in_a_new_folder(folder, root):
    append(root / "first.jsonl", payload("first", 0))
    changes = await following(folder, 2, [lambda: append(root / "cleo" / "talk.jsonl", payload("talk", 0))])
    assert changes[1].key == "cleo/talk"


async def test_a_rename_into_place_and_a_move_from_outside_are_found(folder, root, tmp_path):
    append(root / "first.jsonl", payload("first", 0))
    append(tmp_path / "outside.jsonl", payload("outside", 0))
    steps = [
        lambda: (tmp_path / "outside.jsonl").rename(root / "inside.jsonl"),
        lambda: (root / "inside.jsonl").rename(root / "renamed.jsonl"),
    ]
    assert [each.session_id for each in await following(folder, 3, steps)] == ["first", "inside", "renamed"]


async def test_a_burst_is_one_change(root):
    folder = TranscriptFolder(root, lambda path, why: None, quiet_s=1.0)
    append(root / "walk.jsonl", payload("walk", 0))
    ledger = Ledger()
    async with aclosing(folder.changes()) as changes:
        await drain(await anext(changes), ledger, ledger.take)
        waiting = asyncio.ensure_future(anext(changes))
        for number in range(1, 6):
            append(root / "walk.jsonl", payload("walk", number))
            await asyncio.sleep(0.03)
        assert not waiting.done()
        await drain(await asyncio.wait_for(waiting, 60), ledger, ledger.take)
    assert ledger.taken == [("/walk", f"s{number}") for number in range(6)]
    assert ledger.offsets == {"/walk": (root / "walk.jsonl").stat().st_size}


async def test_a_writer_who_never_rests_is_not_waited_for_forever(folder, root):
    path = root / "walk.jsonl"
    folder._due[path] = _Wait(due=0.0, latest=50.0)
    folder._touch(path, 49.9)
    assert folder._due[path].due == 50.0


async def test_names_that_could_lead_astray_are_reported_once_and_not_read(folder, root, refused):
    for name in ("a b.jsonl", "über.jsonl", "be n/talk.jsonl", ".hidden.jsonl", "walk.jsonl.tmp", "x/y/z.jsonl"):
        append(root / name, payload("walk", 0))
    append(root / "zebra.jsonl", payload("zebra", 0))

    def again():
        append(root / "a b.jsonl", payload("walk", 1))
        append(root / "zebra.jsonl", payload("zebra", 1))

    changes = await following(folder, 2, [again])
    assert {each.session_id for each in changes} == {"zebra"}
    assert sorted(refused) == ["a b.jsonl", "be n/talk.jsonl", "über.jsonl"]


async def test_what_could_not_be_stored_comes_again(folder, root):
    append(root / "walk.jsonl", payload("walk", 0))
    ledger = Ledger()
    ledger.broken = True
    async with aclosing(folder.changes()) as changes:
        change = await anext(changes)
        with pytest.raises(ConnectionError):
            await drain(change, ledger, ledger.take)
        assert not ledger.offsets
        folder.again(change, 0.05)
        ledger.broken = False
        await drain(await asyncio.wait_for(anext(changes), 60), ledger, ledger.take)
    assert ledger.taken == [("/walk", "s0")]


async def test_an_event_the_kernel_dropped_is_made_good(folder, root):
    append(root / "walk.jsonl", payload("walk", 0))
    await following(folder, 1)
    append(root / "walk.jsonl", payload("walk", 1))
    folder._scan(100.0)
    assert [path.name for path in folder._ripe(100.0)] == ["walk.jsonl"]
    folder._change(root / "walk.jsonl")
    folder._scan(200.0)
    assert not folder._due


async def test_a_restart_goes_on_where_it_left_off(folder, root, refused):
    append(root / "walk.jsonl", payload("walk", 0))
    ledger = Ledger()
    for number in (1, 2):
        fresh = TranscriptFolder(root, lambda path, why: None, quiet_s=QUIET_S)
        (change,) = await following(fresh, 1)
        await drain(change, ledger, ledger.take)
        append(root / "walk.jsonl", payload("walk", number))
    assert [segment_id for _, segment_id in ledger.taken] == ["s0", "s1"]


async def test_bad_lines_are_taken_as_such(folder, root):
    (root / "walk.jsonl").write_text("nonsense\n")
    ledger = Ledger()
    (change,) = await following(folder, 1)
    await drain(change, ledger, ledger.take)
    assert ledger.offsets == {"/walk": 9}
    assert ledger.rejected[0].startswith("not JSON")


async def test_a_file_that_vanished_is_an_error_of_ours(folder, root):
    append(root / "walk.jsonl", payload("walk", 0))
    (change,) = await following(folder, 1)
    change.path.unlink()
    ledger = Ledger()
    with pytest.raises(NotFound):
        await drain(change, ledger, ledger.take)
