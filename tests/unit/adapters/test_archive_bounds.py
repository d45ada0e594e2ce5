"""What a door takes, an archive gives back: its bounds are no narrower."""

from __future__ import annotations

import orjson

from adapters.archives import pieces
from adapters.archives.reading import MOST_LINE
from adapters.capture.messages import MOST_HELD
from deployments.kinds import MOST_TEXT


def test_a_segment_as_long_as_a_door_takes_it_is_read_again() -> None:
    escaped = "\x01" * MOST_TEXT
    pieces.check(orjson.dumps({"text": escaped, "raw": escaped}))


def test_a_source_of_a_chat_fits_into_a_line_in_any_alphabet() -> None:
    assert MOST_HELD * len("🙂".encode()) <= MOST_LINE["sources"]
