"""`memoray profile`: what is given is put, what is not keeps its value, and nobody is asked to be somebody."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from typer.testing import CliRunner

from cli import profile
from cli.main import command_line, rooms
from memory.errors import Invalid


class Door:
    """A front door with one profile."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {
            "name": "",
            "speaker_labels": ["user", "me"],
            "assistant_labels": [],
            "time_zone": "UTC",
            "languages": ["en"],
            "preset": "default",
        }
        self.puts: list[Mapping[str, Any]] = []

    def __enter__(self) -> Door:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def get(self, path: str) -> dict[str, Any]:
        assert path == "/v1/profile"
        return self.known

    def put(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        self.puts.append(body)
        self.known = self.known | body
        return self.known


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Door:
    made = Door()
    monkeypatch.setattr(profile, "connect", lambda home, user: made)
    return made


def run(*arguments: str) -> str:
    result = CliRunner().invoke(command_line(rooms("profile")), ["profile", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_without_an_option_it_only_shows(door: Door) -> None:
    assert "nobody has said yet" in run()
    assert door.puts == []


def test_what_is_given_is_put_and_labels_are_added(door: Door) -> None:
    told = json.loads(run("--name", "Maya", "--label", "SPEAKER_00", "--zone", "Europe/Lisbon", "--json"))
    assert door.puts == [{"name": "Maya", "speaker_labels": ["user", "me", "SPEAKER_00"], "time_zone": "Europe/Lisbon"}]
    assert (told["name"], told["languages"]) == ("Maya", ["en"])


def test_languages_take_the_place_of_those_there_were(door: Door) -> None:
    assert "speaks en, pt" in run("--name", "Maya", "--language", "en", "--language", "pt")


def test_a_label_of_nothing_is_refused(door: Door) -> None:
    result = CliRunner().invoke(command_line(rooms("profile")), ["profile", "--label", " "])
    assert isinstance(result.exception, Invalid)
    assert door.puts == []


def test_a_language_that_is_heard_and_not_read_is_told(door: Door) -> None:
    assert "Portuguese: found and quoted" in " ".join(run("--language", "en", "--language", "pt-BR").split())
    assert "found and quoted" not in run("--language", "en", "--language", "de")
