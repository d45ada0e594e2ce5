"""What a door takes, an archive gives back: its bounds are no narrower."""

from __future__ import annotations

import json

import orjson
import pytest
from pydantic import ValidationError

from adapters.archives import kinds, pieces, schema
from adapters.archives.reading import MOST_LINE
from adapters.capture.messages import MOST_HELD
from deployments.kinds import MOST_ID, MOST_INDEXED, MOST_TEXT
from deployments.use_cases.remembering import Correction, FactToRemember
from deployments.use_cases.telling import SourceIn, source_of
from deployments.use_cases.telling_voices import HeardVoiceIn
from memory.model.profile import Profile


def test_a_segment_as_long_as_a_door_takes_it_is_read_again() -> None:
    escaped = "\x01" * MOST_TEXT
    pieces.check(orjson.dumps({"text": escaped, "raw": escaped}))


def test_a_source_of_a_chat_fits_into_a_line_in_any_alphabet() -> None:
    assert MOST_HELD * len("🙂".encode()) <= MOST_LINE["sources"]


SOURCE: dict[str, object] = {
    "source_id": "s1",
    "session_id": "s1",
    "kind": "conversation",
    "started_at": "2026-03-01T08:00:00+00:00",
    "ended_at": None,
    "offset_s": 0,
    "participants": [],
    "context_type": None,
    "device_id": None,
    "sensitivity": 0,
    "ttl_policy": "decay",
    "state": "active",
    "created_at": "2026-03-01T08:00:00+00:00",
    "segments": [],
}


@pytest.mark.parametrize("number", [1_800_000_000_000_000_001, 1e300, -1e16])
def test_whatever_number_a_door_takes_is_read_again(number: float) -> None:
    emotion = {"label": number, "score": number, "prosody": {"p" * 1_000: number}}
    said = {"segment_id": "1", "speaker": "Ravi", "text": "Hi.", "emotion": emotion}
    body = {"source_id": "s1", "started_at": "2026-03-01T08:00Z", "provenance": {"message": number}, "segments": [said]}
    told = source_of(SourceIn.model_validate(body), "user:maya", Profile())
    line = json.dumps({**SOURCE, "provenance": told.provenance})
    assert schema.SourceLine.model_validate_json(line).provenance == {"message": float(number)}
    kept = schema.Emotion.model_validate_json(json.dumps(told.segments[0].emotion))
    assert kept.model_dump() == told.segments[0].emotion


def test_a_key_with_what_is_counted_behind_it_is_read_again() -> None:
    turn: dict[str, object] = {
        "version": 1,
        "command_id": f"{'k' * MOST_ID}-12-3",
        "kind": "ForgetFact",
        "actor": "administrator",
    }
    lists: dict[str, object] = {"changes": [], "outcomes": [], "touched": []}
    line = json.dumps({**turn, **lists, "at": "2026-03-01T08:00:00+00:00", "undoes": turn["command_id"]})
    assert schema.JournalLine.model_validate_json(line).undoes == turn["command_id"]


@pytest.mark.parametrize("model", ["", "m" * 1_000, "a model\nof mine"])
def test_the_print_of_any_model_is_read_again(model: str) -> None:
    heard = HeardVoiceIn.model_validate({"number": 1, "seconds": 9.0, "model": model, "embedding": [3.0, 4.0]}).heard()
    told: dict[str, object] = {
        "print_id": "w-0123456789abcdef",
        "voice_id": "v-0123456789abcdef",
        "origin": "heard",
        "style": "normal",
    }
    told |= {"model": heard.model, "seconds": heard.seconds, "embedding": heard.embedding, "source_id": "s1"}
    line = json.dumps({**told, "at": "2026-03-01T08:00:00+00:00"})
    assert schema.VoicePrintLine.model_validate_json(line).model == model


def test_a_door_takes_no_longer_name_for_an_index_than_an_archive_and_the_database_hold() -> None:
    assert MOST_INDEXED <= kinds.INDEXED_BYTES
    for told in ({"statement": "Ravi keeps bees", "subject": "Ravi"}, {"statement": "Ravi keeps bees"}):
        body = FactToRemember if "subject" in told else Correction
        assert body.model_validate({**told, "predicate": "k" * 1_000}).predicate == "k" * 1_000
        with pytest.raises(ValidationError, match="at most 2,000 bytes"):
            body.model_validate({**told, "predicate": "🦆" * 501})
