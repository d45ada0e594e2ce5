"""Voice activity by Silero's detector, which comes with faster-whisper."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.model_files import SILERO
from memory.model.sound import RATE, SpeechStretch, Waveform
from memory.services.hearing import LONGEST_S

_THRESHOLD, _SILENCE_MS, _PAD_MS, _SPEECH_MS = 0.5, 250, 100, 150


class SileroActivity:
    """See memory.ports_sound.VoiceActivity. Its model is checked with the first sound."""

    def __init__(self) -> None:
        self._is_checked = False

    def find(self, sound: Waveform) -> Sequence[SpeechStretch]:
        """See memory.ports_sound.VoiceActivity. Raises ConfigError."""
        if not self._is_checked:
            SILERO.checked(SILERO.find())
            self._is_checked = True
        from faster_whisper.vad import VadOptions, get_speech_timestamps

        options = VadOptions(
            threshold=_THRESHOLD,
            min_silence_duration_ms=_SILENCE_MS,
            speech_pad_ms=_PAD_MS,
            min_speech_duration_ms=_SPEECH_MS,
            max_speech_duration_s=LONGEST_S,
        )
        found = get_speech_timestamps(sound, options) if len(sound) else []
        return [SpeechStretch(each["start"] / RATE, each["end"] / RATE) for each in found]
