"""An ear on a GPU: what is sent and what comes back, and who hears when it is away. No cluster is started here."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable
from typing import Any, BinaryIO

import pytest

from actors import remote_ear
from actors.remote_ear import RemoteEar
from adapters.hearing.plain_wave import PlainSamples
from deployments import speech
from deployments.speech import GpuHearing, Silence
from memory.errors import ConfigError, Invalid, ModelFailed, NotFound, TooLarge, Unavailable
from memory.model.sound import pcm_of
from memory.services.hearing import Ears
from tests.fakes.ear import FakeEar
from tests.fakes.hearing import Loudness, Teller, tone, wav


class GpuTeller(Teller):
    name = "whisperx-large"


class Handle:
    """A handle of Serve over an object in this process: `handle.verb.remote(...)` is awaited, or not."""

    def __init__(self, replica: Any) -> None:
        self.replica = replica
        self.asked: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, verb: str) -> Any:
        handle = self

        class Method:
            def remote(self, *given: Any) -> Awaitable[Any]:
                handle.asked.append((verb, given))
                return asyncio.ensure_future(getattr(handle.replica, verb)(*given))

        return Method()


def gpu(teller: Any = None) -> Handle:
    return Handle(GpuHearing(lambda: Ears(PlainSamples(), Loudness(), teller or GpuTeller())))


def remote(handle: Any, *, cpu: bool = True) -> tuple[RemoteEar, FakeEar]:
    ear = FakeEar(is_installed=cpu)
    return RemoteEar(lambda: handle, ear, 14_400.0), ear


def on_disk(content: bytes) -> BinaryIO:
    file: Any = tempfile.TemporaryFile()  # noqa: SIM115  (a test's)
    file.write(content)
    file.seek(0)
    return file  # type: ignore[no-any-return]


async def test_the_gpu_hears_what_is_sent_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_ear, "PIECE_BYTES", 10_000)
    handle = gpu()
    ear, cpu = remote(handle)
    heard = await ear.hear(on_disk(wav(tone(1.0))))
    assert (heard.engine, heard.seconds, len(heard.sentences)) == ("whisperx-large", 1.0, 1)
    assert [len(given[1]) for verb, given in handle.asked if verb == "add"] == [10_000, 10_000, 10_000, 2_000]
    assert cpu.heard == []
    assert handle.replica._sounds == {}, "nothing is left there"
    samples = await ear.hear_samples(pcm_of(tone(0.5)), "de")
    assert (samples.engine, samples.sentences[0].language) == ("whisperx-large", "de")


async def test_it_hears_without_the_extra_what_needs_no_decoding() -> None:
    ear, _ = remote(gpu(), cpu=False)
    assert ear.is_installed
    assert (await ear.hear(on_disk(wav(tone(1.0))))).engine == "whisperx-large"


class Broken(GpuTeller):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def transcribe(self, *_: Any) -> Any:
        raise self.error


@pytest.mark.parametrize("error", [ConfigError("no model"), RuntimeError("CUDA out of memory"), ModelFailed("x")])
async def test_where_it_fails_the_cpu_hears_and_it_is_left_alone_for_a_while(error: Exception) -> None:
    handle = gpu(Broken(error))
    ear, cpu = remote(handle)
    assert (await ear.hear(on_disk(wav(tone(1.0))))).engine == "teller"
    asked = len(handle.asked)
    assert (await ear.hear_samples(pcm_of(tone(1.0)))).engine == "teller"
    assert len(handle.asked) == asked
    assert len(cpu.heard) == 2
    assert handle.replica._sounds == {}
    alone, _ = remote(gpu(Broken(error)), cpu=False)
    with pytest.raises(Unavailable, match="GPU"):
        await alone.hear(on_disk(wav(tone(1.0))))


async def test_what_is_wrong_with_a_sound_is_said_and_not_heard_again() -> None:
    ear, cpu = remote(gpu(Broken(Invalid("language: unknown"))))
    with pytest.raises(Invalid, match="language"):
        await ear.hear(on_disk(wav(tone(1.0))))
    assert cpu.heard == []


async def test_whoever_waits_is_heard_by_the_cpu_while_the_gpu_is_busy() -> None:
    handle = gpu()
    ear, _ = remote(handle)
    async with handle.replica._turn:
        assert await handle.replica.state() == "busy"
        assert (await ear.hear_samples(pcm_of(tone(1.0)))).engine == "teller"
        waiting = asyncio.ensure_future(ear.hear(on_disk(wav(tone(1.0)))))
        await asyncio.sleep(0.05)
        assert not waiting.done()
    assert (await waiting).engine == "whisperx-large"
    alone, _ = remote(handle, cpu=False)
    async with handle.replica._turn:
        with pytest.raises(Unavailable):
            await alone.hear_samples(pcm_of(tone(1.0)))


async def test_a_deployment_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    class Starting(Silence):
        async def state(self) -> Any:
            await asyncio.Event().wait()

    monkeypatch.setattr(remote_ear, "ASKED_S", 0.01)
    ear, _ = remote(Handle(Starting()))
    assert (await ear.hear(on_disk(wav(tone(1.0))))).engine == "teller"


async def test_a_deployment_that_hears_nothing_is_none() -> None:
    ear, cpu = remote(Handle(Silence()))
    assert (await ear.hear(on_disk(wav(tone(1.0))))).engine == "teller"
    cpu.is_installed = False
    assert not ear.is_installed
    nothing, _ = remote(None, cpu=False)
    assert not nothing.is_installed


async def test_a_model_that_is_asked_for_is_the_one_that_hears() -> None:
    ear, cpu = remote(gpu())
    assert (await ear.hear(on_disk(wav(tone(1.0))), model="base")).engine == "whisper-base"
    assert (await ear.hear(on_disk(wav(tone(1.0))), model="gpu")).engine == "whisperx-large"
    assert cpu.models == ["base"]
    away, _ = remote(None)
    with pytest.raises(Unavailable, match="tried again"):
        await away.hear(on_disk(wav(tone(1.0))), model="gpu")


async def test_whoever_leaves_takes_their_sound_along() -> None:
    handle = gpu()
    ear, _ = remote(handle)
    async with handle.replica._turn:
        leaving = asyncio.ensure_future(ear.hear(on_disk(wav(tone(1.0)))))
        while not any(verb == "hear" for verb, _ in handle.asked):
            await asyncio.sleep(0.01)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
    assert [verb for verb, _ in handle.asked][-1] == "drop"
    while handle.replica._sounds:
        await asyncio.sleep(0.01)


async def test_tickets_are_few_and_pieces_small_and_what_nobody_asks_for_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    replica = GpuHearing(lambda: Ears(PlainSamples(), Loudness(), Teller()), "de")
    tickets = [await replica.begin() for _ in range(speech.MOST_SOUNDS)]
    with pytest.raises(Unavailable):
        await replica.begin()
    with pytest.raises(TooLarge):
        await replica.add(tickets[0], bytes(speech.MOST_PIECE_BYTES + 1))
    with pytest.raises(NotFound):
        await replica.add("nothing", b"")
    await replica.add(tickets[0], pcm_of(tone(1.0)))
    heard = await replica.hear(tickets[0], 60.0)
    assert (heard.seconds, heard.sentences[0].language) == (1.0, "de")
    with pytest.raises(NotFound):
        await replica.hear(tickets[0], 60.0)
    await replica.add(tickets[1], pcm_of(tone(2.0)))
    with pytest.raises(TooLarge):
        await replica.hear(tickets[1], 1.0)
    monkeypatch.setattr(speech, "LEFT_S", -1.0)
    await replica.begin()
    assert len(replica._sounds) == 1
