"""Hears a sound file from its beginning to its end: samples, where somebody speaks, words, sentences.

Constants without another origin were measured on speech. Only a minute of sound is in memory at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np

from memory.errors import TooLarge
from memory.model.sound import (
    RATE,
    Diarisation,
    HeardSentence,
    HeardSound,
    HeardWord,
    SpeechStretch,
    Transcript,
    Waveform,
)
from memory.model.voices import SOMEBODY
from memory.ports_sound import EmotionReader, SoundDecoder, SpeakerDiariser, Transcriber, VoiceActivity
from memory.services.diarising import Diariser, GatheredSound, VoiceModels, attributed, renumbered, telling_apart
from memory.services.emotions import SoundTraces
from memory.words.normalise import split_sentences

WINDOW_S = 60.0
"""Seconds in which voices are looked for at once (chosen: few enough to be held, and far longer than a sentence)."""
LONGEST_S = 15.0
"""Longest piece that is transcribed at once: whole files lose sentences where several people speak."""
LONGEST_GAP_S = 1.8
"""Longest silence within a piece."""
BREATH_S = 1.0
"""Silence between two words that parts them (chosen)."""
SHORTEST_S = 0.3
"""How long a segment lasts at least: a spoken word (measured: Whisper's times of a lone word are up to 0.2 s off)."""
SETTLED_S = 1.0
"""A stretch that ends so close to the end of a window may go on behind it."""
_BLOCK_BYTES = 1 << 20
_NOBODY: Mapping[int, str | None] = MappingProxyType({})
_SIGNS = frozenset(".?!…")


@dataclass(frozen=True, slots=True)
class Ears:
    """What a sound is heard with; without `voices` it is not told who speaks, without `emotions` what is felt."""

    decoder: SoundDecoder
    activity: VoiceActivity
    transcriber: Transcriber
    voices: VoiceModels | SpeakerDiariser | None = None
    emotions: EmotionReader | None = None


def hear(ears: Ears, file: BinaryIO, most_s: float, language: str | None = None) -> HeardSound:
    """All that is said in a file; silence has no sentences. Where no language is given the first words tell it.

    Raises Invalid of a file without readable sound, and TooLarge of one of more than `most_s` seconds.
    """
    decoded = ears.decoder.open(file)
    if (decoded.facts.seconds or 0.0) > most_s:
        raise _too_long(most_s)
    length, pieces = _Length(most_s), list[Transcript]()
    diariser = telling_apart(ears.voices) if ears.voices else None
    traces = SoundTraces(ears.emotions) if ears.emotions else None
    blocks = _told(diariser, length.counted(decoded.blocks))
    for sound, began in _pieces(ears.activity, blocks):
        heard = ears.transcriber.transcribe(sound, language)
        if heard.words:
            language = language or heard.language
            if traces:
                traces.keep(sound, began)
        words = [replace(each, start=each.start + began, end=each.end + began) for each in heard.words]
        pieces.append(Transcript(heard.language, words))
    sentences, found = _who(pieces, diariser.finish() if diariser else Diarisation((), ()))
    seconds = round(length.samples / RATE, 3)
    felt = traces.read(sentences) if traces else sentences
    return HeardSound(decoded.facts, seconds, ears.transcriber.name, felt, found.voices)


def _told(diariser: Diariser | GatheredSound | None, blocks: Iterable[Waveform]) -> Iterator[Waveform]:
    """The same blocks, each of which is told to the diariser, too."""
    for block in blocks:
        if diariser:
            diariser.hear(block)
        yield block


def _who(pieces: Sequence[Transcript], found: Diarisation) -> tuple[list[HeardSentence], Diarisation]:
    """Sentences with who says them, and the voices that say anything in words."""
    said = attributed([word for piece in pieces for word in piece.words], found.turns)
    spoken = {voice for voice in said if voice is not None}
    kept = renumbered([turn for turn in found.turns if turn.voice in spoken], found.voices)
    numbers = {voice: number for number, voice in enumerate(sorted(spoken), start=1)}
    sentences, place = list[HeardSentence](), 0
    for piece in pieces:
        voices = [None if voice is None else numbers[voice] for voice in said[place : place + len(piece.words)]]
        sentences += sentences_of(piece.words, piece.language, voices)
        place += len(piece.words)
    return sentences, kept


class _Length:
    """How much was decoded; more than is allowed is not."""

    def __init__(self, most_s: float) -> None:
        self.samples = 0
        self._most_s = most_s

    def counted(self, blocks: Iterable[Waveform]) -> Iterator[Waveform]:
        for block in blocks:
            self.samples += len(block)
            if self.samples > self._most_s * RATE:
                raise _too_long(self._most_s)
            yield block


def within(blocks: Iterable[Waveform], most_s: float) -> Iterator[Waveform]:
    """The blocks of a sound. Raises TooLarge once there are more than `most_s` seconds of them."""
    return _Length(most_s).counted(blocks)


def _too_long(most_s: float) -> TooLarge:
    longest = f"{most_s / 3600:g} hours" if most_s >= 3600 else f"{most_s:g} seconds"
    return TooLarge(f"The sound is longer than {longest}; send it in parts.")


def _pieces(activity: VoiceActivity, blocks: Iterable[Waveform]) -> Iterator[tuple[Waveform, float]]:
    """Pieces of speech that can be transcribed, each with the second it begins at."""
    for window, began, is_last in _windows(activity, blocks):
        for piece in packed(is_last):
            yield window[round(piece.start * RATE) : round(piece.end * RATE)], began + piece.start


def speech_in(activity: VoiceActivity, sound: Waveform) -> Sequence[SpeechStretch]:
    """Where somebody speaks. In what is silent to the last digit nobody does, however long it is made."""
    return activity.find(sound) if sound.any() else ()


def _windows(
    activity: VoiceActivity, blocks: Iterable[Waveform]
) -> Iterator[tuple[Waveform, float, Sequence[SpeechStretch]]]:
    """Windows with the second they begin at, and the stretches that end in them; the next one begins where the last
    of these ends, so that no word is cut."""
    held, began = np.zeros(0, np.float32), 0
    for block in blocks:
        held = np.concatenate((held, block))
        while len(held) >= WINDOW_S * RATE:
            window = held[: int(WINDOW_S * RATE)]
            found = speech_in(activity, window)
            settled = [each for each in found if each.end <= WINDOW_S - SETTLED_S]
            yield window, began / RATE, settled
            done = _done(found, settled)
            held, began = held[done:], began + done
    if len(held):
        yield held, began / RATE, speech_in(activity, held)


def _done(found: Sequence[SpeechStretch], settled: Sequence[SpeechStretch]) -> int:
    """Samples of a window that need not be looked at again: up to the middle of the pause before what goes on."""
    if len(found) == len(settled):
        return int((WINDOW_S - SETTLED_S) * RATE)
    following = found[len(settled)].start
    before = settled[-1].end if settled else 0.0
    return int((before + following) / 2 * RATE)


def packed(stretches: Iterable[SpeechStretch]) -> list[SpeechStretch]:
    """Stretches put together: what is close to each other is transcribed at once, up to `LONGEST_S`."""
    pieces: list[SpeechStretch] = []
    for each in stretches:
        last = pieces[-1] if pieces else None
        if last and each.start - last.end <= LONGEST_GAP_S and each.end - last.start <= LONGEST_S:
            pieces[-1] = SpeechStretch(last.start, each.end)
        else:
            pieces.append(each)
    return pieces


def _is_whole(text: str, following: HeardWord) -> bool:
    """Whether what follows begins another sentence."""
    return text[-1:] in _SIGNS and len(split_sentences(f"{text} {following.text.strip()}")) > 1


def sentences_of(
    words: Sequence[HeardWord], language: str, voices: Sequence[int | None] | None = None
) -> list[HeardSentence]:
    """Words as sentences: one ends with its sign, before a breath, or where another voice speaks."""
    said = voices or [None] * len(words)
    sentences: list[HeardSentence] = []
    held: list[HeardWord] = []
    for place, word in enumerate(words):
        held.append(word)
        text = "".join(each.text for each in held).strip()
        following = words[place + 1] if place + 1 < len(words) else None
        if following is None or said[place] != said[place + 1] or _parts(text, word, following):
            times = round(held[0].start, 2), round(max(each.end for each in held), 2)
            if text:
                sentences.append(HeardSentence(text, *times, language, tuple(held), said[place]))
            held = []
    return sentences


def _parts(text: str, word: HeardWord, following: HeardWord) -> bool:
    """Whether a breath or the end of a sentence lies between two words."""
    return following.start - word.end >= BREATH_S or _is_whole(text, following)


def source_id_of(file: BinaryIO) -> str:
    """The id of the source that a sound file becomes: the same file is the same source, whatever it is called."""
    file.seek(0)
    found = hashlib.sha256()
    while block := file.read(_BLOCK_BYTES):
        found.update(block)
    file.seek(0)
    return f"sound-{found.hexdigest()[:32]}"


def segments_of(
    heard: HeardSound,
    speaker: str,
    speakers: Mapping[int, str | None] = _NOBODY,
    unclear: str | None = None,
    *,
    unsaid: bool = False,
) -> list[dict[str, Any]]:
    """What was heard as the segments of a source, in the form of POST /v1/sources.

    A sentence is told by the speaker of its voice, else by `speaker`; a voice that is None is not told, or as somebody
    without words, where `unsaid` asks for it. Where speakers are told apart, a sentence of no voice is `unclear`, if
    that is given. None is shorter than `SHORTEST_S`: models let
    single words end where they begin, and what lasts no time meets nothing that replaces it.
    """
    segments = []
    for number, each in enumerate(heard.sentences, start=1):
        without = unclear if unclear is not None and speakers else speaker
        told = speakers.get(each.voice, speaker) if each.voice is not None else without
        if told is not None or unsaid:
            segments.append(
                {
                    "segment_id": str(number),
                    "speaker": SOMEBODY if told is None else told,
                    "text": "" if told is None else each.text,
                    "start": each.start,
                    "end": max(each.end, min(round(each.start + SHORTEST_S, 2), heard.seconds)),
                    "language": each.language,
                    "stt_engine": heard.engine,
                }
                | ({} if told is None else emotion_of(each))
            )
    return segments


def emotion_of(sentence: HeardSentence) -> dict[str, Any]:
    """The field `emotion` of a segment; nothing where nothing was looked for."""
    if sentence.emotion is None:
        return {}
    return {"emotion": {name: value for name, value in asdict(sentence.emotion).items() if value != {}}}
