"""OpenAI's transcriptions: a recording comes in, its words go out, and nothing of it is remembered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import numpy as np
import pytest

from deployments.gateway import create_app
from memory.services.ears import MISSING
from tests.api.conftest import Door
from tests.fakes.ear import FakeEar
from tests.fakes.hearing import silence, tone, wav

pytestmark = pytest.mark.postgres
PATH = "/v1/audio/transcriptions"
SPOKEN = wav(np.concatenate((silence(0.5), tone(0.3), silence(3.0), tone(0.2), silence(0.5))))
"""Two sentences: three words from 0.5 s on, and two from 3.8 s on."""


@pytest.fixture
def ear(door: Door) -> FakeEar:
    door.app.ear = FakeEar()
    return door.app.ear


async def send(door: Door, content: bytes = SPOKEN, **fields: Any) -> httpx.Response:
    files = {"file": ("memo.wav", content, "audio/wav")}
    return await door.client.post(PATH, files=files, data={"model": "whisper-1", **fields})


async def test_every_form_tells_the_same_words(door: Door, ear: FakeEar) -> None:
    answer = await send(door)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"text": "hm hm hm hm hm", "usage": {"type": "duration", "seconds": 4}}
    told = {form: (await send(door, response_format=form)).text for form in ("text", "srt", "vtt")}
    assert told["text"] == "hm hm hm hm hm\n"
    assert told["srt"] == ("1\n00:00:00,500 --> 00:00:00,800\nhm hm hm\n\n2\n00:00:03,800 --> 00:00:04,000\nhm hm\n\n")
    assert told["vtt"] == (
        "WEBVTT\n\n00:00:00.500 --> 00:00:00.800\nhm hm hm\n\n00:00:03.800 --> 00:00:04.000\nhm hm\n\n"
    )
    assert (await door.get("/v1/sources"))["sources"] == []


async def test_a_verbose_answer_tells_when(door: Door, ear: FakeEar) -> None:
    told = (await send(door, response_format="verbose_json", language="de")).json()
    assert (told["task"], told["language"], told["duration"]) == ("transcribe", "german", 4.5)
    assert [(each["id"], each["start"], each["end"], each["text"]) for each in told["segments"]] == [
        (0, 0.5, 0.8, "hm hm hm"),
        (1, 3.8, 4.0, "hm hm"),
    ]
    assert "words" not in told
    assert ear.languages == ["de"]
    both = {"response_format": "verbose_json", "timestamp_granularities[]": ["word", "segment"]}
    told = (await send(door, **both)).json()
    assert [each["word"] for each in told["words"]] == ["hm"] * 5
    assert len(told["segments"]) == 2


async def test_silence_has_no_words(door: Door, ear: FakeEar) -> None:
    answer = await send(door, wav(silence(2.0)), response_format="verbose_json")
    assert (answer.json()["text"], answer.json()["segments"], answer.json()["language"]) == ("", [], "english")


@pytest.mark.parametrize(
    ("fields", "param", "code"),
    [
        ({"model": "gpt-9"}, "model", "model_not_found"),
        ({"stream": "true"}, "stream", "unsupported_parameter"),
        ({"include[]": "logprobs"}, "include", "unsupported_parameter"),
        ({"response_format": "diarized_json"}, "response_format", "invalid"),
        ({"timestamp_granularities[]": "word"}, "timestamp_granularities", "unsupported_parameter"),
        ({"language": "Klingon"}, "language", "invalid"),
        ({"model": []}, "model", "invalid"),
    ],
)
async def test_what_cannot_be_is_refused(
    door: Door, ear: FakeEar, fields: dict[str, Any], param: str, code: str
) -> None:
    answer = await send(door, **fields)
    assert answer.status_code == (404 if code == "model_not_found" else 400), answer.text
    error = answer.json()["error"]
    assert (error["param"], error["code"], error["type"]) == (param, code, "invalid_request_error")
    assert ear.heard == []


@pytest.mark.parametrize(
    "content", [b"", b"RIFF", SPOKEN[:30], b"PK\x03\x04" + bytes(500), bytes(range(256)) * 20, b"\x00" * 4_000]
)
async def test_what_is_no_sound_is_refused(door: Door, ear: FakeEar, content: bytes) -> None:
    answer = await send(door, content)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["type"] == "invalid_request_error"


async def test_what_is_no_form_is_refused(door: Door, ear: FakeEar) -> None:
    for headers, content in (
        ({"content-type": "audio/wav"}, SPOKEN),
        ({"content-type": "application/x-www-form-urlencoded"}, b"model=whisper-1"),
        ({"content-type": "multipart/form-data"}, b"--x\r\n\r\n--x--"),
        ({"content-type": "multipart/form-data; boundary=x"}, b"nothing of the kind"),
        ({"content-type": "multipart/form-data; boundary=x"}, b"--x\r\ncontent-disposition: form-data\r\n\r\n\r\n--x"),
        ({"content-type": "multipart/form-data; boundary=x"}, b""),
    ):
        answer = await door.client.post(PATH, headers=headers, content=content)
        assert answer.status_code in (400, 415), answer.text
        assert answer.json()["error"]["type"] == "invalid_request_error"
    answer = await door.client.post(PATH, data={"model": "whisper-1"}, files={"sound": ("a.wav", SPOKEN)})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "file")
    answer = await door.client.post(PATH, data={f"f{n}": "x" for n in range(50)}, files={"file": ("a.wav", SPOKEN)})
    assert answer.status_code == 400
    answer = await send(door, prompt="x" * 200_000)
    assert answer.status_code == 400


async def test_a_body_beyond_the_limit_is_refused(door: Door, ear: FakeEar) -> None:
    transport = httpx.ASGITransport(create_app(door.app, sound_bytes=100_000), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=door.client.headers) as client:
        large = wav(silence(10.0))
        answer = await client.post(PATH, files={"file": ("a.wav", large)}, data={"model": "whisper-1"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "request_too_large")

        async def pieces() -> AsyncIterator[bytes]:
            yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
            for place in range(0, len(large), 10_000):
                yield large[place : place + 10_000]

        headers = {"content-type": "multipart/form-data; boundary=x"}
        answer = await client.post(PATH, content=pieces(), headers=headers)
        assert answer.status_code == 413


async def test_who_is_unknown_sends_no_sound_and_who_may_only_read_is_heard(door: Door, ear: FakeEar) -> None:
    answer = await door.client.post(PATH, files={"file": ("a.wav", SPOKEN)}, headers={"X-Internal-Token": "b" * 43})
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_api_key")
    async with await door.client_of(door.user, permission="read") as reader:
        answer = await reader.post(PATH, files={"file": ("a.wav", SPOKEN)}, data={"model": "whisper-1"})
        assert answer.status_code == 200, "it changes nothing"


async def test_without_the_extra_it_says_how_to_get_it(door: Door) -> None:
    door.app.ear = FakeEar(is_installed=False)
    answer = await send(door)
    assert answer.status_code == 503
    assert answer.json()["error"] == {
        "message": MISSING,
        "type": "server_error",
        "param": None,
        "code": "unavailable",
    }


async def test_only_some_come_in_at_once(door: Door, ear: FakeEar) -> None:
    door.app.uploads = asyncio.Semaphore(0)
    answer = await send(door)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")
    assert answer.json()["error"]["type"] == "server_error"
