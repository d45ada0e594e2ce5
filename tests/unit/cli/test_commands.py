"""What holds for every command, and what the small ones say when nothing runs."""

import inspect
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import doctor
from cli.console import Exit
from cli.main import ROOMS, command_line, main, rooms
from cli.runtime import Places, Runtime
from config.settings import Settings

COMMANDS = [(name, command) for room in rooms() for name, command in room.COMMANDS]


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_every_command_has_an_example_json_and_a_home(name: str, command: object) -> None:
    assert callable(command)
    words = inspect.getdoc(command) or ""
    assert f"Example: memoray {name}" in words
    needed = {"as_json"} if name.startswith("bench ") else {"home", "as_json"}  # a benchmark may need no memory
    assert needed <= set(inspect.signature(command).parameters)


def test_names_are_unique() -> None:
    assert len({name for name, _ in COMMANDS}) == len(COMMANDS)


def test_the_table_of_rooms_names_the_commands_of_each() -> None:
    """By it only the room of a command is opened; a command it does not name would open all of them, slowly."""
    found = zip(ROOMS, rooms(), strict=True)
    assert {room: set(ROOMS[room]) for room in ROOMS} == {
        room: {name.split()[0] for name, _ in module.COMMANDS} for room, module in found
    }


def test_a_command_opens_its_room_alone() -> None:
    assert [room.__name__ for room in rooms("ask")] == ["cli.ask"]
    assert [room.__name__ for room in rooms("entities")] == ["cli.memory_verbs", "cli.operators"]
    assert len(rooms("frob")) == len(rooms("--help")) == len(rooms()) == len(ROOMS)


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(command_line(rooms()), list(arguments))
    return result.exit_code, result.stdout


def test_status_of_nothing(tmp_path: Path) -> None:
    code, text = run("status", "--json", "--home", str(tmp_path / "none"))
    assert code == Exit.NOT_RUNNING
    assert json.loads(text) == {"state": "stopped", "error": None}
    assert not (tmp_path / "none").exists()


def test_status_after_a_failed_start_tells_why(tmp_path: Path) -> None:
    places = Places(tmp_path)
    places.prepare()
    Runtime(home=str(tmp_path), state="failed", error="No PostgreSQL found.").write(places)
    code, text = run("status", "--json", "--home", str(tmp_path))
    assert (code, json.loads(text)) == (Exit.NOT_RUNNING, {"state": "failed", "error": "No PostgreSQL found."})


def test_down_of_nothing_is_fine_and_makes_nothing(tmp_path: Path) -> None:
    code, text = run("down", "--json", "--home", str(tmp_path / "none"))
    assert code == Exit.OK
    assert json.loads(text)["stopped"] is False
    assert not (tmp_path / "none").exists()


def test_logs_shows_the_end_of_each_part(tmp_path: Path) -> None:
    places = Places(tmp_path)
    places.prepare()
    places.log("ray").write_text("".join(f"line {number}\n" for number in range(100)))
    places.log("postgres").write_text("[bold] is not markup\n")
    code, text = run("logs", "-n", "2", "--json", "--home", str(tmp_path))
    assert code == Exit.OK
    assert {part["part"]: part["lines"] for part in json.loads(text)} == {
        "postgres": ["[bold] is not markup"],
        "ray": ["line 98", "line 99"],
    }
    assert "[bold] is not markup" in run("logs", "postgres", "--home", str(tmp_path))[1]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["logs", "cellar"], Exit.FAILED), (["nonsense"], Exit.USAGE), (["status", "--nope"], Exit.USAGE)],
)
def test_an_error_is_an_exit_code_and_no_trace(
    arguments: list[str], code: Exit, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["memoray", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == code
    assert "Traceback" not in capsys.readouterr().err


def test_doctor_finds_what_is_wrong_and_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(home=tmp_path)
    (tmp_path / "token").write_text("secret")
    (tmp_path / "token").chmod(0o644)
    monkeypatch.setenv("MEMORAY_PG_BIN", str(tmp_path))
    monkeypatch.setattr(doctor, "PACKAGES", ("json", "no_such_package"))
    found = {name: doctor._look(check, settings) for name, check in doctor.CHECKS if name != "models"}
    assert found["token"].level == "fail"
    assert found["token"].hint == f"chmod 600 {tmp_path / 'token'}"
    assert found["postgres"].level == "fail"
    assert "MEMORAY_PG_BIN" in found["postgres"].facts
    assert found["packages"].facts == "cannot be imported: no_such_package"
    assert found["disk"].level in ("ok", "warn")
