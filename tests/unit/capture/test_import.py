"""The import command's own part: what is sent, what is tallied, what is sent again."""

import json

import pytest
import typer
from typer.testing import CliRunner

import cli.import_ as command
from adapters.capture.text import TextFile
from cli.client import RequestRefused
from memory.errors import Invalid, Unavailable
from tests.exports import EXPORTS


class FrontDoor:
    """Takes sources; gives each of `answers` first."""

    def __init__(self, *answers: BaseException) -> None:
        self.answers = list(answers)
        self.stored: set[str] = set()
        self.bodies: list[dict] = []

    def get(self, path: str) -> dict:
        assert path == "/v1/profile"
        return {"time_zone": "Asia/Tokyo", "name": "Maya", "speaker_labels": ["user", "me"]}

    def post(self, path: str, body: dict) -> dict:
        assert path == "/v1/sources"
        if self.answers:
            raise self.answers.pop(0)
        self.bodies.append(body)
        fresh = {each["segment_id"] for each in body["segments"]} - self.stored
        self.stored |= fresh
        return {"source_id": body["source_id"], "changed": len(fresh)}

    def __enter__(self) -> "FrontDoor":
        return self

    def __exit__(self, *_: object) -> None: ...


def test_a_page_is_sent_again_while_nobody_answers():
    door, slept = FrontDoor(Unavailable(), RequestRefused("busy", status=503)), []
    command.deliver(door, {"source_id": "s", "segments": []}, [1.0, 2.0, 4.0], slept.append)
    assert (len(door.bodies), slept) == (1, [1.0, 2.0])


def test_it_is_not_sent_forever():
    door = FrontDoor(*[Unavailable()] * 9)
    with pytest.raises(Unavailable):
        command.deliver(door, {"source_id": "s", "segments": []}, [1.0, 2.0], lambda pause_s: None)


def test_a_refusal_is_not_argued_with():
    door, slept = FrontDoor(RequestRefused("no", status=422)), []
    with pytest.raises(RequestRefused):
        command.deliver(door, {"source_id": "s", "segments": []}, [1.0], slept.append)
    assert not slept


def test_one_bad_file_does_not_stop_the_next(tmp_path):
    tally, door = command.Tally(), FrontDoor(RequestRefused("too large", status=413))
    for name, content in (("a.md", b"first"), ("b.md", b"\x00"), ("c.md", b"one\n\ntwo")):
        (tmp_path / name).write_bytes(content)
        file = TextFile(tmp_path / name)
        command.import_file(file, command.ImportOptions(), lambda body: command.deliver(door, body), tally)
    assert (tally.files, tally.segments, len(tally.sources)) == (3, 2, 1)
    assert [entry["file"][-4:] for entry in tally.failed] == ["a.md", "b.md"]
    assert not tally.complete


def test_nobody_answering_ends_the_import(tmp_path):
    (tmp_path / "a.md").write_text("words")

    def nobody(body) -> int:
        raise Unavailable

    with pytest.raises(Unavailable):
        command.import_file(TextFile(tmp_path / "a.md"), command.ImportOptions(), nobody, command.Tally())


@pytest.fixture
def door(monkeypatch) -> FrontDoor:
    door = FrontDoor()
    monkeypatch.setattr(command, "connect", lambda home, user: door)
    return door


def run(*arguments: str):
    alone = typer.Typer()
    alone.command("import")(command.import_)
    return CliRunner().invoke(alone, list(arguments))


def test_the_command_uses_the_profile_s_zone_and_reports(door, tmp_path):
    (tmp_path / "chat.txt").write_text("31/12/2023, 21:05 - Ana: hi\n")
    result = run(str(tmp_path), "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert (report["files"], report["sources"], report["segments"]) == (1, 1, 1)
    assert door.bodies[0]["started_at"] == "2023-12-31T21:05:00.000+09:00"


def test_a_line_set_aside_is_told_and_fails_the_command(door, tmp_path):
    (tmp_path / "walk.jsonl").write_text("nonsense\n")
    result = run(str(tmp_path), "--json", "--zone", "UTC")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["rejected"][0]["line_no"] == 1


@pytest.mark.parametrize(
    "arguments", [("--as", "odt"), ("--format", "odt"), ("--zone", "Mars/Olympus"), ("--zone", "../../etc")]
)
def test_a_wrong_option_is_a_sentence(door, tmp_path, arguments):
    result = run(str(tmp_path), *arguments)
    assert isinstance(result.exception, Invalid)


def test_a_missing_path_is_tallied(door, tmp_path):
    result = run(str(tmp_path / "none.md"), "--zone", "UTC", "--json")
    assert result.exit_code == 1
    assert "none.md" in json.loads(result.stdout)["failed"][0]["error"]


def test_an_empty_file_is_told_as_such_and_named_once(door, tmp_path):
    (tmp_path / "day.txt").write_text("")
    result = run(str(tmp_path), "--zone", "UTC", "--json")
    assert result.exit_code == 1
    assert [each["error"] for each in json.loads(result.stdout)["failed"]] == ["is empty."]


def test_a_second_import_tells_what_was_there_already(door, tmp_path):
    note = tmp_path / "day.md"
    note.write_text("one\n\ntwo")
    first = run(str(tmp_path), "--zone", "UTC")
    assert first.stdout.strip() == "2 segments in 1 source from 1 file: 2 new or changed, 0 there already."
    note.write_text("one\n\ntwo\n\nthree")
    again = run(str(tmp_path), "--zone", "UTC")
    assert again.stdout.strip().endswith(": 1 new or changed, 2 there already.")
    assert json.loads(run(str(tmp_path), "--zone", "UTC", "--json").stdout)["changed"] == 0


@pytest.mark.parametrize("folder", ["05", "2024/05"])
def test_notes_of_one_name_and_one_beginning_are_kept_apart_and_copies_are_not(door, tmp_path, folder):
    said = {
        f"{folder}/01.md": "Morning pages\n\nI met Igor.\n",
        "2025/05/01.md": "Morning pages\n\nI met Zoe.\n",
        "06/01.md": "Morning pages\n\nI met Ravi.\n",
        "copies/01.md": "Morning pages\n\nI met Igor.\n\nIt rained.\n",
    }
    for name, text in said.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for _ in range(2):
        assert run(str(tmp_path)).exit_code == 0
    found: dict[str, set[str]] = {}
    for body in door.bodies:
        found.setdefault(body["source_id"], set()).update(each["text"] for each in body["segments"])
    assert sorted(map(sorted, found.values())) == [
        ["I met Igor.", "It rained.", "Morning pages"],
        ["I met Ravi.", "Morning pages"],
        ["I met Zoe.", "Morning pages"],
    ]


def test_an_interrupted_import_says_how_far_it_got(door, tmp_path, monkeypatch):
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).write_text(name)
    send = door.post

    def until_the_second(path: str, body: dict) -> dict:
        if door.bodies:
            raise KeyboardInterrupt
        return send(path, body)

    monkeypatch.setattr(door, "post", until_the_second)
    result = run(str(tmp_path), "--zone", "UTC")
    assert result.exit_code == 130
    assert f"Interrupted after 1 of 3 files. {command.AGAIN}" in result.output
    assert "1 segment in 1 source from 1 file" in result.output


def test_help_lists_every_format(door):
    told = " ".join(run("--help").output.replace("│", " ").split())
    assert command.READS in told
    assert "Slack" in told


@pytest.mark.parametrize("form", EXPORTS)
def test_an_import_that_was_killed_goes_on_and_stores_nothing_twice(door, tmp_path, monkeypatch, form):
    name, content = EXPORTS[form]
    (tmp_path / name).write_bytes(content)
    monkeypatch.setattr("adapters.capture.bodies.PAGE_SEGMENTS", 1)
    whole = json.loads(run(str(tmp_path / name), "--zone", "UTC", "--json").stdout)
    stored, door.stored = door.stored, set()
    send, left = door.post, [whole["segments"] // 2]

    def until_killed(path: str, body: dict) -> dict:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return send(path, body)

    monkeypatch.setattr(door, "post", until_killed)
    assert run(str(tmp_path / name), "--zone", "UTC").exit_code == 130
    assert len(door.stored) == whole["segments"] // 2
    monkeypatch.setattr(door, "post", send)
    again = json.loads(run(str(tmp_path / name), "--zone", "UTC", "--json").stdout)
    assert door.stored == stored
    assert again["changed"] == whole["segments"] - whole["segments"] // 2


def test_what_holds_no_words_is_counted_and_a_folder_tells_what_it_passes_over(door, tmp_path):
    for form in ("chatgpt", "slack"):
        (tmp_path / EXPORTS[form][0]).write_bytes(EXPORTS[form][1])
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    result = run(str(tmp_path), "--me", "Maya Lopez")
    assert result.exit_code == 0, result.output
    assert (
        "Left out, without words: 1 file, 1 instruction, 1 notice, 1 picture, 1 reasoning, 2 tool calls."
        in result.output
    )
    assert "In no format that is read: 1 .png file." in result.output
    report = json.loads(run(str(tmp_path), "--json").stdout)
    assert (report["left_out"]["tool call"], report["passed_over"]) == (2, {".png": 1})


def test_the_owner_goes_by_another_name_in_a_chat(door, tmp_path):
    (tmp_path / "chat.txt").write_text("31/12/2023, 21:05 - Maya L: hi\n31/12/2023, 21:06 - Ana: hi\n")
    for options, speakers in (([], ["Maya L", "Ana"]), (["--me", "maya l"], ["me", "Ana"])):
        door.bodies.clear()
        run(str(tmp_path / "chat.txt"), *options)
        assert [each["speaker"] for each in door.bodies[0]["segments"]] == speakers
    assert door.bodies[0]["participants"] == ["me", "Ana"]
    assert [each.get("role") for each in door.bodies[0]["segments"]] == ["user", None]
    assert len(door.stored) == 2, "the ids are the same"


def test_so_many_lines_are_told_and_the_rest_is_counted(door, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "MOST_TOLD", 2)
    (tmp_path / "walk.jsonl").write_text("nonsense\n" * 5)
    report = json.loads(run(str(tmp_path), "--json").stdout)
    assert (len(report["rejected"]), report["rejected_untold"], report["left_out"]) == (2, 3, {})
