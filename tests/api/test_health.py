"""Health says what hears, and nothing of anybody, without a token."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest

from memory.services.ears import ROLES
from tests.api.conftest import Door
from tests.fakes.ear import FakeEar, FakeLiveEar
from tests.fakes.voices import WrittenVoices

pytestmark = pytest.mark.postgres


async def health(door: Door) -> dict[str, object]:
    client = httpx.AsyncClient(transport=door.client._transport, base_url="http://test")
    return dict((await client.get("/health")).json())


async def test_where_nothing_hears_it_says_so(door: Door) -> None:
    door.app.ear, door.app.voices = FakeEar(is_installed=False), None
    told = await health(door)
    assert (told["status"], told["models"], told["warmup"]) == ("ok", [], "off")
    assert (told["enrollment"], told["ser"]) == ({"available": False}, {"method": None})


async def test_models_are_loaded_with_the_first_sound(door: Door) -> None:
    door.app.ear, door.app.live_ear, door.app.voices = FakeEar(), (live := FakeLiveEar()), WrittenVoices()
    told = await health(door)
    assert told["models"] == [
        {"role": "words", "name": "whisper-base", "loaded": False},
        {"role": "voices", "name": "campp", "loaded": False},
        {"role": "emotion", "name": "text+prosody-standin", "loaded": False},
    ]
    assert (told["warmup"], told["enrollment"]) == ("cold", {"available": True})
    live.loaded = {"words"}
    told = await health(door)
    assert told["warmup"] == "warm"
    assert [each["loaded"] for each in told["models"]] == [True, False, False]  # type: ignore[attr-defined]
    live.loaded = {*ROLES}
    told = await health(door)
    assert all(each["loaded"] for each in told["models"])  # type: ignore[attr-defined]
    assert told["ser"] == {"method": "text+prosody-standin"}


async def test_where_no_model_of_voices_is_there_none_is_told(door: Door) -> None:
    door.app.ear, door.app.live_ear, door.app.voices = FakeEar(), (live := FakeLiveEar()), WrittenVoices()
    live.tells_voices = False
    told = await health(door)
    assert [each["role"] for each in told["models"]] == ["words", "emotion"]  # type: ignore[attr-defined]
    assert told["enrollment"] == {"available": False}


async def test_what_the_settings_turn_off_is_not_told(door: Door) -> None:
    door.app.ear, door.app.live_ear = FakeEar(), FakeLiveEar()
    models = door.app.settings.models
    speech = replace(models.speech, kind="tiny.en", tell_apart=False, emotion=False)
    door.app.settings = replace(door.app.settings, models=replace(models, speech=speech))
    told = await health(door)
    assert [(each["role"], each["name"]) for each in told["models"]] == [("words", "whisper-tiny.en")]  # type: ignore[attr-defined]
    assert told["ser"] == {"method": None}


async def test_what_a_gpu_hears_is_named_by_it(door: Door) -> None:
    door.app.ear, door.app.speech = FakeEar(), object()
    told = await health(door)
    assert told["warmup"] == "gpu"
    assert {(each["name"], each["loaded"]) for each in told["models"]} == {("gpu", None)}  # type: ignore[attr-defined]
