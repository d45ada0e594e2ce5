"""The process that stays while sound comes: `python -m` this and its wishes as JSON. See resident.py.

One thread hears, so that models stand in memory once and a step is never beside another. A piece of a request is heard
in steps, and between two of them every stream has its turn. What comes in is read by a second thread, so that whoever
sends never waits for words.
"""

from __future__ import annotations

import io
import logging
import queue
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from adapters.hearing import resident_messages as say
from adapters.hearing.apart_child import bound, emotion_reader, guarded, own_output, voice_models
from adapters.hearing.plain_wave import PlainSamples
from adapters.hearing.silero import SileroActivity
from adapters.hearing.stream_sound import StreamSound
from adapters.hearing.whisper import WhisperTranscriber
from memory.errors import DomainError, ModelFailed
from memory.model.sound import (
    RATE,
    SAMPLE,
    HeardPiece,
    HeardSound,
    Transcript,
    Waveform,
    pcm_of,
    samples_of,
)
from memory.ports_sound import EmotionReader, Transcriber, VoiceActivity
from memory.services.diarising import VoiceModels
from memory.services.hearing import LONGEST_S, Ears, hear
from memory.services.live_hearing import LiveStreams, MessageDecoder

MOST_AHEAD = 1_000
"""Messages that are read ahead; then whoever sends waits (chosen: 20 s of the smallest packets)."""
log = logging.getLogger("memoray.hearing")


@dataclass(frozen=True, slots=True)
class ResidentModels:
    """What the process hears with."""

    activity: VoiceActivity
    transcriber: Callable[[str | None], Transcriber]
    """What transcribes a stream whose language is known to be this."""
    decoder: Callable[[Any, int], MessageDecoder]
    """What decodes a stream of this codec and rate."""
    voices: VoiceModels | None = None
    emotions: EmotionReader | None = None


def main() -> None:
    """Hear until nobody asks any more."""
    wishes = orjson.loads(sys.argv[1])
    bound(wishes["step_back"])
    own, voices = (Path(wishes[name]) if wishes[name] else None for name in ("path", "voices"))
    every = WhisperTranscriber(wishes["kind"], own, wishes["trusted"])
    english = every if own or wishes["kind"] == "tiny.en" else WhisperTranscriber("tiny.en")
    models = ResidentModels(
        SileroActivity(),
        lambda language: english if language == "en" else every,
        StreamSound,
        voice_models(voices, wishes["trusted"]) if wishes["tell_apart"] else None,
        emotion_reader(wishes["emotion"]),
    )
    serve(models, asks=wishes["asks"])


def serve(models: ResidentModels, *, asks: bool) -> None:
    """Hear with these models until nobody asks any more."""
    ResidentEar(models, sys.stdin.buffer, own_output(), asks=asks).run()


class ResidentEar:
    """Answers what is asked, and hears whenever nothing is: streams first, then the oldest piece of a request.

    Where others share what it hears on it `asks` before it hears streams, and sound goes on coming meanwhile. Whoever
    requests a piece holds a lease already; with a second one two such could wait for each other.
    """

    def __init__(self, models: ResidentModels, asked: BinaryIO, told: BinaryIO, *, asks: bool = False) -> None:
        self._models, self._file, self._told = models, asked, told
        self._asks, self._has_asked, self._may = asks, False, not asks
        self._asked: queue.Queue[tuple[Mapping[str, Any], bytes] | None] = queue.Queue(MOST_AHEAD)
        self._streams = LiveStreams(models.activity, models.voices)
        self._pieces: dict[int, tuple[str | None, bytes]] = {}
        self._heard_now = -1
        """The stream of the latest piece."""

    def run(self) -> None:
        """Go on until there is nobody to answer."""
        threading.Thread(target=self._read_all, daemon=True).start()
        while True:
            if self._streams.is_idle and self._may:
                self._rest()  # what it was let hear is not wanted any more
            may_hear = not self._streams.is_idle and self._is_let()
            if self._take(wait=not (may_hear or self._pieces)):
                continue
            if may_hear:
                self._hear_stream()
            else:
                self._hear_piece(next(iter(self._pieces)))

    def _is_let(self) -> bool:
        """Whether it may hear now; asks for it once."""
        if not self._may and not self._has_asked:
            self._has_asked = True
            self._tell({"told": say.WANT, "of": say.EVERY})
        return self._may

    def _rest(self) -> None:
        if self._asks:
            self._may = self._has_asked = False
            self._tell({"told": say.REST, "of": say.EVERY})

    def _read_all(self) -> None:
        try:
            while (message := say.read_message(self._file)) is not None:
                self._asked.put(message)
        except ValueError:
            log.error("what is asked is not understood")
        finally:  # whatever broke: whoever is asked nothing more would wait for ever
            self._asked.put(None)

    def _take(self, *, wait: bool = False) -> bool:
        """Answer what was asked next; False where nothing was."""
        try:
            message = self._asked.get(block=wait)
        except queue.Empty:
            return False
        if message is None:
            raise SystemExit
        asked, content = message
        if asked["do"] in (say.SOUND, say.END) and asked["of"] not in self._streams:
            return True  # of a stream that has failed
        try:
            self._answer(asked["do"], asked["of"], asked, content)
        except Exception as error:
            self._fail(asked["of"], error)
        return True

    def _answer(self, do: str, of: int, asked: Mapping[str, Any], content: bytes) -> None:
        if do == say.OPEN:
            decoder, language = self._models.decoder(asked["codec"], asked["rate"]), asked["language"]
            transcriber = self._models.transcriber(language)
            self._streams.open(of, decoder, transcriber, language, asked["began"], asked["skipped_s"])
            self._streams.ask_voices(of, asked["asks"])  # before there is anything to hear of it
            self._streams.resume(of, samples_of(content))
        elif do == say.SOUND:
            self._tell_sound(of, self._streams.feed(of, content))
        elif do == say.END:
            self._tell_sound(of, self._streams.end(of))
        elif do == say.VOICES:
            self._streams.ask_voices(of, asked["asks"])
        elif do == say.GO:
            self._may = True
        elif do == say.HEAR:
            self._pieces[of] = asked["language"], content
        elif do == say.DROP:
            self._streams.drop(of)
            self._pieces.pop(of, None)

    def _hear_stream(self) -> None:
        """The next step of the streams, and the end of what it was let do."""
        self._hear_step()
        self._rest()

    def _hear_step(self) -> None:
        try:
            heard = self._streams.next(self._begin)
            told: Mapping[str, Any] = {"told": say.ENDED, "of": heard}
            if isinstance(heard, HeardPiece):
                told = {"told": say.PIECE, "of": heard.stream, "piece": _written(heard)}
        except DomainError as error:  # a model that is missing
            self._fail(self._heard_now, error)
        except Exception as error:  # the sweep hears this piece again
            log.error("live hearing broke: %s", type(error).__name__)
            self._tell({"told": say.PIECE, "of": self._heard_now, "piece": None})
        else:
            self._tell(told)

    def _hear_piece(self, of: int) -> None:
        language, samples = self._pieces[of]
        between = partial(self._between, of)
        transcriber = _InSteps(self._models.transcriber(None), between)
        ears = Ears(
            PlainSamples(between), self._models.activity, transcriber, self._models.voices, self._models.emotions
        )
        most_s = len(samples) / (SAMPLE * RATE) + 1
        told = guarded(lambda: {"heard": _written(hear(ears, io.BytesIO(samples), most_s, language))})
        self._pieces.pop(of, None)
        self._tell({"told": say.HEARD, "of": of, **told})

    def _between(self, of: int) -> None:
        """Let streams have their turn before a step of a piece. Raises ModelFailed where nobody waits for it."""
        while self._take():
            pass
        for _ in range(len(self._streams)):
            if not self._streams.is_idle and self._is_let():
                self._hear_stream()
        if of not in self._pieces:
            raise ModelFailed("Whoever asked for it has left.")
        self._tell({"told": say.BEGUN, "of": of, "s": LONGEST_S})

    def _begin(self, of: int, seconds: float) -> None:
        self._heard_now = of
        self._tell({"told": say.BEGUN, "of": of, "s": seconds, **self._left(of)})

    def _fail(self, of: int, error: Exception) -> None:
        log.error("live hearing broke: %s", type(error).__name__)  # an error's own text may hold words
        self._streams.drop(of)
        self._tell({"told": say.FAILED, "of": of})

    def _tell_sound(self, of: int, sound: Waveform) -> None:
        self._tell({"told": say.SOUND, "of": of, **self._left(of)}, pcm_of(sound))

    def _left(self, of: int) -> Mapping[str, Any]:
        """What the next process must know of a stream."""
        return {"needs": self._streams.needs(of), "skipped_s": self._streams.skipped_s(of)}

    def _tell(self, told: Mapping[str, Any], content: bytes = b"") -> None:
        self._told.write(say.packed(told, content))
        self._told.flush()


def _written(heard: HeardPiece | HeardSound) -> orjson.Fragment:
    """What was heard as JSON: what cannot be written costs that answer, where it was made."""
    return orjson.Fragment(orjson.dumps(asdict(heard)))


class _InSteps:
    """See memory.ports_sound.Transcriber. Before each of its pieces others have their turn."""

    def __init__(self, transcriber: Transcriber, between: Callable[[], None]) -> None:
        self.name, self._transcriber, self._between = transcriber.name, transcriber, between

    def transcribe(self, sound: Waveform, language: str | None = None) -> Transcript:
        """See memory.ports_sound.Transcriber."""
        self._between()
        return self._transcriber.transcribe(sound, language)


if __name__ == "__main__":
    main()
