"""OpenAI's own client, unmodified: what it sends is understood, and it understands what it is sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.api.conftest import Door
from tests.api.foreign import run_client, served, token_of
from tests.api.test_openai import ASKED, TOLD, behind, talks
from tests.api.test_transcriptions import SPOKEN
from tests.fakes.ear import FakeEar
from tests.fakes.model_server import ModelServer, Reply

pytestmark = pytest.mark.postgres

TALK = """
import json, os
import openai
client = openai.OpenAI(base_url=os.environ["URL"] + "/v1", api_key=os.environ["TOKEN"])
asked = [{"role": "user", "content": os.environ["ASKED"]}]
told = {"models": [each.id for each in client.models.list()], "model": client.models.retrieve("memoray").owned_by}

whole = client.chat.completions.create(model="memoray", messages=asked, user="laptop", temperature=0.2)
told["words"], told["ending"] = whole.choices[0].message.content, whole.choices[0].finish_reason
told["total"] = whole.usage.total_tokens
told["citations"] = whole.memoray["citations"][0]["segment_id"]

parts = [{"role": "user", "content": [{"type": "text", "text": os.environ["ASKED"]}]}]
stream = client.chat.completions.create(
    model="memoray", messages=parts, stream=True, stream_options={"include_usage": True}
)
chunks = list(stream)
told["streamed"] = "".join(each.choices[0].delta.content or "" for each in chunks if each.choices)
told["usage"], told["last"] = chunks[-1].usage.total_tokens, chunks[-1].memoray["generated"]
told["chunks"] = len(chunks)

floats = client.embeddings.create(model="memoray", input="tea", encoding_format="float").data[0].embedding
coded = client.embeddings.create(model="memoray", input=["tea", "coffee"]).data
told["same"] = max(abs(one - other) for one, other in zip(floats, coded[0].embedding))
told["vectors"], told["size"] = len(coded), len(floats)
client.chat.completions.create(model="memoray", messages=[{"role": "user", "content": "A secret."}], store=False)
print(json.dumps(told))
"""
ERRORS = """
import json, os
import openai
url, token = os.environ["URL"] + "/v1", os.environ["TOKEN"]
client, hello = openai.OpenAI(base_url=url, api_key=token), [{"role": "user", "content": "Hello"}]
asking = client.chat.completions.create
tries = {
    "key": lambda: openai.OpenAI(base_url=url, api_key="b" * 43).models.list(),
    "model": lambda: asking(model="gpt-9", messages=hello),
    "retrieved": lambda: client.models.retrieve("some/model"),
    "n": lambda: asking(model="memoray", messages=hello, n=2),
    "tools": lambda: asking(model="memoray", messages=hello, tools=[{"type": "function", "function": {"name": "f"}}]),
    "empty": lambda: asking(model="memoray", messages=[]),
    "tokens": lambda: client.embeddings.create(model="memoray", input=[1, 2]),
    "other": lambda: asking(model="memoray", messages=hello, extra_headers={"X-User-Id": "somebody"}),
    "responses": lambda: client.responses.create(model="memoray", input="Hello"),
    "stream": lambda: asking(model="memoray", messages=hello, stream=True, response_format={"type": "json_object"}),
}
told = {}
for name, one in tries.items():
    try:
        one()
    except openai.APIStatusError as error:
        told[name] = [type(error).__name__, error.code, error.param, error.type]
print(json.dumps(told))
"""
MODEL = """
import asyncio, json, os
import openai

async def main():
    client = openai.AsyncOpenAI(base_url=os.environ["URL"] + "/v1", api_key=os.environ["TOKEN"])
    talk = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "I like tea."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": os.environ["ASKED"]},
    ]
    stream = await client.chat.completions.create(model="small", messages=talk, stream=True, max_completion_tokens=50)
    chunks = [chunk async for chunk in stream]
    words = "".join(each.choices[0].delta.content or "" for each in chunks if each.choices)
    print(json.dumps({"words": words, "own": chunks[-1].memoray, "ending": chunks[-1].choices[0].finish_reason}))

asyncio.run(main())
"""
HEARING = """
import json, os
import openai
client = openai.OpenAI(base_url=os.environ["URL"] + "/v1", api_key=os.environ["TOKEN"], max_retries=0)
create = client.audio.transcriptions.create

def heard(**more):
    with open(os.environ["SOUND"], "rb") as file:
        return create(model="whisper-1", file=file, **more)

told = {"json": heard(language="en", prompt="Names: Ines.", temperature=0.2).text}
told |= {form: heard(response_format=form) for form in ("text", "srt", "vtt")}
verbose = heard(response_format="verbose_json", timestamp_granularities=["word", "segment"])
told["verbose"] = [verbose.text, verbose.language, verbose.duration, len(verbose.words), verbose.segments[0].start]
tries = {
    "model": lambda: create(model="gpt-9", file=("a.wav", open(os.environ["SOUND"], "rb"))),
    "stream": lambda: heard(stream=True),
    "damaged": lambda: create(model="whisper-1", file=("a.wav", b"RIFF")),
    "translated": lambda: client.audio.translations.create(model="whisper-1", file=("a.wav", b"RIFF")),
}
for name, one in tries.items():
    try:
        one()
    except openai.APIStatusError as error:
        told[name] = [type(error).__name__, error.code]
print(json.dumps(told))
"""


async def test_the_client_has_recordings_transcribed(door: Door, tmp_path: Path) -> None:
    door.app.ear = FakeEar()
    sound = tmp_path / "memo.wav"
    sound.write_bytes(SPOKEN)
    async with served(door) as url:
        told = await run_client(HEARING, tmp_path, URL=url, TOKEN=await token_of(door, door.user), SOUND=str(sound))
    words = "hm hm hm hm hm"
    assert told["json"] == words
    assert told["text"].strip() == words
    assert told["srt"].startswith("1\n00:00:00,500 --> 00:00:00,800\nhm hm hm\n")
    assert told["vtt"].startswith("WEBVTT\n")
    assert told["verbose"] == [words, "english", 4.5, 5, 0.5]
    assert told["model"] == ["NotFoundError", "model_not_found"]
    assert told["stream"] == ["BadRequestError", "unsupported_parameter"]
    assert told["damaged"] == ["BadRequestError", "invalid"]
    assert told["translated"] == ["NotFoundError", "unknown_url"]


async def test_the_client_talks_streams_and_embeds(door: Door, tmp_path: Path) -> None:
    await door.post("/v1/sources", TOLD, 202)
    async with served(door) as url:
        token = await token_of(door, door.user)
        told = await run_client(TALK, tmp_path, URL=url, TOKEN=token, ASKED=ASKED)
    assert (told["models"], told["model"]) == (["memoray"], "memoray")
    assert "Coimbra" in told["words"]
    assert (told["ending"], told["citations"]) == ("stop", "1")
    assert told["streamed"] == told["words"]
    assert (told["usage"], told["last"]) == (told["total"], False)
    assert told["chunks"] > 4
    assert (told["vectors"], told["size"]) == (2, door.app.stores.encoder.dimensions)
    assert told["same"] < 1e-6
    assert [(role, words) for _, role, words in await talks(door)][:1] == [("user", ASKED)]
    assert len(await talks(door)) == 2, "asked again as parts it is the same talk"


async def test_the_client_raises_what_went_wrong(door: Door, tmp_path: Path) -> None:
    async with served(door) as url:
        told = await run_client(ERRORS, tmp_path, URL=url, TOKEN=await token_of(door, door.user))
    invalid = "invalid_request_error"
    assert told == {
        "key": ["AuthenticationError", "invalid_api_key", None, invalid],
        "model": ["NotFoundError", "model_not_found", "model", invalid],
        "retrieved": ["NotFoundError", "model_not_found", "model", invalid],
        "n": ["BadRequestError", "unsupported_parameter", "n", invalid],
        "tools": ["BadRequestError", "unsupported_parameter", "tools", invalid],
        "empty": ["BadRequestError", "invalid", "messages", invalid],
        "tokens": ["BadRequestError", "invalid", "input", invalid],
        "other": ["PermissionDeniedError", "insufficient_permissions", None, invalid],
        "responses": ["NotFoundError", "unknown_url", None, invalid],
        "stream": ["BadRequestError", "unsupported_parameter", "response_format", invalid],
    }
    assert await talks(door) == []


async def test_the_client_streams_what_a_model_says(door: Door, tmp_path: Path) -> None:
    await door.post("/v1/sources", TOLD, 202)
    with ModelServer(Reply("<think>hm</think>She lives in Coimbra [1], as Maya has said.")) as server:
        behind(door, server)
        async with served(door) as url:
            told = await run_client(MODEL, tmp_path, URL=url, TOKEN=await token_of(door, door.user), ASKED=ASKED)
    assert told["words"] == "She lives in Coimbra [1], as Maya has said."
    assert told["ending"] == "stop"
    assert told["own"]["generated"] is True
    assert [each["segment_id"] for each in told["own"]["citations"]] == ["1"]
    assert server.requests[0]["max_tokens"] == 50
    kept = [(role, words) for _, role, words in await talks(door)]
    assert kept == [("user", ASKED), ("assistant", "She lives in Coimbra [1], as Maya has said.")]
