"""Whose voices a recording holds: known people are told, strangers are numbered, and one alone is who brought it."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.inmemory.voices import InMemoryVoices
from memory.model.sound import HeardVoice
from memory.model.voices import SOMEBODY
from memory.rules.voice_bank import VoiceSample, enrolled, excluded, named
from memory.services.recognising import (
    NOBODY,
    Recording,
    SpokenSpan,
    are_asked_for,
    carried,
    known,
    left_out,
    recognised,
    shown_as,
)

SCOPE = "user:u"
WHERE = Recording(SCOPE, "lunch", 1_777_809_600.0, 7_200)  # 3 May 2026, 12:00 UTC
NOW = 1_777_900_000.0


def voice(number: int, axis: int, seconds: float = 10.0) -> HeardVoice:
    embedding = np.zeros(8)
    embedding[axis] = 1.0
    return HeardVoice(number, seconds, "campp", tuple(embedding.tolist()))


async def bank_with_maya() -> InMemoryVoices:
    store = InMemoryVoices()
    await store.commit(
        SCOPE, enrolled(await store.bank(SCOPE), "e", NOW, SCOPE, VoiceSample("Maya", "default", voice(1, 0)))
    )
    return store


async def test_one_voice_alone_says_nothing_where_nobody_is_known() -> None:
    store = InMemoryVoices()
    assert await recognised(store, [voice(1, 0)], WHERE, NOW, "keep") == NOBODY
    assert await recognised(store, [], WHERE, NOW, "keep") == NOBODY
    assert not (await store.bank(SCOPE)).voices


async def test_several_strangers_get_a_number_each_and_the_same_again() -> None:
    store = InMemoryVoices()
    first = await recognised(store, [voice(1, 0), voice(2, 1)], WHERE, NOW, "keep")
    assert first == {1: "Speaker 1 of 3 May", 2: "Speaker 2 of 3 May"}
    assert await recognised(store, [voice(1, 0), voice(2, 1)], WHERE, NOW + 9, "keep") == first


async def test_who_is_known_is_told_and_a_stranger_alone_is_none_of_them() -> None:
    store = await bank_with_maya()
    assert await recognised(store, [voice(1, 0)], WHERE, NOW, "keep") == {1: "Maya"}
    assert await recognised(store, [voice(1, 3)], WHERE, NOW, "keep") == {1: "Speaker 1 of 3 May"}


async def test_who_speaks_too_little_is_somebody_and_leaves_nothing() -> None:
    store = await bank_with_maya()
    found = await recognised(store, [voice(1, 0), voice(2, 4, seconds=1.0)], WHERE, NOW, "keep")
    assert found == {1: "Maya", 2: SOMEBODY}
    assert [each.label for each in (await store.bank(SCOPE)).standing()] == ["Maya"]


@pytest.mark.parametrize(("policy", "stranger"), [("keep", "absent"), ("keep_without_name", SOMEBODY), ("drop", None)])
async def test_a_piece_tells_who_is_known_and_learns_nothing(policy: str, stranger: str | None) -> None:
    store = await bank_with_maya()
    before = await store.bank(SCOPE)
    found = await known(store, [voice(1, 0), voice(2, 5)], WHERE, NOW, policy)
    assert (found[1], found.get(2, "absent")) == ("Maya", stranger)
    assert await store.bank(SCOPE) == before


async def test_who_is_excluded_is_not_told() -> None:
    store = await bank_with_maya()
    [maya] = (await store.bank(SCOPE)).standing()
    await store.commit(SCOPE, excluded(await store.bank(SCOPE), "x", NOW, maya.voice_id, "drop"))
    assert await recognised(store, [voice(1, 0)], WHERE, NOW, "keep") == {1: None}
    assert await known(store, [voice(1, 0)], WHERE, NOW, "keep") == {1: None}


@pytest.mark.parametrize(("exclusion", "told"), [("", {}), ("drop", {1: None}), ("without_name", {1: SOMEBODY})])
async def test_where_somebody_says_who_speaks_voices_tell_no_more_than_who_is_left_out(
    exclusion: str, told: dict[int, str | None]
) -> None:
    store = await bank_with_maya()
    [maya] = (await store.bank(SCOPE)).standing()
    await store.commit(SCOPE, excluded(await store.bank(SCOPE), "x", NOW, maya.voice_id, exclusion))
    assert await left_out(store, [voice(1, 0), voice(2, 5)], WHERE, NOW, "keep") == told
    assert await left_out(store, [voice(1, 0), voice(2, 5)], WHERE, NOW, "keep_without_name") == told
    assert await left_out(store, [voice(1, 0), voice(2, 5)], WHERE, NOW, "drop") == told | {2: None}
    assert await left_out(store, [], WHERE, NOW, "drop") == NOBODY
    assert await left_out(InMemoryVoices(), [voice(1, 0)], WHERE, NOW, "drop") == NOBODY


async def test_a_stranger_who_is_excluded_is_so_alone_too_and_nobody_else_is_a_stranger_by_it() -> None:
    store = InMemoryVoices()
    await recognised(store, [voice(1, 0), voice(2, 1)], WHERE, NOW, "keep")
    bank = await store.bank(SCOPE)
    assert not are_asked_for(bank, "keep")
    assert are_asked_for(bank, "drop")
    guest = next(each for each in bank.standing() if each.label == "Speaker 2 of 3 May")
    await store.commit(SCOPE, excluded(bank, "x", NOW, guest.voice_id, "drop"))
    assert are_asked_for(await store.bank(SCOPE), "keep")
    assert await known(store, [voice(1, 1)], WHERE, NOW, "keep") == {1: None}
    assert await recognised(store, [voice(1, 1)], WHERE, NOW, "keep") == {1: None}
    assert await known(store, [voice(1, 0)], WHERE, NOW, "keep") == NOBODY


async def test_a_voice_is_shown_by_the_name_that_it_has_now() -> None:
    store = InMemoryVoices()
    await recognised(store, [voice(1, 0), voice(2, 1)], WHERE, NOW, "keep")
    bank = await store.bank(SCOPE)
    first = next(each for each in bank.standing() if each.label == "Speaker 1 of 3 May")
    await store.commit(SCOPE, named(bank, "n", NOW, first.voice_id, "Ravi"))
    assert await shown_as(store, SCOPE, ["Speaker 1 of 3 May", "Ola"]) == {"Speaker 1 of 3 May": "Ravi"}
    assert are_asked_for(await store.bank(SCOPE), "keep")


def test_a_voice_is_carried_over_to_whom_it_shares_most_seconds_with() -> None:
    told = [SpokenSpan(0.0, 4.0, "Ravi"), SpokenSpan(4.0, 9.0, "Ines"), SpokenSpan(20.0, 21.0, "Ravi")]
    heard = [SpokenSpan(0.5, 4.5, 1), SpokenSpan(4.6, 8.0, 2), SpokenSpan(20.0, 22.0, 1), SpokenSpan(30.0, 31.0, 3)]
    assert carried(heard, told) == {1: "Ravi", 2: "Ines", 3: SOMEBODY}
    assert carried(heard[::-1], told[::-1]) == carried(heard, told)
    assert carried([], told) == {}
