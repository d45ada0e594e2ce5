"""Sound on disk: samples of 16 bits, mono, a file a session and device, a folder a user.

`{user}/{stream}-{began}-{rate}.pcm` holds the samples as they came, or `.blocks` in another form (sound_forms.py).
`.jsonl` beside it has a line a piece: when it came, where it begins, how long it is, and the digest of the key of its
request. A piece counts with its line; samples behind the last line are of a piece whose writer died, and the next one
takes their place. `.heard` tells how far it was heard (sound_states.py).
"""

from __future__ import annotations

import os
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson

from adapters.capture.commands import folder_name
from adapters.capture.files import PRIVATE, drop_lock, extend, locked, sync_folder
from adapters.capture.sound_forms import SoundForms, blocks_path, bytes_on_disk, is_kept, remove_forms, sessions_in
from adapters.capture.sound_spans import SoundSpan, joined, without
from adapters.capture.sound_states import SoundState, read_state, state_path, write_state
from config.doors import Sound
from memory.errors import Invalid
from memory.model.ids import digest
from memory.model.sound import RATE, SAMPLE
from memory.model.sources import SESSION_GAP_S, SessionPart
from memory.model.timeline import DAY_S, Instant

MB = 1_000_000
RATES = (8_000, 48_000)
"""Samples a second that are taken: from a telephone's to a studio's."""
TAIL_BYTES = 65_536
"""Bytes of the end of a session's lines that are read (chosen: 400 pieces; a request comes again within a minute)."""
WEIGHED_S = 60.0
"""Seconds for which the weight of all sound is known well enough (chosen: a device sends 2 MB in them)."""
UNNAMED_SPEAKER = "SPEAKER_00"
"""Who speaks where nobody says who: not the owner, until somebody says so."""
BEFORE_S, AFTER_S = 15.0, 30.0
"""Seconds around a source that are silenced with it: words are dated by when they came, and they come late."""
APART_S = SESSION_GAP_S - 1.0
"""Seconds that lie between two parts of a session at the least, but for the margin of what is cut out."""


@dataclass(frozen=True, slots=True)
class SoundPiece:
    """A piece of a session: when its last sample was heard, at the latest, and where its samples are.

    `until` is where its file ended with it.
    """

    at: Instant
    start: int
    size: int
    key: str | None
    until: int | None = None


@dataclass(frozen=True, slots=True)
class SoundFigures:
    """What is kept of a user's sound."""

    sessions: int = 0
    bytes: int = 0
    seconds: float = 0.0


class SoundFolder:
    """The sound of all users. Every method works on the disk: call it off the event loop."""

    def __init__(self, root: Path, settings: Sound, forms: SoundForms | None = None) -> None:
        self._root, self._settings, self._forms = root, settings, forms or SoundForms()
        self._weight, self._weighed_at = 0, float("-inf")

    def keep(
        self,
        user_id: str,
        stream: str,
        rate: int,
        sound: bytes,
        at: Instant,
        key: str | None,
        told: Mapping[str, str | None] | None = None,
    ) -> bool:
        """Add a piece to what is heard of a stream; on return it is on disk. False if it is not kept.

        It is not if it came before under the same key, and where there is no room for it. What is `told` of it is its
        device and its speaker. Each device gets a session of its own, for those of two that send at once would be heard
        by turns; one of several speakers is of nobody who is known. Raises Invalid of a rate that no sound has, and
        SoundSealed where it is to be encrypted and cannot be.
        """
        if not RATES[0] <= rate <= RATES[1]:
            raise Invalid(f"A sound has between {RATES[0]} and {RATES[1]} samples a second.")
        sound = sound[: len(sound) // SAMPLE * SAMPLE]
        if not sound or not self._settings.days or not self._has_room(user_id, len(sound)):
            return False
        folder = self._root / folder_name(user_id)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(folder / stream):
            every = sorted((each for each in sessions_in(folder) if _is_of(each, stream, rate)), key=_began)
            same = [each for each in every if _may_be_by(each, told)]
            named = named_key(key)
            if named is not None and any(each.key == named for path in same[-2:] for each in _last_pieces(path)):
                return False
            latest, last = self._growing(same, at, len(sound))
            if latest is None:
                latest = self._opened(folder, stream, rate, at - len(sound) / (SAMPLE * rate))
                write_state(latest, SoundState(user_id))
            if told is not None:
                _note(latest, told, is_first=last is None)
            written = self._written(latest, last, sound, at, named)
        self._weight += written
        return True

    def _written(self, path: Path, last: SoundPiece | None, sound: bytes, at: Instant, key: str | None) -> int:
        """Write a piece behind the last one of its session, with its line; how many bytes were added."""
        start = 0 if last is None else last.start + last.size
        until = self._forms.append(path, start, last.until if last else None, sound)
        line = orjson.dumps(asdict(SoundPiece(at, start, len(sound), key, until))) + b"\n"
        extend(path.with_suffix(".jsonl"), line)
        return len(sound) + len(line)

    def _growing(self, same: list[Path], at: Instant, size: int) -> tuple[Path | None, SoundPiece | None]:
        """The session to which a piece is added, and its last piece; None where another begins."""
        pieces = _last_pieces(same[-1]) if same else []
        if not pieces or at - pieces[-1].at > SESSION_GAP_S or not self._forms.can_grow(same[-1]):
            return None, None
        end = pieces[-1].start + pieces[-1].size
        return (None, None) if end + size > self._settings.session_mb * MB else (same[-1], pieces[-1])

    def _opened(self, folder: Path, stream: str, rate: int, began: Instant) -> Path:
        """A new session, one microsecond later where another is named so."""
        day = datetime.fromtimestamp(began, UTC)
        while is_kept(path := folder / f"{stream}-{day.strftime('%Y%m%dT%H%M%S%f')}-{rate}.pcm"):
            day += timedelta(microseconds=1)
        self._forms.create(path, rate)
        path.with_suffix(".jsonl").touch(PRIVATE)
        sync_folder(folder)
        return path

    def keep_of_session(
        self, user_id: str, session_id: str, sound: bytes, at: Instant, key: str, told: Mapping[str, str | None]
    ) -> bool:
        """Keep a piece of a session that a caller has named, at the rate at which it is listened to; see `keep`."""
        return self.keep(user_id, session_stream(session_id), RATE, sound, at, key, told)

    def figures(self, user_id: str) -> SoundFigures:
        """How much is kept of a user."""
        files = sessions_in(self._root / folder_name(user_id))
        sizes = [(path, size) for path in files if (size := bytes_on_disk(path)) is not None]
        seconds = sum(self._forms.length(path) / (SAMPLE * rate_of(path)) for path, _ in sizes)
        return SoundFigures(len(sizes), sum(size for _, size in sizes), round(seconds, 1))

    def silence(
        self, user_id: str, session_id: str, began: Instant, ended: Instant, spared: Sequence[SessionPart] = ()
    ) -> int:
        """Let nothing be heard of a stretch of time in what is of a session, but for what may be of the parts that are
        `spared`; how many files were changed.

        Silence takes the place of the samples, so that all else stays where it was.
        """
        return sum(
            self._silenced(path, (began - BEFORE_S, ended + AFTER_S), spared)
            for path in sessions_in(self._root / folder_name(user_id))
            if is_of_session(path, session_id)
        )

    def _silenced(self, path: Path, stretch: tuple[Instant, Instant], spared: Sequence[SessionPart]) -> bool:
        """Silence what a session holds of a stretch of time; whether there was anything."""
        with locked(path.with_name(stream_of(path))):
            if not is_kept(path):
                return False
            spans = without(spans_in(path, [stretch]), spans_of_parts(path, spared))
            self._forms.silence(path, spans)
            if spans:
                state = read_state(path)
                # who spoke in what is forgotten is not told any longer
                speaker = state.speaker and UNNAMED_SPEAKER
                write_state(path, replace(state, silenced=state.silenced + 1, speaker=speaker))
            if not is_kept(path):  # it was damaged, so that nothing of it could be told apart
                _remove_rest(path)
        return bool(spans)

    def sessions(self, user_id: str) -> list[str]:
        """The names of a user's sessions."""
        return [path.name for path in sessions_in(self._root / folder_name(user_id))]

    def remove(self, user_id: str, names: Iterable[str]) -> int:
        """Remove these sessions; how many there were. One that goes on is opened anew."""
        folder = self._root / folder_name(user_id)
        wanted = set(names)
        removed = sum(_remove(path) for path in sessions_in(folder) if path.name in wanted)
        with suppress(OSError):  # something has come since
            folder.rmdir()
        return removed

    def expire(self, now: Instant) -> int:
        """Remove sessions that are kept no longer; how many there were."""
        oldest = now - self._settings.days * DAY_S
        return sum(_remove(path) for path in list(self._all()) if _last(path) < oldest)

    def _all(self) -> Iterator[Path]:
        for folder in self._root.glob("*/"):
            yield from sessions_in(folder)

    def _has_room(self, user_id: str, size: int) -> bool:
        """Whether there is room for so much, if need be in the place of what the same user said longest ago."""
        if time.monotonic() - self._weighed_at > WEIGHED_S:
            self._weight, self._weighed_at = sum(map(_weight, self._all())), time.monotonic()
        if self._weight + size <= self._settings.most_mb * MB:
            return True
        for path in sorted(sessions_in(self._root / folder_name(user_id)), key=_last):
            self._weight -= _weight(path)
            _remove(path)
            if self._weight + size <= self._settings.most_mb * MB:
                return True
        return False


def _note(path: Path, told: Mapping[str, str | None], *, is_first: bool) -> None:
    """Note who speaks in a session, and by which device, where that is new."""
    state = read_state(path)
    speaker = told["speaker"] if is_first or state.speaker == told["speaker"] else UNNAMED_SPEAKER
    noted = replace(state, speaker=speaker, device_id=told["device_id"] or state.device_id)
    if noted != state:
        write_state(path, noted)


def session_stream(session_id: str) -> str:
    """The stream of a session that a caller has named. No other stream is called so: none has this sign."""
    return f"session={session_id}"


def session_of(stream: str) -> str | None:
    """The session that a stream is of, if a caller has named one."""
    kind, sign, session_id = stream.partition("=")
    return session_id if sign and kind == "session" else None


def is_of_session(path: Path, session_id: str) -> bool:
    """Whether a file holds sound of a session: it is its own, or of the device that the session is named after."""
    stream, device = stream_of(path), session_id.partition("-")[0]
    return stream == session_stream(session_id) or (session_of(stream) is None and path.name.startswith(f"{device}-"))


def named_key(key: str | None) -> str | None:
    """What the line of a piece says of the key of its request."""
    return None if key is None else digest("sound", key).hex()


def _is_of(path: Path, stream: str, rate: int) -> bool:
    return (stream_of(path), rate_of(path)) == (stream, rate)


def _may_be_by(path: Path, told: Mapping[str, str | None] | None) -> bool:
    """Whether a session is of the device that sends a piece, as far as both say which one it is."""
    return told is None or told["device_id"] is None or read_state(path).device_id in (None, told["device_id"])


def _began(path: Path) -> str:
    return path.stem.split("-")[-2]


def rate_of(path: Path) -> int:
    """Samples a second of a session."""
    return int(path.stem.split("-")[-1])


def stream_of(path: Path) -> str:
    """The stream a session is of."""
    return "-".join(path.stem.split("-")[:-2])


def _weight(path: Path) -> int:
    """Bytes of a session, its lines included."""
    with suppress(FileNotFoundError):
        return (bytes_on_disk(path) or 0) + path.with_suffix(".jsonl").stat().st_size
    return bytes_on_disk(path) or 0


def _last(path: Path) -> Instant:
    """When the last piece came; of a session without one, when its file was written; long ago if it was removed."""
    if pieces := pieces_of(path, TAIL_BYTES):
        return pieces[-1].at
    for each in (path, blocks_path(path)):
        with suppress(FileNotFoundError):
            return each.stat().st_mtime
    return float("-inf")


def _last_pieces(path: Path) -> list[SoundPiece]:
    return pieces_of(path, TAIL_BYTES)


def pieces_of(path: Path, tail: int | None = None) -> list[SoundPiece]:
    """The pieces of a session, all or the last ones; a torn line is none."""
    try:
        with path.with_suffix(".jsonl").open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            start = 0 if tail is None else max(0, size - tail)
            file.seek(start)
            lines = file.read().split(b"\n")[1 if start else 0 : -1]
    except FileNotFoundError:
        return []
    found = []
    for line in lines:
        with suppress(orjson.JSONDecodeError, TypeError):
            found.append(SoundPiece(**orjson.loads(line)))
    return found


def spoken(pieces: Sequence[SoundPiece], rate: int) -> list[SoundPiece]:
    """The same pieces, each with when it was spoken instead of when it came; none begins before the last one ended.

    Sound that comes late comes faster than it was spoken: what a device held back while it was out of reach, or a file
    that is sent as fast as it goes. What came last was spoken last, so it says when those before it were; but nothing
    was spoken before the first piece of all.
    """
    if not pieces:
        return []
    lasts = [each.size / (SAMPLE * rate) for each in pieces]
    ends = [each.at for each in pieces]
    for place in range(len(pieces) - 2, -1, -1):
        ends[place] = min(ends[place], ends[place + 1] - lasts[place + 1])
    last = pieces[0].at - lasts[0]
    for place, seconds in enumerate(lasts):
        ends[place] = last = max(ends[place], last + seconds)
    return [replace(each, at=end) for each, end in zip(pieces, ends, strict=True)]


def span_of(piece: SoundPiece, rate: int, began: Instant, ended: Instant) -> SoundSpan:
    """Where the samples of a piece begin that lie in a stretch of time, and how many bytes they are."""
    a_second = SAMPLE * rate
    heard_from = piece.at - piece.size / a_second
    first = min(max(0, int((began - heard_from) * rate) * SAMPLE), piece.size)
    last = min(max(first, int((ended - heard_from) * rate + 1) * SAMPLE), piece.size)
    return piece.start + first, last - first


def spans_in(path: Path, stretches: Sequence[tuple[Instant, Instant]]) -> list[SoundSpan]:
    """Where the samples of a session are that were heard in these stretches of time; in order, none over another.

    What was told before the rest came stands by when its sound came, and all else by when it was spoken.
    """
    came, rate = pieces_of(path), rate_of(path)
    lasts_s = max((each.size for each in came), default=0) / (SAMPLE * rate) + 1.0
    spans: list[SoundSpan] = []
    for pieces in (sorted(came, key=_came_at), spoken(came, rate)):
        for began, ended in stretches:
            first, last = bisect_left(pieces, began, key=_came_at), bisect_right(pieces, ended + lasts_s, key=_came_at)
            spans += [span_of(each, rate, began, ended) for each in pieces[first:last]]
    return joined(spans)


def _came_at(piece: SoundPiece) -> Instant:
    return piece.at


def spans_of_parts(path: Path, parts: Iterable[SessionPart]) -> list[SoundSpan]:
    """Where the samples of a session are that may be of these parts: with all that is silenced with words of a device,
    and in a session of its own with all that is nearer than another part can be."""
    before, after = (BEFORE_S, AFTER_S) if session_of(stream_of(path)) is None else (APART_S, APART_S)
    heard = [
        (each.started_at - before, each.ended_at + after) for each in parts if is_of_session(path, each.session_id)
    ]
    return spans_in(path, heard) if heard else []


def _remove(path: Path) -> bool:
    with locked(path.with_name(stream_of(path))):
        was_there = is_kept(path)
        remove_forms(path)
        _remove_rest(path)
    return was_there


def _remove_rest(path: Path) -> None:
    """Remove what lies beside the sound of a session that is gone. Only for whoever holds its lock."""
    path.with_suffix(".jsonl").unlink(missing_ok=True)
    state_path(path).unlink(missing_ok=True)
    if not any(stream_of(each) == stream_of(path) for each in sessions_in(path.parent)):
        drop_lock(path.with_name(stream_of(path)))
