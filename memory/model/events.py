"""Events: what the parts of the system are doing, as whoever watches it is told. Ids and figures, nobody's words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant, iso

START, COMPLETE, ERROR, METRIC = "start", "complete", "error", "metric"
EVENT_TYPES = (START, COMPLETE, ERROR, METRIC)


@dataclass(frozen=True, slots=True)
class Creature:
    """How a process is shown (seed 001, section 7). `ours`: it is a part of Memoray that exists, and emits."""

    process: str
    creature: str
    zone: str
    service: str
    ours: bool = False


REGISTRY: tuple[Creature, ...] = (
    Creature("omi-stream", "jellyfish", "listening", "audio-pipeline"),
    Creature("whisper-stt", "siren", "listening", "audio-pipeline"),
    Creature("speaker-id", "cerberus", "listening", "audio-pipeline"),
    Creature("ser-emotion", "hydra", "listening", "audio-pipeline"),
    Creature("webrtc-transport", "gargoyle", "listening", "annie-voice"),
    Creature("file-watcher", "owl", "thinking", "context-engine", ours=True),
    Creature("ingest-pipeline", "ouroboros", "thinking", "context-engine", ours=True),
    Creature("postgresql", "dragon", "thinking", "context-engine", ours=True),
    Creature("entity-extraction", "kraken", "thinking", "context-engine", ours=True),
    Creature("bm25-search", "starfish", "thinking", "context-engine", ours=True),
    Creature("daily-reflection", "phoenix", "thinking", "context-engine", ours=True),
    Creature("auth-gate", "basilisk", "thinking", "context-engine", ours=True),
    Creature("memory-loader", "sphinx", "thinking", "annie-voice"),
    Creature("tool-router", "griffin", "thinking", "annie-voice"),
    Creature("pipecat-pipeline", "luna-moth", "thinking", "annie-voice"),
    Creature("llm-qwen35-35b", "lion", "acting", "context-engine"),
    Creature("llm-qwen3-8b", "unicorn", "acting", "context-engine"),
    Creature("llm-qwen3-32b", "fairy", "acting", "context-engine"),
    Creature("llm-mistral-small", "pegasus", "acting", "context-engine"),
    Creature("llm-sarvam-m", "werewolf", "acting", "context-engine"),
    Creature("llm-claude-haiku", "centaur", "acting", "annie-voice"),
    Creature("llm-ollama", "minotaur", "acting", "annie-voice"),
    Creature("kokoro-tts", "leviathan", "acting", "annie-voice"),
    Creature("whisper-stt-annie", "serpent", "acting", "annie-voice"),
    Creature("searxng-search", "chimera", "acting", "annie-voice"),
    Creature("webpage-fetch", "selkie", "acting", "annie-voice"),
    Creature("data-channel", "nymph", "acting", "annie-voice"),
)
"""Every process that may be told of, whether there is one of that name yet or not."""
BY_PROCESS: Mapping[str, Creature] = {each.process: each for each in REGISTRY}
BY_CREATURE: Mapping[str, Creature] = {each.creature: each for each in REGISTRY}


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, in the memory of one user. `noted_at` is when it was taken in, by our own clock."""

    event_id: str
    user_id: str
    at: Instant
    noted_at: Instant
    told_by: Creature
    event_type: str
    session_id: str | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    reasoning: str = ""
    sensitivity: Sensitivity = Sensitivity.OPEN
    """Who sees it needs this clearance: how much is heard tells of what is heard."""


@dataclass(frozen=True, slots=True)
class SystemWork:
    """What waits in the whole system, and what it has been through."""

    reading: int
    """Pieces of work that wait; so are `embedding` and `erasing`."""
    embedding: int
    erasing: int
    turns: int
    """That all memories have been through."""
    dropped: Mapping[str, int]
    """Part of the system -> how many events it has dropped."""


def shown_event(event: Event) -> dict[str, Any]:
    """An event as it is sent (seed 001)."""
    return {
        "event_id": event.event_id,
        "timestamp": iso(event.at),
        "service": event.told_by.service,
        "process": event.told_by.process,
        "creature": event.told_by.creature,
        "zone": event.told_by.zone,
        "event_type": event.event_type,
        "session_id": event.session_id,
        "data": dict(event.figures),
        "reasoning": event.reasoning,
    }


def reason_for(process: str, event_type: str, figures: Mapping[str, Any]) -> str:
    """What our own parts say of an event: its figures, and no words but the names of these."""
    told = ", ".join(f"{name} {value}" for name, value in figures.items())
    return f"{process} {event_type}: {told}" if told else f"{process} {event_type}"
