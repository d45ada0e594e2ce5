"""Settings of what the doors tell, keep and reach: events, sound, chats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memory.model.quantities import Count, Days, OpusKilobits


@dataclass(frozen=True, slots=True)
class Events:
    """What is told of the work of the parts, and to whom."""

    days: Days = 7.0
    """Days for which events are kept (seed 001)."""
    most: Count = 500_000
    """Events of one memory that are kept; the oldest go first (chosen: 300 MB)."""
    metrics: Literal["token", "loopback"] = "token"
    """Who may read GET /metrics: `token`, whoever shows an administrator's; `loopback`, without a token, whoever asks
    from this machine. Behind a proxy on the same machine that is everybody."""


@dataclass(frozen=True, slots=True)
class Sound:
    """What is kept of the sound that devices send, and whether it is heard (decisions 0094 and 0106)."""

    days: Days = 30.0
    """Days for which it is kept (chosen: a month to hear again what was said); 0 = it never is."""
    session_mb: Count = 1_000
    """Megabytes of one session, after which another begins (chosen: nine hours of 16,000 samples a second)."""
    most_mb: Count = 10_000
    """Megabytes of all sound of all users; beyond them the oldest of whoever is heard goes (chosen: four days as it
    came, a month of Opus)."""
    streams: Count = 4
    """Live streams of one memory that a gateway hears at once, of the eight that it hears in all (chosen: half of them,
    so that nobody keeps the others out)."""
    kbit: OpusKilobits = 24
    """Kilobits a second of Opus, in which sound is kept once its session is over and was swept, where the extra
    `speech` is there (24 or 32, the usual for speech of 16,000 samples a second; RFC 6716, 2.1.1); 0 = as it came."""
    key_file: Path | None = None
    """A file of keys, mode 0600, by which sound is encrypted on disk, relative to home; null = it is not (0111)."""
    sweeps: bool = True
    """Whether a session is heard in the background once it has ended, where the extra `speech` is there."""
    strangers: Literal["keep", "keep_without_name", "drop"] = "keep"
    """What becomes of sentences in voices that nobody has named (decision 0105): they are kept under a number by
    which the voice is recognised; kept as somebody's, and nothing of the voice; or dropped."""


@dataclass(frozen=True, slots=True)
class Chat:
    """What the language model of a chat may reach beside memory: nothing, unless it is said here."""

    search_url: str | None = None
    """Base address of a SearXNG that answers in JSON, for example http://127.0.0.1:8888; null = no `web_search`."""
    fetch: bool = False
    """Whether it may read public web pages (`fetch_webpage`). What it asks for leaves this machine: an address can hold
    words of the memory, and whoever was heard can ask for one."""
