"""Live hearing: a stream of samples is cut where somebody stops to speak, so that words can be told while talk goes on.

Constants without another origin are measured: pieces of two seconds cut words in half and cost 5 to 25 points of words.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from memory.model.sound import RATE, Diarisation, HeardPiece, SpeechStretch, Waveform
from memory.ports_sound import Transcriber, VoiceActivity
from memory.rules.voices import LIMITS
from memory.services.diarising import Diariser, VoiceModels, attributed
from memory.services.hearing import speech_in

LONGEST_PIECE_S = 5.0
"""Speech that goes on for so long is cut all the same: whoever waits is told something."""
ENDED_S = 0.3
"""Silence behind a stretch after which it has ended: the detector's own 250 ms, and its rounding."""
LOOK_S = 0.4
"""New sound that is worth another look for voices (chosen: a look at 5 s takes a few milliseconds)."""
LEAD_S = 0.5
"""Silence that is kept before speech, where a word may have begun softly (chosen)."""
MOST_BEHIND_S = 60.0
"""Speech of one stream that waits to be transcribed. Beyond it the oldest is left to the sweep, which hears all of it
(chosen: whoever listens along cannot use words that are a minute late)."""


@dataclass(frozen=True, slots=True)
class LivePiece:
    """A piece of speech that can be transcribed: its samples, and the second of the stream it begins at."""

    start: float
    sound: Waveform

    @property
    def end(self) -> float:
        """The second it ends at."""
        return self.start + len(self.sound) / RATE


class LiveCutter:
    """Cuts one stream. It holds at most `LONGEST_PIECE_S` of speech and what has come since the last look."""

    def __init__(self, activity: VoiceActivity, began: int = 0) -> None:
        self._activity = activity
        self._held: Waveform = np.zeros(0, np.float32)
        self.began = began
        """The place in the stream of the first sample that is held."""
        self._unlooked = 0

    def feed(self, sound: Waveform) -> list[LivePiece]:
        """Add what has just been heard; the pieces that have ended with it, in order."""
        self._held = np.concatenate((self._held, sound))
        self._unlooked += len(sound)
        if self._unlooked < LOOK_S * RATE:
            return []
        self._unlooked = 0
        pieces: list[LivePiece] = []
        while cut := self._cut():
            pieces.append(cut)
        return pieces

    def rest(self) -> list[LivePiece]:
        """The speech that is still held, when the stream has ended."""
        found = speech_in(self._activity, self._held)
        pieces = [self._piece(each) for each in found]
        self._drop(len(self._held))
        return pieces

    def _cut(self) -> LivePiece | None:
        """The first piece of what is held, which is dropped up to its end; None while nothing has ended."""
        found = speech_in(self._activity, self._held)
        if not found:
            self._drop(len(self._held) - int(LEAD_S * RATE))
            return None
        first = found[0]
        ended = first.end <= len(self._held) / RATE - ENDED_S
        if not ended and len(self._held) / RATE - first.start < LONGEST_PIECE_S:
            self._drop(int((first.start - LEAD_S) * RATE))
            return None
        return self._take(found)

    def _take(self, found: Sequence[SpeechStretch]) -> LivePiece:
        """The piece that the first stretches make which fit into one, up to the longest."""
        first, end = found[0], found[0].end
        for each in found[1:]:
            if each.end - first.start > LONGEST_PIECE_S or each.end > len(self._held) / RATE - ENDED_S:
                break
            end = each.end
        piece = self._piece(SpeechStretch(first.start, min(end, first.start + LONGEST_PIECE_S)))
        self._drop(round((piece.end - self.began / RATE) * RATE))
        return piece

    def _piece(self, stretch: SpeechStretch) -> LivePiece:
        start, end = round(stretch.start * RATE), round(stretch.end * RATE)
        return LivePiece((self.began + start) / RATE, self._held[start:end])

    def _drop(self, samples: int) -> None:
        if samples > 0:
            self._held = self._held[samples:]
            self.began += samples


def _untold(stream: int, seconds: float) -> None:
    """What is done, unless somebody says otherwise, when a piece begins to be transcribed."""


class MessageDecoder(Protocol):
    """Turns the messages of one stream into samples."""

    def decode(self, message: bytes) -> Waveform:
        """The samples that a message brings."""

    def rest(self) -> Waveform:
        """What is still held when the stream has ended."""


@dataclass
class _Stream:
    decoder: MessageDecoder
    cutter: LiveCutter
    transcriber: Transcriber
    language: str | None
    skipped_s: float = 0.0
    waiting: deque[LivePiece] = field(default_factory=deque)
    has_ended: bool = False
    asks_voices: bool = False

    def add(self, pieces: Sequence[LivePiece]) -> None:
        self.waiting += pieces
        while sum(each.end - each.start for each in self.waiting) > MOST_BEHIND_S:
            oldest = self.waiting.popleft()
            self.skipped_s += oldest.end - oldest.start


class LiveStreams:
    """Several streams that are heard by turns, a piece at a time. Without `voices` it is not told who speaks."""

    def __init__(self, activity: VoiceActivity, voices: VoiceModels | None = None) -> None:
        self._activity, self._voices = activity, voices
        self._streams: dict[int, _Stream] = {}

    def __len__(self) -> int:
        return len(self._streams)

    def __contains__(self, stream: int) -> bool:
        return stream in self._streams

    def open(
        self,
        stream: int,
        decoder: MessageDecoder,
        transcriber: Transcriber,
        language: str | None = None,
        began: int = 0,
        skipped_s: float = 0.0,
    ) -> None:
        """Begin to hear one, from this sample of it on. Where no language is given its first words tell it.

        `skipped_s` are seconds of speech before that were not heard, which nobody was told.
        """
        self._streams[stream] = _Stream(decoder, LiveCutter(self._activity, began), transcriber, language, skipped_s)

    def ask_voices(self, stream: int, asks: bool) -> None:
        """Tell the voices of a stream from now on, or no more: a print takes a quarter of the time that words do."""
        if (one := self._streams.get(stream)) is not None:
            one.asks_voices = asks

    def resume(self, stream: int, sound: Waveform) -> None:
        """Add samples that were decoded before."""
        one = self._streams[stream]
        one.add(one.cutter.feed(sound))

    def needs(self, stream: int) -> int:
        """The first sample of a stream that words may still come of: whoever keeps it from there can begin anew."""
        one = self._streams[stream]
        return round(one.waiting[0].start * RATE) if one.waiting else one.cutter.began

    def skipped_s(self, stream: int) -> float:
        """Seconds of speech of a stream that were not heard, which no piece has told yet."""
        return self._streams[stream].skipped_s

    def feed(self, stream: int, message: bytes) -> Waveform:
        """Add a message of a stream; the samples it brought."""
        one = self._streams[stream]
        sound = one.decoder.decode(message)
        one.add(one.cutter.feed(sound))
        return sound

    def end(self, stream: int) -> Waveform:
        """Nothing more comes of a stream; the samples that were still held."""
        one = self._streams[stream]
        sound = one.decoder.rest()
        one.add([*one.cutter.feed(sound), *one.cutter.rest()])
        one.has_ended = True
        return sound

    def drop(self, stream: int) -> None:
        """Forget a stream of which nobody wants to know more."""
        self._streams.pop(stream, None)

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to transcribe and nobody to tell that all is."""
        return not any(one.waiting or one.has_ended for one in self._streams.values())

    def next(self, begins: Callable[[int, float], None] = _untold) -> HeardPiece | int:
        """The words of the next piece, or the stream of which all has been heard; every stream in its turn.

        Call it only while it is not idle. `begins` is told the stream and the seconds of the piece, which is needed no
        more: whatever comes of it, it is not heard twice. Where nothing comes of it the next piece of the stream tells
        its seconds as skipped; at the end of a stream that is a piece without words.
        """
        for stream, one in self._streams.items():
            if one.waiting:
                self._streams[stream] = self._streams.pop(stream)  # it comes last now
                return self._heard(stream, one, begins)
            if one.has_ended and one.skipped_s:
                return self._skipped(stream, one)
            if one.has_ended:
                del self._streams[stream]
                return stream
        raise LookupError("nothing waits")

    def _heard(self, stream: int, one: _Stream, begins: Callable[[int, float], None]) -> HeardPiece:
        piece = one.waiting.popleft()
        skipped = one.skipped_s
        one.skipped_s += piece.end - piece.start  # until all of it was heard
        begins(stream, piece.end - piece.start)
        heard = one.transcriber.transcribe(piece.sound, one.language)
        if heard.words:
            one.language = one.language or heard.language
        found = self._told_apart(piece) if one.asks_voices and heard.words else Diarisation((), ())
        said = attributed(heard.words, found.turns)
        words = [replace(each, start=each.start + piece.start, end=each.end + piece.start) for each in heard.words]
        voices = tuple(each for each in found.voices if each.number in said)
        engine, one.skipped_s = one.transcriber.name, 0.0
        return HeardPiece(stream, piece.start, piece.end, heard.language, words, engine, skipped, voices, tuple(said))

    def _skipped(self, stream: int, one: _Stream) -> HeardPiece:
        """What was not heard of a stream, where no piece with words comes any more."""
        skipped, one.skipped_s = one.skipped_s, 0.0
        place, language = one.cutter.began / RATE, one.language or ""
        return HeardPiece(stream, place, place, language, (), one.transcriber.name, skipped)

    def _told_apart(self, piece: LivePiece) -> Diarisation:
        """Who speaks in a piece; nobody in one that is too short for anybody to be recognised."""
        limits = LIMITS.get(self._voices.embedder.name) if self._voices else None
        if self._voices is None or limits is None or piece.end - piece.start < limits.seconds:
            return Diarisation((), ())
        diariser = Diariser(self._voices)
        diariser.hear(piece.sound)
        return diariser.finish()
