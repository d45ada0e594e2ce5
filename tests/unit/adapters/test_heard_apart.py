"""What the process that hears says crosses over as it was."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import orjson

from adapters.hearing.crossing import heard_of
from memory.model.sound import HeardSentence, HeardSound, HeardVoice, HeardWord, SoundFacts


def test_sentences_and_voices_cross_over_as_they_were() -> None:
    vector = np.random.default_rng(1).normal(size=192).astype(np.float32)
    said = (HeardWord(" Hm.", 0.5, 1.0, 0.9),)
    heard = HeardSound(
        SoundFacts("2026-03-01T08:00:00+01:00", 4.0),
        4.0,
        "whisper-base",
        [HeardSentence("Hm.", 0.5, 1.0, "en", said, 2), HeardSentence("Hm.", 2.0, 3.0, "en", said)],
        [
            HeardVoice(1, 1.5, "campp", tuple(map(float, vector / np.linalg.norm(vector)))),
            HeardVoice(2, 0.5, "campp", ()),
        ],
    )
    assert heard_of(orjson.loads(orjson.dumps(asdict(heard)))) == heard
