"""`memoray bench` where nothing runs, and the grouping of commands of two words."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.console import Exit
from cli.main import command_line, main, rooms
from tests.unit.bench.test_conversations import row


def test_both_benchmarks_are_one_group() -> None:
    shown = CliRunner().invoke(command_line(rooms("bench")), ["bench", "--help"])
    assert shown.exit_code == Exit.OK
    assert "recall" in shown.stdout
    assert "latency" in shown.stdout


@pytest.mark.parametrize("name", ["latency", "recall"])
def test_nothing_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps(row()))
    of_data = ["--data", str(data)] if name == "recall" else []
    monkeypatch.setattr(sys, "argv", ["memoray", "bench", name, *of_data, "--home", str(tmp_path / "none")])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == Exit.NOT_RUNNING


def lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> object:
    """How `bench lives` ends with such a file where nothing runs."""
    life = tmp_path / "ana.life"
    life.write_text(text)
    monkeypatch.setattr(sys, "argv", ["memoray", "bench", "lives", str(life), "--home", str(tmp_path / "none")])
    with pytest.raises(SystemExit) as caught:
        main()
    return caught.value.code


def test_a_wrong_line_of_a_life_is_said_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    head = "# life: ana | owner: Ana | zone: UTC | language: en | people: Bo\n## 1 | 2026-01-12 19:10 | chat\n"
    assert lives(tmp_path, monkeypatch, f"{head}Cy: hi\n") == Exit.FAILED
    assert "ana.life, line 3" in capsys.readouterr().err
    assert lives(tmp_path, monkeypatch, f"{head}Bo: hi\n@ 2026-02-01 10:00\n") == Exit.NOT_RUNNING


def test_a_file_that_is_not_there_is_said_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["memoray", "bench", "recall", "--data", str(tmp_path / "none.jsonl")])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == Exit.FAILED


def test_the_immune_system_is_measured_where_nothing_runs(tmp_path: Path) -> None:
    line = {"id": "x", "category": "move", "speaker": "Sam", "role": "user", "text": "I live in Porto."}
    data = tmp_path / "lines.jsonl"
    data.write_text(json.dumps({**line, "expect": {"subject": "Sam", "about": ["porto"], "polarity": True}}))
    shown = CliRunner().invoke(command_line(rooms("bench")), ["bench", "immune", str(data)])
    assert shown.exit_code == Exit.OK
    assert "| all | 1 | 1 | 100.0 % |" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--systems", "mem0,nobody"], "nobody"),
        (["--systems", "txtai", "--peers-python", "/nowhere/python"], "/nowhere/python"),
    ],
)
def test_peers_that_cannot_be_asked_are_said_first(
    arguments: list[str],
    word: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps(row()))
    monkeypatch.setattr(sys, "argv", ["memoray", "bench", "peers", "--data", str(data), *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == Exit.FAILED
    assert word in capsys.readouterr().err
