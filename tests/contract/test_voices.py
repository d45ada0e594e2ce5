"""The bank of voices is the same over both stores, and in the tables it goes with what it was learnt from."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from adapters.inmemory.voices import InMemoryVoices
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.erasing import PostgresErasing
from adapters.postgres.pool import Pool
from adapters.postgres.voices import PostgresVoices
from memory.errors import Conflict
from memory.model.erasing import CapturedSource, ErasureRequest, ListedFiles
from memory.model.scopes import user_scope
from memory.model.sources import Segment, Source
from memory.model.voices import BankChange, VoiceBank
from memory.rules import voice_bank as vb
from memory.rules.voice_splits import brought_by, labels_split, prints_split
from memory.services.voices import LatestBanks, VoiceStore, day_called, listen, undo
from tests.unit.rules.test_voices import NOW, axis, beside, voice

pytestmark = pytest.mark.postgres


@pytest.fixture(params=["memory", "postgres"])
async def store(request: pytest.FixtureRequest, pool: Pool) -> VoiceStore:
    return InMemoryVoices() if request.param == "memory" else PostgresVoices(pool)


@pytest.fixture
def scope(user: str) -> str:
    return user_scope(user)


def place(scope: str, source: str = "lunch", at: float = NOW) -> vb.HeardPlace:
    return vb.HeardPlace(scope, source, "3 May", at)


async def enrol(store: VoiceStore, scope: str, name: str, number: int) -> BankChange:
    change = vb.enrolled(
        await store.bank(scope), f"enrol-{name}", NOW, scope, vb.VoiceSample(name, "default", voice(axis(number)))
    )
    assert await store.commit(scope, change)
    return change


async def one(store: VoiceStore, scope: str, name: str) -> str:
    found = (await store.bank(scope)).called(name)
    assert found is not None
    return found.voice_id


class Counted:
    """A store that counts how often a bank is read whole."""

    def __init__(self, store: Any) -> None:
        self._store, self.reads = store, 0
        self.version = store.version

    async def bank(self, scope: str) -> VoiceBank:
        self.reads += 1
        found: VoiceBank = await self._store.bank(scope)
        return found


async def test_a_bank_is_read_again_only_when_it_has_changed(store: VoiceStore, scope: str) -> None:
    counted = Counted(store)
    latest = LatestBanks(counted)
    for reads, change in enumerate(
        (
            lambda: enrol(store, scope, "Maya", 0),
            lambda: enrol(store, scope, "Tom", 1),
            lambda: rename(store, scope, "Tom", "Ravi"),
            lambda: erase(store, scope, "Maya"),
        ),
        start=1,
    ):
        await change()
        for _ in range(3):
            assert await latest.bank(scope) == await store.bank(scope)
        assert counted.reads == reads


async def rename(store: VoiceStore, scope: str, old: str, new: str) -> None:
    bank = await store.bank(scope)
    assert await store.commit(scope, vb.named(bank, f"name-{new}", NOW, await one(store, scope, old), new))


async def erase(store: VoiceStore, scope: str, name: str) -> None:
    assert await store.erase(scope, [await one(store, scope, name)])


async def test_what_is_kept_comes_back_as_it_was(store: VoiceStore, scope: str) -> None:
    assert await store.bank(scope) == VoiceBank()
    assert await store.changes(scope) == []
    change = await enrol(store, scope, "Maya", 0)
    assert await store.bank(scope) == vb.applied(VoiceBank(), change)
    [known] = await store.changes(scope)
    assert known.change == change
    assert not known.undone
    assert await store.bank(f"{scope}-other") == VoiceBank()


async def test_a_change_is_carried_out_once(store: VoiceStore, scope: str) -> None:
    change = await enrol(store, scope, "Maya", 0)
    before = await store.bank(scope)
    assert not await store.commit(scope, change)
    assert await store.bank(scope) == before


async def test_a_change_on_what_is_no_more_is_refused_as_a_whole(store: VoiceStore, scope: str) -> None:
    await enrol(store, scope, "Maya", 0)
    await enrol(store, scope, "Tom", 1)
    maya = await one(store, scope, "Maya")
    stale = vb.named(await store.bank(scope), "late", NOW, maya, "Mia")
    assert await store.commit(scope, vb.named(await store.bank(scope), "first", NOW, maya, "May"))
    before = await store.bank(scope)
    with pytest.raises(Conflict):
        await store.commit(scope, stale)
    assert await store.bank(scope) == before
    assert [each.change.change_id for each in await store.changes(scope, limit=1)] == ["first"]


async def test_undoing_is_exact_and_takes_a_persons_last_change(store: VoiceStore, scope: str) -> None:
    await enrol(store, scope, "Maya", 0)
    before = await store.bank(scope)
    maya = await one(store, scope, "Maya")
    await store.commit(scope, replace(vb.named(before, "n", NOW, maya, "Mia"), commands=("c-1", "c-2")))
    await listen(store, [voice(axis(7))], place(scope), "keep")
    undone = await undo(store, scope, "u", NOW, None)
    assert (undone.change_id, undone.commands) == ("n", ("c-1", "c-2"))
    bank = await store.bank(scope)
    assert bank.voices[maya] == before.voices[maya]
    assert (await store.changes(scope, "n"))[0].undone
    with pytest.raises(Conflict):
        await undo(store, scope, "u2", NOW, "n")
    with pytest.raises(Conflict):
        await undo(store, scope, "u3", NOW, "u")
    with pytest.raises(Conflict):
        await undo(store, scope, "u4", NOW, "no-such")


async def test_a_split_is_kept_with_the_two_it_parts(store: VoiceStore, scope: str) -> None:
    await listen(store, [voice(axis(5)), voice(axis(6), number=2)], place(scope), "keep")
    one_, other = await one(store, scope, "Speaker 1 of 3 May"), await one(store, scope, "Speaker 2 of 3 May")
    await store.commit(scope, vb.merged(await store.bank(scope), "m", NOW, one_, other))
    both = await store.bank(scope)
    merges = [each.change for each in await store.changes(scope)]
    brought, _ = brought_by(both, merges, ["Speaker 2 of 3 May"])
    change = labels_split(both, "s", NOW, one_, ["Speaker 2 of 3 May"], brought)
    assert await store.commit(scope, change)
    [known] = await store.changes(scope, "s")
    assert (known.change.voices, known.change.apart) == (change.voices, change.apart)
    assert await store.told_apart(scope) == {(one_, other)}  # type: ignore[attr-defined]
    assert len((await store.bank(scope)).prints_of(other)) == 1
    await undo(store, scope, "u", NOW, "s")
    assert await store.bank(scope) == both
    assert await store.told_apart(scope) == set()  # type: ignore[attr-defined]


async def test_an_enrolment_that_is_undone_leaves_nothing(store: VoiceStore, scope: str) -> None:
    await enrol(store, scope, "Maya", 0)
    await undo(store, scope, "u", NOW, None)
    assert await store.bank(scope) == VoiceBank()
    with pytest.raises(Conflict):
        await undo(store, scope, "u2", NOW, None)


async def test_a_recording_heard_again_gives_the_same_labels(store: VoiceStore, scope: str) -> None:
    await enrol(store, scope, "Maya", 0)
    heard = [voice(axis(0), number=0), voice(axis(5), number=1), voice(axis(6), number=2)]
    first = await listen(store, heard, place(scope), "keep")
    assert first == {0: "Maya", 1: "Speaker 1 of 3 May", 2: "Speaker 2 of 3 May"}
    bank = await store.bank(scope)
    assert await listen(store, heard, place(scope), "keep") == first
    assert await listen(store, heard, place(scope, at=NOW + 60), "keep") == first
    assert await store.bank(scope) == bank


async def test_two_recordings_at_once_give_their_strangers_two_labels(store: VoiceStore, scope: str) -> None:
    said = await asyncio.gather(
        *(listen(store, [voice(axis(10 + number))], place(scope, f"s-{number}"), "keep") for number in range(4))
    )
    assert {each[1] for each in said} == {f"Speaker {number} of 3 May" for number in range(1, 5)}


async def test_what_is_erased_is_gone_and_cannot_be_undone(store: VoiceStore, scope: str) -> None:
    await enrol(store, scope, "Maya", 0)
    await listen(store, [voice(axis(5)), voice(axis(6), number=2)], place(scope), "keep")
    stranger, maya = await one(store, scope, "Speaker 1 of 3 May"), await one(store, scope, "Maya")
    await store.commit(scope, vb.named(await store.bank(scope), "n", NOW, stranger, "Ravi"))
    assert await store.erase(scope, [stranger]) == 1
    bank = await store.bank(scope)
    assert bank.voices[stranger].forgotten
    assert bank.voices[stranger].name == ""
    assert bank.prints_of(stranger) == []
    assert await store.changes(scope, "n") == []
    assert stranger not in {each.voice_id for each in bank.standing()}
    labels = await listen(store, [voice(axis(5))], place(scope, "later"), "keep")
    assert labels == {1: "Speaker 3 of 3 May"}, "a number is given once"
    assert await store.erase(scope, [maya]) == 1
    assert maya not in (await store.bank(scope)).voices, "a name leaves nothing"
    assert await store.erase(scope, ["v-no-such"], ["w-no-such"]) == 0


async def test_a_print_that_is_erased_leaves_its_voice(store: VoiceStore, scope: str) -> None:
    change = await enrol(store, scope, "Maya", 0)
    assert await store.erase(scope, (), [change.prints[0].print.print_id]) == 1
    bank = await store.bank(scope)
    assert list(bank.voices) == [await one(store, scope, "Maya")]
    assert not bank.prints
    assert await store.changes(scope) == []


async def test_a_day_is_called_as_where_it_was() -> None:
    assert day_called(1_714_694_399.0, 0) == "2 May"
    assert day_called(1_714_694_399.0, 3_600) == "3 May"


class TestTables:
    """What only the tables know: sources and segments."""

    @pytest.fixture
    async def heard(self, pool: Pool, scope: str) -> PostgresVoices:
        """Two recordings: Maya in both, a stranger in the first alone."""
        store, capture = PostgresVoices(pool), PostgresCapture(pool, "hashing")
        await enrol(store, scope, "Maya", 0)
        for source, number in (("lunch", 5), ("walk", 0)):
            near = voice(beside(axis(0), 0.78, 20 + number), number=1)
            voices = [near, voice(axis(5), number=2)][: 2 if source == "lunch" else 1]
            said = await listen(store, voices, place(scope, source), "keep")
            segments = tuple(
                Segment(str(number), str(label), "I live in Lisbon.", float(number), number + 1.0)
                for number, label in said.items()
            )
            await capture.store(Source(source, scope, "conversation", NOW, segments=segments))
        return store

    async def test_a_name_shows_and_readers_see_the_segments_anew(
        self, heard: PostgresVoices, pool: Pool, scope: str
    ) -> None:
        async def shown() -> list[str]:
            rows = await pool.rows(
                "SELECT spoken_by(scope, speaker) AS shown FROM segments"
                " WHERE scope = %(scope)s AND source_id = 'lunch' ORDER BY segment_id",
                scope=scope,
            )
            return [row["shown"] for row in rows]

        async def moved(since: int) -> list[str]:
            rows = await pool.rows(
                "SELECT speaker FROM segments WHERE scope = %(scope)s AND position > %(since)s",
                scope=scope,
                since=since,
            )
            return [row["speaker"] for row in rows]

        [at] = await pool.rows("SELECT position FROM scopes WHERE scope = %(scope)s", scope=scope)
        assert await shown() == ["Maya", "Speaker 1 of 3 May"]
        stranger = await one(heard, scope, "Speaker 1 of 3 May")
        await heard.commit(scope, vb.named(await heard.bank(scope), "n", NOW, stranger, "Ravi"))
        assert await shown() == ["Maya", "Ravi"]
        assert await moved(at["position"]) == ["Speaker 1 of 3 May"]
        await heard.commit(
            scope, vb.merged(await heard.bank(scope), "m", NOW, await one(heard, scope, "Maya"), stranger)
        )
        assert await shown() == ["Maya", "Maya"]
        await undo(heard, scope, "u1", NOW, None)
        await undo(heard, scope, "u2", NOW, None)
        assert await shown() == ["Maya", "Speaker 1 of 3 May"]

    async def test_a_print_that_goes_out_takes_along_what_was_said_there(
        self, heard: PostgresVoices, pool: Pool, scope: str
    ) -> None:
        async def said() -> dict[str, str]:
            rows = await pool.rows(
                "SELECT source_id, speaker FROM segments WHERE scope = %(scope)s AND segment_id = '1'", scope=scope
            )
            return {row["source_id"]: row["speaker"] for row in rows}

        bank, maya = await heard.bank(scope), await one(heard, scope, "Maya")
        [walk] = [each.print_id for each in bank.prints_of(maya) if each.source_id == "walk"]
        day = day_called(min((await heard.days(scope, ["walk", "none"])).values()), 0)
        await pool.rows(
            "UPDATE segments SET pinned = true WHERE scope = %(scope)s AND source_id = 'lunch' RETURNING 1", scope=scope
        )
        keys = await heard.keys_said(scope, ["Maya"], ["walk", "lunch"])
        assert (len(keys), await heard.keys_said(scope, ["Maya"], ["walk"])) == (1, keys)
        assert len(await heard.keys_said(scope, ["Maya"], None)) == 2
        await heard.commit(scope, prints_split(bank, "s", NOW, scope, maya, [walk], day))
        [fresh] = [each for key, each in (await heard.bank(scope)).voices.items() if key not in bank.voices]
        assert await said() == {"lunch": "Maya", "walk": fresh.label}
        await undo(heard, scope, "u", NOW, "s")
        assert await said() == {"lunch": "Maya", "walk": "Maya"}
        assert await heard.bank(scope) == bank

    async def test_a_source_takes_along_what_was_learnt_from_it(
        self, heard: PostgresVoices, pool: Pool, scope: str, user: str
    ) -> None:
        bank = await heard.bank(scope)
        stranger = bank.called("Speaker 1 of 3 May")
        assert sorted(each.source_id or "" for each in bank.prints.values()) == ["", "lunch", "lunch", "walk"]
        await PostgresErasing(pool).source(
            ErasureRequest(f"r-1-{user}", user), CapturedSource(scope, "lunch", "lunch", ())
        )
        bank = await heard.bank(scope)
        assert {each.source_id for each in bank.prints.values()} == {None, "walk"}
        assert [each.label for each in bank.standing()] == ["Maya"]
        assert stranger is not None
        assert bank.voices[stranger.voice_id].forgotten

    async def test_a_voice_that_other_segments_carry_stays_without_its_print(
        self, heard: PostgresVoices, pool: Pool, scope: str, user: str
    ) -> None:
        said = (Segment("1", "Speaker 1 of 3 May", "I live in Porto.", 0.0, 1.0),)
        await PostgresCapture(pool, "hashing").store(Source("evening", scope, "conversation", NOW, segments=said))
        stranger = await one(heard, scope, "Speaker 1 of 3 May")
        await heard.commit(scope, vb.named(await heard.bank(scope), "n", NOW, stranger, "Ravi"))
        await PostgresErasing(pool).source(
            ErasureRequest(f"r-1-{user}", user), CapturedSource(scope, "lunch", "lunch", ())
        )
        bank = await heard.bank(scope)
        assert bank.shown(stranger) == "Ravi"
        assert bank.prints_of(stranger) == []
        await undo(heard, scope, "u", NOW, None)
        assert (await heard.bank(scope)).shown(stranger) == "Speaker 1 of 3 May"

    async def test_a_memory_takes_along_all(self, heard: PostgresVoices, pool: Pool, scope: str, user: str) -> None:
        await PostgresErasing(pool).memory(ErasureRequest(f"r-2-{user}", user), [user], ListedFiles({}))
        assert await heard.bank(scope) == VoiceBank()
        assert await heard.changes(scope) == []


async def test_who_was_told_apart_is_known_until_that_is_undone(store: VoiceStore, scope: str) -> None:
    await listen(store, [voice(axis(5)), voice(axis(6), number=2)], place(scope), "keep")
    one, other = sorted((await store.bank(scope)).voices)
    reads: Any = store
    assert await reads.told_apart(scope) == set()
    change = vb.differing(await store.bank(scope), "apart", NOW, other, one)
    assert await store.commit(scope, change)
    assert not await store.commit(scope, change), "once"
    assert await reads.told_apart(scope) == {(one, other)}
    [known] = await store.changes(scope, "apart")
    assert (known.change.apart, known.undone) == ((one, other), False)
    assert (await undo(store, scope, "back", NOW + 1, None)).change_id == "apart"
    assert await reads.told_apart(scope) == set()
    assert await store.commit(scope, vb.differing(await store.bank(scope), "again", NOW, one, other))
    await store.erase(scope, [one])
    assert await reads.told_apart(scope) == set(), "a forgotten voice leaves nothing of it"
