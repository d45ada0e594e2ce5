"""Sounds of voices that sound alike lie side by side in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from cli.client import HttpClient
from cli.night import _voices
from cli.voices import _proposal, _put_sounds

PAIR: dict[str, Any] = {
    "voice_id": "v-1",
    "other_id": "v-2",
    "names": ["Tom", "Thomas"],
    "sources": [["lunch"], []],
    "similarity": 0.8,
    "sounds": [[{"url": "/v1/segments/lunch/a/audio"}, {"url": "/v1/segments/lunch/b/audio"}], [{"url": "/other"}]],
}


class Saving:
    """A client that writes an address in the place of what is there."""

    def save(self, path: str, target: Path) -> int:
        return target.write_text(path)


def test_each_sound_is_named_by_its_pair_and_side(tmp_path: Path) -> None:
    _put_sounds(cast(HttpClient, Saving()), [PAIR], tmp_path / "compare")
    found = {each.name: each.read_text() for each in (tmp_path / "compare").iterdir()}
    assert found == {
        "pair-01-a-1.wav": "/v1/segments/lunch/a/audio",
        "pair-01-a-2.wav": "/v1/segments/lunch/b/audio",
        "pair-01-b-1.wav": "/other",
    }


def test_a_pair_says_how_it_becomes_one_and_how_two() -> None:
    told = _proposal(PAIR, "maya", None)
    assert "Tom (lunch) sounds like Thomas (enrolled): 0.80" in told
    assert ("voices merge v-1 v-2 --user maya" in told, "voices differ v-1 v-2 --user maya" in told) == (True, True)


def test_a_night_tells_of_pairs_alone() -> None:
    assert _voices({}) == _voices({"voices": {"alike": []}}) == ""
    assert _voices({"voices": {"alike": [["v-1", "v-2", 0.8]]}}).startswith("1 pair of voices may be one person")
