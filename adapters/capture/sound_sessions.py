"""Sessions of kept sound as they are swept: which are over, what of them was not heard yet, and who hears one now."""

from __future__ import annotations

import fcntl
import os
import tempfile
import wave
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, cast
from urllib.parse import unquote

from adapters.capture.commands import folder_name
from adapters.capture.files import PRIVATE, locked
from adapters.capture.sound_forms import KeptSamples, SoundForms, is_kept, sessions_in
from adapters.capture.sound_states import SoundState, read_state, write_state
from adapters.capture.sounds import (
    TAIL_BYTES,
    SoundPiece,
    named_key,
    pieces_of,
    rate_of,
    session_of,
    session_stream,
    spoken,
    stream_of,
)
from memory.errors import SoundDamaged
from memory.model.sound import SAMPLE
from memory.model.sources import SESSION_GAP_S
from memory.model.timeline import Instant
from memory.services.ears import HearingModel, model_of

GAP_S = 2.0
"""Seconds between two pieces that are a silence and no delay of the line (chosen), and how long it is then heard:
longer than any within what is transcribed at once."""
COPIED = 1 << 20
SWEEPING = ".sweeping"
"""The file whose lock whoever sweeps holds, and which names the session."""
STAMP = "%Y%m%dT%H%M%S%f"


@dataclass(frozen=True, slots=True)
class KeptSession:
    """A session of kept sound. `began` and `ended` are when its first and its last sample were heard."""

    path: Path
    user_id: str
    stream: str
    began: Instant
    ended: Instant
    rate: int
    size: int
    """Bytes of its sound."""
    state: SoundState

    @property
    def name(self) -> str:
        """What its file is called."""
        return self.path.stem

    @property
    def seconds(self) -> float:
        """How long its sound is."""
        return self.size / (SAMPLE * self.rate)

    @property
    def heard_s(self) -> float:
        """How much of it was swept."""
        return min(self.state.heard, self.size) / (SAMPLE * self.rate)

    def is_over(self, now: Instant) -> bool:
        """Whether it has ended, by word or by a long silence."""
        return self.state.ended >= self.size or now - self.ended > SESSION_GAP_S

    def is_heard_by(self, model: str) -> bool:
        """Whether it was swept with a model, or is going to be."""
        if self.state.model is not None:
            return self.state.model == model
        return self.state.engine is not None and model_of(self.state.engine) == model

    def wanted(self, now: Instant) -> int:
        """Up to where it is to be swept by now."""
        return self.size if self.is_over(now) else min(self.size, max(self.state.ended, self.state.asked))

    def is_due(self, now: Instant) -> bool:
        """Whether something of it is to be swept now."""
        return self.wanted(now) > self.state.heard and now >= self.state.again_at


@dataclass(frozen=True, slots=True)
class _Place:
    """From which second of a stretch on its samples are those of a piece, where they lie, and when they were heard."""

    second: float
    start: int
    end: int
    began: Instant


@dataclass(frozen=True, slots=True)
class SoundStretch:
    """A part of a session as one WAV file, up to byte `end` of the session."""

    file: BinaryIO
    rate: int
    end: int
    is_last: bool
    seconds: float
    places: Sequence[_Place]

    def at(self, second: float) -> Instant:
        """When what is heard at a second of it was said."""
        place = self._place(second)
        return round(place.began + min(second - place.second, self._length_s(place)), 3)

    def byte_at(self, second: float) -> int:
        """Where in the session that lies."""
        place = self._place(second)
        return min(place.start + int((second - place.second) * self.rate) * SAMPLE, place.end)

    def _place(self, second: float) -> _Place:
        return self.places[max(0, bisect_right([each.second for each in self.places], second) - 1)]

    def _length_s(self, place: _Place) -> float:
        return (place.end - place.start) / (SAMPLE * self.rate)


class SoundSessions:
    """The sessions below one folder. Every method works on the disk: call it off the event loop."""

    def __init__(self, root: Path, forms: SoundForms | None = None) -> None:
        self._root, self._forms = root, forms or SoundForms()

    def named(self, user_id: str, session_id: str) -> list[KeptSession]:
        """What is kept of a session that a caller has named: more than one where a long silence came between."""
        return self.of(user_id, session_stream(session_id))

    def of(self, user_id: str, stream: str) -> list[KeptSession]:
        """The sessions of a stream, in the order in which they began."""
        found = (session_at(path) for path in sessions_in(self._root / folder_name(user_id)))
        return sorted((each for each in found if each and each.stream == stream), key=lambda each: each.began)

    def all_named(self, user_id: str) -> list[str]:
        """The ids of the sessions of a user that callers have named."""
        streams = {stream_of(path) for path in sessions_in(self._root / folder_name(user_id))}
        return sorted(filter(None, map(session_of, streams)))

    def due(self, now: Instant) -> list[KeptSession]:
        """Everybody's sessions that are to be swept, the first that ended first."""
        found = (session_at(path) for path in self.everybodys() if self._is_unheard(path))
        return sorted((each for each in found if each and each.is_due(now)), key=lambda each: each.ended)

    def everybodys(self) -> Iterator[Path]:
        """Where each session of everybody lies."""
        for folder in self._root.glob("*/"):
            yield from sessions_in(folder)

    def _is_unheard(self, path: Path) -> bool:
        """Whether something may be left to be heard; what grows as blocks is looked at closely each time."""
        heard = read_state(path).heard
        try:
            form = self._forms.form(path)
            if form is None or form.total is not None or form.is_plain:
                return heard < (self._forms.length(path) if form else 0)
        except SoundDamaged:
            return False
        return True

    def piece_at(self, user_id: str, session_id: str, key: str) -> Instant | None:
        """When the piece came that was kept under a key; None where there is none."""
        for session in reversed(self.named(user_id, session_id)):
            for piece in pieces_of(session.path, TAIL_BYTES):
                if piece.key == named_key(key):
                    return piece.at
        return None

    def end(self, session: KeptSession) -> None:
        """Say that a session is over."""
        self._change(session, ended=session.size)

    def ask(self, session: KeptSession) -> None:
        """Ask for a sweep of what there is of it by now, also where it had failed."""
        self._change(session, asked=session.size, tries=0, again_at=0.0)

    def ask_anew(self, session: KeptSession, model: HearingModel) -> None:
        """Ask for a sweep of all of it, by another model than before."""
        self._change(
            session, asked=session.size, heard=0, tries=0, again_at=0.0, model=model, again=session.state.again + 1
        )

    def advance(self, session: KeptSession, heard: int, engine: str | None = None) -> bool:
        """Note up to where a session was swept, and by what.

        False, and nothing is noted, if some of it was silenced meanwhile, or if it is to be swept anew.
        """
        by = {"engine": engine} if engine is not None else {}
        return self._change(session, is_told=True, heard=heard, tries=0, again_at=0.0, **by)

    def fail(self, session: KeptSession, again_at: Instant) -> None:
        """Note that hearing what follows has failed, unless it is to be swept anew."""
        self._change(session, is_told=True, tries=session.state.tries + 1, again_at=again_at)

    def wait(self, session: KeptSession, again_at: Instant) -> None:
        """Try it again then, and count nothing: what is missing is no fault of the sound."""
        self._change(session, again_at=again_at)

    def note_unpacked(self, session: KeptSession) -> None:
        """Note that bringing it into its lasting form has failed."""
        self._change(session, unpacked=session.state.unpacked + 1)

    def is_same(self, session: KeptSession) -> bool:
        """Whether a session is there as it was: neither removed nor silenced anywhere, nor to be swept anew."""
        return is_kept(session.path) and _is_as_it_was(session, read_state(session.path))

    @contextmanager
    def taken(self, session: KeptSession) -> Iterator[bool]:
        """Sweep a session: nobody else sweeps any meanwhile. False where somebody does; a dead one does not."""
        with _opened(self._root / SWEEPING) as lock:
            mine = _locked(lock)
            if mine:
                os.ftruncate(lock, 0)
                os.pwrite(lock, str(session.path.relative_to(self._root)).encode(), 0)
            yield mine

    def swept_now(self, user_id: str) -> str | None:
        """The `name` of the session of a user that is being swept."""
        if not (self._root / SWEEPING).exists():
            return None
        with _opened(self._root / SWEEPING) as lock:
            folder, _, name = os.pread(lock, 1_000, 0).decode(errors="replace").partition("/")
            if folder != folder_name(user_id) or _locked(lock, fcntl.LOCK_SH):
                return None
        return Path(name).stem

    def stretch(self, session: KeptSession, until: int, most_s: float) -> SoundStretch | None:
        """What of a session follows what was swept, up to byte `until` and at most so many seconds; None of nothing.

        Where nothing came for a while there is a silence of `GAP_S`. Its reader closes the file. Raises SoundSealed,
        and SoundDamaged.
        """
        pieces = spoken(pieces_of(session.path), session.rate)
        file = self._unnamed()
        places, seconds, last = list[_Place](), 0.0, None
        with _unless_broken(file), self._forms.opened(session.path) as sound, wave.open(file, "wb") as writer:
            writer.setparams((1, SAMPLE, session.rate, 0, "NONE", "not compressed"))
            for piece in pieces:
                place = _placed(piece, session, until)
                if place is None:
                    continue
                if last is not None and place.began - last >= GAP_S:
                    writer.writeframesraw(bytes(int(GAP_S * session.rate) * SAMPLE))
                    seconds += GAP_S
                if seconds >= most_s:
                    break
                places.append(replace(place, second=seconds))
                _copy(sound, writer, place)
                seconds += (place.end - place.start) / (SAMPLE * session.rate)
                last = piece.at
        if not places:
            file.close()
            return None
        file.seek(0)
        end = places[-1].end
        return SoundStretch(file, session.rate, end, end >= until, seconds, places)

    def _unnamed(self) -> BinaryIO:
        """A file without a name, in memory alone where sound is encrypted on disk and Linux has such files."""
        if self._forms.keys.is_wanted and hasattr(os, "memfd_create"):
            return os.fdopen(os.memfd_create("sound", os.MFD_CLOEXEC), "w+b")
        return cast(BinaryIO, tempfile.TemporaryFile())

    def _change(self, session: KeptSession, *, is_told: bool = False, **changes: float | str) -> bool:
        """Change the state of a session; what is told of hearing it counts only if it is as it was."""
        try:
            with locked(session.path.with_name(session.stream)):
                state = read_state(session.path)
                if not is_kept(session.path) or (is_told and not _is_as_it_was(session, state)):
                    return False
                known = {"user_id": session.user_id}
                write_state(session.path, replace(state, **known, **changes))  # type: ignore[arg-type]
                return True
        except FileNotFoundError:  # its folder went meanwhile
            return False


def _is_as_it_was(session: KeptSession, state: SoundState) -> bool:
    return (state.silenced, state.again) == (session.state.silenced, session.state.again)


def session_at(path: Path) -> KeptSession | None:
    """A session; None of one without a whole piece, or that was removed meanwhile."""
    state = read_state(path)
    pieces = pieces_of(path, TAIL_BYTES)
    user_id = state.user_id or unquote(path.parent.name)
    if not pieces or folder_name(user_id) != path.parent.name:
        return None
    last, stamp = pieces[-1], path.stem.split("-")[-2]
    began = datetime.strptime(stamp, STAMP).replace(tzinfo=UTC).timestamp()
    size = last.start + last.size
    return KeptSession(path, user_id, stream_of(path), began, last.at, rate_of(path), size, state)


def _placed(piece: SoundPiece, session: KeptSession, until: int) -> _Place | None:
    """What of a piece is to be heard."""
    start, end = max(piece.start, session.state.heard), min(piece.start + piece.size, until)
    if start >= end:
        return None
    a_second = SAMPLE * session.rate
    return _Place(0.0, start, end, piece.at - (piece.start + piece.size - start) / a_second)


def _copy(sound: KeptSamples, writer: wave.Wave_write, place: _Place) -> None:
    for start in range(place.start, place.end, COPIED):
        size = min(COPIED, place.end - start)
        block = sound.read(start, size)
        writer.writeframesraw(block + bytes(size - len(block)))


@contextmanager
def _unless_broken(file: BinaryIO) -> Iterator[None]:
    """Close the file if what fills it breaks."""
    try:
        yield
    except BaseException:
        file.close()
        raise


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
    try:
        yield lock
    finally:
        os.close(lock)


def _locked(lock: int, kind: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
