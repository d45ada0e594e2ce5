"""Stepping back, in a process of its own, as the worker does it; and coming last among a process's threads."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from typing import Any

import pytest

from actors.background import AUTOGROUP, LAST, NICENESS, OF_SESSION, Threads, come_last

STEPS = """
import json, os, sys, threading
from pathlib import Path
from actors import background
from actors.background import AUTOGROUP, step_back
if sys.argv[1:]:
    background.AUTOGROUP = Path(sys.argv[1])
step_back()
seen = []
thread = threading.Thread(target=lambda: seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id())))
thread.start()
thread.join()
shared = AUTOGROUP.read_text().split() if AUTOGROUP.exists() else []
print(json.dumps({"thread": seen[0], "ids": [os.getpid(), os.getpgrp(), os.getsid(0)], "shared": shared}))
"""


def stepped_back(*arguments: str, **start: Any) -> dict[str, Any]:
    run = subprocess.run([sys.executable, "-c", STEPS, *arguments], capture_output=True, text=True, check=True, **start)
    told: dict[str, Any] = json.loads(run.stdout)
    assert told["thread"] == min(os.nice(0) + NICENESS, 19)
    return told


# the leader of its own group, as Ray starts its workers; of a session already
@pytest.mark.parametrize("start", [{"process_group": 0}, {"start_new_session": True}])
def test_a_process_and_its_threads_step_back_in_a_session_of_their_own(start: dict[str, Any]) -> None:
    told = stepped_back(**start)
    if AUTOGROUP.exists():
        assert len(set(told["ids"])) == 1, "the leader of a session and of its own group"
        assert told["shared"][1:] == ["nice", str(OF_SESSION)]


def test_where_a_session_may_not_be_made_nice_niceness_is_all_there_is() -> None:
    told = stepped_back("/proc/version", process_group=0)  # nobody can write there, as where Linux wants a pause
    assert told["shared"][1:] in ([], ["nice", "0"])


@pytest.mark.skipif(sys.platform != "linux", reason="niceness is a thread's own on Linux alone")
async def test_what_a_task_that_comes_last_does_in_threads_leaves_the_processor_to_the_others() -> None:
    asyncio.get_running_loop().set_default_executor(Threads())

    async def niceness(*, last: bool) -> int:
        if last:
            come_last()
        return await asyncio.to_thread(os.getpriority, os.PRIO_PROCESS, 0)

    own = os.nice(0)
    assert await asyncio.gather(niceness(last=True), niceness(last=False)) == [LAST, own]
    assert await niceness(last=False) == own, "another task's rank is its own"


async def test_threads_that_are_shut_down_take_nothing_more() -> None:
    threads = Threads()
    threads.shutdown()
    with pytest.raises(RuntimeError):
        threads.submit(os.getpid)
