"""What holds for every command, and what the small ones say when nothing runs."""

import inspect
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from adapters import build, temporary
from adapters.postgres import embedded
from cli import archive, doctor, leftovers, lifecycle
from cli.console import Exit, out
from cli.described import described
from cli.main import _asked_for, command_line, every_room, main, rooms
from cli.runtime import Places, Runtime
from config.doors import Sound
from config.settings import Settings, project_root
from memory.errors import Invalid
from tests.fakes import rapids
from tests.fakes.whisperx import FakePyannote, FakeWhisperX, output

COMMANDS = [(name, command) for room in rooms() for name, command in room.COMMANDS]


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_every_command_has_an_example_json_and_a_home(name: str, command: object) -> None:
    assert callable(command)
    words = inspect.getdoc(command) or ""
    assert f"Example: memoray {name}" in words
    needed = {"as_json"} if name.startswith("bench ") else {"home", "as_json"}  # a benchmark may need no memory
    needed -= {"as_json"} if name == "mcp" else set()  # it speaks nothing else
    assert needed <= set(inspect.signature(command).parameters)


def test_names_are_unique() -> None:
    assert len({name for name, _ in COMMANDS}) == len(COMMANDS)


def test_the_table_of_rooms_names_the_commands_of_each() -> None:
    """By it only the room of a command is opened; a command it does not name would open all of them, slowly."""
    found = zip(every_room(), rooms(), strict=True)
    assert {room: set(every_room()[room]) for room in every_room()} == {
        room: {name.split()[0] for name, _ in module.COMMANDS} for room, module in found
    }


def test_a_command_opens_its_room_alone() -> None:
    assert [room.__name__ for room in rooms("ask")] == ["cli.ask"]
    assert [room.__name__ for room in rooms("entities")] == ["cli.memory_verbs", "cli.entities"]
    assert (rooms("frob"), len(rooms())) == ([], len(every_room()))


def test_the_list_of_commands_is_that_of_the_opened_rooms_and_opens_none() -> None:
    listed = [described(room) for room in every_room()]
    shown = [CliRunner().invoke(command_line(some), ["--help"]).stdout for some in (listed, rooms())]
    assert shown[0] == shown[1]
    program = Path(sys.executable).with_name("memoray")
    for arguments in ((), ("--help",), ("frob",)):
        line = [sys.executable, "-X", "importtime", program, *arguments]
        opened = subprocess.run(line, capture_output=True, text=True, check=False).stderr
        assert "cli.console" in opened
        assert not re.search(r"cli\.ask|bench\.(?!commands)|numpy", opened)


def test_a_room_that_makes_its_table_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "made_room.py").write_text("def go():\n    pass\n\n\nCOMMANDS = tuple([('go', go)])\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert described("made_room") is sys.modules["made_room"]


def test_a_command_behind_two_dashes_is_that_command() -> None:
    assert _asked_for(["memoray", "--", "ask"], {}).registered_commands[0].callback is rooms("ask")[0].COMMANDS[0][1]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("memoray cor", {"correct"}),
        ("memoray\ncor", {"correct"}),
        ("memoray entities re", {"rename", "retype"}),
        ("memoray facts --sub", {"--subject"}),
        ("memoray entities ", {"rename", "alias", "merge", "split", "retype"}),
    ],
)
def test_a_shell_completes_commands_and_options(line: str, found: set[str]) -> None:
    words = line.split()
    current = len(words) - (not line[-1].isspace())
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(current), "_MEMORAY_COMPLETE": "complete_bash"}
    program = Path(sys.executable).with_name("memoray")
    done = subprocess.run([program], env=asked, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == found


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


def test_a_file_that_cannot_be_written_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").write_text("a file")
    monkeypatch.setattr(sys, "argv", ["memoray", "up", "--home", str(tmp_path / "home")])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == Exit.FAILED
    assert str(tmp_path / "home") in capsys.readouterr().err


def test_an_argument_that_is_no_text_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def sent(_: object) -> None:
        "a byte that is no UTF-8 \udcff".encode()

    monkeypatch.setattr("cli.main.command_line", lambda opened: lambda: sent(opened))
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == Exit.FAILED
    assert capsys.readouterr().err == "Invalid: What was given is not UTF-8.\n"


def test_a_mistake_in_the_settings_is_told_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "memory.yaml").write_text("http: {prot: 8001}\n")
    monkeypatch.setattr(sys, "argv", ["memoray", "up", "--home", str(tmp_path)])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == Exit.FAILED
    assert "did you mean port?" in capsys.readouterr().err
    assert not Places(tmp_path).log("supervisor").exists()


def test_an_interrupted_start_goes_on_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(lifecycle, "_spawn", lambda places: None)
    monkeypatch.setattr(lifecycle, "_follow", interrupted)
    result = CliRunner().invoke(command_line(rooms("up")), ["up", "--home", str(tmp_path)])
    assert result.exit_code == 130
    assert "goes on starting" in result.output


def test_why_a_start_failed_is_told_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = Places(tmp_path)
    places.prepare()
    places.log("supervisor").write_text("[/a] line\n")
    lifecycle._explain_failure(places, Runtime(home=str(tmp_path), state="failed", error="No [/x] here."))
    told = capsys.readouterr().err
    assert told.startswith("Memoray did not start. No [/x] here.\n")
    assert "  [/a] line\n" in told


def test_an_archive_goes_into_the_folder_or_the_file_that_is_named(tmp_path: Path) -> None:
    assert archive._within(None, "a.zip", tmp_path) == tmp_path / "a.zip"
    assert archive._within(tmp_path, "a.zip", Path()) == tmp_path / "a.zip"
    assert archive._within(tmp_path / "mine.zip", "a.zip", Path()) == tmp_path / "mine.zip"
    with pytest.raises(Invalid, match=f"There is no folder {tmp_path / 'none'}"):
        archive._within(tmp_path / "none" / "mine.zip", "a.zip", Path())


def test_words_are_shown_as_they_were_said(capsys: pytest.CaptureFixture[str]) -> None:
    out.print(":cat: and \x1b[2Jtea", markup=False)
    assert capsys.readouterr().out == ":cat: and [2Jtea\n"


def test_help_breaks_no_paragraph_into_lines() -> None:
    """The help keeps the breaks of a docstring, wherever the terminal's own fall."""
    paragraphs = {name: (inspect.getdoc(command) or "").split("\n\n") for name, command in COMMANDS}
    told = [(name, each) for name, all_ in paragraphs.items() for each in all_ if not each.startswith("Example:")]
    assert [(name, each) for name, each in told if "\n" in each] == []


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


def test_doctor_tells_how_much_sound_there_is_and_what_cannot_be_heard(tmp_path: Path) -> None:
    def look(key: str | None = None) -> tuple[str, str]:
        found = doctor._look(dict(doctor.CHECKS)["sound"], replace(settings, sound=Sound(key_file=key and file)))
        return found.level, found.facts

    settings, file = Settings(home=tmp_path), tmp_path / "sound.key"
    assert look() == ("ok", "0 sessions, 0.0 h in 0 MB, 0 as Opus; not encrypted")
    assert look("missing") == ("fail", "sound.key_file cannot be read: FileNotFoundError.")
    file.touch(0o600)
    file.write_text("ab" * 32)
    kept = build.sounds(replace(settings, sound=Sound(key_file=file)))
    assert kept.keep("maya", "omi", 16_000, bytes(32_000) * 360, 1_772_366_400.0, None)
    assert look("named") == ("ok", "1 session, 0.1 h in 12 MB, 0 as Opus; 1 of them encrypted")
    file.write_text("cd" * 32)
    level, facts = look("another")
    assert (level, "1 need a key that is not named, 0 are damaged" in facts) == ("warn", True)
    file.write_text("cd" * 32 + "\n" + "ab" * 32)
    assert look("both")[1].endswith("1 of them encrypted, 1 still by an old key")
    file.chmod(0o640)
    assert look("open")[0] == "fail"
    assert "chmod 600" in look("open")[1]


def test_doctor_looks_at_one_thing_alone_and_then_closer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    doctor.doctor("gpu", home=tmp_path, as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert {name: each["level"] for name, each in found.items()} == {"gpu": "ok", "graph": "warn", "hearing": "warn"}
    assert "communities.txt" in found["graph"]["hint"]
    assert "speech.txt" in found["hearing"]["hint"]
    doctor.doctor("disk", home=tmp_path, as_json=True)
    assert list(json.loads(capsys.readouterr().out)) == ["disk"]
    with pytest.raises(Invalid, match="gpu"):
        doctor.doctor("gup", home=tmp_path)


def test_doctor_compares_the_engines_where_there_is_one_on_a_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries = rapids.pylibcugraph()
    monkeypatch.setattr(doctor, "find_spec", lambda name: name)
    monkeypatch.setitem(sys.modules, "pylibcugraph", libraries)
    monkeypatch.setitem(sys.modules, "cupy", rapids.cupy())
    settings, look = Settings(home=tmp_path), dict(doctor.CLOSER["gpu"])["graph"]
    assert doctor._look(look, settings).level == "ok"
    libraries.core_number = lambda handle, graph, *_: rapids._given(graph, [1] * 36)
    found = doctor._look(look, settings)
    assert (found.level, found.facts) == ("fail", "The graph engine gpu does not agree with cpu on cores.")


def test_doctor_tests_what_hears_on_a_gpu_with_the_models_of_the_serve_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "find_spec", lambda name: name)
    FakeWhisperX([]).install(monkeypatch)
    FakePyannote(output([], None)).install(monkeypatch)
    settings, look = Settings(home=tmp_path), dict(doctor.CLOSER["gpu"])["hearing"]
    monkeypatch.delenv("MEMORAY_SERVE_CONFIG", raising=False)
    assert doctor._look(look, settings).level == "warn", "a laptop's file names none"
    monkeypatch.setenv("MEMORAY_SERVE_CONFIG", str(project_root() / "serve_config.yaml"))
    found = doctor._look(look, settings)
    assert (found.level, found.facts) == (
        "fail",
        "The GPU does not hear as it must: segmenter: somebody speaks in silence.",
    )


def test_doctor_names_what_earlier_runs_have_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(temporary, "ROOT", tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(leftovers, "SYSTEM_ROOT", tmp_path / "system")
    monkeypatch.setattr(embedded, "SYSTEM_ROOT", tmp_path / "system")
    look = dict(doctor.CHECKS)["left"]
    settings = Settings(home=tmp_path / "home")
    assert look(settings) == doctor.Finding("ok", "nothing of earlier runs")

    run = temporary.short_folder(tmp_path / "home")
    killed, tests, copy = (tmp_path / name for name in ("pymp-1", "memoray-test-1", "system/server-16-1"))
    for folder in (killed, tests, copy, tmp_path / "system" / "0123" / "postgres"):
        folder.mkdir(parents=True)
    (tmp_path / "system" / "0123" / "home").write_text(f"{tmp_path / 'gone'}\n")
    found = look(settings)
    assert found.level == "warn"
    named = [run, killed, tests, *([copy, tmp_path / "system" / "0123"] if os.getuid() == 0 else [])]
    assert found.facts.startswith(f"{len(named)} folders of earlier runs: ")
    assert all(f"{folder} (of " in found.facts for folder in named)
    assert f"{run} (of {tmp_path / 'home'}; `memoray up` removes it)" in found.facts

    with temporary.occupy(tmp_path / "home"), socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(killed / "listener"))
        assert not any(f"{folder} (of " in look(settings).facts for folder in (run, killed))


def test_a_hosts_own_token_is_in_its_entry_with_a_url_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORY_TOKEN", raising=False)

    def environment(*options: str) -> object:
        result = CliRunner().invoke(command_line(rooms("mcp")), ["mcp", "install", "cursor", *options, "--json"])
        return json.loads(result.output)["entry"].get("env")

    assert not environment("--home", "/srv/memory")
    assert environment("--home", "/srv/memory", "--token", "abc") == {"MEMORY_TOKEN": "abc"}
    assert environment("--url", "http://127.0.0.1:8000", "--token", "abc") == {"MEMORY_TOKEN": "abc"}


def test_what_a_command_tells_of_a_run_holds_no_password() -> None:
    told = Runtime(home="/srv", dsn="postgresql://a:secret@b/c", owner_dsn="postgresql://o:secret@b/c").shown
    assert "secret" not in json.dumps(told)
    assert told["home"] == "/srv"
