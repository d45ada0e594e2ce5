"""What fails in the night of one user is that user's failure alone, and is told."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime

import pytest

from adapters.inmemory.nights import InMemoryNights
from memory.model.working_set import WorkingSet
from memory.services.night import NightPlan
from memory.services.sleeping import STEP, NightTidings, Sleeper, due_nights, run_nights
from tests.fakes.events import Overheard
from tests.fakes.nights import parts

YESTERDAY, NOW = (datetime(2026, 3, day, 12, tzinfo=UTC).timestamp() for day in (1, 2))


class Failures:
    """In memory."""

    def __init__(self, *resting: str) -> None:
        self.noted: dict[str, str] = {}
        self._resting = resting

    async def note(self, user_id: str, step: str, reason: str) -> None:
        assert step == STEP
        self.noted[user_id] = reason

    async def over(self, user_id: str, step: str) -> None:
        self.noted.pop(user_id, None)

    async def resting(self, step: str) -> Collection[str]:
        return self._resting


def sleeper(user: str, zone: str = "UTC") -> Sleeper:
    return Sleeper(user, zone, YESTERDAY)


class Told(InMemoryNights):
    """Nights that were, but of one user whose plan is broken."""

    def __init__(self) -> None:
        super().__init__(lambda: WorkingSet("nobody"))

    async def plan(self, user_id: str, night: date) -> NightPlan | None:
        if user_id == "broken":
            raise KeyError("words of somebody")
        return NightPlan({"user_id": user_id}, {}, done=True)


async def test_nobody_waits_for_a_user_whose_night_cannot_be() -> None:
    failures = Failures()
    failures.noted["ann"] = "some other day"
    sleepers = [sleeper("mars", "Mars/X"), sleeper("ann"), sleeper("broken"), sleeper("zoe", "Europe/Lisbon")]
    events = Overheard()
    reports = await run_nights(sleepers, None, NOW, parts(Told(), None), NightTidings(failures, events))
    assert [(each["user_id"], "failed" in each) for each in reports] == [
        ("mars", True),
        ("ann", False),
        ("broken", True),
        ("zoe", False),
    ]
    assert set(failures.noted) == {"mars", "broken"}
    assert "time zone" in failures.noted["mars"]
    assert failures.noted["broken"] == "KeyError"
    told = [f"{each['user_id']} {each['event_type']}" for each in events.told]
    assert told == ["ann start", "ann complete", "broken start", "broken error", "zoe start", "zoe complete"]
    assert "words" not in str(events.told)


@pytest.mark.parametrize(
    ("night", "reason"),
    [
        (date(2026, 2, 27), "Nights run in order, and that of 2026-02-28 was already."),
        (date(2026, 3, 3), "That night is still to come."),
    ],
)
async def test_a_night_out_of_order_is_refused_and_keeps_no_other_from_being(night: date, reason: str) -> None:
    failures, nights = Failures(), InMemoryNights(lambda: WorkingSet("ann"))
    asleep = [Sleeper("ann", "UTC", YESTERDAY, last=date(2026, 2, 28))]
    tidings = NightTidings(failures, Overheard())
    [report] = await run_nights(asleep, night, NOW, parts(nights, None), tidings)
    assert report["failed"].endswith(reason)
    assert (nights.kept, failures.noted) == ({}, {})
    [told] = await run_nights(asleep, None, NOW, parts(nights, None), tidings)
    assert told["night"] == "2026-03-02"


async def test_a_bad_time_zone_keeps_nobody_else_from_being_counted() -> None:
    failures = Failures()
    assert await due_nights([sleeper("mars", "Mars/X"), sleeper("ann")], NOW, 3, failures) == 1
    assert set(failures.noted) == {"mars"}


async def test_who_has_just_failed_is_not_counted_again() -> None:
    assert await due_nights([sleeper("ann"), sleeper("ben")], NOW, 3, Failures("ann")) == 1
