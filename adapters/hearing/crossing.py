"""What was heard, as it crosses from the process that hears: JSON of `dataclasses.asdict`, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.model.sound import HeardEmotion, HeardSentence, HeardSound, HeardVoice, HeardWord, SoundFacts


def heard_of(told: Mapping[str, Any]) -> HeardSound:
    """What was heard, of what the process has told."""
    sentences = [
        HeardSentence(
            **each
            | {
                "words": tuple(HeardWord(**word) for word in each["words"]),
                "emotion": HeardEmotion(**each["emotion"]) if each["emotion"] else None,
            }
        )
        for each in told["sentences"]
    ]
    voices = [voice_of(each) for each in told["voices"]]
    return HeardSound(SoundFacts(**told["facts"]), told["seconds"], told["engine"], sentences, voices)


def voice_of(told: Mapping[str, Any]) -> HeardVoice:
    """A voice, of what the process has told."""
    return HeardVoice(**{**told, "embedding": tuple(told["embedding"])})
