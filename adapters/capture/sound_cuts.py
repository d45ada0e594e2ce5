"""The sound of some seconds, cut out of what is kept, as a WAV file."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterator, Sequence
from pathlib import Path

from adapters.capture.commands import folder_name
from adapters.capture.sound_forms import SoundForms, sessions_in
from adapters.capture.sound_spans import SoundSpan, without
from adapters.capture.sounds import is_of_session, pieces_of, rate_of, span_of, spans_of_parts, spoken
from memory.errors import SoundDamaged, SoundSealed
from memory.model.sound import SAMPLE
from memory.model.sources import SessionPart
from memory.model.timeline import Instant

MARGIN_S = 0.25
"""Seconds before and behind, so that no word is cut (chosen)."""
LOOK = 4_096
"""Bytes that are looked at once for one that is not silence; hardly any sound begins with so many zeros (chosen)."""
LONGEST_S = 300.0
"""Seconds that are cut out at most (chosen: one who speaks for longer is heard as far as that)."""


class SoundCuts:
    """Cuts sound out of the sessions below one folder. It works on the disk: call it off the event loop."""

    def __init__(self, root: Path, forms: SoundForms | None = None) -> None:
        self._root, self._forms = root, forms or SoundForms()

    def cut(
        self, user_id: str, session_id: str, began: Instant, ended: Instant, hidden: Sequence[SessionPart] = ()
    ) -> bytes | None:
        """What was heard of a session in these seconds; None where nothing of it is kept, where it was silenced, and
        where some of it may be of the parts that are `hidden`.

        Raises SoundSealed without its key, SoundDamaged, and Unavailable where its form cannot be decoded.
        """
        for path, spans in self._of_session(user_id, session_id, _widened(began, ended), hidden):
            try:
                with self._forms.opened(path) as kept:
                    sound = b"".join(kept.read(start, _within(path, size)) for start, size in spans)
            except FileNotFoundError:  # it was removed meanwhile
                continue
            if any(sound):
                return _wave(sound, rate_of(path))
        return None

    def holds(
        self, user_id: str, session_id: str, began: Instant, ended: Instant, hidden: Sequence[SessionPart] = ()
    ) -> bool:
        """Whether there is anything to cut, as far as that is known without decoding; not what cannot be read."""
        for path, spans in self._of_session(user_id, session_id, _widened(began, ended), hidden):
            try:
                with self._forms.opened(path) as kept:
                    if not all(kept.is_silent(start, _within(path, size)) for start, size in spans):
                        return True
            except (FileNotFoundError, SoundSealed, SoundDamaged):
                continue
        return False

    def _of_session(
        self, user_id: str, session_id: str, stretch: tuple[Instant, Instant], hidden: Sequence[SessionPart]
    ) -> Iterator[tuple[Path, Sequence[SoundSpan]]]:
        """The files of a session, its own and those of the device whose stream it is, with where this stretch lies."""
        for path in sessions_in(self._root / folder_name(user_id)):
            if is_of_session(path, session_id):
                rate = rate_of(path)
                spans = (span_of(each, rate, *stretch) for each in spoken(pieces_of(path), rate))
                found = [each for each in spans if each[1]]
                if not hidden or without(found, spans_of_parts(path, hidden)) == found:
                    yield path, found


def _widened(began: Instant, ended: Instant) -> tuple[Instant, Instant]:
    return began - MARGIN_S, min(ended, began + LONGEST_S) + MARGIN_S


def _within(path: Path, size: int) -> int:
    return min(size, int((LONGEST_S + 1) * rate_of(path)) * SAMPLE)


def _wave(sound: bytes, rate: int) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, SAMPLE, rate, 0, "NONE", "not compressed"))
        writer.writeframes(sound)
    return file.getvalue()
