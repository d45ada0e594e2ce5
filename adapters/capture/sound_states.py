"""How far each session of kept sound was heard: a small file beside it, so that nothing is known by a process alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from pathlib import Path

import orjson

from adapters.capture.files import PRIVATE, replace
from memory.model.timeline import Instant
from memory.services.ears import HearingModel


@dataclass(frozen=True, slots=True)
class SoundState:
    """What is known of a session beside its sound. Places are bytes of it."""

    user_id: str = ""
    """Whose it is; empty where it was kept before this was noted."""
    device_id: str | None = None
    speaker: str | None = None
    """Who speaks in it, as whoever sent it says; None is the owner."""
    ended: int = 0
    """It was said to be over when it was so long."""
    asked: int = 0
    """A sweep was asked for up to here."""
    heard: int = 0
    """It was swept up to here."""
    tries: int = 0
    """How often hearing what follows has failed."""
    again_at: Instant = 0.0
    """When it is tried again."""
    model: HearingModel | None = None
    """What it is swept with, as was asked for; None is whatever is configured."""
    engine: str | None = None
    """What its words were last heard with."""
    again: int = 0
    """How often it was swept anew from its beginning."""
    silenced: int = 0
    """How often something of it was silenced: what was heard meanwhile does not count."""
    unpacked: int = 0
    """How often bringing it into its lasting form has failed."""


_FIELDS = frozenset(field.name for field in fields(SoundState))


def state_path(path: Path) -> Path:
    """The file of it."""
    return path.with_suffix(".heard")


def read_state(path: Path) -> SoundState:
    """The state of a session; that of a new one where there is none, or none that can be read."""
    try:
        told = orjson.loads(state_path(path).read_bytes())
        return SoundState(**{name: value for name, value in told.items() if name in _FIELDS})
    except (FileNotFoundError, orjson.JSONDecodeError, AttributeError, TypeError):
        return SoundState()


def write_state(path: Path, state: SoundState) -> None:
    """Put a state on disk. Only for whoever holds the lock of the session's stream."""
    told = state_path(path)
    told.with_name(f".{told.name}.tmp").touch(PRIVATE)
    replace(told, orjson.dumps(asdict(state)))
