"""The process that stays, without a process: what it tells of what is asked, message by message."""

from __future__ import annotations

import io
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO, cast

import numpy as np
import pytest

from adapters.hearing import resident_messages as say
from adapters.hearing.resident import ResidentProcess, _opening
from adapters.hearing.resident_child import ResidentEar, ResidentModels
from adapters.hearing.resident_stream import ResidentStream
from memory.model.sound import RATE, Waveform, pcm_of
from memory.services.diarising import VoiceModels
from tests.fakes.hearing import KnownLevels, LevelSegmenter, Loudness, Pcm, Teller, silence, voice

Told = list[tuple[Mapping[str, Any], bytes]]
LATE_S = 20.0


class Asked:
    """What is asked: the first message at once, all others when a piece was told, or after a while."""

    def __init__(self, messages: Sequence[bytes], late_s: float = LATE_S) -> None:
        self._messages, self._now, self._late_s = [*messages, b""], io.BytesIO(), late_s
        self._is_first, self.told = True, threading.Event()

    def read(self, count: int) -> bytes:
        if not (given := self._now.read(count)) and count and self._messages:
            if not self._is_first:
                self.told.wait(self._late_s)
            self._is_first = False
            self._now = io.BytesIO(self._messages.pop(0))
            given = self._now.read(count)
        return given


class Answers(io.BytesIO):
    """What is told; the first piece has the other messages come."""

    def __init__(self, asked: Asked) -> None:
        super().__init__()
        self._asked = asked

    def write(self, message: Any) -> int:
        if b'"piece"' in message:
            self._asked.told.set()
        return super().write(message)

    def messages(self) -> Told:
        self.seek(0)
        told: Told = []
        while (message := say.read_message(self)) is not None:
            told.append(message)
        return told


def heard(messages: bytes, models: ResidentModels | None = None, late_s: float = LATE_S) -> Told:
    """What is told of messages; all but the first wait so long for a piece to be told."""
    single, rest = list[bytes](), io.BytesIO(messages)
    while (message := say.read_message(rest)) is not None:
        single.append(say.packed(*message))
    asked = Asked(single, late_s)
    answers = Answers(asked)
    ear = ResidentEar(models or known_models(), cast(BinaryIO, asked), cast(BinaryIO, answers))
    with pytest.raises(SystemExit):
        ear.run()
    return answers.messages()


def known_models() -> ResidentModels:
    teller = Teller()
    voices = VoiceModels(LevelSegmenter(), KnownLevels())
    return ResidentModels(Loudness(), lambda language: teller, lambda codec, rate: Pcm(), voices)


def left_by_the_last(*parts: Waveform) -> ResidentStream:
    """A stream of which another process has decoded so much and told nothing."""
    stream = ResidentStream(ResidentProcess({}), 7, {"codec": "pcm16", "rate": RATE, "language": "en"})
    stream.held += pcm_of(np.concatenate(parts))
    return stream


def pieces(told: Told) -> list[Any]:
    return [each["piece"] for each, _ in told if each["told"] == say.PIECE]


def test_what_the_last_process_left_is_heard_with_the_voices_that_were_asked_for() -> None:
    stream = left_by_the_last(voice(2, 2.5), silence(1.0))
    stream.ask_voices(True)
    [piece] = pieces(heard(_opening(stream)))
    assert [each["model"] for each in piece["voices"]] == ["campp"]


class Lacking(Pcm):
    """Breaks like a table that lacks an entry."""

    def decode(self, message: bytes) -> Waveform:
        raise KeyError


def test_a_message_that_breaks_its_decoder_in_whatever_way_ends_that_stream_and_no_other() -> None:
    decoders = {8_000: Lacking(), RATE: Pcm()}
    models = replace(known_models(), decoder=lambda codec, rate: decoders[rate])
    bad, good = left_by_the_last(silence(1.0)), left_by_the_last(voice(2, 2.5), silence(1.0))
    bad.opened, good.number = {**bad.opened, "rate": 8_000}, 8
    sound = say.packed({"do": say.SOUND, "of": bad.number}, b"\0\0")
    told = heard(_opening(bad) + sound + sound + _opening(good), models, late_s=0.2)
    assert [each["of"] for each, _ in told if each["told"] == say.FAILED] == [bad.number]
    assert len(pieces(told)) == 1


def test_a_process_that_does_not_understand_what_is_asked_ends() -> None:
    asked = Asked([say.LENGTHS.pack(3, 0) + b"{{{"])
    ear = ResidentEar(known_models(), cast(BinaryIO, asked), cast(BinaryIO, Answers(asked)))

    def run() -> None:
        with suppress(SystemExit):
            ear.run()

    running = threading.Thread(target=run, daemon=True)
    running.start()
    running.join(LATE_S)
    assert not running.is_alive()
