"""Worlds are checked before they teach."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from training.check import checked, main

HEAD = "# world: x-tent | kind: friends | language: en | people: Ana (she, owner), Bo (he)"
TALK = """## 1 | 2024-03-02 19:10 | chat
Ana: The tent leaks at every seam it has got.
Bo: Mine is in the shed, take it."""
ASKED = "\n".join(f"? Whose tent is it, asked for the {number}th time? | 1.2 | Bo's | who" for number in range(10))
CLAIMED = """? What is Bo's sister called? | - | not said | unanswerable
!! claims
! 1.2 | Bo | owns | a tent | - | state
! 1.2 | Bo | promises | to lend his tent | - | promise (to Ana)
x 1.1 | Ana wants a new tent | hypothetical
!! corrections
~ 1.2 | 1.1 | changes"""
WHOLE = "\n".join((HEAD, TALK, "?? questions", ASKED, CLAIMED))


def _file(folder: Path, text: str = WHOLE) -> Path:
    path = folder / "x-tent.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_whole_world_has_no_fault(tmp_path: Path) -> None:
    found = checked(_file(tmp_path))
    assert (found.turns, found.questions, found.unanswerable, found.faults) == (2, 11, 1, ())


@pytest.mark.parametrize(
    ("was", "instead", "fault"),
    [
        ("| 1.2 | Bo's | who", "| 1.7 | Bo's | who", r"no turn 1\.7"),
        ("| 1.2 | Bo's | who", "| 1.2 | Bo's | whose", "no kind 'whose'"),
        ("| 1.2 | Bo's | who", "| - | Bo's | who", "evidence '-' of a line of the kind 'who'"),
        ("| 1.2 | Bo's | who", "| one | Bo's | who", "evidence 'one'"),
        ("| 1.2 | Bo's | who", "| Bo's | who", "3 fields, not 4"),
        ("| - | not said | un", "| 1.2 | not said | un", "evidence '1.2' of a line of the kind 'unanswerable'"),
        ("? Whose tent is it,", "? Is it mine that is in the shed, take it,", "quotes its evidence"),
        ("! 1.2 | Bo | owns", "! 3.1 | Bo | owns", r"no turn 3\.1"),
        ("x 1.1 |", "x 1.1 | Ana |", "4 fields, not 3"),
        ("~ 1.2 | 1.1", "~ 1.1 | 1.2", r"1\.1 is not later than 1\.2"),
        ("~ 1.2 | 1.1", "~ 1.9 | 1.1", r"no turn 1\.9"),
        ("| changes", "| ends", "no kind 'ends'"),
    ],
)
def test_what_is_broken_is_told_with_its_line(tmp_path: Path, was: str, instead: str, fault: str) -> None:
    faults = checked(_file(tmp_path, WHOLE.replace(was, instead))).faults
    told = [each for each in faults if not each.startswith("0 questions")]
    assert told
    assert all(re.match(rf"line \d+: .*{fault}", each) for each in told), told


@pytest.mark.parametrize(("text", "fault"), [("Dear diary,", "not the head of a world"), (HEAD, "no session")])
def test_a_file_that_is_no_world_is_told(tmp_path: Path, text: str, fault: str) -> None:
    assert fault in checked(_file(tmp_path, text)).faults[0]


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    assert "No such file" in checked(tmp_path / "x-none.txt").faults[0]
    (tmp_path / "x-bytes.txt").write_bytes(b"\xff\xfe")
    assert "decode" in checked(tmp_path / "x-bytes.txt").faults[0]


def test_too_few_questions_are_told(tmp_path: Path) -> None:
    few = WHOLE.replace(ASKED, "\n".join(ASKED.splitlines()[:2]))
    assert checked(_file(tmp_path, few)).faults == ("2 questions with an answer; 10 are needed.",)


def test_our_worlds_have_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "0 faulty" in capsys.readouterr().out


def test_a_fault_is_printed_and_ends_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(_file(tmp_path, WHOLE.replace("! 1.2", "! 3.1")))]) == 1
    assert "x-tent.txt, line 18: no turn 3.1." in capsys.readouterr().out
