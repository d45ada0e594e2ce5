"""What `memoray import` says of files that cannot be read."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cli import import_
from cli.main import command_line, rooms
from config.settings import load
from memory.errors import Invalid
from tests.accounts import STRANGER, acting_as, only_root
from tests.exports import SLACK
from tests.packing import unpacked


class Door:
    """A front door that takes what can be sent."""

    def __enter__(self) -> Door:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def get(self, path: str) -> Mapping[str, Any]:
        return {"time_zone": "UTC", "name": "Maya", "speaker_labels": []}

    def post(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        json.dumps(body, ensure_ascii=False).encode()
        return {"changed": len(body["segments"])}


@pytest.fixture(autouse=True)
def _door(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load()
    monkeypatch.setattr(import_, "load", lambda home: settings)  # a stranger may not see where the product lies
    monkeypatch.setattr(import_, "connect", lambda home, user: Door())


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command_line(rooms("import")), ["import", *arguments])


def test_a_file_is_named_once(tmp_path: Path) -> None:
    bad = tmp_path / "talk.srt"
    bad.write_text("1\n00:00:07,000 --> 00:00:06,000\nBen: backwards\n")
    result = run(str(bad))
    assert result.exit_code == 1
    assert f"{bad}: line 2: the cue ends before it starts." in result.output


def test_a_folder_without_a_file_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"\xff")
    assert isinstance(raised := run(str(tmp_path)).exception, Invalid)
    assert raised.detail.startswith(f"There is no file to import in {tmp_path}. Read are slack ")


@only_root
def test_a_folder_that_is_shut_keeps_only_itself_out() -> None:
    with tempfile.TemporaryDirectory() as shared:
        folder = Path(shared)
        for name in ("shut", "closed"):
            (folder / name).mkdir()
            (folder / name / "b.md").write_text("two")
        (folder / "a.md").write_text("one")
        for path, mode in ((folder, 0o755), (folder / "shut", 0o700), (folder / "closed", 0o744)):
            path.chmod(mode)
        told = acting_as(STRANGER, lambda: [run(shared).output, run(shared, "--as", "note").output])
    for output, names in zip(told, (("shut", "closed"), ("shut", "closed/b.md")), strict=True):
        assert "1 segment in 1 source from 3 files" in output
        for name in names:
            assert f"{folder / name}: Permission denied" in output


@only_root
def test_a_channel_that_is_shut_is_told() -> None:
    with tempfile.TemporaryDirectory() as shared:
        folder = unpacked(Path(shared), SLACK)
        folder.chmod(0o755)
        for path in folder.iterdir():
            path.chmod(0o755 if path.name != "general" else 0o700)
        exit_code, output = acting_as(STRANGER, lambda: [str((told := run(shared)).exit_code), told.output])
    assert exit_code == "1", output
    assert "what is in its folder general could not be read: Permission denied" in output


def test_a_name_that_is_no_text_keeps_only_its_file_out(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one")
    (tmp_path / "caf\udce9.md").write_text("two")
    result = run(str(tmp_path), "--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert (report["files"], report["segments"]) == (2, 1)
    assert [each["error"] for each in report["failed"]] == ["its name is not UTF-8"]


def test_what_each_file_was_taken_for_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one")
    (tmp_path / "b.md").write_text("two")
    (tmp_path / "chat.txt").write_text("31/12/2023, 21:05 - Ana: hi\n")
    assert "Read as note 2, whatsapp 1." in run(str(tmp_path)).output
    assert json.loads(run(str(tmp_path), "--json").stdout)["formats"] == {"note": 2, "whatsapp": 1}


def test_a_long_import_tells_now_and_then_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    at, tally, bar = [0.0], import_.Tally(), import_._progress(quiet=True)
    pace = import_.ImportProgress(tally, 2, bar, silent=False, clock=lambda: at[0])
    for moment, segments in ((1.0, 500), (11.0, 1_000), (12.0, 1_500)):
        at[0], tally.segments = moment, segments
        assert pace.sent(7) == 7
        assert (bar.tasks[0].fields["segments"], bar.tasks[0].completed) == (segments, 0)
    assert capsys.readouterr().err == "0 of 2 files, 1000 segments so far\n"


def test_a_language_that_is_heard_and_not_read_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Je suis allée à Paris avec ma soeur.")
    (tmp_path / "b.md").write_text("Nous sommes très heureux dans cette ville.")
    (tmp_path / "c.md").write_text("Ich wohne in Halle und arbeite bei der Bahn.")
    output = " ".join(run(str(tmp_path)).output.split())
    assert output.count("French (2 segments): found and quoted") == 1
    assert "German" not in output
    assert json.loads(run(str(tmp_path), "--json").stdout)["unread"] == {"French": 2}
