"""How much sound of everybody is kept, in which forms, and whether it can be read by the keys that are named."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from adapters.capture.sound_blocks import OPUS
from adapters.capture.sound_forms import SoundForms, bytes_on_disk, sessions_in
from adapters.capture.sounds import rate_of
from memory.errors import SoundDamaged
from memory.model.sound import SAMPLE


@dataclass(frozen=True, slots=True)
class SoundSurvey:
    """Sessions of everybody: how many, their bytes and seconds; and of how many which is true."""

    sessions: int = 0
    bytes: int = 0
    seconds: float = 0.0
    opus: int = 0
    encrypted: int = 0
    """By whatever key."""
    old_key: int = 0
    """By a key that is not the one in use, but named."""
    no_key: int = 0
    """By a key that is not named: nobody can hear them."""
    damaged: int = 0


def survey(root: Path, forms: SoundForms) -> SoundSurvey:
    """Look at every session below a folder. Raises SoundSealed of a file of keys that cannot be used."""
    known = [each.key_id for each in forms.keys.all()]
    total, seconds = Counter[str](), 0.0
    for path in (each for folder in root.glob("*/") for each in sessions_in(folder)):
        total["sessions"] += 1
        total["bytes"] += bytes_on_disk(path) or 0
        seconds += forms.length(path) / (SAMPLE * rate_of(path))
        try:
            form = forms.form(path)
        except SoundDamaged:
            total["damaged"] += 1
            continue
        if form is None:
            continue
        total["opus"] += form.codec == OPUS
        if form.key_id is not None:
            total["encrypted"] += 1
            total["no_key"] += form.key_id not in known
            total["old_key"] += form.key_id in known[1:]
    return SoundSurvey(seconds=seconds, **total)
