"""The registry of processes, and events as programs tell them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import Invalid
from memory.model.events import BY_CREATURE, BY_PROCESS, REGISTRY, shown_event
from memory.services.event_reading import read_event

FRESH = "00000000-0000-4000-8000-000000000007"
NOW, OLDEST = 1_772_634_600.0, 1_772_000_000.0
SEED = """
jellyfish listening audio-pipeline omi-stream
siren listening audio-pipeline whisper-stt
cerberus listening audio-pipeline speaker-id
hydra listening audio-pipeline ser-emotion
gargoyle listening annie-voice webrtc-transport
owl thinking context-engine file-watcher
ouroboros thinking context-engine ingest-pipeline
dragon thinking context-engine postgresql
kraken thinking context-engine entity-extraction
starfish thinking context-engine bm25-search
phoenix thinking context-engine daily-reflection
basilisk thinking context-engine auth-gate
sphinx thinking annie-voice memory-loader
griffin thinking annie-voice tool-router
luna-moth thinking annie-voice pipecat-pipeline
lion acting context-engine llm-qwen35-35b
unicorn acting context-engine llm-qwen3-8b
fairy acting context-engine llm-qwen3-32b
pegasus acting context-engine llm-mistral-small
werewolf acting context-engine llm-sarvam-m
centaur acting annie-voice llm-claude-haiku
minotaur acting annie-voice llm-ollama
leviathan acting annie-voice kokoro-tts
serpent acting annie-voice whisper-stt-annie
chimera acting annie-voice searxng-search
selkie acting annie-voice webpage-fetch
nymph acting annie-voice data-channel
"""


def test_the_registry_is_the_founding_designs() -> None:
    rows = [f"{each.creature} {each.zone} {each.service} {each.process}" for each in REGISTRY]
    assert rows == SEED.split("\n")[1:-1]
    assert len(BY_PROCESS) == len(BY_CREATURE) == len(REGISTRY)


def read(**told: Any) -> dict[str, Any]:
    return shown_event(read_event(told, "u", NOW, OLDEST, FRESH))


def test_what_is_left_out_is_filled_in_from_the_registry() -> None:
    told = read(creature="kraken", event_type="start")
    assert told.pop("event_id") == FRESH
    assert told == {
        "timestamp": "2026-03-04T14:30:00Z",
        "service": "context-engine",
        "process": "entity-extraction",
        "creature": "kraken",
        "zone": "thinking",
        "event_type": "start",
        "session_id": None,
        "data": {},
        "reasoning": "",
    }
    assert read(process="kokoro-tts", event_type="error")["creature"] == "leviathan"


def test_what_is_told_is_kept_as_it_is() -> None:
    whole = {
        "event_id": "550e8400-e29b-41d4-a716-446655440000",
        "timestamp": "2026-03-04T14:20:00.250000Z",
        "service": "context-engine",
        "process": "entity-extraction",
        "creature": "kraken",
        "zone": "thinking",
        "event_type": "complete",
        "session_id": "c9cf6c7f-7d00-4421-b774-1c33a5e7cc5b",
        "data": {"entities_found": 7, "duration_ms": 8400},
        "reasoning": "Extracted 7 entities in 8400ms",
    }
    assert read(**whole) == whole


WRONG: list[Any] = [
    "event",
    None,
    7,
    [],
    {},
    {"creature": "kraken"},
    {"event_type": "start"},
    {"creature": "kraken", "event_type": "begin"},
    {"creature": "wombat", "event_type": "start"},
    {"process": "no-such", "event_type": "start"},
    {"process": "no-such", "creature": "kraken", "event_type": "start"},
    {"process": "kokoro-tts", "creature": "kraken", "event_type": "start"},
    {"creature": ["kraken"], "event_type": "start"},
    {"creature": "kraken", "event_type": ["start"]},
    *(
        {"creature": "kraken", "event_type": "start", **rest}
        for rest in (
            {"event_id": "7"},
            {"event_id": 7},
            {"timestamp": "soon"},
            {"timestamp": []},
            {"timestamp": 10**400},
            {"timestamp": float("nan")},
            {"timestamp": "1999-01-01T00:00:00Z"},
            {"timestamp": "2199-01-01T00:00:00Z"},
            {"session_id": 7},
            {"session_id": "x" * 201},
            {"session_id": "\x00"},
            {"session_id": "\ud800"},
            {"reasoning": "x" * 501},
            {"reasoning": {}},
            {"data": []},
            {"data": "x"},
            {"data": {"x": "y" * 4_000}},
            {"data": {"x": "\x00"}},
            {"data": {"\ud800": 1}},
            {"data": {"x": float("inf")}},
            {"data": {"x": 2**70}},
            {"data": {"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}}},
        )
    ),
]


@pytest.mark.parametrize("told", WRONG)
def test_what_is_none_is_refused_by_its_place_and_without_its_words(told: Any) -> None:
    with pytest.raises(Invalid) as refused:
        read_event(told, "u", NOW, OLDEST, FRESH)
    assert "wombat" not in refused.value.detail


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.text()
                | st.sampled_from(["creature", "process", "event_type", "data", "timestamp", "event_id", "session_id"]),
                inner,
                max_size=6,
            )
        ),
    )
)
def test_whatever_is_told_is_read_or_refused(told: Any) -> None:
    try:
        read_event(told, "u", NOW, OLDEST, FRESH)
    except Invalid:
        return
