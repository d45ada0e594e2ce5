"""Every error Memoray raises on purpose, one tree.

The docstring of a class is its default message. Ids are attached as keyword arguments, never words: an error must be
safe to log and to send over HTTP. `status` is the HTTP status a front door answers with.
"""

from __future__ import annotations


class DomainError(Exception):
    """The request cannot be carried out."""

    status = 400
    kind = "domain-error"

    def __init__(self, detail: str | None = None, **ids: object) -> None:
        self.detail = detail or (type(self).__doc__ or "").strip()
        self.ids = ids
        super().__init__(self.detail)

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling with its ids: errors cross process borders on Ray."""
        return _rebuild, (type(self), self.detail, self.ids)


def _rebuild(cls: type[DomainError], detail: str, ids: dict[str, object]) -> DomainError:
    return cls(detail, **ids)


class Invalid(DomainError):
    """The input is not valid."""

    status = 422
    kind = "invalid"


class NotFound(DomainError):
    """There is no such thing in this memory."""

    status = 404
    kind = "not-found"


class Conflict(DomainError):
    """The request collides with what is there."""

    status = 409
    kind = "conflict"


class NameTaken(Conflict):
    """Another entity of this type already has that name; merge them instead."""

    kind = "name-taken"


class Forgotten(Conflict):
    """This was forgotten and stays forgotten."""

    kind = "forgotten"


class NothingToUndo(Conflict):
    """There is no command left to undo."""

    kind = "nothing-to-undo"


class Ambiguous(Conflict):
    """The id prefix fits more than one thing."""

    kind = "ambiguous"


class TooLarge(DomainError):
    """The request is larger than the limit."""

    status = 413
    kind = "too-large"


class Unreadable(DomainError):
    """The body is in a form that is not read here."""

    status = 415
    kind = "unreadable"


class Unauthenticated(DomainError):
    """A valid token is required: send it as X-Internal-Token or Authorization: Bearer."""

    status = 401
    kind = "unauthenticated"


class TooManyAttempts(DomainError):
    """Too many tokens that are not known here came from there; wait, or send the right one, which is let in at once."""

    status = 429
    kind = "too-many-attempts"


class TooManyRequests(DomainError):
    """More is asked than one may ask in this time: wait, then ask again."""

    status = 429
    kind = "too-many-requests"


class Forbidden(DomainError):
    """This token may not do that."""

    status = 403
    kind = "forbidden"


class Unavailable(DomainError):
    """A part of Memoray is not reachable right now; try again."""

    status = 503
    kind = "unavailable"


class JournalUnavailable(Unavailable):
    """The journal (PostgreSQL) cannot be reached right now; try again."""

    kind = "journal-unavailable"


class StatementTimeout(Unavailable):
    """The database did not finish in the time that is given to such work, and nothing was changed; try again."""

    kind = "statement-timeout"


class LockTimeout(Unavailable):
    """Other work on the same memory did not make way in time, and nothing was changed; try again."""

    kind = "lock-timeout"


class NoConnection(Unavailable):
    """Every connection to the database is in use, and nothing was changed; try again."""

    kind = "no-connection"


class DiskFull(Unavailable):
    """The disk is full: make room, then send again what was refused. Nothing that was acknowledged is lost."""

    status = 507
    kind = "disk-full"


class SoundSealed(Unavailable):
    """This sound is encrypted, and its key is not at hand: name the file of keys in sound.key_file."""

    kind = "sound-sealed"


class Fenced(Unavailable):
    """Another writer has taken over this memory; nothing was written."""

    kind = "fenced"


class SoundDamaged(Conflict):
    """The file of this sound was damaged or changed since it was written, and is not played."""

    kind = "sound-damaged"


class Stale(Conflict):
    """The memory has moved on since this was judged; judge again."""

    kind = "stale"


class JournalBehind(Conflict):
    """The journal has lost turns that were captured: `memoray rebuild journal` brings it up to date."""

    kind = "journal-behind"


class Unjudged(Stale):
    """A claim has met a rival that nobody has judged yet; judge them and submit again."""

    kind = "unjudged"

    def __init__(self, detail: str | None = None, *, questions: tuple[object, ...] = (), **ids: object) -> None:
        super().__init__(detail, **ids)
        self.questions = questions
        """The pairs to be judged (memory.model.verdicts.Question). They hold words: never log them, never show them."""

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling with its questions."""
        return _rebuild_unjudged, (self.detail, self.questions, self.ids)


def _rebuild_unjudged(detail: str, questions: tuple[object, ...], ids: dict[str, object]) -> Unjudged:
    return Unjudged(detail, questions=questions, **ids)


class ModelFailed(Unavailable):
    """A model did not give a usable answer."""

    kind = "model-failed"


class AnswerCut(ModelFailed):
    """The language model's answer was cut off: it needed more tokens than it was allowed."""

    kind = "answer-cut"


class ReadingEnded(ModelFailed):
    """Reading these words had to be ended."""

    kind = "reading-ended"


class EngineFailed(Unavailable):
    """A graph engine did not give a usable answer."""

    kind = "engine-failed"


class ConfigError(DomainError):
    """The settings cannot be used."""

    status = 500
    kind = "config-error"


def is_away(error: Exception) -> bool:
    """Whether the system failed and not the work, which may well end when it is tried again: the database, a shard.

    A model that fails and a statement that takes too long are the work's own.
    """
    own = isinstance(error, ModelFailed | StatementTimeout)
    return isinstance(error, Unavailable | TimeoutError) and not own
