"""The process that hears live streams: `python -m` this and its wishes as JSON. It lives as long as somebody speaks.

Its models are loaded once, since a piece of two seconds has no time for it. It reads what comes in a thread, so that
whoever sends never waits for words.
"""

from __future__ import annotations

import logging
import queue
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from adapters.hearing.apart_child import bound
from adapters.hearing.live_messages import (
    DROP,
    END,
    ENDED,
    FAILED,
    GO,
    OPEN,
    PIECE,
    REST,
    SOUND,
    WANT,
    packed,
    read_message,
)
from adapters.hearing.silero import SileroActivity
from adapters.hearing.stream_sound import StreamSound
from adapters.hearing.whisper import WhisperTranscriber
from memory.errors import DomainError
from memory.model.sound import HeardPiece, StreamCodec, Waveform, pcm_of
from memory.ports_sound import Transcriber
from memory.services.live_hearing import LiveStreams, MessageDecoder

MOST_AHEAD = 1_000
"""Messages that are read ahead; then whoever sends waits (chosen: 20 s of the smallest packets)."""
log = logging.getLogger("memoray.hearing")
Asked = tuple[Mapping[str, Any], bytes]


def main() -> None:
    """Hear until nobody asks any more."""
    wishes = orjson.loads(sys.argv[1])
    bound(wishes["step_back"])
    own = Path(wishes["path"]) if wishes["path"] else None
    every = WhisperTranscriber(wishes["kind"], own, wishes["trusted"])
    english = every if own else WhisperTranscriber("tiny.en")
    asked: queue.Queue[Asked | None] = queue.Queue(MOST_AHEAD)
    threading.Thread(target=read_all, args=(sys.stdin.buffer, asked), daemon=True).start()
    LiveHearing(LiveStreams(SileroActivity()), every, english, sys.stdout.buffer, asks=wishes["asks"]).run(asked)


def read_all(file: BinaryIO, asked: queue.Queue[Asked | None]) -> None:
    """Put every message into the queue, and None when no more will come."""
    while (message := read_message(file)) is not None:
        asked.put(message)
    asked.put(None)


class LiveHearing:
    """Answers what is asked, and transcribes a piece whenever nothing is.

    A stream that is known to be English is heard by the model for English, at half the cost. Where others share what it
    is transcribed on it `asks` before each piece, and sound goes on coming meanwhile.
    """

    def __init__(
        self,
        streams: LiveStreams,
        every: Transcriber,
        english: Transcriber,
        told: BinaryIO,
        *,
        asks: bool = False,
        sound: Callable[[StreamCodec, int], MessageDecoder] = StreamSound,
    ) -> None:
        self._streams, self._every, self._english, self._told, self._sound = streams, every, english, told, sound
        self._asks, self._has_asked, self._may = asks, False, not asks

    def run(self, asked: queue.Queue[Asked | None]) -> None:
        """Hear until nobody asks any more."""
        while True:
            if self._asks and self._may and self._streams.is_idle:
                self._rest()  # what it was let transcribe is not wanted any more
            try:
                message = asked.get(block=self._streams.is_idle or not self._is_let())
            except queue.Empty:
                self._hear_one()
                self._rest()
                continue
            if message is None:
                return
            self._answer(*message)

    def _is_let(self) -> bool:
        """Whether it may transcribe now; asks for it once."""
        if not self._may and not self._has_asked:
            self._tell({"told": WANT, "stream": -1})
            self._has_asked = True
        return self._may

    def _rest(self) -> None:
        if self._asks:
            self._may = self._has_asked = False
            self._tell({"told": REST, "stream": -1})

    def _answer(self, asked: Mapping[str, Any], content: bytes) -> None:
        stream, do = asked["stream"], asked["do"]
        if do == GO:
            self._may = True
            return
        try:
            if do == OPEN:
                transcriber = self._english if asked["language"] == "en" else self._every
                sound = self._sound(asked["codec"], asked["rate"])
                self._streams.open(stream, sound, transcriber, asked["language"])
            elif do == SOUND:
                self._tell_sound(stream, self._streams.feed(stream, content))
            elif do == END:
                self._tell_sound(stream, self._streams.end(stream))
            elif do == DROP:
                self._streams.drop(stream)
        except KeyError:  # a stream that has failed
            return
        except Exception as error:
            self._fail(stream, error)

    def _hear_one(self) -> None:
        try:
            heard = self._streams.next()
        except DomainError as error:  # a model that is missing is missing for everybody
            log.error("live hearing: %s", error.detail)
            raise SystemExit(1) from error
        except Exception as error:  # the sweep hears this piece again
            log.error("live hearing broke: %s", type(error).__name__)
            return
        if isinstance(heard, HeardPiece):
            self._tell({"told": PIECE, **asdict(heard)})
        else:
            self._tell({"told": ENDED, "stream": heard})

    def _fail(self, stream: int, error: Exception) -> None:
        log.error("live hearing broke: %s", type(error).__name__)  # an error's own text may hold words
        self._streams.drop(stream)
        self._tell({"told": FAILED, "stream": stream})

    def _tell_sound(self, stream: int, sound: Waveform) -> None:
        if len(sound):
            self._tell({"told": SOUND, "stream": stream}, pcm_of(sound))

    def _tell(self, told: Mapping[str, Any], content: bytes = b"") -> None:
        self._told.write(packed(told, content))
        self._told.flush()


if __name__ == "__main__":
    main()
