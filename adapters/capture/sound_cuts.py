"""The sound of some seconds, cut out of what is kept, as a WAV file."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterator
from pathlib import Path

from adapters.capture.commands import folder_name
from adapters.capture.sounds import pieces_of, rate_of, session_stream, span_of, stream_of
from memory.model.sound import SAMPLE
from memory.model.timeline import Instant

MARGIN_S = 0.25
"""Seconds before and behind, so that no word is cut (chosen)."""
LOOK = 4_096
"""Bytes that are looked at once for one that is not silence; hardly any sound begins with so many zeros (chosen)."""
LONGEST_S = 300.0
"""Seconds that are cut out at most (chosen: one who speaks for longer is heard as far as that)."""


class SoundCuts:
    """Cuts sound out of the sessions below one folder. It works on the disk: call it off the event loop."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def cut(self, user_id: str, session_id: str, began: Instant, ended: Instant) -> bytes | None:
        """What was heard of a session in these seconds; None where nothing of it is kept, or it was silenced."""
        began, ended = began - MARGIN_S, min(ended, began + LONGEST_S) + MARGIN_S
        for path in self._of_session(user_id, session_id):
            sound = b"".join(_pieces(path, began, ended))
            if any(sound):
                return _wave(sound, rate_of(path))
        return None

    def holds(self, user_id: str, session_id: str, began: Instant, ended: Instant) -> bool:
        """Whether `cut` would find any of it; no more of it is read than tells that."""
        began, ended = began - MARGIN_S, min(ended, began + LONGEST_S) + MARGIN_S
        return any(_is_heard(path, began, ended) for path in self._of_session(user_id, session_id))

    def _of_session(self, user_id: str, session_id: str) -> Iterator[Path]:
        """The files of a session: its own, and those of the device whose stream it is."""
        origin, own = session_id.partition("-")[0], session_stream(session_id)
        for path in sorted((self._root / folder_name(user_id)).glob("*.pcm")):
            if stream_of(path) == own or path.name.startswith(f"{origin}-"):
                yield path


def _pieces(path: Path, began: Instant, ended: Instant) -> Iterator[bytes]:
    rate = rate_of(path)
    try:
        with path.open("rb") as sound:
            for piece in pieces_of(path):
                start, size = span_of(piece, rate, began, ended)
                sound.seek(start)
                yield sound.read(min(size, int((LONGEST_S + 1) * rate) * SAMPLE))
    except FileNotFoundError:  # it was removed meanwhile
        return


def _is_heard(path: Path, began: Instant, ended: Instant) -> bool:
    try:
        with path.open("rb") as sound:
            for start, size in (span_of(piece, rate_of(path), began, ended) for piece in pieces_of(path)):
                sound.seek(start)
                if any(any(sound.read(min(LOOK, size - place))) for place in range(0, size, LOOK)):
                    return True
    except FileNotFoundError:  # it was removed meanwhile
        pass
    return False


def _wave(sound: bytes, rate: int) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, SAMPLE, rate, 0, "NONE", "not compressed"))
        writer.writeframes(sound)
    return file.getvalue()
